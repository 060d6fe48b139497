/* The kernels of opencl.c and level_zero.c: planted mistakes, whose lines have BUG and a label's mark, and idioms. At most eight
 * work-items, so that a lane is a channel of one EU thread at each SIMD width. */

kernel void put(global int *p, int by)
{
    p[(int)get_global_id(0) + by] = 3 * (int)get_global_id(0); /* BUG put */
}

kernel void get(global int *out, global const int *p, int by)
{
    out[get_global_id(0)] = p[(int)get_global_id(0) + by] + 1; /* BUG get */
}

kernel void get_of_item(global int *out, global const int *p, int item, int by)
{
    const int i = get_global_id(0);
    out[i] = p[i + (i == item ? by : 0)]; /* BUG get_of_item */
}

kernel void put_byte(global char *p, int by)
{
    p[(int)get_global_id(0) + by] = (char)get_global_id(0); /* BUG put_byte */
}

kernel void put_vector(global int4 *p)
{
    const int i = get_global_id(0);
    p[i] = (int4)(i, 2 * i, 3 * i, 4 * i); /* BUG put_vector */
}

kernel void get_vector(global int4 *out, global const int4 *p, int by)
{
    out[get_global_id(0)] = p[(int)get_global_id(0) + by]; /* BUG get_vector */
}

kernel void add(global int *p, int by)
{
    atomic_add(p + (int)get_global_id(0) + by, 2); /* BUG add */
}

int inlined(global const int *p, int i)
{
    return p[i]; /* BUG inlined */
}

kernel void inlines(global int *out, global const int *p, int by)
{
    out[get_global_id(0)] = inlined(p, (int)get_global_id(0) + by);
}

kernel void put_of_odd(global int *p, int by)
{
    const int i = get_global_id(0);
    if (i % 2)
        p[i + by] = i; /* BUG put_of_odd */
}

kernel void local_store(global int *out, int by)
{
    local int words[8];
    const int i = get_local_id(0);
    words[i + by] = 5 * i; /* BUG local_store */
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = words[7 - i];
}

kernel void local_load(global int *out, int by)
{
    local int words[8];
    const int i = get_local_id(0);
    words[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = words[i - by]; /* BUG local_load */
}

kernel void local_atomic(global int *out, int by)
{
    local int sums[8];
    const int i = get_local_id(0);
    sums[i] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sums[i + by], 4); /* BUG local_atomic */
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = sums[i];
}

kernel void local_asked(global int *out, local int *asked)
{
    const int i = get_local_id(0);
    asked[i] = 9 * i; /* BUG local_asked */
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = asked[i / 2];
}

kernel void local_neighbour(global int *out, int by)
{
    local int one[8], two[8];
    const int i = get_local_id(0);
    one[i] = 1;
    two[i] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    one[i + by] = 3; /* BUG local_neighbour */
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = one[i] + two[i];
}

kernel void local_shorts(global int *out, int by)
{
    local ushort text[16], other[16];
    const int i = get_local_id(0);
    text[i] = text[i + 8] = i;
    other[i] = other[i + 8] = 2 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = text[2 * i + by] + other[i]; /* BUG local_shorts */
}

kernel void local_counts(global int *out, int by)
{
    local int one[8], two[8];
    const int i = get_local_id(0);
    one[i] = two[i] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&two[i - (i == 1 ? by : 0)], 3); /* BUG local_counts */
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = one[i] + two[i];
}

kernel void private_store(global int *out, int item, int by)
{
    volatile int mine[8];
    const int i = get_global_id(0);
    for (int k = 0; k < 8; k++)
        mine[k] = k;
    mine[7 + (i == item ? by : 0)] = i; /* BUG private_store */
    out[i] = mine[i];
}

kernel void private_load(global int *out, int item, int by)
{
    volatile int mine[8];
    const int i = get_global_id(0);
    for (int k = 0; k < 8; k++)
        mine[k] = i + k;
    out[i] = mine[i == item ? -by : 0]; /* BUG private_load */
}

constant int table[4] = {10, 20, 30, 40};

constant short rows[8] = {1, -2, 3, -4, 5, -6, 7, -8};

kernel void rows_load(global int *out, int item, int by)
{
    const int i = get_global_id(0);
    out[i] = table[i % 4] + rows[i == item ? by : i % 8]; /* BUG rows_load */
}

kernel void table_load(global int *out, int item, int by)
{
    const int i = get_global_id(0);
    out[i] = table[i == item ? by : i % 4]; /* BUG table_load */
}

kernel void constant_load(global int *out, constant int *p, int by)
{
    out[get_global_id(0)] = p[(int)get_global_id(0) + by]; /* BUG constant_load */
}

kernel void image_store(write_only image2d_t image, int item, int by)
{
    const int i = get_global_id(0);
    write_imagei(image, (int2)(i + (i == item ? by : 0), 0), (int4)(i, 2, 3, 4)); /* BUG image_store */
}

kernel void image_load(global int *out, read_only image2d_t image, int item, int by)
{
    const int i = get_global_id(0);
    out[i] = read_imagei(image, (int2)(i, i == item ? by : 0)).x; /* BUG image_load */
}

kernel void misaligned(global int *out, global const char *p, int by)
{
    out[get_global_id(0)] = *(global const int *)(p + 8 * get_global_id(0) + by); /* BUG misaligned */
}

kernel void null_load(global int *out, global const int *p, global const int *other, int item)
{
    const int i = get_global_id(0);
    if (i == item)
        out[i] = other[i]; /* BUG null_load */
    else
        out[i] = p[i];
}

/* ---- idioms ---- */

kernel void vectors_of_three(global int *out, global const int *p)
{
    const int i = get_global_id(0);
    const int3 v = vload3(i, p);
    vstore3(v.zxy, i, out);
}

