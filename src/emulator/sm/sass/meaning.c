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

/* Sources that are not listed are RZ and PT, or do not count. */
static void put_expression(struct sm_composer *c, const uint8_t **code)
{
    const struct sm_uop *u = c->u;
    const uint8_t *at = *code;
    if (*at == WT_M_ADD && put_signed_sum(c, code))
        return;
    const struct wt_meaning_node node = wt_meaning_take(code);
    const bool wraps = u->mods & SM_WRAPS,
               shifts = node.op >= WT_M_SHL_OUT && node.op <= WT_M_SAR_OUT;
    if (node.op == WT_M_VCC && sm_bit(u->word, 42))
        PUT(c, WT_M_NOT);
    if (node.op < (enum wt_meaning_op)WT_M_LEAVES && !(c->listed >> node.op & 1)) {
        PUT(c, WT_M_K, node.op == WT_M_VCC ? 1 : 32, node.op == WT_M_VCC);
        return;
    }
    PUT(c, (uint8_t)(node.op - (shifts && wraps ? WT_M_SHL_OUT - WT_M_SHL : 0) +
                     (node.op == WT_M_SHR_OUT && u->mods & SM_SIGNED)));
    if (node.op == WT_M_LOGIC)
        PUT(c, table_of(u));
    if (node.op == WT_M_SHR_OUT && u->mods & SM_REVERSED)
        PUT(c, WT_M_REVERSE);
    for (unsigned i = 0; i < node.operands; i++)
        put_expression(c, code);
}

/* False: it is not said, or depends on what is no operand that has bits: a constant bank. */
static bool compose(const struct sm_uop *u, struct wt_insn_operands *o)
{
    const uint8_t *code = sm_rows[u->insn].meaning;
    struct sm_composer c = {.u = u, .out = {o->composed, o->composed + sizeof o->composed}};
    bool flags = false;
    if (*code == WT_M_END || (code[2] == WT_M_ADD && u->mods & (SM_EXTENDED | SM_SAT)) ||
        ((u->insn == SM_MOV || u->insn == SM_MOV32I) && u->how != 15))
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
    case SM_IADD32I:
    case SM_ISCADD:
    case SM_MOV32I:
        return WT_DOES_OTHER;
    /* Parts of words: it is not said which. */
    case SM_BFE:
    case SM_BFI:
    case SM_PRMT:
    case SM_SHF_L:
    case SM_SHF_L_I:
    case SM_SHF_R:
    case SM_SHF_R_I:
    case SM_P2R:
    case SM_R2P:
        return WT_DOES_UNTOLD;
    default:
        return *sm_rows[u->insn].meaning == WT_M_END ? WT_DOES_OTHER : WT_DOES_UNTOLD;
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
