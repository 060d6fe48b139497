/* The instruction table as data: see isa.def for the rows and their meaning. */
#ifndef WT_EMULATOR_VORTEX_ISA_H
#define WT_EMULATOR_VORTEX_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vx_insn_id {
#define I(id, name, xlen, match, mask, operands, ...) VX_INSN_##id,
#include "emulator/vortex/isa.def"
#undef I
    VX_INSN_COUNT,
    VX_INSN_LATER = VX_INSN_bar_arrive, /* this row and the following ones are of version 3 */
};

struct vx_insn {
    const char *name;
    uint8_t xlen; /* 32, 64, or 0: both */
    uint32_t match, mask;
    const char *operands;
    const uint8_t *meaning[2]; /* what it does with them (machine/meaning.h): RV32, RV64 */
};

extern const struct vx_insn vx_insns[VX_INSN_COUNT];

/* The unit that executes a row and that the emulated Vortex does not have; NULL: it is executed. */
const char *vx_unit_missing(enum vx_insn_id id);

/* The effect of a row. */
static inline const uint8_t *vx_meaning(enum vx_insn_id id, unsigned xlen)
{
    return vx_insns[id].meaning[xlen == 64];
}

/* The row that a 32-bit word is, or VX_INSN_COUNT. */
enum vx_insn_id vx_insn_find(uint32_t word, unsigned xlen);

/* One compressed instruction (isa.def's companion rvc.c): its name, and what it stands for. */
struct vx_rvc {
    const char *name;
    uint8_t xlen;
    uint16_t match, mask;
    const char *operands;
    uint32_t (*expand)(uint16_t half, unsigned xlen); /* 0: reserved */
};

extern const struct vx_rvc vx_rvcs[];
extern const size_t vx_rvc_count;

/* The row of a 16-bit parcel, or NULL if it is reserved; *word gets what it stands for. */
const struct vx_rvc *vx_rvc_find(uint16_t half, unsigned xlen, uint32_t *word);

/* Immediates of a 32-bit word, sign-extended, in bytes. */
int32_t vx_imm_i(uint32_t word);
/* Of a store. */
int32_t vx_imm_s(uint32_t word);
/* Of a branch. */
int32_t vx_imm_b(uint32_t word);
/* Of lui and auipc. */
int32_t vx_imm_u(uint32_t word);
/* Of jal. */
int32_t vx_imm_j(uint32_t word);

#endif
