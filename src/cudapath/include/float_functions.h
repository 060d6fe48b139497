/*
 * Functions of float in the global namespace that clang 19 declares for kernels and does not define
 * (__clang_cuda_math_forward_declares.h): a program that calls cbrt(x) of a float without <math.h>
 * had a name that nobody links. clang's wrapper includes this file last, under the name
 * curand_mtgp32_kernel.h, when the functions with an f are known.
 */
#ifndef WAVETRAP_FLOAT_FUNCTIONS_H
#define WAVETRAP_FLOAT_FUNCTIONS_H

/* nvcc's is a number, which programs ask for by #if. */
#undef __CUDACC__
#define __CUDACC__ 1

#define WAVETRAP_FLOAT(type, name, declared, given)                                                \
    static __inline__ __attribute__((always_inline, device)) type name declared                    \
    {                                                                                              \
        return ::name##f given;                                                                    \
    }
#define WAVETRAP_ONE(name) WAVETRAP_FLOAT(float, name, (float x), (x))
#define WAVETRAP_TWO(name) WAVETRAP_FLOAT(float, name, (float x, float y), (x, y))
WAVETRAP_ONE(acosh)
WAVETRAP_ONE(asinh)
WAVETRAP_ONE(atanh)
WAVETRAP_ONE(cbrt)
WAVETRAP_ONE(erf)
WAVETRAP_ONE(erfc)
WAVETRAP_ONE(exp2)
WAVETRAP_ONE(expm1)
WAVETRAP_ONE(lgamma)
WAVETRAP_ONE(log1p)
WAVETRAP_ONE(log2)
WAVETRAP_ONE(logb)
WAVETRAP_ONE(nearbyint)
WAVETRAP_ONE(rint)
WAVETRAP_ONE(round)
WAVETRAP_ONE(tgamma)
WAVETRAP_ONE(trunc)
WAVETRAP_TWO(copysign)
WAVETRAP_TWO(fdim)
WAVETRAP_TWO(fmax)
WAVETRAP_TWO(fmin)
WAVETRAP_TWO(hypot)
WAVETRAP_TWO(nextafter)
WAVETRAP_TWO(remainder)
WAVETRAP_FLOAT(float, fma, (float x, float y, float z), (x, y, z))
WAVETRAP_FLOAT(float, remquo, (float x, float y, int *quotient), (x, y, quotient))
WAVETRAP_FLOAT(float, scalbn, (float x, int n), (x, n))
WAVETRAP_FLOAT(float, scalbln, (float x, long n), (x, n))
WAVETRAP_FLOAT(int, ilogb, (float x), (x))
WAVETRAP_FLOAT(long, lrint, (float x), (x))
WAVETRAP_FLOAT(long, lround, (float x), (x))
WAVETRAP_FLOAT(long long, llrint, (float x), (x))
WAVETRAP_FLOAT(long long, llround, (float x), (x))
#undef WAVETRAP_FLOAT
#undef WAVETRAP_ONE
#undef WAVETRAP_TWO

#endif
