/* The effect of instructions on their operands (machine/meaning.h): as rows say, with what the
 * record adds. Arithmetic (Skylake PRM volume 2a) computes in 32 bits, or in 64; narrower sources
 * are extended by their types. */
#include <string.h>

#include "emulator/gen/internal.h"
#include "emulator/gen/message.h"
#include "emulator/gen/operands.h"
#include "emulator/machine/meaning.h"

static bool is(const struct gen_insn *insn, enum gen_insn_id id)
{
    return insn->row == &gen_rows[id];
}

static uint8_t bits_of(const struct gen_operand *o)
{
    return (uint8_t)(8 * gen_type_size((enum gen_type)o->type));
}

static bool is_signed(const struct gen_operand *o)
{
    return gen_type_is_signed((enum gen_type)o->type);
}

/* ---- expressions ---- */

struct composer {
    const struct gen_insn *insn;
    struct wt_meaning_writer out;
    uint8_t width;    /* bits of a number */
    bool real, logic; /* floats; signs of sources are complements */
    bool narrow;      /* 32 bits of 64 are shifted */
};

#define PUT(c, ...) WT_MEANING_PUT(&(c)->out, __VA_ARGS__)
#define ZERO(c) WT_M_ZEXT, (c)->width, WT_M_K, 1, 0

/* A source; signs of floats are in the operand. */
static void put_source(struct composer *c, uint8_t leaf, bool negate)
{
    if (!c->real && negate && c->logic)
        PUT(c, WT_M_NOT);
    else if (!c->real && negate)
        PUT(c, WT_M_SUB, ZERO(c));
    if (!c->real && c->insn->src[leaf - WT_M_A].absolute)
        PUT(c, WT_M_SELECT, WT_M_PART, (uint8_t)(c->width - 1), 1, leaf, WT_M_SUB, ZERO(c), leaf);
    PUT(c, leaf);
}

static void put_expression(struct composer *c, const uint8_t **code);

static void put_operand(struct composer *c, const uint8_t *code)
{
    put_expression(c, &code);
}

/* Whether two operands, which *code is moved behind, compare as the condition says. */
static void put_condition(struct composer *c, const uint8_t **code, bool by_sign)
{
    static const struct {
        uint8_t op, outcomes;
        bool turned;
    } conditions[] = {
        [GEN_COND_EQ] = {WT_M_EQ, WT_M_EQUAL, false},
        [GEN_COND_NE] = {WT_M_NE, WT_M_LESS | WT_M_GREATER | WT_M_UNORDERED, false},
        [GEN_COND_GT] = {WT_M_LT, WT_M_GREATER, true},
        [GEN_COND_GE] = {WT_M_LE, WT_M_GREATER | WT_M_EQUAL, true},
        [GEN_COND_LT] = {WT_M_LT, WT_M_LESS, false},
        [GEN_COND_LE] = {WT_M_LE, WT_M_LESS | WT_M_EQUAL, false},
        [GEN_COND_UN] = {WT_M_END, WT_M_UNORDERED, false},
    };
    const unsigned condition = c->insn->condition;
    const uint8_t *x = *code, *y = *code;
    wt_meaning_skip(&y);
    *code = y;
    wt_meaning_skip(code);
    const uint8_t op = conditions[condition].op;
    const bool turned = conditions[condition].turned && !c->real;
    if (c->real)
        PUT(c, WT_M_FCOMPARE, conditions[condition].outcomes);
    else
        PUT(c, !by_sign ? op : op == WT_M_LT ? WT_M_LT_S : op == WT_M_LE ? WT_M_LE_S : op);
    put_operand(c, turned ? y : x);
    put_operand(c, turned ? x : y);
}

/* Sums of sources with signs are differences. */
static bool put_difference(struct composer *c, const uint8_t *code)
{
    const bool first = c->insn->src[0].negate, second = c->insn->src[1].negate;
    if (code[0] != WT_M_A || code[1] != WT_M_B || first == second)
        return false;
    PUT(c, WT_M_SUB);
    put_source(c, first ? WT_M_B : WT_M_A, false);
    put_source(c, first ? WT_M_A : WT_M_B, false);
    return true;
}

/* The operation that one of unsigned numbers is for the types of the sources. */
static uint8_t operation_of(const struct composer *c, uint8_t op)
{
    const struct gen_operand *a = &c->insn->src[0];
    switch (op) {
    case WT_M_FIELD:
        return is_signed(a) ? WT_M_FIELD_S : op;
    case WT_M_UNLIKE:
        return is_signed(a) ? op : WT_M_HIGHEST;
    case WT_M_DIV:
    case WT_M_REM:
        return (uint8_t)(op + is_signed(a));
    case WT_M_SAR:
        return a->type == GEN_UQ ? WT_M_SHR : op;
    default:
        return op;
    }
}

