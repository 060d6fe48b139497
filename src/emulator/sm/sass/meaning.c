/* Operands of machine code in the meanings of rows (machine/meaning.h), and accesses
 * (machine/operands.h, enum wt_operation). */
#include <string.h>

#include "emulator/machine/meaning.h"
#include "emulator/machine/operands.h"
#include "emulator/sm/internal.h"
#include "emulator/sm/operands.h"

static unsigned field_of(const struct sm_uop *u, enum sm_field_id id)
{
    return sm_field_value(u->word, id);
}

/* ---- what rows say, with what fields add ---- */

struct sm_composer {
    const struct sm_uop *u;
    struct wt_meaning_writer out;
    uint32_t listed; /* leaves */
    uint8_t first;   /* the row's operation */
    bool sums;       /* three terms, each with its sign */
};
#define PUT(c, ...) WT_MEANING_PUT(&(c)->out, __VA_ARGS__)

/* A bit each for cases 4a + 2b + c. */
static uint8_t table_of(const struct sm_uop *u)
{
    if (u->insn != SM_LOP && u->insn != SM_LOP32I)
        return u->how;
    const unsigned a = u->mods & SM_NOT_A ? 0x0f : 0xf0, b = u->mods & SM_NOT_B ? 0x33 : 0xcc;
    return (uint8_t)(u->how == 0 ? a & b : u->how == 1 ? a | b : u->how == 2 ? a ^ b : b);
}

static void put_expression(struct sm_composer *c, const uint8_t **code);

static void put_at(struct sm_composer *c, const uint8_t *code)
{
    put_expression(c, &code);
}

/* Sums whose terms have signs: of IADD both stand for .PO, a + b + 1. */
static bool put_signed_sum(struct sm_composer *c, const uint8_t **code)
{
    const bool first = c->u->mods & SM_NEG_A, second = c->u->mods & SM_NEG_B,
               both = first && second;
    const uint8_t *term[] = {*code + 1, *code + 1};
    if (!first && !second)
        return false;
    wt_meaning_skip(code);
    wt_meaning_skip(&term[1]);
    PUT(c, both ? WT_M_ADDC : WT_M_SUB);
    for (unsigned i = 0; i < 2; i++) {
        if (both && c->u->insn != SM_IADD)
            PUT(c, WT_M_NOT);
        put_at(c, term[i != (first && !second)]);
    }
    if (both)
        PUT(c, WT_M_K, 1, 1);
    return true;
}

/* The amount by which a funnel shifts. */
static void put_amount(struct sm_composer *c)
{
    const bool pairs = c->u->how & 3;
    if (c->u->mods & SM_WRAPS)
        PUT(c, WT_M_PART, 0, pairs ? 6 : 5, WT_M_B);
    else if (pairs)
        PUT(c, WT_M_B);
    else
        PUT(c, WT_M_MIN, WT_M_B, WT_M_K, 32, 32);
}

/* Sources that are not listed are RZ and PT, or do not count. */
static void put_leaf(struct sm_composer *c, uint8_t op)
{
    const uint32_t mods = c->u->mods;
    const bool is_negative = c->sums && mods & (op == WT_M_A   ? SM_NEG_A
                                                : op == WT_M_B ? SM_NEG_B
                                                               : SM_NEG_C);
    if ((op == WT_M_VCC && sm_bit(c->u->word, 42)) || (c->first == WT_M_ONES && mods & SM_NOT_B))
        PUT(c, WT_M_NOT);
    if (is_negative)
        PUT(c, WT_M_SUB, WT_M_K, 32, 0);
    if (!(c->listed >> op & 1))
        PUT(c, WT_M_K, op == WT_M_VCC ? 1 : 32, op == WT_M_VCC);
    else if (c->first == WT_M_PART && op == WT_M_B)
        put_amount(c);
    else
        PUT(c, op);
}

/* The operation of a node, as fields say. */
static uint8_t operation_of(const struct sm_composer *c, uint8_t op)
{
    const uint32_t mods = c->u->mods;
    const bool is_signed = mods & SM_SIGNED, funnels = c->first == WT_M_PART;
    switch (op) {
    case WT_M_SHL_OUT:
        return mods & SM_WRAPS && !funnels ? WT_M_SHL : op;
    case WT_M_SHR_OUT:
        if (funnels)
            return (c->u->how & 3) == 3 ? WT_M_SAR_OUT : op;
        return (uint8_t)((mods & SM_WRAPS ? WT_M_SHR : op) + is_signed);
    case WT_M_MUL:
        return !(mods & SM_HIGH) ? op : c->u->how ? WT_M_MUL_HIGH_S : WT_M_MUL_HIGH;
    case WT_M_MIN:
    case WT_M_MAX:
        return (uint8_t)(op + 2 * is_signed);
    case WT_M_FIELD:
        return (uint8_t)(op + is_signed);
    default:
        return op;
    }
}

