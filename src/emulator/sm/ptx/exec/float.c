/*
 * PTX: floating point (manual 9.7.3, 9.7.4), comparison (9.7.7). What rounds to nearest without
 * further wishes is the host's arithmetic; the rest is softfloat's. The approximations are the
 * correctly rounded values but for a last bit, as MUFU's are (docs/ptx.md).
 */
#include <math.h>

#include "base/bits.h"
#include "emulator/machine/softfloat.h"
#include "emulator/sm/ptx/exec/half.h"
#include "emulator/sm/ptx/exec/rows.h"

/* ---- the fast ones ---- */

PTX_ROW(add_f32, float, float, uint32_t, one_nan(a + b))
PTX_ROW(sub_f32, float, float, uint32_t, one_nan(a - b))
PTX_ROW(mul_f32, float, float, uint32_t, one_nan(a *b))
PTX_ROW(fma_f32, float, float, uint32_t, one_nan(fmaf(a, b, c)))
PTX_ROW(div_f32, float, float, uint32_t, one_nan(a / b))
PTX_ROW(add_f64, double, double, uint64_t, settled(a + b, b, a, 0))
PTX_ROW(sub_f64, double, double, uint64_t, settled(a - b, b, a, 0))
PTX_ROW(mul_f64, double, double, uint64_t, settled(a *b, b, a, 0))
PTX_ROW(fma_f64, double, double, uint64_t, settled(fma(a, b, c), b, c, a))
PTX_ROW(div_f64, double, double, uint64_t, settled(a / b, a, b, 0))

/* ---- the others, a lane at a time ---- */

static uint32_t flush(uint32_t a)
{
    return a & 0x7f800000 ? a : a & 0x80000000u;
}

static inline uint32_t saturate(uint32_t r)
{
    const float v = wt_float_of_bits(r);
    return v >= 1 ? 0x3f800000 : v > 0 ? r : 0; /* NaN, -0 and below: 0 */
}

static uint32_t approximate(const struct ptx_op *o, uint32_t bits)
{
    const double a = (double)wt_float_of_bits(o->ftz ? flush(bits) : bits);
    switch (o->how) {
    case PTX_OP_rcp:
        return one_nan((float)(1 / a));
    case PTX_OP_sqrt:
        return one_nan((float)sqrt(a));
    case PTX_OP_rsqrt:
        return one_nan((float)(1 / sqrt(a)));
    case PTX_OP_sin: /* the unit flushes its operand */
        return one_nan((float)sin((double)wt_float_of_bits(flush(bits))));
    case PTX_OP_cos:
        return one_nan((float)cos(a));
    case PTX_OP_lg2:
        return one_nan((float)log2(a));
    case PTX_OP_ex2:
        return one_nan((float)exp2(a));
    default:
        return one_nan((float)tanh(a));
    }
}

/*
 * div.approx, div.full: a * (1 / b), each rounded (9.7.3.8). Of .approx 1 / b is 0 where b is 2^126
 * or more; .full scales both then. A subnormal divisor is scaled, too, where it is not flushed.
 */
static uint32_t approximate_quotient(const struct ptx_op *o, uint32_t a_bits, uint32_t b_bits)
{
    enum { LARGE = 0x7e800000 };
    float a = wt_float_of_bits(o->ftz ? flush(a_bits) : a_bits),
          b = wt_float_of_bits(o->ftz ? flush(b_bits) : b_bits), after = 1;
    const uint32_t size = b_bits & 0x7fffffff;
    if (o->count && size > LARGE) {
        a *= 0.25f;
        b *= 0.25f;
    } else if (size < 0x800000 && b != 0) {
        b *= 0x1p24f;
        after = 0x1p24f;
    }
    const uint32_t inverse = wt_float_bits(1 / b);
    const float rounded = wt_float_of_bits(flush(inverse));
    const uint32_t r = wt_float_bits(a * rounded * after);
    return one_nan(wt_float_of_bits(o->ftz ? flush(r) : r));
}

