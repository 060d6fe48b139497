/* A set of lanes of one wave: bit n stands for lane n. At most 128 lanes. */
#ifndef WT_BASE_LANES_H
#define WT_BASE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"

#define WT_MAX_LANES 128

__extension__ typedef unsigned __int128 wt_lanes;

/** The set of lanes 0..count-1; count is 0..128. */
static inline wt_lanes wt_lanes_first(unsigned count)
{
    return count >= 128 ? ~(wt_lanes)0 : (((wt_lanes)1) << count) - 1;
}

/** The set that holds lane @p lane (0..127) alone. */
static inline wt_lanes wt_lane_bit(unsigned lane)
{
    return (wt_lanes)1 << lane;
}

/** Whether lane @p lane (0..127) is in the set. */
static inline bool wt_has_lane(wt_lanes set, unsigned lane)
{
    return (set >> lane) & 1;
}

/** How many lanes are in the set: 0..128. */
static inline unsigned wt_lanes_count(wt_lanes set)
{
    if (!(set & (set - 1)))
        return set != 0; /* one lane is common */
    return (unsigned)(wt_count_ones((uint64_t)set) + wt_count_ones((uint64_t)(set >> 64)));
}

/** The lowest lane of a set that is not empty. */
static inline unsigned wt_lanes_lowest(wt_lanes set)
{
    return (uint64_t)set ? (unsigned)__builtin_ctzll((uint64_t)set)
                         : 64 + (unsigned)__builtin_ctzll((uint64_t)(set >> 64));
}

/** The highest lane of a set that is not empty. */
static inline unsigned wt_lanes_highest(wt_lanes set)
{
    return (uint64_t)(set >> 64) ? 127 - (unsigned)__builtin_clzll((uint64_t)(set >> 64))
                                 : 63 - (unsigned)__builtin_clzll((uint64_t)set);
}

/** Copies the values of the lanes of a set, @p size bytes each, out of those of all lanes in @p all
 * to
 * @p out, one behind the other. Returns where they end. */
static inline uint8_t *wt_lanes_gather(wt_lanes set, const uint8_t *all, size_t size, uint8_t *out)
{
    for (; set; set &= set - 1, out += size)
        memcpy(out, all + size * wt_lanes_lowest(set), size);
    return out;
}

#endif