static void put_expression(struct sm_composer *c, const uint8_t **code)
{
    const struct sm_uop *u = c->u;
    const uint8_t *at = *code;
    if (*at == WT_M_ADD && !c->sums && put_signed_sum(c, code))
        return;
    const struct wt_meaning_node node = wt_meaning_take(code);
    if (node.op < (enum wt_meaning_op)WT_M_LEAVES) {
        put_leaf(c, *at);
        return;
    }
    PUT(c, operation_of(c, *at));
    if (node.op == WT_M_LOGIC && !at[1])
        PUT(c, table_of(u));
    else if (at == sm_rows[u->insn].meaning + 2 && node.op == WT_M_PART && u->how & 4) /* .HI */
        PUT(c, at[1] ^ 32, at[2]);
    else
        wt_meaning_put(&c->out, at + 1, (unsigned)(*code - at - 1));
    if ((node.op == WT_M_SHR_OUT || node.op == WT_M_FIELD) && u->mods & SM_REVERSED)
        PUT(c, WT_M_REVERSE);
    for (unsigned i = 0; i < node.operands; i++)
        put_expression(c, code);
}

/* Whether fields make of the row what is not composed: carries, saturation, parts. */
static bool is_beyond(const struct sm_composer *c)
{
    const struct sm_uop *u = c->u;
    switch (c->first) {
    case WT_M_ADD: /* halves and a shift of IADD3 */
        return u->mods & (SM_EXTENDED | SM_SAT) || (c->sums && u->how) ||
               (u->mods & SM_HIGH && u->how % 3);
    case WT_M_MUL: /* of a signed and an unsigned number */
        return u->mods & SM_HIGH && u->how % 3;
    case WT_M_B: /* MOV of some bytes */
        return u->how != 15;
    case WT_M_PICK:
    case WT_M_SELECT: /* .XLO, .XHI */
        return u->how;
    default:
        return false;
    }
}

/* False: it is not said, or depends on what is no operand that has bits: a constant bank. */
static bool compose(const struct sm_uop *u, struct wt_insn_operands *o)
{
    const uint8_t *code = sm_rows[u->insn].meaning;
    struct sm_composer c = {.u = u,
                            .out = {o->composed, o->composed + sizeof o->composed},
                            .first = code[*code != WT_M_END ? 2 : 0]};
    bool flags = false;
    c.sums = c.first == WT_M_ADD && code[3] == WT_M_ADD;
    if (*code == WT_M_END || is_beyond(&c))
        return false;
    for (unsigned i = 0; i < o->count; i++) {
        if (o->list[i].kind == WT_OPERAND_MEMORY)
            return false;
        c.listed |= o->list[i].reads ? 1u << o->list[i].leaf : 0;
        flags |= o->list[i].result == WT_RESULT_SECOND;
    }
    wt_meaning_put(&c.out, code, 2);
    code += 2;
    put_expression(&c, &code);
    if (flags) {
        static const uint8_t sources[] = {WT_M_A, WT_M_B, WT_M_C};
        PUT(&c, WT_M_OUT, WT_RESULT_SECOND, WT_M_OPAQUE3, 1);
        for (unsigned i = 0; i < 3; i++)
            put_at(&c, &sources[i]);
    }
    PUT(&c, WT_M_END);
    wt_operands_set_meaning(o, NULL);
    return true;
}

/* ---- the others ---- */

static enum wt_operation load(unsigned size)
{
    return size < 4 && size % 2 ? WT_DOES_LOAD_SIGNED : WT_DOES_LOAD;
}

static enum wt_operation meaning(const struct sm_uop *u)
{
    enum { EXCHANGES = 8 };
    const uint8_t *row = sm_rows[u->insn].meaning, first = row[*row != WT_M_END ? 2 : 0];
    switch ((enum sm_insn)u->insn) {
    case SM_LDG:
        return load(field_of(u, SM_F_gsize48));
    case SM_LD:
        return load(field_of(u, SM_F_size53));
    case SM_LDS:
        return load(field_of(u, SM_F_lds48) & 7);
    case SM_LDL:
        return load(field_of(u, SM_F_size48));
    case SM_LDC:
        return load(field_of(u, SM_F_csize48));
    case SM_STG:
    case SM_ST:
    case SM_STS:
    case SM_STL:
        return WT_DOES_STORE;
    case SM_ATOM:
        return field_of(u, SM_F_atom52) == EXCHANGES ? WT_DOES_EXCHANGE : WT_DOES_ATOMIC;
    case SM_ATOMS:
        return field_of(u, SM_F_atoms52) == EXCHANGES ? WT_DOES_EXCHANGE : WT_DOES_ATOMIC;
    case SM_ATOM_CAS:
    case SM_ATOMS_CAS:
    case SM_RED:
        return WT_DOES_ATOMIC;
    case SM_SHFL:
        return WT_DOES_MOVE;
    case SM_IADD: /* with a carry; a constant bank has unknown bits */
        return u->form == SM_FORM_C ? WT_DOES_UNTOLD : WT_DOES_OTHER;
    case SM_IMNMX:
    case SM_MOV32I:
        return WT_DOES_OTHER;
    case SM_P2R:
    case SM_R2P:
        return WT_DOES_UNTOLD;
    default:
        return first == WT_M_END || first == WT_M_ADD || first == WT_M_MUL || first == WT_M_ONES
                   ? WT_DOES_OTHER
                   : WT_DOES_UNTOLD; /* parts of words: it is not said which */
    }
}

void sm_list_meaning(const struct sm_uop *u, struct wt_insn_operands *o)
{
    if (compose(u, o))
        return;
    o->operation = (uint8_t)meaning(u);
    for (unsigned i = 0; u->insn == SM_SHFL && i < o->count; i++) {
        struct wt_insn_operand *x = &o->list[i]; /* whether there is such a lane is a flag */
        x->pair = x->writes && x->by_lane ? 2 : x->writes || x->crosses ? 1 : 0;
    }
}
