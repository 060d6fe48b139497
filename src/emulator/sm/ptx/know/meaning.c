/* What arithmetic of PTX does with its operands (machine/operands.h, enum wt_operation), and how
 * wide they are. */
#include "emulator/sm/ptx/know/meaning.h"

#include "emulator/machine/operands.h"
#include "emulator/sm/ptx/lower/body.h"

static const uint8_t as_listed[4] = {0, 1, 2, 3};

static struct ptx_meaning other(unsigned result, unsigned first, unsigned second, unsigned third)
{
    return (struct ptx_meaning){
        .operation = WT_DOES_OTHER, .bytes = {result, first, second, third, 4}, .order = as_listed};
}

/* All operands have so many bytes. */
static struct ptx_meaning meaning(enum wt_operation operation, unsigned bytes, unsigned width)
{
    struct ptx_meaning m = other(bytes, bytes, bytes, bytes);
    m.operation = (uint8_t)operation;
    m.width = (uint8_t)width;
    return m;
}

/* The value of a source that is a constant below @p limit; else it is not known: limit. */
static uint32_t constant_of(const struct ptx_source *s, uint32_t limit)
{
    const uint32_t value = s->constant ? *(const uint32_t *)s->constant : limit;
    return value < limit ? value : limit;
}

/* shf: the upper word is the second source. To the left by n is to the right by 32 - n. */
static struct ptx_meaning funnel(const struct ptx_op *op, bool left, bool wraps)
{
    static const uint8_t high_first[4] = {1, 0, 2, 3}, high[4] = {1, 0xff, 0xff, 0xff};
    const uint32_t amount = constant_of(&op->s[2], 32);
    struct ptx_meaning m = meaning(WT_DOES_OTHER, 4, 32);
    if (left && amount == 0) {
        m.operation = WT_DOES_MOVE;
        m.order = high;
    } else if (left ? amount < 32 : wraps || amount < 32) {
        m.operation = WT_DOES_FUNNEL;
        m.order = high_first;
        m.left = left;
    }
    return m;
}

/* A product of numbers of so many bits, all of its bits, and (mad) a third number. */
static struct ptx_meaning product(unsigned bits, bool adds)
{
    struct ptx_meaning m = meaning(WT_DOES_MULTIPLY, 4, 2 * bits);
    m.then = adds ? WT_DOES_ADD : WT_DOES_OTHER;
    m.bytes[0] = m.bytes[3] = bits == 32 ? 8 : 4;
    return m;
}

static struct ptx_meaning carrying(const struct ptx_op *op, unsigned bytes)
{
    struct ptx_meaning m = meaning(op->combine == 0   ? WT_DOES_ADD
                                   : op->combine == 1 ? WT_DOES_SUBTRACT
                                                      : WT_DOES_OTHER,
                                   bytes, 8 * bytes);
    m.flag = WT_FLAG_CARRY;
    return m;
}

