/*
 * Exponential functions. Those of libclc for float give 0 where a result would be denormal; CUDA's
 * do so with -ftz=true only ("CUDA C++ Programming Guide", "Mathematical Functions").
 */

#define EXPONENTIAL(name, clc)                                                                     \
    double clc##d(double);                                                                         \
    double __nv_##name(double x)                                                                   \
    {                                                                                              \
        return clc##d(x);                                                                          \
    }
EXPONENTIAL(exp, _Z3exp)
EXPONENTIAL(exp2, _Z4exp2)
EXPONENTIAL(exp10, _Z5exp10)
#undef EXPONENTIAL

/* e^r * 2^n for r between -0.35 and 0.35 and whole n between -252 and 254, rounded once at the end.
 * The series' first term that is left out is below 2^-27. */
static inline float scaled_exponential(float r, float n)
{
    const int all = (int)n, half = all >> 1;
    const unsigned bits[2] = {(unsigned)(half + 127) << 23, (unsigned)(all - half + 127) << 23};
    float scale[2], p = 1.0f / 5040;
    __builtin_memcpy(scale, bits, sizeof scale);
    p = __builtin_fmaf(p, r, 1.0f / 720);
    p = __builtin_fmaf(p, r, 1.0f / 120);
    p = __builtin_fmaf(p, r, 1.0f / 24);
    p = __builtin_fmaf(p, r, 1.0f / 6);
    p = __builtin_fmaf(p, r, 0.5f);
    p = __builtin_fmaf(p, r, 1);
    return __builtin_fmaf(p, r, 1) * scale[0] * scale[1];
}

/* A NaN stays one. */
static inline float between(float least, float x, float most)
{
    return x < least ? least : x > most ? most : x;
}

float __nv_expf(float x)
{
    const float limited = between(-174, x, 176), n = __builtin_rintf(limited * 0x1.715476p+0f);
    float r = __builtin_fmaf(n, -0x1.62e430p-1f, limited); /* ln(2), in two parts */
    r = __builtin_fmaf(n, 0x1.05c610p-29f, r);
    return scaled_exponential(r, n);
}

float __nv_exp2f(float x)
{
    const float limited = between(-252, x, 254), n = __builtin_rintf(limited);
    return scaled_exponential((limited - n) * 0x1.62e430p-1f, n);
}

float __nv_exp10f(float x)
{
    const float limited = between(-75, x, 76), n = __builtin_rintf(limited * 0x1.a934f0p+1f);
    float r = __builtin_fmaf(n, -0x1.344136p-2f, limited); /* log10(2), in two parts */
    r = __builtin_fmaf(n, 0x1.ec10c0p-27f, r);
    return scaled_exponential(__builtin_fmaf(r, 0x1.26bb1cp+1f, r * -0x1.12aabap-25f), n);
}
