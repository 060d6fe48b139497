/* What instructions of machine code do with their operands (machine/operands.h, enum
 * wt_operation), as far as the list has all of these: RZ and constant banks are no operands that
 * have bits. */
#include "emulator/machine/operands.h"
#include "emulator/sm/internal.h"
#include "emulator/sm/operands.h"

static unsigned field_of(const struct sm_uop *u, enum sm_field_id id)
{
    return sm_field_value(u->word, id);
}

/* Operands that are read for the value of the result. */
static unsigned count_sources(const struct wt_insn_operands *o)
{
    unsigned count = 0;
    for (unsigned i = 0; i < o->count; i++)
        count += o->list[i].reads && !o->list[i].aside && o->list[i].kind <= WT_OPERAND_CONSTANT;
    return count;
}

/* AND, OR, XOR of numbers that may be inverted; 3: the second one. */
static enum wt_operation logic(unsigned how, bool first, bool second, bool *turned)
{
    static const uint8_t plain[] = {WT_DOES_AND, WT_DOES_OR, WT_DOES_XOR},
                         one[] = {WT_DOES_AND_NOT, WT_DOES_OR_NOT, WT_DOES_NOT_XOR},
                         both[] = {WT_DOES_NOT_OR, WT_DOES_NOT_AND, WT_DOES_XOR};
    if (how == 3)
        return second ? WT_DOES_NOT : WT_DOES_MOVE;
    *turned = first && !second;
    return (enum wt_operation)(first && second ? both : first || second ? one : plain)[how];
}

static enum wt_operation sum(const struct sm_uop *u, bool *turned)
{
    const bool first = sm_bit(u->word, 49), second = sm_bit(u->word, 48);
    *turned = first && !second;
    return first && second                                    ? WT_DOES_OTHER
           : field_of(u, SM_F_x43) || field_of(u, SM_F_sat50) ? WT_DOES_OTHER
           : first || second                                  ? WT_DOES_SUBTRACT
                                                              : WT_DOES_ADD;
}

static enum wt_operation load(unsigned size)
{
    return size < 4 && size % 2 ? WT_DOES_LOAD_SIGNED : WT_DOES_LOAD;
}

static enum wt_operation meaning(const struct sm_uop *u, unsigned *sources, bool *turned)
{
    enum { EXCHANGES = 8 };
    const uint64_t word = u->word;
    *sources = 0;
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
    case SM_MOV:
        *sources = 1;
        return sm_bits(word, 39, 4) == 15 ? WT_DOES_MOVE : WT_DOES_UNTOLD;
    case SM_SEL:
        *sources = 3;
        *turned = !sm_bit(word, 42);
        return WT_DOES_SELECT;
    case SM_LOP:
        *sources = field_of(u, SM_F_lop41) == 3 ? 1 : 2;
        return logic(field_of(u, SM_F_lop41), sm_bit(word, 39), sm_bit(word, 40), turned);
    case SM_LOP32I:
        *sources = field_of(u, SM_F_lop53) == 3 ? 1 : 2;
        return logic(field_of(u, SM_F_lop53), sm_bit(word, 55), sm_bit(word, 56), turned);
    case SM_LOP3:
    case SM_LOP3_C:
    case SM_LOP3_I:
        *sources = 4;
        return WT_DOES_TABLE;
    case SM_IADD:
        *sources = 2;
        return sum(u, turned);
    case SM_SHL:
        *sources = 2;
        return field_of(u, SM_F_w39) ? WT_DOES_SHIFT_LEFT : WT_DOES_SHIFT_LEFT_OUT;
    case SM_SHR:
        *sources = 2;
        return field_of(u, SM_F_brev40) ? WT_DOES_UNTOLD
               : field_of(u, SM_F_w39)
                   ? (field_of(u, SM_F_u48) ? WT_DOES_SHIFT_SIGNED : WT_DOES_SHIFT_RIGHT)
               : field_of(u, SM_F_u48) ? WT_DOES_SHIFT_SIGNED_OUT
                                       : WT_DOES_SHIFT_RIGHT_OUT;
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
        return WT_DOES_OTHER;
    }
}

void sm_list_meaning(const struct sm_uop *u, struct wt_insn_operands *o)
{
    unsigned sources;
    bool turned = false;
    o->operation = (uint8_t)meaning(u, &sources, &turned);
    o->turned = turned;
    if (sources && o->operation != WT_DOES_OTHER && count_sources(o) != sources)
        o->operation = count_sources(o) ? WT_DOES_UNTOLD : WT_DOES_OTHER;
    for (unsigned i = 0; u->insn == SM_SHFL && i < o->count; i++) {
        struct wt_insn_operand *x = &o->list[i]; /* whether there is such a lane is a flag */
        x->pair = x->writes && x->by_lane ? 2 : x->writes || x->crosses ? 1 : 0;
    }
}
