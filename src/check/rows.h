/* Lanes of an access: one by one; and those that are neighbours, whose places lie one behind the
 * other. */
#ifndef WT_CHECK_ROWS_H
#define WT_CHECK_ROWS_H

#include "emulator/machine/observe.h"

/** For each of @p lanes, the lowest first; nothing breaks out of it. It has 64 bits at a time,
 * which CPUs take in fewer instructions than wt_lanes. */
#define WT_EACH_LANE(lane, lanes)                                                                  \
    for (unsigned half_ = 0; half_ < WT_MAX_LANES; half_ += 64)                                    \
        for (uint64_t left_ = (uint64_t)((lanes) >> half_), lane;                                  \
             left_ && (lane = half_ + (unsigned)__builtin_ctzll(left_), true); left_ &= left_ - 1)

/** Whether lanes are neighbours: then there are *count of them from lane *first on. */
static inline bool wt_are_neighbours(wt_lanes lanes, unsigned *first, unsigned *count)
{
    *first = wt_lanes_lowest(lanes);
    const wt_lanes row = lanes >> *first, behind = row + 1;
    *count = behind ? wt_lanes_lowest(behind) : WT_MAX_LANES;
    return !(row & behind);
}

/** Of some lanes' addresses the lowest, the highest, the bits that any has. */
struct wt_extent {
    uint64_t low, high, any;
};

/** The extent of the addresses of @p lanes, 1 or more. */
struct wt_extent wt_extent_of(wt_lanes lanes, const uint64_t *at);

/** Whether, furthermore, each lane's address lies @p step bytes behind the one before. */
static inline bool wt_is_row(const struct wt_observed *a, uint64_t step, unsigned *first,
                             unsigned *count)
{
    if (a->is_row && step == a->size) {
        *first = wt_lanes_lowest(a->lanes);
        *count = wt_lanes_highest(a->lanes) + 1 - *first;
        return true;
    }
    if (!wt_are_neighbours(a->lanes, first, count))
        return false;
    const uint64_t *at = &a->at[*first];
    uint64_t differ = 0;
    if (at[*count - 1] != at[0] + (*count - 1) * step)
        return false;
    for (unsigned i = 0; i < *count; i++)
        differ |= at[i] ^ (at[0] + i * step);
    return !differ;
}

#endif