kernel void neighbours(global int *out, global const int *p)
{
    out[get_global_id(0)] = p[0] + p[1] + p[2];
}

kernel void clamped(global int *out, read_only image2d_t image)
{
    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    const int i = get_global_id(0);
    out[i] = read_imagei(image, edge, (int2)(4 * i - 10, i - 3)).x;
}

kernel void union_punning(global int *out)
{
    union {
        float f;
        int i;
        uchar bytes[4];
    } both;
    both.f = 1.5f * get_global_id(0);
    out[get_global_id(0)] = both.i + both.bytes[3];
}

struct padded {
    char c;
    int i;
    char tail;
};

kernel void padding(global struct padded *out, global const struct padded *p)
{
    out[get_global_id(0)] = p[get_global_id(0)];
}

kernel void local_in_two(global int *out, local int *words)
{
    local uchar *bytes = (local uchar *)(words + get_local_size(0));
    const int i = get_local_id(0), n = get_local_size(0);
    words[i] = 100 * i;
    bytes[i] = 200 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = words[n - 1 - i] + bytes[(i + 1) % n];
}

/* Arrays side by side, of which each access stays in one, whose addresses compilers make by others. */
kernel void local_neighbours(global int *out, int n)
{
    local int one[8], two[8], table[4][8];
    local uchar small[8];
    const int i = get_local_id(0);
    local int *const chosen = i & 1 ? one : two, *const from = i < 4 ? one + 4 : two;
    int sum = 0;
    one[i] = i;
    two[n - 1 - i] = 2 * i;
    small[i] = 3 * i;
    for (int k = 0; k < 4; k++)
        table[k][n - 1 - i] = k;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (local int *at = two + n; at-- > two;)
        sum += *at;
    for (int k = 1; k <= n; k++)
        sum += one[n - k] + (k > 1 ? two[k - 2] : 0) + (&table[3][0])[k - n - 1];
    out[i] = sum + chosen[i] + from[i % 4] + small[(i + n) % 8];
}

kernel void sum_to_end(global int *out, global const int *p, int n)
{
    int sum = 0;
    for (global const int *at = p, *end = p + n; at != end; at++)
        sum += *at;
    out[get_global_id(0)] = sum;
}

kernel void odd_addresses(global int *out, global const uchar *p)
{
    const uchar4 v = vload4(0, p + 5 * get_global_id(0) + 1);
    out[get_global_id(0)] = as_int(v);
}

struct __attribute__((packed)) packed {
    char c;
    int i;
};

kernel void packed_argument(global int *out, struct packed given)
{
    out[get_global_id(0)] = given.i + given.c;
}

kernel void fetched(global int *out, global const int *p)
{
    local int words[8];
    const event_t event = async_work_group_copy(words, p, 7, 0);
    wait_group_events(1, (event_t *)&event);
    if (get_local_id(0) < 7)
        out[get_local_id(0)] = words[6 - get_local_id(0)];
}

kernel void say(global int *out)
{
    if (get_global_id(0) == 3)
        printf("item %d\n", (int)get_global_id(0));
    out[get_global_id(0)] = get_global_id(0);
}

kernel void sampled(global int *out, read_only image2d_t image, sampler_t sampler)
{
    const int i = get_global_id(0);
    out[i] = read_imagei(image, sampler, (int2)(i, 0)).x;
}

kernel void private_arrays(global int *out, int by)
{
    volatile int first[8], second[8];
    volatile char last[5];
    const int i = get_global_id(0);
    for (int k = 0; k < 8; k++)
        second[(k + by) % 8] = first[k] = i + k;
    for (int k = 0; k < 5; k++)
        last[4 - k] = k;
    out[i] = first[7] + second[(by + 4 + i) % 8] + last[by + 1] + last[0];
}

kernel void private_structs(global int *out, int by)
{
    volatile struct {
        int first;
        short second[2];
    } mine[4];
    const int i = get_global_id(0);
    for (int k = 0; k < 4; k++) {
        mine[k].first = k;
        mine[k].second[0] = i;
        mine[k].second[k % by] = 2 * i;
    }
    out[i] = mine[(i + by) % 4].first + mine[3].second[1];
}

kernel void rows_and_columns(global int *out, global const int *p, int n)
{
    const int i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += p[n * i + k] - p[n * k + i];
    out[i] = sum;
}

/* ---- by test_kernels.py alone ---- */

kernel void copied_by_one(global struct padded *out, local struct padded *between)
{
    const struct padded s = {42, 0x12345678, 127};
    const int i = get_local_id(0);
    if (i == 0)
        *between = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 1)
        *out = *between;
}

kernel void beside(local int *s, global int *out)
{
    const int i = get_local_id(0);
    s[i] = i;
    out[i] = s[i ^ 1]; /* BUG beside */
}

__attribute__((noinline)) static void put_in(__private int *array, int at, int value)
{
    array[at] = value; /* BUG put_in */
}

constant int read_of[4] = {5, 6, 7, 8}, beside_it[4] = {1, 2, 3, 4};

/* Elements of arrays: of the kernel's own, of that by a function, of a program's constants. */
kernel void arrays(global int *out, global const int *at)
{
    int own[6], other[4];
    int i = get_local_id(0);
    for (int j = 0; j < 6; j++)
        own[j] = j + i;
    for (int j = 0; j < 4; j++)
        other[j] = i * j;
    int sum = own[at[i & 1]] + other[i & 3]; /* BUG own */
    put_in(own, at[2 + (i & 1)], i);
    out[i] = sum + own[2] + read_of[at[4 + (i & 1)]] + beside_it[i & 3]; /* BUG read_of */
}
