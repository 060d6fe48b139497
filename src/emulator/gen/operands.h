/* The operands that Gen9's instructions read and write. */
#ifndef WT_EMULATOR_GEN_OPERANDS_H
#define WT_EMULATOR_GEN_OPERANDS_H

#include "emulator/machine/operands.h"

struct gen_insn;

/** Files of registers, and memory (wt_insn_operand.file). Numbers are those of bytes. */
enum gen_operand_file {
    GEN_FILE_R,      /**< r0 to r127 */
    GEN_FILE_ACC,    /**< acc0 to acc9 with the upper halves of integers */
    GEN_FILE_A,      /**< a0 */
    GEN_FILE_F,      /**< f0, f1 */
    GEN_FILE_STATE,  /**< other architecture registers: RegNum */
    GEN_FILE_MEMORY, /**< surfaces, global and shared local memory, as the message says */
};

/** Reads bytes of a0; false: they are not known. */
typedef bool gen_address_fn(const void *context, unsigned subreg, uint16_t *value);

/**
 * Lists the operands of a decoded instruction. @p address tells what address registers have, for
 * operands and messages that they choose; NULL: such operands are left out. False: it has some that
 * are not known. `value` of a row of a region that an address register begins is the row's number.
 * The list does not contain the following:
 * - The instruction pointer, where the instruction only moves it on, and channels' branches.
 * - cr0's rounding and denormal modes.
 * - Of a message that this emulator does not execute: its payload.
 */
bool gen_operands(const struct gen_insn *insn, gen_address_fn *address, const void *context,
                  struct wt_insn_operands *operands);

/** Whether the accumulator is its last source. */
bool gen_reads_accumulator(const struct gen_insn *insn);

/** Adds what the instruction does with them (meaning.c). `enabled` is known where registers choose
 * operands. */
void gen_list_meaning(const struct gen_insn *insn, struct wt_insn_operands *operands);

/** The files of registers, by enum gen_operand_file. */
extern const struct wt_operand_file gen_operand_files[];
/** The register of that name ("r12", "acc0", "f0") as an operand: all of it; "": the first bytes
 * of r0. False: there is none. */
bool gen_find_operand(const char *name, struct wt_insn_operand *operand);
/** The name of an operand's registers: "r12.4", "f0.0", "memory". */
void gen_operand_name(const struct wt_insn_operand *operand, char *text, size_t size);

#endif
