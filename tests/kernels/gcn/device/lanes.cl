/* What lanes of a wave do together. */
kernel void ballots(global const uint *in, global ulong *out)
{
    uint i = get_global_id(0), x = in[i];
    out[4 * i + 0] = __builtin_amdgcn_uicmp(x & 3, 0u, 32);
    out[4 * i + 1] = (uint)__builtin_amdgcn_readfirstlane(x);
    out[4 * i + 2] = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
    out[4 * i + 3] = (uint)__builtin_amdgcn_readlane(x, 17);
}

kernel void moves(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), x = in[i];
    out[8 * i + 0] = (uint)__builtin_amdgcn_ds_bpermute((int)(x << 2), (int)x);
    out[8 * i + 1] = (uint)__builtin_amdgcn_ds_swizzle((int)x, 0x041f);
    out[8 * i + 2] = (uint)__builtin_amdgcn_update_dpp(0, (int)x, 0x111, 0xf, 0xf, false);
    out[8 * i + 3] = (uint)__builtin_amdgcn_update_dpp(77, (int)x, 0x141, 0xa, 0xf, true);
    out[8 * i + 4] = (uint)__builtin_amdgcn_mov_dpp((int)x, 0x1b, 0xf, 0xf, true);
    out[8 * i + 5] = (uint)__builtin_amdgcn_ds_permute((int)((i * 5 & 63) << 2), (int)x);
    out[8 * i + 6] = __builtin_amdgcn_alignbit(x, ~x, 7);
    out[8 * i + 7] = __builtin_amdgcn_perm(x, ~x, 0x07020c0d);
}

kernel void groups(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), x = in[i];
    out[4 * i + 0] = sub_group_reduce_add(x);
    out[4 * i + 1] = sub_group_scan_inclusive_max(x);
    out[4 * i + 2] = sub_group_broadcast(x, 5);
    out[4 * i + 3] = work_group_reduce_add(x & 0xffff);
}

kernel void math(global const float *in, global float *out)
{
    uint i = get_global_id(0);
    float x = in[i];
    out[8 * i + 0] = exp(x);
    out[8 * i + 1] = log(fabs(x) + 0.001f);
    out[8 * i + 2] = sin(x);
    out[8 * i + 3] = cos(x * 100.0f);
    out[8 * i + 4] = pow(fabs(x), 1.7f);
    out[8 * i + 5] = sqrt(fabs(x));
    out[8 * i + 6] = atan2(x, 2.0f);
    out[8 * i + 7] = tanh(x);
}

kernel void math64(global const double *in, global double *out)
{
    uint i = get_global_id(0);
    double x = in[i];
    out[8 * i + 0] = exp(x);
    out[8 * i + 1] = log(fabs(x) + 0.001);
    out[8 * i + 2] = sin(x);
    out[8 * i + 3] = cos(x * 1e9);
    out[8 * i + 4] = pow(fabs(x), 1.7);
    out[8 * i + 5] = sqrt(fabs(x));
    out[8 * i + 6] = atan2(x, 2.0);
    out[8 * i + 7] = tanh(x);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global const half2 *a, global const half2 *b, global half2 *out)
{
    uint i = get_global_id(0);
    out[4 * i + 0] = a[i] + b[i];
    out[4 * i + 1] = a[i] * b[i];
    out[4 * i + 2] = fma(a[i], b[i], a[i]);
    out[4 * i + 3] = (half2)(a[i].x - b[i].y, a[i].y < b[i].x ? (half)1 : (half)2);
}

kernel void trap(global uint *out)
{
    if (out[get_global_id(0)] == 7)
        __builtin_trap();
    out[get_global_id(0)] = 1;
}

kernel void deadlock(global uint *out)
{
    if (get_local_id(0) >= 64)
        barrier(CLK_GLOBAL_MEM_FENCE);
    else
        while (((volatile global uint *)out)[0] == 0)
            ;
}

kernel void forever(global uint *out)
{
    while (((volatile global uint *)out)[0] == 0)
        ;
}
