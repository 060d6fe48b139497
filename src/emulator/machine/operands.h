/*
 * The rows, scalars, constants and memory that an instruction reads and writes, as its table says.
 * Each family fills the list from a decoded instruction.
 */
#ifndef WT_EMULATOR_MACHINE_OPERANDS_H
#define WT_EMULATOR_MACHINE_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum wt_operand_kind {
    WT_OPERAND_ROW,      /**< a register that has a value in each lane */
    WT_OPERAND_SCALAR,   /**< a register of the wave */
    WT_OPERAND_CONSTANT, /**< in the instruction */
    WT_OPERAND_MEMORY,   /**< what lies at `number` (a row or scalar of `file`) plus `value` */
};

enum wt_operand_type { WT_OPERAND_BITS, WT_OPERAND_SIGNED, WT_OPERAND_UNSIGNED, WT_OPERAND_FLOAT };

/** An operand. An instruction that may leave a result alone (a lane's value, a flag that is not
 * raised) writes it. */
struct wt_insn_operand {
    enum wt_operand_kind kind;
    enum wt_operand_type type;
    bool reads, writes;
    uint8_t file;    /**< which registers: an enumeration of the family's; memory: of the address */
    uint8_t bits;    /**< of a lane's value, or of the scalar; memory: that a lane accesses */
    uint16_t number; /**< of the register; CONSTANT: unused */
    int64_t value;   /**< CONSTANT: its value; MEMORY: bytes after the address */
};

enum { WT_MOST_OPERANDS = 16 };

/** The operands of an instruction: results first. The mask of lanes is an operand only where it is
 * written, or a value: every row operand is for the enabled lanes. */
struct wt_insn_operands {
    unsigned count;
    struct wt_insn_operand list[WT_MOST_OPERANDS];
};

/** Prints a line for each operand; @p name has the names of registers. */
void wt_operands_print(FILE *out, const struct wt_insn_operands *operands,
                       void (*name)(const struct wt_insn_operand *operand, char *text,
                                    size_t size));

#endif
