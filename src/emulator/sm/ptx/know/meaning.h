/* What arithmetic of PTX does with its operands. */
#ifndef WT_EMULATOR_SM_PTX_KNOW_MEANING_H
#define WT_EMULATOR_SM_PTX_KNOW_MEANING_H

#include "emulator/sm/operands.h"
#include "emulator/sm/ptx/image.h"

/* Bytes of an operand that the record does not tell: those of the register's declaration. */
enum { PTX_UNTOLD = 0xff };

struct ptx_meaning {
    uint8_t operation, then, flag, width; /* as in struct wt_insn_operands */
    uint8_t bytes[5];     /* of the registers of the result, and of each source; 0: a predicate */
    const uint8_t *order; /* of the sources, for the operation; 0xff: it has no more */
    bool of_zero;         /* a constant 0 is the first source */
    bool has_table;       /* the last one is `how`, a table */
    bool left;            /* a funnel's amount, a constant, is that of the other direction */
    bool is_signed;       /* the result's sign fills its register */
};

/* Of a record of arithmetic, a conversion, a comparison, a selection. */
struct ptx_meaning ptx_meaning_of(const struct ptx_op *op);

#endif
