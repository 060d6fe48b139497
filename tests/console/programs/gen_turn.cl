/* Shared local memory for the tests of the Gen9 debugger. */
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void turn(__global int *out)
{
    __local int tile[16];
    int me = get_local_id(0);
    tile[me] = 100 + me;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[15 - me]; /* turned */
}
