/*
 * Which bits of a result are defined, given the sources: for each operation of
 * meanings (machine/meaning.def). A bit is undefined if it differs between two of the values that
 * undefined bits of the sources may have.
 */
#ifndef WT_CHECK_DEFINEDNESS_H
#define WT_CHECK_DEFINEDNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/machine/meaning.h"

/** A value of up to 64 bits. */
struct wt_defined {
    uint64_t value;     /**< as it is in the run */
    uint64_t undefined; /**< a bit each: it depends on what nobody has written */
    uint64_t computed;  /**< those that were computed of undefined bits, not copied */
};

enum { WT_DEFINED_SOURCES = 4 };

/**
 * The result of an operation for `bits` (1 to 64) bits; sources beyond @p count are not looked at.
 * @p same: the first two sources are one register. *carry (not NULL) becomes that of a sum or
 * difference.
 */
struct wt_defined wt_defined_result(enum wt_meaning_op operation, const struct wt_defined *source,
                                    unsigned count, unsigned bits, bool same,
                                    struct wt_defined *carry);

/** A value in a meaning (machine/meaning.h). */
struct wt_meant {
    struct wt_defined is;
    unsigned bits; /**< 0: there is none */
    bool unknown;  /**< is.value is not told */
    uint64_t same; /**< values that have one such number, which is not 0, are equal; those of which
                        it is inverted have opposite bits */
};

struct wt_meant_operands {
    struct wt_meant leaf[WT_M_LEAVES]; /**< by enum wt_meaning_op; `same` is filled in where it
                                            is 0 */
    bool clamp;
};

/** The results of an instruction, by enum wt_meaning_result, of what its meaning says. */
void wt_meant_results(const uint8_t *meaning, const struct wt_meant_operands *in,
                      struct wt_meant result[static WT_RESULTS]);

/** A value whose bits are moved up by @p by (less than 0: down); the bits outside of @p mask are 0.
 */
struct wt_defined wt_defined_moved(struct wt_defined x, int by, uint64_t mask);
/** A value of @p bits bits whose highest bit becomes those of @p mask above it. */
struct wt_defined wt_defined_sign_extended(struct wt_defined x, unsigned bits, uint64_t mask);

/** Whether some of the undefined bits of a value can make it 0, and others not. */
bool wt_defined_may_be_zero_or_not(struct wt_defined x, unsigned bits);

#endif