static uint32_t single(const struct ptx_op *o, uint32_t a, uint32_t b, uint32_t c)
{
    struct wt_fp fp = {
        .round = o->round, .propagate_nan = true, .flush_input = o->ftz, .flush_output = o->ftz};
    uint32_t r;
    switch (o->how) {
    case PTX_OP_add:
        r = wt_f32_add(a, b, &fp);
        break;
    case PTX_OP_sub:
        r = wt_f32_sub(a, b, &fp);
        break;
    case PTX_OP_mul:
        r = wt_f32_mul(a, b, &fp);
        break;
    case PTX_OP_fma:
        r = wt_f32_fma(a, b, c, &fp);
        break;
    case PTX_OP_div:
        r = o->flag ? approximate_quotient(o, a, b) : wt_f32_div(a, b, &fp);
        break;
    case PTX_OP_rcp:
        r = o->flag ? approximate(o, a) : wt_f32_div(0x3f800000, a, &fp);
        break;
    case PTX_OP_sqrt:
        r = o->flag ? approximate(o, a) : wt_f32_sqrt(a, &fp);
        break;
    case PTX_OP_min:
    case PTX_OP_max:
        if (o->ftz) {
            a = flush(a);
            b = flush(b);
        }
        if (o->flag && ((a & 0x7fffffff) > 0x7f800000 || (b & 0x7fffffff) > 0x7f800000))
            return NAN32;
        if (o->combine & XORSIGN) { /* the magnitudes', with the product's sign */
            const uint32_t x = a & 0x7fffffff, y = b & 0x7fffffff;
            r = o->how == PTX_OP_min ? wt_f32_min(x, y, &fp) : wt_f32_max(x, y, &fp);
            r |= (a ^ b) & 0x80000000u;
            break;
        }
        r = o->how == PTX_OP_min ? wt_f32_min(a, b, &fp) : wt_f32_max(a, b, &fp);
        break;
    case PTX_OP_abs:
        r = (o->ftz ? flush(a) : a) & 0x7fffffff;
        break;
    case PTX_OP_neg:
        r = (o->ftz ? flush(a) : a) ^ 0x80000000u;
        break;
    case PTX_OP_copysign: /* the sign of a, the rest of b */
        return (a & 0x80000000u) | (b & 0x7fffffff);
    default:
        r = approximate(o, a);
        break;
    }
    if ((r & 0x7fffffff) > 0x7f800000)
        r = NAN32;
    if (o->ftz)
        r = flush(r);
    return o->sat ? saturate(r) : r;
}

static inline uint64_t absolute_wide(uint64_t a)
{
    return is_nan_wide(a) ? quieted(a) : a & INT64_MAX;
}

static inline uint64_t negated_wide(uint64_t a)
{
    return is_nan_wide(a) ? quieted(a) : a ^ UINT64_C(1) << 63;
}

static uint64_t twice_before_nan(const struct ptx_op *o, uint64_t a, uint64_t b, uint64_t c)
{
    struct wt_fp fp = {.round = o->round, .propagate_nan = true};
    switch (o->how) {
    case PTX_OP_add:
        return wt_f64_add(a, b, &fp);
    case PTX_OP_sub:
        return wt_f64_sub(a, b, &fp);
    case PTX_OP_mul:
        return wt_f64_mul(a, b, &fp);
    case PTX_OP_fma:
        return wt_f64_fma(a, b, c, &fp);
    case PTX_OP_div:
        return wt_f64_div(a, b, &fp);
    case PTX_OP_rcp:
        return wt_f64_div(UINT64_C(0x3ff) << 52, a, &fp);
    case PTX_OP_sqrt:
        return wt_f64_sqrt(a, &fp);
    case PTX_OP_rsqrt:
        return wt_double_bits(1 / sqrt(wt_double_of_bits(a)));
    case PTX_OP_min:
        return wt_f64_min(a, b, &fp);
    case PTX_OP_max:
        return wt_f64_max(a, b, &fp);
    case PTX_OP_abs:
        return absolute_wide(a);
    case PTX_OP_neg:
        return negated_wide(a);
    default:
        return (a & UINT64_C(1) << 63) | (b & ~(UINT64_C(1) << 63));
    }
}

/* rcp and rsqrt with .approx.ftz know the upper dword of the operand and of the result only, and no
 * subnormal numbers (PTX manual 9.7.3.14, 9.7.3.18). */
static uint64_t gross(const struct ptx_op *o, uint64_t a)
{
    static const uint64_t upper = UINT64_C(0xffffffff) << 32, exponent = UINT64_C(0x7ff) << 52,
                          sign = UINT64_C(1) << 63;
    const uint64_t given = a & exponent ? a & upper : a & sign;
    const double v = wt_double_of_bits(given), r = o->how == PTX_OP_rcp ? 1 / v : 1 / sqrt(v);
    const uint64_t bits = wt_double_bits(r);
    if (is_nan_wide(a) || is_nan_wide(bits))
        return nan_of(a, 0, 0) & upper;
    return bits & exponent ? (bits + (UINT64_C(1) << 31)) & upper : bits & sign;
}