static void put_expression(struct composer *c, const uint8_t **code)
{
    const uint8_t *at = *code;
    const struct wt_meaning_node node = wt_meaning_take(code);
    const struct gen_insn *insn = c->insn;
    const bool compares = node.op == WT_M_EQ || (node.op == WT_M_FCOMPARE && !node.n);
    bool unsigned_quads = false;
    for (unsigned i = 0; i < insn->sources; i++)
        unsigned_quads |= insn->src[i].type == GEN_UQ;
    if (compares) {
        put_condition(c, code, !unsigned_quads);
        return;
    }
    if (node.op == WT_M_VCC && insn->condition) { /* SEL */
        static const uint8_t both[] = {WT_M_A, WT_M_B};
        const uint8_t *sources = both;
        if (!c->real) {
            put_condition(c, &sources, !unsigned_quads);
            return;
        }
        PUT(c, WT_M_OPAQUE2, 1, WT_M_A, WT_M_B);
        return;
    }
    if (node.op == WT_M_VCC && insn->predicate_inverted)
        PUT(c, WT_M_NOT);
    if (node.op >= WT_M_A && node.op <= WT_M_C) {
        put_source(c, (uint8_t)node.op, insn->src[node.op - WT_M_A].negate);
        return;
    }
    if (node.op == WT_M_ADD && !c->real && put_difference(c, *code)) {
        *code += 2;
        return;
    }
    PUT(c, operation_of(c, (uint8_t)node.op));
    wt_meaning_put(&c->out, at + 1, (size_t)(*code - at - 1));
    const bool shifts = node.op >= WT_M_SHL && node.op <= WT_M_SAR && c->narrow;
    for (unsigned i = 0; i < node.operands; i++) {
        if (node.op == WT_M_ONES)
            PUT(c, WT_M_PART, 0, bits_of(&insn->src[0]) < 32 ? bits_of(&insn->src[0]) : 32);
        if (shifts && (i == 1 || node.op == WT_M_SHR))
            PUT(c, WT_M_PART, 0, i == 1 ? 5 : 32);
        put_expression(c, code);
    }
}

/* ---- arithmetic ---- */

/* Whether all floats have one format, and nothing else is one: those of comparisons go anywhere. */
static bool has_one_format(const struct gen_insn *insn)
{
    const bool compares = is(insn, GEN_CMP) || is(insn, GEN_CMPN);
    for (unsigned i = 0; i < insn->sources; i++)
        if (insn->src[i].type != (compares ? insn->src[0].type : insn->dst.type))
            return false;
    return true;
}

/* Coefficients of line and pln, the only scalars: all but the last one are A, it is C, rows are B.
 */
static unsigned coefficients_of(const struct wt_insn_operands *o)
{
    unsigned count = 0;
    for (unsigned i = 0; i < o->count; i++)
        count += o->list[i].kind == WT_OPERAND_SCALAR && o->list[i].file == GEN_FILE_R &&
                 o->list[i].reads && !o->list[i].aside;
    return count;
}

/* The source of the record whose signs a leaf has; NULL: it has none. */
static const struct gen_operand *source_of(const struct gen_insn *insn, uint8_t leaf,
                                           unsigned coefficients)
{
    const unsigned at = leaf - WT_M_A;
    const bool plain = !coefficients || (coefficients == 2 && leaf == WT_M_B);
    return plain && at < insn->sources ? &insn->src[at] : NULL;
}

/* Its sources are leaves; false: not all are listed. */
static bool name_sources(const struct composer *c, struct wt_insn_operands *o)
{
    const bool carries = is(c->insn, GEN_ADDC) || is(c->insn, GEN_SUBB);
    const unsigned scalars = coefficients_of(o),
                   most = c->insn->sources + gen_reads_accumulator(c->insn);
    unsigned sources = 0, results = 0;
    for (unsigned i = 0; i < o->count; i++) {
        struct wt_insn_operand *x = &o->list[i];
        if (x->writes && x->kind == WT_OPERAND_ROW) {
            const bool second = x->file == GEN_FILE_ACC ? carries : results++;
            x->result = second ? WT_RESULT_SECOND : WT_RESULT_D;
        }
        if (x->writes && x->file == GEN_FILE_F)
            x->result = WT_RESULT_MASK;
        if (x->reads && x->file == GEN_FILE_F && !x->aside && x->by_lane)
            x->leaf = WT_M_VCC;
        const bool value = x->kind == WT_OPERAND_CONSTANT || x->file != GEN_FILE_F;
        if (!x->reads || x->writes || x->aside || !value || (!scalars && sources >= most))
            continue;
        sources++;
        x->leaf = (uint8_t)(!scalars                       ? WT_M_A + sources - 1
                            : x->kind != WT_OPERAND_SCALAR ? WT_M_B
                            : sources == scalars           ? WT_M_C
                                                           : WT_M_A);
        const struct gen_operand *s = source_of(c->insn, x->leaf, scalars);
        x->width = (uint8_t)(!c->real ? c->width : s ? bits_of(s) : x->bits);
        x->abs = c->real && s && s->absolute;
        x->neg = c->real && s && s->negate;
        if (x->file == GEN_FILE_ACC && !c->real && !s)
            x->type = WT_OPERAND_SIGNED;
    }
    return scalars ? sources > scalars : sources == most;
}

