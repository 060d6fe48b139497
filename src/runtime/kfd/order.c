/*
 * The order of what a HIP program gives to streams, for --check=race (host_checks.h,
 * common/streams.h). A call that gives something comes back when the GPUs have done all that they
 * can, so that operations are done as they are given, and pages of the host are protected while no
 * GPU accesses them. The lists are under the locks of all GPUs; `giving` is taken before those.
 */
#include <stdlib.h>
#include <time.h>

#include "base/map.h"
#include "base/token.h"
#include "check/race.h"
#include "runtime/common/counted.h"
#include "runtime/common/host_checks.h"
#include "runtime/common/host_pages.h"
#include "runtime/common/streams.h"
#include "runtime/kfd/host.h"

/* A stream or an event. */
struct handle {
    struct wt_order_stream stream;
    struct wt_order_point recorded;
    bool blocking;
};

static pthread_mutex_t giving = PTHREAD_MUTEX_INITIALIZER;
static bool gives;            /* a call: what begins now is of the newest operation */
static struct wt_map handles; /* address: struct handle */
static struct handle of_threads = {.blocking = true};

static bool next_race(unsigned number, struct wt_check_race **race)
{
    struct host *host = host_get();
    if (!host || number >= host->gpus)
        return false;
    *race = host->gpu[number].device ? wt_counted_race(&host->gpu[number].hosted, NULL) : NULL;
    return true;
}

static struct handle *handle_of(const void *at)
{
    const uint64_t *there = wt_map_find(&handles, (uint64_t)(uintptr_t)at);
    return there ? (void *)(uintptr_t)*there : NULL;
}

/* Of a stream or event that is new, perhaps at the address of an older one; NULL without host
 * memory. */
static struct handle *add_handle(const void *at)
{
    return at ? wt_map_block(&handles, (uint64_t)(uintptr_t)at, sizeof(struct handle)) : NULL;
}

static struct wt_stream stream_of(const void *at)
{
    enum { PER_THREAD = 2 }; /* hipStreamPerThread */
    struct handle *h = (uintptr_t)at == PER_THREAD ? &of_threads : handle_of(at);
    return h ? (struct wt_stream){&h->stream, h->blocking} : (struct wt_stream){.own = NULL};
}

/* Enters all GPUs; false: there are none yet. */
static bool enter_all(void)
{
    struct host *host = host_get();
    if (!host)
        return false;
    host_enter_all(host);
    wt_streams_follow(next_race);
    return true;
}

static void leave_all(void)
{
    host_leave_all(host_get());
}

/* ---- GPUs ---- */

/* Whether a GPU has nothing left to do that it can do now. It is entered. The runtime answers a
 * queue that waits for it, for private memory of a kernel, by itself. */
static bool is_at_rest(const struct host_gpu *g, uint64_t turns)
{
    bool empty = !g->kernels;
    for (const struct host_queue *q = g->queues; q; q = q->next) {
        empty &= q->stopped || q->begun >= atomic_load_explicit(q->write, memory_order_acquire);
        if (q->waiting && !q->stopped)
            return false;
    }
    return empty || (g->rests && !g->kernels && g->turns > turns + 1);
}

static bool all_rest(struct host *host, const uint64_t *turns)
{
    bool rest = true;
    for (uint32_t i = 0; i < host->gpus; i++)
        rest &= is_at_rest(&host->gpu[i], turns ? turns[i] : UINT64_MAX - 1);
    return rest;
}

/* Whether kernels of all GPUs that are not at rest wait for the host or for a debugger. */
static bool all_idle(struct host *host, const uint64_t *turns)
{
    bool idle = true;
    struct wt_check_race *race;
    for (unsigned i = 0; next_race(i, &race); i++) {
        const struct host_gpu *g = &host->gpu[i];
        const bool halted = g->kernels && g->rests && g->turns > turns[i] + 1;
        idle &= halted || is_at_rest(g, turns[i]) || wt_check_race_idles(race);
    }
    return idle;
}

