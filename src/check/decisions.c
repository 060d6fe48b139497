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
    size_t low = 0, high = all->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (all->list[middle].time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void wt_decisions_drop(struct wt_decisions *all, uint64_t time,
                       void (*dropped)(void *context, const struct wt_decision *one), void *context)
{
    if (all->count && all->list[all->count - 1].time >= time)
        all->stale = all->count;
    while (all->count && all->list[all->count - 1].time >= time)
        dropped(context, &all->list[--all->count]);
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

void wt_decisions_free(struct wt_decisions *all)
{
    free(all->list);
    *all = (struct wt_decisions){.count = 0};
}
