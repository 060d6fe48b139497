/*
 * Which bits of a result are defined, given the sources: for each operation of
 * machine/operands.h. A bit is undefined if it differs between two of the values that undefined
 * bits of the sources may have.
 */
#ifndef WT_CHECK_DEFINEDNESS_H
#define WT_CHECK_DEFINEDNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/machine/operands.h"

/** A value of up to 64 bits. */
struct wt_defined {
    uint64_t value;     /**< as it is in the run */
    uint64_t undefined; /**< a bit each: it depends on what nobody has written */
    uint64_t computed; /**< of these: it is no copy of an undefined bit, but was computed of some */
};

enum { WT_DEFINED_SOURCES = 4 };

/**
 * The result of an operation for `bits` (1 to 64) bits; sources beyond @p count are not looked at.
 * @p same: the first two sources are one register. *flag (not NULL) becomes the flag of it.
 */
struct wt_defined wt_defined_result(enum wt_operation operation, const struct wt_defined *source,
                                    unsigned count, unsigned bits, bool same, enum wt_flag what,
                                    struct wt_defined *flag);

/** Whether some of the undefined bits of a value can make it 0, and others not. */
bool wt_defined_may_be_zero_or_not(struct wt_defined x, unsigned bits);

#endif
