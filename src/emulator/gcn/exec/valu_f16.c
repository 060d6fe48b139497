/* Kernels of arithmetic on halves, packed pairs of them, and mixed precision (12.9 to 12.12). */
#include "emulator/gcn/exec/fp.h"
#include "emulator/gcn/exec/half_lanes.h"

#include <math.h>

typedef uint32_t (*half_fn)(uint32_t a, uint32_t b, uint32_t c, struct wt_fp *fp, bool ieee);

/* MODE.FP16_OVFL: a finite operation that overflows gives the largest half (section 3.4). */
static uint32_t limited(const struct gcn_wave *w, uint32_t result, const struct wt_fp *fp)
{
    const bool overflowed = fp->flags & WT_FP_OVERFLOW;
    return (w->mode & GCN_MODE_FP16_OVFL) && overflowed && (result & 0x7fff) == F16_INF ? result - 1
                                                                                        : result;
}

static uint32_t one(struct gcn_wave *w, half_fn fn, uint32_t a, uint32_t b, uint32_t c,
                    struct wt_fp *fp, bool ieee)
{
    const uint8_t before = fp->flags;
    fp->flags = 0;
    const uint32_t result = limited(w, fn(a, b, c, fp, ieee), fp);
    fp->flags |= before;
    return result;
}

/* Likewise where a source may be denormal. */
static uint32_t one_noting(struct gcn_wave *w, half_fn fn, uint32_t a, uint32_t b, uint32_t c,
                           struct wt_fp *fp, bool ieee)
{
    const uint8_t before = fp->flags;
    fp->flags = 0;
    const uint32_t result = one(w, fn, a, b, c, fp, ieee);
    note_denormal16(fp, a, b, c);
    fp->flags |= before;
    return result;
}

/* Lane by lane; `denormal`: a source may be. */
static void compute_soft(const struct gcn_valu *v, half_fn fn, bool denormal, uint32_t *d,
                         const uint32_t *a, const uint32_t *b, const uint32_t *c)
{
    const bool ieee = v->w->mode & GCN_MODE_IEEE;
    struct wt_fp fp = gcn_fp_env(v->w, false);
    for (unsigned i = 0; i < GCN_LANES; i++)
        if (v->exec >> i & 1)
            d[i] = denormal ? one_noting(v->w, fn, a[i], b ? b[i] : 0, c ? c[i] : 0, &fp, ieee)
                            : one(v->w, fn, a[i], b ? b[i] : 0, c ? c[i] : 0, &fp, ieee);
    gcn_fp_raise(v->w, &fp);
}

/* Likewise of all lanes at once by the host's arithmetic; false where it is not ours: a result is a
 * NaN, or so small that it may be denormal, or have been. */
typedef bool (*host_fn)(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c);

/* Sources with 1 in the lanes that do not count, so that they raise nothing. */
static const uint32_t *counting(const struct gcn_valu *v, const uint32_t *from, uint32_t *room)
{
    if (!~v->exec || !from)
        return from;
    const uint32_t *on = gcn_lanes_on(v->w, v->exec);
    for (unsigned i = 0; i < GCN_LANES; i++)
        room[i] = (from[i] & on[i]) | (0x3c00 & ~on[i]);
    return room;
}

/* d is none of the sources. */
static void compute_values(const struct gcn_valu *v, half_fn fn, host_fn host, uint32_t *d,
                           const uint32_t *a, const uint32_t *b, const uint32_t *c)
{
    uint32_t room[3][GCN_LANES];
    const uint32_t before = v->w->trapsts;
    const bool denormal = gcn_fp_denormal16(a) || gcn_fp_denormal16(b) || gcn_fp_denormal16(c);
    if (host && !denormal && gcn_fp_host_fma() && gcn_fp_host(v->w, false) &&
        !gcn_few_lanes(v->exec) && !(v->w->mode & GCN_MODE_FP16_OVFL)) {
        const uint32_t *x = counting(v, a, room[0]), *y = counting(v, b, room[1]);
        const uint32_t *z = counting(v, c, room[2]);
        gcn_fp_begin(v->w);
        const bool done = host(d, x, y, z);
        gcn_fp_end(v->w);
        if (done)
            return;
        v->w->trapsts = before;
    }
    compute_soft(v, fn, denormal, d, a, b, c);
}

static void compute(struct gcn_valu *v, half_fn fn, host_fn host)
{
    compute_values(v, fn, host, v->d, v->a, v->b, v->c);
}

