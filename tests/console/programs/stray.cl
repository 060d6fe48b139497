/* One lane stores where there is no memory. */
int store_to(__global int *to, int value)
{
    *to = value;
    return value;
}

__kernel void stray(__global int *in, __global int *out)
{
    int item = get_global_id(0);
    int value = in[item] + 1;
    out[item] = value;
    if (item == 37)
        value = store_to((__global int *)0x10, value);
    out[item] += value;
}
