/* Sub-groups of WIDTH work-items: each kernel needs the hardware's channels side by side. */
#define KERNEL __attribute__((intel_reqd_sub_group_size(WIDTH))) kernel void

KERNEL reductions(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    out[4 * i + 0] = sub_group_reduce_add(x);
    out[4 * i + 1] = sub_group_reduce_max(x);
    out[4 * i + 2] = sub_group_scan_exclusive_add(x);
    out[4 * i + 3] = sub_group_scan_inclusive_min(x);
}

KERNEL shuffles_of_groups(global const int *in, global int *out)
{
    uint i = get_global_id(0), l = get_sub_group_local_id();
    int x = in[i];
    out[4 * i + 0] = intel_sub_group_shuffle(x, WIDTH - 1 - l);
    out[4 * i + 1] = intel_sub_group_shuffle_xor(x, 5);
    out[4 * i + 2] = sub_group_broadcast(x, 3);
    out[4 * i + 3] = (int)(get_sub_group_id() << 8 | l | get_sub_group_size() << 16);
}

KERNEL votes(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    out[3 * i + 0] = sub_group_any(x % 11 == 0);
    out[3 * i + 1] = sub_group_all(x % 11 != 0);
    if (x & 1)
        out[3 * i + 2] = sub_group_any(x % 7 == 0);
    else
        out[3 * i + 2] = 5;
}

#if WIDTH < 32 /* of 32 the compiler has no blocks of two */
KERNEL blocks(global const uint *in, global uint *out)
{
    size_t first = get_group_id(0) * get_local_size(0) + get_sub_group_id() * WIDTH;
    uint2 x = intel_sub_group_block_read2(in + 2 * first);
    intel_sub_group_block_write2(out + 2 * first, x * 3u + (uint2)(get_sub_group_local_id(), 7));
}
#endif
