/* The place of a lane in its work-group. */
#ifndef WT_BASE_WORK_ITEM_H
#define WT_BASE_WORK_ITEM_H

#include <stdint.h>

/**
 * The coordinate, in dimension @p axis, of work-item number @p n of a group in it: the group's own
 * coordinates, its size, and that of the launch, in work-items; the last group of a dimension may
 * have fewer. 0 where a size is.
 */
static inline uint64_t wt_work_item(const uint32_t group[3], const uint32_t block[3],
                                    const uint32_t grid[3], uint64_t n, unsigned axis)
{
    for (unsigned i = 0; i <= axis; i++) {
        const uint64_t first = (uint64_t)group[i] * block[i];
        uint64_t size = block[i];
        if (first < grid[i] && grid[i] - first < size)
            size = grid[i] - first;
        if (size == 0)
            return 0;
        if (i == axis)
            return i == 2 ? n : n % size;
        n /= size;
    }
    return 0;
}

#endif
