/* See streams.h. */
#include "runtime/common/streams.h"

#include <stdlib.h>

#include "base/array.h"
#include "runtime/common/host_edges.h"
#include "runtime/common/host_pages.h"

enum { PAGE = 4096 };

static struct wt_order order = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct wt_order_stream usual;   /* the default stream */
static struct wt_order_point blocking; /* all that streams were given which wait for `usual`, and
                                          for which it waits */
static wt_streams_race_fn *races;
static bool changed; /* since the host's pages were protected */
static struct shared {
    uint64_t begin, size;
    uint64_t of_gpus; /* where GPUs have its beginning */
    enum wt_stream_side side;
} * shared; /* memory of GPUs and of the host */
static size_t shared_count, shared_room;
static struct wt_host_page *pages;
static size_t page_count, page_room;

void wt_streams_follow(wt_streams_race_fn *race)
{
    if (!races)
        wt_host_edges_follow(&order);
    races = race;
}

struct wt_order *wt_streams_order(void)
{
    return &order;
}

/* Of the GPU of that number, if there is one; *race may be NULL. */
static bool race_of(unsigned number, struct wt_check_race **race)
{
    *race = NULL;
    if (!races || !races(number, race))
        return false;
    if (*race)
        wt_check_race_set_order(*race, &order);
    return true;
}

/* ---- streams ---- */

/* A stream, with what it waits for by itself. */
static struct wt_order_stream *order_of(struct wt_stream s)
{
    if (!s.own)
        wt_order_wait(&order, &usual.point, &blocking);
    else if (s.blocking)
        wt_order_wait(&order, &s.own->point, &usual.point);
    return s.own ? s.own : &usual;
}

static void note_blocking(struct wt_stream s)
{
    if (s.own && s.blocking)
        wt_order_wait(&order, &blocking, &s.own->point);
}

void wt_stream_give(struct wt_stream s, const char *by)
{
    wt_order_give(&order, order_of(s), by);
    note_blocking(s);
    changed = true;
}

void wt_stream_record(struct wt_stream s, struct wt_order_point *point)
{
    wt_order_drop(point);
    if (order.now)
        wt_order_wait(&order, point, &order_of(s)->point);
}

void wt_stream_after(struct wt_stream s, struct wt_order_point *point)
{
    if (!order.now)
        return;
    wt_order_wait(&order, &order_of(s)->point, point);
    note_blocking(s);
}

void wt_stream_after_all(struct wt_stream s)
{
    wt_stream_after(s, &order.given);
}

void wt_streams_host_waits_for(struct wt_order_point *point)
{
    changed |= order.now;
    wt_order_host_waits(&order, point);
}

void wt_stream_host_waits(struct wt_stream s)
{
    if (order.now)
        wt_streams_host_waits_for(&order_of(s)->point);
}

void wt_streams_host_waits_for_all(void)
{
    if (order.now)
        wt_streams_host_waits_for(&order.given);
}

/* ---- memory ---- */

void wt_streams_forget(uint64_t address, uint64_t bytes)
{
    for (size_t i = 0; i < shared_count; i++)
        if (shared[i].begin < address + bytes && address < shared[i].begin + shared[i].size) {
            shared[i--] = shared[--shared_count];
            changed = true; /* its pages may become something else's */
        }
}

void wt_streams_share(uint64_t address, uint64_t bytes, enum wt_stream_side side)
{
    struct shared *grown;
    for (size_t i = 0; i < shared_count; i++)
        if (shared[i].begin < address + bytes && address < shared[i].begin + shared[i].size)
            return;
    if (!bytes || !(grown = wt_array_grow(shared, &shared_room, shared_count + 1, sizeof *grown)))
        return;
    shared = grown;
    grown[shared_count++] = (struct shared){address, bytes, address, side};
    changed = true;
}

void wt_streams_alias(uint64_t address, uint64_t of_gpus)
{
    struct wt_check_race *r;
    for (size_t i = 0; i < shared_count; i++)
        if (shared[i].begin == address) {
            shared[i].of_gpus = of_gpus;
            for (unsigned k = 0; order.now && race_of(k, &r); k++)
                wt_check_race_renewed(r, of_gpus, shared[i].size);
        }
}

uint64_t wt_streams_of_gpus(uint64_t address)
{
    for (size_t i = 0; i < shared_count; i++)
        if (address - shared[i].begin < shared[i].size)
            return shared[i].of_gpus + (address - shared[i].begin);
    return address;
}

void wt_streams_made(uint64_t address, uint64_t bytes, enum wt_stream_side side)
{
    struct wt_check_race *r;
    for (unsigned i = 0; order.now && race_of(i, &r); i++)
        wt_check_race_renewed(r, address, bytes);
    wt_streams_forget(address, bytes);
    if (side != WT_OF_DEVICE)
        wt_streams_share(address, bytes, side);
}

void wt_streams_accessed(uint64_t address, uint64_t bytes, enum wt_access access)
{
    struct wt_check_race *r;
    for (unsigned i = 0; race_of(i, &r); i++)
        wt_check_race_copied(r, address, bytes, access);
}

/* ---- the host's own accesses ---- */

/* How all GPUs together use a range within a page. */
static enum wt_race_use use_of(uint64_t address, uint64_t bytes)
{
    enum wt_race_use all = WT_RACE_PARTS;
    struct wt_check_race *r;
    for (unsigned i = 0; race_of(i, &r); i++) {
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
        const enum wt_race_use use = use_of(s->of_gpus + (at - begin), next - at);
        if (use == WT_RACE_ATOMIC)
            return false;
        struct wt_host_page *grown =
            use == WT_RACE_PARTS || (s->side == WT_OF_REGISTERED && next - at < PAGE)
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

static void protect(bool watches)
{
    watches &= !wt_order_is_calm(&order);
    page_count = 0;
    for (size_t i = 0; i < shared_count && watches; i++)
        watches = add_pages(&shared[i]);
    page_count = watches ? page_count : 0;
    if (page_count)
        qsort(pages, page_count, sizeof *pages, by_address);
    wt_host_pages_protect(pages, page_count);
    changed = false;
}

void wt_streams_changed(void)
{
    changed = true;
}

bool wt_streams_will_watch(void)
{
    return changed && shared_count && (!wt_order_is_calm(&order) || order.waiting);
}

bool wt_streams_watch(void)
{
    return page_count;
}

void wt_streams_enter(void)
{
    struct wt_host_access access;
    struct wt_check_race *r;
    wt_host_pages_release();
    while (wt_host_pages_next(&access))
        for (unsigned i = 0; race_of(i, &r); i++)
            wt_check_race_host(r, wt_streams_of_gpus(access.addr), &access);
}

void wt_streams_leave(bool watches)
{
    if (changed)
        protect(watches);
    else if (page_count)
        wt_host_pages_protect_again();
}
