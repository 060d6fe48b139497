/*
 * Effects of an instruction of Gen9: registers that it writes, and where the thread may go on.
 * Operands are decoded as far as integers in general registers and immediates need it. For the
 * files of the probe.
 */
#ifndef WT_DEBUG_GEN_EFFECTS_H
#define WT_DEBUG_GEN_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

enum { GENP_GRF = 32, GENP_GRFS = 128, GENP_FILE_BYTES = GENP_GRF * GENP_GRFS };

enum { GENP_SOURCES = 3 };

/** Of an address in scratch memory as Intel's debug information has it: the offset. */
enum { GENP_SCRATCH_OFFSET = 0xffffff };

/** Opcodes whose results are followed. */
enum { GENP_MOV = 0x01, GENP_SHL = 0x09, GENP_ADD = 0x40, GENP_MUL = 0x41 };

/** An operand of integers. */
struct genp_operand {
    bool is_known;     /**< false: another kind of operand, or a region with gaps */
    bool is_immediate; /**< `value`, in each channel; else bytes of the register file: */
    bool is_packed;    /**< IMMEDIATE: 8 signed numbers of 4 bits, one for each channel */
    bool is_scalar;    /**< … of one element, for all channels; else one after the other */
    int64_t value;
    unsigned from; /**< bytes */
    unsigned size; /**< size of an element */
};

struct genp_bytes {
    unsigned first, count;
};

/** The effects of an instruction. */
struct genp_effects {
    unsigned length;   /**< bytes */
    unsigned opcode;   /**< 0: no instruction */
    unsigned channels; /**< 1 to 32 */
    unsigned channel;  /**< the first of them */
    bool all_channels; /**< it ignores the channel mask (NoMask) */
    bool is_plain;     /**< without predicate and saturation: each channel gets the result */
    bool is_merged;    /**< with a predicate: some channels keep what they had */
    /* The bytes of the register file that it writes: */
    unsigned first, count;            /**< bytes, at most; count 0: nothing */
    unsigned element, element_stride; /**< bytes of each element, and between two of them */
    bool writes_any;                  /**< the instruction does not say what */
    /* The bytes of it that it reads, at most: */
    struct genp_bytes read[GENP_SOURCES];
    bool reads_any; /**< the instruction does not say what */
    struct genp_operand to, source[2];
    bool is_message; /**< its first payload begins at byte `payload` of the file: */
    unsigned payload;
    /** The bytes of the thread's scratch memory that it reads or writes, at most: blocks of
     * registers. */
    struct genp_bytes scratch;
    bool writes_scratch;
    /* Where the thread goes on: */
    bool goes_on; /**< with the next instruction */
    bool is_call; /**< after the callee */
    bool leaves;  /**< to an address that the instruction does not say */
    uint64_t target[2];
    unsigned targets;
    /** Up to this address fewer channels may execute than before the instruction; 0: as many. */
    uint64_t parts_until;
};

/** Decodes the instruction at @p addr, of which @p size bytes (8 or 16) are given. */
void genp_effects_of(uint64_t addr, const uint8_t *bytes, unsigned size, struct genp_effects *e);

#endif
