/* See order.h. */
#include "runtime/cuda/order.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/token.h"
#include "check/race.h"
#include "runtime/common/checked.h"
#include "runtime/common/counted.h"
#include "runtime/common/host_pages.h"
#include "runtime/cuda/checks.h"
#include "runtime/cuda/stream_list.h"

enum { PAGE = 4096 };

static struct wt_order order;
static struct wt_order_stream usual, of_threads; /* the two that always exist */
static struct wt_order_point blocking;           /* all that streams were given which wait for
                                                    `usual`, and for which it waits */
static struct gpu *newest;                       /* whose the newest operation is */
static bool under_way;                           /* it is what the call gives */
static bool changed;                             /* since the host's pages were protected */
static struct shared {
    uint64_t begin, size;
    enum order_side side;
} * shared; /* memory of GPUs and of the host */
static size_t shared_count, shared_room;
static struct wt_host_page *pages;
static size_t page_count, page_room;

static bool is_wanted(void)
{
    return wt_check_wants(WT_CHECK_RACE);
}

static bool is_blocking(CUstream stream)
{
    return stream == CU_STREAM_PER_THREAD || !(stream->flags & CU_STREAM_NON_BLOCKING);
}

/* A stream, with what it waits for by itself ("Stream synchronization behavior"). */
static struct wt_order_stream *order_of(CUstream stream)
{
    const bool is_usual = !stream || stream == CU_STREAM_LEGACY;
    struct wt_order_stream *s = is_usual                         ? &usual
                                : stream == CU_STREAM_PER_THREAD ? &of_threads
                                                                 : &stream->order;
    if (is_usual)
        wt_order_wait(&order, &usual.point, &blocking);
    else if (is_blocking(stream))
        wt_order_wait(&order, &s->point, &usual.point);
    return s;
}

static struct wt_check_race *race_of(struct gpu *g)
{
    struct wt_check_race *r = g ? wt_counted_race(gpu_hosted(g), NULL) : NULL;
    if (r)
        wt_check_race_set_order(r, &order);
    return r;
}

/* ---- the host's own accesses ---- */

/* How all GPUs together use a range within a page. */
static enum wt_race_use use_of(uint64_t address, uint64_t bytes)
{
    enum wt_race_use all = WT_RACE_PARTS;
    struct gpu *g;
    for (CUdevice i = 0; (g = state_gpu(i)); i++) {
        struct wt_check_race *r = race_of(g);
        const enum wt_race_use one = r ? wt_check_race_use(r, address, bytes) : WT_RACE_PARTS;
        all = one > all ? one : all;
    }
    return all;
}

/* Pages all of whose bytes in use are used by what the host has not waited for. False: kernels may
 * tell the host how far they are, as by a flag, and nobody sees whether it has looked. */
static bool add_pages(const struct shared *s)
{
    const uint64_t begin = s->begin, size = s->size;
    for (uint64_t at = begin, next; at < begin + size; at = next) {
        next = (at / PAGE + 1) * PAGE < begin + size ? (at / PAGE + 1) * PAGE : begin + size;
        const enum wt_race_use use = use_of(at, next - at);
        if (use == WT_RACE_ATOMIC)
            return false;
        struct wt_host_page *grown =
            use == WT_RACE_PARTS || s->side == ORDER_REGISTERED
                ? NULL
                : wt_array_grow(pages, &page_room, page_count + 1, sizeof *grown);
        if (!grown)
            continue;
        pages = grown;
        grown[page_count++] = (struct wt_host_page){at / PAGE * PAGE, use == WT_RACE_LOADED};
    }
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct wt_host_page *first = a, *second = b;
    return first->addr < second->addr ? -1 : first->addr > second->addr;
}

