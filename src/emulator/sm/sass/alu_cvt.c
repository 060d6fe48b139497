/* Conversions: I2I, I2F, F2I, F2F. */
#include "emulator/sm/sass/alu.h"

#include <math.h>
#include <string.h>

#include "emulator/machine/softfloat.h"

enum { F16 = 1, F32, F64 };

static enum wt_round round_of(unsigned field)
{
    static const enum wt_round modes[4] = {WT_RNE, WT_RDN, WT_RUP, WT_RTZ};
    return modes[field & 3];
}

static uint64_t pair(const uint32_t *row, unsigned i)
{
    return row[i] | (uint64_t)row[i + SM_LANES] << 32;
}

/* The integer operand of field isrc: the part that field part41 chooses, extended to 64 bits. */
static int64_t integer_of(const struct sm_exec *x, unsigned i, unsigned type)
{
    const unsigned part = SM_FIELD(x->word, part41), log = type & 3;
    uint64_t v = pair(x->b, i);
    if (log == 0)
        v >>= 8 * part;
    else if (log == 1)
        v >>= 16 * (part >> 1);
    const unsigned bits = 8u << log;
    if (type & 4)
        v = (uint64_t)wt_sign_extend(v, bits);
    else if (bits < 64)
        v &= (UINT64_C(1) << bits) - 1;
    if (sm_bit(x->word, 49) && type & 4 && (int64_t)v < 0) /* |x| */
        v = 0 - v;
    if (sm_bit(x->word, 45))
        v = 0 - v;
    return (int64_t)v;
}

/* The range of an integer type of field idst. */
static void range_of(unsigned type, double *least, double *most)
{
    const unsigned bits = 8u << (type & 3);
    *least = type & 4 ? -ldexp(1, (int)bits - 1) : 0;
    *most = ldexp(1, (int)bits - (type & 4 ? 1 : 0)); /* exclusive */
}

static unsigned put(struct sm_exec *x, unsigned i, uint64_t value, bool wide)
{
    x->d[0][i] = (uint32_t)value;
    x->d[1][i] = (uint32_t)(value >> 32);
    return wide ? 2 : 1;
}

unsigned sm_alu_i2i(struct sm_exec *x)
{
    const unsigned to = SM_FIELD(x->word, idst), from = SM_FIELD(x->word, isrc);
    const unsigned bits = 8u << (to & 3);
    unsigned rows = 1;
    FOR_LANES (i) {
        int64_t v = integer_of(x, i, from);
        if (SM_FIELD(x->word, sat50) && bits < 64) {
            const int64_t least = to & 4 ? -(INT64_C(1) << (bits - 1)) : 0;
            const int64_t most = (INT64_C(1) << (bits - (to & 4 ? 1 : 0))) - 1;
            v = v < least ? least : v > most ? most : v;
        }
        if (bits < 64)
            v = to & 4 ? wt_sign_extend((uint64_t)v, bits)
                       : (int64_t)((uint64_t)v & ((UINT64_C(1) << bits) - 1));
        rows = put(x, i, (uint64_t)v, bits == 64);
    }
    sm_set_logic_cc(x, 47);
    return rows;
}

unsigned sm_alu_i2f(struct sm_exec *x)
{
    const unsigned to = SM_FIELD(x->word, fdst), from = SM_FIELD(x->word, isrc);
    unsigned rows = 1;
    FOR_LANES (i) {
        struct wt_fp fp = {.round = (uint8_t)round_of(SM_FIELD(x->word, rnd39))};
        const int64_t v = integer_of(x, i, from);
        const bool is_unsigned = from == 3 && !sm_bit(x->word, 45);
        uint64_t result;
        if (to == F64)
            result = is_unsigned ? wt_u64_to_f64((uint64_t)v, &fp) : wt_i64_to_f64(v, &fp);
        else if (to == F32)
            result = is_unsigned ? wt_u64_to_f32((uint64_t)v, &fp) : wt_i64_to_f32(v, &fp);
        else
            result = is_unsigned ? wt_u64_to_f16((uint64_t)v, &fp) : wt_i64_to_f16(v, &fp);
        rows = put(x, i, result, to == F64);
    }
    sm_set_logic_cc(x, 47);
    return rows;
}

