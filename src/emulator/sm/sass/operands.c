/* The operands of an instruction of machine code, by its row (isa.def) and its fields. */
#include "emulator/sm/operands.h"

#include <string.h>

#include "emulator/machine/meaning.h"
#include "emulator/machine/operands.h"
#include "emulator/sm/ptx/image.h"
#include "emulator/sm/sass/image_form.h"

/* An instruction whose operands are being listed. */
struct sass_listing {
    struct wt_insn_operands *o;
    const struct sm_warp *w; /* that is about to execute it; NULL: none is known */
    struct sm_uop u;
    const char *reads, *writes; /* letters of its row's state */
    unsigned state_length;      /* length of `reads` */
    bool fields[SM_FIELDS];     /* that its mnemonic has */
    bool is_float, is_double, is_video;
    bool stores;    /* the operand at bit 0 is a source */
    unsigned bytes; /* that a lane accesses; 0: no memory, or as many as the components take */
    enum wt_operand_type type; /* type of the operand that is listed now */
};

static bool has(const struct sass_listing *l, enum sm_field_id id)
{
    return l->fields[id];
}

/* The value of a field; 0 where the row does not have it. */
static unsigned field(const struct sass_listing *l, enum sm_field_id id)
{
    return has(l, id) ? sm_field_value(l->u.word, id) : 0;
}

static bool is(const struct sass_listing *l, enum sm_insn insn)
{
    return l->u.insn == insn;
}

/* Any function of bits of three operands. */
static bool is_table(const struct sass_listing *l)
{
    return is(l, SM_LOP3) || is(l, SM_LOP3_C) || is(l, SM_LOP3_I);
}

static bool reads_state(const struct sass_listing *l, char letter)
{
    return memchr(l->reads, letter, l->state_length);
}

static bool writes_state(const struct sass_listing *l, char letter)
{
    return strchr(l->writes, letter);
}

/* ---- registers ---- */

/* Bits of a register in each lane. NULL: RZ. */
static struct wt_insn_operand *put_part(struct sass_listing *l, unsigned number, unsigned first,
                                        unsigned bits, bool writes)
{
    if (number >= SM_RZ)
        return NULL;
    return wt_operands_add(l->o,
                           (struct wt_insn_operand){.kind = WT_OPERAND_ROW,
                                                    .type = l->type,
                                                    .reads = !writes,
                                                    .writes = writes,
                                                    .keeps = writes && l->u.guard != 7 && !l->w,
                                                    .file = SM_FILE_R,
                                                    .first = (uint8_t)first,
                                                    .bits = (uint16_t)bits,
                                                    .step = 32,
                                                    .number = number * PTX_ROW_BYTES});
}

static struct wt_insn_operand *put_register(struct sass_listing *l, unsigned number, bool writes)
{
    return put_part(l, number, 0, 32, writes);
}

/* One or two registers; RZ stands for as many zeros. */
static void put_registers(struct sass_listing *l, unsigned number, unsigned count, bool writes)
{
    for (unsigned k = 0; number < SM_RZ && k < count; k++)
        put_register(l, number + k, writes);
}

static void put_aside(struct sass_listing *l, unsigned number, unsigned count)
{
    const unsigned first = l->o->count;
    l->type = WT_OPERAND_BITS;
    put_registers(l, number, count, false);
    for (unsigned i = first; i < l->o->count; i++)
        l->o->list[i].aside = true;
}

/* A register whose value in the lowest active lane counts for all, whether it executes or not. */
static void put_of_warp(struct sass_listing *l, unsigned number)
{
    struct wt_insn_operand *x = put_register(l, number, false);
    if (x)
        x->aside = x->crosses = true;
}

/* ---- predicates, the condition code, other state ---- */

static struct wt_insn_operand *put_flags(struct sass_listing *l, unsigned number, bool writes)
{
    return wt_operands_add(l->o,
                           (struct wt_insn_operand){.kind = WT_OPERAND_SCALAR,
                                                    .reads = !writes,
                                                    .writes = writes,
                                                    .keeps = writes && l->u.guard != 7 && !l->w,
                                                    .by_lane = true,
                                                    .file = SM_FILE_STATE,
                                                    .bits = 32,
                                                    .number = number});
}

