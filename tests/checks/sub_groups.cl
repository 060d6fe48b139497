/* Barriers of sub-groups in loops, whose lanes store in one round and load in another, or in the
 * same one: compilers do not know that a launch has one group. No macro
 * makes them: all of it would be in one line, and barriers are told by lines. */
kernel void next_round(global int *out)
{
    local int s[32];
    const int i = get_local_id(0), first = get_num_groups(0), then = 2 * first;
    int sum = 0;
    __attribute__((opencl_unroll_hint(4))) for (int k = 0; k < 4; k++) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (first >> k & 1)
            s[i] = 3 * i + k;

        if (then >> k & 1)
            sum += s[i ^ 1];
    }
    out[i] = sum;
}

kernel void same_round(global int *out)
{
    local int s[32];
    const int i = get_local_id(0), first = get_num_groups(0), then = first;
    int sum = 0;
    __attribute__((opencl_unroll_hint(4))) for (int k = 0; k < 4; k++) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (first >> k & 1)
            s[i] = 3 * i + k;

        if (then >> k & 1)
            sum += s[i ^ 1];
    }
    out[i] = sum;
}

kernel void next_round_of_loop(global int *out)
{
    local int s[32];
    const int i = get_local_id(0), first = get_num_groups(0), then = 2 * first;
    int sum = 0;
    __attribute__((opencl_unroll_hint(1))) for (int k = 0; k < 4; k++) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (first >> k & 1)
            s[i] = 3 * i + k;

        if (then >> k & 1)
            sum += s[i ^ 1];
    }
    out[i] = sum;
}

kernel void same_round_of_loop(global int *out)
{
    local int s[32];
    const int i = get_local_id(0), first = get_num_groups(0), then = first;
    int sum = 0;
    __attribute__((opencl_unroll_hint(1))) for (int k = 0; k < 4; k++) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (first >> k & 1)
            s[i] = 3 * i + k;

        if (then >> k & 1)
            sum += s[i ^ 1];
    }
    out[i] = sum;
}
