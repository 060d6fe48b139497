/*
 * PTX: conversions to and from numbers of less than 16 bits, and to TF32 (manual 9.7.9.21, .22):
 * FP8 in pairs, cvt.pack of integers.
 */
#include <math.h>
#include <string.h>

#include "emulator/machine/softfloat.h"
#include "emulator/sm/ptx/exec/pack.h"

/* ---- FP8 ---- */

/* The nearest number of 8 bits, of two the even one; the largest instead of what is beyond. */
static uint32_t to_eight(bool five, double value, bool relu)
{
    const int fraction = five ? 2 : 3, least = five ? -14 : -6;
    const uint32_t largest = five ? 0x7b : 0x7e, sign = signbit(value) ? 0x80 : 0;
    int exponent;
    if (value != value)
        return 0x7f;
    if (value == 0 || (relu && sign))
        return relu ? 0 : sign;
    frexp(value, &exponent);
    exponent = exponent - 1 < least ? least : exponent - 1;
    if (isinf(value) || exponent > 15)
        return sign | largest;
    /* Units of the last bit: an integer and a part. */
    const double units = ldexp(fabs(value), fraction - exponent), whole = floor(units);
    uint32_t number = (uint32_t)whole;
    number += units - whole > 0.5 || (units - whole == 0.5 && number & 1);
    number += (uint32_t)(exponent - least) << fraction;
    return sign | (number > largest ? largest : number);
}

/* The half of the same value. */
static uint32_t to_half(bool five, uint32_t bits, bool relu)
{
    const uint32_t magnitude = bits & 0x7f, sign = (bits & 0x80) << 8;
    struct wt_fp fp = {0};
    if (five ? magnitude > 0x7c : magnitude == 0x7f)
        return 0x7fff;
    if (relu && sign)
        return 0;
    if (five)
        return sign | magnitude << 8;
    const int exponent = magnitude >> 3 ? (int)(magnitude >> 3) : 1;
    const double value = ldexp((magnitude & 7) + (magnitude >> 3 ? 8 : 0), exponent - 7 - 3);
    uint64_t wide;
    memcpy(&wide, &value, sizeof wide);
    return sign | wt_f64_to_f16(wide, &fp);
}

static double of_half(uint32_t bits)
{
    struct wt_fp fp = {.propagate_nan = true};
    const uint64_t wide = wt_f16_to_f64((uint16_t)bits, &fp);
    double value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* ---- the others ---- */

static uint32_t to_tf32(uint32_t bits, const struct ptx_op *o)
{
    const unsigned round = o->round;
    const bool relu = o->combine, finite = o->flag;
    enum { DROPPED = 13, MIDDLE = 1 << (DROPPED - 1) };
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000 && round != WT_RMM)
        return 0x7fffffff;
    if (relu && bits >> 31)
        return 0;
    if (magnitude == 0x7f800000 && round != WT_RMM)
        return bits;
    if (round == WT_RMM) /* a sequence of NVIDIA's assembler, which cuts off bits of a NaN, too */
        bits += magnitude < 0x7f800000 ? MIDDLE : 0;
    else if (round == WT_RNE)
        bits += MIDDLE - 1 + (bits >> DROPPED & 1);
    bits &= ~((1u << DROPPED) - 1);
    return finite && (bits & 0x7f800000) == 0x7f800000 ? bits - (1u << DROPPED) : bits;
}

static uint32_t part_of(int32_t value, unsigned bits, bool is_signed)
{
    const int32_t most = (1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    value = value < least ? least : value > most ? most : value;
    return (uint32_t)value & ((1u << bits) - 1);
}

static uint32_t result_of(const struct ptx_op *o, uint32_t a, uint32_t b, uint32_t c)
{
    const bool five = o->how == TO_E5M2 || o->how == FROM_E5M2;
    switch ((enum how)o->how) {
    case TO_E4M3:
    case TO_E5M2:
        if (o->flag)
            return to_eight(five, of_half(a & 0xffff), o->combine) |
                   to_eight(five, of_half(a >> 16), o->combine) << 8;
        return to_eight(five, wt_float_of_bits(b), o->combine) |
               to_eight(five, wt_float_of_bits(a), o->combine) << 8;
    case FROM_E4M3:
    case FROM_E5M2:
        return to_half(five, a & 0xff, o->combine) | to_half(five, a >> 8 & 0xff, o->combine) << 16;
    case TO_TF32:
        return to_tf32(a, o);
    case PACK:
        break;
    }
    const uint32_t pair = part_of((int32_t)a, o->size, o->is_signed) << o->size |
                          part_of((int32_t)b, o->size, o->is_signed);
    return o->size == 16 ? pair : c << 2 * o->size | pair;
}

PTX_EXECUTOR(ptx_op_pack_numbers)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const uint32_t *a = ptx_in(frame, &o->s[0]), *b = ptx_in(frame, &o->s[1]),
                   *c = ptx_in(frame, &o->s[2]);
    uint32_t *d = (uint32_t *)(frame + o->d);
    PTX_LEFT(i, ptx_lanes(w, o))
    d[i] = result_of(o, a[i], b[i], c[i]);
    return sm_next(u);
}
