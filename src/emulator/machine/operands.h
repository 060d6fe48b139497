/*
 * The rows, scalars, constants and memory that an instruction reads and writes, as its table says.
 * Each family fills the list from a decoded instruction.
 */
#ifndef WT_EMULATOR_MACHINE_OPERANDS_H
#define WT_EMULATOR_MACHINE_OPERANDS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/lanes.h"

enum wt_operand_kind {
    WT_OPERAND_ROW,      /**< a register that has a value in each lane */
    WT_OPERAND_SCALAR,   /**< a register of the wave */
    WT_OPERAND_CONSTANT, /**< in the instruction */
    WT_OPERAND_MEMORY,   /**< its address comes from other operands, and `value` bytes more */
};

/** Of which lane an operand is. */
enum wt_operand_lane {
    WT_LANE_OWN,   /**< each lane has its own */
    WT_LANE_FIRST, /**< all have that of the lowest enabled lane, or of lane 0 */
    WT_LANE_0,     /**< all have that of lane 0, or of a lane as many beyond it */
};

/** How a result's bits follow from those of its sources. */
enum wt_operation {
    WT_DOES_OTHER, /**< each bit of its results may depend on each bit of its sources */
    WT_DOES_MOVE,  /**< results are the sources of the same order */
    WT_DOES_ADD,   /**< `then` of ATOMIC */
    WT_DOES_MEANT, /**< what its meaning says (meaning.h) */
    WT_DOES_LOAD,  /**< memory, into registers whose upper bits become 0 */
    WT_DOES_LOAD_SIGNED,
    WT_DOES_STORE,
    WT_DOES_EXCHANGE, /**< a store, whose result is what was there */
    WT_DOES_ATOMIC,   /**< another operation on memory; what it computes with decides */
    WT_DOES_BRANCH,   /**< sources that are no constants decide which lanes go where */
    WT_DOES_WAIT,     /**< nothing with values */
    WT_DOES_UNTOLD,   /**< results depend on some sources, it is not said how: they count as defined
                       */
};

enum wt_operand_type { WT_OPERAND_BITS, WT_OPERAND_SIGNED, WT_OPERAND_UNSIGNED, WT_OPERAND_FLOAT };

/** Of wt_insn_operand.halves: the other bits choose the halves of one leaf. */
enum { WT_HALVES_OF_ONE = 4 };

/** An operand. An instruction that may leave a result alone (a lane's value, a flag that is not
 * raised) writes it. */
struct wt_insn_operand {
    enum wt_operand_kind kind;
    enum wt_operand_type type;
    bool reads, writes;
    bool keeps;     /**< it is written, but for lanes that the instruction leaves out (a predicate);
                         what they have is a part of the result */
    uint8_t pair;   /**< of several moves in one instruction: what is written comes from what is
                         read with the same number; 0: from all */
    bool crosses;   /**< lanes use values, or bits, of other lanes, or write them; enabled or not */
    uint8_t whose;  /**< ROW: enum wt_operand_lane */
    bool by_lane;   /**< SCALAR: bit N is lane N's */
    bool may_count; /**< it is read, but only some of the addresses that lanes may use depend on it
                     */
    bool guards;    /**< SCALAR: it says which lanes execute this instruction, or the next ones */
    bool inverted;  /**< SCALAR that is read: a lane's bit counts as its opposite */
    bool aside;     /**< it says where an operand is (an address, a shift of lanes), or how the
                         instruction computes (a rounding mode): it is no part of the result */
    uint8_t file;   /**< which registers or memory: an enumeration of the family's */
    uint8_t first;  /**< bit of the register with which the value begins */
    uint16_t bits;  /**< bits of a lane's value, or of the scalar; memory: that a lane accesses, 0:
                       as many as registers say */
    uint32_t number; /**< number of the register, the first one where the value has several; MEMORY:
                        as the file says */
    uint8_t row;     /**< ROW of a file whose registers lanes share: the values of so many lanes
                          lie `step` bits from each other, 0: those of all lanes; */
    uint16_t step;   /**< … 0: they are one value */
    uint16_t row_step; /**< … and those of the next lanes so many bits behind these */
    int64_t value;     /**< CONSTANT: its value; MEMORY: bytes after the address; ROW, where
                            `element` is told: with which byte of what is moved it begins; or, where
                            that has another form (UNTOLD), WT_OPERAND_FIELD() of its bits */
    /* In the meaning of the instruction (wt_insn_operands.meaning): */
    uint8_t leaf;   /**< the leaf that it is where it is read (enum wt_meaning_op); 0: none. Of
                         several operands with one leaf each is a part of it, the lowest first */
    uint8_t result; /**< enum wt_meaning_result; 0: none. Parts likewise */
    uint8_t width;  /**< bits of the leaf or of the result; 0: those of the operand, at most 64.
                         Beyond them are zeros, or (SIGNED) the sign */
    uint8_t at; /**< the result's lowest bit is this one of it; it begins with this one of a leaf */
    bool is_zero;     /**< whether the operand is 0 is the leaf */
    uint8_t halves;   /**< packed: bit N says that half N of the result takes its upper half;
                           or WT_HALVES_OF_ONE and these bits, of the halves of the leaf */
    uint8_t abs, neg; /**< likewise, that its sign is cleared, and then inverted */
};

