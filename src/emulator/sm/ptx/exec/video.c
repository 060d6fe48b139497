/*
 * PTX: instructions on the halves or bytes of words (manual 9.7.20, "SIMD Video Instructions"),
 * whole words only: masks and selectors of operands are refused; and on a part of a word each
 * (9.7.19, "Scalar Video Instructions").
 */
#include "base/bits.h"
#include "emulator/sm/ptx/exec/video.h"

static int part_of(uint32_t word, unsigned bits, unsigned n, bool is_signed)
{
    const uint32_t up = word << (32 - bits * (n + 1));
    return is_signed ? (int)up >> (32 - bits) : (int)(up >> (32 - bits));
}

static int64_t clamp_bits(int64_t value, unsigned bits, bool is_signed)
{
    const int64_t most = ((int64_t)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return value < least ? least : value > most ? most : value;
}

static int64_t result_of(const struct ptx_op *o, int64_t a, int64_t b)
{
    const unsigned amount = o->combine ? b & 31 : b < 32 ? (unsigned)b : 32;
    switch ((enum video_operation)o->how) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case AVERAGE:
        return (a + b + (a + b >= 0)) >> 1;
    case DIFFERENCE:
        return a < b ? b - a : a - b;
    case MINIMUM:
        return a < b ? a : b;
    case MAXIMUM:
        return a < b ? b : a;
    case SHIFT_LEFT:
        return (int64_t)((uint64_t)a << amount);
    case SHIFT_RIGHT:
        return a >> amount;
    default:
        return (o->combine & (a < b ? PTX_LESS : a > b ? PTX_GREATER : PTX_EQUAL)) != 0;
    }
}

/*
 * All parts of a lane: put together or, with .add, added to the third word. A GPU of compute
 * capability 9.0 adds each result whole, before it is cut to the bits of a part.
 */
static uint32_t parts(const struct ptx_op *o, uint32_t a, uint32_t b, uint32_t c)
{
    const unsigned bits = o->size;
    uint32_t word = 0;
    for (unsigned n = 0; n < 32 / bits; n++) {
        int64_t value =
            result_of(o, part_of(a, bits, n, o->type & 1), part_of(b, bits, n, o->type & 2));
        if (o->sat)
            value = clamp_bits(value, bits, o->is_signed);
        if (o->round && value < 0) /* .relu */
            value = 0;
        c += (uint32_t)value;
        word |= ((uint32_t)value & ((1u << bits) - 1)) << bits * n;
    }
    return o->flag ? c : word;
}

PTX_EXECUTOR(ptx_op_parts)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const uint32_t *a = ptx_in(frame, &o->s[0]), *b = ptx_in(frame, &o->s[1]),
                   *c = ptx_in(frame, &o->s[2]);
    uint32_t *d = (uint32_t *)(frame + o->d);
    PTX_LEFT(i, ptx_lanes(w, o))
    d[i] = parts(o, a[i], b[i], c[i]);
    return sm_next(u);
}

/* ---- a part of a word each ---- */

static unsigned selected_bits(unsigned selector)
{
    return selector == WHOLE ? 32 : selector < HALFWORD ? 8 : 16;
}

static unsigned selected_at(unsigned selector)
{
    return selector == WHOLE     ? 0
           : selector < HALFWORD ? 8 * (selector - BYTE)
                                 : 16 * (selector - HALFWORD);
}

static int64_t selected(uint32_t word, unsigned selector, bool is_signed)
{
    const unsigned bits = selected_bits(selector);
    const uint64_t part = word >> selected_at(selector) & (UINT32_MAX >> (32 - bits));
    return is_signed ? wt_sign_extend(part, bits) : (int64_t)part;
}

/*
 * vmad as a GPU of compute capability 9.0 computes it: whole words have signs whatever their types
 * are, the sum is 64 bits wide, and with .sat the sum of unsigned words is shifted without its
 * sign.
 */
static uint32_t multiply_add(const struct ptx_op *o, int64_t a, int64_t b, uint32_t c)
{
    const bool is_signed = o->type || o->index & 3;
    const uint64_t product = (uint64_t)(o->vector[1] == WHOLE ? (int32_t)a : a) *
                             (uint64_t)(o->vector[2] == WHOLE ? (int32_t)b : b);
    const uint64_t addend = (uint64_t)(int32_t)c;
    const int64_t sum = (int64_t)((o->index & 1 ? -product : product) +
                                  (o->index & 2 ? -addend : addend) + (o->index >> 2));
    if (!o->sat)
        return (uint32_t)(sum >> o->count);
    if (is_signed || !o->count)
        return (uint32_t)clamp_bits(sum >> o->count, 32, is_signed);
    return (uint32_t)clamp_bits((int64_t)((uint64_t)sum >> o->count), 32, false);
}

