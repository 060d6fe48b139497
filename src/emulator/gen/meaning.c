/* What instructions do with their operands (machine/operands.h, enum wt_operation). Arithmetic
 * (Skylake PRM volume 2a) computes in 32 bits, or in 64 where an operand has them; narrower sources
 * are extended by their types. */
#include <string.h>

#include "emulator/gen/message.h"
#include "emulator/gen/operands.h"

static bool is(const struct gen_insn *insn, enum gen_insn_id id)
{
    return insn->row == &gen_rows[id];
}

static unsigned bits_of(const struct gen_operand *o)
{
    return 8 * gen_type_size((enum gen_type)o->type);
}

/* What is known of the sources of an instruction. */
struct sources {
    bool floats, packed, modified, wide, quads, first_negated, second_negated;
    bool all_signed, all_unsigned;
};

static struct sources sources_of(const struct gen_insn *insn)
{
    struct sources s = {.all_signed = true, .all_unsigned = true};
    for (unsigned i = 0; i < insn->sources; i++) {
        const struct gen_operand *o = &insn->src[i];
        const bool is_signed = gen_type_is_signed((enum gen_type)o->type);
        s.floats |= gen_type_is_float((enum gen_type)o->type);
        s.packed |= o->file == GEN_IMMEDIATE && o->type >= GEN_UV;
        s.modified |= o->negate || o->absolute;
        s.quads |= o->type == GEN_UQ;
        s.wide |= bits_of(o) == 64;
        s.all_signed &= is_signed;
        s.all_unsigned &= !is_signed;
    }
    s.first_negated = insn->src[0].negate;
    s.second_negated = insn->sources > 1 && insn->src[1].negate;
    return s;
}

/* A move of floats whose type stays is one of bits. */
static bool copies_floats(const struct gen_insn *insn)
{
    for (unsigned i = 0; i < insn->sources; i++)
        if (insn->src[i].type != insn->dst.type)
            return false;
    return (is(insn, GEN_MOV) || is(insn, GEN_SEL)) && !insn->condition;
}

static enum wt_operation logic(const struct gen_insn *insn, const struct sources *s, bool *turned)
{
    const enum wt_operation plain = is(insn, GEN_AND)  ? WT_DOES_AND
                                    : is(insn, GEN_OR) ? WT_DOES_OR
                                                       : WT_DOES_XOR;
    if (s->first_negated && s->second_negated)
        return plain == WT_DOES_AND  ? WT_DOES_NOT_OR
               : plain == WT_DOES_OR ? WT_DOES_NOT_AND
                                     : WT_DOES_XOR;
    *turned = s->first_negated;
    if (!s->first_negated && !s->second_negated)
        return plain;
    return plain == WT_DOES_AND  ? WT_DOES_AND_NOT
           : plain == WT_DOES_OR ? WT_DOES_OR_NOT
                                 : WT_DOES_NOT_XOR;
}

static enum wt_operation sum(const struct sources *s, bool *turned)
{
    *turned = s->first_negated;
    return s->first_negated && s->second_negated   ? WT_DOES_OTHER
           : s->first_negated || s->second_negated ? WT_DOES_SUBTRACT
                                                   : WT_DOES_ADD;
}

static enum wt_operation comparison(unsigned condition, bool is_signed)
{
    static const uint8_t all[] = {
        [GEN_COND_EQ] = WT_DOES_EQUAL,   [GEN_COND_NE] = WT_DOES_NOT_EQUAL,
        [GEN_COND_GT] = WT_DOES_GREATER, [GEN_COND_GE] = WT_DOES_NOT_LESS,
        [GEN_COND_LT] = WT_DOES_LESS,    [GEN_COND_LE] = WT_DOES_NOT_GREATER};
    const enum wt_operation how =
        condition && condition < sizeof all ? (enum wt_operation)all[condition] : WT_DOES_OTHER;
    return how >= WT_DOES_LESS && is_signed ? how + 1 : how;
}

