/* Meanings of PTX's arithmetic (machine/meaning.h): what the rows of math.def say, with what the
 * record adds. Comparisons, selections, conversions and logic of predicates are no rows. */
#include "emulator/sm/ptx/know/meaning.h"

#include <string.h>

#include "emulator/machine/softfloat.h"
#include "emulator/sm/ptx/exec/video.h"
#include "emulator/sm/ptx/lower/body.h"
#include "emulator/machine/meaning_code.h"

/* ---- the table ---- */

enum { WIDTH = WT_M_WIDTH, WIDTH2 = WT_M_WIDTH2 };

#define M(name, integers, floats)                                                                  \
    static const uint8_t integers_##name[] = {integers WT_M_END},                                  \
                         floats_##name[] = {floats WT_M_END};
#include "emulator/sm/ptx/math.def"
#undef M
static const uint8_t *const rows[PTX_MATHS][2] = {
#define M(name, integers, floats) {integers_##name, floats_##name},
#include "emulator/sm/ptx/math.def"
#undef M
};

bool sm_ptx_operation(size_t n, const char **name, const uint8_t *meaning[2])
{
    static const char *const names[] = {
#define M(name, integers, floats) #name,
#include "emulator/sm/ptx/math.def"
#undef M
    };
    if (n >= PTX_MATHS)
        return false;
    *name = names[n];
    memcpy(meaning, rows[n], sizeof rows[n]);
    return true;
}

/* ---- expressions ---- */

enum { FIRST = 1, SECOND = 2, ALL = 7 }; /* sources */
enum { WORD = 32 };

struct ptx_composer {
    const struct ptx_op *op;
    struct ptx_meaning *m;
    struct wt_meaning_writer out;
    uint8_t bits;  /* the width of its type */
    uint8_t signs; /* sources that have some */
    bool subtracts;
    uint8_t half; /* which one of a pair is compared, 1 or 2; 0: there is no pair */
};

#define PUT(c, ...) WT_MEANING_PUT(&(c)->out, __VA_ARGS__)

/* The operation that one on unsigned numbers is for signed ones. */
static uint8_t operation_of(uint8_t op, bool is_signed)
{
    switch (op) {
    case WT_M_UNLIKE:
        return is_signed ? op : WT_M_HIGHEST;
    case WT_M_ZEXT:
    case WT_M_SHR_OUT:
    case WT_M_FIELD:
    case WT_M_MUL_HIGH:
    case WT_M_DIV:
    case WT_M_REM:
        return (uint8_t)(op + is_signed);
    case WT_M_LT:
    case WT_M_LE:
    case WT_M_MIN:
    case WT_M_MAX:
        return (uint8_t)(op + 2 * is_signed);
    default:
        return op;
    }
}

/* The first leaf of an expression. */
static unsigned leaf_of(const uint8_t *code)
{
    struct wt_meaning_node node;
    do
        node = wt_meaning_take(&code);
    while (node.op == WT_M_K || node.op >= (enum wt_meaning_op)WT_M_LEAVES);
    return node.op;
}

/* Sources A and B, as they are compared. */
static void put_compared(struct ptx_composer *c, bool turned)
{
    for (unsigned i = 0; i < 2; i++) {
        if (c->half)
            PUT(c, WT_M_PART, (uint8_t)(16 * (c->half - 1)), 16);
        PUT(c, (uint8_t)(WT_M_A + (i != turned)));
    }
}

/* Whether they compare as the record says, by outcomes: numbers are never unordered. */
static void put_condition(struct ptx_composer *c, unsigned outcomes)
{
    static const uint8_t operations[] = {[PTX_LESS] = WT_M_LT,
                                         [PTX_EQUAL] = WT_M_EQ,
                                         [PTX_LESS | PTX_EQUAL] = WT_M_LE,
                                         [PTX_GREATER] = WT_M_LT,
                                         [PTX_GREATER | PTX_LESS] = WT_M_NE,
                                         [PTX_GREATER | PTX_EQUAL] = WT_M_LE,
                                         [PTX_GREATER | PTX_EQUAL | PTX_LESS] = WT_M_END};
    const unsigned how = outcomes & 7;
    if (c->m->real) {
        PUT(c, WT_M_FCOMPARE, (uint8_t)outcomes);
        put_compared(c, false);
    } else if (!operations[how]) {
        PUT(c, WT_M_K, 1, how != 0);
    } else {
        PUT(c, operation_of(operations[how], c->signs));
        put_compared(c, (how & (PTX_GREATER | PTX_LESS)) == PTX_GREATER);
    }
}

