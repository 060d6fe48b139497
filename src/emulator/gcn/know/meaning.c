/* What instructions do with their operands (machine/operands.h, enum wt_operation). */
#include <string.h>

#include "emulator/gcn/isa.h"
#include "emulator/gcn/know/operands.h"

struct meaning {
    uint8_t operation, then, flag;
    bool turned;
};

#define DOES(name, operation) [GCN_I_##name] = {WT_DOES_##operation, 0, 0, false}
#define TURNED(name, operation) [GCN_I_##name] = {WT_DOES_##operation, 0, 0, true}
#define FLAGS(name, operation, flag)                                                               \
    [GCN_I_##name] = {WT_DOES_##operation, 0, WT_FLAG_##flag, false}
#define THEN(name, operation, next) [GCN_I_##name] = {WT_DOES_##operation, WT_DOES_##next, 0, false}
#define BOTH(name, operation)                                                                      \
    FLAGS(name##_b32, operation, NOT_ZERO), FLAGS(name##_b64, operation, NOT_ZERO)

/* Manual, chapter 12: the instructions whose bits are exactly known. */
static const struct meaning meanings[GCN_INSNS] = {
    DOES(s_mov_b32, MOVE),
    DOES(s_mov_b64, MOVE),
    DOES(s_movk_i32, MOVE),
    DOES(v_mov_b32, MOVE),
    DOES(v_readfirstlane_b32, MOVE),
    DOES(v_readlane_b32, MOVE),
    DOES(v_writelane_b32, MOVE),
    DOES(ds_bpermute_b32, MOVE),
    DOES(ds_permute_b32, MOVE),
    DOES(ds_swizzle_b32, MOVE),
    BOTH(s_not, NOT),
    DOES(v_not_b32, NOT),
    BOTH(s_and, AND),
    BOTH(s_or, OR),
    BOTH(s_xor, XOR),
    BOTH(s_andn2, AND_NOT),
    BOTH(s_orn2, OR_NOT),
    BOTH(s_nand, NOT_AND),
    BOTH(s_nor, NOT_OR),
    BOTH(s_xnor, NOT_XOR),
    DOES(v_and_b32, AND),
    DOES(v_or_b32, OR),
    DOES(v_xor_b32, XOR),
    DOES(s_and_saveexec_b64, AND),
    DOES(s_or_saveexec_b64, OR),
    DOES(s_xor_saveexec_b64, XOR),
    DOES(s_andn2_saveexec_b64, AND_NOT),
    DOES(s_orn2_saveexec_b64, OR_NOT),
    DOES(s_nand_saveexec_b64, NOT_AND),
    DOES(s_nor_saveexec_b64, NOT_OR),
    DOES(s_xnor_saveexec_b64, NOT_XOR),
    BOTH(s_lshl, SHIFT_LEFT),
    BOTH(s_lshr, SHIFT_RIGHT),
    FLAGS(s_ashr_i32, SHIFT_SIGNED, NOT_ZERO),
    FLAGS(s_ashr_i64, SHIFT_SIGNED, NOT_ZERO),
    TURNED(v_lshlrev_b32, SHIFT_LEFT),
    TURNED(v_lshrrev_b32, SHIFT_RIGHT),
    TURNED(v_ashrrev_i32, SHIFT_SIGNED),
    TURNED(v_lshlrev_b64, SHIFT_LEFT),
    TURNED(v_lshrrev_b64, SHIFT_RIGHT),
    TURNED(v_ashrrev_i64, SHIFT_SIGNED),
    TURNED(v_lshlrev_b16, SHIFT_LEFT),
    TURNED(v_lshrrev_b16, SHIFT_RIGHT),
    FLAGS(s_add_u32, ADD, CARRY),
    FLAGS(s_sub_u32, SUBTRACT, CARRY),
    DOES(s_add_i32, ADD),
    DOES(s_sub_i32, SUBTRACT),
    DOES(s_addk_i32, ADD),
    FLAGS(s_addc_u32, ADD, CARRY),
    FLAGS(s_subb_u32, SUBTRACT, CARRY),
    DOES(v_add_u32, ADD),
    DOES(v_sub_u32, SUBTRACT),
    TURNED(v_subrev_u32, SUBTRACT),
    FLAGS(v_add_co_u32, ADD, CARRY),
    FLAGS(v_sub_co_u32, SUBTRACT, CARRY),
    [GCN_I_v_subrev_co_u32] = {WT_DOES_SUBTRACT, 0, WT_FLAG_CARRY, true},
    FLAGS(v_addc_co_u32, ADD, CARRY),
    FLAGS(v_subb_co_u32, SUBTRACT, CARRY),
    [GCN_I_v_subbrev_co_u32] = {WT_DOES_SUBTRACT, 0, WT_FLAG_CARRY, true},
    DOES(v_add_u16, ADD),
    DOES(v_sub_u16, SUBTRACT),
    TURNED(v_subrev_u16, SUBTRACT),
    DOES(v_add_i32, ADD),
    DOES(v_sub_i32, SUBTRACT),
    DOES(v_add_i16, ADD),
    DOES(v_sub_i16, SUBTRACT),
    DOES(s_mul_i32, MULTIPLY),
    DOES(s_mulk_i32, MULTIPLY),
    DOES(v_mul_lo_u32, MULTIPLY),
    DOES(v_mul_u32_u24, MULTIPLY),
    DOES(v_mul_i32_i24, MULTIPLY),
    DOES(v_mul_lo_u16, MULTIPLY),
    THEN(v_mad_u32_u24, MULTIPLY, ADD),
    THEN(v_mad_i32_i24, MULTIPLY, ADD),
    THEN(v_mad_u64_u32, MULTIPLY, ADD),
    THEN(v_mad_i64_i32, MULTIPLY, ADD),
    DOES(v_bfe_u32, EXTRACT),
    DOES(v_bfe_i32, EXTRACT_SIGNED),
    FLAGS(s_bfe_u32, FIELD, NOT_ZERO),
    FLAGS(s_bfe_u64, FIELD, NOT_ZERO),
    FLAGS(s_bfe_i32, FIELD_SIGNED, NOT_ZERO),
    FLAGS(s_bfe_i64, FIELD_SIGNED, NOT_ZERO),
    DOES(v_bfi_b32, INSERT),
    DOES(v_alignbit_b32, FUNNEL),
    DOES(v_alignbyte_b32, FUNNEL_BYTES),
    DOES(v_perm_b32, PERMUTE),
    DOES(v_cndmask_b32, SELECT),
    TURNED(s_cselect_b32, SELECT),
    TURNED(s_cselect_b64, SELECT),
    DOES(s_cmov_b32, SELECT),
    DOES(s_cmov_b64, SELECT),
    DOES(s_cmovk_i32, SELECT),
    THEN(v_lshl_add_u32, SHIFT_LEFT, ADD),
    THEN(v_add_lshl_u32, ADD, SHIFT_LEFT),
    THEN(v_add3_u32, ADD, ADD),
    THEN(v_lshl_or_b32, SHIFT_LEFT, OR),
    THEN(v_and_or_b32, AND, OR),
    THEN(v_or3_b32, OR, OR),
    THEN(v_xad_u32, XOR, ADD),
    DOES(s_cbranch_scc0, BRANCH),
    DOES(s_cbranch_scc1, BRANCH),
    DOES(s_cbranch_vccz, BRANCH),
    DOES(s_cbranch_vccnz, BRANCH),
    DOES(s_cbranch_execz, BRANCH),
    DOES(s_cbranch_execnz, BRANCH),
    DOES(s_setpc_b64, BRANCH),
    DOES(s_swappc_b64, BRANCH),
    /* Registers of the hardware */
    DOES(s_getreg_b32, WAIT),
    DOES(s_getpc_b64, WAIT),
};

/* v_cmp_lt_u32, s_cmpk_ge_i32, … */
static struct meaning comparison(const char *name)
{
    static const struct {
        char text[3];
        uint8_t operation;
    } all[] = {{"eq", WT_DOES_EQUAL},      {"ne", WT_DOES_NOT_EQUAL}, {"lg", WT_DOES_NOT_EQUAL},
               {"lt", WT_DOES_LESS},       {"gt", WT_DOES_GREATER},   {"ge", WT_DOES_NOT_LESS},
               {"le", WT_DOES_NOT_GREATER}};
    const char *how = strchr(strchr(name, '_') + 1, '_'), *type = how ? strrchr(name, '_') + 1 : "";
    for (size_t i = 0; how && i < sizeof all / sizeof *all; i++)
        if (strncmp(how + 1, all[i].text, 2) == 0 && how[3] == '_' && strchr("iu", *type)) {
            const bool is_signed = *type == 'i' && all[i].operation >= WT_DOES_LESS;
            return (struct meaning){(uint8_t)(all[i].operation + is_signed), 0, 0, false};
        }
    return (struct meaning){WT_DOES_OTHER, 0, 0, false};
}

static struct meaning of_memory(const struct gcn_uop *u)
{
    const char *letters = u->row->operands;
    const bool swaps = (strstr(u->row->name, "swap") && !strstr(u->row->name, "cmpswap")) ||
                       strstr(u->row->name, "wrxchg");
    uint8_t operation = WT_DOES_WAIT;
    switch (*letters) {
    case 'r':
        operation = letters[1] && strchr("fdisgq", letters[1]) ? WT_DOES_OTHER
                    : u->extend == 's'                         ? WT_DOES_LOAD_SIGNED
                                                               : WT_DOES_LOAD;
        break;
    case 'w':
        operation = WT_DOES_STORE;
        break;
    case 'a':
        operation = swaps ? WT_DOES_EXCHANGE : WT_DOES_ATOMIC;
        break;
    default:
        break;
    }
    return (struct meaning){operation, 0, 0, false};
}

/* Modifiers change what an instruction computes. */
static bool is_modified(const struct gcn_uop *u)
{
    const bool part = u->form == GCN_FORM_SDWA && u->sel[2] < 6 && u->unused != 2;
    return u->abs || u->neg || u->clamp || u->omod || part || (u->form == GCN_FORM_SDWA && u->sext);
}

void gcn_list_meaning(const struct gcn_uop *u, struct wt_insn_operands *o)
{
    const enum gcn_encoding encoding = (enum gcn_encoding)u->row->encoding;
    const size_t id = (size_t)(u->row - gcn_rows);
    struct meaning m = meanings[id];
    if (m.operation)
        ;
    else if (encoding == GCN_VOPC || encoding == GCN_SOPC || !strncmp(u->row->name, "s_cmpk", 6))
        m = comparison(u->row->name);
    else if (encoding == GCN_SMEM || encoding >= GCN_DS)
        m = of_memory(u);
    else if (encoding == GCN_SOPP)
        m.operation = WT_DOES_WAIT;
    if (encoding >= GCN_VOP2 && encoding <= GCN_VOP3P && is_modified(u))
        m = (struct meaning){WT_DOES_OTHER, 0, 0, false};
    o->operation = m.operation;
    o->then = m.then;
    o->flag = m.flag;
    o->turned = m.turned;
    if (encoding >= GCN_VOP2 && encoding <= GCN_VOP3P && *u->row->operands == 's')
        o->width = 16;
}