static struct wt_insn_operand *put_predicate(struct sass_listing *l, unsigned number, bool writes)
{
    return number < 7 ? put_flags(l, 4 * number, writes) : NULL;
}

static void put_special(struct sass_listing *l, unsigned number, bool writes)
{
    wt_operands_add(l->o, (struct wt_insn_operand){.kind = WT_OPERAND_SCALAR,
                                                   .reads = !writes,
                                                   .writes = writes,
                                                   .aside = true,
                                                   .file = SM_FILE_SPECIAL,
                                                   .number = number});
}

static void put_condition_code(struct sass_listing *l, bool writes)
{
    for (unsigned i = 0; i < 4; i++) {
        struct wt_insn_operand *x = put_flags(l, SM_STATE_ZERO + 4 * i, writes);
        x->result = WT_RESULT_SECOND;
        x->width = 1;
    }
}

/* The flags on which a test of the condition code depends. */
static void put_test(struct sass_listing *l, unsigned test, bool aside)
{
    /* each combination of the four, in a lane of its own */
    static const uint32_t each[4] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};
    const uint32_t holds = sm_flags_hold(each[0], each[1], each[2], each[3], test);
    static const uint8_t leaves[4] = {WT_M_A, WT_M_B, WT_M_C, WT_M_FOURTH};
    for (unsigned i = 0; i < 4; i++)
        if ((holds ^ holds >> (1u << i)) & ~each[i] & 0xffff) {
            struct wt_insn_operand *x = put_flags(l, SM_STATE_ZERO + 4 * i, false);
            x->aside = aside;
            x->leaf = aside ? 0 : leaves[i];
        }
}

