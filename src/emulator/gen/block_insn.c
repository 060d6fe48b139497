/* Decoded instructions as rows on regions (emulator/translate/rows.h). See block.h. */
#include "emulator/gen/block.h"

#include "emulator/translate/match.h"

/* The operation that the row's meaning is, for integers or floats of so many bits. */
static bool operation_of(const struct gen_insn *insn, bool real, uint8_t bits,
                         struct wt_rows_match *m)
{
    const uint8_t all[] = {bits, bits, bits};
    if (!wt_rows_match(insn->row->meaning[real], all, bits == 64, m))
        return false;
    if (m->op == WT_ROWS_FLOAT_COMPARE)
        m->op = WT_ROWS_COMPARE;
    return true;
}

/* Outcomes by conditions. */
static const uint8_t outcomes[] = {
    [GEN_COND_EQ] = WT_ROWS_EQUAL,   [GEN_COND_NE] = WT_ROWS_LESS | WT_ROWS_GREATER,
    [GEN_COND_GT] = WT_ROWS_GREATER, [GEN_COND_GE] = WT_ROWS_GREATER | WT_ROWS_EQUAL,
    [GEN_COND_LT] = WT_ROWS_LESS,    [GEN_COND_LE] = WT_ROWS_LESS | WT_ROWS_EQUAL,
};

/* The word of the flags that an instruction's channels have; false: they have parts of several. */
static bool flags_of(const struct gen_insn *insn, uint32_t *slot)
{
    const unsigned word = ((insn->flag & 1u) + insn->channel / 16u) % 2;
    *slot = (uint32_t)offsetof(struct gen_registers, f) + 4 * (insn->flag >> 1) + 2 * word;
    return insn->channel % 16 + insn->exec_size <= 16;
}

bool gen_block_predicate(const struct gen_insn *insn, struct wt_rows_insn *to)
{
    to->conditional = insn->predicate;
    to->condition.negated = insn->predicate_inverted;
    return insn->predicate <= 1 && flags_of(insn, &to->condition.slot);
}

static struct wt_rows_source source_of(const struct gen_quick_source *q)
{
    struct wt_rows_source s = {.slot = q->at, .is_signed = q->is_signed};
    uint32_t value = (uint32_t)q->value;
    s.constant = q->fetch == GEN_FETCH_VALUE;
    s.spread = q->fetch == GEN_FETCH_DWORD || q->fetch == GEN_FETCH_ELEMENT ? q->size : 0;
    s.words = q->fetch == GEN_FETCH_WORDS;
    s.bits = q->fetch == GEN_FETCH_LOW ? (uint8_t)(8 * q->size) : 0;
    if (!s.constant) {
        s.sign_off = q->is_real && q->absolute;
        s.sign_over = q->is_real && q->negate;
        s.absolute = !q->is_real && q->absolute;
        s.negated = !q->is_real && q->negate && !q->complements;
        s.complemented = !q->is_real && q->negate && q->complements;
        return s;
    }
    if (q->absolute)
        value = q->is_real ? value & INT32_MAX : value >> 31 ? 0 - value : value;
    if (q->negate)
        value = q->is_real ? value ^ UINT32_C(1) << 31 : q->complements ? ~value : 0 - value;
    s.value = value;
    return s;
}

static bool arithmetic(const struct gen_uop *u, struct wt_rows_insn *to)
{
    const struct gen_insn *insn = &u->insn;
    const struct gen_quick *q = &u->quick;
    const bool real = u->domain == GEN_FLOAT;
    struct wt_rows_match m;
    if (!u->alu || !q->rows || !operation_of(insn, real, 32, &m) ||
        !gen_block_predicate(insn, to) || !flags_of(insn, &to->alu.flags))
        return false;
    const uint8_t op = m.op;
    to->op = op;
    to->alu.real = real;
    to->guarded = real;
    to->raises =
        op == WT_ROWS_FLOAT_ADD || op == WT_ROWS_FLOAT_MULTIPLY || op == WT_ROWS_FLOAT_MULTIPLY_ADD;
    to->is_signed = u->domain == GEN_INT32;
    to->lanes = insn->exec_size;
    to->channel = insn->channel;
    to->unmasked = insn->no_mask;
    to->alu.nowhere = q->nowhere;
    to->d = q->to;
    if (q->tests) {
        to->alu.tests = true;
        to->alu.outcome = outcomes[insn->condition];
        to->is_signed = gen_type_is_signed(insn->dst.type);
    } else if (op == WT_ROWS_COMPARE || op == WT_ROWS_SELECT) {
        to->how = outcomes[insn->condition];
        if (op == WT_ROWS_COMPARE ? !to->how : !to->how && !to->conditional)
            return false;
        to->conditional &= op == WT_ROWS_COMPARE || !to->how;
    }
    for (unsigned i = 0; i < insn->sources; i++)
        to->s[i] = source_of(&q->source[m.source[i]]);
    return true;
}

