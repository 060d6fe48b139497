/* Conversions: I2I, I2F, F2I, F2F. */
#include "emulator/sm/sass/alu.h"

#include <math.h>
#include <string.h>

enum { F16 = 1, F32, F64 };

/* The integer operand of field isrc: the part that field part41 chooses, extended to 64 bits. */
static int64_t integer_of(const struct sm_exec *x, unsigned i, unsigned type, unsigned part)
{
    const unsigned log = type & 3, bits = 8u << log;
    uint64_t v = sm_pair(x->b, i) >> (log == 0 ? 8 * part : log == 1 ? 16 * (part >> 1) : 0);
    if (type & 4)
        v = (uint64_t)wt_sign_extend(v, bits);
    else if (bits < 64)
        v &= (UINT64_C(1) << bits) - 1;
    if (x->u->mods & SM_ABS_B && type & 4 && (int64_t)v < 0)
        v = 0 - v;
    if (x->u->mods & SM_NEG_B)
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

unsigned sm_alu_i2i(struct sm_exec *x)
{
    const uint64_t word = x->u->word;
    const unsigned to = SM_FIELD(word, idst), from = SM_FIELD(word, isrc);
    const unsigned part = SM_FIELD(word, part41), bits = 8u << (to & 3);
    FOR_LANES (i) {
        int64_t v = integer_of(x, i, from, part);
        if (x->u->mods & SM_SAT && bits < 64) {
            const int64_t least = to & 4 ? -(INT64_C(1) << (bits - 1)) : 0;
            const int64_t most = (INT64_C(1) << (bits - (to & 4 ? 1 : 0))) - 1;
            v = v < least ? least : v > most ? most : v;
        }
        if (bits < 64)
            v = to & 4 ? wt_sign_extend((uint64_t)v, bits)
                       : (int64_t)((uint64_t)v & ((UINT64_C(1) << bits) - 1));
        sm_put_pair(x, i, (uint64_t)v);
    }
    sm_set_logic_cc(x);
    return 1 + (bits == 64);
}

unsigned sm_alu_i2f(struct sm_exec *x)
{
    const uint64_t word = x->u->word;
    const unsigned to = SM_FIELD(word, fdst), from = SM_FIELD(word, isrc);
    const unsigned part = SM_FIELD(word, part41);
    const bool is_unsigned = from == 3 && !(x->u->mods & SM_NEG_B);
    struct wt_fp fp = {.round = (uint8_t)sm_round(x->u->round)};
    FOR_LANES (i) {
        const int64_t v = integer_of(x, i, from, part);
        uint64_t result;
        if (to == F64)
            result = is_unsigned ? wt_u64_to_f64((uint64_t)v, &fp) : wt_i64_to_f64(v, &fp);
        else if (to == F32)
            result = is_unsigned ? wt_u64_to_f32((uint64_t)v, &fp) : wt_i64_to_f32(v, &fp);
        else
            result = is_unsigned ? wt_u64_to_f16((uint64_t)v, &fp) : wt_i64_to_f16(v, &fp);
        sm_put_pair(x, i, result);
    }
    sm_set_logic_cc(x);
    return 1 + (to == F64);
}

/* The floating-point operand as a double, which holds all of them exactly. */
static uint64_t float_of(const struct sm_exec *x, unsigned i, unsigned type)
{
    struct wt_fp fp = {.propagate_nan = true};
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t v;
    if (type == F64) {
        v = sm_pair(x->b, i);
    } else if (type == F32) {
        uint32_t bits = x->b[i];
        if (x->u->mods & SM_FTZ && !(bits & 0x7f800000))
            bits &= 0x80000000;
        v = wt_f32_to_f64(bits, &fp);
    } else {
        v = wt_f16_to_f64((uint16_t)(x->b[i] >> (x->u->mods & SM_UPPER_B ? 16 : 0)), &fp);
    }
    if (x->u->mods & SM_ABS_B)
        v &= ~sign;
    return x->u->mods & SM_NEG_B ? v ^ sign : v;
}

/* Rounds to a whole number: 0 nearest, 1 floor, 2 ceil, 3 trunc. */
static double whole(double v, unsigned how)
{
    return how == 1 ? floor(v) : how == 2 ? ceil(v) : how == 3 ? trunc(v) : rint(v);
}

unsigned sm_alu_f2i(struct sm_exec *x)
{
    const uint64_t word = x->u->word;
    const unsigned to = SM_FIELD(word, idst), from = SM_FIELD(word, fsrc);
    const unsigned bits = 8u << (to & 3), round = SM_FIELD(word, f2ir39);
    double least, most;
    range_of(to, &least, &most);
    FOR_LANES (i) {
        const uint64_t operand = float_of(x, i, from);
        double v;
        uint64_t result;
        memcpy(&v, &operand, sizeof v);
        v = whole(v, round);
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
        sm_put_pair(x, i, result);
    }
    sm_set_logic_cc(x);
    return 1 + (bits == 64);
}

static uint64_t narrow(uint64_t v, unsigned to, unsigned round, bool ftz)
{
    struct wt_fp fp = {
        .round = (uint8_t)sm_round(round), .propagate_nan = true, .flush_output = ftz};
    if (to == F64)
        return v;
    if (to == F16)
        return wt_f64_to_f16(v, &fp);
    const uint32_t single = wt_f64_to_f32(v, &fp);
    return (single & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : single;
}

unsigned sm_alu_f2f(struct sm_exec *x)
{
    const uint64_t word = x->u->word;
    const unsigned to = SM_FIELD(word, fdst), from = SM_FIELD(word, fsrc);
    const unsigned round = SM_FIELD(word, f2fr);
    FOR_LANES (i) {
        uint64_t v = float_of(x, i, from);
        double d;
        memcpy(&d, &v, sizeof d);
        if (round >= 4 && !isnan(d)) {
            d = whole(d, round - 4);
            memcpy(&v, &d, sizeof v);
        }
        if (x->u->mods & SM_SAT) {
            d = isnan(d) || d < 0 ? 0 : d > 1 ? 1 : d;
            memcpy(&v, &d, sizeof v);
        }
        sm_put_pair(x, i, narrow(v, to, round < 4 ? round : 0, x->u->mods & SM_FTZ));
    }
    sm_set_logic_cc(x);
    return 1 + (to == F64);
}
