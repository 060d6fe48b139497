/* The operands that Vortex's instructions read and write. */
#ifndef WT_EMULATOR_VORTEX_OPERANDS_H
#define WT_EMULATOR_VORTEX_OPERANDS_H

#include "emulator/machine/machine.h"
#include "emulator/machine/operands.h"
#include "emulator/vortex/isa.h"

/** Files of registers (wt_insn_operand.file); of memory: that of the address, `number`. */
enum vx_file {
    VX_FILE_X,   /**< integers: rows of xlen bits */
    VX_FILE_F,   /**< floating point: rows of 64 bits */
    VX_FILE_CSR, /**< by number; fcsr is frm and fflags */
    VX_FILE_STATE,
};

/** Numbers in VX_FILE_STATE. */
enum vx_state {
    VX_STATE_PC,
    VX_STATE_MASK,
    VX_STATE_IPDOM,
    VX_STATE_RESERVATION, /**< reservation of LR and SC, one a lane */
    VX_STATE_WARPS,       /**< which warps of the core are active, and for what they wait */
};

/**
 * The operands of a 32-bit instruction, or of what a compressed one stands for; in the order of the
 * row's letters (isa.def), implicit ones last. False: no such instruction, and no operands. The PC,
 * which each instruction moves on, is named where it is a value or a jump's result.
 */
bool vx_operands(uint32_t word, unsigned xlen, struct wt_insn_operands *operands);

/* The machine's operations of these names (definedness.c). */
WT_MACHINE_FN(read_cell) vx_read_cell;
WT_MACHINE_FN(unwritten) vx_unwritten;
WT_MACHINE_FN(lane_sources) vx_lane_sources;

/** The files of registers, by enum vx_file. */
extern const struct wt_operand_file vx_operand_files[];
/** The register of that name, "a0" or "fa1", as an operand. False: no value has such a name. */
bool vx_find_operand(const char *name, struct wt_insn_operand *operand);

/** The name of an operand's register: "a0", "fa1", "frm", "the IPDOM stack". */
void vx_operand_name(const struct wt_insn_operand *operand, char *text, size_t size);

#endif