/* Each bit of the results may depend on each bit of the sources. */
static void compose_opaque(struct composer *c, const struct wt_insn_operands *o)
{
    static const uint8_t sources[] = {WT_M_A, WT_M_B, WT_M_C};
    const unsigned count =
        coefficients_of(o) ? 3 : c->insn->sources + gen_reads_accumulator(c->insn);
    for (uint8_t r = WT_RESULT_D; r < WT_RESULTS; r++) {
        PUT(c, WT_M_OUT, r, (uint8_t)(WT_M_OPAQUE1 + count - 1), r == WT_RESULT_MASK ? 1 : 64);
        wt_meaning_put(&c->out, sources, count);
    }
    PUT(c, WT_M_END);
}

static void compose(struct composer *c, const uint8_t *code)
{
    /* As the destination gets it. */
    const uint8_t result[] = {WT_M_PART, 0, (uint8_t)bits_of(&c->insn->dst), WT_M_RESULT, WT_M_K,
                              1,         0};
    const struct gen_insn *insn = c->insn;
    bool masked = insn->row->format == GEN_FORMAT_MATH || is(insn, GEN_SEL) || is(insn, GEN_CSEL);
    c->logic = insn->row->format <= GEN_FORMAT_TWO && code[0] == WT_M_OUT && code[2] >= WT_M_NOT &&
               code[2] <= WT_M_XOR;
    while (*code == WT_M_OUT) {
        masked |= code[1] == WT_RESULT_MASK;
        wt_meaning_put(&c->out, code, 2);
        code += 2;
        put_expression(c, &code);
    }
    if (insn->condition && !masked) {
        const uint8_t *at = result;
        PUT(c, WT_M_OUT, WT_RESULT_MASK);
        put_condition(c, &at, is_signed(&insn->dst));
    }
    PUT(c, WT_M_END);
}

static void arithmetic(const struct gen_insn *insn, struct wt_insn_operands *o)
{
    const enum gen_domain domain = gen_domain_of(insn);
    const bool wide = bits_of(&insn->src[0]) == 64 || bits_of(&insn->dst) == 64,
               real = domain >= GEN_FLOAT;
    const uint8_t *code = insn->row->format == GEN_FORMAT_MATH ? gen_math_meaning(insn->condition)
                                                               : insn->row->meaning[real];
    struct composer c = {.insn = insn,
                         .out = {o->composed, o->composed + sizeof o->composed},
                         .width = domain == GEN_INT64 ? 64 : 32,
                         .real = real,
                         .narrow = domain == GEN_INT64 && !wide};
    bool known =
        code && *code == WT_M_OUT && insn->predicate <= (is(insn, GEN_SEL) ? 1u : UINT8_MAX);
    for (unsigned i = 0; i < insn->sources; i++) /* packed ones differ by channel */
        known &= insn->src[i].vstride != GEN_STRIDE_VXH && insn->src[i].type < GEN_UV;
    for (unsigned i = 0; i < o->count; i++) /* channels that are left out keep what they have */
        known &= !o->list[i].writes || !o->list[i].reads;
    if (!known || !name_sources(&c, o))
        return;
    const bool fits = !gen_reads_accumulator(insn) ||
                      (real ? bits_of(&insn->dst) >= 32 : bits_of(&insn->dst) <= 32);
    const bool plain =
        fits && (real ? has_one_format(insn) : !gen_type_is_float((enum gen_type)insn->dst.type));
    /* A comparison without a condition has no rule. */
    const bool asks = wt_meaning_has(code + 2, real ? WT_M_FCOMPARE : WT_M_EQ);
    const bool ruled = insn->condition <= GEN_COND_LE && (insn->condition || !asks);
    if (plain && (ruled || insn->row->format == GEN_FORMAT_MATH))
        compose(&c, code);
    else
        compose_opaque(&c, o);
    o->mixes = insn->saturate || (insn->accumulate && !is(insn, GEN_ADDC) && !is(insn, GEN_SUBB));
    wt_operands_set_meaning(o, NULL);
    if (is(insn, GEN_SMOV) && o->lanes != 1) /* some of a row, which no operand says */
        o->operation = WT_DOES_UNTOLD;
}