static uint64_t twice(const struct ptx_op *o, uint64_t a, uint64_t b, uint64_t c)
{
    if (o->ftz && (o->how == PTX_OP_rcp || o->how == PTX_OP_rsqrt))
        return gross(o, a);
    const uint64_t r = twice_before_nan(o, a, b, c);
    switch (o->how) {
    case PTX_OP_abs:
    case PTX_OP_neg:
    case PTX_OP_copysign:
        return r;
    case PTX_OP_div:
        return is_nan_wide(r) ? nan_of(a, b, 0) : r;
    case PTX_OP_rcp:
    case PTX_OP_sqrt:
    case PTX_OP_rsqrt:
        return is_nan_wide(r) ? nan_of(a, 0, 0) : r;
    default:
        return is_nan_wide(r) ? nan_of(b, o->how == PTX_OP_fma ? c : a, a) : r;
    }
}

/* a * b + c of doubles that have few bits each; the last bit of an inexact result is 1, so that it
 * can be rounded once more. */
static uint64_t sticky_fma(uint64_t a, uint64_t b, uint64_t c)
{
    struct wt_fp up = {.round = WT_RUP, .propagate_nan = true},
                 down = {.round = WT_RDN, .propagate_nan = true},
                 near = {.round = WT_RNE, .propagate_nan = true};
    const uint64_t high = wt_f64_fma(a, b, c, &up), low = wt_f64_fma(a, b, c, &down);
    if (high == low || !((high | low) << 1)) /* exact; of zeros the sign is that of the nearest */
        return wt_f64_fma(a, b, c, &near);
    return low & 1 ? low : high;
}

/* bfloat16: by way of doubles. */
static uint16_t brain(const struct ptx_op *o, uint16_t a, uint16_t b, uint16_t c)
{
    static const uint64_t one = UINT64_C(0x3ff) << 52, sign = UINT64_C(1) << 63;
    struct wt_fp fp = {.propagate_nan = true};
    const uint64_t x = wt_f32_to_f64((uint32_t)a << 16, &fp),
                   y = wt_f32_to_f64((uint32_t)b << 16, &fp),
                   z = wt_f32_to_f64((uint32_t)c << 16, &fp);
    uint16_t r;
    switch (o->how) {
    case PTX_OP_abs:
        return (a & 0x7fff) > 0x7f80 ? 0x7fff : a & 0x7fff;
    case PTX_OP_neg:
        return (a & 0x7fff) > 0x7f80 ? 0x7fff : a ^ 0x8000;
    case PTX_OP_min:
    case PTX_OP_max: /* exact in binary32 */
        return (uint16_t)(single(o, (uint32_t)a << 16, (uint32_t)b << 16, 0) >> 16);
    case PTX_OP_add:
        r = ptx_bfloat(sticky_fma(x, one, y), WT_RNE);
        break;
    case PTX_OP_sub:
        r = ptx_bfloat(sticky_fma(x, one, y ^ sign), WT_RNE);
        break;
    case PTX_OP_mul:
        r = ptx_bfloat(sticky_fma(x, y, sign), WT_RNE);
        break;
    case PTX_OP_fma:
        r = ptx_bfloat(sticky_fma(x, y, z), WT_RNE);
        break;
    default: { /* ex2, tanh */
        const double v = wt_double_of_bits(x);
        r = ptx_bfloat(wt_double_bits(o->how == PTX_OP_ex2 ? exp2(v) : tanh(v)), WT_RNE);
        if (o->ftz && !(r & 0x7f80))
            r &= 0x8000;
        break;
    }
    }
    return o->combine & RELU && r & 0x8000 ? 0 : r;
}

