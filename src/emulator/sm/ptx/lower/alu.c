/* Lowers arithmetic, logic, comparison and selection of PTX. */
#include "emulator/sm/ptx/lower/body.h"

#include <string.h>

#include "emulator/machine/softfloat.h"

/* ---- arithmetic ---- */

/* Lowers integer operations, by their rows of ptx.def and their words. */

static enum ptx_type wider(enum ptx_type type)
{
    switch (type) {
    case PTX_U16:
        return PTX_U32;
    case PTX_S16:
        return PTX_S32;
    case PTX_U32:
        return PTX_U64;
    case PTX_S32:
        return PTX_S64;
    default:
        return PTX_NO_TYPE;
    }
}

static enum ptx_math integer_operation(const struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const bool cc = f->fields & CC;
    switch (op) {
    case PTX_OP_min:
    case PTX_OP_max:
        if (f->words == ptx_word_bit(PTX_WORD_relu))
            return op == PTX_OP_min ? PTX_OP_min_relu : PTX_OP_max_relu;
        return f->words ? PTX_MATHS : op;
    case PTX_OP_add:
        return f->words ? PTX_MATHS : cc ? PTX_OP_addc : f->fields & SAT ? PTX_OP_add_sat : op;
    case PTX_OP_sub:
        return cc ? PTX_OP_subc : f->fields & SAT ? PTX_OP_sub_sat : op;
    case PTX_OP_mul:
        return f->half == PTX_LO     ? PTX_OP_mul_lo
               : f->half == PTX_HI   ? PTX_OP_mul_hi
               : f->half == PTX_WIDE ? PTX_OP_mul_wide
                                     : PTX_MATHS;
    case PTX_OP_mad_lo:
        if (f->fields & SAT)
            return f->half == PTX_HI && !cc ? PTX_OP_mad_hi_sat : PTX_MATHS;
        return f->half == PTX_LO     ? (cc ? PTX_OP_madc_lo : op)
               : f->half == PTX_HI   ? (cc ? PTX_OP_madc_hi : PTX_OP_mad_hi)
               : f->half == PTX_WIDE ? PTX_OP_mad_wide
                                     : PTX_MATHS;
    case PTX_OP_madc_lo:
        return f->half == PTX_LO ? op : f->half == PTX_HI ? PTX_OP_madc_hi : PTX_MATHS;
    case PTX_OP_mul24:
        return f->half == PTX_HI ? PTX_OP_mul24_hi : op;
    case PTX_OP_mad24:
        if (f->fields & SAT)
            return f->half == PTX_HI ? PTX_OP_mad24_hi_sat : PTX_MATHS;
        return f->half == PTX_HI ? PTX_OP_mad24_hi : op;
    case PTX_OP_bfind:
        return ptx_has(f, PTX_WORD_shiftamt) ? PTX_OP_bfind_shiftamt : op;
    case PTX_OP_shf_l_wrap: {
        const bool wrap = ptx_has(f, PTX_WORD_wrap);
        if (ptx_has(f, PTX_WORD_l))
            return wrap ? PTX_OP_shf_l_wrap : PTX_OP_shf_l_clamp;
        return wrap ? PTX_OP_shf_r_wrap : PTX_OP_shf_r_clamp;
    }
    default:
        return op;
    }
}

void ptx_operand_types(enum ptx_math op, enum ptx_type t, enum ptx_type types[static 5])
{
    for (unsigned i = 0; i < 5; i++)
        types[i] = t;
    switch (op) {
    case PTX_OP_mul_wide:
        types[0] = wider(t);
        break;
    case PTX_OP_mad_wide:
        types[0] = types[3] = wider(t);
        break;
    case PTX_OP_popc:
    case PTX_OP_clz:
    case PTX_OP_bfind:
    case PTX_OP_bfind_shiftamt:
        types[0] = PTX_U32;
        break;
    case PTX_OP_shl:
    case PTX_OP_shr:
        types[2] = PTX_U32;
        break;
    case PTX_OP_bfe:
        types[2] = types[3] = PTX_U32;
        break;
    case PTX_OP_fns:
        types[3] = PTX_S32;
        break;
    case PTX_OP_bfi:
        types[3] = types[4] = PTX_U32;
        break;
    default:
        break;
    }
}

static unsigned carry_kind(enum ptx_math op)
{
    return op == PTX_OP_addc ? 0 : op == PTX_OP_subc ? 1 : op == PTX_OP_madc_lo ? 2 : 3;
}

static bool is_carry(enum ptx_math op)
{
    return op == PTX_OP_addc || op == PTX_OP_subc || op == PTX_OP_madc_lo || op == PTX_OP_madc_hi;
}