static struct ptx_meaning of_integers(const struct ptx_op *op, enum ptx_math math,
                                      enum ptx_type type)
{
    const unsigned bits = 8 * ptx_type_bytes(type), bytes = bits == 64 ? 8 : 4;
    const bool is_signed = ptx_type_is_signed(type);
    struct ptx_meaning m = meaning(WT_DOES_OTHER, bytes, bits);
    switch (math) {
    case PTX_OP_add:
        m.operation = WT_DOES_ADD;
        return m;
    case PTX_OP_sub:
        m.operation = WT_DOES_SUBTRACT;
        return m;
    case PTX_OP_neg:
        m.operation = WT_DOES_SUBTRACT;
        m.of_zero = true;
        return m;
    case PTX_OP_mul_lo:
    case PTX_OP_mad_lo:
        m.operation = WT_DOES_MULTIPLY;
        m.then = math == PTX_OP_mad_lo ? WT_DOES_ADD : WT_DOES_OTHER;
        return m;
    case PTX_OP_mul24: /* factors of 24 bits */
    case PTX_OP_mad24:
        m.operation = WT_DOES_MULTIPLY;
        m.then = math == PTX_OP_mad24 ? WT_DOES_ADD : WT_DOES_OTHER;
        m.bytes[1] = m.bytes[2] = 3;
        return m;
    case PTX_OP_mul24_hi: /* the upper bits of their product */
    case PTX_OP_mad24_hi:
    case PTX_OP_mad24_hi_sat:
        m.bytes[1] = m.bytes[2] = 3;
        return m;
    case PTX_OP_mul_wide:
    case PTX_OP_mad_wide:
        return product(bits, math == PTX_OP_mad_wide);
    case PTX_OP_and:
        m.operation = WT_DOES_AND;
        return m;
    case PTX_OP_or:
        m.operation = WT_DOES_OR;
        return m;
    case PTX_OP_xor:
        m.operation = WT_DOES_XOR;
        return m;
    case PTX_OP_not:
        m.operation = WT_DOES_NOT;
        return m;
    case PTX_OP_mov:
        m.operation = WT_DOES_MOVE;
        return m;
    case PTX_OP_shl:
    case PTX_OP_shr:
        m.operation = math == PTX_OP_shl ? WT_DOES_SHIFT_LEFT_OUT
                      : is_signed        ? WT_DOES_SHIFT_SIGNED_OUT
                                         : WT_DOES_SHIFT_RIGHT_OUT;
        m.bytes[2] = 4;
        return m;
    case PTX_OP_bfe:
        m.operation = is_signed ? WT_DOES_PART_SIGNED : WT_DOES_PART;
        m.bytes[2] = m.bytes[3] = 4;
        return m;
    case PTX_OP_bfi:
        m.operation = WT_DOES_PUT_PART;
        m.bytes[3] = 4;
        return m;
    case PTX_OP_popc:
    case PTX_OP_clz:
    case PTX_OP_bfind:
    case PTX_OP_bfind_shiftamt:
        return other(4, bytes, 4, 4);
    case PTX_OP_shf_l_wrap:
    case PTX_OP_shf_l_clamp:
        return funnel(op, true, math == PTX_OP_shf_l_wrap);
    case PTX_OP_shf_r_wrap:
    case PTX_OP_shf_r_clamp:
        return funnel(op, false, math == PTX_OP_shf_r_wrap);
    case PTX_OP_prmt:
        m.operation = op->how ? WT_DOES_OTHER : WT_DOES_PICK;
        return m;
    case PTX_OP_lop3:
        m.operation = WT_DOES_TABLE;
        m.has_table = true;
        return m;
    default:
        return ptx_is_carrying(op->run) ? carrying(op, bytes) : m;
    }
}

/* ---- comparisons ---- */

/* Of integers, by the outcomes for which it holds. */
static enum wt_operation comparison(unsigned outcomes, bool is_signed)
{
    switch (outcomes & (PTX_LESS | PTX_EQUAL | PTX_GREATER)) {
    case PTX_LESS:
        return is_signed ? WT_DOES_LESS_SIGNED : WT_DOES_LESS;
    case PTX_EQUAL:
        return WT_DOES_EQUAL;
    case PTX_GREATER:
        return is_signed ? WT_DOES_GREATER_SIGNED : WT_DOES_GREATER;
    case PTX_LESS | PTX_EQUAL:
        return is_signed ? WT_DOES_NOT_GREATER_SIGNED : WT_DOES_NOT_GREATER;
    case PTX_GREATER | PTX_EQUAL:
        return is_signed ? WT_DOES_NOT_LESS_SIGNED : WT_DOES_NOT_LESS;
    case PTX_LESS | PTX_GREATER:
        return WT_DOES_NOT_EQUAL;
    default:
        return WT_DOES_OTHER;
    }
}

