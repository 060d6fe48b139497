/* The operands that the SM's instructions, and the records of PTX, read and write. */
#ifndef WT_EMULATOR_SM_OPERANDS_H
#define WT_EMULATOR_SM_OPERANDS_H

#include "emulator/machine/machine.h"
#include "emulator/machine/operands.h"

struct sm_ptx;
struct sm_uop;
struct sm_warp;

/** Files of registers, and memory (wt_insn_operand.file). */
enum sm_file {
    SM_FILE_R,     /**< the register file of a warp, by bytes: a row of 128 is a dword of each lane.
                        R0 to R254 are its first rows; registers of PTX lie in frames (sm/ptx/image.h)
                    */
    SM_FILE_STATE, /**< masks of lanes: enum sm_state, by 4 bytes */
    SM_FILE_SPECIAL, /**< what has no value of its own to follow: special registers by their
                          numbers, and enum sm_special */
    SM_FILE_MEMORY,  /**< PTX's global, shared, local or constant memory, as it says */
    SM_FILE_GLOBAL,  /**< global memory of machine code */
    SM_FILE_GENERIC, /**< global, shared or local memory, as the address says */
    SM_FILE_SHARED,
    SM_FILE_LOCAL,
    SM_FILE_BANK,     /**< a constant bank, each lane at its address; `number`: which */
    SM_FILE_IMAGE,    /**< a texture or a surface, with its header */
    SM_FILE_CONSTANT, /**< a constant bank at `value`, once for the warp; `number`: which */
};

/** Numbers in SM_FILE_STATE: P0 to P6 are 0 to 24. */
enum sm_state {
    SM_STATE_ZERO = 28,
    SM_STATE_SIGN = 32,
    SM_STATE_CARRY = 36,
    SM_STATE_OVERFLOW = 40,
    SM_STATE_BARRIER = 44, /**< no mask: what BAR.RED counted */
};

/** Numbers in SM_FILE_SPECIAL beyond those of special registers. */
enum sm_special {
    SM_SPECIAL_PC = 0x100,
    SM_SPECIAL_STACK, /**< for calls, returns and divergence */
    SM_SPECIAL_ACTIVE,
    SM_SPECIAL_TRAP, /**< the trap unit and its registers */
    SM_SPECIAL_LOCAL,
};

/**
 * Lists the operands of an instruction word. @p w is about to execute it: then the lanes for which
 * its predicate holds are told, too; NULL: whoever executes it. False: there is no such
 * instruction. The list does not contain the following:
 * - The PC, where the instruction only moves it on.
 * - Control words and the scoreboards of DEPBAR: here each result is there once its instruction has
 *   issued, and nothing waits for them.
 * - The predicate of LD and ST behind the address, which has no effect here.
 */
bool sm_operands(const struct sm_warp *w, uint64_t word, struct wt_insn_operands *operands);

/** Adds what the instruction does with those that are listed (meaning.c). */
void sm_list_meaning(const struct sm_uop *u, struct wt_insn_operands *operands);

/**
 * Lists the operands of record @p index of PTX, which @p w is about to execute: those of its frame
 * now. NULL: those of a frame in row 0, of a call its results. False: there is no such record.
 */
bool ptx_operands(const struct sm_warp *w, const struct sm_ptx *image, uint32_t index,
                  struct wt_insn_operands *operands);
/** Whether the records of a function from number @p from on may come to number @p to. */
bool ptx_leads_to(const struct sm_ptx *image, uint32_t from, uint32_t to);

/* The machine's operations of these names (definedness.c). */
WT_MACHINE_FN(read_cell) sm_read_cell;
WT_MACHINE_FN(unwritten) sm_unwritten;
WT_MACHINE_FN(lane_sources) sm_lane_sources;

/** The files of registers, by enum sm_file. */
extern const struct wt_operand_file sm_operand_files[];
/** Hazards that control words cover (pace.c). */
WT_MACHINE_FN(pace) sm_pace;
extern const struct wt_pace_table sm_pace_table;
/** The register of that name ("R3", "P0"), or (""): the whole register file, as an operand. */
bool sm_find_operand(const char *name, struct wt_insn_operand *operand);
/** The name of an operand's registers: "R3", "P0"; of rows of PTX's frames "row 270". */
void sm_operand_name(const struct wt_insn_operand *operand, char *text, size_t size);

#endif
