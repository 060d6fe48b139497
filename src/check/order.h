/*
 * The order of what a program gives to GPUs: launches, copies and fills in streams, and the calls
 * by which the host or a stream waits for them. Emulators run an operation as soon as it is given;
 * for the check of races two operations are ordered only where the API says so. All threads of the
 * host count as one, since nobody sees what orders them. The caller has a lock.
 */
#ifndef WT_CHECK_ORDER_H
#define WT_CHECK_ORDER_H

#include "check/clocks.h"
#include "check/objects.h"

/** What is done at a moment: of each stream all up to one of its operations. */
struct wt_order_point {
    struct wt_clocks *done;
    uint32_t at; /**< the newest operation when it was last changed */
};

/** A stream, in which one operation comes after the other; all zeros: one without any. */
struct wt_order_stream {
    uint32_t number;             /**< from 1 on; 0: nothing was given to it */
    struct wt_order_point point; /**< what is ordered before its next operation */
};

struct wt_order {
    uint32_t streams, now;             /**< numbers of streams, operations so far */
    uint32_t calm;                     /**< the host has waited for all operations up to this one */
    struct wt_order_point host, given; /**< what the host has waited for; all that was given */
    /* The newest operation. */
    uint32_t stream;
    struct wt_order_point before; /**< what is ordered before it, and it */
    const char *by;               /**< the function: constant text */
    struct wt_call_stack calls;   /**< who called it */
};

/** The program gives an operation to a stream by function @p by: it comes behind what the stream
 * and the host have waited for. */
void wt_order_give(struct wt_order *o, struct wt_order_stream *stream, const char *by);
/** All that is done at @p point is done from now on at *@p to, too. */
void wt_order_wait(struct wt_order *o, struct wt_order_point *to, struct wt_order_point *point);
/** The host waits for what is done at @p point. */
void wt_order_host_waits(struct wt_order *o, struct wt_order_point *point);
/** Whether operation @p number of a stream is ordered before the newest one. */
bool wt_order_is_before(const struct wt_order *o, uint32_t stream, uint32_t number);
/** Whether the host has waited for it. */
bool wt_order_is_over(const struct wt_order *o, uint32_t stream, uint32_t number);
/** Whether the host has waited for all operations. */
static inline bool wt_order_is_calm(const struct wt_order *o)
{
    return o->calm == o->now;
}
/** Frees what a point has. */
void wt_order_drop(struct wt_order_point *point);

#endif
