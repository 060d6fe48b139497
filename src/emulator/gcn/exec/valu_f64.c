/* Kernels of arithmetic on 64-bit floating point (manual, sections 12.10 and 12.12). */
#include "emulator/gcn/exec/fp.h"

#ifdef GCN_CLONES
#include <immintrin.h>
#endif
#include <math.h>
#include <string.h>

#define REAL 64
#include "emulator/gcn/exec/valu_real.h"

/* Sources with 1 in the lanes that do not count, so that they raise nothing. */
static const uint64_t *counting(struct gcn_valu *v, const uint64_t *from, uint64_t *room)
{
    if (!~v->exec || !from)
        return from;
    for (unsigned i = 0; i < GCN_LANES; i++)
        room[i] = v->exec >> i & 1 ? from[i] : 0x3ff0000000000000;
    return room;
}

static void compute(struct gcn_valu *v, host_fn host, soft_fn soft)
{
    if (!host || !gcn_fp_host(v->w, false)) {
        compute_soft(v, soft);
        return;
    }
    _Alignas(64) uint64_t room[3][GCN_LANES];
    const uint64_t *a = counting(v, v->a, room[0]);
    const uint64_t *b = counting(v, v->b, room[1]);
    const uint64_t *c = counting(v, v->c, room[2]);
    gcn_fp_begin(v->w);
    host(v->d, a, b, c);
    gcn_fp_end(v->w);
}

/* See valu_f32.c. */
#define HOST(name, expression, nan)                                                                \
    static CLONED host_##name(uint64_t *d, const uint64_t *a, const uint64_t *b,                   \
                              const uint64_t *c)                                                   \
    {                                                                                              \
        _Alignas(64) uint64_t result[GCN_LANES];                                                   \
        uint64_t some = 0;                                                                         \
        (void)c;                                                                                   \
        LANES {                                                                                    \
            const double x = wt_double_of_bits(a[i]), y = wt_double_of_bits(b[i]);                 \
            result[i] = wt_double_bits(expression);                                                \
            some |= F64_INF - (result[i] & ~F64_SIGN);                                             \
        }                                                                                          \
        if (some >> 63) {                                                                          \
            LANES                                                                                  \
                result[i] = settle(result[i], nan);                                                \
        }                                                                                          \
        memcpy(d, result, sizeof result);                                                          \
    }
HOST(add, x + y, a[i] COMMA b[i] COMMA 0)
HOST(mul, x *y, a[i] COMMA b[i] COMMA 0)
#ifdef GCN_CLONES
/* Below zero in the lanes of NaNs. As integers: a comparison of numbers would raise the exception
 * of denormal sources. */
static inline __attribute__((target("avx2"))) __m256i nans(__m256d x)
{
    const __m256i size = _mm256_and_si256(_mm256_castpd_si256(x), _mm256_set1_epi64x(INT64_MAX));
    return _mm256_sub_epi64(_mm256_set1_epi64x((int64_t)F64_INF), size);
}

static __attribute__((target("avx2,fma"))) void host_fma(uint64_t *d, const uint64_t *a,
                                                         const uint64_t *b, const uint64_t *c)
{
    _Alignas(64) uint64_t result[GCN_LANES];
    __m256i some = _mm256_setzero_si256();
    for (unsigned i = 0; i < GCN_LANES; i += 4) {
        const __m256d r = _mm256_fmadd_pd(_mm256_loadu_pd((const double *)(const void *)(a + i)),
                                          _mm256_loadu_pd((const double *)(const void *)(b + i)),
                                          _mm256_loadu_pd((const double *)(const void *)(c + i)));
        _mm256_store_pd((double *)(void *)(result + i), r);
        some = _mm256_or_si256(some, nans(r));
    }
    if (_mm256_movemask_pd(_mm256_castsi256_pd(some))) {
        LANES
            result[i] = settle(result[i], a[i], b[i], c[i]);
    }
    memcpy(d, result, sizeof result);
}

