/*
 * Kernels of the transcendental instructions. They are computed in 64 bits by operations that every
 * IEEE host does alike (no library functions but square root and rounding), then rounded: within
 * one unit of the last place, where the manual allows one or more (section 12.10). In 32 bits they
 * do not know denormals.
 */
#include "emulator/gcn/exec/fp.h"

#include <math.h>
#include <string.h>

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
    return wt_double_of_bits(gcn_ldexp64(wt_double_bits(sum), (int32_t)whole, &exact));
}

/* The logarithm to the base 2 of a positive normal number. */
static double logarithm(double x)
{
    const uint64_t bits = wt_double_bits(x);
    int exponent = (int)(bits >> 52) - 1023;
    double m = wt_double_of_bits((bits & 0xfffffffffffff) | (uint64_t)1023 << 52);
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

/* ---- many lanes at once: the same operations in the same order, of ordinary values ---- */

/* A sum with it is rounded to an integer, to nearest, if the other term is below 2^51. */
#define ROUNDER 0x1.8p52
/* As an exponent, a number of 11 bits in the place of 2^52's fraction. */
#define EXPONENT_OF_2_52 ((uint64_t)0x433 << 52)

static CLONED exp2_lanes(uint32_t *d, const uint32_t *a)
{
    LANES {
        const double x = (double)wt_float_of_bits(flushed32(a[i], true)), rounded = x + ROUNDER;
        const double f = (x - (rounded - ROUNDER)) * 0.69314718055994530942;
        double sum = 1;
#define TERM(n) sum = 1 + sum * f * reciprocal[n]
        TERM(13), TERM(12), TERM(11), TERM(10), TERM(9), TERM(8), TERM(7);
        TERM(6), TERM(5), TERM(4), TERM(3), TERM(2), TERM(1);
#undef TERM
        const double scale = wt_double_of_bits((wt_double_bits(rounded) + 1023) << 52);
        d[i] = wt_float_bits((float)(sum * scale));
    }
}

static CLONED log2_lanes(uint32_t *d, const uint32_t *a)
{
    LANES {
        const uint64_t bits = wt_double_bits((double)wt_float_of_bits(a[i]));
        const uint64_t fraction = bits & 0xfffffffffffff;
        const uint64_t above = (0x6a09e667f3bcd - fraction) >> 63; /* the square root of 2 */
        const double m = wt_double_of_bits(fraction | (1023 - above) << 52);
        const double exponent = wt_double_of_bits(EXPONENT_OF_2_52 | (bits >> 52)) -
                                (0x1p52 + 1023) + (double)(int32_t)above;
        const double z = (m - 1) / (m + 1), square = z * z;
        double sum = reciprocal[21];
#define TERM(n) sum = sum * square + reciprocal[n]
        TERM(19), TERM(17), TERM(15), TERM(13), TERM(11), TERM(9), TERM(7), TERM(5), TERM(3);
        TERM(1);
#undef TERM
        d[i] = wt_float_bits((float)(exponent + sum * z * 2.8853900817779268147));
    }
}

/* As turn(), so many quarters further on. */
static inline uint32_t turned(uint32_t a, uint64_t quarters)
{
    const double x = (double)wt_float_of_bits(flushed32(a, true));
    const double r = x - ((x + ROUNDER) - ROUNDER), rounded = 4 * r + ROUNDER;
    const double t = (r - (rounded - ROUNDER) / 4) * 6.28318530717958647692, square = t * t;
    double s = 1, c = 1;
#define TERM(n)                                                                                    \
    s = 1 - s * square * (reciprocal[n] * reciprocal[n + 1]),                                      \
    c = 1 - c * square * (reciprocal[n] * reciprocal[n - 1])
    TERM(16), TERM(14), TERM(12), TERM(10), TERM(8), TERM(6), TERM(4), TERM(2);
#undef TERM
    s *= t;
    const uint64_t n = wt_double_bits(rounded) + quarters, odd = n & 1;
    const uint64_t result = either64(odd, wt_double_bits(c), wt_double_bits(s));
    return wt_float_bits((float)wt_double_of_bits(result ^ (n >> 1 & 1) << 63));
}

static CLONED sin_lanes(uint32_t *d, const uint32_t *a)
{
    LANES
        d[i] = turned(a[i], 0);
}

static CLONED cos_lanes(uint32_t *d, const uint32_t *a)
{
    LANES
        d[i] = turned(a[i], 1);
}

static CLONED root_lanes(uint32_t *d, const uint32_t *a)
{
    LANES
        d[i] = wt_float_bits((float)sqrt((double)wt_float_of_bits(a[i])));
}

static CLONED inverse_lanes(uint32_t *d, const uint32_t *a)
{
    LANES
        d[i] = flushed32(wt_float_bits((float)(1 / (double)wt_float_of_bits(a[i]))), true);
}

static CLONED inverse_root_lanes(uint32_t *d, const uint32_t *a)
{
    LANES
        d[i] = wt_float_bits((float)(1 / sqrt((double)wt_float_of_bits(a[i]))));
}

/* A function of many lanes, and where it is that of one: in [low, low + span], `magnitude`: of
 * either sign. Neither is a source there a NaN, nor a result, nor is anything raised. */
struct many {
    void (*lanes)(uint32_t *d, const uint32_t *a);
    bool magnitude;
    uint32_t low, span;
};
#define NORMAL_LOW 0x800000u
#define NORMAL_SPAN (F32_INF - 1 - NORMAL_LOW)
static const struct many many_exp2 = {exp2_lanes, true, 0, 0x42fa0000}; /* below 125 */
static const struct many many_log2 = {log2_lanes, false, NORMAL_LOW, NORMAL_SPAN};
static const struct many many_sin = {sin_lanes, true, 0, 0x43800000}; /* 256 turns */
static const struct many many_cos = {cos_lanes, true, 0, 0x43800000};
static const struct many many_root = {root_lanes, false, NORMAL_LOW, NORMAL_SPAN};
static const struct many many_inverse = {inverse_lanes, true, NORMAL_LOW, NORMAL_SPAN};
static const struct many many_inverse_root = {inverse_root_lanes, false, NORMAL_LOW, NORMAL_SPAN};

static CLONED find_others(uint32_t *other, const uint32_t *a, const struct many *m)
{
    const uint32_t keep = m->magnitude ? ~F32_SIGN : UINT32_MAX, low = m->low, span = m->span;
    LANES
        other[i] = 0 - (uint32_t)((a[i] & keep) - low > span);
}

/* Computes what many lanes have in common; returns the lanes that are left, whose sources are in
 * *a: the result may lie where they were. */
static uint64_t computed_many(const struct gcn_valu *v, const struct many *m, const uint32_t **a,
                              uint32_t *room)
{
    _Alignas(64) uint32_t other[GCN_LANES];
    if (gcn_few_lanes(v->exec))
        return v->exec;
    find_others(other, *a, m);
    const uint64_t left = gcn_pack(other) & v->exec;
    if (left == v->exec)
        return left;
    if (left)
        *a = memcpy(room, *a, GCN_LANES * sizeof *room);
    m->lanes(v->d, *a);
    return left;
}

/* Computes; returns the exceptions in fp's flags. Inlined, so that each function is. */
static inline __attribute__((always_inline)) struct wt_fp computed(struct gcn_valu *v, math_fn fn,
                                                                   const struct many *m)
{
    uint32_t room[GCN_LANES], *d = v->d;
    const uint32_t *a = v->a;
    struct wt_fp fp = {.propagate_nan = true};
    for (uint64_t left = computed_many(v, m, &a, room); left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        const uint32_t x = flushed32(a[i], true);
        if (nan32(x)) {
            fp.flags |= snan32(x) ? WT_FP_INVALID : 0;
            d[i] = quiet32(x);
            continue;
        }
        const double result = fn((double)wt_float_of_bits(x));
        if (isnan(result)) {
            fp.flags |= WT_FP_INVALID;
            d[i] = F32_NAN;
            continue;
        }
        d[i] = flushed32(wt_float_bits((float)result), true);
        if (isinf(result) && (fn == inverse_of || fn == inverse_root_of || fn == log2_of) &&
            !(x & ~F32_SIGN))
            fp.flags |= WT_FP_DIVZERO;
    }
    return fp;
}

static inline __attribute__((always_inline)) void single(struct gcn_valu *v, math_fn fn,
                                                         const struct many *m)
{
    const struct wt_fp fp = computed(v, fn, m);
    gcn_fp_raise(v->w, &fp);
}

/* For the division of integers: by zero is its only exception, and not one of floating point. */
void gcn_vop_v_rcp_iflag_f32(struct gcn_valu *v)
{
    if (computed(v, inverse_of, &many_inverse).flags & WT_FP_DIVZERO)
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
        const double result = fn(wt_double_of_bits(wt_f16_to_f64((uint16_t)x, &exact)));
        if (isnan(result)) {
            fp.flags |= WT_FP_INVALID;
            d[i] = F16_NAN;
        } else {
            fp.flags |= denormal16(x) ? FP_DENORMAL : 0;
            d[i] = wt_f64_to_f16(wt_double_bits(result), &fp);
        }
    }
    gcn_fp_raise(v->w, &fp);
}

#define ROW_SINGLE(name, fn, many)                                                                 \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        single(v, fn, many);                                                                       \
    }
#define ROW_HALF(name, fn)                                                                         \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        half(v, fn);                                                                               \
    }
ROW_SINGLE(v_exp_f32, exp2_of, &many_exp2)
ROW_SINGLE(v_log_f32, log2_of, &many_log2)
ROW_SINGLE(v_exp_legacy_f32, exp2_of, &many_exp2)
ROW_SINGLE(v_log_legacy_f32, log2_of, &many_log2)
ROW_SINGLE(v_sin_f32, sin_of, &many_sin)
ROW_SINGLE(v_cos_f32, cos_of, &many_cos)
ROW_SINGLE(v_rcp_f32, inverse_of, &many_inverse)
ROW_SINGLE(v_rsq_f32, inverse_root_of, &many_inverse_root)
ROW_SINGLE(v_sqrt_f32, root_of, &many_root)
ROW_HALF(v_exp_f16, exp2_of)
ROW_HALF(v_log_f16, log2_of)
ROW_HALF(v_sin_f16, sin_of)
ROW_HALF(v_cos_f16, cos_of)
ROW_HALF(v_rsq_f16, inverse_root_of)
