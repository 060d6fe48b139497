/*
 * OpenCL's functions that have bounds of error, for REAL, the type. In[] is in [-8, 8]; what a
 * function wants is made of it without rounding, so that float and double see the same.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define X REAL x = in[get_global_id(0)]
#define Y(n, value) out[n * get_global_size(0) + get_global_id(0)] = (value)

kernel void sines(global const REAL *in, global REAL *out)
{
    X;
    Y(0, sin(x));
    Y(1, cos(x));
    Y(2, tan(x));
    Y(3, sin(x * 1024));
    Y(4, sinpi(x));
    Y(5, cospi(x));
}

kernel void arcs(global const REAL *in, global REAL *out)
{
    X;
    Y(0, asin(x / 8));
    Y(1, acos(x / 8));
    Y(2, atan(x));
    Y(3, atan2(x, (REAL)-2));
}

kernel void exponentials(global const REAL *in, global REAL *out)
{
    X;
    Y(0, exp(x));
    Y(1, exp2(x));
    Y(2, exp10(x));
    Y(3, expm1(x));
    Y(4, exp(x * 8));
}

kernel void logarithms(global const REAL *in, global REAL *out)
{
    X;
    Y(0, log(fabs(x)));
    Y(1, log2(fabs(x)));
    Y(2, log10(fabs(x)));
    Y(3, log1p(fabs(x)));
    Y(4, log(fabs(x) * (REAL)1048576));
}

kernel void powers(global const REAL *in, global REAL *out)
{
    X;
    Y(0, pow(fabs(x), x));
    Y(1, pown(x, (int)(get_global_id(0) % 11) - 5));
    /* Were its exponent constant, clang-19 would take that for pow()'s, too. */
    Y(2, powr(fabs(x), 4 * fabs(x)));
    Y(3, cbrt(x));
    Y(4, rsqrt(fabs(x)));
    Y(5, hypot(x, (REAL)3));
    Y(6, rootn(fabs(x), 5));
}

kernel void hyperbolics(global const REAL *in, global REAL *out)
{
    X;
    Y(0, sinh(x));
    Y(1, cosh(x));
    Y(2, tanh(x));
    Y(3, asinh(x));
    Y(4, acosh(fabs(x) * 4));
    Y(5, atanh(x / 8));
}

kernel void special_functions(global const REAL *in, global REAL *out)
{
    X;
    Y(0, erf(x / 2));
    Y(1, erfc(x / 2));
    Y(2, tgamma(fabs(x)));
}