/* A move of elements that address registers choose: bits of the type that stays, or of numbers. */
static bool moves_indirectly(const struct gen_insn *insn)
{
    const struct gen_operand *s = &insn->src[0];
    const bool real = gen_type_is_float((enum gen_type)s->type) ||
                      gen_type_is_float((enum gen_type)insn->dst.type);
    return is(insn, GEN_MOV) && s->vstride == GEN_STRIDE_VXH && !s->negate && !s->absolute &&
           !insn->condition && !insn->saturate && !insn->accumulate &&
           (!real || s->type == insn->dst.type);
}

/* ---- elements that address registers choose ---- */

/* A move each channel of which has its own element: they are told apart. */
static void part_rows(const struct gen_insn *insn, struct wt_insn_operands *o)
{
    const struct wt_insn_operands whole = *o;
    const struct wt_insn_operand *to = &whole.list[0];
    if (insn->src[0].vstride != GEN_STRIDE_VXH || insn->src[0].width != 1 || !to->writes ||
        to->kind != WT_OPERAND_ROW || to->reads ||
        whole.count + 2 * insn->exec_size > WT_MOST_OPERANDS)
        return;
    o->count = 0;
    for (unsigned i = 0; i < insn->exec_size; i++)
        if (o->enabled >> (o->first_lane + i) & 1) {
            struct wt_insn_operand *x = wt_operands_add(o, *to);
            x->kind = WT_OPERAND_SCALAR;
            x->number += i * to->step / 8;
            x->pair = (uint8_t)(i + 1);
        }
    for (unsigned i = 1; i < whole.count; i++) {
        struct wt_insn_operand one = whole.list[i];
        if (one.file == GEN_FILE_A)
            continue;
        if (one.file == GEN_FILE_R)
            one.pair = (uint8_t)(one.value + 1);
        wt_operands_add(o, one);
        if (one.file != GEN_FILE_R)
            continue;
        one.file = GEN_FILE_A; /* its address register */
        one.number = (insn->src[0].subreg + (uint32_t)one.value) % 16 * 2;
        one.bits = 16;
        one.aside = true;
        wt_operands_add(o, one);
    }
}

static void move_indirectly(const struct gen_insn *insn, struct wt_insn_operands *o)
{
    const unsigned from = bits_of(&insn->src[0]), to = bits_of(&insn->dst);
    o->operation = WT_DOES_MOVE;
    o->width = (uint8_t)(from < to ? from : to);
    for (unsigned i = 0; i < o->count && is_signed(&insn->src[0]); i++)
        if (o->list[i].kind == WT_OPERAND_ROW && o->list[i].writes)
            o->list[i].type = WT_OPERAND_SIGNED;
    part_rows(insn, o);
}

/* ---- messages ---- */

/* The words of a block's header that say where it is. */
static void find_address(const struct gen_insn *insn, struct wt_insn_operand *header)
{
    const bool a64 = (insn->exdesc & 15) == GEN_SFID_DC1, scratch = !a64 && insn->desc >> 18 & 1;
    header->number += a64 ? 0 : scratch ? 20 : 8;
    header->bits = a64 ? 64 : 32;
}

/* Parts that lie side by side, as they are accessed. */
static void part_block(struct wt_insn_operands *o, unsigned at)
{
    enum { PART = 512 };
    for (; o->list[at].bits > PART && o->count < WT_MOST_OPERANDS; at++) {
        memmove(&o->list[at + 1], &o->list[at], (o->count++ - at) * sizeof *o->list);
        o->list[at].bits = PART;
        o->list[at + 1].bits -= PART;
        o->list[at + 1].number += PART / 8;
    }
}

