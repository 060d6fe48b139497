/* Which operation on rows an instruction is, by its meaning. */
#ifndef WT_EMULATOR_TRANSLATE_MATCH_H
#define WT_EMULATOR_TRANSLATE_MATCH_H

#include <stdbool.h>
#include <stdint.h>

/** An operation that computes what a meaning says. */
struct wt_rows_match {
    uint8_t op, how, combine; /**< enum wt_rows_op, … as wt_rows_insn has them */
    uint8_t bits;             /**< bits of its widest source */
    uint8_t low;              /**< so many bits of sources 0 and 1 count; 0: all */
    bool is_signed;           /**< as wt_rows_insn has it; of the low bits, too */
    bool carries;             /**< it takes a predicate */
    bool lower;               /**< the lower dwords of qwords, whose result is sign-extended */
    uint8_t sources;
    uint8_t source[3]; /**< each one's leaf: 0 is A */
};

/** Finds the operation of a meaning whose leaves A, B and C have so many bits. @p wide: those of
 * dwords are of qwords, or of the lower dwords of qwords. False: there is none. */
bool wt_rows_match(const uint8_t *meaning, const uint8_t bits[3], bool wide,
                   struct wt_rows_match *m);
/** Likewise the comparison that the condition of a jump is. */
bool wt_rows_match_condition(const uint8_t *condition, const uint8_t bits[3], bool wide,
                             struct wt_rows_match *m);

#endif