/* Kernels may wait for the host: then it goes on beside them. */
static void await_rest(struct host *host)
{
    const struct timespec moment = {.tv_nsec = 20000};
    uint64_t turns[HOST_MOST_GPUS];
    bool rest = false;
    for (uint32_t i = 0; i < host->gpus; i++)
        turns[i] = host->gpu[i].turns;
    while (!rest) {
        host_enter_all(host);
        rest = all_rest(host, turns) || all_idle(host, turns);
        host_leave_all(host);
        if (!rest)
            nanosleep(&moment, NULL);
    }
}

void host_order_accesses(void)
{
    wt_host_pages_release();
}

/* Packets of a call that had not begun when it came back, and its operation. */
struct host_late {
    struct host_late *next; /* a later call's */
    uint64_t first, end;
    struct wt_order_operation is;
};

static void drop_late(struct host_late *late)
{
    wt_order_operation_drop(&late->is);
    free(late);
}

void host_order_queue_gone(struct host_queue *q)
{
    for (struct host_late *late; (late = q->late); drop_late(late))
        q->late = late->next;
}

/* The call that gives comes back: what of it has not begun, however late that is, stays of its
 * operation. */
static void note_late(struct host_queue *q)
{
    const uint64_t end = atomic_load_explicit(q->write, memory_order_acquire);
    const uint64_t first = q->given > q->begun ? q->given : q->begun;
    struct host_late **at = &q->late;
    struct host_late *late = q->copies || first >= end ? NULL : malloc(sizeof *late);
    if (!late)
        return;
    *late = (struct host_late){
        .first = first, .end = end, .is = wt_order_operation_copy(&wt_streams_order()->newest)};
    while (*at)
        at = &(*at)->next;
    *at = late;
}

/* The operation of a packet, which comes after all that have begun, if its call has come back. */
static const struct wt_order_operation *late_of(struct host_queue *q, uint64_t packet)
{
    for (struct host_late *late; (late = q->late) && late->end <= packet; drop_late(late))
        q->late = late->next;
    return q->late && packet >= q->late->first ? &q->late->is : NULL;
}

void host_order_launch(struct host_queue *q, uint64_t packet, uint64_t number, bool known)
{
    static const struct wt_order_operation ordered = {.calm = UINT32_MAX};
    struct wt_order *order = wt_streams_order();
    struct wt_check_race *race = wt_counted_race(&q->gpu->hosted, NULL);
    if (!race || !order->now)
        return;
    wt_host_pages_release();
    /* Of what was given by a function that nobody has told of, all counts as ordered. */
    const struct wt_order_operation *late = late_of(q, packet);
    wt_check_race_set_order(race, order);
    known |= gives && packet >= q->given;
    wt_check_race_launch(race, number, known ? &order->newest : late ? late : &ordered);
}

/* ---- calls ---- */

static void enter(void)
{
    if (!enter_all())
        return;
    wt_streams_enter();
    leave_all();
}

/* Queues may still have packets by which streams wait: pages are protected when those have begun. A
 * debugger accesses the program's memory at any time, which is no access of the program's. */
static void leave(void)
{
    const bool may_watch = !getenv(WT_LISTEN_VARIABLE);
    if (!enter_all())
        return;
    const bool will_watch = wt_streams_will_watch() && may_watch;
    leave_all();
    if (will_watch)
        await_rest(host_get());
    host_enter_all(host_get());
    if (wt_streams_order()->now)
        wt_streams_leave(may_watch && all_rest(host_get(), NULL));
    leave_all();
}

static void give(const void *stream, const char *by, bool copies)
{
    pthread_mutex_lock(&giving);
    if (!enter_all())
        return;
    wt_streams_enter();
    wt_stream_give(stream_of(stream), by);
    wt_streams_order()->newest.copies = copies;
    gives = true;
    for (uint32_t i = 0; i < host_get()->gpus; i++)
        for (struct host_queue *q = host_get()->gpu[i].queues; q; q = q->next)
            q->given = atomic_load_explicit(q->write, memory_order_acquire);
    leave_all();
}

static void by_kernels(void)
{
    if (!enter_all())
        return;
    wt_streams_order()->newest.by_kernels = true;
    leave_all();
}