/* A debugger accesses the program's memory at any time, which is no access of the program's. */
static void protect(void)
{
    bool watches = !wt_order_is_calm(&order) && !getenv(WT_LISTEN_VARIABLE);
    page_count = 0;
    for (size_t i = 0; i < shared_count && watches; i++)
        watches = add_pages(&shared[i]);
    page_count = watches ? page_count : 0;
    if (page_count)
        qsort(pages, page_count, sizeof *pages, by_address);
    wt_host_pages_protect(pages, page_count);
    changed = false;
}

static void enter(void)
{
    struct wt_host_access access;
    struct gpu *g;
    wt_host_pages_release();
    while (wt_host_pages_next(&access))
        for (CUdevice i = 0; (g = state_gpu(i)); i++)
            wt_check_race_host(race_of(g), access.addr, access.store, &access.calls);
}

static void leave(void)
{
    under_way = false;
    if (changed)
        protect();
    else if (page_count)
        wt_host_pages_protect_again();
}

/* ---- what is given ---- */

void order_begin(struct gpu *g, CUstream stream, const char *by)
{
    if (!is_wanted() || !race_of(g))
        return;
    struct wt_order_stream *s = order_of(stream);
    wt_order_give(&order, s, checks_entry(by));
    if (s != &usual && is_blocking(stream))
        wt_order_wait(&order, &blocking, &s->point);
    newest = g;
    changed = under_way = true;
    state_set_hooks(enter, leave);
}

static void access_range(uint64_t address, uint64_t bytes, enum wt_access access)
{
    struct gpu *owner = state_owner(address, NULL);
    struct wt_object object;
    if (under_way && (owner || wt_object_find(NULL, address, &object, NULL, NULL)))
        wt_check_race_copied(race_of(owner ? owner : newest), address, bytes, access);
}

void order_copied(uint64_t to, uint64_t from, uint64_t bytes)
{
    access_range(from, bytes, WT_ACCESS_LOAD);
    access_range(to, bytes, WT_ACCESS_STORE);
}

static void forget_shared(uint64_t address, uint64_t bytes)
{
    for (size_t i = 0; i < shared_count; i++)
        if (shared[i].begin < address + bytes && address < shared[i].begin + shared[i].size)
            shared[i--] = shared[--shared_count];
}

void order_made(uint64_t address, uint64_t bytes, enum order_side side)
{
    struct gpu *g;
    for (CUdevice i = 0; order.now && (g = state_gpu(i)); i++)
        wt_check_race_renewed(race_of(g), address, bytes);
    forget_shared(address, bytes);
    struct shared *grown =
        side != ORDER_DEVICE && is_wanted()
            ? wt_array_grow(shared, &shared_room, shared_count + 1, sizeof *grown)
            : NULL;
    if (!grown)
        return;
    shared = grown;
    grown[shared_count++] = (struct shared){address, bytes, side};
}

void order_gone(uint64_t address)
{
    order_waits_for_all();
    forget_shared(address, 1);
}

void order_memory(uint64_t address, uint64_t bytes, bool made)
{
    if (made)
        order_made(address, bytes, ORDER_DEVICE);
    else
        forget_shared(address, bytes);
    access_range(address, bytes, WT_ACCESS_STORE);
}

void order_waits_for(struct wt_order_point *point)
{
    changed |= order.now;
    wt_order_host_waits(&order, point);
}

void order_waits(CUstream stream)
{
    if (order.now)
        order_waits_for(&order_of(stream)->point);
}

void order_waits_for_all(void)
{
    if (order.now)
        order_waits_for(&order.given);
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
    if (order.now)
        wt_order_wait(&order, point, &order_of(stream)->point);
}

void order_after(CUstream stream, struct wt_order_point *point)
{
    if (!order.now)
        return;
    struct wt_order_stream *s = order_of(stream);
    wt_order_wait(&order, &s->point, point);
    if (s != &usual && is_blocking(stream))
        wt_order_wait(&order, &blocking, &s->point);
}

void order_after_all(CUstream stream)
{
    order_after(stream, &order.given);
}
