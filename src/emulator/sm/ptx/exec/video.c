/*
 * PTX: instructions on the halves or bytes of words (manual 9.7.20, "SIMD Video Instructions"),
 * whole words only: masks and selectors of operands are refused; and on a part of a word each
 * (9.7.19, "Scalar Video Instructions").
 */
#include "base/bits.h"
#include "emulator/sm/ptx/know/meaning.h"
#include "emulator/sm/ptx/lower/body.h"

enum operation {
    ADD,
    SUBTRACT,
    AVERAGE,
    DIFFERENCE,
    MINIMUM,
    MAXIMUM,
    COMPARE,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    MULTIPLY
};

static bool is_word(enum ptx_type type)
{
    return type == PTX_U32 || type == PTX_S32;
}

bool ptx_lower_parts(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const unsigned number = (unsigned)(op - PTX_OP_vadd2), types = number / 2 == COMPARE ? 2 : 3;
    struct ptx_op record = body_blank();
    if (f->type_count != types || (f->fields & ATOM && f->atom != SM_ATOMIC_ADD) ||
        (types == 2 && !(f->fields & CMP)))
        return body_unsupported(b);
    for (unsigned i = 0; i < types; i++)
        if (!is_word(f->type[i]))
            return body_unsupported(b);
    const bool a_signed = f->type[types - 2] == PTX_S32, b_signed = f->type[types - 1] == PTX_S32;
    record.how = (uint8_t)(number / 2);
    record.size = number % 2 ? 8 : 16; /* bits of a part */
    record.is_signed = types == 3 && f->type[0] == PTX_S32;
    record.type = (uint8_t)(a_signed | b_signed << 1);
    record.sat = f->fields & SAT;
    record.flag = f->fields & ATOM;
    record.combine = f->outcomes;
    return body_destination(b, body_operand(b, 0), PTX_U32, &record.d) &&
           body_source(b, body_operand(b, 1), PTX_U32, &record.s[0]) &&
           body_source(b, body_operand(b, 2), PTX_U32, &record.s[1]) &&
           body_source(b, body_operand(b, 3), PTX_U32, &record.s[2]) &&
           body_put_record(b, ptx_op_parts, &record);
}