static void accesses(uint64_t addr, uint64_t size, enum wt_access access)
{
    struct wt_object object;
    if (!size || !enter_all())
        return;
    addr = wt_streams_of_gpus(addr);
    if (wt_object_find(NULL, addr, &object, NULL, NULL))
        wt_streams_accessed(addr, size, access);
    leave_all();
}

static void given(void)
{
    struct host *host = host_get();
    if (host)
        await_rest(host);
    if (host && enter_all()) {
        for (uint32_t i = 0; gives && i < host->gpus; i++)
            for (struct host_queue *q = host->gpu[i].queues; q; q = q->next)
                note_late(q);
        gives = false;
        leave_all();
    }
    pthread_mutex_unlock(&giving);
}

/* ---- streams and events ---- */

static void stream_made(const void *stream, bool blocking)
{
    if (!enter_all())
        return;
    struct handle *h = add_handle(stream);
    if (h)
        h->blocking = blocking;
    leave_all();
}

static void gone(const void *handle)
{
    if (!enter_all())
        return;
    struct handle *h = handle_of(handle);
    if (h) {
        wt_order_drop(&h->stream.point);
        wt_order_drop(&h->recorded);
        wt_map_remove(&handles, (uint64_t)(uintptr_t)handle);
    }
    free(h);
    leave_all();
}

static void record(const void *event, const void *stream)
{
    if (!enter_all())
        return;
    struct handle *h = add_handle(event);
    if (h)
        wt_stream_record(stream_of(stream), &h->recorded);
    leave_all();
}

static void stream_waits(const void *stream, const void *event)
{
    if (!enter_all())
        return;
    struct handle *h = handle_of(event);
    if (h)
        wt_stream_after(stream_of(stream), &h->recorded);
    else if (!event)
        wt_stream_after_all(stream_of(stream));
    leave_all();
}

static void host_waits(const void *stream)
{
    if (!enter_all())
        return;
    wt_stream_host_waits(stream_of(stream));
    leave_all();
}

static void host_waits_for_event(const void *event)
{
    if (!enter_all())
        return;
    struct handle *h = handle_of(event);
    if (h)
        wt_streams_host_waits_for(&h->recorded);
    leave_all();
}

static void host_waits_for_all(void)
{
    if (!enter_all())
        return;
    wt_streams_host_waits_for_all();
    leave_all();
}

/* ---- memory ---- */

/* Where GPUs have memory that the program has registered: elsewhere. */
static uint64_t of_gpus(uint64_t addr, bool *registered)
{
    struct host *host = host_get();
    const struct host_allocation *before, *a;
    pthread_mutex_lock(&host->lock);
    a = host_memory_find(host, addr, &before);
    *registered = a && a->type == HSA_POINTER_REGISTERED_USER;
    const uint64_t there = *registered ? a->gpu_addr + (addr - a->addr) : addr;
    pthread_mutex_unlock(&host->lock);
    return there;
}

static void memory_made(uint64_t addr, uint64_t size, bool shared)
{
    bool registered = false;
    const uint64_t there = shared && host_get() ? of_gpus(addr, &registered) : addr;
    if (!enter_all())
        return;
    wt_streams_made(addr, size,
                    !shared                          ? WT_OF_DEVICE
                    : addr % HOST_PAGE || registered ? WT_OF_REGISTERED
                                                     : WT_OF_BOTH);
    if (there != addr)
        wt_streams_alias(addr, there);
    leave_all();
}

static void memory_gone(uint64_t addr)
{
    if (!enter_all())
        return;
    wt_streams_host_waits_for_all();
    wt_streams_forget(addr, 1);
    leave_all();
}

const struct wt_host_order host_order = {
    .enter = enter,
    .leave = leave,
    .give = give,
    .by_kernels = by_kernels,
    .accesses = accesses,
    .given = given,
    .stream_made = stream_made,
    .gone = gone,
    .record = record,
    .stream_waits = stream_waits,
    .host_waits = host_waits,
    .host_waits_for_event = host_waits_for_event,
    .host_waits_for_all = host_waits_for_all,
    .memory_made = memory_made,
    .memory_gone = memory_gone,
};
