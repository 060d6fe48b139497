/* See order.h. */
#include "runtime/cuda/order.h"

#include <stdlib.h>

#include "base/token.h"
#include "check/race.h"
#include "runtime/common/checked.h"
#include "runtime/common/counted.h"
#include "runtime/cuda/checks.h"
#include "runtime/cuda/stream_list.h"

static struct wt_order_stream of_threads; /* the per-thread stream, which always exists */
static struct gpu *newest;                /* whose the newest operation is */
static bool under_way;                    /* it is what the call gives */

static bool is_wanted(void)
{
    return wt_check_wants(WT_CHECK_RACE);
}

static bool is_followed(void)
{
    return wt_streams_order()->now;
}

static struct wt_stream stream_of(CUstream stream)
{
    if (!stream || stream == CU_STREAM_LEGACY)
        return (struct wt_stream){.own = NULL};
    if (stream == CU_STREAM_PER_THREAD)
        return (struct wt_stream){&of_threads, true};
    return (struct wt_stream){&stream->order, !(stream->flags & CU_STREAM_NON_BLOCKING)};
}

static struct wt_check_race *race_of(struct gpu *g)
{
    return g ? wt_counted_race(gpu_hosted(g), NULL) : NULL;
}

static bool next_race(unsigned number, struct wt_check_race **race)
{
    struct gpu *g = state_gpu((CUdevice)number);
    *race = race_of(g);
    return g;
}

/* A debugger accesses the program's memory at any time, which is no access of the program's. */
static void leave(void)
{
    under_way = false;
    wt_streams_leave(!getenv(WT_LISTEN_VARIABLE));
}

void order_begin(struct gpu *g, CUstream stream, const char *by)
{
    if (!is_wanted() || !race_of(g))
        return;
    wt_streams_follow(next_race);
    wt_check_race_set_order(race_of(g), wt_streams_order());
    wt_stream_give(stream_of(stream), checks_entry(by));
    newest = g;
    under_way = true;
    state_set_hooks(wt_streams_enter, leave);
}

static void access_range(uint64_t address, uint64_t bytes, enum wt_access access)
{
    struct gpu *owner = state_owner(address, NULL);
    struct wt_object object;
    if (!under_way || (!owner && !wt_object_find(NULL, address, &object, NULL, NULL)))
        return;
    struct wt_check_race *r = race_of(owner ? owner : newest);
    if (r)
        wt_check_race_set_order(r, wt_streams_order());
    wt_check_race_copied(r, address, bytes, access);
}

void order_copied(uint64_t to, uint64_t from, uint64_t bytes)
{
    access_range(from, bytes, WT_ACCESS_LOAD);
    access_range(to, bytes, WT_ACCESS_STORE);
}

void order_made(uint64_t address, uint64_t bytes, enum wt_stream_side side)
{
    if (is_wanted())
        wt_streams_made(address, bytes, side);
}

void order_gone(uint64_t address)
{
    order_waits_for_all();
    wt_streams_forget(address, 1);
}

void order_memory(uint64_t address, uint64_t bytes, bool made)
{
    if (made)
        order_made(address, bytes, WT_OF_DEVICE);
    else
        wt_streams_forget(address, bytes);
    access_range(address, bytes, WT_ACCESS_STORE);
}

void order_waits_for(struct wt_order_point *point)
{
    wt_streams_host_waits_for(point);
}

void order_waits(CUstream stream)
{
    if (is_followed())
        wt_stream_host_waits(stream_of(stream));
}

void order_waits_for_all(void)
{
    wt_streams_host_waits_for_all();
}

void order_wait(CUstream stream)
{
    if (!is_wanted() || state_lock())
        return;
    order_waits(stream);
    state_leave(CUDA_SUCCESS);
}

void order_record(struct wt_order_point *point, CUstream stream)
{
    wt_order_drop(point);
    if (is_followed())
        wt_stream_record(stream_of(stream), point);
}

void order_after(CUstream stream, struct wt_order_point *point)
{
    if (is_followed())
        wt_stream_after(stream_of(stream), point);
}

void order_after_all(CUstream stream)
{
    if (is_followed())
        wt_stream_after_all(stream_of(stream));
}
