/* PTX: arithmetic of f16, bf16 and their pairs, whole rows at once (manual 9.7.4). */
#include "emulator/sm/ptx/exec/half.h"

#include <math.h>

#include "emulator/machine/softfloat.h"
#include "emulator/sm/ptx/exec/rows.h"

#define ALWAYS static inline __attribute__((always_inline))
#define LANES _Pragma("GCC ivdep") for (unsigned i = 0; i < SM_LANES; i++)

enum { LEAST_NORMAL = 0x400 };

/* A double as a single, cut off; its last bit is 1 if it is not exact, so that it can be rounded
 * once more. */
ALWAYS uint32_t cut(double d)
{
    const float near = (float)d;
    const double back = near, over = d < 0 ? d - back : back - d;
    return (wt_float_bits(near) - (over > 0)) | (back != d);
}

/*
 * x * y + z of bfloat16, cut off likewise. The product is exact; what the sum loses is known
 * exactly (Knuth's two-sum). Of halves no sum loses what decides how it is rounded: a product has
 * 22 bits, the last one not below 2^-48, and a finite result is below 2^16.
 */
ALWAYS uint32_t fused(float x, float y, float z, bool brain)
{
    const double p = (double)x * y, c = z, s = p + c;
    if (!brain)
        return cut(s);
    const double part = s - p, lost = (p - (s - part)) + (c - part);
    const uint64_t bits = wt_double_bits(s);
    const bool inexact = lost != 0 && lost - lost == 0, over = inexact && (lost < 0) != (s < 0);
    return cut(wt_double_of_bits((bits - over) | inexact));
}

/* min or max of sizes and signs; one NaN counts for nothing, or, with `strict`, for all. */
ALWAYS uint32_t extreme(uint32_t a, uint32_t b, unsigned how, bool strict, uint32_t infinity)
{
    const bool a_nan = (a & 0x7fff) > infinity, b_nan = (b & 0x7fff) > infinity;
    const int32_t x = a & 0x8000 ? -1 - (int32_t)(a & 0x7fff) : (int32_t)a;
    const int32_t y = b & 0x8000 ? -1 - (int32_t)(b & 0x7fff) : (int32_t)b;
    const uint32_t r = (x < y) != (how == PTX_OP_max) ? a : b, or_nan = strict ? 0x7fff : a;
    return a_nan ? (b_nan || strict ? 0x7fff : b) : b_nan ? or_nan : r;
}

/* One result, of operands in the lower 16 bits. `least`: a size below it counts as 0. */
ALWAYS uint32_t one(unsigned how, bool brain, bool strict, uint32_t least, uint32_t a, uint32_t b,
                    uint32_t c)
{
    const uint32_t infinity = brain ? 0x7f80 : 0x7c00;
    a = (a & 0x7fff) < least ? a & 0x8000 : a & 0xffff;
    b = (b & 0x7fff) < least ? b & 0x8000 : b & 0xffff;
    c = (c & 0x7fff) < least ? c & 0x8000 : c & 0xffff;
    if (how == PTX_OP_min || how == PTX_OP_max)
        return extreme(a, b, how, strict, infinity);
    if (how == PTX_OP_abs || how == PTX_OP_neg) {
        const uint32_t r = how == PTX_OP_abs ? a & 0x7fff : a ^ 0x8000;
        return (a & 0x7fff) > infinity ? 0x7fff : r;
    }
    const float x = brain ? wt_float_of_bits(a << 16) : ptx_half_value(a);
    const float y = brain ? wt_float_of_bits(b << 16) : ptx_half_value(b);
    const float z = brain ? wt_float_of_bits(c << 16) : ptx_half_value(c);
    if (how == PTX_OP_fma)
        return brain ? ptx_brain_of(fused(x, y, z, true)) : ptx_half_of(fused(x, y, z, false));
    /* sums and products of halves are rounded to singles without changing how these are to halves
     */
    if (!brain)
        return ptx_half_of(wt_float_bits(how == PTX_OP_mul   ? x * y
                                         : how == PTX_OP_add ? x + y
                                                             : x - y));
    return ptx_brain_of(cut(how == PTX_OP_mul   ? (double)x * y
                            : how == PTX_OP_add ? (double)x + y
                                                : (double)x - y));
}

PTX_CLONED bool ptx_half_rows(const struct ptx_op *o, const uint8_t *frame, uint32_t *r)
{
    const uint32_t *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]),
                   *C = ptx_in(frame, &o->s[2]);
    const bool brain = o->type == PTX_BF16 || o->type == PTX_BF16X2, strict = o->flag;
    const bool compares = o->how == PTX_OP_min || o->how == PTX_OP_max;
    const uint32_t least = o->ftz ? LEAST_NORMAL : 0,
                   pair = ptx_type_bytes(o->type) == 4 ? 0xffffffff : 0xffff;
    if (o->round != WT_RNE || (compares && o->combine & XORSIGN) || (brain && (o->ftz || o->sat)))
        return false;