/** Registers of a file (wt_insn_operand) that nothing has given a value. Of WT_UNWRITTEN_GLOBAL:
 * bytes of memory that all waves share, by their addresses, of which the wave alone uses these. */
struct wt_unwritten {
    unsigned file;
    uint32_t count;
    uint64_t first;
};
#define WT_UNWRITTEN_GLOBAL UINT_MAX

enum { WT_MOST_OPERANDS = 80, WT_MOST_COMPOSED = 128 };

struct wt_insn_operands;
/** The lanes whose values of @p source, an operand that crosses lanes, may be part of what a lane
 * gets as @p result. The list of @p operands is not used. */
typedef wt_lanes wt_mixed_lanes_fn(const struct wt_insn_operands *operands,
                                   const struct wt_insn_operand *result, unsigned lane,
                                   const struct wt_insn_operand *source);

/** The operands of an instruction: results first. The mask of lanes is an operand only where it is
 * written, or a value: every row operand is for the enabled lanes. */
struct wt_insn_operands {
    unsigned count;
    uint8_t first_lane, lanes; /**< the lanes that it is for; `lanes` 0: all */
    bool unmasked;             /**< it is executed for lanes that are not enabled, too */
    bool any_lane;             /**< it does nothing where none of its lanes is enabled */
    bool indirect;             /**< registers choose some of them: at another issue it has others */
    bool incomplete;           /**< it has others, too, which are not known */
    bool steady; /**< indirect, but the same at each issue of one frame (wt_issue.frame), and where
                      lanes are enabled by a register that guards */
    uint8_t element; /**< of a load or store: bytes in memory of each register, whose sign or zeros
                          fill the rest of it; 0: as many as the registers have */
    struct wt_unwritten empties; /**< registers that have no value from then on, but those of them
                                      that are written */
    uint8_t operation;           /**< enum wt_operation */
    uint8_t then;  /**< ADD: an ATOMIC that leaves what is there as it is where its operand is 0; of
                        accesses UNTOLD: elements have another form in registers; else OTHER */
    uint8_t width; /**< bits that the operation is for; 0: those of its result */
    const uint8_t *meaning; /**< what it computes of its operands (meaning.h); NULL: `composed` */
    uint8_t composed[WT_MOST_COMPOSED]; /**< … if it is no row's alone */
    bool clamp;                         /**< integers are clamped where the meaning says so */
    bool mixes;               /**< each bit of a result may depend on each bit that the meaning
                                   gives it: floats are clamped, or multiplied */
    uint8_t packed;           /**< the meaning is that of each half of the operands, of so many
                                   bits; 0: of all */
    uint32_t products;        /**< multiplications, each with an addition, of a product of matrices
                                   that the wave's lanes compute together; 0: it is none */
    wt_mixed_lanes_fn *mixed; /**< NULL: those of all lanes may be (machine.h, lane_sources) */
    uint32_t mixed_as;        /**< for that function */
    bool exchanges; /**< a lane may take the value of one that takes no part (WT_SEEN_EXCHANGE) */
    bool decides;   /**< the truth of the comparison decides where its lanes go on */
    bool exact; /**< `enabled` are the lanes that it is executed for, at this issue: none is left
                   out */
    wt_lanes enabled;
    struct wt_insn_operand list[WT_MOST_OPERANDS];
};

/** A file of registers. */
struct wt_operand_file {
    uint8_t
        bits; /**< of a register, or of one lane's: 8 to 64. 0: what is no value (a PC, a clock) */
    bool per_lane; /**< each lane has its own */
};

/** The operand_files of a family that does not say what its instructions read and write
 * (WT_MACHINE_NO_OPERANDS). */
extern const struct wt_operand_file wt_machine_no_operand_files[];

/** Bits of what is moved, more than 0, as `value` of an operand has them. */
#define WT_OPERAND_FIELD(first, bits) ((int64_t)((uint32_t)(first) | (uint32_t)(bits) << 16))

/** Adds an operand, and returns it; there must be room. */
struct wt_insn_operand *wt_operands_add(struct wt_insn_operands *operands,
                                        struct wt_insn_operand operand);
/** Adds a constant, which is read. */
void wt_operands_add_constant(struct wt_insn_operands *operands, int64_t value);

/** The meaning of an instruction. */
static inline const uint8_t *wt_operands_meaning(const struct wt_insn_operands *operands)
{
    return operands->meaning ? operands->meaning : operands->composed;
}

/** Sets `meaning`, and derives `operation` from it: WT_DOES_OTHER if an expression uses an operand
 * that is not listed, or one of more than 64 bits. NULL: it is `composed`. */
void wt_operands_set_meaning(struct wt_insn_operands *operands, const uint8_t *meaning);

/** Prints a line for each operand; @p name has the names of registers and memories. */
void wt_operands_print(FILE *out, const struct wt_insn_operands *operands,
                       void (*name)(const struct wt_insn_operand *operand, char *text,
                                    size_t size));

#endif
