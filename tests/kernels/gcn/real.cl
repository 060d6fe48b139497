/* Floating point that the standard defines to the last bit. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void single(global const float *a, global const float *b, global float *out)
{
    uint i = get_global_id(0);
    float x = a[i], y = b[i];
    out[8 * i + 0] = x + y;
    out[8 * i + 1] = x - y;
    out[8 * i + 2] = x * y;
    out[8 * i + 3] = x / y;
    out[8 * i + 4] = __builtin_fmaf(x, y, x);
    out[8 * i + 5] = x < y ? x : y;
    out[8 * i + 6] = x == y ? 1.0f : 2.0f;
    out[8 * i + 7] = -x;
}

kernel void real_double(global const double *a, global const double *b, global double *out)
{
    uint i = get_global_id(0);
    double x = a[i], y = b[i];
    out[8 * i + 0] = x + y;
    out[8 * i + 1] = x - y;
    out[8 * i + 2] = x * y;
    out[8 * i + 3] = x / y;
    out[8 * i + 4] = __builtin_fma(x, y, y);
    out[8 * i + 5] = x < y ? x : y;
    out[8 * i + 6] = (double)(float)x;
    out[8 * i + 7] = x >= y;
}

kernel void conversions(global const int *a, global const float *f, global uint *out, global double *d,
                        global ulong *l)
{
    uint i = get_global_id(0);
    float g = f[i] * 0x1p-100f * 0x1p+70f;
    g = g == g && g < 1e9f && g > -1e9f ? g : 3.5f;
    out[4 * i + 0] = as_uint((float)a[i]);
    out[4 * i + 1] = as_uint((float)(uint)a[i]);
    out[4 * i + 2] = (uint)(int)g;
    out[4 * i + 3] = (uint)(g < 0 ? -g : g);
    d[i] = (double)a[i] + (double)(uint)a[i] * 0.5;
    l[i] = (ulong)(long)(g * 1024.0f);
}

kernel void divide(global const float *a, global const float *b, global float *out)
{
    uint i = get_global_id(0);
    out[i] = a[i] / b[i];
}

kernel void divide_double(global const double *a, global const double *b, global double *out)
{
    uint i = get_global_id(0);
    out[i] = a[i] / b[i];
}

kernel void horner(global const float *a, global float *out)
{
    uint i = get_global_id(0);
    float x = a[i], r = 1.0f;
    for (int n = 20; n > 0; n--)
        r = r * x * (1.0f / n) + 1.0f;
    out[i] = r;
}

kernel void dot4(global const float4 *a, global const float4 *b, global float *out)
{
    uint i = get_global_id(0);
    float4 p = a[i] * b[i];
    out[i] = p.x + p.y + p.z + p.w;
}

kernel void mandelbrot(global uint *out, float scale)
{
    uint i = get_global_id(0);
    float cx = (float)(i % 32) * scale - 2.0f, cy = (float)(i / 32) * scale - 1.0f, x = 0, y = 0;
    uint n = 0;
    while (n < 100 && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        n++;
    }
    out[i] = n;
}
