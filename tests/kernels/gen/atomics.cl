/* Atomics of all kinds. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void atomics_of_words(global const int *in, global int *out, global int *old)
{
    uint i = get_global_id(0);
    int x = in[i];
    atomic_add(&out[0], x);
    atomic_sub(&out[1], x);
    atomic_inc(&out[2]);
    atomic_dec(&out[3]);
    atomic_min(&out[4], x);
    atomic_max(&out[5], x);
    atomic_min((global uint *)&out[6], (uint)x);
    atomic_max((global uint *)&out[7], (uint)x);
    atomic_and(&out[8], x | 0xff00);
    atomic_or(&out[9], x & 0xff);
    atomic_xor(&out[10], x);
    old[i] = atomic_xchg(&out[16 + i], x) + atomic_cmpxchg(&out[16 + i], x, x ^ 1);
}

kernel void atomics_of_longs(global const int *in, global ulong *out, global ulong *old)
{
    uint i = get_global_id(0);
    ulong x = (ulong)(uint)in[i] << 20 | i;
    atom_add(&out[0], x);
    atom_sub(&out[1], x);
    atom_min((global long *)&out[2], (long)x);
    atom_max(&out[3], x);
    atom_xor(&out[4], x);
    atom_or(&out[5], x);
    old[i] = atom_xchg(&out[16 + i], x) + atom_cmpxchg(&out[16 + i], x, x + 5);
}

kernel void atomics_of_local(global const int *in, global int *out)
{
    local int room[8];
    uint l = get_local_id(0);
    if (l < 8)
        room[l] = l == 3 ? 0x7fffffff : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = in[get_global_id(0)];
    atomic_add(&room[0], x);
    atomic_max(&room[1], x);
    atomic_or(&room[2], x);
    atomic_min(&room[3], x);
    atomic_inc(&room[4]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8)
        out[get_group_id(0) * 8 + l] = room[l];
}
