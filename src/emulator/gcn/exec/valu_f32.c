/* Kernels of arithmetic on 32-bit floating point (manual, sections 12.9 to 12.12). */
#include "emulator/gcn/exec/fp.h"

#ifdef GCN_CLONES
#include <immintrin.h>
#endif
#include <math.h>
#include <float.h>
#include <string.h>

#define REAL 32
#include "emulator/gcn/exec/valu_real.h"

/* Sources with 1 in the lanes that do not count, so that they raise nothing. */
static const uint32_t *counting(struct gcn_valu *v, const uint32_t *from, uint32_t *room)
{
    if (!~v->exec || !from)
        return from;
    const uint32_t *on = gcn_lanes_on(v->w, v->exec);
    for (unsigned i = 0; i < GCN_LANES; i++)
        room[i] = (from[i] & on[i]) | (0x3f800000 & ~on[i]);
    return room;
}

/*
 * Whether denormals play a part: a source is one, or a result is so small that it may be one, or
 * zero because it was smaller still. (A product with 0 is 0, and so is a sum of zeros.)
 */
static CLONED are_small(const uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                        uint32_t *small)
{
    uint32_t some = 0;
    LANES {
        const uint32_t x = a[i] & ~F32_SIGN, y = b[i] & ~F32_SIGN, z = c[i] & ~F32_SIGN;
        const uint32_t result = d[i] & ~F32_SIGN, zero = (result | (x & (0 - (y != 0)))) == 0;
        some |= (x - 1 < 0x7fffff) | (y - 1 < 0x7fffff) | (z - 1 < 0x7fffff);
        some |= (result <= 0x800000) & (zero ^ 1);
    }
    *small = some;
}

static void compute(struct gcn_valu *v, host_fn host, soft_fn soft)
{
    _Alignas(64) uint32_t room[4][GCN_LANES];
    const bool denormals = gcn_fp_host(v->w, true);
    if (!host || !(denormals || gcn_fp_nearest(v->w, true))) {
        compute_soft(v, soft);
        return;
    }
    const uint32_t *a = counting(v, v->a, room[0]);
    const uint32_t *b = counting(v, v->b, room[1]);
    const uint32_t *c = counting(v, v->c, room[2]);
    uint32_t *d = denormals ? v->d : room[3], small = 0;
    const uint32_t before = v->w->trapsts;
    gcn_fp_begin(v->w);
    host(d, a, b, c);
    gcn_fp_end(v->w);
    if (denormals)
        return;
    are_small(d, a, b, c ? c : b, &small);
    if (small) {
        v->w->trapsts = before;
        compute_soft(v, soft);
    } else {
        memcpy(v->d, d, sizeof room[3]);
    }
}

/* NaNs, which are rare, are settled once it is known that there are some. */
#define HOST(name, expression, nan)                                                                \
    static CLONED host_##name(uint32_t *d, const uint32_t *a, const uint32_t *b,                   \
                              const uint32_t *c)                                                   \
    {                                                                                              \
        _Alignas(64) uint32_t result[GCN_LANES];                                                   \
        uint32_t greatest = 0;                                                                     \
        (void)c;                                                                                   \
        LANES {                                                                                    \
            const float x = wt_float_of_bits(a[i]), y = wt_float_of_bits(b[i]);                    \
            (void)x, (void)y;                                                                      \
            result[i] = wt_float_bits(expression);                                                 \
            const uint32_t size = result[i] & ~F32_SIGN;                                           \
            greatest = size > greatest ? size : greatest;                                          \
        }                                                                                          \
        if (greatest > F32_INF) {                                                                  \
            LANES                                                                                  \
                result[i] = settle(result[i], nan);                                                \
        }                                                                                          \
        memcpy(d, result, sizeof result);                                                          \
    }
#define ROW_BOTH(name)                                                                             \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        compute(v, host_##name, soft_##name);                                                      \
    }