static unsigned permute_mode(const struct ptx_form *f)
{
    static const uint8_t words[] = {PTX_WORD_f4e, PTX_WORD_b4e, PTX_WORD_rc8,
                                    PTX_WORD_ecl, PTX_WORD_ecr, PTX_WORD_rc16};
    for (unsigned i = 0; i < sizeof words; i++)
        if (ptx_has(f, (enum ptx_word)words[i]))
            return i + 1;
    return 0;
}

static bool dword(enum ptx_type type)
{
    return type == PTX_U32 || type == PTX_S32;
}

static bool is_dot(enum ptx_math op)
{
    return op == PTX_OP_dp4a || op == PTX_OP_dp2a;
}

static bool counts_bits(enum ptx_math op)
{
    return op == PTX_OP_bmsk || op == PTX_OP_szext;
}

/* Operands that the opcode has in ptx.def. */
static bool right_count(struct body *b)
{
    const unsigned most = body_operands_of(b);
    return body_operand_count(b) <= most || body_fail(b, "an operand too many: there are %u", most);
}

/* Whether a float operation has the words that few have; bfloat16 neither .ftz nor .sat, but for
 * ex2, which has .ftz. */
static bool words_belong(const struct ptx_form *f, enum ptx_math op)
{
    const enum ptx_type t = f->type[0];
    const bool brain = t == PTX_BF16 || t == PTX_BF16X2;
    const bool compares = op == PTX_OP_min || op == PTX_OP_max;
    const ptx_words xorsign = ptx_word_bit(PTX_WORD_xorsign) | ptx_word_bit(PTX_WORD_abs);
    const ptx_words words = f->words & ~ptx_word_bit(PTX_WORD_NaN);
    if (brain && f->fields & (op == PTX_OP_ex2 ? SAT : SAT | FTZ))
        return false;
    if (compares)
        return t == PTX_F64 ? !f->words : !words || words == xorsign;
    if (op == PTX_OP_fma)
        return !f->words || (f->words == ptx_word_bit(PTX_WORD_relu) && !(f->fields & SAT) &&
                             (brain || t == PTX_F16 || t == PTX_F16X2));
    return true;
}

/* lop3 with a predicate: whether its result is not 0, and (or) another predicate (9.7.8.6). */
static bool lower_logic_and_test(struct body *b)
{
    const struct ptx_operand *target = body_operand(b, 0), *table = body_operand(b, 4);
    struct ptx_op record = body_blank(), test = body_blank();
    if (b->form.combine > 1 || target->kind != PTX_OPERAND_PAIR || body_operand_count(b) != 6)
        return body_unsupported(b);
    if (table->kind != PTX_OPERAND_INTEGER || table->value > 255)
        return body_fail_at(b, table, "the truth table of lop3 is a number of 8 bits");
    for (unsigned i = 0; i < 3; i++)
        if (!body_source(b, body_operand(b, i + 1), PTX_B32, &record.s[i]))
            return false;
    if (!body_destination(b, &b->text->item[target->list], PTX_B32, &record.d) ||
        !body_destination(b, &b->text->item[target->list + 1], PTX_PRED, &test.d) ||
        !body_source(b, body_operand(b, 5), PTX_PRED, &test.s[2]) ||
        !body_constant(b, PTX_U32, 0, &test.s[1]))
        return false;
    record.how = (uint8_t)table->value;
    test.s[0].slot = record.d;
    test.d2 = NONE;
    test.how = PTX_LESS | PTX_GREATER;
    test.combine = b->form.combine;
    test.type = test.from_type = PTX_U32;
    return body_put_record(b, ptx_integer(PTX_OP_lop3, PTX_B32), &record) &&
           body_put_record(b, ptx_set_predicate(PTX_U32), &test);
}

