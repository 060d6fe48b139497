/* Meanings of PTX's arithmetic. */
#ifndef WT_EMULATOR_SM_PTX_KNOW_MEANING_H
#define WT_EMULATOR_SM_PTX_KNOW_MEANING_H

#include "emulator/machine/meaning.h"
#include "emulator/sm/operands.h"
#include "emulator/sm/ptx/image.h"

/** A record's meaning: `code` over sources 0 to 3, which are the leaves A, B, C and FOURTH. */
struct ptx_meaning {
    uint8_t code[WT_MOST_COMPOSED];
    uint8_t bytes[5]; /**< registers of the result, and of each source; 0: a predicate */
    uint8_t width[5]; /**< bits of them that count */
    uint8_t first[3]; /**< the bit with which sources 0 to 2 begin, */
    uint8_t part[3];  /**< and how many bits there are; 0: the register's */
    uint8_t extended; /**< a bit each: these have signs */
    bool is_signed;   /**< the result's sign fills its register */
    bool real;        /**< it computes floats, */
    bool mixes;       /**< and limits them afterwards */
    bool packed;      /**< each half of the registers is a number */
};

/** Composes the meaning of a record that computes; false: it is another one, or does not say. */
bool ptx_meaning_of(const struct ptx_op *op, struct ptx_meaning *m);
/** Whether the meaning of a record has this source. */
bool ptx_meaning_uses(const struct ptx_meaning *m, unsigned source);

#endif
