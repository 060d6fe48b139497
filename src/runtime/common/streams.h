/*
 * What a program gives to streams, for --check=race (check/order.h): the order that an API with
 * streams and a default stream guarantees, and not the one in which a driver does it; and which
 * pages the program must not access meanwhile. A process has one such order. The caller has a lock.
 */
#ifndef WT_RUNTIME_COMMON_STREAMS_H
#define WT_RUNTIME_COMMON_STREAMS_H

#include "check/order.h"
#include "check/race.h"

/** The check of races of GPU @p number; NULL: it has none. False: there is no such GPU. */
typedef bool wt_streams_race_fn(unsigned number, struct wt_check_race **race);
/** Races are looked for from now on: @p race has those of each GPU. */
void wt_streams_follow(wt_streams_race_fn *race);
/** The order of all that was given, for wt_check_race_set_order(). */
struct wt_order *wt_streams_order(void);

/** A stream as a call names it. */
struct wt_stream {
    struct wt_order_stream *own; /**< NULL: the default stream */
    bool blocking;               /**< it waits for the default stream, which waits for it */
};

/** An operation is given to a stream by function @p by. */
void wt_stream_give(struct wt_stream s, const char *by);
/** @p point becomes what a stream was given so far. */
void wt_stream_record(struct wt_stream s, struct wt_order_point *point);
/** A stream waits for that. */
void wt_stream_after(struct wt_stream s, struct wt_order_point *point);
/** A stream waits for all that streams were given. */
void wt_stream_after_all(struct wt_stream s);
/** The host waits for all that a stream was given. */
void wt_stream_host_waits(struct wt_stream s);
/** The host waits for what is done at a point. */
void wt_streams_host_waits_for(struct wt_order_point *point);
/** The host waits for all streams. */
void wt_streams_host_waits_for_all(void);

/** Who accesses memory. */
enum wt_stream_side {
    WT_OF_DEVICE,     /**< GPUs alone */
    WT_OF_REGISTERED, /**< the host, too; other memory of the program may lie in its first and last
                           page */
    WT_OF_BOTH,       /**< the host, too */
};
/** Memory is made, for all streams. */
void wt_streams_made(uint64_t address, uint64_t bytes, enum wt_stream_side side);
/** It is memory of the host, too, from now on, unless a part of it is already. */
void wt_streams_share(uint64_t address, uint64_t bytes, enum wt_stream_side side);
/** GPUs have the memory of both sides that begins at @p address at another address. */
void wt_streams_alias(uint64_t address, uint64_t of_gpus);
/** The address at which GPUs have a byte of the program's. */
uint64_t wt_streams_of_gpus(uint64_t address);
/** It is no memory of both sides any more. */
void wt_streams_forget(uint64_t address, uint64_t bytes);
/** The host has waited, or operations have begun, by functions of order.h. */
void wt_streams_changed(void);
/** Whether a call that ends now protects other pages than the last one did: the program has not
 * waited for all, and there is memory of both sides. */
bool wt_streams_will_watch(void);
/** Whether pages are protected between calls. */
bool wt_streams_watch(void);

/** The newest operation accesses memory by itself, as a copy does: all GPUs have it. */
void wt_streams_accessed(uint64_t address, uint64_t bytes, enum wt_access access);

/** A call of the API begins: the program's pages are accessible. What it has accessed of protected
 * ones since is judged. */
void wt_streams_enter(void);
/** It ends: pages are protected whose operations the program has not waited for, if @p watches. */
void wt_streams_leave(bool watches);

#endif
