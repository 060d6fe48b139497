/* See clocks.h. */
#include "check/clocks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void wt_clocks_drop(struct wt_clocks *c)
{
    assert(!c || c->refs);
    if (c && !--c->refs)
        free(c);
}

static struct wt_clocks *new_clocks(uint32_t room)
{
    struct wt_clocks *c = malloc(sizeof *c + room * sizeof *c->list);
    if (c)
        *c = (struct wt_clocks){.refs = 1};
    return c;
}

/* Whether all of @p b is in @p a. */
static bool covers(const struct wt_clocks *a, const struct wt_clocks *b)
{
    uint32_t i = 0;
    for (uint32_t k = 0; k < b->count; k++, i++) {
        while (i < a->count && a->list[i].wave < b->list[k].wave)
            i++;
        if (i == a->count || a->list[i].wave != b->list[k].wave ||
            a->list[i].clock < b->list[k].clock)
            return false;
    }
    return true;
}

static void replace(struct wt_clocks **c, struct wt_clocks *by)
{
    wt_clocks_drop(*c);
    *c = by;
}

struct wt_clocks *wt_clocks_copy(const struct wt_clocks *c)
{
    struct wt_clocks *copy = c ? new_clocks(c->count) : NULL;
    if (!copy)
        return NULL;
    copy->count = c->count;
    memcpy(copy->list, c->list, c->count * sizeof *c->list);
    return copy;
}

static int by_wave(const void *a, const void *b)
{
    const struct wt_clock *x = a, *y = b;
    return (x->wave > y->wave) - (x->wave < y->wave);
}

struct wt_clocks *wt_clocks_make(struct wt_clock *list, size_t count)
{
    struct wt_clocks *c = new_clocks((uint32_t)count);
    if (!c)
        return NULL;
    qsort(list, count, sizeof *list, by_wave);
    for (size_t i = 0; i < count; i++) {
        struct wt_clock *last = c->count ? &c->list[c->count - 1] : NULL;
        if (!last || last->wave != list[i].wave)
            c->list[c->count++] = list[i];
        else if (last->clock < list[i].clock)
            last->clock = list[i].clock;
    }
    return c;
}

bool wt_clocks_join(struct wt_clocks **c, struct wt_clocks *b)
{
    const struct wt_clocks *a = *c;
    if (!b || a == b || (a && covers(a, b)))
        return true;
    if (!a || covers(b, a)) {
        replace(c, wt_clocks_hold(b));
        return true;
    }
    struct wt_clocks *all = new_clocks(a->count + b->count);
    if (!all)
        return false;
    for (uint32_t i = 0, k = 0; i < a->count || k < b->count;) {
        const bool from_a = k == b->count || (i < a->count && a->list[i].wave <= b->list[k].wave);
        const bool from_b = i == a->count || (k < b->count && b->list[k].wave <= a->list[i].wave);
        struct wt_clock one = from_a ? a->list[i] : b->list[k];
        if (from_a && from_b && b->list[k].clock > one.clock)
            one.clock = b->list[k].clock;
        all->list[all->count++] = one;
        i += from_a;
        k += from_b;
    }
    replace(c, all);
    return true;
}

bool wt_clocks_add(struct wt_clocks **c, uint32_t wave, uint32_t clock)
{
    struct wt_clocks *a = *c;
    uint32_t at = 0;
    while (a && at < a->count && a->list[at].wave < wave)
        at++;
    const bool there = a && at < a->count && a->list[at].wave == wave;
    if (there && a->list[at].clock >= clock)
        return true;
    if (there && a->refs == 1) { /* nobody else sees it change */
        a->list[at].clock = clock;
        return true;
    }
    const uint32_t count = a ? a->count : 0;
    struct wt_clocks *all = new_clocks(count + 1);
    if (!all)
        return false;
    if (at)
        memcpy(all->list, a->list, at * sizeof *a->list);
    all->list[at] = (struct wt_clock){wave, clock};
    if (count > at + there)
        memcpy(&all->list[at + 1], &a->list[at + there], (count - at - there) * sizeof *a->list);
    all->count = count + !there;
    replace(c, all);
    return true;
}