HOST(v_add_f32, x + y, a[i] COMMA b[i] COMMA 0)
SOFT(v_add_f32, wt_f32_add(a, b, fp))
ROW_BOTH(v_add_f32)
HOST(v_sub_f32, x - y, a[i] COMMA b[i] COMMA 0)
SOFT(v_sub_f32, wt_f32_sub(a, b, fp))
ROW_BOTH(v_sub_f32)
HOST(v_subrev_f32, y - x, b[i] COMMA a[i] COMMA 0)
SOFT(v_subrev_f32, wt_f32_sub(b, a, fp))
ROW_BOTH(v_subrev_f32)
HOST(v_mul_f32, x *y, a[i] COMMA b[i] COMMA 0)
SOFT(v_mul_f32, wt_f32_mul(a, b, fp))
ROW_BOTH(v_mul_f32)

/* Pairs of singles: OP_SEL, OP_SEL_HI choose those of the results, NEG, NEG_HI negate them. */
static void packed(struct gcn_valu *v, gcn_row_function function)
{
    const struct gcn_uop *u = v->u;
    const void *of[3] = {v->a, v->b, v->c};
    uint32_t(*d)[GCN_LANES] = v->d;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t source[3][GCN_LANES];
        const unsigned chosen = k ? u->op_sel_hi : u->op_sel, neg = k ? u->neg_hi : u->neg;
        for (unsigned i = 0; i < 3 && of[i]; i++) {
            const uint32_t *from = (const uint32_t *)of[i] + (chosen >> i & 1 ? GCN_LANES : 0);
            const uint32_t flip = neg >> i & 1 ? F32_SIGN : 0;
            for (unsigned l = 0; l < GCN_LANES; l++)
                source[i][l] = from[l] ^ flip;
        }
        struct gcn_valu half = *v;
        half.d = d[k];
        half.a = source[0];
        half.b = source[1];
        half.c = of[2] ? source[2] : NULL;
        function(&half);
        if (u->clamp)
            gcn_fp_output(v->w, u, 'f', d[k]);
    }
}

void gcn_vop_v_pk_add_f32(struct gcn_valu *v)
{
    packed(v, gcn_vop_v_add_f32);
}

void gcn_vop_v_pk_mul_f32(struct gcn_valu *v)
{
    packed(v, gcn_vop_v_mul_f32);
}

void gcn_vop_v_pk_fma_f32(struct gcn_valu *v)
{
    packed(v, gcn_vop_v_fma_f32);
}

/* DX9 rules: zero times anything is zero. */
static uint32_t legacy_product(uint32_t a, uint32_t b, struct wt_fp *fp)
{
    const uint32_t x = flushed32(a, fp->flush_input), y = flushed32(b, fp->flush_input);
    return !(x & ~F32_SIGN) || !(y & ~F32_SIGN) ? 0 : wt_f32_mul(a, b, fp);
}

SOFT(v_mul_legacy_f32, legacy_product(a, b, fp))
ROW_SOFT(v_mul_legacy_f32)

/* The products and sums that are rounded twice do not know denormals (section 6.5). */
static uint32_t mad(uint32_t a, uint32_t b, uint32_t c, struct wt_fp *fp, bool legacy)
{
    fp->flush_input = fp->flush_output = true;
    const uint32_t product = legacy ? legacy_product(a, b, fp) : wt_f32_mul(a, b, fp);
    return (nan32(a) || nan32(b)) && nan32(product) ? product : wt_f32_add(product, c, fp);
}

SOFT(v_mad_f32, mad(a, b, c, fp, false))

static CLONED some_signalling(const uint32_t *x, uint32_t *some)
{
    uint32_t any = 0;
    LANES
        any |= snan32(x[i]);
    *some = any;
}

/* The host's product and sum are ours where no denormals play a part, whom they would see. A
 * signalling addend raises nothing where the product is a NaN already. */
