/* Finding instructions in the table, and their immediates. */
#include "emulator/vortex/isa.h"

#include "base/bits.h"

const struct vx_insn vx_insns[VX_INSN_COUNT] = {
#define I(id, name, xlen, match, mask, operands) {name, xlen, match, mask, operands},
#include "emulator/vortex/isa.def"
#undef I
};

enum vx_insn_id vx_insn_find(uint32_t word, unsigned xlen)
{
    for (unsigned i = 0; i < VX_INSN_COUNT; i++) {
        const struct vx_insn *row = &vx_insns[i];
        if ((word & row->mask) == row->match && (row->xlen == 0 || row->xlen == xlen))
            return i;
    }
    return VX_INSN_COUNT;
}

/* Unprivileged ISA, section 2.3 "Immediate Encoding Variants". */
int32_t vx_imm_i(uint32_t word)
{
    return (int32_t)word >> 20;
}

int32_t vx_imm_s(uint32_t word)
{
    return (int32_t)wt_sign_extend(wt_field(word, 31, 25) << 5 | wt_field(word, 11, 7), 12);
}

int32_t vx_imm_b(uint32_t word)
{
    return (int32_t)wt_sign_extend(wt_field(word, 31, 31) << 12 | wt_field(word, 7, 7) << 11 |
                                       wt_field(word, 30, 25) << 5 | wt_field(word, 11, 8) << 1,
                                   13);
}

int32_t vx_imm_u(uint32_t word)
{
    return (int32_t)(word & 0xfffff000);
}

int32_t vx_imm_j(uint32_t word)
{
    return (int32_t)wt_sign_extend(wt_field(word, 31, 31) << 20 | wt_field(word, 19, 12) << 12 |
                                       wt_field(word, 20, 20) << 11 | wt_field(word, 30, 21) << 1,
                                   21);
}