/* By hand, too: each is one instruction of the host. */
#define HOST_ONE(name, expression)                                                                 \
    static __attribute__((target("avx2"))) void host_##name(uint64_t *d, const uint64_t *a,        \
                                                            const uint64_t *b, const uint64_t *c)  \
    {                                                                                              \
        const __m256d one = _mm256_set1_pd(1);                                                     \
        __m256i some = _mm256_setzero_si256();                                                     \
        _Alignas(64) uint64_t result[GCN_LANES];                                                   \
        (void)one, (void)b, (void)c;                                                               \
        for (unsigned i = 0; i < GCN_LANES; i += 4) {                                              \
            const __m256d x = _mm256_loadu_pd((const double *)(const void *)(a + i));              \
            const __m256d r = expression;                                                          \
            _mm256_store_pd((double *)(void *)(result + i), r);                                    \
            some = _mm256_or_si256(some, nans(r));                                                 \
        }                                                                                          \
        if (_mm256_movemask_pd(_mm256_castsi256_pd(some))) {                                       \
            LANES                                                                                  \
                result[i] = settle(result[i], a[i], 0, 0);                                         \
        }                                                                                          \
        memcpy(d, result, sizeof result);                                                          \
    }
HOST_ONE(rcp, _mm256_div_pd(one, x))
HOST_ONE(sqrt, _mm256_sqrt_pd(x))
HOST_ONE(rsq, _mm256_div_pd(one, _mm256_sqrt_pd(x)))
#else
#define host_fma NULL
#define host_rcp NULL
#define host_sqrt NULL
#define host_rsq NULL
#endif

SOFT(add, wt_f64_add(a, b, fp))
SOFT(mul, wt_f64_mul(a, b, fp))
SOFT(fma, wt_f64_fma(a, b, c, fp))

void gcn_vop_v_add_f64(struct gcn_valu *v)
{
    compute(v, host_add, soft_add);
}

void gcn_vop_v_mul_f64(struct gcn_valu *v)
{
    compute(v, host_mul, soft_mul);
}

void gcn_vop_v_fma_f64(struct gcn_valu *v)
{
    compute(v, gcn_fp_host_fma() ? host_fma : NULL, soft_fma);
}

/* ---- division (section 12.12) ---- */

/* See valu_f32.c: 54 <= num's exponent, den's <= 2044, and their difference is -1021 to 767. */
static CLONED need_scale(const uint64_t *x, const uint64_t *den, const uint64_t *num,
                         uint64_t *some)
{
    uint64_t any = 0;
    LANES {
        const uint64_t p = num[i] >> 52 & 0x7ff, q = den[i] >> 52 & 0x7ff;
        /* A difference is below zero where a number is out of range. */
        any |= (p - 54) | (2046 - p) | (q - 1) | (2044 - q) | (p + 1021 - q) | (q + 767 - p);
        any |= ((x[i] >> 52 & 0x7ff) - 1) & (0 - (x[i] & ~F64_SIGN));
    }
    *some = any >> 63;
}

void gcn_vop_v_div_scale_f64(struct gcn_valu *v)
{
    ROWS64;
    uint64_t room[3][GCN_LANES], some = gcn_few_lanes(v->exec);
    if (!some)
        need_scale(counting(v, a, room[0]), counting(v, b, room[1]), counting(v, c, room[2]),
                   &some);
    if (!some) {
        memmove(d, a, GCN_LANES * sizeof *d);
        memset(v->m, 0, GCN_LANES * sizeof *v->m);
    } else {
        div_scale_each(v);
    }
}

/* A denormal number from a mantissa of which the last `drop` bits do not fit; `rest`: it goes on.
 */
static uint64_t denormal_of(uint64_t sign, uint64_t mantissa, unsigned drop, bool rest,
                            struct wt_fp *fp)
{
    if (drop > 60) {
        mantissa = 0;
        rest = true;
        drop = 1;
    }
    const uint64_t whole = mantissa >> drop, left = mantissa & (((uint64_t)1 << drop) - 1);
    const uint64_t half = (uint64_t)1 << (drop - 1);
    bool up = false;
    if (fp->round == WT_RNE)
        up = left > half || (left == half && (rest || (whole & 1)));
    else if (fp->round != WT_RTZ)
        up = (left || rest) && (fp->round == WT_RUP) == !sign;
    if (left || rest)
        fp->flags |= WT_FP_INEXACT | WT_FP_UNDERFLOW;
    return fp->flush_output ? sign : sign | (whole + up);
}

/*
 * 2^128 or 2^-128 times (a * b + c), rounded once; see valu_f32.c. The sum rounds a normal
 * result. For a denormal result the sum is truncated, and a sticky bit notes whether a bit was
 * lost.
 */