/* The value of a comparison that is always false (0) or always true (1); 2: it compares. */
static unsigned fixed_comparison(const struct sass_listing *l)
{
    static const struct {
        enum sm_field_id field;
        unsigned always;
    } fields[] = {{SM_F_icmp49, 7},
                  {SM_F_fcmp48, 15},
                  {SM_F_fcmpsel, 15},
                  {SM_F_vcmp54, 7},
                  {SM_F_vcmp43, 7}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (has(l, fields[i].field)) {
            const unsigned how = field(l, fields[i].field);
            return how == fields[i].always ? 1 : how ? 2 : 0;
        }
    return 2;
}

/* Which flags of the condition code go into the result, beside what the operands say. */
static void put_extension(struct sass_listing *l, bool sets_cc)
{
    const bool compares = has(l, SM_F_icmp49), logic = has(l, SM_F_lop41) || has(l, SM_F_lop53);
    const bool shifts = has(l, SM_F_w39), table = is_table(l);
    const bool extended = l->u.mods & SM_EXTENDED;
    if (compares && fixed_comparison(l) != 2)
        return;
    if (field(l, SM_F_xlo43) == 1 || (extended && !logic && !shifts && !table))
        put_flags(l, SM_STATE_CARRY, false)->leaf = WT_M_SCC;
    if (field(l, SM_F_xlo43) == 1 || (extended && !shifts && !table && (compares || sets_cc)))
        put_flags(l, SM_STATE_ZERO, false)->leaf = WT_M_FOURTH;
}

static void put_letters(struct sass_listing *l)
{
    static const struct {
        char letter;
        uint16_t number;
    } states[] = {{'p', SM_SPECIAL_PC},
                  {'c', SM_SPECIAL_STACK},
                  {'m', SM_SPECIAL_ACTIVE},
                  {'t', SM_SPECIAL_TRAP},
                  {'l', SM_SPECIAL_LOCAL}};
    /* A branch that no condition has moves all lanes. */
    const bool whole = has(l, SM_F_u7) && l->u.guard == 7 && sm_bits(l->u.word, 0, 5) == 15;
    for (size_t i = 0; i < (whole ? 1 : sizeof states / sizeof states[0]); i++) {
        if (writes_state(l, states[i].letter))
            put_special(l, states[i].number, true);
        if (reads_state(l, states[i].letter))
            put_special(l, states[i].number, false);
    }
    if (writes_state(l, 'b'))
        put_flags(l, SM_STATE_BARRIER, true)->by_lane = false;
    if (reads_state(l, 'b'))
        put_flags(l, SM_STATE_BARRIER, false)->by_lane = false;
}

/* ---- memory ---- */

static void put_memory(struct sass_listing *l, enum sm_file file, unsigned number, unsigned bytes,
                       int64_t offset, bool writes)
{
    wt_operands_add(l->o, (struct wt_insn_operand){.kind = WT_OPERAND_MEMORY,
                                                   .reads = !writes,
                                                   .writes = writes,
                                                   .file = (uint8_t)file,
                                                   .number = number,
                                                   .bits = (uint16_t)(8 * bytes),
                                                   .value = offset});
}

/* Lists the memory that the row's letters name, at an offset from the address. */
static void put_memories(struct sass_listing *l, unsigned bank, int64_t offset)
{
    static const char letters[] = "GESLCT";
    for (const char *at = letters; *at; at++) {
        const bool reads = reads_state(l, *at), writes = writes_state(l, *at);
        if (!reads && !writes)
            continue;
        put_memory(l, (enum sm_file)(SM_FILE_GLOBAL + (at - letters)), bank, l->bytes, offset,
                   writes);
        l->o->list[l->o->count - 1].reads = reads;
    }
}

static int64_t signed_bits(const struct sass_listing *l, unsigned pos, unsigned width)
{
    return wt_sign_extend(sm_bits(l->u.word, pos, width), width);
}

/* [RA + offset], or a place in a constant bank. */
static void put_address(struct sass_listing *l, const struct sm_item *item)
{
    const bool wide = field(l, SM_F_e45) || field(l, SM_F_e48) || field(l, SM_F_e52);
    if (item->what == 'k') {
        put_aside(l, l->u.a, 1);
        put_memories(l, (unsigned)sm_bits(l->u.word, 36, 5), signed_bits(l, 20, 16));
        return;
    }
    if (reads_state(l, 'n')) /* CCTL, CCTLL */
        return;
    put_aside(l, l->u.a, wide ? 2 : 1);
    put_memories(l, 0,
                 signed_bits(l, item->pos, item->width) *
                     (has(l, SM_F_atoms52) || has(l, SM_F_cas53) ? 4 : 1));
}

static unsigned bytes_of_size(unsigned size)
{
    static const uint8_t bytes[] = {1, 1, 2, 2, 4, 8, 16, 16};
    return bytes[size & 7];
}

/* Bytes that a lane of the row accesses. */
static unsigned accessed(const struct sass_listing *l)
{
    static const enum sm_field_id sizes[] = {SM_F_gsize48, SM_F_size48, SM_F_csize48, SM_F_size53,
                                             SM_F_lds48};
    static const enum sm_field_id types[] = {SM_F_aty49, SM_F_redty20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (has(l, sizes[i]))
            return bytes_of_size(field(l, sizes[i]));
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (has(l, types[i])) /* U64, S64, F64 */
            return 0x64 >> field(l, types[i]) & 1 ? 8 : 4;
    if (has(l, SM_F_asty28))
        return field(l, SM_F_asty28) >= 2 ? 8 : 4;
    if (has(l, SM_F_casz49) || has(l, SM_F_casz52))
        return field(l, SM_F_casz49) || field(l, SM_F_casz52) ? 8 : 4;
    return 0;
}

/* ---- types ---- */

static enum wt_operand_type signed_if(bool has_sign)
{
    return has_sign ? WT_OPERAND_SIGNED : WT_OPERAND_UNSIGNED;
}

static enum wt_operand_type type_in_memory(const struct sass_listing *l)
{
    static const enum wt_operand_type types[] = {
        WT_OPERAND_UNSIGNED, WT_OPERAND_SIGNED, WT_OPERAND_UNSIGNED, WT_OPERAND_FLOAT,
        WT_OPERAND_FLOAT,    WT_OPERAND_SIGNED, WT_OPERAND_FLOAT,    WT_OPERAND_BITS};
    if (has(l, SM_F_aty49) || has(l, SM_F_redty20))
        return types[has(l, SM_F_aty49) ? field(l, SM_F_aty49) : field(l, SM_F_redty20)];
    if (has(l, SM_F_asty28))
        return signed_if(field(l, SM_F_asty28) & 1);
    const unsigned size = field(l, SM_F_gsize48) | field(l, SM_F_size48) | field(l, SM_F_csize48) |
                          field(l, SM_F_size53) | (field(l, SM_F_lds48) & 7);
    return l->bytes < 4 ? signed_if(size & 1) : WT_OPERAND_BITS;
}

/* Of an operand by its letter. */
static enum wt_operand_type type_of(const struct sass_listing *l, char what)
{
    static const enum sm_field_id products[] = {SM_F_imul40, SM_F_imul54, SM_F_imad48, SM_F_xty48};
    const bool a = what == 'a', b = strchr("bfgvr", what);
    const enum sm_field_id whole = what == 'd' ? SM_F_idst : SM_F_isrc;
    if (l->bytes)
        return type_in_memory(l);
    if (has(l, SM_F_isrc) || has(l, SM_F_fsrc))
        return has(l, whole) ? signed_if(field(l, whole) & 4) : WT_OPERAND_FLOAT;
    if (has(l, SM_F_v4u48))
        return a || b ? signed_if(field(l, a ? SM_F_v4u48 : SM_F_v4u49)) : WT_OPERAND_BITS;
    if (l->is_video)
        return a || b ? signed_if(sm_video_signed(l->u.word, b)) : WT_OPERAND_BITS;
    for (size_t i = 0; (a || b) && i < sizeof products / sizeof products[0]; i++)
        if (has(l, products[i]))
            return signed_if(field(l, products[i]) & (a ? 1 : 2));
    if (l->is_float || l->is_double)
        return what == 'd' && (has(l, SM_F_bf44) || has(l, SM_F_bf52)) ? WT_OPERAND_BITS
                                                                       : WT_OPERAND_FLOAT;
    return has(l, SM_F_u48) ? signed_if(field(l, SM_F_u48)) : WT_OPERAND_BITS;
}

/* ---- operands by their letters ---- */

static unsigned words(bool wide)
{
    return wide ? 2 : 1;
}

/* Whether an operand is a pair of registers: doubles, and integers of 64 bits in conversions. */
static bool is_wide(const struct sass_listing *l, char what)
{
    if (what == 'd')
        return (l->is_double && !has(l, SM_F_bf52)) || field(l, SM_F_fdst) == 3 ||
               (has(l, SM_F_idst) && field(l, SM_F_idst) % 4 == 3);
    return l->u.mods & SM_WIDE;
}

/* The operand at bit 0. */
static void put_first(struct sass_listing *l)
{
    if (l->bytes) {
        const bool narrow = l->stores && l->bytes < 4;
        if (narrow)
            put_part(l, l->u.d, 0, 8 * l->bytes, false);
        else
            put_registers(l, l->u.d, l->bytes < 4 ? 1 : l->bytes / 4, !l->stores);
        return;
    }
    put_registers(l, l->u.d, words(is_wide(l, 'd')), !l->stores);
    if ((is(l, SM_MOV) || is(l, SM_MOV32I)) && l->u.how != 15)
        put_register(l, l->u.d, false); /* bytes that its mask leaves out */
}

static void put_constant(struct sass_listing *l, unsigned bank, unsigned offset, bool wide)
{
    put_memory(l, SM_FILE_CONSTANT, bank, wide ? 8 : 4, offset, false);
}

/* The part of a register that a field behind the operand chooses. */
static void choose_part(const struct sass_listing *l, const struct sm_item *item, unsigned *first,
                        unsigned *bits)
{
    const unsigned part = item->has_part ? sm_field_value(l->u.word, item->part) : 0;
    *first = 0;
    *bits = 32;
    if (!item->has_part)
        return;
    switch (item->part) {
    case SM_F_i3h35:
    case SM_F_i3h33:
    case SM_F_i3h31:
        *bits = part ? 16 : 32;
        *first = part == 2 ? 16 : 0;
        return;
    case SM_F_h53:
    case SM_F_h52:
    case SM_F_h35: /* XMAD: .CBCC and .MRG take the lower half of B, too */
        *bits = 16;
        *first = 16 * part;
        if (item->part != SM_F_h53 &&
            (field(l, SM_F_xm50) == 4 || field(l, SM_F_mrg37) || field(l, SM_F_mrg56))) {
            *bits += *first;
            *first = 0;
        }
        return;
    case SM_F_h41:
        *bits = field(l, SM_F_fsrc) == 1 ? 16 : 32;
        *first = *bits == 16 ? 16 * part : 0;
        return;
    case SM_F_part41:
        if (has(l, SM_F_isrc)) {
            const unsigned log = field(l, SM_F_isrc) & 3;
            *bits = log < 2 ? 8u << log : 32;
            *first = log == 0 ? 8 * part : log == 1 ? 16 * (part >> 1) : 0;
        } else { /* R2P */
            *bits = 8;
            *first = 8 * part;
        }
        return;
    case SM_F_part36:
    case SM_F_part28: {
        const enum sm_video_size size = sm_video_size(l->u.word, item->part == SM_F_part28);
        *bits = size == SM_VIDEO_BYTE ? 8 : size == SM_VIDEO_HALF ? 16 : 32;
        *first = size == SM_VIDEO_BYTE   ? 8 * part
                 : size == SM_VIDEO_HALF ? 16 * (part - SM_VIDEO_HALF)
                                         : 0;
        return;
    }
    default:
        return;
    }
}

/* Whether the truth table of LOP3 does not depend on an operand. */
static bool is_out_of_table(const struct sass_listing *l, char what)
{
    const unsigned table = l->u.how;
    return what == 'a'   ? !((table ^ table >> 4) & 0x0f)
           : what == 'b' ? !((table ^ table >> 2) & 0x33)
                         : !((table ^ table >> 1) & 0x55);
}

/* Whether the instruction does not use operand A, B or C of its row, for its fields say so. */
static bool is_unused(const struct sass_listing *l, char what)
{
    const unsigned fixed = fixed_comparison(l);
    if (is(l, SM_ICMP) || is(l, SM_FCMP)) /* C is compared with 0, and chooses A or B */
        return what == 'a' ? fixed == 0 : what == 'b' ? fixed == 1 : fixed != 2;
    if (fixed != 2 && what != 'c')
        return true;
    if (is_table(l))
        return is_out_of_table(l, what);
    if (is(l, SM_SEL) && sm_bits(l->u.word, 39, 3) == 7)
        return what == (sm_bit(l->u.word, 42) ? 'a' : 'b');
    switch (what) {
    case 'a':
        return field(l, SM_F_lop41) == 3 || field(l, SM_F_lop53) == 3; /* PASS_B */
    case 'c':
        return field(l, SM_F_vmode51) == 7 || /* the result goes to D as it is */
               (has(l, SM_F_acc53) && !field(l, SM_F_acc53)) ||
               field(l, SM_F_prmt48) >= 3; /* bytes of A alone */
    default:
        return false;
    }
}

static void put_source(struct sass_listing *l, unsigned number, const struct sm_item *item)
{
    unsigned first, bits;
    const bool wide = is_wide(l, item->what);
    choose_part(l, item, &first, &bits);
    if (wide)
        put_registers(l, number, 2, false);
    else
        put_part(l, number, first, bits, false);
}

/* Operand B by its form. */
static void put_b(struct sass_listing *l, const struct sm_item *item)
{
    if (is_unused(l, 'b'))
        return;
    switch ((enum sm_form)l->u.form) {
    case SM_FORM_C:
        put_constant(l, l->u.bank, l->u.offset, is_wide(l, item->what));
        break;
    case SM_FORM_I:
        wt_operands_add_constant(l->o, item->what == 'f'   ? (int64_t)(uint32_t)l->u.immediate
                                       : item->what == 'g' ? (int64_t)l->u.immediate
                                                           : (int32_t)l->u.immediate);
        break;
    default:
        if (l->bytes) /* an atomic's */
            put_registers(l, l->u.b, l->bytes / 4, false);
        else
            put_source(l, l->u.b, item);
        break;
    }
}

static void put_c(struct sass_listing *l, const struct sm_item *item)
{
    const unsigned mode = has(l, SM_F_xm50) ? field(l, SM_F_xm50) : field(l, SM_F_xmc50);
    if (is_unused(l, 'c'))
        return;
    if (l->u.form == SM_FORM_RC)
        put_constant(l, l->u.bank, l->u.offset, l->is_double);
    else if (mode == 1 || mode == 2) /* .CLO, .CHI */
        put_part(l, l->u.c, mode == 2 ? 16 : 0, 16, false);
    else
        put_source(l, l->u.c, item);
}

/* P2R and R2P: the predicates, or flags, of which the mask may have the bit. */
static void put_flag_list(struct sass_listing *l, bool writes)
{
    const unsigned mask = l->u.form == SM_FORM_I ? (unsigned)l->u.immediate : 0xff;
    const unsigned count = field(l, SM_F_pr40) ? 4 : 7;
    const unsigned first = field(l, SM_F_pr40) ? SM_STATE_ZERO : 0;
    for (unsigned i = 0; i < count; i++)
        if (mask >> i & 1) { /* a mask in a register may leave it as it is */
            struct wt_insn_operand *x = put_flags(l, first + 4 * i, writes);
            x->reads |= l->u.form != SM_FORM_I;
            x->leaf = !x->reads ? 0 : writes ? WT_M_OLD : WT_M_C;
            x->result = writes ? WT_RESULT_MASK : 0;
            x->width = 1;
        }
}

static void put_predicate_operand(struct sass_listing *l, const struct sm_item *item)
{
    const unsigned number = (unsigned)sm_bits(l->u.word, item->pos, 3);
    struct wt_insn_operand *x;
    if (item->inv != SM_NO_BIT) {
        x = put_predicate(l, number, false);
        if (x) /* VOTE and BAR.RED count the lanes */
            x->crosses = has(l, SM_F_vote48) || has(l, SM_F_barop35);
        return;
    }
    if (item->pos == 58) /* LD's and ST's has no effect here */
        return;
    if ((has(l, SM_F_lopz44) && !field(l, SM_F_lopz44)) ||
        (has(l, SM_F_lopz36) && !field(l, SM_F_lopz36)))
        return;
    put_predicate(l, number, true);
}

/* An operand of SHFL: the number of the lane ('h'), or the bound and segment mask ('H'). */
static void put_lane_choice(struct sass_listing *l, char what)
{
    if (sm_bit(l->u.word, what == 'h' ? 28 : 29))
        wt_operands_add_constant(
            l->o, (int64_t)(what == 'h' ? sm_bits(l->u.word, 20, 5) : sm_bits(l->u.word, 34, 13)));
    else
        put_aside(l, (unsigned)sm_bits(l->u.word, what == 'h' ? 20 : 39, 8), 1);
}

/* The number of a barrier, or how many threads. */
static void put_barrier(struct sass_listing *l, char what)
{
    if (sm_bit(l->u.word, what == 'y' ? 44 : 43))
        wt_operands_add_constant(
            l->o, (int64_t)(what == 'y' ? sm_bits(l->u.word, 8, 8) : sm_bits(l->u.word, 20, 12)));
    else
        put_of_warp(l, what == 'y' ? l->u.a : l->u.b);
}

/* Where a branch leads: relative, or from constant memory. */
static void put_target(struct sass_listing *l)
{
    if (sm_bit(l->u.word, 5))
        put_constant(l, (unsigned)sm_bits(l->u.word, 36, 5), (unsigned)sm_bits(l->u.word, 20, 16),
                     false);
    else
        wt_operands_add_constant(l->o, signed_bits(l, 20, 24));
}

/* The leaf or the result that an operand is in the meaning of the row. */
static void name_in_meaning(const struct sass_listing *l, const struct sm_item *item,
                            struct wt_insn_operand *x)
{
    const char what = item->what;
    if (x->writes)
        x->result = what == 'd' ? WT_RESULT_D : item->pos == 0 ? WT_RESULT_SCC : WT_RESULT_MASK;
    else if (!x->aside && !x->leaf && x->kind <= WT_OPERAND_CONSTANT)
        x->leaf = what == 'a'                       ? WT_M_A
                  : what == 'd'                     ? WT_M_OLD
                  : what == 'p' && item->pos == 12  ? WT_M_A
                  : what == 'p' && item->pos == 39  ? WT_M_VCC
                  : what == 'u' && item->width == 5 ? WT_M_OFFSET /* a shift */
                  : what == 'u' && item->pos != 20  ? 0           /* a table, a mask */
                  : what == 'c'                     ? WT_M_C
                                                    : WT_M_B;
    if (x->kind == WT_OPERAND_CONSTANT)
        x->width = 32;
}

static void put_operand(struct sass_listing *l, const struct sm_item *item)
{
    const uint64_t word = l->u.word;
    l->type = type_of(l, item->what);
    switch (item->what) {
    case 'd':
        put_first(l);
        return;
    case 'D':
        put_register(l, l->u.d, false);
        return;
    case 'a':
        if (is(l, SM_SETCRSPTR) || is(l, SM_SETLMEMBASE))
            put_of_warp(l, l->u.a);
        else if (!is_unused(l, 'a')) {
            const unsigned first = l->o->count;
            put_source(l, l->u.a, item);
            for (unsigned i = first; i < l->o->count; i++)
                l->o->list[i].crosses = has(l, SM_F_shfl30);
        }
        return;
    case 'b':
    case 'n':
    case 'f':
    case 'g':
        put_b(l, item);
        return;
    case 'B':
        put_registers(l, l->u.b == SM_RZ ? SM_RZ : l->u.b + l->bytes / 4, l->bytes / 4, false);
        return;
    case 'c':
        put_c(l, item);
        return;
    case 'v':
        if (is_unused(l, 'b'))
            return;
        if (sm_bit(word, 50))
            put_source(l, (unsigned)sm_bits(word, 20, 8), item);
        else
            wt_operands_add_constant(l->o, sm_video_signed(word, true)
                                               ? signed_bits(l, 20, 16)
                                               : (int64_t)sm_bits(word, 20, 16));
        return;
    case 'r':
        put_register(l, (unsigned)sm_bits(word, 20, 8), false);
        return;
    case 'p':
        put_predicate_operand(l, item);
        return;
    case 'm':
    case 'k':
        put_address(l, item);
        return;
    case 'F':
        wt_operands_add_constant(l->o, (int64_t)sm_bits(word, 20, 32));
        return;
    case 'u':
        if (!item->optional || sm_bits(word, item->pos, item->width) != item->fallback)
            wt_operands_add_constant(l->o, (int64_t)sm_bits(word, item->pos, item->width));
        return;
    case 's':
        wt_operands_add_constant(l->o, signed_bits(l, item->pos, item->width));
        return;
    case 't':
    case 'K':
        put_target(l);
        return;
    case 'w':
    case 'W':
        put_aside(l, l->u.a, 1);
        wt_operands_add_constant(l->o, signed_bits(l, 20, item->what == 'w' ? 24 : 32));
        return;
    case 'x':
        put_test(l, (unsigned)sm_bits(word, 0, 5), true);
        return;
    case 'S':
        put_special(l, (unsigned)sm_bits(word, 20, 8), false);
        if (sm_bits(word, 20, 8) == 0x43) /* it clears what it reads */
            put_special(l, 0x42, true);
        return;
    case 'h':
    case 'H':
        put_lane_choice(l, item->what);
        return;
    case 'y':
    case 'z':
        put_barrier(l, item->what);
        return;
    case '\'':
        if (has(l, SM_F_ccop8))
            put_test(l, field(l, SM_F_ccop8), false);
        return;
    default: /* fields, FSWZADD's signs, DEPBAR's list: part of the instruction */
        return;
    }
}

/* ---- textures and surfaces ---- */

static void put_image(struct sass_listing *l)
{
    const struct sm_image_operands o =
        has(l, SM_F_sudim33) ? sm_surface_operands(&l->u) : sm_texture_operands(&l->u);
    for (unsigned i = 0; i < o.values; i++)
        put_part(l, o.value[i], 0, l->stores ? o.bits : 32, !l->stores);
    for (unsigned i = 0; i < o.places; i++)
        put_aside(l, o.place[i], 1);
    if (o.bound)
        put_constant(l, 0, (unsigned)sm_bits(l->u.word, 36, 13) * 4, false);
    put_memories(l, 0, 0);
}

/* SULD.D copies the bytes of texels; of other loads it is not told how results come from them. */
static void tell_image(struct sass_listing *l)
{
    const bool is_surface = has(l, SM_F_sudim33);
    struct sm_surface_form f = {.components = 1};
    if (l->stores)
        return;
    if (is_surface)
        f = sm_surface_form_of(&l->u);
    l->o->operation = f.components  ? WT_DOES_UNTOLD
                      : f.is_signed ? WT_DOES_LOAD_SIGNED
                                    : WT_DOES_LOAD;
    l->o->element = f.components ? 0 : f.size < 4 ? (uint8_t)f.size : 4;
    for (unsigned i = 0; i < l->o->count && l->o->list[i].writes; i++)
        l->o->list[i].value = 4 * (int64_t)i;
}

/* ---- the list ---- */

/* Reads the row's text: fields of the mnemonic, what the operands are. */
static void survey(struct sass_listing *l, const char *at, bool *condition_code)
{
    bool in_operands = false, memory = false;
    for (;;) {
        const struct sm_item item = sm_item_next(&at, &in_operands);
        if (item.kind == SM_ITEM_END)
            return;
        l->is_video |= item.kind == SM_ITEM_TYPES;
        if (item.kind == SM_ITEM_FIELD || item.what == '[')
            l->fields[item.field] = true;
        if (item.kind != SM_ITEM_OPERAND)
            continue;
        l->is_float |= strchr("fFZ", item.what) || (item.what == 'a' && item.abs != SM_NO_BIT);
        l->is_double |= item.what == 'g';
        memory |= item.what == 'm' || item.what == 'A';
        l->stores |= item.what == 'd' && memory;
        *condition_code |= item.what == 'd' && item.cc != SM_NO_BIT && sm_bit(l->u.word, item.cc);
    }
}

bool sm_operands(const struct sm_warp *w, uint64_t word, struct wt_insn_operands *o)
{
    struct sass_listing l = {.o = o, .w = w};
    bool condition_code = false, in_operands = false;
    *o = (struct wt_insn_operands){0};
    if (!sm_decode_uop(word, &l.u))
        return false;
    const struct sm_row *row = &sm_rows[l.u.insn];
    const char *at = row->text + (row->text[0] == '!'), *colon = strchr(row->state, ':');
    l.reads = row->state;
    l.state_length = (unsigned)(colon ? (size_t)(colon - row->state) : strlen(row->state));
    l.writes = colon ? colon + 1 : "";
    survey(&l, at, &condition_code);
    l.bytes = accessed(&l);
    if (w && l.u.guard != 7) {
        o->indirect = o->exact = o->steady = true;
        o->enabled = sm_lanes_of(w, &l.u);
    }
    const bool is_image = reads_state(&l, 'T') || writes_state(&l, 'T');
    if (is_image) {
        put_image(&l);
    } else {
        if (has(&l, SM_F_pr40) && is(&l, SM_R2P))
            put_flag_list(&l, true);
        for (struct sm_item item; (item = sm_item_next(&at, &in_operands)).kind != SM_ITEM_END;)
            if (item.kind == SM_ITEM_OPERAND) {
                const unsigned first = o->count;
                put_operand(&l, &item);
                for (unsigned i = first; i < o->count; i++)
                    name_in_meaning(&l, &item, &o->list[i]);
            }
        if (has(&l, SM_F_pr40) && is(&l, SM_P2R))
            put_flag_list(&l, false);
    }
    if (condition_code)
        put_condition_code(&l, true);
    put_extension(&l, condition_code);
    put_letters(&l);
    o->any_lane = writes_state(&l, 'b');
    o->incomplete = is(&l, SM_BAR_RED); /* other warps have a part in its result */
    sm_list_meaning(&l.u, o);
    if (is_image)
        tell_image(&l);
    struct wt_insn_operand *guard =
        l.u.guard % 8 == 7 ? NULL : put_predicate(&l, l.u.guard % 8, false);
    if (guard) {
        guard->aside = guard->crosses = guard->guards = true; /* it says which lanes are enabled */
        guard->inverted = l.u.guard >= 8;
    }
    return true;
}
