/* The kernels of init_opencl.c: planted uses of values that nothing has written, whose lines have BUG and a mark of init.txt, and idioms. Groups of 32
 * work-items. */

kernel void add_one(global int *out, global int *in, int bad)
{
    const int i = get_global_id(0);
    out[i] = in[i] + 1; /* BUG cl_sum */
}

kernel void scale(global int *out, global int *in, int bad)
{
    const int i = get_global_id(0);
    out[i] = (int)((float)in[i] * 1.5f); /* BUG cl_float */
}

kernel void of_all(global int *out, global int *in, int bad)
{
    out[get_global_id(0)] = (int)((float)in[0] * in[1] + in[2]) + (int)((float)bad * in[4] + bad) + (int)((double)in[1] * in[3] + in[0]); /* BUG cl_all */
}

kernel void of_longs(global int *out, global int *in, int bad)
{
    const int i = get_global_id(0);
    const long x = ((global long *)in)[i / 2] * 3; /* BUG cl_long */
    out[i] = (int)(x >> 32 * (i % 2));
}

kernel void of_shorts(global int *out, global int *in, int bad)
{
    const int i = get_global_id(0);
    const short x = ((global short *)in)[2 * i];
    out[i] = x - 5; /* BUG cl_short */
}

kernel void of_vectors(global int *out, global int *in, int bad)
{
    const int i = get_global_id(0);
    const int4 v = vload4(i / 4, in);
    out[i] = i % 4 ? v.x + v.w : v.y * 9; /* BUG cl_vector */
}

kernel void reduce(global int *out, global int *in, int bad)
{
    if (get_global_id(0))
        return;
    int sum = 0;
    for (int k = 0; k < 64; k++)
        sum += in[k]; /* BUG cl_reduce */
    out[0] = sum;
}

kernel void compare(global int *out, global int *in, int bad)
{
    const int i = get_global_id(0);
    if (in[i] > 5) /* BUG cl_branch */
        out[i | 1] = 5;
    else
        atomic_add(&out[0], 1);
}

kernel void count_down(global int *out, global int *in, int bad)
{
    const int i = get_global_id(0);
    int n = 0;
    for (int k = in[i]; k % 64 > 3; k /= 2) /* BUG cl_loop */
        n++;
    out[i] = n;
}

kernel void gather(global int *out, global int *in, int bad)
{
    const int i = get_global_id(0);
    out[i] = in[in[i] & 31]; /* BUG cl_gather */
}

kernel void scatter(global int *out, global int *in, int bad)
{
    const int i = get_global_id(0);
    out[(in[i] & 1) + 2 * (i / 2)] = i / 2; /* BUG cl_scatter */
}

kernel void total(global int *out, global int *in, int bad)
{
    const int i = get_global_id(0);
    atomic_add(&out[0], in[i]); /* BUG cl_atomic */
}

kernel void counter(global int *count, int bad)
{
    atomic_add(count, (int)get_global_id(0) & 1); /* BUG cl_counter */
}

kernel void neighbours(global int *out, global int *in, int bad)
{
    local int s[32];
    const int i = get_local_id(0), at = get_global_id(0);
    if (!bad || i < 16)
        s[i] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = s[i] + s[(i + 1) % 32]; /* BUG cl_local */
}

kernel void local_branch(global int *out, global int *in, int bad)
{
    local int s[32];
    const int i = get_local_id(0), at = get_global_id(0);
    if (!bad || i)
        s[i] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (s[i ^ 1] < 9) /* BUG cl_local_branch */
        out[at | 1] = 5;
    else
        atomic_add(&out[0], 1);
}

/* ---- idioms ---- */

struct padded {
    char tag;
    int number;
};

kernel void copy_padded(global struct padded *to, global struct padded *from)
{
    const int i = get_global_id(0);
    to[i] = from[i];
}

kernel void copy_all(global int *to, global int *from)
{
    const int i = get_global_id(0);
    to[i] = from[i];
}

kernel void low_byte(global int *out, global int *scratch)
{
    const int i = get_global_id(0);
    ((global uchar *)scratch)[4 * i + 1] = (uchar)i;
    out[i] = (scratch[i] >> 8) & 0xff;
}

/* Each work-item's array, of which it has written what it uses. */
kernel void own_array(global int *out, global int *in, int bad)
{
    const int i = get_global_id(0);
    volatile int own[64];
    for (int k = bad; k < 64; k++)
        own[k] = in[i] + k;
    out[i] = own[in[i] & 7 ? 3 : 0] + own[0]; /* BUG cl_own */
}

kernel void own_index(global int *out, global int *in, int bad)
{
    const int i = get_global_id(0);
    int own[8];
    own[in[i] & 7] = i;
    if (own[(in[i] + bad) & 7] > 5) /* BUG cl_index */
        out[i] = 1;
    else
        out[i] = 2;
}

kernel void own_elements(global int *out, global int *in)
{
    const int i = get_global_id(0);
    int own[8];
    for (int k = 0; k <= (i & 7); k++)
        own[k] = in[(i + k) & 63];
    int sum = 0;
    for (int k = 0; k <= (i & 7); k++)
        sum += own[k];
    out[i] = sum;
}

kernel void tree(global int *out, global int *in)
{
    local int s[32];
    const int i = get_local_id(0), at = get_global_id(0);
    s[i] = in[at];
    for (int n = 16; n > 0; n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < n)
            s[i] += s[i + n];
    }
    out[at] = i ? i : s[0];
}

/* Lanes that have no value take none. */
kernel void where_written(global int *out, global int *some)
{
    const int i = get_global_id(0);
    if (i % 3 == 0)
        some[i] = 3 * i;
    int x;
    if (i % 3 == 0)
        x = some[i];
    out[i] = i % 3 == 0 ? x + 1 : i;
}

kernel void loop_of_lanes(global int *out, global int *in)
{
    const int i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < i; k++) {
        if (in[k & 63] & 1)
            continue;
        if (sum > 900)
            break;
        sum += in[k & 63];
    }
    out[i] = sum;
}

kernel void vectors(global int *out, global int *in)
{
    const int i = get_global_id(0);
    const int3 v = vload3(i % 20, in);
    const float4 f = convert_float4((int4)(v, i));
    out[i] = v.x + v.y * v.z + (int)dot(f, f.wzyx) % 100;
}

kernel void bits_of(global int *out, global uint *scratch)
{
    const int i = get_global_id(0);
    ((global ushort *)scratch)[2 * i] = (ushort)(5 * i);
    const uint x = scratch[i];
    out[i] = (int)((x << 16) + (x & 0xff00));
}

kernel void quotients(global int *out, global int *in)
{
    const int i = get_global_id(0);
    out[i] = in[i] / (i + 1) + in[i] % 7 + (int)((uint)in[i] / 3u) + mad24(i, 5, in[i]) + mul_hi(in[i] << 20, 77);
}

kernel void shuffled(global int *out, global int *in)
{
    const int i = get_global_id(0);
    out[i] = sub_group_reduce_add(in[i]) + sub_group_broadcast(in[i], 3) + sub_group_scan_inclusive_max(in[i]);
}