/* add, min and max of .u16x2 and .s16x2 (9.7.1.1, .10, .11). */
bool ptx_lower_halves(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const bool is_signed = ptx_has(f, PTX_WORD_s16x2), relu = ptx_has(f, PTX_WORD_relu);
    const ptx_words known =
        ptx_word_bit(PTX_WORD_u16x2) | ptx_word_bit(PTX_WORD_s16x2) | ptx_word_bit(PTX_WORD_relu);
    struct ptx_op record = body_blank();
    if (f->type_count || f->fields & ~(uint32_t)OTHER || f->words & ~known ||
        (relu && (!is_signed || op == PTX_OP_add)) || body_operand_count(b) != 3)
        return body_unsupported(b);
    record.how = op == PTX_OP_add ? ADD : op == PTX_OP_min ? MINIMUM : MAXIMUM;
    record.size = 16;
    record.type = is_signed ? 3 : 0;
    record.round = relu;
    return body_destination(b, body_operand(b, 0), PTX_B32, &record.d) &&
           body_source(b, body_operand(b, 1), PTX_B32, &record.s[0]) &&
           body_source(b, body_operand(b, 2), PTX_B32, &record.s[1]) &&
           body_constant(b, PTX_B32, 0, &record.s[2]) && body_put_record(b, ptx_op_parts, &record);
}

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
    switch ((enum operation)o->how) {
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

enum { A_SIGNED = 1, B_SIGNED = 2 };
enum { WHOLE, BYTE, HALFWORD = 5 }; /* a selector: .b0 to .b3 from BYTE on, .h0 and .h1 */

/* The selector behind an operand, which is taken off; -1: there is no such one. */
static int take_selector(struct ptx_operand *o)
{
    const struct ptx_name c = o->component;
    o->component = (struct ptx_name){0};
    if (!c.length)
        return WHOLE;
    const int n = c.length == 2 ? c.at[1] - '0' : -1;
    if (c.at[0] == 'b' && n >= 0 && n < 4)
        return BYTE + n;
    return c.at[0] == 'h' && (n == 0 || n == 1) ? HALFWORD + n : -1;
}

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

static const uint8_t operations[] = {[PTX_OP_vadd - PTX_OP_vadd] = ADD,
                                     [PTX_OP_vsub - PTX_OP_vadd] = SUBTRACT,
                                     [PTX_OP_vabsdiff - PTX_OP_vadd] = DIFFERENCE,
                                     [PTX_OP_vmin - PTX_OP_vadd] = MINIMUM,
                                     [PTX_OP_vmax - PTX_OP_vadd] = MAXIMUM,
                                     [PTX_OP_vshl - PTX_OP_vadd] = SHIFT_LEFT,
                                     [PTX_OP_vshr - PTX_OP_vadd] = SHIFT_RIGHT,
                                     [PTX_OP_vset - PTX_OP_vadd] = COMPARE,
                                     [PTX_OP_vmad - PTX_OP_vadd] = MULTIPLY};

/*
 * The record: vector[0] to [2] are the selectors of d, a and b; combine is a comparison's outcomes
 * or, of shifts, whether they wrap; round what is done with c (enum sm_atomic, after flag); index
 * the signs of vmad's operands (1 of the product, 2 of c, 4: .po), count how far it shifts.
 */
bool ptx_lower_scalar_video(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const unsigned how = operations[op - PTX_OP_vadd], types = how == COMPARE ? 2 : 3;
    const unsigned count = body_operand_count(b);
    const bool shifts = how == SHIFT_LEFT || how == SHIFT_RIGHT, multiplies = how == MULTIPLY;
    const bool wraps = ptx_has(f, PTX_WORD_wrap), po = ptx_has(f, PTX_WORD_po);
    struct ptx_operand operands[4];
    struct ptx_op record = body_blank();
    int selectors[4];
    if (f->type_count != types || count > 4 || (how == COMPARE && !(f->fields & CMP)) ||
        (shifts && (wraps == ptx_has(f, PTX_WORD_clamp) || f->type[2] != PTX_U32)))
        return body_unsupported(b);
    const bool second = f->fields & ATOM;
    if (second && f->atom != SM_ATOMIC_ADD && f->atom != SM_ATOMIC_MIN && f->atom != SM_ATOMIC_MAX)
        return body_unsupported(b);
    for (unsigned i = 0; i < types; i++)
        if (!is_word(f->type[i]))
            return body_unsupported(b);
    for (unsigned i = 0; i < count; i++) {
        operands[i] = *body_operand(b, i);
        selectors[i] = take_selector(&operands[i]);
        if (selectors[i] < 0 || (i == 3 && selectors[i]) || (second && i == 0 && selectors[i]) ||
            (multiplies && i == 0 && selectors[i]))
            return body_fail_at(b, &operands[i], "a part of a register that cannot be chosen here");
        if (multiplies && i)
            record.index ^= operands[i].minus ? (i == 3 ? 2u : 1u) : 0;
        operands[i].minus = operands[i].minus && !(multiplies && i);
    }
    if ((second || selectors[0] || multiplies) != (count == 4))
        return body_fail(b, "the number of operands is wrong");
    if (po && record.index)
        return body_fail(b, "vmad.po with an operand that is negated");
    record.index |= po ? 4 : 0;
    record.how = (uint8_t)how;
    record.is_signed = types == 3 && f->type[0] == PTX_S32;
    record.type = (uint8_t)((f->type[types - 2] == PTX_S32 ? A_SIGNED : 0) |
                            (f->type[types - 1] == PTX_S32 ? B_SIGNED : 0));
    record.sat = f->fields & SAT;
    record.flag = second;
    record.round = f->atom;
    record.combine = how == COMPARE ? f->outcomes : wraps;
    record.count = ptx_has(f, PTX_WORD_shr7) ? 7 : ptx_has(f, PTX_WORD_shr15) ? 15 : 0;
    for (unsigned i = 0; i < 3; i++)
        record.vector[i] = (uint32_t)selectors[i];
    for (unsigned i = 1; i < count; i++)
        if (!body_source(b, &operands[i], PTX_U32, &record.s[i - 1]))
            return false;
    return (count == 4 || body_constant(b, PTX_U32, 0, &record.s[2])) &&
           body_destination(b, &operands[0], PTX_U32, &record.d) &&
           body_put_record(b, ptx_op_scalar_video, &record);
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
