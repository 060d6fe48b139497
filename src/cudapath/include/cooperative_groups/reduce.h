/* Reductions over the threads of a tile or coalesced group. See cooperative_groups.h. */
#ifndef WAVETRAP_COOPERATIVE_GROUPS_REDUCE_H
#define WAVETRAP_COOPERATIVE_GROUPS_REDUCE_H

#include <cooperative_groups.h>

#if defined __cplusplus && defined __CUDA__

namespace cooperative_groups
{
#define WAVETRAP_CG_OPERATION(name, expression)                                                    \
    template <class T = void> struct name {                                                        \
        WAVETRAP_CG_MEMBER T operator()(T a, T b) const                                            \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
WAVETRAP_CG_OPERATION(plus, a + b)
WAVETRAP_CG_OPERATION(less, b < a ? b : a)
WAVETRAP_CG_OPERATION(greater, a < b ? b : a)
WAVETRAP_CG_OPERATION(bit_and, a &b)
WAVETRAP_CG_OPERATION(bit_or, a | b)
WAVETRAP_CG_OPERATION(bit_xor, a ^ b)
#undef WAVETRAP_CG_OPERATION

/* The values of all members in one; each gets it. The values are taken in pairs of neighbours, so
 * that an operation need not be commutative. */
template <class GROUP, class T, class OPERATION>
WAVETRAP_CG T reduce(const GROUP &group, T value, OPERATION operation)
{
    const unsigned rank = (unsigned)group.thread_rank(), count = group.num_threads();
    for (unsigned step = 1; step < count; step *= 2) {
        const T other = group.shfl_down(value, step);
        if (rank + step < count)
            value = operation(value, other);
    }
    return group.shfl(value, 0);
}
} // namespace cooperative_groups

#endif

#endif
