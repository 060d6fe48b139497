/* The kernels of sync_opencl.c: planted mistakes with barriers, whose lines have BUG and a mark of sync.txt, and idioms. Groups of 64 work-items. */

kernel void returns(global int *out, int bad)
{
    local int s[64];
    const int i = get_local_id(0);
    if (bad && i >= 20)
        return;
    s[i] = 3 * i;
    barrier(CLK_LOCAL_MEM_FENCE); /* BUG returns_barrier */
    out[i] = s[i ^ 1];
}

kernel void some_items(global int *out, int bad)
{
    local int s[64];
    const int i = get_local_id(0);
    s[i] = 5 * i;
    if (!bad || i % 16 < 5)
        barrier(CLK_LOCAL_MEM_FENCE); /* BUG some_barrier */
    out[i] = s[i ^ 1];
}

kernel void one_item(global int *out, int bad)
{
    local int s[64];
    const int i = get_local_id(0);
    s[i] = 7 * i;
    if (!(bad && i == 33))
        barrier(CLK_LOCAL_MEM_FENCE); /* BUG one_barrier */
    out[i] = s[i ^ 1];
}

kernel void half_of_group(global int *out, int bad)
{
    local int s[64];
    const int i = get_local_id(0);
    s[i] = 9 * i;
    if (!bad || i < 32)
        barrier(CLK_LOCAL_MEM_FENCE); /* BUG half_barrier */
    out[i] = s[i ^ 1];
}

kernel void branches(global int *out, int bad)
{
    local int s[64];
    const int i = get_local_id(0);
    s[i] = 2 * i;
    if (!bad || i < 32) {
        barrier(CLK_LOCAL_MEM_FENCE); /* BUG first_branch */
        out[i] = s[i ^ 1];
    } else {
        out[i] = i;
        barrier(CLK_LOCAL_MEM_FENCE); /* BUG second_branch */
        out[i] -= s[i ^ 1];
    }
}

kernel void rounds(global int *out, int bad)
{
    local int s[64];
    const int i = get_local_id(0), count = bad ? 1 + i / 32 : 2;
    for (int k = 0; k < count; k++) {
        s[i] = i + k;
        barrier(CLK_LOCAL_MEM_FENCE); /* BUG rounds_barrier */
        out[i] += s[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* BUG behind_rounds */
    out[i] += 1;
}

kernel void tree(global int *out, int bad)
{
    local int s[64];
    const int i = get_local_id(0);
    s[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 32; k; k /= 2) {
        if (i < k)
            s[i] += s[i + k];
        if (!bad || i < k)
            barrier(CLK_LOCAL_MEM_FENCE); /* BUG tree_barrier */
    }
    if (!i)
        out[0] = s[0];
}

kernel void uniform_branch(global int *out, int n)
{
    local int s[64];
    const int i = get_local_id(0);
    s[i] = i;
    if (n > 3)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = s[i ^ 1];
}

kernel void uniform_rounds(global int *out, int n)
{
    local int s[64];
    const int i = get_local_id(0);
    for (int k = 0; k < n; k++) {
        s[i] = k * i;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i % 3)
            out[i] += s[i ^ 1];
        else
            out[i] -= s[i ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void common_exit(global int *out, int n)
{
    local int s[64], more;
    const int i = get_local_id(0);
    s[i] = i;
    for (int k = 0;; k++) {
        if (i == 0)
            more = k < n;
        barrier(CLK_LOCAL_MEM_FENCE);
        const int go_on = more;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!go_on)
            break;
        s[i] += k;
    }
    out[i] = s[i];
}

kernel void all_return(global int *out, int n)
{
    const int i = get_local_id(0);
    out[i] = i;
    if (n < 10)
        return;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = 1;
}

kernel void forgets(global int *out, int n)
{
    local int s[64];
    const int i = get_local_id(0);
    s[i] = n * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    async_work_group_copy(out, s, 64, 0); /* BUG forgotten_copy */
}

kernel void waits_for_the_first(global int *out, int n)
{
    local int s[64];
    const int i = get_local_id(0);
    event_t first = async_work_group_copy(s, out, 64, 0), second;
    wait_group_events(1, &first);
    s[i] = n * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    second = async_work_group_copy(out, s, 64, 0); /* BUG second_copy */
}

void store(global int *out, local int *s, event_t *done)
{
    *done = async_work_group_copy(out, s, 32, 0);
}

kernel void waits_for_all(global int *out, int n)
{
    local int s[64];
    const int i = get_local_id(0);
    event_t done[2], first = async_work_group_copy(s, out, 32, 0);
    first = async_work_group_copy(s + 32, out + 32, 32, first);
    wait_group_events(1, &first);
    s[i] = n * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    store(out, s, &done[0]);
    done[1] = async_work_group_strided_copy(out + 32, s + 32, 32, 1, 0);
    wait_group_events(2, done);
}