/* An expression of a row. */
static void put_expression(struct ptx_composer *c, const uint8_t **code)
{
    for (unsigned left = 1; left; left--) {
        const uint8_t *at = *code;
        const struct wt_meaning_node node = wt_meaning_take(code);
        const bool is_signed =
            node.op == WT_M_ZEXT ? c->signs >> (leaf_of(*code) - WT_M_A) & 1 : c->signs == ALL;
        if (node.op == WT_M_VCC && !(c->op->how & 1)) {
            PUT(c, WT_M_K, 1, c->subtracts);
            continue;
        }
        if (ptx_video_of(c->op) != PTX_MATHS && node.op == WT_M_EQ) {
            put_condition(c, c->op->combine);
            *code += 2;
            continue;
        }
        PUT(c, operation_of((uint8_t)node.op, is_signed));
        for (at++; at < *code; at++)
            PUT(c, node.op == WT_M_LOGIC ? (*at ? *at : c->op->how)
                   : *at == WIDTH        ? c->bits
                   : *at == WIDTH2       ? (uint8_t)(2 * c->bits)
                                         : *at);
        left += node.operands;
    }
}

static void put_row(struct ptx_composer *c, enum ptx_math math)
{
    const uint8_t *code = rows[math][c->m->real];
    while (*code == WT_M_OUT) {
        wt_meaning_put(&c->out, code, 2);
        code += 2;
        put_expression(c, &code);
    }
}

bool ptx_meaning_uses(const struct ptx_meaning *m, unsigned source)
{
    bool uses = false;
    for (const uint8_t *code = m->code; *code == WT_M_OUT; wt_meaning_skip(&code)) {
        code += 2;
        uses |= wt_meaning_has(code, (enum wt_meaning_op)(WT_M_A + source));
    }
    return uses;
}

/* All operands are of one type. */
static void set_type(struct ptx_composer *c, enum ptx_type type)
{
    c->bits = (uint8_t)(8 * ptx_type_bytes(type));
    c->signs = ptx_type_is_signed(type) ? ALL : 0;
    c->m->real = ptx_type_is_float(type);
    memset(c->m->bytes, (int)ptx_type_class(type), sizeof c->m->bytes);
    memset(c->m->width, c->bits, sizeof c->m->width);
}

static void set_operand(struct ptx_composer *c, unsigned n, enum ptx_type type)
{
    c->m->bytes[n] = (uint8_t)ptx_type_class(type);
    c->m->width[n] = (uint8_t)(8 * ptx_type_bytes(type));
}

static void set_predicate(struct ptx_composer *c, unsigned n)
{
    c->m->bytes[n] = 0;
    c->m->width[n] = 1;
}

/* ---- rows ---- */

static bool integers(struct ptx_composer *c)
{
    const struct ptx_op *op = c->op;
    struct ptx_meaning *m = c->m;
    enum ptx_math math;
    enum ptx_type type, types[5];
    if (!ptx_integer_of(op->run, &math, &type))
        return false;
    if (ptx_is_carrying(op->run))
        math = (enum ptx_math)(PTX_OP_addc + op->combine);
    ptx_operand_types(math, type, types);
    set_type(c, type);
    for (unsigned i = 0; i < 5; i++)
        set_operand(c, i, types[i]);
    if (ptx_is_carrying(op->run))
        c->signs = op->is_signed ? ALL : 0;
    c->subtracts = math == PTX_OP_subc;
    if (math == PTX_OP_dp4a || math == PTX_OP_dp2a)
        c->signs = op->how & (FIRST | SECOND);
    if (math == PTX_OP_dp2a && op->how & 4) {
        m->first[1] = 16;
        m->part[1] = 16;
    }
    if (math == PTX_OP_prmt && op->how) {
        PUT(c, WT_M_OUT, WT_RESULT_D, WT_M_OPAQUE3, WORD, WT_M_A, WT_M_B, WT_M_C);
        return true;
    }
    put_row(c, math);
    if ((math == PTX_OP_bmsk || math == PTX_OP_szext) && op->how) /* .wrap */
        m->width[2] = math == PTX_OP_bmsk ? m->width[1] = 5 : 5;
    return true;
}