static uint64_t scaled_fma(uint64_t a, uint64_t b, uint64_t c, struct wt_fp *fp)
{
    const int n = exponent_of(c) > BIAS ? SCALE : -SCALE;
    struct wt_fp cut = {.round = WT_RTZ, .propagate_nan = true};
    const uint64_t sum = wt_f64_fma(a, b, c, &cut);
    const int exponent = exponent_of(sum);
    if (exponent == 0 || exponent == 2047 || exponent + n >= 1)
        return gcn_ldexp64(wt_f64_fma(a, b, c, fp), n, fp);
    return denormal_of(sum & F64_SIGN, (sum & 0xfffffffffffff) | (uint64_t)1 << 52,
                       (unsigned)(1 - exponent - n), cut.flags & WT_FP_INEXACT, fp);
}

void gcn_vop_v_div_fmas_f64(struct gcn_valu *v)
{
    if (gcn_pair(&v->w->s[GCN_VCC]) & v->exec)
        div_fmas_each(v, scaled_fma);
    else
        gcn_vop_v_fma_f64(v);
}

SOFT(v_div_fixup_f64, div_fixup(a, b, c, fp))

/* See valu_f32.c. */
static CLONED fix_signs(uint64_t *d, const uint64_t *quotient, const uint64_t *den,
                        const uint64_t *num, uint64_t *some)
{
    uint64_t any = 0;
    LANES {
        const uint64_t p = num[i] >> 52 & 0x7ff, q = den[i] >> 52 & 0x7ff, r = quotient[i];
        const uint64_t e = r >> 52 & 0x7ff;
        /* A difference is below zero where a number is out of range; the quotient must be normal,
         * too. */
        any |= (p - 1) | (2046 - p) | (q - 1) | (2046 - q) | (p + 1075 - q) | (e - 1) | (2046 - e);
        d[i] = ((den[i] ^ num[i]) & F64_SIGN) | (r & ~F64_SIGN);
    }
    *some = any >> 63;
}

void gcn_vop_v_div_fixup_f64(struct gcn_valu *v)
{
    uint64_t room[3][GCN_LANES], result[GCN_LANES], some = gcn_few_lanes(v->exec);
    if (!some)
        fix_signs(result, counting(v, v->a, room[0]), counting(v, v->b, room[1]),
                  counting(v, v->c, room[2]), &some);
    if (some)
        compute_soft(v, soft_v_div_fixup_f64);
    else
        memcpy(v->d, result, sizeof result);
}

/* ---- least and greatest ---- */

static uint64_t pick(uint64_t x, uint64_t y, bool greatest, bool ieee, struct wt_fp *fp)
{
    x = flushed64(x, fp->flush_input);
    y = flushed64(y, fp->flush_input);
    if (snan64(x) || snan64(y))
        fp->flags |= WT_FP_INVALID;
    if (ieee && snan64(x))
        return quiet64(x);
    if (ieee && snan64(y))
        return quiet64(y);
    if (nan64(x))
        return y;
    if (nan64(y))
        return x;
    return (key64(x) < key64(y)) != greatest ? x : y;
}

static void pick_each(struct gcn_valu *v, bool greatest)
{
    ROWS64;
    const bool ieee = v->w->mode & GCN_MODE_IEEE;
    struct wt_fp fp = gcn_fp_env(v->w, false);
    uint8_t flags = 0;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        if (!(v->exec >> i & 1))
            continue;
        fp.flags = 0;
        note_denormal64(&fp, a[i], b[i], 0);
        d[i] = pick(a[i], b[i], greatest, ieee, &fp);
        flags |= fp.flags;
    }
    fp.flags = flags;
    gcn_fp_raise(v->w, &fp);
}

/* Numbers alone, none of them denormal, are compared as integers. */
#define ROW_PICK(name, greatest)                                                                   \
    CLONED gcn_vop_##name(struct gcn_valu *v)                                                      \
    {                                                                                              \
        ROWS64;                                                                                    \
        uint64_t special = 0;                                                                      \
        LANES {                                                                                    \
            const uint64_t x = nan64(a[i]), y = nan64(b[i]);                                       \
            const uint64_t p = denormal64(a[i]), q = denormal64(b[i]);                             \
            special |= x | y | p | q;                                                              \
        }                                                                                          \
        if (special) {                                                                             \
            pick_each(v, greatest);                                                                \
            return;                                                                                \
        }                                                                                          \
        LANES {                                                                                    \
            d[i] = (key64(a[i]) < key64(b[i])) != greatest ? a[i] : b[i];                          \
        }                                                                                          \
    }
ROW_PICK(v_min_f64, false)
ROW_PICK(v_max_f64, true)

/* ---- parts of a number ---- */

