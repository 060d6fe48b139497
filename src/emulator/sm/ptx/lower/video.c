/* Lowering of the video instructions (exec/video.c). */
#include "emulator/sm/ptx/exec/video.h"
#include "emulator/sm/ptx/lower/body.h"

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

/* ---- a part of a word each ---- */

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

bool ptx_lower_scalar_video(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const unsigned how = ptx_video_operation(op), types = how == COMPARE ? 2 : 3;
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