static bool floats(struct ptx_composer *c)
{
    const struct ptx_op *op = c->op;
    const enum ptx_math math = (enum ptx_math)op->how;
    const enum ptx_type type = (enum ptx_type)op->type;
    if (math >= PTX_MATHS || !op->run ||
        (op->run != ptx_float(math, type, true) && op->run != ptx_float(math, type, false)))
        return false;
    set_type(c, type);
    c->m->mixes = op->sat || op->combine;
    c->m->packed = type == PTX_F16X2 || type == PTX_BF16X2;
    c->bits = c->m->packed ? 16 : c->bits;
    put_row(c, math);
    return true;
}

/* Parts of words: those of one width, halves, and numbers of 64 bits of which each is one part. */
static bool video(struct ptx_composer *c)
{
    const struct ptx_op *op = c->op;
    const enum ptx_math math = ptx_video_of(op);
    const bool halves = math >= PTX_OP_vadd2, both = op->type % 3 == 0;
    if (math == PTX_MATHS)
        return false;
    set_type(c, PTX_U32);
    if (op->sat || op->flag || (halves ? op->size != 16 || op->round || !both : op->vector[0]) ||
        (math == PTX_OP_vmad && (op->index || op->count))) {
        PUT(c, WT_M_OUT, WT_RESULT_D, WT_M_OPAQUE3, WORD, WT_M_A, WT_M_B, WT_M_C);
        return true;
    }
    c->signs = both && op->type ? ALL : 0;
    c->m->packed = halves;
    c->bits = halves ? 16 : 64;
    for (unsigned i = 0; i < 3 && !halves; i++) {
        c->m->width[i + 1] = 64;
        if (i < 2)
            ptx_video_part(op, i, &c->m->first[i], &c->m->part[i]);
    }
    c->m->extended = halves ? 0 : op->type;
    c->signs = math == PTX_OP_vset ? ALL : c->signs;
    put_row(c, math);
    if ((math == PTX_OP_vshl || math == PTX_OP_vshr) && op->combine)
        c->m->width[2] = 5;
    return true;
}

/* By a predicate, or by the sign of a number. */
static bool selection(struct ptx_composer *c)
{
    const struct ptx_op *op = c->op;
    const bool chooses = op->run == ptx_choose(PTX_U32) || op->run == ptx_choose(PTX_U64);
    if (!chooses && op->run != ptx_select(PTX_U32) && op->run != ptx_select(PTX_U64))
        return false;
    set_type(c,
             op->run == ptx_select(PTX_U64) || op->run == ptx_choose(PTX_U64) ? PTX_U64 : PTX_U32);
    if (chooses) {
        c->m->real = op->flag;
        set_operand(c, 3, PTX_U32);
        put_row(c, PTX_OP_slct);
    } else {
        set_predicate(c, 3);
        PUT(c, WT_M_OUT, WT_RESULT_D, WT_M_SELECT, WT_M_C, WT_M_A, WT_M_B);
    }
    return true;
}

/* ---- comparisons ---- */

/* The outcome as the record has it, or its opposite, with another predicate. */
static void put_outcome(struct ptx_composer *c, bool opposite)
{
    static const uint8_t logic[] = {WT_M_AND, WT_M_OR, WT_M_XOR};
    const struct ptx_op *op = c->op;
    const bool combines = op->s[2].constant || op->s[2].slot != PTX_NO_SLOT;
    if (combines)
        PUT(c, logic[op->combine < 2 ? op->combine : 2]);
    if (opposite)
        PUT(c, WT_M_NOT);
    put_condition(c, op->how);
    if (combines)
        PUT(c, WT_M_C);
}

