/*
 * The order of what a program gives to GPUs: launches, copies and fills in streams, and the calls
 * by which the host or a stream waits for them. Emulators run an operation as soon as it is given,
 * or as soon as it can begin; for the check of races two operations are ordered only where the API
 * says so. What one thread of the host has waited for counts for another one only where the program
 * orders the two threads (host edges, below). The caller has a lock, but for those functions.
 */
#ifndef WT_CHECK_ORDER_H
#define WT_CHECK_ORDER_H

#include <pthread.h>

#include "base/map.h"
#include "check/clocks.h"
#include "check/objects.h"

/** The work that is done at a moment: of each stream all up to one of its operations. */
struct wt_order_point {
    struct wt_clocks *done;
    uint32_t at; /**< the newest operation when it was last changed */
};

/** A stream, in which one operation comes after the other; all zeros: one without any. */
struct wt_order_stream {
    uint32_t number;             /**< from 1 on; 0: nothing was given to it */
    struct wt_order_point point; /**< what is ordered before its next operation */
};

/** A call that gives an operation, which begins now or later. */
struct wt_order_call {
    struct wt_order_point host; /**< what the calling thread had waited for */
    uint32_t thread, call;      /**< the thread, and the call's number, from 1 on */
    struct wt_clocks *known;    /**< calls of other threads that came before it */
    const char *by;             /**< the function: constant text */
    struct wt_call_stack calls; /**< who called it */
};

/** An operation. */
struct wt_order_operation {
    uint32_t stream, number;
    uint32_t calm; /**< all up to this one are ordered before it; and: */
    struct wt_clocks
        *before; /**< for each stream, all up to one of its operations; nobody else's */
    struct wt_clocks *ended, *released; /**< where fences are the caller's: what has ended before
                                             it, and what of that a fence has released */
    uint32_t thread, call;              /**< those of its call */
    struct wt_clocks *known;            /**< likewise */
    const char *by;                     /**< the call that waits */
    struct wt_call_stack calls;
    bool copies; /**< a copy or a fill: what kernels do for it is told by wt_check_race_copied(), */
    bool by_kernels; /**< … or counts as its own accesses: nobody else knows where they are */
};

/** Knowledge of a host thread, or what one has left at an object for others. */
struct wt_order_view {
    struct wt_clocks *waited; /**< by stream: operations that were waited for */
    struct wt_clocks *called; /**< by thread: calls */
    uint32_t at;              /**< the newest operation when it was last changed */
};

struct wt_order_thread {
    struct wt_order_view knows;
    bool calls; /**< it has called the API, and has not ended */
};

enum { WT_ORDER_ENDED = 64 };

struct wt_order {
    uint32_t streams, now, calls;      /**< numbers of streams, operations, calls so far */
    _Atomic uint32_t calm;             /**< all threads have waited for all operations up to this */
    uint32_t waited;                   /**< likewise: one of the threads has */
    uint32_t waiting;                  /**< calls whose operations have not begun */
    struct wt_order_point host, given; /**< what any thread has waited for; all that has begun */
    pthread_mutex_t lock;              /**< lock of: */
    struct wt_order_thread *thread;    /**< threads by number */
    size_t threads, thread_room;
    uint32_t
        ended_thread[WT_ORDER_ENDED]; /**< the latest: accesses of theirs may be still to judge */
    unsigned ended_threads;
    struct wt_map objects;  /**< address: struct wt_order_view * that threads have left there */
    struct wt_map unjudged; /**< pairs of calls that wt_order_judges() does not judge */
    void (*unjudged_pair)(void); /**< there is one more; NULL: nobody counts them */
    uint32_t (*which)(void); /**< number of the calling thread; NULL: all threads count as one */
    struct wt_order_point ended; /**< what the host knows to have ended, where fences are the
                                      caller's */
    struct wt_order_operation newest;
    /** An operation has loaded from @p addr, where a signal may say what it comes behind from now
     * on. NULL: nothing does. */
    void (*sees)(uint64_t addr, struct wt_order_operation *operation);
};

/** The program gives an operation by function @p by, which begins later. */
void wt_order_call(struct wt_order *o, struct wt_order_call *call, const char *by);
/** The operation of a call begins. It is ordered behind what the stream has waited for, and behind
 * what the host had waited for at the call. */
void wt_order_begin(struct wt_order *o, struct wt_order_stream *stream, struct wt_order_call *call);
/** Both at once. */
void wt_order_give(struct wt_order *o, struct wt_order_stream *stream, const char *by);
/** Operations that have ended before the newest one, and which of that was released: it has only
 * taken over what its stream had. */
void wt_order_fenced(struct wt_order *o, const struct wt_order_point *ended,
                     const struct wt_order_point *released);
/** A call gives no operation: it is dropped. */
void wt_order_call_dropped(struct wt_order *o, struct wt_order_call *call);
/** All that is done at @p point is done from now on at *@p to, too. */
void wt_order_wait(struct wt_order *o, struct wt_order_point *to, struct wt_order_point *point);
/** The host waits for what is done at @p point. */
void wt_order_host_waits(struct wt_order *o, struct wt_order_point *point);
/** A copy of an operation that stays while others begin, with sets of its own; it is freed by
 * wt_order_operation_drop(). */
struct wt_order_operation wt_order_operation_copy(const struct wt_order_operation *operation);
/** Frees what an operation has. */
void wt_order_operation_drop(struct wt_order_operation *operation);
/** Whether operation @p first is ordered before another one. */
bool wt_order_is_before(const struct wt_order_operation *first,
                        const struct wt_order_operation *then);
/** The order that is missing between two operations, one of which has ended before the other one
 * began: a fence; NULL: nothing says that it has. */
const char *wt_order_lacks(const struct wt_order_operation *first,
                           const struct wt_order_operation *then);
/** Whether a thread of the host has waited for it. */
bool wt_order_is_over(const struct wt_order *o, uint32_t stream, uint32_t number);
/** Whether threads of the host have waited for all operations. */
static inline bool wt_order_is_calm(const struct wt_order *o)
{
    return o->waited == o->now;
}
/** All that the calling thread has waited for is done from now on at *@p to, too. */
void wt_order_wait_as_host(struct wt_order *o, struct wt_order_point *to);
/** Whether the program orders the calls of two operations that nothing else orders: one thread has
 * made both, or host edges lead from one to the other. Else nobody can say whether they are a race,
 * and the pair is counted. */
bool wt_order_judges(struct wt_order *o, const struct wt_order_operation *a,
                     const struct wt_order_operation *b);
/** Likewise of an access by host thread @p thread, which has not waited for the operation. */
bool wt_order_judges_host(struct wt_order *o, uint32_t thread,
                          const struct wt_order_operation *operation);

/* ---- host edges: no lock of the caller's is needed ---- */

/** The calling thread's knowledge is left at @p object: an unlock, a signal, the making of a
 * thread, a thread's end. */
void wt_order_leave_at(struct wt_order *o, const void *object);
/** The calling thread takes over what was left there: a lock, a wait, a thread's begin, a join. */
void wt_order_take_from(struct wt_order *o, const void *object);
/** Forgets what was left there. */
void wt_order_forget_at(struct wt_order *o, const void *object);
/** The calling thread ends. */
void wt_order_thread_ends(struct wt_order *o);

/** Frees what a point has. */
void wt_order_drop(struct wt_order_point *point);

#endif
