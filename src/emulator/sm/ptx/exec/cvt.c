/* PTX: conversions (manual 9.7.9.21). Integers go by way of 64 bits, floats by way of doubles. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/softfloat.h"
#include "emulator/sm/ptx/exec/half.h"
#include "emulator/sm/ptx/exec/rows.h"

static bool is_float(unsigned type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}

static bool is_signed(unsigned type)
{
    return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bits of a double that has the value of a float of any type. */
static uint64_t widen(unsigned type, uint64_t bits, bool ftz)
{
    struct wt_fp fp = {.propagate_nan = true, .flush_input = ftz};
    switch (type) {
    case PTX_F16:
        return wt_f16_to_f64((uint16_t)bits, &(struct wt_fp){.propagate_nan = true});
    case PTX_BF16:
        return wt_f32_to_f64((uint32_t)bits << 16, &fp);
    case PTX_F32:
        return wt_f32_to_f64((uint32_t)bits, &fp);
    default:
        return bits;
    }
}

/* Rounds to an integer that stays a float. */
static uint64_t integral(uint64_t bits, unsigned round)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    if (v != v)
        return quieted(bits);
    const double r = round == WT_RTZ   ? trunc(v)
                     : round == WT_RDN ? floor(v)
                     : round == WT_RUP ? ceil(v)
                                       : nearbyint(v);
    return double_bits(copysign(r, v));
}

static uint64_t clamp_signed(int64_t v, unsigned bytes)
{
    const int64_t most = bytes == 8 ? INT64_MAX : ((int64_t)1 << (8 * bytes - 1)) - 1;
    return (uint64_t)(v > most ? most : v < -most - 1 ? -most - 1 : v);
}

static uint64_t clamp_unsigned(uint64_t v, unsigned bytes)
{
    const uint64_t most = bytes == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * bytes) - 1;
    return v > most ? most : v;
}

/* Out of range: the nearest there is. NaN: 0, but from or to 64 bits the highest bit alone (manual
 * 9.7.9.21). */
static uint64_t to_integer(const struct ptx_op *o, uint64_t wide)
{
    const unsigned bytes = ptx_type_bytes((enum ptx_type)o->type);
    struct wt_fp fp = {.round = o->round};
    double v;
    memcpy(&v, &wide, sizeof v);
    if (v != v)
        return bytes == 8 || o->from_type == PTX_F64 ? UINT64_C(1) << (8 * bytes - 1) : 0;
    return is_signed(o->type) ? clamp_signed(wt_f64_to_i64(wide, &fp), bytes)
                              : clamp_unsigned(wt_f64_to_u64(wide, &fp), bytes);
}

