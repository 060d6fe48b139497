/* Kernels of the debugger's sessions: what a stop must show is computed in test_gcn_sessions.py. */
__attribute__((noinline)) int add3(int a, int b)
{
    return a * 3 + b;
}

kernel void work(global int *out, global const int *in, int n)
{
    local int share[256];
    int i = get_global_id(0), l = get_local_id(0);
    int mine[4];
    for (int k = 0; k < 4; k++)
        mine[k] = in[i] + k * 1000;
    share[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int s = add3(mine[i & 3], share[(l + 1) % get_local_size(0)]);
    if (i & 1)
        s += 7;
    if (i < n)
        out[i] = s;
}

kernel void astray(global int *out, int far)
{
    if (get_global_id(0) == 37)
        out += (long)far * (1 << 20);
    *out = 1;
}

kernel void gives_up(global int *out)
{
    out[get_global_id(0)] = 1;
    __builtin_trap();
}