/* ---- the host's arithmetic: in 32 bits, where sums, products and quotients of halves round to
 * halves as if they had been rounded once; fused, in 64 bits ---- */

#ifdef GCN_CLONES
#define HOST(name, expression)                                                                     \
    static WITH_HALVES bool host_##name(uint32_t *d, const uint32_t *a, const uint32_t *b,         \
                                        const uint32_t *c)                                         \
    {                                                                                              \
        const __m256 one = _mm256_set1_ps(1);                                                      \
        __m256i odd = _mm256_setzero_si256();                                                      \
        (void)one, (void)c;                                                                        \
        for (unsigned i = 0; i < GCN_LANES; i += 8) {                                              \
            const __m256 x = load_halves(a + i), y = b ? load_halves(b + i) : x;                   \
            (void)y;                                                                               \
            odd = _mm256_or_si256(odd, store_halves(d + i, expression));                           \
        }                                                                                          \
        return _mm256_testz_si256(odd, odd);                                                       \
    }
HOST(add, _mm256_add_ps(x, y))
HOST(sub, _mm256_sub_ps(x, y))
HOST(subrev, _mm256_sub_ps(y, x))
HOST(mul, _mm256_mul_ps(x, y))
HOST(rcp, _mm256_div_ps(one, x))
HOST(sqrt, _mm256_sqrt_ps(x))

/* A product of halves has 22 bits, and 64 bits hold the sum, or tell that something is below it. */
static inline WITH_HALVES __m128 fused(__m128 x, __m128 y, __m128 z)
{
    const __m256d sum = _mm256_fmadd_pd(_mm256_cvtps_pd(x), _mm256_cvtps_pd(y), _mm256_cvtps_pd(z));
    /* Rounded to odd in 32 bits, so that the second rounding is as good as the only one. */
    const __m256i bits = _mm256_castpd_si256(sum), low = _mm256_set1_epi64x(0x1fffffff);
    const __m256i rest = _mm256_and_si256(bits, low);
    const __m256i exact = _mm256_cmpeq_epi64(rest, _mm256_setzero_si256());
    const __m256i sticky = _mm256_andnot_si256(exact, _mm256_set1_epi64x(0x20000000));
    const __m256i odd = _mm256_or_si256(_mm256_andnot_si256(low, bits), sticky);
    return _mm256_cvtpd_ps(_mm256_castsi256_pd(odd));
}

static WITH_HALVES bool host_fma(uint32_t *d, const uint32_t *a, const uint32_t *b,
                                 const uint32_t *c)
{
    __m256i odd = _mm256_setzero_si256();
    for (unsigned i = 0; i < GCN_LANES; i += 8) {
        const __m256 x = load_halves(a + i), y = load_halves(b + i), z = load_halves(c + i);
        const __m128 low =
            fused(_mm256_castps256_ps128(x), _mm256_castps256_ps128(y), _mm256_castps256_ps128(z));
        const __m128 high = fused(_mm256_extractf128_ps(x, 1), _mm256_extractf128_ps(y, 1),
                                  _mm256_extractf128_ps(z, 1));
        odd = _mm256_or_si256(odd, store_halves(d + i, _mm256_set_m128(high, low)));
    }
    return _mm256_testz_si256(odd, odd);
}

static bool host_mad(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c)
{
    uint32_t product[GCN_LANES];
    return host_mul(product, a, b, NULL) && host_add(d, product, c, NULL);
}
#else
#define host_add NULL
#define host_sub NULL
#define host_subrev NULL
#define host_mul NULL
#define host_rcp NULL
#define host_sqrt NULL
#define host_fma NULL
#define host_mad NULL
#endif

#define H(x) ((uint16_t)(x))
#define HALF(name, call)                                                                           \
    static uint32_t name(uint32_t a, uint32_t b, uint32_t c, struct wt_fp *fp, bool ieee)          \
    {                                                                                              \
        (void)b, (void)c, (void)ieee;                                                              \
        return call;                                                                               \
    }
#define ROW_HALF(name, fn)                                                                         \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        compute(v, fn, NULL);                                                                      \
    }
#define ROW_BOTH(name, fn, host)                                                                   \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        compute(v, fn, host);                                                                      \
    }

static inline int32_t key16(uint32_t x)
{
    return key32(x << 16);
}

