/* The kernels of races_opencl.c: planted races, whose lines have BUG and a mark of races.txt, and idioms. Groups of 32 work-items. */

kernel void reverse_local(global int *out, int bad)
{
    local int s[32];
    const int i = get_local_id(0);
    s[i] = 3 * i; /* BUG local_store */
    if (!bad)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = s[31 - i]; /* BUG local_load */
}

kernel void reverse_global(global int *out, global int *p, int bad)
{
    const int i = get_local_id(0);
    p[i] = 5 * i; /* BUG global_store */
    if (!bad)
        barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = p[31 - i]; /* BUG global_load */
}

kernel void rounds(global int *out, int bad)
{
    local int s[32];
    const int i = get_local_id(0);
    int sum = 0;
    for (int k = 1; k <= 3; k++) {
        s[i] = k * i; /* BUG rounds_store */
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += s[31 - i]; /* BUG rounds_load */
        if (!bad)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum;
}

kernel void exchange(global int *out, global int *p, int bad)
{
    const int i = get_global_id(0);
    p[i] = 2 * i; /* BUG groups_store */
    out[i] = p[bad ? i ^ 32 : i]; /* BUG groups_load */
}

kernel void count_plain(global int *bins, int bad)
{
    const int i = get_global_id(0);
    if (bad)
        bins[i % 8] += 2; /* BUG bins_plain */
    else
        atomic_add(&bins[i % 8], 2);
}

kernel void total(global int *sum, int bad)
{
    if (get_local_id(0) == 3) {
        if (bad)
            *sum = *sum + 4; /* BUG total_plain */
        else
            atomic_add(sum, 4);
    }
}

kernel void broadcast(global int *out, int bad)
{
    local int s;
    if (get_local_id(0) == 31)
        s = 7; /* BUG one_store */
    if (!bad)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = s; /* BUG all_load */
}

kernel void reverse_bytes(global int *out, int bad)
{
    local uchar s[32];
    const int i = get_local_id(0);
    s[i] = (uchar)(3 * i); /* BUG bytes_store */
    if (!bad)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = s[31 - i]; /* BUG bytes_load */
}

kernel void sum_and_read(global int *out, int bad)
{
    local int sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, 3); /* BUG sum_atomic */
    if (!bad)
        barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *out = sum; /* BUG sum_load */
}

kernel void shift(global int *p, int bad)
{
    const int i = get_local_id(0);
    const int next = p[(i + 1) % 32]; /* BUG shift_load */
    if (!bad)
        barrier(CLK_GLOBAL_MEM_FENCE);
    p[i] = next + 1; /* BUG shift_store */
}

kernel void last_wins(global int *p, int bad)
{
    const int i = get_global_id(0);
    if (i % 32 == 5)
        p[bad ? 0 : i / 32] = i; /* BUG stores_alone */
}

kernel void vectors(global int *out, int bad)
{
    local int4 s[32];
    const int i = get_local_id(0);
    s[i] = (int4)(i, 2 * i, 3 * i, 4 * i); /* BUG vector_store */
    if (!bad)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = ((local int *)s)[4 * (31 - i) + 2]; /* BUG word_load */
}

kernel void tree(global int *out)
{
    local int s[32];
    const int i = get_local_id(0);
    s[i] = i;
    for (int step = 16; step; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < step)
            s[i] += s[i + step];
    }
    if (i == 0)
        *out = s[0];
}

kernel void merged(global int *bins)
{
    local int own[8];
    const int i = get_local_id(0);
    if (i < 8)
        own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&own[i % 8]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 8)
        atomic_add(&bins[i], own[i]);
}

kernel void neighbours(global uchar *p)
{
    if (get_global_id(0) % 3)
        p[get_global_id(0)] = (uchar)get_global_id(0);
}

kernel void read_all(global int *out, global const int *p)
{
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += p[(get_global_id(0) * 5 + k) % 32];
    out[get_global_id(0)] = sum;
}

/* Sub-groups of a group. */
int other_of(local int *s, int i)
{
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    return s[i ^ 1];
}

kernel void sub_group_waits(global int *out)
{
    local int s[32];
    const int i = get_local_id(0);
    int x = 3 * i;
    for (int k = 0; k < 4; k++) {
        s[i] = x;
        x += other_of(s, i);
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = x;
}

kernel void sub_group_goes_on(global int *out)
{
    local int s[32];
    const int i = get_local_id(0);
    int x = 3 * i;
    for (int k = 0; k < 4; k++) {
        s[i] = x; /* BUG again_store */
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        x += s[i ^ 1]; /* BUG again_load */
    }
    out[get_global_id(0)] = x;
}

kernel void sub_group_too_late(global int *out)
{
    local int s[32];
    const int i = get_local_id(0);
    s[i] = 3 * i; /* BUG early_store */
    const int x = s[i ^ 1]; /* BUG early_load */
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    s[i] = x;
    out[get_global_id(0)] = x;
}

kernel void sub_group_alone(global int *out)
{
    local int s[32];
    const int i = get_local_id(0);
    s[i] = 3 * i; /* BUG alone_store */
    out[get_global_id(0)] = s[i ^ 1] + sub_group_reduce_add(i); /* BUG alone_load */
}

kernel void sub_group_loads_early(global int *out)
{
    local int s[32];
    const int i = get_local_id(0);
    s[i] = 3 * i;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[i ^ 1];
}

/* A group of one thread, as the compiler knows, whose barrier it leaves out. */
kernel __attribute__((reqd_work_group_size(32, 1, 1))) void one_thread(global int *out)
{
    local int s[32];
    const int i = get_local_id(0);
    s[i] = 3 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[31 - i];
}