/*
 * The result of .sat as a GPU of compute capability 9.0 has it: a part takes negative results for
 * large ones (not of vshr); vshl keeps 34 bits, limits them to 32 and cuts them to the part; no
 * other instruction limits large results to u32.
 */
static int64_t saturated(const struct ptx_op *o, int64_t value, unsigned bits)
{
    const uint32_t most = (UINT32_MAX >> (32 - bits)) >> o->is_signed;
    if (o->how == SHIFT_LEFT)
        return clamp_bits(wt_sign_extend((uint64_t)value, 34), 32, o->is_signed);
    if (o->how == SHIFT_RIGHT)
        return clamp_bits(value, bits, o->is_signed);
    if (bits < 32)
        return (uint32_t)value < most ? (uint32_t)value : most;
    if (o->is_signed)
        return clamp_bits(value, 32, true);
    return value < 0 ? 0 : value;
}

/*
 * The lesser or the greater of a result and c. A GPU of compute capability 9.0 compares 64 bits; of
 * sums, differences and saturated shifts the upper 32 repeat the sign bit of the lower ones.
 */
static uint32_t extreme(const struct ptx_op *o, int64_t value, uint32_t c)
{
    const bool shifts = o->how == SHIFT_LEFT || o->how == SHIFT_RIGHT;
    const bool is_cut = o->how == ADD || o->how == SUBTRACT || (shifts && o->sat);
    const bool is_signed = o->is_signed || (o->how == COMPARE && o->type & A_SIGNED);
    const int64_t compared = is_cut ? (int32_t)value : value;
    const bool less = is_signed ? compared < (int32_t)c : (uint64_t)compared < c;
    return (o->round == SM_ATOMIC_MIN) == less ? (uint32_t)value : c;
}

static uint32_t scalar_video(const struct ptx_op *o, uint32_t a_word, uint32_t b_word, uint32_t c)
{
    const int64_t a = selected(a_word, o->vector[1], o->type & A_SIGNED),
                  b = selected(b_word, o->vector[2], o->type & B_SIGNED);
    const unsigned bits = selected_bits(o->vector[0]), at = selected_at(o->vector[0]);
    if (o->how == MULTIPLY)
        return multiply_add(o, a, b, c);
    int64_t value = result_of(o, a, b);
    if (o->sat)
        value = saturated(o, value, bits);
    if (o->flag)
        return o->round == SM_ATOMIC_ADD ? (uint32_t)value + c : extreme(o, value, c);
    if (o->vector[0] == HALFWORD + 1 && !o->sat) /* compute capability 9.0: not the lower half */
        return ((uint32_t)value & 0xffff0000) | (c & 0xffff);
    const uint32_t mask = (UINT32_MAX >> (32 - bits)) << at;
    return ((uint32_t)value << at & mask) | (c & ~mask);
}

void ptx_video_part(const struct ptx_op *op, unsigned source, uint8_t *first, uint8_t *bits)
{
    *first = (uint8_t)selected_at(op->vector[source + 1]);
    *bits = (uint8_t)selected_bits(op->vector[source + 1]);
}

static const uint8_t operations[] = {[PTX_OP_vadd - PTX_OP_vadd] = ADD,
                                     [PTX_OP_vsub - PTX_OP_vadd] = SUBTRACT,
                                     [PTX_OP_vabsdiff - PTX_OP_vadd] = DIFFERENCE,
                                     [PTX_OP_vmin - PTX_OP_vadd] = MINIMUM,
                                     [PTX_OP_vmax - PTX_OP_vadd] = MAXIMUM,
                                     [PTX_OP_vshl - PTX_OP_vadd] = SHIFT_LEFT,
                                     [PTX_OP_vshr - PTX_OP_vadd] = SHIFT_RIGHT,
                                     [PTX_OP_vset - PTX_OP_vadd] = COMPARE,
                                     [PTX_OP_vmad - PTX_OP_vadd] = MULTIPLY};

enum video_operation ptx_video_operation(enum ptx_math op)
{
    return (enum video_operation)operations[op - PTX_OP_vadd];
}

enum ptx_math ptx_video_of(const struct ptx_op *op)
{
    if (op->run == ptx_op_parts)
        return (enum ptx_math)(PTX_OP_vadd2 + 2 * op->how + (op->size == 8));
    for (unsigned i = 0; i < sizeof operations && op->run == ptx_op_scalar_video; i++)
        if (operations[i] == op->how)
            return (enum ptx_math)(PTX_OP_vadd + i);
    return PTX_MATHS;
}

PTX_EXECUTOR(ptx_op_scalar_video)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const uint32_t *a = ptx_in(frame, &o->s[0]), *b = ptx_in(frame, &o->s[1]),
                   *c = ptx_in(frame, &o->s[2]);
    uint32_t *d = (uint32_t *)(frame + o->d);
    PTX_LEFT(i, ptx_lanes(w, o))
    d[i] = scalar_video(o, a[i], b[i], c[i]);
    return sm_next(u);
}