static uint32_t pick(uint32_t x, uint32_t y, bool greatest, bool ieee, struct wt_fp *fp)
{
    x = flushed16(x, fp->flush_input);
    y = flushed16(y, fp->flush_input);
    if (snan16(x) || snan16(y))
        fp->flags |= WT_FP_INVALID;
    if (ieee && snan16(x))
        return x | 0x200;
    if (ieee && snan16(y))
        return y | 0x200;
    if (nan16(x))
        return y;
    if (nan16(y))
        return x;
    return (key16(x) < key16(y)) != greatest ? x : y;
}

/* Numbers alone are compared as integers; denormals do not come here. */
#define HOST_PICK(name, greatest)                                                                  \
    static CLONED name##_lanes(uint32_t *d, const uint32_t *a, const uint32_t *b, uint32_t *nan)   \
    {                                                                                              \
        uint32_t some = 0;                                                                         \
        LANES {                                                                                    \
            some |= nan16(a[i]) | nan16(b[i]);                                                     \
            d[i] = (key16(a[i]) < key16(b[i])) != greatest ? a[i] : b[i];                          \
        }                                                                                          \
        *nan = some;                                                                               \
    }                                                                                              \
    static bool name(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c)         \
    {                                                                                              \
        uint32_t nan = 0;                                                                          \
        (void)c;                                                                                   \
        name##_lanes(d, a, b, &nan);                                                               \
        return !nan;                                                                               \
    }
HOST_PICK(host_min, false)
HOST_PICK(host_max, true)

static uint32_t middle(uint32_t x, uint32_t y, uint32_t z, bool ieee, struct wt_fp *fp)
{
    if (nan16(x) || nan16(y) || nan16(z))
        return pick(pick(x, y, false, ieee, fp), z, false, ieee, fp);
    return pick(pick(x, y, false, ieee, fp), pick(pick(x, y, true, ieee, fp), z, false, ieee, fp),
                true, ieee, fp);
}

/* Rounded twice, without denormals, as V_MAD_F32. */
static uint32_t mad(uint32_t a, uint32_t b, uint32_t c, struct wt_fp *fp)
{
    fp->flush_input = fp->flush_output = true;
    if (nan16(a) || nan16(b))
        return wt_f16_mul(H(a), H(b), fp);
    return wt_f16_add(wt_f16_mul(H(a), H(b), fp), H(c), fp);
}

HALF(add, wt_f16_add(H(a), H(b), fp))
HALF(sub, wt_f16_sub(H(a), H(b), fp))
HALF(subrev, wt_f16_sub(H(b), H(a), fp))
HALF(mul, wt_f16_mul(H(a), H(b), fp))
HALF(fma_, wt_f16_fma(H(a), H(b), H(c), fp))
HALF(mad_, mad(a, b, c, fp))
HALF(min_, pick(a, b, false, ieee, fp))
HALF(max_, pick(a, b, true, ieee, fp))
HALF(min3, pick(pick(a, b, false, ieee, fp), c, false, ieee, fp))
HALF(max3, pick(pick(a, b, true, ieee, fp), c, true, ieee, fp))
HALF(med3, middle(a, b, c, ieee, fp))
ROW_BOTH(v_add_f16, add, host_add)
ROW_BOTH(v_sub_f16, sub, host_sub)
ROW_BOTH(v_subrev_f16, subrev, host_subrev)
ROW_BOTH(v_mul_f16, mul, host_mul)
ROW_BOTH(v_fma_f16, fma_, host_fma)
ROW_BOTH(v_fma_legacy_f16, fma_, host_fma)
ROW_BOTH(v_mad_f16, mad_, host_mad)
ROW_BOTH(v_mad_legacy_f16, mad_, host_mad)
ROW_BOTH(v_mac_f16, mad_, host_mad)
ROW_BOTH(v_madmk_f16, mad_, host_mad)
ROW_BOTH(v_madak_f16, mad_, host_mad)
ROW_BOTH(v_min_f16, min_, host_min)
ROW_BOTH(v_max_f16, max_, host_max)
ROW_HALF(v_min3_f16, min3)
ROW_HALF(v_max3_f16, max3)
ROW_HALF(v_med3_f16, med3)

/* A function that is exact in 64 bits, rounded back; NaNs come out quiet. */
static uint32_t through_double(uint32_t a, double (*how)(double), struct wt_fp *fp)
{
    struct wt_fp exact = {.propagate_nan = true};
    if (nan16(a))
        return wt_f16_add(H(a), H(a), fp);
    const uint64_t x = wt_f16_to_f64(H(flushed16(a, fp->flush_input)), &exact);
    return wt_f64_to_f16(wt_double_bits(how(wt_double_of_bits(x))), fp);
}

