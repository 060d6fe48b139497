/* A barrier is missing between the store and the load. */
__kernel void reverse(__global int *out, __local int *shared)
{
    const int i = get_local_id(0);
    shared[i] = i;
    out[i] = shared[63 - i];
}