static bool find_comparison(const struct ptx_op *op, struct ptx_meaning *m)
{
    unsigned type = 0;
    while (type < PTX_TYPES && ptx_set_predicate((enum ptx_type)type) != op->run)
        type++;
    if (op->run == ptx_set_predicate_flushing())
        type = PTX_F32;
    else if (type == PTX_TYPES)
        return false;
    const unsigned bytes = ptx_type_bytes((enum ptx_type)type) == 8 ? 8 : 4;
    static const uint8_t logic[] = {WT_DOES_AND, WT_DOES_OR, WT_DOES_XOR};
    const bool combines = op->s[2].constant || op->s[2].slot != PTX_NO_SLOT;
    *m = other(op->flag ? 4 : 0, bytes, bytes, 0);
    if (ptx_type_is_float((enum ptx_type)type) || op->flag || (combines && op->d2 != PTX_NO_SLOT))
        return true;
    m->operation = (uint8_t)comparison(op->how, ptx_type_is_signed((enum ptx_type)type));
    m->width = (uint8_t)(8 * ptx_type_bytes((enum ptx_type)type));
    if (combines)
        m->then = logic[op->combine < 2 ? op->combine : 2];
    return true;
}

/* ---- conversions ---- */

static bool find_conversion(const struct ptx_op *op, struct ptx_meaning *m)
{
    const enum ptx_type to = (enum ptx_type)op->type, from = (enum ptx_type)op->from_type;
    if (to == PTX_NO_TYPE || from == PTX_NO_TYPE || op->run != ptx_convert(op))
        return false;
    const unsigned to_bits = 8 * ptx_type_bytes(to), from_bits = 8 * ptx_type_bytes(from);
    *m = other(to == PTX_F16X2 || to == PTX_BF16X2 ? 4 : op->element, op->size, 4, 4);
    if (op->sat || ptx_type_is_float(to) || ptx_type_is_float(from))
        return true;
    m->operation = WT_DOES_MOVE;
    m->width = (uint8_t)(to_bits < from_bits ? to_bits : from_bits);
    m->is_signed = ptx_type_is_signed(to_bits > from_bits ? from : to);
    return true;
}

/* ---- predicates, and the choice by one ---- */

static struct ptx_meaning of_predicates(unsigned table)
{
    static const uint8_t first[4] = {0, 0xff, 0xff, 0xff};
    struct ptx_meaning m = other(0, 0, 0, 0);
    m.width = 1;
    m.operation = table == TABLE_AND     ? WT_DOES_AND
                  : table == TABLE_OR    ? WT_DOES_OR
                  : table == TABLE_XOR   ? WT_DOES_XOR
                  : table == TABLE_NOT   ? WT_DOES_NOT
                  : table == TABLE_FIRST ? WT_DOES_MOVE
                                         : WT_DOES_OTHER;
    if (table == TABLE_NOT || table == TABLE_FIRST)
        m.order = first;
    return m;
}

static struct ptx_meaning selection(unsigned bytes)
{
    static const uint8_t if_not_first[4] = {1, 0, 2, 3};
    struct ptx_meaning m = meaning(WT_DOES_SELECT, bytes, 8 * bytes);
    m.order = if_not_first;
    m.bytes[3] = 0;
    return m;
}

struct ptx_meaning ptx_meaning_of(const struct ptx_op *op)
{
    struct ptx_meaning m = other(PTX_UNTOLD, PTX_UNTOLD, PTX_UNTOLD, PTX_UNTOLD);
    enum ptx_math math;
    enum ptx_type type;
    m.bytes[4] = PTX_UNTOLD;
    if (op->run == ptx_op_predicate)
        return of_predicates(op->how);
    if (op->run == ptx_select(PTX_U32) || op->run == ptx_select(PTX_U64))
        return selection(op->run == ptx_select(PTX_U64) ? 8 : 4);
    if (ptx_integer_of(op->run, &math, &type))
        return of_integers(op, math, type);
    if (find_comparison(op, &m) || find_conversion(op, &m))
        return m;
    return m;
}