bool ptx_lower_arithmetic(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const enum ptx_type t = f->type[0];
    const bool floating = ptx_type_is_float(t);
    enum ptx_math chosen = op == PTX_OP_mad_lo && floating ? PTX_OP_fma : op;
    sm_op run;
    if (ptx_has(f, PTX_WORD_u16x2) || ptx_has(f, PTX_WORD_s16x2))
        return ptx_lower_halves(b, op);
    if (f->type_count == 0)
        return body_unsupported(b);
    if (floating) {
        const bool plain = f->round == WT_RNE && !(f->fields & (FTZ | SAT)) && !f->words &&
                           (op != PTX_OP_div || !(f->fields & APPROX));
        run = f->fields & (HALF | CC) || !words_belong(f, chosen) ? NULL
                                                                  : ptx_float(chosen, t, plain);
    } else {
        if (f->fields & (ROUND | FTZ | APPROX))
            return body_unsupported(b);
        chosen = integer_operation(b, op);
        run = chosen == PTX_MATHS ? NULL : ptx_integer(chosen, t);
        if (is_dot(op))
            run = f->type_count == 2 && dword(t) && dword(f->type[1]) &&
                          (op == PTX_OP_dp2a) == (f->half == PTX_LO || f->half == PTX_HI)
                      ? ptx_integer(op, PTX_U32)
                      : NULL;
        if (counts_bits(op) && ptx_has(f, PTX_WORD_wrap) == ptx_has(f, PTX_WORD_clamp))
            run = NULL;
    }
    const unsigned last = chosen == PTX_OP_lop3 ? 4 : body_operand_count(b);
    if (!run)
        return body_unsupported(b);
    if (f->fields & BOOL && op == PTX_OP_lop3)
        return lower_logic_and_test(b);
    if (!right_count(b))
        return false;
    enum ptx_type types[5];
    struct ptx_source sources[4] = {{0}};
    uint32_t d;
    ptx_operand_types(chosen, t, types);
    if (!body_destination(b, body_operand(b, 0), types[0], &d))
        return false;
    for (unsigned i = 1; i < last; i++)
        if (!body_source(b, body_operand(b, i), types[i], &sources[i - 1]))
            return false;
    struct ptx_op *o = body_emit_guarded(b, run);
    if (!o)
        return false;
    o->d = d;
    for (unsigned i = 1; i < last; i++)
        o->s[i - 1] = sources[i - 1];
    o->type = (uint8_t)t;
    o->is_signed = ptx_type_is_signed(t);
    o->round = f->round;
    o->ftz = f->fields & FTZ;
    o->sat = f->fields & SAT;
    o->how = (uint8_t)chosen;
    o->flag = f->fields & APPROX;
    o->count = f->is_full;
    if (chosen == PTX_OP_min || chosen == PTX_OP_max)
        o->flag = ptx_has(f, PTX_WORD_NaN);
    if (floating)
        o->combine = (uint8_t)(ptx_has(f, PTX_WORD_relu) | ptx_has(f, PTX_WORD_xorsign) << 1);
    if (!floating && is_carry(chosen)) {
        o->how = op == PTX_OP_addc || op == PTX_OP_subc || op == PTX_OP_madc_lo;
        o->flag = f->fields & CC;
        o->combine = (uint8_t)carry_kind(chosen);
    }
    if (chosen == PTX_OP_prmt)
        o->how = (uint8_t)permute_mode(f);
    if (is_dot(chosen))
        o->how = (uint8_t)((f->type[0] == PTX_S32) | (f->type[1] == PTX_S32) << 1 |
                           (f->half == PTX_HI) << 2);
    if (counts_bits(chosen))
        o->how = ptx_has(f, PTX_WORD_wrap);
    if (chosen == PTX_OP_lop3) {
        const struct ptx_operand *table = body_operand(b, 4);
        if (table->kind != PTX_OPERAND_INTEGER || table->value > 255)
            return body_fail_at(b, table, "the truth table of lop3 is a number of 8 bits");
        o->how = (uint8_t)table->value;
    }
    return true;
}

bool ptx_lower_test(struct body *b, enum ptx_math op)
{
    static const uint8_t words[] = {PTX_WORD_finite,     PTX_WORD_infinite, PTX_WORD_number,
                                    PTX_WORD_notanumber, PTX_WORD_normal,   PTX_WORD_subnormal};
    uint32_t d;
    struct ptx_source s = {0};
    const enum ptx_type t = b->form.type[0];
    if (t != PTX_F32 && t != PTX_F64)
        return body_unsupported(b);
    for (unsigned i = 0; i < sizeof words; i++) {
        if (!ptx_has(&b->form, (enum ptx_word)words[i]))
            continue;
        if (!body_destination(b, body_operand(b, 0), PTX_PRED, &d) ||
            !body_source(b, body_operand(b, 1), t, &s))
            return false;
        struct ptx_op *o = body_emit_guarded(b, ptx_op_testp);
        if (!o)
            return false;
        o->d = d;
        o->s[0] = s;
        o->type = (uint8_t)t;
        o->how = (uint8_t)i;
        return true;
    }
    return body_unsupported(b);
}

/* Of predicates: a truth table of two. */
bool body_predicate_logic(struct body *b, unsigned table)
{
    uint32_t d;
    struct ptx_source s[2] = {{0}};
    const unsigned count = body_operand_count(b);
    if (!body_destination(b, body_operand(b, 0), PTX_PRED, &d))
        return false;
    for (unsigned i = 1; i < count && i < 3; i++)
        if (!body_source(b, body_operand(b, i), PTX_PRED, &s[i - 1]))
            return false;
    if (count == 2)
        s[1] = s[0];
    struct ptx_op *o = body_emit_guarded(b, ptx_op_predicate);
    if (!o)
        return false;
    o->d = d;
    o->s[0] = s[0];
    o->s[1] = s[1];
    o->how = (uint8_t)table;
    return true;
}