/* Of set: the number that stands for the outcome: ones, or the float 1. */
static void put_number(struct ptx_composer *c, unsigned bits)
{
    const enum ptx_type type = (enum ptx_type)c->op->type;
    const bool brain = type == PTX_BF16 || type == PTX_BF16X2;
    if (ptx_type_is_float(type))
        PUT(c, WT_M_AND);
    PUT(c, WT_M_SEXT, (uint8_t)bits);
    put_outcome(c, false);
    if (ptx_type_is_float(type))
        PUT(c, WT_M_SHL_OUT, WT_M_K, (uint8_t)bits, bits == WORD || brain ? 127 : 15, WT_M_K, 8,
            bits == WORD ? 23
            : brain      ? 7
                         : 10);
}

static bool comparison(struct ptx_composer *c)
{
    const struct ptx_op *op = c->op;
    unsigned type = 0;
    while (type < PTX_TYPES && ptx_set_predicate((enum ptx_type)type) != op->run)
        type++;
    if (op->run == ptx_set_predicate_flushing())
        type = op->from_type;
    else if (type == PTX_TYPES)
        return false;
    const bool pair = op->from_type == PTX_F16X2 || op->from_type == PTX_BF16X2;
    set_type(c, (enum ptx_type)type);
    set_predicate(c, 3);
    c->half = pair;
    if (op->flag) {
        set_operand(c, 0, (enum ptx_type)op->type);
        PUT(c, WT_M_OUT, WT_RESULT_D);
        if (pair)
            PUT(c, WT_M_JOIN);
        put_number(c, pair ? 16 : c->m->width[0]);
        c->half *= 2;
        if (pair)
            put_number(c, 16);
        return true;
    }
    set_predicate(c, 0);
    PUT(c, WT_M_OUT, WT_RESULT_MASK);
    put_outcome(c, false);
    c->half *= 2;
    if (op->d2 != PTX_NO_SLOT)
        PUT(c, WT_M_OUT, WT_RESULT_SECOND);
    if (op->d2 != PTX_NO_SLOT)
        put_outcome(c, !pair);
    return true;
}

/* ---- conversions ---- */

/* An integer of so many bits as one of the type, which may saturate. */
static void put_integer(struct ptx_composer *c, unsigned from, unsigned to)
{
    const bool from_signed = c->signs, to_signed = c->m->is_signed;
    if (c->op->sat && from_signed && to_signed)
        PUT(c, WT_M_SAT_S, (uint8_t)to, WT_M_SEXT, 64, WT_M_A);
    else if (c->op->sat && from_signed)
        PUT(c, WT_M_SAT, (uint8_t)to, WT_M_MAX_S, WT_M_SEXT, 64, WT_M_A, WT_M_K, 64, 0);
    else if (c->op->sat)
        PUT(c, WT_M_ZEXT, (uint8_t)to, WT_M_SAT, (uint8_t)(to - to_signed), WT_M_ZEXT, 64, WT_M_A);
    else if (to > from)
        PUT(c, from_signed ? WT_M_SEXT : WT_M_ZEXT, (uint8_t)to, WT_M_A);
    else if (to < from)
        PUT(c, WT_M_PART, 0, (uint8_t)to, WT_M_A);
    else
        PUT(c, WT_M_A);
}

/* A float as a float. */
static void put_float(struct ptx_composer *c, unsigned from, unsigned to)
{
    static const uint8_t whole[] = {[WT_RNE] = WT_M_FROUND,
                                    [WT_RTZ] = WT_M_FTRUNC,
                                    [WT_RDN] = WT_M_FFLOOR,
                                    [WT_RUP] = WT_M_FCEIL};
    const struct ptx_op *op = c->op;
    const bool same = op->type == op->from_type, limits = op->how || op->sat;
    if (same && op->flag && !limits && op->round <= WT_RUP)
        PUT(c, whole[op->round], WT_M_A);
    else if (same && from >= WORD && !op->flag && !limits && !op->ftz)
        PUT(c, WT_M_A);
    else if (op->from_type == PTX_BF16 && to == WORD && !op->flag && !limits && !op->ftz)
        PUT(c, WT_M_JOIN, WT_M_K, 16, 0, WT_M_A); /* its bits */
    else if (from != to && !op->flag && !limits)
        PUT(c, WT_M_FLOAT_F, (uint8_t)to, WT_M_A);
    else
        PUT(c, WT_M_OPAQUE1, (uint8_t)to, WT_M_A);
}