/* The order of sources, by the numbers of isa.def's, is turned: the last one comes first. */
static void rotate(struct wt_insn_operands *o, unsigned first, bool reverse)
{
    struct wt_insn_operand *s = &o->list[first];
    if (o->count < first + 3)
        return;
    const struct wt_insn_operand a = s[0], b = s[1], c = s[2];
    s[0] = reverse ? c : b;
    s[1] = reverse ? b : c;
    s[2] = a;
}

static enum wt_operation shift(const struct gen_insn *insn, bool wide)
{
    const bool is_long = bits_of(&insn->src[0]) == 64 || bits_of(&insn->dst) == 64;
    if (wide != is_long)
        return WT_DOES_OTHER;
    return is(insn, GEN_SHL)                                  ? WT_DOES_SHIFT_LEFT
           : is(insn, GEN_SHR) || insn->src[0].type == GEN_UQ ? WT_DOES_SHIFT_RIGHT
                                                              : WT_DOES_SHIFT_SIGNED;
}

/* Of integers whose values are exactly known. */
static void arithmetic(const struct gen_insn *insn, const struct sources *s,
                       struct wt_insn_operands *o)
{
    const bool wide = s->wide || bits_of(&insn->dst) == 64;
    const bool nowhere = insn->dst.file == GEN_ARF && insn->dst.reg >> 4 == GEN_ARF_NULL;
    const unsigned first = o->count; /* behind which a constant may come */
    enum wt_operation how = WT_DOES_OTHER;
    unsigned width = wide ? 64 : 32, results = 0;
    bool turned = false;
    while (results < o->count && o->list[results].writes)
        results++;
    switch ((enum gen_insn_id)(insn->row - gen_rows)) {
    case GEN_MOV:
        how = s->modified ? WT_DOES_OTHER : WT_DOES_MOVE;
        width = bits_of(&insn->src[0]) < bits_of(&insn->dst) ? bits_of(&insn->src[0])
                                                             : bits_of(&insn->dst);
        break;
    case GEN_SMOV: /* of several channels: some of a row, which no operand says */
        how = s->modified ? WT_DOES_OTHER : o->lanes == 1 ? WT_DOES_MOVE : WT_DOES_UNTOLD;
        width = bits_of(&insn->src[0]) < bits_of(&insn->dst) ? bits_of(&insn->src[0])
                                                             : bits_of(&insn->dst);
        break;
    case GEN_SEL:
        how =
            s->modified || insn->condition || insn->predicate != 1 ? WT_DOES_OTHER : WT_DOES_SELECT;
        turned = !insn->predicate_inverted;
        break;
    case GEN_NOT:
        how = s->modified ? WT_DOES_OTHER : WT_DOES_NOT;
        break;
    case GEN_AND:
    case GEN_OR:
    case GEN_XOR:
        how = logic(insn, s, &turned);
        break;
    case GEN_ADD:
    case GEN_ADDC:
        how = sum(s, &turned);
        break;
    case GEN_SUBB:
        how = s->modified ? WT_DOES_OTHER : WT_DOES_SUBTRACT;
        break;
    case GEN_MUL:
        how = WT_DOES_MULTIPLY;
        break;
    case GEN_MAD:
        how = s->modified ? WT_DOES_OTHER : WT_DOES_MULTIPLY;
        o->then = how ? WT_DOES_ADD : WT_DOES_OTHER;
        rotate(o, results, false);
        break;
    case GEN_SHL:
    case GEN_SHR:
    case GEN_ASR:
        how = s->modified ? WT_DOES_OTHER : shift(insn, wide);
        break;
    case GEN_BFE:
        how = s->all_signed ? WT_DOES_EXTRACT_SIGNED : WT_DOES_EXTRACT;
        rotate(o, results, true);
        break;
    case GEN_BFI2:
        how = WT_DOES_PLACE;
        break;
    case GEN_CMP:
    case GEN_CMPN:
        if (s->modified || (s->quads && !s->all_unsigned))
            break;
        how = comparison(insn->condition, !s->all_unsigned);
        width = wide || !(s->all_signed || s->all_unsigned) ? 64 : 32;
        break;
    default:
        break;
    }
    if (insn->accumulate && !is(insn, GEN_ADDC) && !is(insn, GEN_SUBB))
        how = WT_DOES_OTHER; /* the accumulator gets the result, too */
    const bool tests = insn->condition && how && how < WT_DOES_EQUAL && !is(insn, GEN_SEL);
    if (tests && nowhere) { /* the flags are all the result */
        const enum wt_operation test =
            comparison(insn->condition, gen_type_is_signed((enum gen_type)insn->dst.type));
        const bool two = o->count - results == 2 && !o->then;
        if (how != WT_DOES_MOVE && !two)
            how = WT_DOES_OTHER;
        else if (how == WT_DOES_MOVE)
            how = test;
        else
            o->then = (uint8_t)test;
        if (how)
            wt_operands_add_constant(o, 0);
        if (how && o->count > first + 1) /* a predicate stays last */
            how = WT_DOES_OTHER;
    }
    o->flag = insn->condition <= GEN_COND_NE && insn->condition ? WT_FLAG_NOT_ZERO
              : is(insn, GEN_ADDC) || is(insn, GEN_SUBB)        ? WT_FLAG_CARRY
                                                                : WT_FLAG_OTHER;
    if (insn->condition && o->flag == WT_FLAG_CARRY)
        how = WT_DOES_OTHER;
    o->operation = (uint8_t)how;
    o->then = how ? o->then : 0;
    o->width = (uint8_t)width;
    o->turned = turned;
}