/* By way of a single whose last bit says that something was cut off: it is rounded once. */
uint16_t ptx_bfloat(uint64_t wide, unsigned round)
{
    struct wt_fp fp = {.round = WT_RTZ, .propagate_nan = true};
    uint32_t bits = wt_f64_to_f32(wide, &fp);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    bits |= wt_f32_to_f64(bits, &fp) != wide;
    if (round == WT_RTZ)
        return (uint16_t)(bits >> 16);
    if (round != WT_RNE) /* up or down */
        return (uint16_t)((bits + (bits >> 31 == (round == WT_RDN) ? 0xffff : 0)) >> 16);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static uint64_t narrow(const struct ptx_op *o, uint64_t wide)
{
    struct wt_fp fp = {
        .round = o->round, .propagate_nan = true, .flush_output = o->ftz && o->type == PTX_F32};
    double v;
    memcpy(&v, &wide, sizeof v);
    if (o->sat) {
        v = v >= 1 ? 1 : v > 0 ? v : 0;
        wide = double_bits(v);
    }
    if (o->how & 1 && v == v) { /* .relu */
        v = v > 0 ? v : 0;
        wide = double_bits(v);
    }
    if (o->type == PTX_F64)
        return o->ftz && v != v ? UINT64_C(0x7fffffffe0000000) : wide;
    if (o->from_type == PTX_F64 && v != v) { /* a NaN keeps its upper bits */
        const uint32_t cut = wt_f64_to_f32(wide, &fp);
        return o->type == PTX_F16    ? wt_f64_to_f16(wide, &fp)
               : o->type == PTX_BF16 ? cut >> 16
                                     : cut;
    }
    const bool finite = o->how & 2 && v == v; /* .satfinite */
    if (o->type == PTX_F16) {
        const uint16_t r = v != v ? 0x7fff : wt_f64_to_f16(wide, &fp);
        return finite && (r & 0x7fff) == 0x7c00 ? r - 1 : r;
    }
    if (o->type == PTX_BF16) {
        const uint16_t r = ptx_bfloat(wide, o->round);
        return finite && (r & 0x7fff) == 0x7f80 ? r - 1 : r;
    }
    return v != v ? 0x7fffffff : wt_f64_to_f32(wide, &fp);
}

/* Converts an integer to a double, rounded towards zero. The last bit is 1 if it is not exact. */
static uint64_t sticky_double(bool is_signed, uint64_t v)
{
    struct wt_fp fp = {.round = WT_RTZ};
    const uint64_t wide = is_signed ? wt_i64_to_f64((int64_t)v, &fp) : wt_u64_to_f64(v, &fp);
    const uint64_t back = is_signed ? (uint64_t)wt_f64_to_i64(wide, &fp) : wt_f64_to_u64(wide, &fp);
    return wide | (back != v);
}

static uint64_t from_integer(const struct ptx_op *o, uint64_t v)
{
    struct wt_fp fp = {.round = o->round};
    const bool s = is_signed(o->from_type);
    if (o->sat)
        v = s && (int64_t)v < 0 ? 0 : v != 0;
    if (o->type == PTX_F64)
        return s ? wt_i64_to_f64((int64_t)v, &fp) : wt_u64_to_f64(v, &fp);
    if (o->type == PTX_F16)
        return s ? wt_i64_to_f16((int64_t)v, &fp) : wt_u64_to_f16(v, &fp);
    if (o->type == PTX_BF16)
        return ptx_bfloat(sticky_double(s, v), o->round);
    return s ? wt_i64_to_f32((int64_t)v, &fp) : wt_u64_to_f32(v, &fp);
}

/* The value of an integer in 64 bits. */
static inline uint64_t extend(unsigned type, uint64_t v)
{
    const unsigned bits = 8 * ptx_type_bytes((enum ptx_type)type);
    if (bits == 64)
        return v;
    return is_signed(type) ? (uint64_t)wt_sign_extend(v, bits) : v & (((uint64_t)1 << bits) - 1);
}

/* An integer of one type as another: what does not fit wraps, or (.sat) is the nearest. */
static uint64_t refit(const struct ptx_op *o, uint64_t v)
{
    const unsigned bytes = ptx_type_bytes((enum ptx_type)o->type);
    if (!o->sat)
        return v;
    if (is_signed(o->from_type)) {
        if (is_signed(o->type))
            return clamp_signed((int64_t)v, bytes);
        return (int64_t)v < 0 ? 0 : clamp_unsigned(v, bytes);
    }
    if (!is_signed(o->type))
        return clamp_unsigned(v, bytes);
    return clamp_signed((int64_t)(v > INT64_MAX ? INT64_MAX : v), bytes);
}

static uint64_t convert(const struct ptx_op *o, uint64_t v)
{
    if (is_float(o->from_type)) {
        /* a half's rounding flushes nothing */
        uint64_t wide = widen(o->from_type, v, o->ftz && o->type != PTX_F16);
        if (!is_float(o->type))
            return to_integer(o, wide);
        /* Bits that move only: a NaN stays what it is. */
        if (o->from_type == PTX_BF16 && o->type == PTX_F32 && !o->flag && !o->sat && !o->ftz)
            return v << 16;
        if (o->flag) /* .rni and the like */
            wide = integral(wide, o->round);
        return narrow(o, wide);
    }
    v = extend(o->from_type, v);
    return is_float(o->type) ? from_integer(o, v) : refit(o, v);
}

/* The result fills its register: a dword is extended as its type says. */
static const struct sm_uop *slowly(struct sm_warp *w, const struct sm_uop *u)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const void *A = ptx_in(frame, &o->s[0]);
    const unsigned from = o->size; /* bytes of the source's register */
    PTX_LEFT(i, ptx_lanes(w, o))
    {
        uint64_t r = convert(o, ptx_get(A, from, i));
        if (!is_float(o->type))
            r = extend(o->type, r);
        ptx_put(frame + o->d, o->element, i, r);
    }
    return sm_next(u);
}

/* Two floats to a pair of halves: the first one is the upper (9.7.9.21). */
static const struct sm_uop *pair(struct sm_warp *w, const struct sm_uop *u)
{
    const struct ptx_op *o = u->ptx;
    struct ptx_op one = *o;
    uint8_t *frame = ptx_frame(w);
    const uint32_t *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]);
    uint32_t *D = (uint32_t *)(frame + o->d);
    one.type = o->type == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    PTX_LEFT(i, ptx_lanes(w, o))
    D[i] = (uint32_t)(convert(&one, A[i]) << 16 | (convert(&one, B[i]) & 0xffff));
    return sm_next(u);
}

/* ---- whole rows, to nearest or, of integers, towards zero ---- */

static inline int32_t truncated(float a)
{
    const bool fits = a >= -0x1p31f && a < 0x1p31f;
    const int32_t inside = (int32_t)(fits ? a : 0);
    return fits || a != a ? inside : a < 0 ? INT32_MIN : INT32_MAX;
}

static inline uint32_t truncated_unsigned(float a)
{
    const bool fits = a > -1 && a < 0x1p32f;
    const uint32_t inside = (uint32_t)(int64_t)(fits ? a : 0);
    return fits || a != a ? inside : a < 0 ? 0 : UINT32_MAX;
}

/* A dword whose upper bits are those of the type. */
static inline uint32_t extend_dword(unsigned type, uint32_t v)
{
    const unsigned rest = 32 - 8 * ptx_type_bytes((enum ptx_type)type);
    const uint32_t high = v << rest;
    return is_signed(type) ? (uint32_t)((int32_t)high >> rest) : high >> rest;
}

