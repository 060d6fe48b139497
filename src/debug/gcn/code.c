/*
 * Decodes instructions as far as breakpoints and steps need it: their length, and their
 * effect on the PC (AMD, "Vega" and "RDNA 2" Instruction Set Architecture, chapter 12:
 * formats).
 */
#include "debug/gcn/internal.h"

#include <string.h>

#include "base/bits.h"

#define S_TRAP_1 0xbf920001u

/* Source operands that announce another dword: a literal constant, or (for VOP1, VOP2, VOPC) SDWA
 * or DPP, from gfx10 on DPP8, too. */
enum { SOURCE_DPP8 = 233, SOURCE_SDWA = 249, SOURCE_DPP = 250, SOURCE_LITERAL = 255 };

enum {
    SOPP_ENDPGM = 1,
    SOPP_BRANCH = 2,
    SOPP_CBRANCH_FIRST = 4,
    SOPP_CBRANCH_LAST = 9,
    SOPP_BARRIER = 10,
    SOPP_TRAP = 18,
    SOPP_CBRANCH_CDBG_FIRST = 23,
    SOPP_CBRANCH_CDBG_LAST = 26,
    SOPP_ENDPGM_SAVED = 27,
    SOPP_ENDPGM_ORDERED = 30,
    RETURN_ADDRESS = 30, /* s[30:31] (LLVM, "User Guide for AMDGPU Backend": calling convention) */
    MIMG = 0x3c,
    NONE = 0xff,
};

const struct gcnp_codes gcnp_codes_gfx9 = {
    .s_mov_b32 = 0,
    .s_mov_b64 = 1,
    .s_getpc = 28,
    .s_setpc = 29,
    .s_swappc = 30,
    .s_rfe = 31,
    .s_cbranch_join = 46,
    .s_or_saveexec = {33, NONE},
    .s_addk = 14,
    .s_call = 21,
    .s_setreg_imm32 = 20,
    .branch_k = {16, 16},
    .s_cbranch_g_fork = 0x29,
    .sop2_narrow = 12,
    .sop1_narrow = {0, 2, 8},
    .sop1_narrow_from = NONE,
    .vop2_constant = {23, 24, 36, 37},
    /* Conversions, rounding, reciprocals and roots, frexp_mant, fract. */
    .vop1_wide = {4, 16, 22, 23, 24, 25, 26, 37, 38, 40, 49, 50},
    .vop1_any = {81}, /* v_swap_b32: its source, too */
    /* fma, div_fixup, div_scale, div_fmas of doubles, v_mad_u64_u32, v_mad_i64_i32, arithmetic and
     * shifts of 64 bits. */
    .vop3_wide = {0x1cc, 0x1df, 0x1e1, 0x1e3, 0x1e8, 0x1e9, 0x280, 0x281, 0x282, 0x283, 0x284,
                  0x28f, 0x290, 0x291},
    .vop3_quad = {0x1e5, 0x1e6, 0x1e7}, /* v_qsad_pk_u16_u8, v_mqsad_pk_u16_u8, v_mqsad_u32_u8 */
    .vop3_vop1 = 0x140,
    .v_readlane = 0x289,
    .v_writelane = 0x28a,
    .vop3 = 0x34,
    .smem = 0x30,
    .vintrp = 0x35,
    .load_dword = 20,
    .load_first = 16,
    .load_atomic = 64,
    .no_saddr = 0x7f,
    .offset_bits = 13,
};

const struct gcnp_codes gcnp_codes_gfx10 = {
    .s_mov_b32 = 3,
    .s_mov_b64 = 4,
    .s_getpc = 31,
    .s_setpc = 32,
    .s_swappc = 33,
    .s_rfe = 34,
    .s_cbranch_join = NONE,
    .s_or_saveexec = {0x25, 0x3d},
    .s_addk = 15,
    .s_call = 22,
    .s_setreg_imm32 = 21,
    .branch_k = {27, 28}, /* s_subvector_loop_begin and its end */
    .s_cbranch_g_fork = NONE,
    .sop2_narrow = 14,
    .sop1_narrow = {3, 5, 11},
    .sop1_narrow_from = 0x3c, /* those of EXEC in waves of 32 lanes */
    .sop1_narrow_to = 0x47,
    .vop2_constant = {0x2c, 0x2d, 0x37, 0x38},
    .vop1_wide = {4, 0x10, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x2f, 0x31, 0x34, 0x3d, 0x3e},
    .vop1_any = {0x42, 0x44, 0x48, 0x65}, /* v_movreld_b32, v_movrelsd_b32 and _2, v_swap_b32 */
    .vop3_wide = {0x14c, 0x160, 0x164, 0x165, 0x166, 0x167, 0x168, 0x16e, 0x170, 0x174, 0x176,
                  0x177, 0x2ff, 0x300, 0x301},
    .vop3_quad = {0x172, 0x173, 0x175},
    .vop3_vop1 = 0x180,
    .v_readlane = 0x360,
    .v_writelane = 0x361,
    .vop3 = 0x35,
    .smem = 0x3d,
    .vintrp = 0x32,
    .load_dword = 12,
    .load_first = 8,
    .load_atomic = 0x30,
    .no_saddr = 0x7d,
    .offset_bits = 12,
};