static double fraction(double x)
{
    const double r = x - floor(x);
    return r < 0x1.ffcp-1 ? r : 0x1.ffcp-1;
}

static uint32_t fract(uint32_t a, struct wt_fp *fp)
{
    if ((a & 0x7fff) == F16_INF) {
        fp->flags |= WT_FP_INVALID;
        return F16_NAN;
    }
    return through_double(a, fraction, fp);
}

static int frexp16(uint32_t a, uint32_t *mantissa)
{
    int exponent = (int)(a >> 10 & 0x1f);
    if (exponent == 0) {
        if (!(a & 0x7fff)) {
            *mantissa = a;
            return 0;
        }
        while (!(a & 0x400)) {
            a = (a & F16_SIGN) | (a & 0x3ff) << 1;
            exponent--;
        }
        exponent++;
    }
    *mantissa = (a & 0x83ff) | 14u << 10;
    return exponent - 14;
}

static uint32_t frexp_mant(uint32_t a, struct wt_fp *fp)
{
    uint32_t mantissa;
    if ((a & F16_INF) == F16_INF)
        return nan16(a) ? a | 0x200 : a;
    frexp16(flushed16(a, fp->flush_input), &mantissa);
    return mantissa;
}

static uint32_t frexp_exp(uint32_t a, struct wt_fp *fp)
{
    uint32_t mantissa;
    return (a & F16_INF) == F16_INF ? 0
                                    : (uint32_t)frexp16(flushed16(a, fp->flush_input), &mantissa);
}

static uint32_t ldexp16(uint32_t a, uint32_t b, struct wt_fp *fp)
{
    struct wt_fp exact = {.propagate_nan = true};
    if (nan16(a))
        return wt_f16_add(H(a), H(a), fp);
    const uint64_t x = wt_f16_to_f64(H(flushed16(a, fp->flush_input)), &exact);
    const int n = (int16_t)b;
    return wt_f64_to_f16(gcn_ldexp64(x, n > 200 ? 200 : n < -200 ? -200 : n, &exact), fp);
}

/* The second source is an integer. */
void gcn_vop_v_ldexp_f16(struct gcn_valu *v)
{
    ROWS32;
    struct wt_fp fp = gcn_fp_env(v->w, false);
    uint8_t flags = 0;
    gcn_fp_note16(v, a);
    for (unsigned i = 0; i < GCN_LANES; i++) {
        if (!(v->exec >> i & 1))
            continue;
        fp.flags = 0;
        d[i] = limited(v->w, ldexp16(a[i], b[i], &fp), &fp);
        flags |= fp.flags;
    }
    fp.flags = flags;
    gcn_fp_raise(v->w, &fp);
}

HALF(trunc_, through_double(a, trunc, fp))
HALF(ceil_, through_double(a, ceil, fp))
HALF(floor_, through_double(a, floor, fp))
HALF(rndne, through_double(a, roundeven, fp))
HALF(fract_, fract(a, fp))
HALF(mant, frexp_mant(a, fp))
HALF(exp_, frexp_exp(a, fp))
HALF(rcp, wt_f16_div(0x3c00, H(a), fp))
HALF(sqrt_, wt_f16_sqrt(H(a), fp))
ROW_HALF(v_trunc_f16, trunc_)
ROW_HALF(v_ceil_f16, ceil_)
ROW_HALF(v_floor_f16, floor_)
ROW_HALF(v_rndne_f16, rndne)
ROW_HALF(v_fract_f16, fract_)
ROW_HALF(v_frexp_mant_f16, mant)
ROW_HALF(v_frexp_exp_i16_f16, exp_)
ROW_BOTH(v_rcp_f16, rcp, host_rcp)
ROW_BOTH(v_sqrt_f16, sqrt_, host_sqrt)

static uint32_t div_fixup(uint32_t q, uint32_t den, uint32_t num, struct wt_fp *fp)
{
    const uint32_t sign = (den ^ num) & F16_SIGN;
    den = flushed16(den, fp->flush_input);
    num = flushed16(num, fp->flush_input);
    const uint32_t x = den & 0x7fff, y = num & 0x7fff;
    if (nan16(num))
        return num | 0x200;
    if (nan16(den))
        return den | 0x200;
    if ((!x && !y) || (x == F16_INF && y == F16_INF)) {
        fp->flags |= WT_FP_INVALID;
        return F16_NAN | F16_SIGN;
    }
    if (!x || y == F16_INF) {
        fp->flags |= x ? 0 : WT_FP_DIVZERO;
        return sign | F16_INF;
    }
    if (x == F16_INF || !y)
        return sign;
    return sign | (nan16(q) ? F16_INF : q & 0x7fff);
}

