/* Complex numbers of CUDA C++, for kernels and the host: names are those of NVIDIA's headers. */
#ifndef WAVETRAP_CUCOMPLEX_H
#define WAVETRAP_CUCOMPLEX_H

#include <math.h>
#include <vector_types.h>

#define WAVETRAP_COMPLEX static inline WAVETRAP_BOTH

typedef float2 cuFloatComplex;

WAVETRAP_COMPLEX cuFloatComplex make_cuFloatComplex(float real, float imaginary)
{
    cuFloatComplex z;
    z.x = real;
    z.y = imaginary;
    return z;
}
WAVETRAP_COMPLEX float cuCrealf(cuFloatComplex z)
{
    return z.x;
}
WAVETRAP_COMPLEX float cuCimagf(cuFloatComplex z)
{
    return z.y;
}
WAVETRAP_COMPLEX cuFloatComplex cuConjf(cuFloatComplex z)
{
    return make_cuFloatComplex(z.x, -z.y);
}
WAVETRAP_COMPLEX cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b)
{
    return make_cuFloatComplex(a.x + b.x, a.y + b.y);
}
WAVETRAP_COMPLEX cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b)
{
    return make_cuFloatComplex(a.x - b.x, a.y - b.y);
}
WAVETRAP_COMPLEX cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b)
{
    return make_cuFloatComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
/* The divisor is made about 1 first, so that squares neither overflow nor vanish. */
WAVETRAP_COMPLEX cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b)
{
    const float scale = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));
    const float ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;
    const float square = 1 / (bx * bx + by * by);
    return make_cuFloatComplex((ax * bx + ay * by) * square, (ay * bx - ax * by) * square);
}
WAVETRAP_COMPLEX float cuCabsf(cuFloatComplex z)
{
    return hypotf(z.x, z.y);
}
WAVETRAP_COMPLEX cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c)
{
    return cuCaddf(cuCmulf(a, b), c);
}

typedef double2 cuDoubleComplex;

WAVETRAP_COMPLEX cuDoubleComplex make_cuDoubleComplex(double real, double imaginary)
{
    cuDoubleComplex z;
    z.x = real;
    z.y = imaginary;
    return z;
}
WAVETRAP_COMPLEX double cuCreal(cuDoubleComplex z)
{
    return z.x;
}
WAVETRAP_COMPLEX double cuCimag(cuDoubleComplex z)
{
    return z.y;
}
WAVETRAP_COMPLEX cuDoubleComplex cuConj(cuDoubleComplex z)
{
    return make_cuDoubleComplex(z.x, -z.y);
}
WAVETRAP_COMPLEX cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b)
{
    return make_cuDoubleComplex(a.x + b.x, a.y + b.y);
}
WAVETRAP_COMPLEX cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b)
{
    return make_cuDoubleComplex(a.x - b.x, a.y - b.y);
}
WAVETRAP_COMPLEX cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b)
{
    return make_cuDoubleComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
/* The divisor is made about 1 first, so that squares neither overflow nor vanish. */
WAVETRAP_COMPLEX cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b)
{
    const double scale = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));
    const double ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;
    const double square = 1 / (bx * bx + by * by);
    return make_cuDoubleComplex((ax * bx + ay * by) * square, (ay * bx - ax * by) * square);
}
WAVETRAP_COMPLEX double cuCabs(cuDoubleComplex z)
{
    return hypot(z.x, z.y);
}
WAVETRAP_COMPLEX cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c)
{
    return cuCadd(cuCmul(a, b), c);
}

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