/* The result of one lane, of any type. */
static uint64_t any(const struct ptx_op *o, uint64_t a, uint64_t b, uint64_t c)
{
    switch (o->type) {
    case PTX_F64:
        return twice(o, a, b, c);
    case PTX_F16:
        return ptx_half_lane(o, (uint16_t)a, (uint16_t)b, (uint16_t)c);
    case PTX_F16X2:
        return ptx_half_lane(o, (uint16_t)a, (uint16_t)b, (uint16_t)c) |
               (uint32_t)ptx_half_lane(o, (uint16_t)(a >> 16), (uint16_t)(b >> 16),
                                       (uint16_t)(c >> 16))
                   << 16;
    case PTX_BF16:
        return brain(o, (uint16_t)a, (uint16_t)b, (uint16_t)c);
    case PTX_BF16X2:
        return brain(o, (uint16_t)a, (uint16_t)b, (uint16_t)c) |
               (uint32_t)brain(o, (uint16_t)(a >> 16), (uint16_t)(b >> 16), (uint16_t)(c >> 16))
                   << 16;
    default:
        return single(o, (uint32_t)a, (uint32_t)b, (uint32_t)c);
    }
}

uint64_t ptx_float_of_lane(enum ptx_math op, enum ptx_type type, bool ftz, uint64_t a, uint64_t b)
{
    const struct ptx_op o = {.how = (uint8_t)op, .type = (uint8_t)type, .ftz = ftz};
    return any(&o, a, b, 0);
}

static const struct sm_uop *lane_at_a_time(struct sm_warp *w, const struct sm_uop *u)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const void *a = ptx_in(frame, &o->s[0]), *b = ptx_in(frame, &o->s[1]),
               *c = ptx_in(frame, &o->s[2]);
    const unsigned size = ptx_type_bytes((enum ptx_type)o->type);
    PTX_LEFT(i, ptx_lanes(w, o))
    ptx_put(frame + o->d, size, i,
            any(o, ptx_get(a, size, i), ptx_get(b, size, i), ptx_get(c, size, i)));
    return sm_next(u);
}

/* ---- whole rows, to nearest, by the host's arithmetic ---- */

#define LANES _Pragma("GCC ivdep") for (unsigned i = 0; i < SM_LANES; i++)

/* Numbers in the order of their values, -0 below +0, as integers. */
static inline int32_t ordered(uint32_t bits)
{
    return (int32_t)(bits ^ (uint32_t)((int32_t)bits >> 31) >> 1);
}

static inline int64_t ordered_wide(uint64_t bits)
{
    return (int64_t)(bits ^ (uint64_t)((int64_t)bits >> 63) >> 1);
}

/* min or max; one NaN counts for nothing, or, with `strict`, for all. */
static inline uint32_t extreme(uint32_t a, uint32_t b, bool max, bool strict)
{
    const bool a_nan = (a & 0x7fffffff) > 0x7f800000, b_nan = (b & 0x7fffffff) > 0x7f800000;
    const uint32_t r = (ordered(a) < ordered(b)) != max ? a : b, or_nan = strict ? NAN32 : a;
    return a_nan ? (strict ? NAN32 : b) : b_nan ? or_nan : r;
}

static inline uint64_t extreme_wide(uint64_t a, uint64_t b, bool max)
{
    const uint64_t r = (ordered_wide(a) < ordered_wide(b)) != max ? a : b;
    const uint64_t other = is_nan_wide(b) ? quieted(b) : b;
    return is_nan_wide(a) ? other : is_nan_wide(b) ? a : r;
}

PTX_ROW(sqrt_f64, double, double, uint64_t, settled(sqrt(a), a, 0, 0))
PTX_ROW(rcp_f64, double, double, uint64_t, settled(1 / a, a, 0, 0))
PTX_ROW(rsqrt_f64, double, double, uint64_t, settled(1 / sqrt(a), a, 0, 0))
PTX_ROW(min_f64, uint64_t, uint64_t, uint64_t, extreme_wide(a, b, false))
PTX_ROW(max_f64, uint64_t, uint64_t, uint64_t, extreme_wide(a, b, true))
PTX_ROW(abs_f64, uint64_t, uint64_t, uint64_t, absolute_wide(a))
PTX_ROW(neg_f64, uint64_t, uint64_t, uint64_t, negated_wide(a))
PTX_ROW(copysign_f64, uint64_t, uint64_t, uint64_t, (a & UINT64_C(1) << 63) | (b & INT64_MAX))

/* Computes r of all lanes before flushing and saturation; false: only lanes by themselves can. */
static inline __attribute__((always_inline)) bool compute(const struct ptx_op *o,
                                                          const uint8_t *frame, uint32_t *r)
{
    const uint32_t *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]),
                   *C = ptx_in(frame, &o->s[2]);
    const uint32_t normal = o->ftz ? 0x7f800000 : 0xffffffff;
    const bool max = o->how == PTX_OP_max, strict = o->flag;