SOFT(v_fract_f64, fract(a, fp))
ROW_SOFT(v_fract_f64)
SOFT(v_trunc_f64, rounded(a, trunc, fp))
ROW_SOFT(v_trunc_f64)
SOFT(v_ceil_f64, rounded(a, ceil, fp))
ROW_SOFT(v_ceil_f64)
SOFT(v_floor_f64, rounded(a, floor, fp))
ROW_SOFT(v_floor_f64)
SOFT(v_rndne_f64, rounded(a, roundeven, fp))
ROW_SOFT(v_rndne_f64)

SOFT(v_frexp_mant_f64, frexp_mant(a, fp))
ROW_SOFT(v_frexp_mant_f64)

void gcn_vop_v_frexp_exp_i32_f64(struct gcn_valu *v)
{
    const uint64_t *a = v->a;
    uint32_t *d = v->d;
    const bool flush = gcn_fp_env(v->w, false).flush_input;
    gcn_fp_note64(v, a);
    for (unsigned i = 0; i < GCN_LANES; i++) {
        uint64_t mantissa;
        d[i] =
            (a[i] & F64_INF) == F64_INF ? 0 : (uint32_t)frexp_of(flushed64(a[i], flush), &mantissa);
    }
}

void gcn_vop_v_ldexp_f64(struct gcn_valu *v)
{
    const uint64_t *a = v->a;
    const uint32_t *b = v->b;
    uint64_t *d = v->d;
    struct wt_fp fp = gcn_fp_env(v->w, false);
    gcn_fp_note64(v, a);
    for (unsigned i = 0; i < GCN_LANES; i++) {
        const int32_t n = (int32_t)b[i];
        if (v->exec >> i & 1)
            d[i] = gcn_ldexp64(a[i], n > 5000 ? 5000 : n < -5000 ? -5000 : n, &fp);
    }
    gcn_fp_raise(v->w, &fp);
}

/* Within one unit of the last place: the manual asks for less. */
static uint64_t inverse_root(uint64_t a, struct wt_fp *fp)
{
    struct wt_fp steps = {.propagate_nan = true};
    const uint64_t root = wt_f64_sqrt(flushed64(a, fp->flush_input), &steps);
    const uint64_t result = wt_f64_div(0x3ff0000000000000, root, &steps);
    fp->flags |= steps.flags & (WT_FP_INVALID | WT_FP_DIVZERO);
    return result;
}

SOFT(rcp, wt_f64_div(0x3ff0000000000000, a, fp))
SOFT(sqrt, wt_f64_sqrt(a, fp))
SOFT(rsq, inverse_root(a, fp))

void gcn_vop_v_rcp_f64(struct gcn_valu *v)
{
    compute(v, gcn_fp_host_fma() && !gcn_few_lanes(v->exec) ? host_rcp : NULL, soft_rcp);
}

void gcn_vop_v_sqrt_f64(struct gcn_valu *v)
{
    compute(v, gcn_fp_host_fma() && !gcn_few_lanes(v->exec) ? host_sqrt : NULL, soft_sqrt);
}

/* Of its two steps only what the first source calls for is raised. */
void gcn_vop_v_rsq_f64(struct gcn_valu *v)
{
    const uint32_t before = v->w->trapsts;
    compute(v, gcn_fp_host_fma() && !gcn_few_lanes(v->exec) ? host_rsq : NULL, soft_rsq);
    v->w->trapsts &=
        before | ~(uint32_t)(GCN_EXCP_INEXACT | GCN_EXCP_UNDERFLOW | GCN_EXCP_OVERFLOW);
}

/* The first 1201 bits of the fraction of 2/pi, highest first. */
static const uint64_t two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000,
};

/*
 * V_TRIG_PREOP_F64: 53 bits of 2/pi from bit 53 * S1 on (further on for large S0), for the
 * reduction of large angles.
 */
void gcn_vop_v_trig_preop_f64(struct gcn_valu *v)
{
    const uint64_t *a = v->a;
    const uint32_t *b = v->b;
    uint64_t *d = v->d;
    struct wt_fp fp = {.propagate_nan = true};
    for (unsigned i = 0; i < GCN_LANES; i++) {
        const int exponent = exponent_of(a[i]);
        int shift = (int)(b[i] & 31) * 53;
        if (exponent > 1077)
            shift += exponent - 1077;
        uint64_t bits = 0;
        for (int k = 0; k < 53; k++) {
            const int at = shift + k;
            bits = bits << 1 | (at < 1201 ? two_over_pi[at / 64] >> (63 - at % 64) & 1 : 0);
        }
        const int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
        d[i] = gcn_ldexp64(wt_u64_to_f64(bits, &fp), scale, &fp);
    }
}
