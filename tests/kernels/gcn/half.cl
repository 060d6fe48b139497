/* Floating point of 16 bits, single and in pairs. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void half_arithmetic(global const half *a, global const half *b, global half *out)
{
    uint i = get_global_id(0);
    half x = a[i], y = b[i];
    out[8 * i + 0] = x + y;
    out[8 * i + 1] = x - y;
    out[8 * i + 2] = x * y;
    out[8 * i + 3] = -x;
    out[8 * i + 4] = x < y ? x : y;
    out[8 * i + 5] = fma(x, y, x);
    out[8 * i + 6] = x * y + x;
    out[8 * i + 7] = x >= y ? (half)1 : (half)-2;
}

/* Two in a register: the packed instructions. */
kernel void half_pairs(global const half2 *a, global const half2 *b, global half2 *out)
{
    uint i = get_global_id(0);
    half2 x = a[i], y = b[i];
    out[4 * i + 0] = x + y;
    out[4 * i + 1] = x * y.yx;
    out[4 * i + 2] = x * x - y;
    out[4 * i + 3] = -x.yx + y.xx;
}

kernel void half_conversions(global const half *a, global const float *f, global const int *n,
                             global float *wide, global half *narrow, global short *whole)
{
    uint i = get_global_id(0);
    half x = a[i];
    wide[i] = (float)x * 3.0f;
    narrow[3 * i + 0] = (half)f[i];
    narrow[3 * i + 1] = (half)(short)n[i];
    narrow[3 * i + 2] = (half)(ushort)n[i];
    half small = x == x && x < (half)30000 && x > (half)-30000 ? x : (half)7;
    whole[i] = (short)small;
}

kernel void half_sum(global const half *a, global const half *b, global half *out)
{
    uint i = get_global_id(0);
    half sum = 0;
    for (uint k = 0; k < 32; k++) {
        half x = a[(i + k) & 255], y = b[(i * k) & 255];
        sum = (k & 3) == 1 ? sum - x * y : x > y ? sum + x : sum * (half)0.5;
    }
    out[i] = sum;
}