#define ROW(how_)                                                                                  \
    case how_:                                                                                     \
        if (brain)                                                                                 \
            LANES                                                                                  \
                r[i] = one(how_, true, strict, 0, A[i], B[i], C[i]) |                              \
                       one(how_, true, strict, 0, A[i] >> 16, B[i] >> 16, C[i] >> 16) << 16;       \
        else                                                                                       \
            LANES                                                                                  \
                r[i] = one(how_, false, strict, least, A[i], B[i], C[i]) |                         \
                       one(how_, false, strict, least, A[i] >> 16, B[i] >> 16, C[i] >> 16) << 16;  \
        break;
    switch (o->how) {
        ROW(PTX_OP_add)
        ROW(PTX_OP_sub)
        ROW(PTX_OP_mul)
        ROW(PTX_OP_fma)
        ROW(PTX_OP_min)
        ROW(PTX_OP_max)
        ROW(PTX_OP_abs)
        ROW(PTX_OP_neg)
    default:
        return false;
    }
#undef ROW
    uint32_t flushed = 0;
    LANES {
        r[i] &= pair;
        flushed |= (r[i] & 0x7fff) - 1 < least;
        flushed |= (r[i] >> 16 & 0x7fff) - 1 < least;
    }
    if (flushed && least)
        return false;
    if (o->combine & RELU && !compares)
        LANES {
            const uint32_t below = r[i] >> 15 & 0x10001; /* a NaN has no sign */
            r[i] &= ~(below * 0xffff);
        }
    if (o->sat)
        LANES {
            uint32_t low = r[i] & 0xffff, high = r[i] >> 16;
            low = low & 0x8000 || low > 0x7c00 ? 0 : low > 0x3c00 ? 0x3c00 : low;
            high = high & 0x8000 || high > 0x7c00 ? 0 : high > 0x3c00 ? 0x3c00 : high;
            r[i] = low | high << 16;
        }
    return true;
}

uint16_t ptx_half_lane(const struct ptx_op *o, uint16_t a, uint16_t b, uint16_t c)
{
    struct wt_fp fp = {
        .round = o->round, .propagate_nan = true, .flush_input = o->ftz, .flush_output = o->ftz};
    const bool nan = (a & 0x7fff) > 0x7c00 || (b & 0x7fff) > 0x7c00;
    const bool compares = o->how == PTX_OP_min || o->how == PTX_OP_max;
    const bool moves = o->how == PTX_OP_abs || o->how == PTX_OP_neg;
    uint16_t r, sign = 0;
    if (compares && o->combine & XORSIGN) {
        sign = (a ^ b) & 0x8000;
        a &= 0x7fff;
        b &= 0x7fff;
    }
    if ((compares || moves) && o->ftz) {
        a &= a & 0x7c00 ? 0xffff : 0x8000;
        b &= b & 0x7c00 ? 0xffff : 0x8000;
    }
    switch (o->how) {
    case PTX_OP_add:
        r = wt_f16_add(a, b, &fp);
        break;
    case PTX_OP_sub:
        r = wt_f16_sub(a, b, &fp);
        break;
    case PTX_OP_mul:
        r = wt_f16_mul(a, b, &fp);
        break;
    case PTX_OP_fma:
        r = wt_f16_fma(a, b, c, &fp);
        break;
    case PTX_OP_min:
        r = o->flag && nan ? 0x7fff : wt_f16_min(a, b, &fp) | sign;
        break;
    case PTX_OP_max:
        r = o->flag && nan ? 0x7fff : wt_f16_max(a, b, &fp) | sign;
        break;
    case PTX_OP_abs:
        r = a & 0x7fff;
        break;
    case PTX_OP_neg:
        r = a ^ 0x8000;
        break;
    default: { /* ex2, tanh */
        const float v = wt_float_of_bits(wt_f16_to_f32(a, &fp));
        const double exact = o->how == PTX_OP_ex2 ? exp2((double)v) : tanh((double)v);
        r = wt_f64_to_f16(wt_double_bits(exact), &fp);
        break;
    }
    }
    if ((r & 0x7fff) > 0x7c00)
        return o->sat ? 0 : 0x7fff;
    if (!compares && o->combine & RELU && r & 0x8000)
        return 0;
    if (o->sat) {
        const float v = wt_float_of_bits(wt_f16_to_f32(r, &fp));
        r = v >= 1 ? 0x3c00 : v > 0 ? r : 0;
    }
    return r;
}