static bool conversion(struct ptx_composer *c)
{
    const struct ptx_op *op = c->op;
    const enum ptx_type to = (enum ptx_type)op->type, from = (enum ptx_type)op->from_type;
    if (to == PTX_NO_TYPE || from == PTX_NO_TYPE || op->run != ptx_convert(op))
        return false;
    const uint8_t bits = (uint8_t)(8 * ptx_type_bytes(to)), own = 8 * ptx_type_bytes(from);
    const bool pair = to == PTX_F16X2 || to == PTX_BF16X2;
    set_type(c, from);
    set_operand(c, 0, to);
    memset(c->m->bytes + 1, op->size, 4);
    c->m->bytes[0] = pair ? 4 : op->element;
    c->m->is_signed = ptx_type_is_signed(to);
    const bool of_floats = ptx_type_is_float(from);
    c->m->real = of_floats || ptx_type_is_float(to);
    PUT(c, WT_M_OUT, WT_RESULT_D);
    if (pair)
        PUT(c, WT_M_OPAQUE2, WORD, WT_M_A, WT_M_B);
    else if (!c->m->real)
        put_integer(c, own, bits);
    else if (of_floats && ptx_type_is_float(to))
        put_float(c, own, bits);
    else if (!of_floats && op->sat)
        PUT(c, WT_M_OPAQUE1, bits, WT_M_A);
    else if (!of_floats)
        PUT(c, c->signs ? WT_M_FLOAT_S : WT_M_FLOAT, bits, WT_M_A);
    else { /* a NaN is 0 or, from or to 64 bits, the highest bit alone */
        PUT(c, WT_M_SELECT, WT_M_FCOMPARE, WT_M_UNORDERED, WT_M_A, WT_M_A);
        if (bits == 64 || own == 64)
            PUT(c, WT_M_FNEG);
        PUT(c, WT_M_K, bits, 0, c->m->is_signed ? WT_M_ROUNDED_S : WT_M_ROUNDED, bits, WT_M_A);
    }
    return true;
}

/* ---- predicates ---- */

static bool predicates(struct ptx_composer *c)
{
    static const uint16_t kinds[] = {0x07e, 0x081, 0x0ff, 0x300, 0x05a, 0x024}; /* by FKIND */
    const struct ptx_op *op = c->op;
    if (op->run != ptx_op_predicate && op->run != ptx_op_testp)
        return false;
    memset(c->m->width, 1, sizeof c->m->width);
    PUT(c, WT_M_OUT, WT_RESULT_MASK);
    if (op->run == ptx_op_testp) {
        set_operand(c, 1, (enum ptx_type)op->type);
        PUT(c, WT_M_NONZERO, WT_M_AND, WT_M_FKIND, 10, WT_M_A, WT_M_JOIN, WT_M_K, 8,
            (uint8_t)kinds[op->how], WT_M_K, 2, (uint8_t)(kinds[op->how] >> 8));
        return true;
    }
    uint8_t table = 0; /* the third source does not count; of one the second is the first */
    for (unsigned i = 0; i < 8; i++)
        table |= (uint8_t)((op->how >> (i >> 1) & 1) << i);
    PUT(c, WT_M_LOGIC, table, WT_M_A, WT_M_B, WT_M_A);
    return true;
}

bool ptx_meaning_of(const struct ptx_op *op, struct ptx_meaning *m)
{
    struct ptx_composer c = {.op = op, .m = m, .out = {m->code, m->code + sizeof m->code}};
    *m = (struct ptx_meaning){.real = false};
    if (!predicates(&c) && !selection(&c) && !integers(&c) && !floats(&c) && !comparison(&c) &&
        !conversion(&c) && !video(&c))
        return false;
    PUT(&c, WT_M_END);
    return true;
}