void gcn_vop_v_mad_f32(struct gcn_valu *v)
{
    _Alignas(64) uint32_t room[3][GCN_LANES], product[GCN_LANES], sum[GCN_LANES];
    uint32_t small = 0, smaller = 0, signalling = 0;
    const uint32_t before = v->w->trapsts;
    if (gcn_few_lanes(v->exec) || !gcn_fp_nearest(v->w, true)) {
        compute_soft(v, soft_v_mad_f32);
        return;
    }
    const uint32_t *a = counting(v, v->a, room[0]);
    const uint32_t *b = counting(v, v->b, room[1]);
    const uint32_t *c = counting(v, v->c, room[2]);
    gcn_fp_begin(v->w);
    host_v_mul_f32(product, a, b, NULL);
    host_v_add_f32(sum, product, c, NULL);
    gcn_fp_end(v->w);
    are_small(product, a, b, b, &small);
    are_small(sum, product, c, c, &smaller);
    some_signalling(c, &signalling);
    if (small | smaller | signalling) {
        v->w->trapsts = before;
        compute_soft(v, soft_v_mad_f32);
    } else {
        memcpy(v->d, sum, sizeof sum);
    }
}

SOFT(v_mad_legacy_f32, mad(a, b, c, fp, true))
ROW_SOFT(v_mad_legacy_f32)

/* As a fused product and sum, but 0 times anything is 0. */
static uint32_t fma_legacy(uint32_t a, uint32_t b, uint32_t c, struct wt_fp *fp)
{
    const uint32_t x = flushed32(a, fp->flush_input), y = flushed32(b, fp->flush_input);
    const bool nothing = !(x & ~F32_SIGN) || !(y & ~F32_SIGN);
    return nothing ? wt_f32_add(0, c, fp) : wt_f32_fma(a, b, c, fp);
}
SOFT(v_fma_legacy_f32, fma_legacy(a, b, c, fp))
ROW_SOFT(v_fma_legacy_f32)

/* A factor of a light's power: -FLT_MAX where the third source is not positive, or the second one
 * is -FLT_MAX or less, or one of both is a NaN. */
static uint32_t mullit(uint32_t a, uint32_t b, uint32_t c, struct wt_fp *fp)
{
    const float y = wt_float_of_bits(b), z = wt_float_of_bits(c);
    return z > 0 && y > -FLT_MAX ? legacy_product(a, b, fp) : 0xff7fffff;
}
SOFT(v_mullit_f32, mullit(a, b, c, fp))
ROW_SOFT(v_mullit_f32)

void gcn_vop_v_mac_f32(struct gcn_valu *v)
{
    gcn_vop_v_mad_f32(v);
}

void gcn_vop_v_madmk_f32(struct gcn_valu *v)
{
    gcn_vop_v_mad_f32(v);
}

void gcn_vop_v_madak_f32(struct gcn_valu *v)
{
    gcn_vop_v_mad_f32(v);
}

/* ---- fused ---- */

/* By hand: in code that may round in any way, compilers do not make vectors of it. */
#ifdef GCN_CLONES
static __attribute__((target("avx2,fma"))) void host_fma(uint32_t *d, const uint32_t *a,
                                                         const uint32_t *b, const uint32_t *c)
{
    _Alignas(64) uint32_t result[GCN_LANES];
    __m256i some = _mm256_setzero_si256();
    for (unsigned i = 0; i < GCN_LANES; i += 8) {
        const __m256 r = _mm256_fmadd_ps(_mm256_loadu_ps((const float *)(const void *)(a + i)),
                                         _mm256_loadu_ps((const float *)(const void *)(b + i)),
                                         _mm256_loadu_ps((const float *)(const void *)(c + i)));
        _mm256_store_ps((float *)(void *)(result + i), r);
        /* As integers: a comparison of floats would raise the exception of denormal sources. */
        const __m256i size = _mm256_and_si256(_mm256_castps_si256(r), _mm256_set1_epi32(INT32_MAX));
        some = _mm256_or_si256(some, _mm256_cmpgt_epi32(size, _mm256_set1_epi32(F32_INF)));
    }
    if (!_mm256_testz_si256(some, some)) {
        LANES
            result[i] = settle(result[i], a[i], b[i], c[i]);
    }
    memcpy(d, result, sizeof result);
}
#else
#define host_fma NULL
#endif
SOFT(fma, wt_f32_fma(a, b, c, fp))

void gcn_vop_v_fma_f32(struct gcn_valu *v)
{
    compute(v, gcn_fp_host_fma() ? host_fma : NULL, soft_fma);
}

void gcn_vop_v_fmac_f32(struct gcn_valu *v)
{
    gcn_vop_v_fma_f32(v);
}

