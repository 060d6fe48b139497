/* Complex numbers of CUDA C++, for kernels and the host: names are those of NVIDIA's headers. */
#ifndef WAVETRAP_CUCOMPLEX_H
#define WAVETRAP_CUCOMPLEX_H

#include <math.h>
#include <vector_types.h>

#define WAVETRAP_COMPLEX static inline WAVETRAP_BOTH

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;

/* Complex numbers of two of type T, whose functions end in SUFFIX. Of a quotient the divisor is
 * made about 1 first, so that squares neither overflow nor vanish. */
#define WAVETRAP_COMPLEX_NUMBERS(T, C, SUFFIX)                                                     \
    WAVETRAP_COMPLEX C make_##C(T real, T imaginary)                                               \
    {                                                                                              \
        C z;                                                                                       \
        z.x = real;                                                                                \
        z.y = imaginary;                                                                           \
        return z;                                                                                  \
    }                                                                                              \
    WAVETRAP_COMPLEX T cuCreal##SUFFIX(C z)                                                        \
    {                                                                                              \
        return z.x;                                                                                \
    }                                                                                              \
    WAVETRAP_COMPLEX T cuCimag##SUFFIX(C z)                                                        \
    {                                                                                              \
        return z.y;                                                                                \
    }                                                                                              \
    WAVETRAP_COMPLEX C cuConj##SUFFIX(C z)                                                         \
    {                                                                                              \
        return make_##C(z.x, -z.y);                                                                \
    }                                                                                              \
    WAVETRAP_COMPLEX C cuCadd##SUFFIX(C a, C b)                                                    \
    {                                                                                              \
        return make_##C(a.x + b.x, a.y + b.y);                                                     \
    }                                                                                              \
    WAVETRAP_COMPLEX C cuCsub##SUFFIX(C a, C b)                                                    \
    {                                                                                              \
        return make_##C(a.x - b.x, a.y - b.y);                                                     \
    }                                                                                              \
    WAVETRAP_COMPLEX C cuCmul##SUFFIX(C a, C b)                                                    \
    {                                                                                              \
        return make_##C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                             \
    }                                                                                              \
    WAVETRAP_COMPLEX C cuCdiv##SUFFIX(C a, C b)                                                    \
    {                                                                                              \
        const T scale = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                     \
        const T ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;            \
        const T square = 1 / (bx * bx + by * by);                                                  \
        return make_##C((ax * bx + ay * by) * square, (ay * bx - ax * by) * square);               \
    }                                                                                              \
    WAVETRAP_COMPLEX T cuCabs##SUFFIX(C z)                                                         \
    {                                                                                              \
        return hypot##SUFFIX(z.x, z.y);                                                            \
    }                                                                                              \
    WAVETRAP_COMPLEX C cuCfma##SUFFIX(C a, C b, C c)                                               \
    {                                                                                              \
        return cuCadd##SUFFIX(cuCmul##SUFFIX(a, b), c);                                            \
    }
WAVETRAP_COMPLEX_NUMBERS(float, cuFloatComplex, f)
WAVETRAP_COMPLEX_NUMBERS(double, cuDoubleComplex, )

typedef cuFloatComplex cuComplex;

WAVETRAP_COMPLEX cuComplex make_cuComplex(float real, float imaginary)
{
    return make_cuFloatComplex(real, imaginary);
}
WAVETRAP_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z)
{
    return make_cuDoubleComplex(z.x, z.y);
}
WAVETRAP_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return make_cuFloatComplex((float)z.x, (float)z.y);
}

#endif