#define BITS(row) (row[i] & normal ? row[i] : row[i] & 0x80000000u)
#define FLOAT(row) wt_float_of_bits(BITS(row))
    switch (o->how) {
    case PTX_OP_add:
        LANES
            r[i] = wt_float_bits(FLOAT(A) + FLOAT(B));
        return true;
    case PTX_OP_sub:
        LANES
            r[i] = wt_float_bits(FLOAT(A) - FLOAT(B));
        return true;
    case PTX_OP_mul:
        LANES
            r[i] = wt_float_bits(FLOAT(A) * FLOAT(B));
        return true;
    case PTX_OP_fma:
        LANES
            r[i] = wt_float_bits(fmaf(FLOAT(A), FLOAT(B), FLOAT(C)));
        return true;
    case PTX_OP_div:
        if (o->flag)
            return false;
        LANES
            r[i] = wt_float_bits(FLOAT(A) / FLOAT(B));
        return true;
    case PTX_OP_rcp: /* approximately or not: a quotient of singles is rounded once by either way */
        LANES
            r[i] = wt_float_bits(1 / FLOAT(A));
        return true;
    case PTX_OP_sqrt:
        LANES
            r[i] = wt_float_bits(sqrtf(FLOAT(A)));
        return true;
    case PTX_OP_rsqrt:
        LANES
            r[i] = wt_float_bits((float)(1 / sqrt((double)FLOAT(A))));
        return true;
    case PTX_OP_min:
    case PTX_OP_max:
        if (o->combine & XORSIGN)
            return false;
        LANES
            r[i] = extreme(BITS(A), BITS(B), max, strict);
        return true;
    case PTX_OP_abs:
        LANES
            r[i] = BITS(A) & 0x7fffffff;
        return true;
    case PTX_OP_neg:
        LANES
            r[i] = BITS(A) ^ 0x80000000u;
        return true;
    default:
        return false;
    }
#undef BITS
#undef FLOAT
}

/* Where a result is so small that it may be flushed, softfloat decides. */
PTX_ROW_EXECUTOR(single_row)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const uint32_t exec = ptx_lanes(w, o);
    _Alignas(64) uint32_t r[SM_LANES];
    uint32_t *D = (uint32_t *)(frame + o->d), small = 0;
    if (o->round != WT_RNE || !compute(o, frame, r))
        return lane_at_a_time(w, u);
    LANES
        r[i] = (r[i] & 0x7fffffff) > 0x7f800000 ? NAN32 : r[i];
    if (o->ftz) {
        LANES
            small |= (r[i] & 0x7fffffff) - 1 < 0x800000;
        if (small)
            return lane_at_a_time(w, u);
    }
    if (o->sat)
        LANES
            r[i] = saturate(r[i]);
    PTX_COMPUTE(uint32_t, D, exec, false, r[i])
    return sm_next(u);
}

static const struct sm_uop *half_row(struct sm_warp *w, const struct sm_uop *u)
{
    uint8_t *frame = ptx_frame(w);
    _Alignas(64) uint32_t r[SM_LANES];
    if (!ptx_half_rows(u->ptx, frame, r))
        return lane_at_a_time(w, u);
    ptx_copy_row(frame + u->ptx->d, r, ptx_lanes(w, u->ptx));
    return sm_next(u);
}

