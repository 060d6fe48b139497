/*
 * Video instructions: operands are bytes, halves or words; the result is saturated and then put
 * into a part of C, or added to it, or compared with it. The manual of PTX describes this (9.7.19,
 * "Video Instructions"); which bits say it: isa.def.
 */
#include "emulator/sm/sass/alu.h"

/* Operand A, or B, of a lane. */
static int64_t operand(const struct sm_exec *x, bool b, bool has_sign, unsigned lane)
{
    const uint64_t word = x->word;
    const unsigned part = (unsigned)sm_bits(word, b ? 28 : 36, 3);
    uint32_t value = b ? x->b[lane] : x->a[lane];
    unsigned bits = 32;
    if (b && !sm_bit(word, 50)) {
        value = (uint32_t)sm_bits(word, 20, 16);
        bits = 16;
    } else if (part < SM_VIDEO_HALF) {
        value >>= 8 * part;
        bits = 8;
    } else if (part < SM_VIDEO_WORD) {
        value >>= 16 * (part - SM_VIDEO_HALF);
        bits = 16;
    }
    value &= bits == 32 ? ~0u : (1u << bits) - 1;
    return has_sign ? wt_sign_extend(value, bits) : (int64_t)value;
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

static uint32_t finish(int64_t value, enum mode mode, bool saturated, bool has_sign, uint32_t c)
{
    const uint32_t v = (uint32_t)(saturated ? saturate(value, mode, has_sign) : value);
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
static unsigned compute(struct sm_exec *x, video f, bool has_sign)
{
    const enum mode mode = (enum mode)SM_FIELD(x->word, vmode51);
    const bool shifts = x->u->insn == SM_VSHL || x->u->insn == SM_VSHR;
    const bool saturated = x->u->insn != SM_VSET && SM_FIELD(x->word, sat55);
    const bool sign_a = sm_video_signed(x->word, false);
    const bool sign_b = !shifts && sm_video_signed(x->word, true);
    FOR_LANES (i)
        x->d[0][i] = finish(f(x, operand(x, false, sign_a, i), operand(x, true, sign_b, i)), mode,
                            saturated, has_sign, x->c[i]);
    sm_set_logic_cc(x, 47);
    return 1;
}

static bool result_signed(const struct sm_exec *x)
{
    return SM_FIELD(x->word, ud54); /* of VABSDIFF .SD, at the same bit */
}

static int64_t sum(const struct sm_exec *x, int64_t a, int64_t b)
{
    return a + b;
}

static int64_t difference(const struct sm_exec *x, int64_t a, int64_t b)
{
    return a < b ? b - a : a - b;
}

static int64_t extreme(const struct sm_exec *x, int64_t a, int64_t b)
{
    return SM_FIELD(x->word, mx56) == (a < b) ? b : a;
}

static bool compare(unsigned how, int64_t a, int64_t b)
{
    return (how & 1 && a < b) || (how & 2 && a == b) || (how & 4 && a > b);
}

static int64_t comparison(const struct sm_exec *x, int64_t a, int64_t b)
{
    return compare(SM_FIELD(x->word, vcmp54), a, b);
}

/* How far: .W wraps at 32, else 32 is as far as it goes. */
static unsigned distance(const struct sm_exec *x, int64_t b)
{
    return SM_FIELD(x->word, w49) ? (unsigned)(b & 31) : b > 32 ? 32 : (unsigned)b;
}

static int64_t left(const struct sm_exec *x, int64_t a, int64_t b)
{
    const unsigned n = distance(x, b);
    if (n == 32) /* may be beyond 63 bits; its lower 32 are zeros */
        return ((a > 0) - (a < 0)) * (INT64_C(1) << 40);
    return (int64_t)((uint64_t)a << n);
}

static int64_t right(const struct sm_exec *x, int64_t a, int64_t b)
{
    return a >> distance(x, b);
}

unsigned sm_alu_vadd(struct sm_exec *x)
{
    return compute(x, sum, result_signed(x));
}

unsigned sm_alu_vabsdiff(struct sm_exec *x)
{
    return compute(x, difference, result_signed(x));
}

unsigned sm_alu_vmnmx(struct sm_exec *x)
{
    return compute(x, extreme, result_signed(x));
}

unsigned sm_alu_vset(struct sm_exec *x)
{
    return compute(x, comparison, false);
}

unsigned sm_alu_vshl(struct sm_exec *x)
{
    return compute(x, left, result_signed(x));
}

unsigned sm_alu_vshr(struct sm_exec *x)
{
    return compute(x, right, result_signed(x));
}

unsigned sm_alu_vsetp(struct sm_exec *x)
{
    const uint32_t with = sm_source_predicate(x, 39, 42);
    const unsigned how = SM_FIELD(x->word, bool45), test = SM_FIELD(x->word, vcmp43);
    uint32_t holds = 0;
    FOR_LANES (i)
        holds |= (uint32_t)compare(test, operand(x, false, sm_video_signed(x->word, false), i),
                                   operand(x, true, sm_video_signed(x->word, true), i))
                 << i;
    sm_set_predicate(x, (unsigned)sm_bits(x->word, 3, 3), sm_combine(how, holds, with));
    sm_set_predicate(x, (unsigned)sm_bits(x->word, 0, 3), sm_combine(how, ~holds, with));
    return 0;
}

/* VMAD: a * b + c, both with their signs; two minus signs stand for .PO, a * b + c + 1. */
unsigned sm_alu_vmad(struct sm_exec *x)
{
    const bool sign_a = sm_video_signed(x->word, false), sign_b = sm_video_signed(x->word, true);
    const bool minus_a = sm_bit(x->word, 54), minus_c = sm_bit(x->word, 53);
    const bool plus_one = minus_a && minus_c, has_sign = sign_a || sign_b || minus_a || minus_c;
    static const uint8_t shifts[] = {0, 7, 15};
    const unsigned shift = shifts[SM_FIELD(x->word, shr51)];
    FOR_LANES (i) {
        const int64_t product = (int64_t)((uint64_t)operand(x, false, sign_a, i) *
                                          (uint64_t)operand(x, true, sign_b, i));
        const int64_t c = has_sign ? (int32_t)x->c[i] : (int64_t)x->c[i];
        const uint64_t p =
            (uint64_t)(minus_a && !plus_one ? -(uint64_t)product : (uint64_t)product);
        const uint64_t e = minus_c && !plus_one ? -(uint64_t)c : (uint64_t)c;
        const uint64_t total = p + e + plus_one;
        const int64_t value = has_sign ? (int64_t)total >> shift : (int64_t)(total >> shift);
        x->d[0][i] = finish(value, ALONE, SM_FIELD(x->word, sat55), has_sign && !plus_one, 0);
    }
    sm_set_logic_cc(x, 47);
    return 1;
}

/* The differences of four bytes; .ACC adds them to C. */
unsigned sm_alu_vabsdiff4(struct sm_exec *x)
{
    const bool adds = SM_FIELD(x->word, acc53);
    const bool sign_a = SM_FIELD(x->word, v4u48), sign_b = SM_FIELD(x->word, v4u49);
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