HALF(fixup, div_fixup(a, b, c, fp))
ROW_HALF(v_div_fixup_f16, fixup)
ROW_HALF(v_div_fixup_legacy_f16, fixup)

/* ---- packed pairs: OP_SEL, OP_SEL_HI choose halves, NEG, NEG_HI negate them ---- */

static CLONED choose(const struct gcn_uop *u, uint32_t *to, const uint32_t *from, unsigned source,
                     bool high)
{
    const unsigned sel = high ? u->op_sel_hi : u->op_sel, neg = high ? u->neg_hi : u->neg;
    const unsigned at = sel >> source & 1 ? 16 : 0;
    const uint32_t flip = neg >> source & 1 ? F16_SIGN : 0,
                   keep = u->abs >> source & 1 ? 0xffff & ~F16_SIGN : 0xffff;
    LANES
        to[i] = (from[i] >> at & keep) ^ flip;
}

static CLONED pack(uint32_t *d, const uint32_t *low, const uint32_t *high)
{
    LANES
        d[i] = (low[i] & 0xffff) | high[i] << 16;
}

static void packed(struct gcn_valu *v, half_fn fn, host_fn host)
{
    const struct gcn_uop *u = v->u;
    uint32_t half[2][GCN_LANES] = {0}, source[3][GCN_LANES];
    for (unsigned k = 0; k < 2; k++) {
        choose(u, source[0], v->a, 0, k);
        choose(u, source[1], v->b, 1, k);
        if (v->c)
            choose(u, source[2], v->c, 2, k);
        compute_values(v, fn, host, half[k], source[0], source[1], v->c ? source[2] : NULL);
        if (u->clamp)
            gcn_fp_output(v->w, u, 'h', half[k]);
    }
    pack(v->d, half[0], half[1]);
}

#define ROW_PACKED(name, fn, host)                                                                 \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        packed(v, fn, host);                                                                       \
    }
ROW_PACKED(v_pk_add_f16, add, host_add)
ROW_PACKED(v_pk_mul_f16, mul, host_mul)
ROW_PACKED(v_pk_fma_f16, fma_, host_fma)
ROW_PACKED(v_pk_min_f16, min_, host_min)
ROW_PACKED(v_pk_max_f16, max_, host_max)

/* A half as a single. */
static uint32_t single_of(uint32_t half, bool flush, struct wt_fp *exact)
{
    return flush && denormal16(half) ? 0 : wt_f16_to_f32((uint16_t)half, exact);
}

/*
 * Products of halves are exact singles. Their order and roundings are not published: here the
 * products are added, then the addend. Denormal halves are kept whatever MODE says, or (gfx90a) are
 * +0; denormal singles are flushed (LLVM's pull request 205101; comments of LLVM's code generator
 * for AMD's GPUs).
 */
void gcn_vop_v_dot2_f32_f16(struct gcn_valu *v)
{
    ROWS32;
    uint32_t half[2][2][GCN_LANES]; /* [low or high][source] */
    struct wt_fp fp = gcn_fp_env(v->w, true), exact = {.propagate_nan = true};
    fp.flush_input = fp.flush_output = true;
    for (unsigned k = 0; k < 2; k++) {
        choose(v->u, half[k][0], a, 0, k);
        choose(v->u, half[k][1], b, 1, k);
    }
    const bool flush = gcn_model_of(v->w->device)->flushes_matrices;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        uint32_t product[2];
        if (!(v->exec >> i & 1))
            continue;
        for (unsigned k = 0; k < 2; k++)
            product[k] = wt_f32_mul(single_of(half[k][0][i], flush, &exact),
                                    single_of(half[k][1][i], flush, &exact), &fp);
        d[i] = wt_f32_add(wt_f32_add(product[0], product[1], &fp), c[i], &fp);
    }
    fp.flags |= exact.flags & WT_FP_INVALID;
    gcn_fp_raise(v->w, &fp);
}

/*
 * V_MAD_MIX, V_FMA_MIX: each source is a single, or a half that OP_SEL chooses where OP_SEL_HI says
 * so; NEG negates, NEG_HI is ABS.
 */