sm_op ptx_float(enum ptx_math op, enum ptx_type type, bool plain)
{
    static const sm_op fast[PTX_MATHS][2] = {
        [PTX_OP_add] = {add_f32, add_f64},        [PTX_OP_sub] = {sub_f32, sub_f64},
        [PTX_OP_mul] = {mul_f32, mul_f64},        [PTX_OP_fma] = {fma_f32, fma_f64},
        [PTX_OP_div] = {div_f32, div_f64},        [PTX_OP_rcp] = {NULL, rcp_f64},
        [PTX_OP_sqrt] = {NULL, sqrt_f64},         [PTX_OP_rsqrt] = {NULL, rsqrt_f64},
        [PTX_OP_min] = {NULL, min_f64},           [PTX_OP_max] = {NULL, max_f64},
        [PTX_OP_abs] = {NULL, abs_f64},           [PTX_OP_neg] = {NULL, neg_f64},
        [PTX_OP_copysign] = {NULL, copysign_f64},
    };
    /* Which operations there are for which types: f16, bf16 and their pairs, f32, f64. */
    static const struct {
        bool half, single, wide;
    } there[PTX_MATHS] = {
        [PTX_OP_add] = {true, true, true},   [PTX_OP_sub] = {true, true, true},
        [PTX_OP_mul] = {true, true, true},   [PTX_OP_fma] = {true, true, true},
        [PTX_OP_div] = {false, true, true},  [PTX_OP_rcp] = {false, true, true},
        [PTX_OP_sqrt] = {false, true, true}, [PTX_OP_rsqrt] = {false, true, true},
        [PTX_OP_sin] = {false, true, false}, [PTX_OP_cos] = {false, true, false},
        [PTX_OP_lg2] = {false, true, false}, [PTX_OP_ex2] = {true, true, false},
        [PTX_OP_tanh] = {true, true, false}, [PTX_OP_min] = {true, true, true},
        [PTX_OP_max] = {true, true, true},   [PTX_OP_abs] = {true, true, true},
        [PTX_OP_neg] = {true, true, true},   [PTX_OP_copysign] = {false, true, true},
    };
    const bool is_half =
        type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
    if (!is_half && type != PTX_F32 && type != PTX_F64)
        return NULL;
    if (is_half ? !there[op].half : type == PTX_F32 ? !there[op].single : !there[op].wide)
        return NULL;
    if (plain && !is_half && fast[op][type == PTX_F64])
        return fast[op][type == PTX_F64];
    return type == PTX_F32 ? single_row : is_half ? half_row : lane_at_a_time;
}

/* ---- comparison ---- */

/* One bit for each outcome: o->how has those for which the predicate holds. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static uint32_t combined(const struct ptx_op *o, const uint8_t *frame, uint32_t holds)
{
    if (o->s[2].slot == PTX_NO_SLOT && !o->s[2].constant)
        return holds;
    const uint32_t c = ptx_mask(frame, &o->s[2]);
    return o->combine == 0 ? holds & c : o->combine == 1 ? holds | c : holds ^ c;
}

/* The result of set where the comparison holds: 1.0, or ones; of a pair for each of both. Elsewhere
 * it is 0. */
static uint32_t value_that_holds(const struct ptx_op *o)
{
    const bool pair = o->from_type == PTX_F16X2 || o->from_type == PTX_BF16X2;
    switch (o->type) {
    case PTX_F32:
        return 0x3f800000;
    case PTX_F16:
    case PTX_F16X2:
        return 0x3c00;
    case PTX_BF16:
    case PTX_BF16X2:
        return 0x3f80;
    case PTX_U16:
    case PTX_S16:
        return 0xffff;
    default:
        return pair ? 0xffff : UINT32_MAX;
    }
}

/*
 * GCC 12 leaves vzeroupper out before a call of a function that it knows not to touch vector
 * registers, also where the call is the last one. The caller's upper halves would stay dirty, and
 * SSE instructions elsewhere wait for them (a third of the time of a kernel with barriers).
 */
#ifdef __clang__
#define UNKNOWN_TO_CALLERS
#else
#define UNKNOWN_TO_CALLERS __attribute__((noipa))
#endif
static UNKNOWN_TO_CALLERS const struct sm_uop *finish(struct sm_warp *w, const struct sm_uop *u,
                                                      uint32_t holds)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const uint32_t exec = ptx_lanes(w, o);
    const uint32_t first = combined(o, frame, holds), second = combined(o, frame, ~holds);
    if (o->flag) { /* set */
        uint32_t *D = (uint32_t *)(frame + o->d);
        const uint32_t holding = value_that_holds(o);
        PTX_LEFT(i, exec)
        D[i] = first >> i & 1 ? holding : 0;
        return sm_next(u);
    }
    if (o->d != PTX_NO_SLOT)
        ptx_set_mask(frame, o->d, first, exec);
    if (o->d2 != PTX_NO_SLOT)
        ptx_set_mask(frame, o->d2, second, exec);
    return sm_next(u);
}

