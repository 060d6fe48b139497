/*
 * Video instructions: operands are bytes, halves or words; the result is saturated and then put
 * into a part of C, or added to it, or compared with it. The manual of PTX describes this (9.7.19,
 * "Video Instructions"); which bits say it: isa.def.
 */
#include "emulator/sm/sass/alu.h"

/* Operand A or B: bits of a row. */
struct operand {
    const uint32_t *row;
    unsigned shift, bits;
    bool has_sign;
};

static struct operand operand_of(const struct sm_exec *x, bool b)
{
    const uint64_t word = x->u->word;
    const unsigned part = (unsigned)sm_bits(word, b ? 28 : 36, 3);
    struct operand o = {b ? x->b : x->a, 0, 32, sm_video_signed(word, b)};
    if (b && x->u->form == SM_FORM_I) {
        o.bits = 16;
    } else if (part < SM_VIDEO_HALF) {
        o.shift = 8 * part;
        o.bits = 8;
    } else if (part < SM_VIDEO_WORD) {
        o.shift = 16 * (part - SM_VIDEO_HALF);
        o.bits = 16;
    }
    return o;
}

static int64_t value_of(const struct operand *o, unsigned lane)
{
    const uint64_t value = o->row[lane] >> o->shift & (UINT32_MAX >> (32 - o->bits));
    return o->has_sign ? wt_sign_extend(value, o->bits) : (int64_t)value;
}

enum mode { MERGE_16H, MERGE_16L, MERGE_8B0, MERGE_8B2, ACCUMULATE, MINIMUM, MAXIMUM, ALONE };

/* Limits of what a saturated result goes into. */
static int64_t saturate(int64_t value, enum mode mode, bool has_sign)
{
    const unsigned bits = mode <= MERGE_16L ? 16 : mode <= MERGE_8B2 ? 8 : 32;
    const int64_t most = (INT64_C(1) << (bits - has_sign)) - 1, least = has_sign ? -most - 1 : 0;
    return value < least ? least : value > most ? most : value;
}

static uint32_t put_part(uint32_t c, uint32_t value, unsigned pos, unsigned bits)
{
    const uint32_t mask = ((1u << bits) - 1) << pos;
    return (c & ~mask) | (value << pos & mask);
}

static uint32_t finish(int64_t value, enum mode mode, bool has_sign, uint32_t c)
{
    const uint32_t v = (uint32_t)value;
    const bool less = has_sign ? (int32_t)v < (int32_t)c : v < c;
    switch (mode) {
    case MERGE_16H:
        return put_part(c, v, 16, 16);
    case MERGE_16L:
        return put_part(c, v, 0, 16);
    case MERGE_8B0:
        return put_part(c, v, 0, 8);
    case MERGE_8B2:
        return put_part(c, v, 16, 8);
    case ACCUMULATE:
        return v + c;
    case MINIMUM:
        return less ? v : c;
    case MAXIMUM:
        return less ? c : v;
    case ALONE:
        break;
    }
    return v;
}

typedef int64_t (*video)(const struct sm_exec *x, int64_t a, int64_t b);

/* An instruction with the usual operands: types, saturation, mode. */
static unsigned compute(struct sm_exec *x, video f)
{
    const enum mode mode = (enum mode)SM_FIELD(x->u->word, vmode51);
    const bool saturated = x->u->mods & SM_SAT, has_sign = x->u->mods & SM_SIGNED;
    const struct operand a = operand_of(x, false);
    struct operand b = operand_of(x, true);
    b.has_sign &= x->u->insn != SM_VSHL && x->u->insn != SM_VSHR;
    FOR_LANES (i) {
        const int64_t v = f(x, value_of(&a, i), value_of(&b, i));
        x->d[0][i] = finish(saturated ? saturate(v, mode, has_sign) : v, mode, has_sign, x->c[i]);
    }
    sm_set_logic_cc(x);
    return 1;
}

static bool compare(unsigned how, int64_t a, int64_t b)
{
    return (how & 1 && a < b) || (how & 2 && a == b) || (how & 4 && a > b);
}