/* The floating-point operand as a double, which holds all of them exactly. */
static uint64_t float_of(const struct sm_exec *x, unsigned i, unsigned type, bool ftz)
{
    struct wt_fp fp = {.propagate_nan = true};
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t v;
    if (type == F64) {
        v = pair(x->b, i);
    } else if (type == F32) {
        uint32_t bits = x->b[i];
        if (ftz && !(bits & 0x7f800000))
            bits &= 0x80000000;
        v = wt_f32_to_f64(bits, &fp);
    } else {
        v = wt_f16_to_f64((uint16_t)(x->b[i] >> (SM_FIELD(x->word, h41) ? 16 : 0)), &fp);
    }
    if (sm_bit(x->word, 49))
        v &= ~sign;
    return sm_bit(x->word, 45) ? v ^ sign : v;
}

/* Rounds to a whole number: 0 nearest, 1 floor, 2 ceil, 3 trunc. */
static double whole(double v, unsigned how)
{
    return how == 1 ? floor(v) : how == 2 ? ceil(v) : how == 3 ? trunc(v) : rint(v);
}

unsigned sm_alu_f2i(struct sm_exec *x)
{
    const unsigned to = SM_FIELD(x->word, idst), from = SM_FIELD(x->word, fsrc);
    const unsigned bits = 8u << (to & 3);
    double least, most;
    unsigned rows = 1;
    range_of(to, &least, &most);
    FOR_LANES (i) {
        const uint64_t operand = float_of(x, i, from, SM_FIELD(x->word, ftz44));
        double v;
        uint64_t result;
        memcpy(&v, &operand, sizeof v);
        v = whole(v, SM_FIELD(x->word, f2ir39));
        if (isnan(v)) /* 0; of 64 bits the least number */
            result = bits == 64 ? (uint64_t)1 << 63 : 0;
        else if (v < least)
            result = to & 4 ? (uint64_t)1 << 63 >> (64 - bits) : 0;
        else if (v >= most)
            result = to & 4      ? (UINT64_C(1) << (bits - 1)) - 1
                     : bits < 64 ? (UINT64_C(1) << bits) - 1
                                 : UINT64_MAX;
        else
            result = v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
        if (to & 4 && bits < 64)
            result = (uint64_t)wt_sign_extend(result, bits);
        rows = put(x, i, result, bits == 64);
    }
    sm_set_logic_cc(x, 47);
    return rows;
}

static uint64_t narrow(uint64_t v, unsigned to, unsigned round, bool ftz)
{
    struct wt_fp fp = {
        .round = (uint8_t)round_of(round), .propagate_nan = true, .flush_output = ftz};
    if (to == F64)
        return v;
    if (to == F16)
        return wt_f64_to_f16(v, &fp);
    const uint32_t single = wt_f64_to_f32(v, &fp);
    return (single & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : single;
}

unsigned sm_alu_f2f(struct sm_exec *x)
{
    const unsigned to = SM_FIELD(x->word, fdst), from = SM_FIELD(x->word, fsrc);
    const unsigned round = SM_FIELD(x->word, f2fr);
    const bool ftz = SM_FIELD(x->word, ftz44);
    unsigned rows = 1;
    FOR_LANES (i) {
        uint64_t v = float_of(x, i, from, ftz);
        double d;
        memcpy(&d, &v, sizeof d);
        if (round >= 4 && !isnan(d)) {
            d = whole(d, round - 4);
            memcpy(&v, &d, sizeof v);
        }
        if (SM_FIELD(x->word, sat50)) {
            d = isnan(d) || d < 0 ? 0 : d > 1 ? 1 : d;
            memcpy(&v, &d, sizeof v);
        }
        rows = put(x, i, narrow(v, to, round < 4 ? round : 0, ftz), to == F64);
    }
    sm_set_logic_cc(x, 47);
    return rows;
}