#define COMPARE(T, E, V)                                                                           \
    PTX_ROW_EXECUTOR(compare_##T)                                                                  \
    {                                                                                              \
        const struct ptx_op *o = u->ptx;                                                           \
        const uint8_t *frame = ptx_frame(w);                                                       \
        const E *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]);                        \
        const uint32_t exec = ptx_lanes(w, o);                                                     \
        int32_t row[SM_LANES];                                                                     \
        uint32_t flip = 0, holds = 0;                                                              \
        if (ptx_are_few(exec)) {                                                                   \
            PTX_LEFT(i, exec)                                                                      \
            {                                                                                      \
                const V a = (V)A[i], b = (V)B[i];                                                  \
                const unsigned is = a < b ? LESS : a == b ? EQUAL : a > b ? GREATER : UNORDERED;   \
                holds |= (uint32_t)((o->how & is) != 0) << i;                                      \
            }                                                                                      \
            return finish(w, u, holds);                                                            \
        }                                                                                          \
        switch (o->how) {                                                                          \
        case EQUAL:                                                                                \
            for (unsigned i = 0; i < SM_LANES; i++)                                                \
                row[i] = -((V)A[i] == (V)B[i]);                                                    \
            break;                                                                                 \
        case LESS | GREATER:                                                                       \
        case LESS | GREATER | UNORDERED: /* of numbers: not equal */                               \
            if ((V)0.5 == (V)0 || (o->how & UNORDERED)) {                                          \
                for (unsigned i = 0; i < SM_LANES; i++)                                            \
                    row[i] = -((V)A[i] != (V)B[i]);                                                \
                break;                                                                             \
            }                                                                                      \
            for (unsigned i = 0; i < SM_LANES; i++)                                                \
                row[i] = -((V)A[i] < (V)B[i] || (V)A[i] > (V)B[i]);                                \
            break;                                                                                 \
        case EQUAL | GREATER | UNORDERED:                                                          \
            flip = UINT32_MAX;                                                                     \
            /* fall through */                                                                     \
        case LESS:                                                                                 \
            for (unsigned i = 0; i < SM_LANES; i++)                                                \
                row[i] = -((V)A[i] < (V)B[i]);                                                     \
            break;                                                                                 \
        case GREATER | UNORDERED:                                                                  \
            flip = UINT32_MAX;                                                                     \
            /* fall through */                                                                     \
        case LESS | EQUAL:                                                                         \
            for (unsigned i = 0; i < SM_LANES; i++)                                                \
                row[i] = -((V)A[i] <= (V)B[i]);                                                    \
            break;                                                                                 \
        case LESS | EQUAL | UNORDERED:                                                             \
            flip = UINT32_MAX;                                                                     \
            /* fall through */                                                                     \
        case GREATER:                                                                              \
            for (unsigned i = 0; i < SM_LANES; i++)                                                \
                row[i] = -((V)A[i] > (V)B[i]);                                                     \
            break;                                                                                 \
        case LESS | UNORDERED:                                                                     \
            flip = UINT32_MAX;                                                                     \
            /* fall through */                                                                     \
        case EQUAL | GREATER:                                                                      \
            for (unsigned i = 0; i < SM_LANES; i++)                                                \
                row[i] = -((V)A[i] >= (V)B[i]);                                                    \
            break;                                                                                 \
        case EQUAL | UNORDERED:                                                                    \
            for (unsigned i = 0; i < SM_LANES; i++)                                                \
                row[i] = -!((V)A[i] < (V)B[i] || (V)A[i] > (V)B[i]);                               \
            break;                                                                                 \
        case UNORDERED:                                                                            \
            flip = UINT32_MAX;                                                                     \
            /* fall through */                                                                     \
        default: /* num */                                                                         \
            for (unsigned i = 0; i < SM_LANES; i++)                                                \
                row[i] = -((V)A[i] == (V)A[i] && (V)B[i] == (V)B[i]);                              \
            break;                                                                                 \
        }                                                                                          \
        return finish(w, u, ptx_signs(row) ^ flip);                                                \
    }

#pragma GCC diagnostic ignored "-Wtautological-compare"
COMPARE(u8, uint32_t, uint8_t)
COMPARE(s8, uint32_t, int8_t)
COMPARE(u16, uint32_t, uint16_t)
COMPARE(s16, uint32_t, int16_t)
COMPARE(u32, uint32_t, uint32_t)
COMPARE(s32, uint32_t, int32_t)
COMPARE(u64, uint64_t, uint64_t)
COMPARE(s64, uint64_t, int64_t)
COMPARE(f32, float, float)
COMPARE(f64, double, double)

