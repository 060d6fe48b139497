/* Functions that libclc does not have: roots of the normal distribution, parts of numbers, norms of
 * vectors. */

ONE(sinpi, _Z5sinpi)
ONE(cospi, _Z5cospi)
ONE(logb, _Z4logb)

void __nv_sincospif(float x, float *sine, float *cosine)
{
    *sine = __nv_sinpif(x);
    *cosine = __nv_cospif(x);
}

void __nv_sincospi(double x, double *sine, double *cosine)
{
    *sine = __nv_sinpi(x);
    *cosine = __nv_cospi(x);
}

/* ---- parts of numbers ---- */

int _Z5ilogbf(float);
int _Z5ilogbd(double);

int __nv_ilogbf(float x)
{
    return _Z5ilogbf(x);
}

int __nv_ilogb(double x)
{
    return _Z5ilogbd(x);
}

static int is_ordinary(double x)
{
    return x != 0 && x - x == 0;
}

/* A fraction of 0.5 to 1, and a power of two. */
double __nv_frexp(double x, int *power)
{
    *power = is_ordinary(x) ? _Z5ilogbd(x) + 1 : 0;
    return is_ordinary(x) ? __nv_ldexp(x, -*power) : x;
}

float __nv_frexpf(float x, int *power)
{
    return (float)__nv_frexp(x, power);
}

/* The remainder, and the lowest three bits of the quotient with its sign. x is taken modulo 8 y
 * first, which the remainder of a division by y does not see. */
double __nv_remquo(double x, double y, int *quotient)
{
    const double rest = __nv_remainder(x, y), within = __nv_fmod(x, 8 * y);
    const int n = (int)__nv_rint((within - rest) / y);
    const int bits = (n < 0 ? -n : n) & 7;
    *quotient = (x < 0) != (y < 0) ? -bits : bits;
    return rest;
}

float __nv_remquof(float x, float y, int *quotient)
{
    return (float)__nv_remquo(x, y, quotient);
}

/* The upper word of 1 / x, of which the lower one is 0. */
double __nv_rcp64h(double x)
{
    const double r = 1 / x;
    unsigned long long bits;
    double to;
    __builtin_memcpy(&bits, &r, sizeof bits);
    bits &= 0xffffffff00000000ull;
    __builtin_memcpy(&to, &bits, sizeof to);
    return to;
}

/* ---- lengths of vectors ---- */

/* Scaled by the largest component, so that squares neither overflow nor vanish. */
static double length_of(int n, const double *x)
{
    double most = 0, sum = 0;
    for (int i = 0; i < n; i++)
        most = __builtin_fabs(x[i]) > most ? __builtin_fabs(x[i]) : most;
    if (!is_ordinary(most)) {
        for (int i = 0; i < n; i++)
            most += __builtin_fabs(x[i]);
        return most; /* 0, infinity or NaN */
    }
    for (int i = 0; i < n; i++)
        sum += x[i] / most * (x[i] / most);
    return most * __nv_sqrt(sum);
}

double __nv_norm(int n, const double *x)
{
    return length_of(n, x);
}

double __nv_rnorm(int n, const double *x)
{
    return 1 / length_of(n, x);
}

float __nv_normf(int n, const float *x)
{
    double sum = 0; /* squares of floats do not overflow */
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * x[i];
    return (float)__nv_sqrt(sum);
}

float __nv_rnormf(int n, const float *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * x[i];
    return (float)(1 / __nv_sqrt(sum));
}

double __nv_rnorm3d(double x, double y, double z)
{
    const double v[] = {x, y, z};
    return 1 / length_of(3, v);
}

double __nv_rnorm4d(double x, double y, double z, double t)
{
    const double v[] = {x, y, z, t};
    return 1 / length_of(4, v);
}

float __nv_rnorm3df(float x, float y, float z)
{
    const float v[] = {x, y, z};
    return __nv_rnormf(3, v);
}

float __nv_rnorm4df(float x, float y, float z, float t)
{
    const float v[] = {x, y, z, t};
    return __nv_rnormf(4, v);
}

/* ---- the normal distribution ---- */

#define ROOT_HALF 0.70710678118654752440
#define TWO_BY_ROOT_PI 1.12837916709551257390

/* Where erfc is q: a formula by S. Winitzki ("A handy approximation for the error function and its
 * inverse", 2008), good to a thousandth, and four steps of Halley's method. */
double __nv_erfcinv(double q)
{
    const double a = 0.147;
    if (!(q > 0 && q < 2))
        return q == 0 ? __builtin_inf() : q == 2 ? -__builtin_inf() : __builtin_nan("");
    if (q > 1)
        return -__nv_erfcinv(2 - q);
    const double l = __nv_log(q * (2 - q)), t = 4.3307467508 + l / 2; /* 2 / (pi a) */
    double x = __nv_sqrt(__nv_sqrt(t * t - l / a) - t);
    for (int i = 0; i < 4; i++) {
        const double step = (__nv_erfc(x) - q) / (-TWO_BY_ROOT_PI * __nv_exp(-x * x));
        x -= step / (1 + x * step);
    }
    return x;
}

/* Near 0 the complement would lose what y has. */
double __nv_erfinv(double y)
{
    if (__builtin_fabs(y) > 0.5)
        return __nv_erfcinv(1 - y);
    double x = y / TWO_BY_ROOT_PI;
    for (int i = 0; i < 4; i++) {
        const double step = (__nv_erf(x) - y) / (TWO_BY_ROOT_PI * __nv_exp(-x * x));
        x -= step / (1 + x * step);
    }
    return x;
}

double __nv_normcdf(double x)
{
    return __nv_erfc(-x * ROOT_HALF) / 2;
}

double __nv_normcdfinv(double p)
{
    return __nv_erfcinv(2 * p) / -ROOT_HALF;
}

/* exp(x x) erfc(x): for large x by its asymptotic series. */
double __nv_erfcx(double x)
{
    if (x < 10)
        return __nv_exp(x * x) * __nv_erfc(x);
    double term = 1, sum = 1;
    for (int n = 1; n <= 12; n++)
        sum += term *= -(2 * n - 1) / (2 * x * x);
    return sum * TWO_BY_ROOT_PI / 2 / x;
}

#define BY_DOUBLE(name)                                                                            \
    float __nv_##name##f(float x)                                                                  \
    {                                                                                              \
        return (float)__nv_##name(x);                                                              \
    }
BY_DOUBLE(erfcinv)
BY_DOUBLE(erfinv)
BY_DOUBLE(normcdf)
BY_DOUBLE(normcdfinv)
BY_DOUBLE(erfcx)
