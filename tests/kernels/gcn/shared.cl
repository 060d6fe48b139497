/* Local memory, barriers and atomics. */
kernel void reverse(global uint *data, local uint *room)
{
    uint l = get_local_id(0), n = get_local_size(0);
    room[l] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = room[n - 1 - l];
}

kernel void reduce(global const uint *in, global uint *out)
{
    local uint sum[256];
    uint l = get_local_id(0);
    sum[l] = in[get_global_id(0)];
    for (uint n = get_local_size(0) / 2; n; n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n)
            sum[l] += sum[l + n];
    }
    if (l == 0)
        out[get_group_id(0)] = sum[0];
}

kernel void scan(global const ulong *in, global ulong *out)
{
    local ulong a[256], b[256];
    uint l = get_local_id(0), n = get_local_size(0);
    a[l] = in[get_global_id(0)];
    for (uint d = 1; d < n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        b[l] = l >= d ? a[l] + a[l - d] : a[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[l] = b[l];
    }
    out[get_global_id(0)] = a[l];
}

kernel void transpose(global const uint *in, global uint *out)
{
    local uint tile[16][17];
    uint x = get_local_id(0), y = get_local_id(1), n = (uint)get_global_size(0);
    tile[y][x] = in[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 16 + y) * n + get_group_id(1) * 16 + x] = tile[x][y];
}

kernel void matmul(global const int *a, global const int *b, global int *c)
{
    local int ta[8][8], tb[8][8];
    uint x = get_local_id(0), y = get_local_id(1), n = (uint)get_global_size(0);
    int sum = 0;
    for (uint k = 0; k < n; k += 8) {
        ta[y][x] = a[get_global_id(1) * n + k + x];
        tb[y][x] = b[(k + y) * n + get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < 8; j++)
            sum += ta[y][j] * tb[j][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[get_global_id(1) * n + get_global_id(0)] = sum;
}

kernel void histogram(global const uint *in, global uint *out)
{
    local uint bin[64];
    uint l = get_local_id(0);
    if (l < 64)
        bin[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __atomic_fetch_add(&bin[in[get_global_id(0)] & 63], 1, __ATOMIC_RELAXED);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 64)
        __atomic_fetch_add(&out[l], bin[l], __ATOMIC_RELAXED);
}

kernel void atomics(global const uint *in, global uint *out, global ulong *wide)
{
    uint x = in[get_global_id(0)];
    __atomic_fetch_add(&out[0], x, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&out[1], x, __ATOMIC_RELAXED);
    __atomic_fetch_and(&out[2], x | 0xff, __ATOMIC_RELAXED);
    __atomic_fetch_or(&out[3], x & 0xff00, __ATOMIC_RELAXED);
    __atomic_fetch_xor(&out[4], x, __ATOMIC_RELAXED);
    __atomic_fetch_max(&out[5], x, __ATOMIC_RELAXED);
    __atomic_fetch_min(&out[6], x, __ATOMIC_RELAXED);
    __atomic_fetch_add(&wide[0], (ulong)x * x, __ATOMIC_RELAXED);
    __atomic_fetch_xor(&wide[1], (ulong)x << 20, __ATOMIC_RELAXED);
    __atomic_fetch_max(&wide[2], (ulong)x << 13, __ATOMIC_RELAXED);
}

kernel void compare_and_swap(global const uint *in, global uint *out)
{
    uint x = in[get_global_id(0)] % 1000, old = out[get_global_id(0) % 4], next;
    do {
        next = old * 3 % 65537 > 0 ? old + x : old + x;
    } while (!__atomic_compare_exchange_n(&out[get_global_id(0) % 4], &old, next, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
}
