/* What instructions do with their operands (machine/operands.h, enum wt_operation). */
#include "base/bits.h"
#include "emulator/machine/operands.h"
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
    DOES(lw, LOAD_SIGNED),
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
    DOES(ld, LOAD),
    DOES(lwu, LOAD),
    DOES(sd, STORE),
    DOES(slli, SHIFT_LEFT),
    DOES(srli, SHIFT_RIGHT),
    DOES(srai, SHIFT_SIGNED),
    DOES(addiw, ADD),
    DOES(slliw, SHIFT_LEFT),
    DOES(srliw, SHIFT_RIGHT),
    DOES(sraiw, SHIFT_SIGNED),
    DOES(addw, ADD),
    DOES(subw, SUBTRACT),
    DOES(sllw, SHIFT_LEFT),
    DOES(srlw, SHIFT_RIGHT),
    DOES(sraw, SHIFT_SIGNED),
    DOES(mulw, MULTIPLY),
    DOES(lr_d, LOAD),
    DOES(sc_d, STORE),
    DOES(amoswap_d, EXCHANGE),
    DOES(amoadd_d, ATOMIC),
    DOES(amoxor_d, ATOMIC),
    DOES(amoand_d, ATOMIC),
    DOES(amoor_d, ATOMIC),
    DOES(amomin_d, ATOMIC),
    DOES(amomax_d, ATOMIC),
    DOES(amominu_d, ATOMIC),
    DOES(amomaxu_d, ATOMIC),
    DOES(fmv_x_d, MOVE),
    DOES(fmv_d_x, MOVE),
    DOES(fence, WAIT),
    DOES(fence_i, WAIT),
    DOES(ecall, WAIT),
    DOES(ebreak, WAIT),
    DOES(mul, MULTIPLY),
    DOES(lr_w, LOAD_SIGNED),
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

/* RV64: results of 32 bits whose sign fills the register (unprivileged ISA, 4.2, 8, 12.5): those of
 * words, of atomic operations on them, and moves from floating point registers. */
static bool extends_sign(enum vx_insn_id id, uint32_t word)
{
    enum { OP_IMM_32 = 0x1b, OP_32 = 0x3b, AMO = 0x2f };
    const unsigned opcode = word & 0x7f;
    return opcode == OP_IMM_32 || opcode == OP_32 || id == VX_INSN_fmv_x_w ||
           (opcode == AMO && wt_field(word, 14, 12) == 2);
}

void vx_list_meaning(enum vx_insn_id id, uint32_t word, struct wt_insn_operands *o)
{
    o->operation = moves_float(id, word) ? WT_DOES_MOVE : meanings[id];
    for (unsigned i = 0; extends_sign(id, word) && i < o->count; i++)
        if (o->list[i].writes && o->list[i].kind == WT_OPERAND_ROW && o->list[i].bits > 32) {
            o->list[i].type = WT_OPERAND_SIGNED;
            o->width = 32;
        }
    o->decides = id >= VX_INSN_beq && id <= VX_INSN_bgeu;
}
