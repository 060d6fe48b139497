/*
 * Vector clocks of the check of races: up to which clock of each wave its accesses are ordered
 * before what somebody does next. Sets are shared and are not changed.
 */
#ifndef WT_CHECK_CLOCKS_H
#define WT_CHECK_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

struct wt_clock {
    uint32_t wave, clock;
};

/** NULL: the empty set. */
struct wt_clocks {
    uint32_t refs, count;
    struct wt_clock list[]; /**< by wave */
};

/** One more reference. Returns @p c. */
static inline struct wt_clocks *wt_clocks_hold(struct wt_clocks *c)
{
    if (c)
        c->refs++;
    return c;
}

/** One reference less. */
void wt_clocks_drop(struct wt_clocks *c);

/** The same set, which shares nothing; NULL of NULL, and without host memory. */
struct wt_clocks *wt_clocks_copy(const struct wt_clocks *c);

/** The clock of a wave; 0: none of its accesses is ordered. */
static inline uint32_t wt_clocks_of(const struct wt_clocks *c, uint32_t wave)
{
    WT_BISECT(low, c ? c->count : 0, c->list[middle].wave < wave);
    return c && low < c->count && c->list[low].wave == wave ? c->list[low].clock : 0;
}

/** The set of @p count clocks in any order, of which several may be of one wave; @p list becomes
 * another order of them. NULL without host memory. */
struct wt_clocks *wt_clocks_make(struct wt_clock *list, size_t count);
/** *@p c becomes the union of it and of @p other. False without host memory: it stays. */
bool wt_clocks_join(struct wt_clocks **c, struct wt_clocks *other);
/** *@p c has at least @p clock of a wave from now on. False without host memory: it stays. */
bool wt_clocks_add(struct wt_clocks **c, uint32_t wave, uint32_t clock);

#endif
