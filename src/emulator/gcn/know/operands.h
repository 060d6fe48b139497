/* The operands that AMD's instructions read and write. */
#ifndef WT_EMULATOR_GCN_KNOW_OPERANDS_H
#define WT_EMULATOR_GCN_KNOW_OPERANDS_H

#include "emulator/machine/operands.h"

struct gcn_uop;

/** Files of registers, and memories (wt_insn_operand.file). */
enum gcn_file {
    GCN_FILE_V,      /**< rows of 32 bits; wider values lie in registers that follow */
    GCN_FILE_S,      /**< scalars of 32 bits by operand number: SGPRs, VCC, M0, EXEC, … */
    GCN_FILE_STATE,  /**< enum gcn_state */
    GCN_FILE_MEMORY, /**< global memory */
    GCN_FILE_FLAT,   /**< global, local or private memory, as the address says */
    GCN_FILE_PRIVATE,
    GCN_FILE_LDS,
    GCN_FILE_GDS,
    GCN_FILE_SCALAR, /**< global memory, once for the wave */
};

/** Numbers in GCN_FILE_STATE. */
enum gcn_state {
    GCN_STATE_SCC,
    GCN_STATE_MODE,
    GCN_STATE_TRAPSTS, /**< exceptions that have been raised */
    GCN_STATE_PC,
    GCN_STATE_RELATIVE, /**< a scalar register that M0 or MODE names */
    GCN_STATE_WAVE,     /**< whether it is halted or ends, its priority, its counts of accesses */
    GCN_STATE_DEVICE,   /**< the clock, messages, global wave sync */
};

/**
 * Lists the operands of a decoded instruction. False: there is no such instruction. The list does
 * not contain the following:
 * - The PC, where the instruction only moves it on.
 * - The counts of s_waitcnt, which each access to memory raises.
 * - Effects of MODE.VSKIP, which skips vector instructions.
 * - Effects of MODE.GPR_IDX_EN, which adds M0 to the numbers of vector registers.
 */
bool gcn_operands(const struct gcn_uop *u, struct wt_insn_operands *operands);

/** How many registers of an image instruction, of an image of so many dimensions, lie before its
 * coordinates. */
unsigned gcn_image_arguments(const struct gcn_uop *u, unsigned dimensions);
/** Adds the operands of an image instruction whose image takes so many coordinates, of which those
 * of @p dimensions are no layer. */
void gcn_put_image(struct wt_insn_operands *operands, const struct gcn_uop *u, unsigned dimensions,
                   unsigned coordinates);

struct gcn_wave;
/** Likewise for a wave that is about to execute the instruction: with the registers that M0 and
 * MODE choose, and none where MODE.VSKIP skips it. Then `indirect` is set. */
bool gcn_operands_now(const struct gcn_uop *u, const struct gcn_wave *w,
                      struct wt_insn_operands *operands);

/** The files of registers, by enum gcn_file. */
extern const struct wt_operand_file gcn_operand_files[];
/** The register of that name ("v3", "s12", "vcc", "scc") as an operand. False: there is none. */
bool gcn_find_operand(const char *name, struct wt_insn_operand *operand);

/** The name of @p count scalar registers from an operand number below 128 on: "s[4:7]", "vcc_hi".
 */
void gcn_scalar_name(unsigned number, unsigned count, char *text, size_t size);
/** The name of an operand's registers or memory: "v[2:3]", "vcc", "SCC", "LDS". */
void gcn_operand_name(const struct wt_insn_operand *operand, char *text, size_t size);

#endif
