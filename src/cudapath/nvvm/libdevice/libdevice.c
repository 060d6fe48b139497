/*
 * The functions that clang calls for mathematics on NVIDIA's GPUs (__nv_sin and the like), by those
 * of libclc, whose names are mangled as OpenCL C's: _Z3sinf, _Z3sind.
 */
#define ONE(name, clc)                                                                             \
    float clc##f(float);                                                                           \
    double clc##d(double);                                                                         \
    float __nv_##name##f(float x)                                                                  \
    {                                                                                              \
        return clc##f(x);                                                                          \
    }                                                                                              \
    double __nv_##name(double x)                                                                   \
    {                                                                                              \
        return clc##d(x);                                                                          \
    }
#define TWO(name, clc)                                                                             \
    float clc##ff(float, float);                                                                   \
    double clc##dd(double, double);                                                                \
    float __nv_##name##f(float x, float y)                                                         \
    {                                                                                              \
        return clc##ff(x, y);                                                                      \
    }                                                                                              \
    double __nv_##name(double x, double y)                                                         \
    {                                                                                              \
        return clc##dd(x, y);                                                                      \
    }

ONE(sin, _Z3sin)
ONE(cos, _Z3cos)
ONE(tan, _Z3tan)
ONE(asin, _Z4asin)
ONE(acos, _Z4acos)
ONE(atan, _Z4atan)
ONE(sinh, _Z4sinh)
ONE(cosh, _Z4cosh)
ONE(tanh, _Z4tanh)
ONE(asinh, _Z5asinh)
ONE(acosh, _Z5acosh)
ONE(atanh, _Z5atanh)
ONE(expm1, _Z5expm1)
ONE(log, _Z3log)
ONE(log2, _Z4log2)
ONE(log10, _Z5log10)
ONE(log1p, _Z5log1p)
ONE(sqrt, _Z4sqrt)
ONE(rsqrt, _Z5rsqrt)
ONE(cbrt, _Z4cbrt)
ONE(fabs, _Z4fabs)
ONE(floor, _Z5floor)
ONE(ceil, _Z4ceil)
ONE(trunc, _Z5trunc)
ONE(round, _Z5round)
ONE(rint, _Z4rint)
ONE(erf, _Z3erf)
ONE(tgamma, _Z6tgamma)
ONE(lgamma, _Z6lgamma)
TWO(pow, _Z3pow)
TWO(atan2, _Z5atan2)
TWO(fmod, _Z4fmod)
TWO(hypot, _Z5hypot)
TWO(copysign, _Z8copysign)
TWO(fmin, _Z4fmin)
TWO(fmax, _Z4fmax)
TWO(fdim, _Z4fdim)
TWO(remainder, _Z9remainder)
TWO(nextafter, _Z9nextafter)

float __nv_fmaf(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}

double __nv_fma(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}

/* That of libclc for float is wrong by 13 units of the last place, and 0 for x above 9.2. */
double _Z4erfcd(double);
double __nv_erfc(double x)
{
    return _Z4erfcd(x);
}
float __nv_erfcf(float x)
{
    return (float)_Z4erfcd(x);
}

#include "cudapath/nvvm/libdevice/exponentials.h"
#include "cudapath/nvvm/libdevice/numbers.h"
#include "cudapath/nvvm/libdevice/special.h"