/* 2^64 or 2^-64 times (a * b + c), rounded once: the scale goes into a factor and the addend, in 64
 * bits. Which of both shows in the exponent of the addend. */
static uint32_t scaled_fma(uint32_t a, uint32_t b, uint32_t c, struct wt_fp *fp)
{
    const int n = (c >> 23 & 0xff) > 127 ? 64 : -64;
    struct wt_fp exact = {.round = fp->round, .propagate_nan = true};
    const uint64_t x = gcn_ldexp64(wt_f32_to_f64(a, &exact), n, &exact);
    const uint64_t z = gcn_ldexp64(wt_f32_to_f64(c, &exact), n, &exact);
    const uint64_t y = wt_f32_to_f64(b, &exact);
    /* Rounded to odd in 64 bits, so that the second rounding is as good as the only one. */
    struct wt_fp odd = {.round = WT_RTZ, .propagate_nan = true};
    uint64_t sum = wt_f64_fma(x, y, z, &odd);
    if (odd.flags & WT_FP_INEXACT)
        sum |= 1;
    return wt_f64_to_f32(sum, fp);
}

/*
 * V_DIV_FMAS_F32: undoes the scaling that V_DIV_SCALE_F32 has noted in VCC. Which way it went shows
 * in the exponent of the addend, the quotient so far.
 */
void gcn_vop_v_div_fmas_f32(struct gcn_valu *v)
{
    if (gcn_pair(&v->w->s[GCN_VCC]) & v->exec)
        div_fmas_each(v, scaled_fma);
    else
        gcn_vop_v_fma_f32(v);
}

/* ---- division (section 12.12) ---- */

/* Not 0: x is denormal in some lane, or num / den is not one of normal numbers that needs no scale:
 * 24 <= num's exponent, den's <= 252, and their difference is -125 to 95. */
static CLONED need_scale(const uint32_t *x, const uint32_t *den, const uint32_t *num,
                         uint32_t *some)
{
    uint32_t any = 0;
    LANES {
        const uint32_t p = num[i] >> 23 & 0xff, q = den[i] >> 23 & 0xff;
        any |= (p - 24 > 254 - 24) | (q - 1 > 252 - 1) | (p + 125 - q > 95 + 125);
        any |= denormal32(x[i]);
    }
    *some = any;
}

