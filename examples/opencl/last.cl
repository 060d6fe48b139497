/* Each work-group puts its part into memory; the one that is done last adds the parts up. Which one that is depends on the schedule;
 * the sum should not. With -DFIXED it does not. For clang without its library; docs/explore.md uses it. */
typedef unsigned int uint;

__kernel void sum(__global volatile uint *part, __global volatile atomic_uint *done, __global uint *total)
{
    const uint group = __builtin_amdgcn_workgroup_id_x(), groups = 3;
#ifdef FIXED
    part[group] = group + 1;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
#endif
    const uint before = __opencl_atomic_fetch_add(done, 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE);
#ifndef FIXED
    part[group] = group + 1;
#endif
    if (before == groups - 1) {
#ifdef FIXED
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
#endif
        *total = part[0] + part[1] + part[2];
    }
}