/* Results of fewer bits fill their registers by their types. */
static void extend_results(const struct gen_insn *insn, struct wt_insn_operands *o)
{
    const bool compares = o->operation >= WT_DOES_EQUAL;
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].kind == WT_OPERAND_ROW && o->list[i].writes &&
            (compares || gen_type_is_signed((enum gen_type)insn->src[0].type)))
            o->list[i].type = WT_OPERAND_SIGNED;
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
    const unsigned atomic = insn->desc >> 8 & 15;
    const bool exchanges = atomic == GEN_ATOMIC_MOV,
               adds = atomic == GEN_ATOMIC_ADD || atomic == GEN_ATOMIC_SUB ||
                      atomic == GEN_ATOMIC_OR || atomic == GEN_ATOMIC_XOR;
    o->operation = form == GEN_MESSAGE_OTHER ? WT_DOES_WAIT : WT_DOES_UNTOLD;
    if (form != GEN_MESSAGE_SCATTERED && form != GEN_MESSAGE_BLOCK)
        return;
    o->operation = s.changes ? exchanges ? WT_DOES_EXCHANGE : WT_DOES_ATOMIC
                   : s.loads ? WT_DOES_LOAD
                             : WT_DOES_STORE;
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
    const struct sources s = sources_of(insn);
    if (insn->predicate && !is(insn, GEN_SEL))
        guard(insn, o);
    switch (format) {
    case GEN_FORMAT_ONE:
    case GEN_FORMAT_TWO:
    case GEN_FORMAT_THREE:
        if (insn->saturate || s.packed)
            return;
        if (!s.floats && !gen_type_is_float((enum gen_type)insn->dst.type))
            arithmetic(insn, &s, o);
        else if (copies_floats(insn) && !s.modified)
            arithmetic(insn, &s, o);
        extend_results(insn, o);
        if (is(insn, GEN_MOV) && o->operation == WT_DOES_MOVE)
            part_rows(insn, o);
        return;
    case GEN_FORMAT_MATH:
        return;
    case GEN_FORMAT_SEND:
    case GEN_FORMAT_SENDS:
        message(insn, o);
        return;
    case GEN_FORMAT_PLAIN:
    case GEN_FORMAT_WAIT:
        o->operation = WT_DOES_WAIT;
        return;
    default:
        o->operation = WT_DOES_BRANCH;
        if (format == GEN_FORMAT_CALL && o->count && o->list[0].writes)
            o->list[0].reads = false; /* what it keeps says nothing of where it goes */
        return;
    }
}