void gcn_vop_v_div_scale_f32(struct gcn_valu *v)
{
    ROWS32;
    uint32_t room[3][GCN_LANES], some = gcn_few_lanes(v->exec);
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

SOFT(v_div_fixup_f32, div_fixup(a, b, c, fp))

/* Of normal numbers whose quotient is not far below the least, only the sign is put right. Not 0:
 * some lane is not so, or its quotient so far is a NaN or denormal. */
static CLONED fix_signs(uint32_t *d, const uint32_t *quotient, const uint32_t *den,
                        const uint32_t *num, uint32_t *some)
{
    uint32_t any = 0;
    LANES {
        const uint32_t p = num[i] >> 23 & 0xff, q = den[i] >> 23 & 0xff, r = quotient[i];
        any |= (p - 1 > 254 - 1) | (q - 1 > 254 - 1) | (p + 150 - q > 150 + 254);
        any |= nan32(r) | denormal32(r);
        d[i] = ((den[i] ^ num[i]) & F32_SIGN) | (r & ~F32_SIGN);
    }
    *some = any;
}

void gcn_vop_v_div_fixup_f32(struct gcn_valu *v)
{
    uint32_t room[3][GCN_LANES], result[GCN_LANES], some = gcn_few_lanes(v->exec);
    if (!some)
        fix_signs(result, counting(v, v->a, room[0]), counting(v, v->b, room[1]),
                  counting(v, v->c, room[2]), &some);
    if (some)
        compute_soft(v, soft_v_div_fixup_f32);
    else
        memcpy(v->d, result, sizeof result);
}

/* ---- least and greatest ---- */

/* In IEEE mode a signalling NaN is the result, quieted; a quiet one loses against a number. */
static inline uint32_t pick(uint32_t x, uint32_t y, uint32_t greatest, uint32_t ieee)
{
    const uint32_t below = key32(x) < key32(y), p = nan32(x), q = nan32(y);
    const uint32_t sp = snan32(x), sq = snan32(y);
    const uint32_t number = either32(p, y, either32(q | (below ^ greatest), x, y));
    return either32(sp & ieee, quiet32(x), either32(sq & ieee, quiet32(y), number));
}

static inline uint32_t middle(uint32_t x, uint32_t y, uint32_t z, uint32_t ieee)
{
    const int32_t p = key32(x), q = key32(y), r = key32(z);
    const int32_t least = p < q ? p : q, most = p < q ? q : p;
    /* A key is its own inverse. */
    const uint32_t number = (uint32_t)key32((uint32_t)(r < least ? least : r > most ? most : r));
    const uint32_t nx = nan32(x), ny = nan32(y), nz = nan32(z);
    return either32(nx | ny | nz, pick(pick(x, y, false, ieee), z, false, ieee), number);
}

/* Numbers alone, none of them denormal, are compared as integers: `numbers`, of their keys k, l, m.
 * Else lane by lane: `any`. */
#define ROW_PICK(name, any, numbers)                                                               \
    CLONED gcn_vop_##name(struct gcn_valu *v)                                                      \
    {                                                                                              \
        const uint32_t *pa = v->a, *pb = v->b, *pc = v->c ? v->c : v->a;                           \
        uint32_t *d = v->d;                                                                        \
        uint32_t special = 0;                                                                      \
        LANES {                                                                                    \
            const uint32_t x = nan32(pa[i]), y = nan32(pb[i]), z = nan32(pc[i]);                   \
            const uint32_t p = denormal32(pa[i]), q = denormal32(pb[i]), r = denormal32(pc[i]);    \
            special |= x | y | z | p | q | r;                                                      \
        }                                                                                          \
        if (!special) {                                                                            \
            LANES {                                                                                \
                const int32_t k = key32(pa[i]), l = key32(pb[i]), m = key32(pc[i]);                \
                (void)m;                                                                           \
                d[i] = (uint32_t)key32((uint32_t)(numbers)); /* a key is its own inverse */        \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        const bool ieee = v->w->mode & GCN_MODE_IEEE;                                              \
        struct wt_fp fp = gcn_fp_env(v->w, true);                                                  \
        uint8_t flags = 0;                                                                         \
        for (unsigned i = 0; i < GCN_LANES; i++) {                                                 \
            const uint32_t a = flushed32(pa[i], fp.flush_input);                                   \
            const uint32_t b = flushed32(pb[i], fp.flush_input);                                   \
            const uint32_t c = flushed32(pc[i], fp.flush_input);                                   \
            if (!(v->exec >> i & 1))                                                               \
                continue;                                                                          \
            fp.flags = (snan32(a) | snan32(b) | snan32(c)) ? WT_FP_INVALID : 0;                    \
            note_denormal32(&fp, a, b, c);                                                         \
            flags |= fp.flags;                                                                     \
            d[i] = any;                                                                            \
        }                                                                                          \
        fp.flags = flags;                                                                          \
        gcn_fp_raise(v->w, &fp);                                                                   \
    }

#define LEAST(x, y) ((x) < (y) ? (x) : (y))
#define MOST(x, y) ((x) < (y) ? (y) : (x))
ROW_PICK(v_min_f32, pick(a, b, false, ieee), LEAST(k, l))
ROW_PICK(v_max_f32, pick(a, b, true, ieee), MOST(k, l))
ROW_PICK(v_min3_f32, pick(pick(a, b, false, ieee), c, false, ieee), LEAST(LEAST(k, l), m))
ROW_PICK(v_max3_f32, pick(pick(a, b, true, ieee), c, true, ieee), MOST(MOST(k, l), m))
ROW_PICK(v_med3_f32, middle(a, b, c, ieee), MOST(LEAST(k, l), LEAST(MOST(k, l), m)))

/* ---- parts of a number ---- */

/*
 * Rounding to integers of many lanes at once: of ordinary values, by operations that vectorise. The
 * host's functions for it do not where traps of floating point count.
 */

/* Towards zero, with the sign kept; from 2^23 on all numbers are integers. */
static inline float truncated(float x)
{
    const uint32_t bits = wt_float_bits(x), size = bits & ~F32_SIGN;
    const float inside =
        wt_float_of_bits(size & (0 - (uint32_t)(size < 0x4b000000))); /* below 2^23 */
    const uint32_t cut = wt_float_bits((float)(int32_t)inside);
    return wt_float_of_bits(either32(size < 0x4b000000, cut, size) | (bits & F32_SIGN));
}

static inline float floored(float x)
{
    const float t = truncated(x);
    return wt_float_of_bits(either32(t > x, wt_float_bits(t - 1), wt_float_bits(t)));
}

static inline float raised(float x)
{
    const float t = truncated(x);
    return wt_float_of_bits(either32(t < x, wt_float_bits(t + 1), wt_float_bits(t)));
}

/* To the nearest, ties to even: the host's addition rounds so. */
static inline float evened(float x)
{
    const uint32_t bits = wt_float_bits(x), size = bits & ~F32_SIGN;
    const float sum = wt_float_of_bits(size & (0 - (uint32_t)(size < 0x4b000000))) + 0x1p23f;
    const uint32_t whole = wt_float_bits(sum - 0x1p23f);
    return wt_float_of_bits(either32(size < 0x4b000000, whole, size) | (bits & F32_SIGN));
}

/* Not 0: a lane has a NaN, an infinity or a denormal. */
static CLONED find_unusual(const uint32_t *a, uint32_t *unusual)
{
    uint32_t some = 0;
    LANES {
        const uint32_t size = a[i] & ~F32_SIGN;
        some |= (size >= F32_INF) | (size - 1 < 0x7fffff);
    }
    *unusual = some;
}

#define ROW_ROUNDED(name, how)                                                                     \
    static CLONED many_##name(uint32_t *d, const uint32_t *a)                                      \
    {                                                                                              \
        LANES                                                                                      \
            d[i] = wt_float_bits(how(wt_float_of_bits(a[i])));                                     \
    }                                                                                              \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        _Alignas(64) uint32_t room[GCN_LANES];                                                     \
        const uint32_t *a = counting(v, v->a, room);                                               \
        uint32_t unusual;                                                                          \
        find_unusual(a, &unusual);                                                                 \
        if (unusual)                                                                               \
            compute_soft(v, soft_##name);                                                          \
        else                                                                                       \
            many_##name(v->d, a);                                                                  \
    }

SOFT(v_trunc_f32, rounded(a, truncf, fp))
ROW_ROUNDED(v_trunc_f32, truncated)
SOFT(v_ceil_f32, rounded(a, ceilf, fp))
ROW_ROUNDED(v_ceil_f32, raised)
SOFT(v_floor_f32, rounded(a, floorf, fp))
ROW_ROUNDED(v_floor_f32, floored)
SOFT(v_rndne_f32, rounded(a, roundevenf, fp))
ROW_ROUNDED(v_rndne_f32, evened)

SOFT(v_fract_f32, fract(a, fp))

/* Where x - floor(x) is rounded, adding the floor again does not give x (Dekker). */
static CLONED many_fract(uint32_t *d, const uint32_t *a, uint32_t *inexact)
{
    uint32_t some = 0;
    LANES {
        const float x = wt_float_of_bits(a[i]), whole = floored(x), r = x - whole;
        some |= r + whole != x;
        d[i] = either32(r >= 1, 0x3f7fffff, wt_float_bits(r));
    }
    *inexact = some;
}

void gcn_vop_v_fract_f32(struct gcn_valu *v)
{
    _Alignas(64) uint32_t room[GCN_LANES];
    const uint32_t *a = counting(v, v->a, room);
    struct wt_fp fp = gcn_fp_env(v->w, true);
    uint32_t unusual, inexact;
    find_unusual(a, &unusual);
    if (unusual || fp.round != WT_RNE) {
        compute_soft(v, soft_v_fract_f32);
        return;
    }
    many_fract(v->d, a, &inexact);
    fp.flags = inexact ? WT_FP_INEXACT : 0;
    gcn_fp_raise(v->w, &fp);
}

static uint32_t frexp_exp(uint32_t a, struct wt_fp *fp)
{
    uint32_t mantissa;
    return (a & F32_INF) == F32_INF ? 0
                                    : (uint32_t)frexp_of(flushed32(a, fp->flush_input), &mantissa);
}

SOFT(v_frexp_mant_f32, frexp_mant(a, fp))
ROW_SOFT(v_frexp_mant_f32)
SOFT(v_frexp_exp_i32_f32, frexp_exp(a, fp))
ROW_SOFT(v_frexp_exp_i32_f32)

/* Normal numbers that stay such: the exponent grows. Not 0: some lane's is not one. */
static CLONED add_exponent(uint32_t *d, const uint32_t *a, const uint32_t *n, uint32_t *some)
{
    uint32_t any = 0;
    LANES {
        const uint32_t exponent = a[i] >> 23 & 0xff;
        any |= (exponent - 1 > 254 - 1) | (exponent + n[i] - 1 > 254 - 1);
        d[i] = a[i] + (n[i] << 23);
    }
    *some = any;
}

/* The second source is an integer. */
void gcn_vop_v_ldexp_f32(struct gcn_valu *v)
{
    ROWS32;
    struct wt_fp fp = gcn_fp_env(v->w, true);
    uint32_t result[GCN_LANES], some = gcn_few_lanes(v->exec);
    if (!some)
        add_exponent(result, a, b, &some);
    if (!some) {
        memcpy(d, result, sizeof result);
        return;
    }
    gcn_fp_note32(v, a);
    for (unsigned i = 0; i < GCN_LANES; i++)
        if (v->exec >> i & 1)
            d[i] = gcn_ldexp32(a[i], (int32_t)b[i], &fp);
    gcn_fp_raise(v->w, &fp);
}

/* ---- cube maps: which face a direction meets, and where (section 12.12) ---- */

static uint32_t magnitude(uint32_t x)
{
    return x & ~F32_SIGN;
}

/* The axis of the largest component: z before y before x; a NaN is never larger. */
static unsigned major_axis(uint32_t x, uint32_t y, uint32_t z)
{
    const float p = wt_float_of_bits(magnitude(x)), q = wt_float_of_bits(magnitude(y)),
                r = wt_float_of_bits(magnitude(z));
    return r >= p && r >= q ? 2 : q >= p ? 1 : 0;
}

static bool below_zero(uint32_t x)
{
    return wt_float_of_bits(x) < 0;
}

static uint32_t cube_id(uint32_t x, uint32_t y, uint32_t z)
{
    const unsigned axis = major_axis(x, y, z);
    return wt_float_bits((float)(2 * axis + below_zero(axis == 2 ? z : axis == 1 ? y : x)));
}

static uint32_t cube_sc(uint32_t x, uint32_t y, uint32_t z)
{
    switch (major_axis(x, y, z)) {
    case 2:
        return below_zero(z) ? x ^ F32_SIGN : x;
    case 1:
        return x;
    default:
        return below_zero(x) ? z : z ^ F32_SIGN;
    }
}

static uint32_t cube_tc(uint32_t x, uint32_t y, uint32_t z)
{
    if (major_axis(x, y, z) != 1)
        return y ^ F32_SIGN;
    return below_zero(y) ? z ^ F32_SIGN : z;
}

static uint32_t cube_ma(uint32_t x, uint32_t y, uint32_t z, struct wt_fp *fp)
{
    const unsigned axis = major_axis(x, y, z);
    const uint32_t major = axis == 2 ? z : axis == 1 ? y : x;
    return wt_f32_add(major, major, fp);
}

#define FLUSHED                                                                                    \
    flushed32(a, fp->flush_input), flushed32(b, fp->flush_input), flushed32(c, fp->flush_input)
SOFT(v_cubeid_f32, cube_id(FLUSHED))
ROW_SOFT(v_cubeid_f32)
SOFT(v_cubesc_f32, cube_sc(FLUSHED))
ROW_SOFT(v_cubesc_f32)
SOFT(v_cubetc_f32, cube_tc(FLUSHED))
ROW_SOFT(v_cubetc_f32)
SOFT(v_cubema_f32, cube_ma(FLUSHED, fp))
ROW_SOFT(v_cubema_f32)
