/* See rows.h. */
#include "check/rows.h"

#ifdef CHECK_CLONES
#define CLONED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONED
#endif

/* Widens an extent by @p count addresses. */
static CLONED void add_all(const uint64_t *at, unsigned count, struct wt_extent *e)
{
    uint64_t low = e->low, high = e->high, any = e->any;
    for (unsigned i = 0; i < count; i++) {
        low = at[i] < low ? at[i] : low;
        high = at[i] > high ? at[i] : high;
        any |= at[i];
    }
    *e = (struct wt_extent){low, high, any};
}

struct wt_extent wt_extent_of(wt_lanes lanes, const uint64_t *at)
{
    struct wt_extent e = {UINT64_MAX, 0, 0};
    unsigned first, count;
    if (wt_are_neighbours(lanes, &first, &count)) {
        add_all(at + first, count, &e);
        return e;
    }
    WT_EACH_LANE(lane, lanes)
    {
        const uint64_t one = at[lane];
        e.low = one < e.low ? one : e.low;
        e.high = one > e.high ? one : e.high;
        e.any |= one;
    }
    return e;
}