static void message(const struct gen_insn *insn, struct wt_insn_operands *o)
{
    struct gen_message_shape s;
    const enum gen_message_form form = insn->desc_in_register || insn->exdesc_in_register
                                           ? GEN_MESSAGE_OTHER
                                           : gen_message_shape(insn->exdesc & 15, insn->desc, &s);
    static const uint8_t load[] = {WT_M_LOAD, WT_M_A, WT_M_END},
                         store[] = {WT_M_STORE, WT_M_A, WT_M_END},
                         exchange[] = {WT_M_ATOMIC, WT_M_A, WT_M_B, WT_M_END},
                         change[] = {WT_M_ATOMIC, WT_M_A, WT_M_OPAQUE2, 32,
                                     WT_M_MEMORY, WT_M_B, WT_M_END},
                         nothing[] = {WT_M_END}, texels[] = {WT_M_UNSAID, WT_UNSAID_IMAGE};
    const unsigned atomic = insn->desc >> 8 & 15;
    const bool exchanges = atomic == GEN_ATOMIC_MOV,
               adds = atomic == GEN_ATOMIC_ADD || atomic == GEN_ATOMIC_SUB ||
                      atomic == GEN_ATOMIC_OR || atomic == GEN_ATOMIC_XOR;
    wt_operands_set_meaning(o, form == GEN_MESSAGE_OTHER    ? nothing
                               : form == GEN_MESSAGE_TEXELS ? texels
                               : s.changes                  ? (exchanges ? exchange : change)
                               : s.loads                    ? load
                                                            : store);
    if (form == GEN_MESSAGE_TEXELS)
        o->operation = WT_DOES_UNTOLD;
    if (form == GEN_MESSAGE_OTHER || form == GEN_MESSAGE_TEXELS)
        return;
    if (s.changes && adds)
        o->then = WT_DOES_ADD;
    for (unsigned i = 0; form == GEN_MESSAGE_BLOCK && i < o->count; i++) {
        struct wt_insn_operand *x = &o->list[i];
        if (x->kind == WT_OPERAND_SCALAR && x->file == GEN_FILE_R && x->aside)
            find_address(insn, x);
        else if (x->kind == WT_OPERAND_SCALAR && x->file == GEN_FILE_R)
            part_block(o, i);
    }
    if (form != GEN_MESSAGE_SCATTERED || s.slot == s.stored)
        return;
    o->element = (uint8_t)s.stored;
    unsigned loaded = 0, stored = 0;
    for (unsigned i = 0; i < o->count; i++) {
        struct wt_insn_operand *x = &o->list[i];
        if (x->kind == WT_OPERAND_ROW && !x->aside)
            x->value = (int64_t)s.stored * (x->writes ? loaded++ : stored++);
    }
}

/* ---- predicates ---- */

/* How many channels' flags an any or all form looks at. */
static unsigned predicate_channels(const struct gen_insn *insn)
{
    enum { FIRST = 4 };
    return insn->predicate >= FIRST && !insn->align16 ? 2u << (insn->predicate - FIRST) / 2 : 0;
}

/* It says which channels execute the instruction, or go where it leads. */
static void guard(const struct gen_insn *insn, struct wt_insn_operands *o)
{
    const unsigned channels = predicate_channels(insn);
    const bool all = !insn->align16 && insn->predicate > 3 && insn->predicate % 2;
    for (unsigned i = 0; i < o->count; i++) {
        struct wt_insn_operand *x = &o->list[i];
        if (x->file != GEN_FILE_F || !x->reads || x->writes || !x->aside)
            continue;
        x->guards = true;
        if (x->by_lane) {
            x->inverted = insn->predicate_inverted;
            continue;
        }
        if (channels >= insn->exec_size &&
            channels + insn->flag % 2 * 16 <= 32) { /* those of one part of the flags */
            const unsigned bit =
                8 * x->number + insn->flag % 2 * 16 + insn->channel / channels * channels;
            x->number = bit / 8;
            x->first = bit % 8;
            x->bits = (uint16_t)channels;
        }
        x->inverted = all;
    }
}

void gen_list_meaning(const struct gen_insn *insn, struct wt_insn_operands *o)
{
    const enum gen_format format = (enum gen_format)insn->row->format;
    if (insn->predicate && !is(insn, GEN_SEL))
        guard(insn, o);
    switch (format) {
    case GEN_FORMAT_ONE:
    case GEN_FORMAT_TWO:
    case GEN_FORMAT_THREE:
    case GEN_FORMAT_MATH:
        if (moves_indirectly(insn)) {
            move_indirectly(insn, o);
            return;
        }
        arithmetic(insn, o);
        return;
    case GEN_FORMAT_SEND:
    case GEN_FORMAT_SENDS:
        message(insn, o);
        return;
    default:
        wt_operands_set_meaning(o, insn->row->meaning[0]);
        if (format == GEN_FORMAT_PLAIN)
            o->operation = WT_DOES_WAIT;
        if (format == GEN_FORMAT_CALL && o->count && o->list[0].writes)
            o->list[0].reads = false; /* what it keeps says nothing of where it goes */
        return;
    }
}