PTX_ROW(u64_u32, uint32_t, uint32_t, uint64_t, a)
PTX_ROW(u64_s32, uint32_t, int32_t, uint64_t, (int64_t)a)
PTX_ROW(u32_u64, uint64_t, uint64_t, uint32_t, a)
PTX_ROW(dword, uint32_t, uint32_t, uint32_t, extend_dword(o->type, extend_dword(o->from_type, a)))
PTX_ROW(f32_s32, uint32_t, int32_t, float, a)
PTX_ROW(f32_u32, uint32_t, uint32_t, float, a)
PTX_ROW(f64_s32, uint32_t, int32_t, double, a)
PTX_ROW(f64_u32, uint32_t, uint32_t, double, a)
PTX_ROW(s32_f32, float, float, uint32_t, truncated(a))
PTX_ROW(u32_f32, float, float, uint32_t, truncated_unsigned(a))
PTX_ROW(f64_f32, float, float, double, (double)a)
PTX_ROW(f32_f64, double, double, float, (float)a)
PTX_ROW(f32_f16, uint32_t, uint32_t, uint32_t, one_nan(ptx_half_value(a)))
PTX_ROW(f32_bf16, uint32_t, uint32_t, uint32_t, a << 16)
PTX_ROW(f16_f32, uint32_t, uint32_t, uint32_t, ptx_half_of(a))
PTX_ROW(bf16_f32, uint32_t, uint32_t, uint32_t, ptx_brain_of(a))
PTX_ROW(f16x2_f32, uint32_t, uint32_t, uint32_t, ptx_half_of(a) << 16 | ptx_half_of(b))
PTX_ROW(bf16x2_f32, uint32_t, uint32_t, uint32_t, ptx_brain_of(a) << 16 | ptx_brain_of(b))
PTX_ROW(near_f32, float, float, uint32_t, one_nan(nearbyintf(a)))
PTX_ROW(truncated_f32, float, float, uint32_t, one_nan(truncf(a)))
PTX_ROW(floor_f32, float, float, uint32_t, one_nan(floorf(a)))
PTX_ROW(ceiling_f32, float, float, uint32_t, one_nan(ceilf(a)))

static unsigned kind(unsigned type, unsigned bytes)
{
    return 16 * bytes + ptx_type_bytes((enum ptx_type)type);
}

/* The executor for rows of one conversion, where there is one: dwords and qwords that fill their
 * registers. */
static sm_op row_of(const struct ptx_op *o)
{
    enum { DWORD = 16 * 4 + 4, QWORD = 16 * 8 + 8 };
    static const sm_op rounding[] = {[WT_RNE] = near_f32,
                                     [WT_RTZ] = truncated_f32,
                                     [WT_RDN] = floor_f32,
                                     [WT_RUP] = ceiling_f32};
    const unsigned from = kind(o->from_type, o->size), to = kind(o->type, o->element);
    const bool s = is_signed(o->from_type);
    if (o->sat || o->ftz || o->how)
        return NULL;
    if (!is_float(o->type) && !is_float(o->from_type)) {
        if (from <= DWORD && to <= DWORD)
            return dword;
        return from == DWORD && to == QWORD   ? (s ? u64_s32 : u64_u32)
               : from == QWORD && to == DWORD ? u32_u64
                                              : NULL;
    }
    if (o->from_type == PTX_F32 && from == DWORD && to == DWORD) {
        if (o->type == PTX_F32)
            return !o->flag ? dword : o->round <= WT_RUP ? rounding[o->round] : NULL;
        return o->round != WT_RTZ ? NULL : is_signed(o->type) ? s32_f32 : u32_f32;
    }
    if (o->flag || o->round != WT_RNE)
        return NULL;
    if (o->from_type == PTX_F32 && (o->type == PTX_F16 || o->type == PTX_BF16))
        return o->type == PTX_F16 ? f16_f32 : bf16_f32;
    if (o->type == PTX_F32 && (o->from_type == PTX_F16 || o->from_type == PTX_BF16))
        return o->from_type == PTX_F16 ? f32_f16 : f32_bf16;
    if (o->from_type == PTX_F32 && o->type == PTX_F64)
        return f64_f32;
    if (o->from_type == PTX_F64 && o->type == PTX_F32)
        return f32_f64;
    if (from != DWORD || is_float(o->from_type))
        return NULL;
    return o->type == PTX_F32   ? (s ? f32_s32 : f32_u32)
           : o->type == PTX_F64 ? (s ? f64_s32 : f64_u32)
                                : NULL;
}

sm_op ptx_convert(const struct ptx_op *o)
{
    if (o->type == PTX_F16X2 || o->type == PTX_BF16X2) {
        const bool plain = o->from_type == PTX_F32 && o->round == WT_RNE && !o->how && !o->sat;
        return !plain || o->ftz ? pair : o->type == PTX_F16X2 ? f16x2_f32 : bf16x2_f32;
    }
    const sm_op row = row_of(o);
    return row ? row : slowly;
}