static enum wt_instruction_kind sopp_kind(uint32_t op)
{
    if (op == SOPP_ENDPGM || op == SOPP_ENDPGM_SAVED || op == SOPP_ENDPGM_ORDERED)
        return WT_INSTRUCTION_END;
    if (op == SOPP_BRANCH || (op >= SOPP_CBRANCH_FIRST && op <= SOPP_CBRANCH_LAST) ||
        (op >= SOPP_CBRANCH_CDBG_FIRST && op <= SOPP_CBRANCH_CDBG_LAST))
        return WT_INSTRUCTION_BRANCH;
    if (op == SOPP_BARRIER)
        return WT_INSTRUCTION_BARRIER;
    return op == SOPP_TRAP ? WT_INSTRUCTION_TRAP : WT_INSTRUCTION_PLAIN;
}

static enum wt_instruction_kind sop1_kind(const struct gcnp_codes *c, uint32_t op, uint32_t source)
{
    if (op == c->s_swappc)
        return WT_INSTRUCTION_CALL;
    if (op == c->s_setpc)
        return source == RETURN_ADDRESS ? WT_INSTRUCTION_RETURN : WT_INSTRUCTION_BRANCH;
    return op == c->s_rfe || op == c->s_cbranch_join ? WT_INSTRUCTION_BRANCH : WT_INSTRUCTION_PLAIN;
}

/* Scalar formats: bits 31:30 are 10. */
static void decode_scalar(const struct gcnp_codes *c, uint32_t word, struct wt_instruction *in)
{
    const uint32_t first = word & 0xff, second = word >> 8 & 0xff;
    bool literal = false;
    if (word >> 23 == 0x17f) {
        in->kind = sopp_kind(word >> 16 & 0x7f);
    } else if (word >> 23 == 0x17e) { /* SOPC */
        literal = first == SOURCE_LITERAL || second == SOURCE_LITERAL;
    } else if (word >> 23 == 0x17d) {
        in->kind = sop1_kind(c, second, first);
        literal = first == SOURCE_LITERAL;
    } else if (word >> 28 == 0xb) {
        const uint32_t op = word >> 23 & 0x1f;
        literal = op == c->s_setreg_imm32;
        if (op == c->s_call)
            in->kind = WT_INSTRUCTION_CALL;
        else if (op >= c->branch_k[0] && op <= c->branch_k[1])
            in->kind = WT_INSTRUCTION_BRANCH;
    } else { /* SOP2 */
        literal = first == SOURCE_LITERAL || second == SOURCE_LITERAL;
        if ((word >> 23 & 0x7f) == c->s_cbranch_g_fork)
            in->kind = WT_INSTRUCTION_BRANCH;
    }
    if (literal)
        in->length = 8;
}

/* VOP1, VOP2, VOPC: bit 31 is 0. */
static unsigned vector_length(const struct gcnp_codes *c, uint32_t word)
{
    const uint32_t source = word & 0x1ff, op = word >> 25;
    const bool eight = c == &gcnp_codes_gfx10 && source - SOURCE_DPP8 < 2;
    const bool more = source == SOURCE_LITERAL || source == SOURCE_SDWA || source == SOURCE_DPP;
    return more || eight || memchr(c->vop2_constant, (int)op, sizeof c->vop2_constant) ? 8 : 4;
}

/* Instructions of gfx10 with three dwords or more: VOP3 and VOP3P with a literal, MIMG with up to
 * three dwords of addresses that do not follow each other. */
static unsigned long_length(uint32_t word, uint32_t second)
{
    const unsigned format = word >> 26;
    if (format == MIMG)
        return 8 + 4 * (word >> 1 & 3);
    const bool literal = (second & 0x1ff) == SOURCE_LITERAL ||
                         (second >> 9 & 0x1ff) == SOURCE_LITERAL ||
                         (second >> 18 & 0x1ff) == SOURCE_LITERAL;
    return literal && (format == gcnp_codes_gfx10.vop3 || word >> 23 == 0x198) ? 12 : 8;
}

void gcnp_decode_instruction(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                             struct wt_instruction *in)
{
    const uint32_t word = (uint32_t)wt_load_le(window->bytes, 4);
    const struct gcnp_codes *c = p->codes;
    *in = (struct wt_instruction){.length = 4, .written = -1};
    if (!(word >> 31))
        in->length = vector_length(c, word);
    else if (word >> 30 == 2)
        decode_scalar(c, word, in);
    else if (word >> 26 != c->vintrp) /* has one dword, all others two or more */
        in->length =
            p->is_gfx10 ? long_length(word, (uint32_t)wt_load_le(window->bytes + 4, 4)) : 8;
}

void gcnp_patch(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                struct wt_patch *patch)
{
    *patch = (struct wt_patch){.addr = addr, .size = 4};
    wt_store_le(patch->bytes, S_TRAP_1, 4);
    memset(patch->mask, 0xff, 4);
}
