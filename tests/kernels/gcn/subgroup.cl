/* What lanes and work-groups do together. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void subgroup_reduce(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    out[8 * i + 0] = sub_group_reduce_add(x);
    out[8 * i + 1] = sub_group_reduce_min(x);
    out[8 * i + 2] = sub_group_reduce_max(x);
    out[8 * i + 3] = (int)sub_group_reduce_min((uint)x);
    out[8 * i + 4] = (int)sub_group_reduce_max((uint)x);
    out[8 * i + 5] = (int)sub_group_reduce_add((float)(x & 1023));
    out[8 * i + 6] = (int)sub_group_broadcast(x, 5);
    out[8 * i + 7] = (int)(get_sub_group_local_id() + 64 * get_sub_group_id() +
                           1024 * get_sub_group_size() + 65536 * get_num_sub_groups());
}

kernel void subgroup_scan(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    out[4 * i + 0] = sub_group_scan_inclusive_add(x);
    out[4 * i + 1] = sub_group_scan_exclusive_add(x);
    out[4 * i + 2] = sub_group_scan_inclusive_max(x);
    out[4 * i + 3] = sub_group_scan_inclusive_min(x);
}

kernel void subgroup_wide(global const long *in, global long *out)
{
    uint i = get_global_id(0);
    long x = in[i];
    out[6 * i + 0] = sub_group_reduce_add(x);
    out[6 * i + 1] = sub_group_scan_inclusive_add(x);
    out[6 * i + 2] = sub_group_scan_exclusive_add(x);
    out[6 * i + 3] = sub_group_reduce_max(x);
    out[6 * i + 4] = sub_group_broadcast(x, 11);
    out[6 * i + 5] = (long)sub_group_reduce_add((double)(int)(x & 0xffffff));
}

kernel void subgroup_vote(global const int *in, global int *out)
{
    uint i = get_global_id(0), r = 0;
    for (int k = 0; k < 16; k++) {
        int x = in[(i + 64 * k) & 1023];
        r = r * 4 + (sub_group_any((x & 63) == 5) ? 1 : 0) + (sub_group_all((x & 63) < 61) ? 2 : 0);
    }
    out[i] = (int)r;
}

kernel void group_functions(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    out[8 * i + 0] = work_group_reduce_add(x);
    out[8 * i + 1] = work_group_reduce_min(x);
    out[8 * i + 2] = work_group_reduce_max(x);
    out[8 * i + 3] = work_group_scan_inclusive_add(x);
    out[8 * i + 4] = work_group_scan_exclusive_add(x);
    out[8 * i + 5] = work_group_scan_inclusive_max(x);
    out[8 * i + 6] = work_group_broadcast(x, 70);
    out[8 * i + 7] = work_group_any(x == 7) + 2 * work_group_all(x != 7);
}
