/* Copies by all threads of a group. See cooperative_groups.h. A copy is done where it is asked for;
 * wait() makes it visible to the group. */
#ifndef WAVETRAP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define WAVETRAP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include <cooperative_groups.h>

#if defined __cplusplus && defined __CUDA__

namespace cooperative_groups
{
template <class GROUP, class T>
WAVETRAP_CG void memcpy_async(const GROUP &group, T *to, const T *from, unsigned long long bytes)
{
    char *target = (char *)to;
    const char *source = (const char *)from;
    for (unsigned long long i = group.thread_rank(); i < bytes; i += group.size())
        target[i] = source[i];
}
template <class GROUP> WAVETRAP_CG void wait(const GROUP &group)
{
    group.sync();
}
} // namespace cooperative_groups

#endif

#endif