/* How far: .W wraps at 32, else 32 is as far as it goes. */
static unsigned distance(const struct sm_exec *x, int64_t b)
{
    return x->u->mods & SM_WRAPS ? (unsigned)(b & 31) : b > 32 ? 32 : (unsigned)b;
}

static int64_t left(const struct sm_exec *x, int64_t a, int64_t b)
{
    const unsigned n = distance(x, b);
    if (n == 32) /* may be beyond 63 bits; its lower 32 are zeros */
        return ((a > 0) - (a < 0)) * (INT64_C(1) << 40);
    return (int64_t)((uint64_t)a << n);
}

#define VIDEO(name, value)                                                                         \
    static int64_t name##_of(const struct sm_exec *x, int64_t a, int64_t b)                        \
    {                                                                                              \
        return value;                                                                              \
    }                                                                                              \
    unsigned sm_alu_##name(struct sm_exec *x)                                                      \
    {                                                                                              \
        return compute(x, name##_of);                                                              \
    }
VIDEO(vadd, a + b)
VIDEO(vabsdiff, a < b ? b - a : a - b)
VIDEO(vmnmx, (x->u->mods & SM_HIGH ? a < b : a >= b) ? b : a)
VIDEO(vset, compare(x->u->how & 7, a, b))
VIDEO(vshl, left(x, a, b))
VIDEO(vshr, a >> distance(x, b))

unsigned sm_alu_vsetp(struct sm_exec *x)
{
    const struct operand a = operand_of(x, false), b = operand_of(x, true);
    uint32_t holds = 0;
    FOR_LANES (i)
        holds |= (uint32_t)compare(x->u->how, value_of(&a, i), value_of(&b, i)) << i;
    return sm_set_predicates(x, holds);
}

/* VMAD: a * b + c, both with their signs; two minus signs stand for .PO, a * b + c + 1. */
unsigned sm_alu_vmad(struct sm_exec *x)
{
    const struct operand a = operand_of(x, false), b = operand_of(x, true);
    const bool minus_a = x->u->mods & SM_NEG_A, minus_c = x->u->mods & SM_NEG_C;
    const bool plus_one = minus_a && minus_c, saturated = x->u->mods & SM_SAT,
               has_sign = a.has_sign || b.has_sign || minus_a || minus_c;
    static const uint8_t shifts[4] = {0, 7, 15};
    const unsigned shift = shifts[x->u->how];
    FOR_LANES (i) {
        const uint64_t product = (uint64_t)value_of(&a, i) * (uint64_t)value_of(&b, i);
        const uint64_t c = has_sign ? (uint64_t)(int32_t)x->c[i] : x->c[i];
        const uint64_t total = (minus_a && !plus_one ? 0 - product : product) +
                               (minus_c && !plus_one ? 0 - c : c) + plus_one;
        const int64_t value = has_sign ? (int64_t)total >> shift : (int64_t)(total >> shift);
        x->d[0][i] = (uint32_t)(saturated ? saturate(value, ALONE, has_sign && !plus_one) : value);
    }
    sm_set_logic_cc(x);
    return 1;
}

/* The differences of four bytes; .ACC adds them to C. */
unsigned sm_alu_vabsdiff4(struct sm_exec *x)
{
    const bool sign_a = x->u->how & 1, sign_b = x->u->how & 2, adds = x->u->how & 4;
    FOR_LANES (i) {
        uint32_t total = adds ? x->c[i] : 0;
        for (unsigned n = 0; n < 4; n++) {
            const uint32_t a = x->a[i] >> 8 * n & 0xff, b = x->b[i] >> 8 * n & 0xff;
            const int32_t p = sign_a ? (int8_t)a : (int32_t)a, q = sign_b ? (int8_t)b : (int32_t)b;
            const uint32_t apart = (uint32_t)(p < q ? q - p : p - q);
            total = adds ? total + apart : total | (apart & 0xff) << 8 * n;
        }
        x->d[0][i] = total;
    }
    return 1;
}