static uint32_t modified(const struct gcn_uop *u, uint32_t x, unsigned source)
{
    if (u->neg_hi >> source & 1)
        x &= ~F32_SIGN;
    return u->neg >> source & 1 ? x ^ F32_SIGN : x;
}

/* The half that is the source; false: the source is a single. */
static bool is_half(const struct gcn_uop *u, uint32_t x, unsigned source, uint32_t *half)
{
    *half = u->op_sel >> source & 1 ? x >> 16 : x & 0xffff;
    return u->op_sel_hi >> source & 1;
}

/* A source of V_MAD_MIX: MODE's denormals of halves are those of its halves. */
static uint32_t mixed(const struct gcn_valu *v, uint32_t x, unsigned source, bool *denormal)
{
    struct wt_fp exact = {.propagate_nan = true};
    uint32_t half;
    if (is_half(v->u, x, source, &half)) {
        const bool flush = gcn_fp_env(v->w, false).flush_input;
        *denormal |= !flush && denormal16(half);
        x = wt_f16_to_f32((uint16_t)flushed16(half, flush), &exact);
    } else {
        x = flushed32(x, gcn_fp_env(v->w, true).flush_input);
    }
    return modified(v->u, x, source);
}

/* A source of V_FMA_MIX: where MODE flushes denormals of 32 bits, one of either size is +0 (as
 * gfx90a and gfx950 were seen to do: LLVM's pull request 205101). */
static uint32_t fused_mixed(const struct gcn_valu *v, uint32_t x, unsigned source, bool *denormal)
{
    struct wt_fp exact = {.propagate_nan = true};
    uint32_t half;
    const bool is = is_half(v->u, x, source, &half), low = is ? denormal16(half) : denormal32(x);
    if (low && gcn_fp_env(v->w, true).flush_input)
        return 0;
    *denormal |= low;
    return modified(v->u, is ? wt_f16_to_f32((uint16_t)half, &exact) : x, source);
}

/* V_MAD_MIX: the product is rounded, then the sum, as in V_MAD_F32. */
static uint32_t mad_mixed(uint32_t x, uint32_t y, uint32_t z, struct wt_fp *fp)
{
    return nan32(x) || nan32(y) ? wt_f32_mul(x, y, fp) : wt_f32_add(wt_f32_mul(x, y, fp), z, fp);
}

struct mix {
    uint32_t (*source)(const struct gcn_valu *v, uint32_t x, unsigned source, bool *denormal);
    uint32_t (*compute)(uint32_t x, uint32_t y, uint32_t z, struct wt_fp *fp);
    bool flushes; /* it does not know denormals of 32 bits */
};
static const struct mix mad_mix = {mixed, mad_mixed, true};
static const struct mix fma_mix = {fused_mixed, wt_f32_fma, false};

static void mix(struct gcn_valu *v, const struct mix *how, bool to_half)
{
    ROWS32;
    struct wt_fp fp = gcn_fp_env(v->w, true), half = gcn_fp_env(v->w, false);
    half.flush_input = false;
    fp.flush_input |= how->flushes;
    fp.flush_output |= how->flushes;
    uint8_t flags = 0;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        if (!(v->exec >> i & 1))
            continue;
        bool denormal = false;
        const uint32_t x = how->source(v, a[i], 0, &denormal),
                       y = how->source(v, b[i], 1, &denormal),
                       z = how->source(v, c[i], 2, &denormal);
        fp.flags = half.flags = 0;
        d[i] = how->compute(x, y, z, &fp);
        if (denormal && !(nan32(x) | nan32(y) | nan32(z)) && !(fp.flags & WT_FP_INVALID))
            fp.flags |= FP_DENORMAL;
        if (to_half)
            d[i] = limited(v->w, wt_f32_to_f16(d[i], &half), &half);
        flags |= fp.flags | half.flags;
    }
    fp.flags = flags;
    gcn_fp_raise(v->w, &fp);
}

#define ROW_MIX(name, how, to_half)                                                                \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        mix(v, &how, to_half);                                                                     \
    }
ROW_MIX(v_mad_mix_f32, mad_mix, false)
ROW_MIX(v_mad_mixlo_f16, mad_mix, true)
ROW_MIX(v_mad_mixhi_f16, mad_mix, true)
ROW_MIX(v_fma_mix_f32, fma_mix, false)
ROW_MIX(v_fma_mixlo_f16, fma_mix, true)
ROW_MIX(v_fma_mixhi_f16, fma_mix, true)
