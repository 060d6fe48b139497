/*
 * The parser of one instruction's text: what asm.c, which walks the rows of isa.def, and
 * asm_operand.c, which takes their operands, share.
 */
#ifndef WT_EMULATOR_SM_SASS_ASM_H
#define WT_EMULATOR_SM_SASS_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "emulator/sm/sass/isa.h"

/** The instruction being parsed, for one row and one form. */
struct sm_asm {
    const char *text, *at;
    uint64_t pc, word;
    unsigned reuse;
    enum sm_form form;
    sm_label_fn label;
    void *context;
    const char *farthest; /**< where the last failure was */
    char why[160];
    bool undefined; /**< a label is missing: no other row helps */
    bool phase;     /**< a texture instruction: no operand is kept for reuse */
    bool no_types;  /**< a video instruction's operands are both signed words */
};

/** Skips blanks and tabs. */
void sm_asm_blanks(struct sm_asm *p);
/** Notes a mistake at p->at if it is the farthest one; false, for the caller to return. */
static inline bool sm_asm_bad(struct sm_asm *p, const char *why)
{
    if (!p->farthest || p->at >= p->farthest) {
        p->farthest = p->at;
        snprintf(p->why, sizeof p->why, "%s", why);
    }
    return false;
}
/** Takes @p chars; false, and nothing is taken, where they are not at p->at. */
bool sm_asm_take(struct sm_asm *p, const char *chars);
/** Whether a character cannot continue a name. */
bool sm_asm_ends_word(char c);
/** Sets @p width bits of the word from bit @p pos on. */
void sm_asm_set(struct sm_asm *p, unsigned pos, unsigned width, uint64_t value);
/** Sets a field of the word. */
void sm_asm_set_field(struct sm_asm *p, enum sm_field_id id, unsigned value);

/* These take a piece of the text, set its bits, and return false where it is not there, with its
 * mistake noted by sm_asm_bad(). */

/** A predicate register, whose number becomes *number. No bits are set. */
bool sm_asm_predicate(struct sm_asm *p, unsigned *number);
/** The longest name of a field's value at p->at. Neither bits nor a mistake are noted. */
bool sm_asm_name(struct sm_asm *p, const struct sm_field *f, unsigned *value);
/** A modifier, the name of a field's value. */
bool sm_asm_modifier(struct sm_asm *p, enum sm_field_id id);
/** ".T" and ".P" of a texture instruction, which may be left out. */
bool sm_asm_phase(struct sm_asm *p);
/** The types of a video instruction: two, or none for signed words. */
bool sm_asm_types(struct sm_asm *p, const struct sm_item *item);
/** An operand. */
bool sm_asm_operand(struct sm_asm *p, const struct sm_item *item);

#endif
