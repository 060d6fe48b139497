/* See decisions.h. */
#include "check/decisions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { MOST = 1 << 20 }; /* then the older half is forgotten */

void wt_decisions_add(struct wt_decisions *all, const struct wt_decision *one)
{
    assert(!all->count || all->list[all->count - 1].time <= one->time);
    if (all->count == MOST) {
        memmove(all->list, all->list + MOST / 2, MOST / 2 * sizeof *all->list);
        all->count = all->stale = MOST / 2;
    }
    struct wt_decision *grown =
        wt_array_grow(all->list, &all->capacity, all->count + 1, sizeof *grown);
    if (!grown)
        return;
    all->list = grown;
    grown[all->count++] = *one;
    if (all->stale < all->count)
        all->stale = all->count;
}

size_t wt_decisions_at(const struct wt_decisions *all, uint64_t time)
{
    WT_BISECT(low, all->count, all->list[middle].time < time);
    return low;
}

void wt_decisions_drop(struct wt_decisions *all, uint64_t time,
                       void (*dropped)(void *context, const struct wt_decision *one), void *context)
{
    while (all->count && all->list[all->count - 1].time >= time) {
        all->count--;
        if (dropped)
            dropped(context, &all->list[all->count]);
    }
}

bool wt_decisions_has(const struct wt_decisions *all, const struct wt_decision *one)
{
    for (size_t i = wt_decisions_at(all, one->time);
         i < all->stale && all->list[i].time <= one->time; i++)
        if (all->list[i].time == one->time && all->list[i].key == one->key &&
            all->list[i].kind == one->kind && all->list[i].address == one->address)
            return true;
    return false;
}

static void archive_one(struct wt_archive *a, struct wt_decision *one)
{
    uint64_t low = (uint64_t)one->lanes, high = (uint64_t)(one->lanes >> 64);
    wt_archive_u64(a, &one->time, UINT64_MAX, "an issue time");
    wt_archive_u64(a, &one->key, UINT64_MAX, "a question");
    wt_archive_u64(a, &low, UINT64_MAX, "lanes");
    wt_archive_u64(a, &high, UINT64_MAX, "lanes");
    wt_archive_u64(a, &one->address, UINT64_MAX, "an address");
    wt_archive_u64(a, &one->size, UINT64_MAX, "a size");
    wt_archive_u32(a, &one->kind, WT_DECISION_MORE, "a kind of mistake");
    one->lanes = (wt_lanes)high << 64 | low;
}

void wt_decisions_archive(struct wt_decisions *all, struct wt_archive *a)
{
    uint64_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += all->list[i].lanes != 0;
    wt_archive_u64(a, &count, MOST, "a number of refusals");
    if (!wt_archive_reads(a)) {
        for (size_t i = 0; i < all->count; i++)
            if (all->list[i].lanes)
                archive_one(a, &all->list[i]);
        return;
    }
    for (uint64_t i = 0, last = 0; i < count && !a->failed; i++) {
        struct wt_decision one = {.time = 0};
        archive_one(a, &one);
        if (one.time < last || !one.lanes || (one.kind >= 64 && one.kind != WT_DECISION_MORE))
            wt_archive_fail(a, "a refusal that makes no sense");
        if (!a->failed)
            wt_decisions_add(all, &one);
        last = one.time;
    }
}

void wt_decisions_free(struct wt_decisions *all)
{
    free(all->list);
    *all = (struct wt_decisions){.count = 0};
}