bool ptx_lower_logic(struct body *b, enum ptx_math op)
{
    if (b->form.type[0] != PTX_PRED)
        return ptx_lower_arithmetic(b, op);
    return body_predicate_logic(b, op == PTX_OP_and   ? TABLE_AND
                                   : op == PTX_OP_or  ? TABLE_OR
                                   : op == PTX_OP_xor ? TABLE_XOR
                                                      : TABLE_NOT);
}

/* ---- comparison and selection ---- */

/* Whether set has a result of a type for operands of another (9.7.4.1, 9.7.6.1). */
static bool set_has(enum ptx_type to, enum ptx_type from)
{
    const bool half = from == PTX_F16 || from == PTX_BF16;
    switch (to) {
    case PTX_U32:
    case PTX_S32:
        return true;
    case PTX_U16:
    case PTX_S16:
        return half;
    case PTX_F32:
        return !half && from != PTX_F16X2 && from != PTX_BF16X2;
    case PTX_F16:
    case PTX_BF16:
        return from != PTX_F16X2 && from != PTX_BF16X2;
    default:
        return (to == PTX_F16X2 || to == PTX_BF16X2) && to == from;
    }
}

bool ptx_lower_compare(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const bool to_register = f->type_count == 2; /* set */
    const enum ptx_type t = f->type[to_register];
    const struct ptx_operand *target = body_operand(b, 0);
    struct ptx_source s[3] = {{0}};
    uint32_t d = NONE, d2 = NONE;
    enum ptx_type compared = t;
    /* lo, ls, hi, hs compare without signs; of bits there is equality only. */
    if (f->is_unsigned_comparison)
        compared = t == PTX_S32 ? PTX_U32 : t == PTX_S64 ? PTX_U64 : t == PTX_S16 ? PTX_U16 : t;
    sm_op run = ptx_set_predicate(compared);
    if (!(f->fields & CMP) || f->type_count < 1 || !run)
        return body_unsupported(b);
    if (f->fields & FTZ && t == PTX_F32)
        run = ptx_set_predicate_flushing();
    const bool pairs = t == PTX_F16X2 || t == PTX_BF16X2;
    if (pairs && !to_register && target->kind != PTX_OPERAND_PAIR)
        return body_unsupported(b);
    if (to_register) {
        if (!set_has(f->type[0], t))
            return body_unsupported(b);
        if (!body_destination(b, target, f->type[0], &d))
            return false;
    } else if (target->kind == PTX_OPERAND_PAIR) {
        if (!body_optional_destination(b, &b->text->item[target->list], PTX_PRED, &d) ||
            !body_optional_destination(b, &b->text->item[target->list + 1], PTX_PRED, &d2))
            return false;
    } else if (!body_optional_destination(b, target, PTX_PRED, &d)) {
        return false;
    }
    if (!body_source(b, body_operand(b, 1), t, &s[0]) ||
        !body_source(b, body_operand(b, 2), t, &s[1]))
        return false;
    const bool combines = f->fields & BOOL;
    if (combines != (body_operand_count(b) == 4))
        return body_fail(b, "the number of operands is wrong");
    s[2].slot = NONE;
    if (combines && !body_source(b, body_operand(b, 3), PTX_PRED, &s[2]))
        return false;
    struct ptx_op *o = body_emit_guarded(b, run);
    if (!o)
        return false;
    o->d = d;
    o->d2 = d2;
    memcpy(o->s, s, sizeof s);
    o->how = f->outcomes;
    o->combine = f->combine;
    o->ftz = f->fields & FTZ;
    o->flag = to_register;
    o->type = (uint8_t)f->type[0];
    o->from_type = (uint8_t)t;
    return true;
}

/* selp chooses by a predicate, slct by the sign of a number. */
bool ptx_lower_select(struct body *b, enum ptx_math op)
{
    const bool sign = op == PTX_OP_slct;
    const enum ptx_type t = b->form.type[0], by = sign ? b->form.type[1] : PTX_PRED;
    uint32_t d;
    struct ptx_source s[3] = {{0}};
    if (sign ? b->form.type_count != 2 || (by != PTX_S32 && by != PTX_F32)
             : b->form.type_count != 1 || t == PTX_PRED)
        return body_unsupported(b);
    if (!body_destination(b, body_operand(b, 0), t, &d) ||
        !body_source(b, body_operand(b, 1), t, &s[0]) ||
        !body_source(b, body_operand(b, 2), t, &s[1]) ||
        !body_source(b, body_operand(b, 3), by, &s[2]))
        return false;
    struct ptx_op *o = body_emit_guarded(b, sign ? ptx_choose(t) : ptx_select(t));
    if (!o)
        return false;
    o->d = d;
    memcpy(o->s, s, sizeof s);
    o->flag = by == PTX_F32;
    o->ftz = o->flag && b->form.fields & FTZ;
    return true;
}
