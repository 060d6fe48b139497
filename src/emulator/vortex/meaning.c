/* What instructions do with their operands (machine/operands.h, enum wt_operation). */
#include "base/bits.h"
#include "emulator/vortex/isa.h"
#include "emulator/vortex/operands.h"

#define DOES(id, operation) [VX_INSN_##id] = WT_DOES_##operation

/* Unprivileged ISA, chapters 2 to 12: the instructions whose bits are exactly known, and those that
 * decide. */
static const uint8_t meanings[VX_INSN_COUNT] = {
    DOES(lui, MOVE),
    DOES(jalr, BRANCH),
    DOES(beq, EQUAL),
    DOES(bne, NOT_EQUAL),
    DOES(blt, LESS_SIGNED),
    DOES(bge, NOT_LESS_SIGNED),
    DOES(bltu, LESS),
    DOES(bgeu, NOT_LESS),
    DOES(lb, LOAD_SIGNED),
    DOES(lh, LOAD_SIGNED),
    DOES(lw, LOAD),
    DOES(lbu, LOAD),
    DOES(lhu, LOAD),
    DOES(sb, STORE),
    DOES(sh, STORE),
    DOES(sw, STORE),
    DOES(addi, ADD),
    DOES(slti, LESS_SIGNED),
    DOES(sltiu, LESS),
    DOES(xori, XOR),
    DOES(ori, OR),
    DOES(andi, AND),
    DOES(slli_32, SHIFT_LEFT),
    DOES(srli_32, SHIFT_RIGHT),
    DOES(srai_32, SHIFT_SIGNED),
    DOES(add, ADD),
    DOES(sub, SUBTRACT),
    DOES(sll, SHIFT_LEFT),
    DOES(slt, LESS_SIGNED),
    DOES(sltu, LESS),
    DOES(xor, XOR),
    DOES(srl, SHIFT_RIGHT),
    DOES(sra, SHIFT_SIGNED),
    DOES(or, OR),
    DOES(and, AND),
    DOES(fence, WAIT),
    DOES(fence_i, WAIT),
    DOES(ecall, WAIT),
    DOES(ebreak, WAIT),
    DOES(mul, MULTIPLY),
    DOES(lr_w, LOAD),
    DOES(sc_w, STORE),
    DOES(amoswap_w, EXCHANGE),
    DOES(amoadd_w, ATOMIC),
    DOES(amoxor_w, ATOMIC),
    DOES(amoand_w, ATOMIC),
    DOES(amoor_w, ATOMIC),
    DOES(amomin_w, ATOMIC),
    DOES(amomax_w, ATOMIC),
    DOES(amominu_w, ATOMIC),
    DOES(amomaxu_w, ATOMIC),
    DOES(flw, LOAD),
    DOES(fld, LOAD),
    DOES(fsw, STORE),
    DOES(fsd, STORE),
    DOES(fmv_x_w, MOVE),
    DOES(fmv_w_x, MOVE),
    DOES(tmc, BRANCH),
    DOES(wspawn, BRANCH),
    DOES(split, BRANCH),
    DOES(split_n, BRANCH),
    DOES(join, BRANCH),
    DOES(pred, BRANCH),
    DOES(pred_n, BRANCH),
    DOES(shfl_up, MOVE),
    DOES(shfl_down, MOVE),
    DOES(shfl_bfly, MOVE),
    DOES(shfl_idx, MOVE),
};

/* fsgnj.s d, s, s and fsgnj.d are moves. */
static bool moves_float(enum vx_insn_id id, uint32_t word)
{
    return (id == VX_INSN_fsgnj_s || id == VX_INSN_fsgnj_d) &&
           wt_field(word, 19, 15) == wt_field(word, 24, 20);
}

void vx_list_meaning(enum vx_insn_id id, uint32_t word, struct wt_insn_operands *o)
{
    o->operation = moves_float(id, word) ? WT_DOES_MOVE : meanings[id];
    o->decides = id >= VX_INSN_beq && id <= VX_INSN_bgeu;
}
