/*
 * Decodes instructions of GCN5 as far as breakpoints and steps need it: their length, and their
 * effect on the PC (AMD, "Vega" Instruction Set Architecture, chapter 12: formats).
 */
#include "debug/gcn/internal.h"

#include <string.h>

#include "base/bits.h"

#define S_TRAP_1 0xbf920001u

/* Source operands that announce another dword: a literal constant, or (for VOP1, VOP2, VOPC) SDWA
 * or DPP. */
enum { SOURCE_SDWA = 249, SOURCE_DPP = 250, SOURCE_LITERAL = 255 };

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
    SOP1_SETPC = 29,
    SOP1_SWAPPC = 30,
    SOP1_RFE = 31,
    SOP1_CBRANCH_JOIN = 46,
    SOPK_CBRANCH_I_FORK = 16,
    SOPK_SETREG_IMM32 = 20,
    SOPK_CALL = 21,
    RETURN_ADDRESS = 30, /* s[30:31] (LLVM, "User Guide for AMDGPU Backend": calling convention) */
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

static enum wt_instruction_kind sop1_kind(uint32_t op, uint32_t source)
{
    switch (op) {
    case SOP1_SWAPPC:
        return WT_INSTRUCTION_CALL;
    case SOP1_SETPC:
        return source == RETURN_ADDRESS ? WT_INSTRUCTION_RETURN : WT_INSTRUCTION_BRANCH;
    case SOP1_RFE:
    case SOP1_CBRANCH_JOIN:
        return WT_INSTRUCTION_BRANCH;
    default:
        return WT_INSTRUCTION_PLAIN;
    }
}

/* Scalar formats: bits 31:30 are 10. */
static void decode_scalar(uint32_t word, struct wt_instruction *in)
{
    const uint32_t first = word & 0xff, second = word >> 8 & 0xff;
    bool literal = false;
    if (word >> 23 == 0x17f) {
        in->kind = sopp_kind(word >> 16 & 0x7f);
    } else if (word >> 23 == 0x17e) { /* SOPC */
        literal = first == SOURCE_LITERAL || second == SOURCE_LITERAL;
    } else if (word >> 23 == 0x17d) {
        in->kind = sop1_kind(second, first);
        literal = first == SOURCE_LITERAL;
    } else if (word >> 28 == 0xb) {
        const uint32_t op = word >> 23 & 0x1f;
        literal = op == SOPK_SETREG_IMM32;
        if (op == SOPK_CALL)
            in->kind = WT_INSTRUCTION_CALL;
        else if (op == SOPK_CBRANCH_I_FORK)
            in->kind = WT_INSTRUCTION_BRANCH;
    } else { /* SOP2 */
        literal = first == SOURCE_LITERAL || second == SOURCE_LITERAL;
        if ((word >> 23 & 0x7f) == 0x29) /* s_cbranch_g_fork */
            in->kind = WT_INSTRUCTION_BRANCH;
    }
    if (literal)
        in->length = 8;
}

/* VOP1, VOP2, VOPC: bit 31 is 0. */
static unsigned vector_length(uint32_t word)
{
    const uint32_t source = word & 0x1ff, op = word >> 25;
    const bool more = source == SOURCE_LITERAL || source == SOURCE_SDWA || source == SOURCE_DPP;
    /* v_madmk and v_madak, of 32 and 16 bits, always have a constant. */
    const bool constant = op == 23 || op == 24 || op == 36 || op == 37;
    return more || constant ? 8 : 4;
}

void gcnp_decode_instruction(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                             struct wt_instruction *in)
{
    const uint32_t word = (uint32_t)wt_load_le(window->bytes, 4);
    *in = (struct wt_instruction){.length = 4, .written = -1};
    if (!(word >> 31))
        in->length = vector_length(word);
    else if (word >> 30 == 2)
        decode_scalar(word, in);
    else if (word >> 26 != 0x35) /* VINTRP has one dword, all others two */
        in->length = 8;
}

void gcnp_patch(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                struct wt_patch *patch)
{
    *patch = (struct wt_patch){.addr = addr, .size = 4};
    wt_store_le(patch->bytes, S_TRAP_1, 4);
    memset(patch->mask, 0xff, 4);
}