/* Doubles, and moves of 64 bits (wide.c). */
static bool wide(const struct gen_uop *u, struct wt_rows_insn *to)
{
    const struct gen_insn *insn = &u->insn;
    const struct gen_quick *q = &u->quick;
    struct wt_rows_match m;
    if (!u->alu || !q->wide || q->nowhere || !operation_of(insn, true, 64, &m) ||
        !gen_block_predicate(insn, to))
        return false;
    to->op = m.op;
    to->wide = true;
    to->raises = to->guarded = !u->raw;
    to->lanes = insn->exec_size;
    to->channel = insn->channel;
    to->unmasked = insn->no_mask;
    to->d = q->to;
    for (unsigned i = 0; i < insn->sources; i++) {
        const struct gen_quick_source *from = &q->source[m.source[i]];
        uint64_t value = from->value;
        if (from->absolute)
            value &= INT64_MAX;
        if (from->negate)
            value ^= UINT64_C(1) << 63;
        to->s[i] = (struct wt_rows_source){.slot = from->at,
                                           .constant = from->fetch == GEN_FETCH_VALUE,
                                           .spread = from->fetch == GEN_FETCH_ELEMENT ? 8 : 0,
                                           .sign_off = from->absolute,
                                           .sign_over = from->negate,
                                           .value = value};
    }
    return true;
}

/* Branches backwards that all channels take. */
static bool branch(const struct gen_insn *insn, struct wt_rows_insn *to, int32_t *jumps)
{
    const bool whole = insn->row == &gen_rows[GEN_JMPI];
    if (whole)
        *jumps = insn->length + insn->jip;
    else if (insn->row == &gen_rows[GEN_WHILE])
        *jumps = insn->jip;
    else if (insn->row == &gen_rows[GEN_GOTO] && insn->branch)
        *jumps = insn->uip;
    else
        return false;
    to->op = WT_ROWS_BRANCH;
    to->how = whole;
    to->lanes = insn->exec_size;
    to->channel = insn->channel;
    to->unmasked = true;
    to->conditional = insn->predicate;
    to->condition = (struct wt_rows_source){.slot = (uint32_t)offsetof(struct gen_registers, f) +
                                                    2 * insn->flag,
                                            .negated = insn->predicate_inverted};
    return *jumps <= 0 && insn->predicate <= 1 && !insn->channel &&
           (whole ? insn->no_mask && !insn->sources
                  : !insn->no_mask && !(insn->flag & 1 && insn->exec_size > 16));
}

/* The byte of a notification register that an operand is; 0: it is none of those that count. */
static uint32_t notification(const struct gen_operand *o)
{
    const unsigned number = o->subreg / 4;
    const bool is = o->file == GEN_ARF && !o->indirect && o->reg == GEN_ARF_N << 4 && number <= 2;
    return is ? (uint32_t)offsetof(struct gen_registers, n) + 4 * number : 0;
}

/* A wait, or a number for a notification register. */
static bool notifies(const struct gen_uop *u, struct wt_rows_insn *to)
{
    const struct gen_insn *insn = &u->insn;
    const struct gen_operand *s = &insn->src[0];
    const bool waits = u->run == gen_op_wait;
    const uint32_t slot = notification(waits ? s : &insn->dst);
    *to = (struct wt_rows_insn){.op = waits ? WT_ROWS_WAIT : WT_ROWS_MOVE,
                                .lanes = 1,
                                .unmasked = true,
                                .d = slot,
                                .s = {{.slot = slot, .constant = !waits, .value = s->immediate}}};
    return slot && (waits || (u->run == gen_run_raw && insn->exec_size == 1 && insn->no_mask &&
                              !insn->predicate && !insn->align16 && s->file == GEN_IMMEDIATE &&
                              gen_type_size(insn->dst.type) == 4 && insn->dst.subreg % 4 == 0));
}

void gen_block_insn(const struct gen_uop *u, struct wt_rows_insn *to, int32_t *jumps)
{
    const bool sends = u->run == gen_op_send;
    *to = (struct wt_rows_insn){.op = WT_ROWS_HANDLER};
    if (arithmetic(u, to) || wide(u, to) || branch(&u->insn, to, jumps) || notifies(u, to))
        return;
    *to = (struct wt_rows_insn){.op = u->run == gen_op_nop ? WT_ROWS_NOTHING
                                      : u->alu || (sends && !(u->insn.exdesc >> 5 & 1))
                                          ? WT_ROWS_CALL
                                          : WT_ROWS_HANDLER};
}