/* The value of what is compared: a half, one of a pair (the upper one by a shift), or a float whose
 * denormals count as zeros. */
static float compared(const struct ptx_op *o, uint32_t bits, unsigned shift)
{
    struct wt_fp fp = {.flush_input = o->ftz};
    switch (o->from_type) {
    case PTX_F16:
    case PTX_F16X2:
        return wt_float_of_bits(wt_f16_to_f32((uint16_t)(bits >> shift), &fp));
    case PTX_BF16:
    case PTX_BF16X2:
        return wt_float_of_bits(bits >> shift << 16);
    default:
        return wt_float_of_bits(flush(bits));
    }
}

static uint32_t lanes_that_hold(const struct ptx_op *o, const uint8_t *frame, unsigned shift)
{
    const uint32_t *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]);
    uint32_t holds = 0;
    for (unsigned i = 0; i < SM_LANES; i++) {
        const float a = compared(o, A[i], shift), b = compared(o, B[i], shift);
        const unsigned outcome = a < b ? LESS : a == b ? EQUAL : a > b ? GREATER : UNORDERED;
        holds |= (uint32_t)((o->how & outcome) != 0) << i;
    }
    return holds;
}

static const struct sm_uop *compare_slowly(struct sm_warp *w, const struct sm_uop *u)
{
    return finish(w, u, lanes_that_hold(u->ptx, ptx_frame(w), 0));
}

/* setp of pairs: a predicate of each one; set: a half of the result. */
static const struct sm_uop *compare_pairs(struct sm_warp *w, const struct sm_uop *u)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const uint32_t exec = ptx_lanes(w, o);
    const uint32_t low = combined(o, frame, lanes_that_hold(o, frame, 0));
    const uint32_t high = combined(o, frame, lanes_that_hold(o, frame, 16));
    if (o->flag) {
        uint32_t *D = (uint32_t *)(frame + o->d);
        const uint32_t holding = value_that_holds(o);
        PTX_LEFT(i, exec)
        D[i] = (low >> i & 1 ? holding : 0) | (high >> i & 1 ? holding << 16 : 0);
        return sm_next(u);
    }
    if (o->d != PTX_NO_SLOT)
        ptx_set_mask(frame, o->d, low, exec);
    if (o->d2 != PTX_NO_SLOT)
        ptx_set_mask(frame, o->d2, high, exec);
    return sm_next(u);
}

sm_op ptx_set_predicate(enum ptx_type type)
{
    static const sm_op executors[PTX_TYPES] = {
        [PTX_B8] = compare_u8,       [PTX_U8] = compare_u8,       [PTX_S8] = compare_s8,
        [PTX_B16] = compare_u16,     [PTX_U16] = compare_u16,     [PTX_S16] = compare_s16,
        [PTX_B32] = compare_u32,     [PTX_U32] = compare_u32,     [PTX_S32] = compare_s32,
        [PTX_B64] = compare_u64,     [PTX_U64] = compare_u64,     [PTX_S64] = compare_s64,
        [PTX_F32] = compare_f32,     [PTX_F64] = compare_f64,     [PTX_F16] = compare_slowly,
        [PTX_BF16] = compare_slowly, [PTX_F16X2] = compare_pairs, [PTX_BF16X2] = compare_pairs,
    };
    return executors[type];
}

sm_op ptx_set_predicate_flushing(void)
{
    return compare_slowly;
}

/* testp (9.7.3.1): how is its class. */
const struct sm_uop *ptx_op_testp(struct sm_warp *w, const struct sm_uop *u)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const void *A = ptx_in(frame, &o->s[0]);
    const bool wide = o->type == PTX_F64;
    uint32_t mask = 0;
    for (unsigned i = 0; i < SM_LANES; i++) {
        const uint64_t bits = ptx_get(A, wide ? 8 : 4, i);
        const int class = wide ? fpclassify(wt_double_of_bits(bits))
                               : fpclassify(wt_float_of_bits((uint32_t)bits));
        const bool holds[] = {class != FP_INFINITE && class != FP_NAN,
                              class == FP_INFINITE,
                              class != FP_NAN,
                              class == FP_NAN,
                              class == FP_NORMAL || class == FP_ZERO,
                              class == FP_SUBNORMAL};
        mask |= (uint32_t)holds[o->how] << i;
    }
    ptx_set_mask(frame, o->d, mask, ptx_lanes(w, o));
    return sm_next(u);
}
