/*
 * Kernels of the transcendental instructions. They are computed in 64 bits by operations that every
 * IEEE host does alike (no library functions but square root and rounding), then rounded: within
 * one unit of the last place, where the manual allows one or more (section 12.10). In 32 bits they
 * do not know denormals.
 */
#include "emulator/gcn/fp.h"

#include <math.h>

/* 1 / n: a division takes as long as all the rest of a term. */
static const double reciprocal[] = {0,       1,       1. / 2,  1. / 3,  1. / 4,  1. / 5,
                                    1. / 6,  1. / 7,  1. / 8,  1. / 9,  1. / 10, 1. / 11,
                                    1. / 12, 1. / 13, 1. / 14, 1. / 15, 1. / 16, 1. / 17,
                                    1. / 18, 1. / 19, 1. / 20, 1. / 21};

/* 2^x for |x| < 2000. */
static double power_of_two(double x)
{
    const double whole = roundeven(x), f = (x - whole) * 0.69314718055994530942;
    double sum = 1;
    for (int n = 13; n >= 1; n--)
        sum = 1 + sum * f * reciprocal[n];
    struct wt_fp exact = {0};
    return double_of(gcn_ldexp64(bits_of_double(sum), (int32_t)whole, &exact));
}

/* The logarithm to the base 2 of a positive normal number. */
static double logarithm(double x)
{
    const uint64_t bits = bits_of_double(x);
    int exponent = (int)(bits >> 52) - 1023;
    double m = double_of((bits & 0xfffffffffffff) | (uint64_t)1023 << 52);
    if (m > 1.4142135623730951) {
        m /= 2;
        exponent++;
    }
    const double z = (m - 1) / (m + 1), square = z * z;
    double sum = 0;
    for (int n = 21; n >= 1; n -= 2)
        sum = sum * square + reciprocal[n];
    return exponent + sum * z * 2.8853900817779268147; /* 2 / ln 2 */
}

/* sin(2 pi x), or its cosine. */
static double turn(double x, bool cosine)
{
    const double r = x - roundeven(x), quarter = roundeven(4 * r);
    const double t = (r - quarter / 4) * 6.28318530717958647692, square = t * t;
    double s = 1, c = 1;
    for (int n = 16; n >= 2; n -= 2) {
        s = 1 - s * square * (reciprocal[n] * reciprocal[n + 1]);
        c = 1 - c * square * (reciprocal[n] * reciprocal[n - 1]);
    }
    s *= t;
    switch (((int)quarter + (cosine ? 1 : 0)) & 3) {
    case 0:
        return s;
    case 1:
        return c;
    case 2:
        return -s;
    default:
        return -c;
    }
}

typedef double (*math_fn)(double x);

static double exp2_of(double x)
{
    return x > 1100 ? INFINITY : x < -1200 ? 0 : power_of_two(x);
}

static double log2_of(double x)
{
    return x < 0 ? NAN : x == 0 ? -INFINITY : isinf(x) ? x : logarithm(x);
}

/* Section 12.10: valid are -256 to 256 turns; what lies outside is as no turn at all. */
static double sin_of(double x)
{
    return isinf(x) ? NAN : fabs(x) > 256 ? 0 : x == 0 ? x : turn(x, false);
}

static double cos_of(double x)
{
    return isinf(x) ? NAN : fabs(x) > 256 ? 1 : turn(x, true);
}

static double root_of(double x)
{
    return x < 0 ? NAN : sqrt(x);
}

static double inverse_of(double x)
{
    return 1 / x;
}

static double inverse_root_of(double x)
{
    return x == 0 ? copysign(INFINITY, x) : x < 0 ? NAN : 1 / sqrt(x);
}

/* Computes; returns the exceptions in fp's flags. Inlined, so that each function is. */
static inline __attribute__((always_inline)) struct wt_fp computed(struct gcn_valu *v, math_fn fn)
{
    const uint32_t *a = v->a;
    uint32_t *d = v->d;
    struct wt_fp fp = {.propagate_nan = true};
    for (unsigned i = 0; i < GCN_LANES; i++) {
        if (!(v->exec >> i & 1))
            continue;
        const uint32_t x = flushed32(a[i], true);
        if (nan32(x)) {
            fp.flags |= snan32(x) ? WT_FP_INVALID : 0;
            d[i] = quiet32(x);
            continue;
        }
        const double result = fn((double)float_of(x));
        if (isnan(result)) {
            fp.flags |= WT_FP_INVALID;
            d[i] = F32_NAN;
            continue;
        }
        d[i] = flushed32(bits_of((float)result), true);
        if (isinf(result) && (fn == inverse_of || fn == inverse_root_of || fn == log2_of) &&
            !(x & ~F32_SIGN))
            fp.flags |= WT_FP_DIVZERO;
    }
    return fp;
}

static inline __attribute__((always_inline)) void single(struct gcn_valu *v, math_fn fn)
{
    const struct wt_fp fp = computed(v, fn);
    gcn_fp_raise(v->w, &fp);
}

/* For the division of integers: by zero is its only exception, and not one of floating point. */
void gcn_vop_v_rcp_iflag_f32(struct gcn_valu *v)
{
    if (computed(v, inverse_of).flags & WT_FP_DIVZERO)
        v->w->trapsts |= GCN_EXCP_INT_DIV0;
}

static void half(struct gcn_valu *v, math_fn fn)
{
    const uint32_t *a = v->a;
    uint32_t *d = v->d;
    struct wt_fp fp = gcn_fp_env(v->w, false), exact = {.propagate_nan = true};
    for (unsigned i = 0; i < GCN_LANES; i++) {
        if (!(v->exec >> i & 1))
            continue;
        const uint32_t x = flushed16(a[i], fp.flush_input);
        if (nan16(x)) {
            fp.flags |= snan16(x) ? WT_FP_INVALID : 0;
            d[i] = x | 0x200;
            continue;
        }
        const double result = fn(double_of(wt_f16_to_f64((uint16_t)x, &exact)));
        if (isnan(result)) {
            fp.flags |= WT_FP_INVALID;
            d[i] = F16_NAN;
        } else {
            fp.flags |= denormal16(x) ? FP_DENORMAL : 0;
            d[i] = wt_f64_to_f16(bits_of_double(result), &fp);
        }
    }
    gcn_fp_raise(v->w, &fp);
}

#define ROW_MATH(name, kind, fn)                                                                   \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        kind(v, fn);                                                                               \
    }
ROW_MATH(v_exp_f32, single, exp2_of)
ROW_MATH(v_log_f32, single, log2_of)
ROW_MATH(v_exp_legacy_f32, single, exp2_of)
ROW_MATH(v_log_legacy_f32, single, log2_of)
ROW_MATH(v_sin_f32, single, sin_of)
ROW_MATH(v_cos_f32, single, cos_of)
ROW_MATH(v_rcp_f32, single, inverse_of)
ROW_MATH(v_rsq_f32, single, inverse_root_of)
ROW_MATH(v_sqrt_f32, single, root_of)
ROW_MATH(v_exp_f16, half, exp2_of)
ROW_MATH(v_log_f16, half, log2_of)
ROW_MATH(v_sin_f16, half, sin_of)
ROW_MATH(v_cos_f16, half, cos_of)
ROW_MATH(v_rsq_f16, half, inverse_root_of)
