/* What the SM's instructions, and the records of PTX, read and write. */
#ifndef WT_EMULATOR_SM_OPERANDS_H
#define WT_EMULATOR_SM_OPERANDS_H

#include "emulator/machine/operands.h"

struct sm_ptx;
struct sm_warp;

/** Files of registers, and memory (wt_insn_operand.file). */
enum sm_file {
    SM_FILE_R,     /**< the register file of a warp, by bytes: a row of 128 is a dword of each lane.
                        R0 to R254 are its first rows; registers of PTX lie in frames (ptx_image.h) */
    SM_FILE_STATE, /**< masks of lanes: enum sm_state, by 4 bytes */
    SM_FILE_MEMORY, /**< global, shared, local or constant memory, as the instruction says */
};

/** Numbers in SM_FILE_STATE: P0 to P6 are 0 to 24. */
enum sm_state {
    SM_STATE_ZERO = 28,
    SM_STATE_SIGN = 32,
    SM_STATE_CARRY = 36,
    SM_STATE_OVERFLOW = 40
};

/**
 * Lists the operands of record @p index of PTX, which @p w is about to execute: those of its frame
 * now. False: there is no such record.
 */
bool ptx_operands(const struct sm_warp *w, const struct sm_ptx *image, uint32_t index,
                  struct wt_insn_operands *operands);

/** The files of registers, by enum sm_file. */
extern const struct wt_operand_file sm_operand_files[];
/** The register of that name ("R3", "P0"), or (""): the whole register file, as an operand. */
bool sm_find_operand(const char *name, struct wt_insn_operand *operand);
/** The name of an operand's registers: "R3", "P0"; of rows of PTX's frames "row 270". */
void sm_operand_name(const struct wt_insn_operand *operand, char *text, size_t size);

#endif
