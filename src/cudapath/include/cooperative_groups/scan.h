/* Prefix sums and the like over the threads of a tile or coalesced group. See
 * cooperative_groups.h. */
#ifndef WAVETRAP_COOPERATIVE_GROUPS_SCAN_H
#define WAVETRAP_COOPERATIVE_GROUPS_SCAN_H

#include <cooperative_groups/reduce.h>

#if defined __cplusplus && defined __CUDA__

namespace cooperative_groups
{
/* The values of the members up to the own one in one. */
template <class GROUP, class T, class OPERATION>
WAVETRAP_CG T inclusive_scan(const GROUP &group, T value, OPERATION operation)
{
    const unsigned rank = (unsigned)group.thread_rank(), count = group.num_threads();
    for (unsigned step = 1; step < count; step *= 2) {
        const T other = group.shfl_up(value, step);
        if (rank >= step)
            value = operation(other, value);
    }
    return value;
}
template <class GROUP, class T> WAVETRAP_CG T inclusive_scan(const GROUP &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}

/* Without the own one; the first member gets a T(). */
template <class GROUP, class T, class OPERATION>
WAVETRAP_CG T exclusive_scan(const GROUP &group, T value, OPERATION operation)
{
    const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <class GROUP, class T> WAVETRAP_CG T exclusive_scan(const GROUP &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}
} // namespace cooperative_groups

#endif

#endif
