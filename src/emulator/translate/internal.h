/* Shared by the translator's files. */
#ifndef WT_EMULATOR_TRANSLATE_INTERNAL_H
#define WT_EMULATOR_TRANSLATE_INTERNAL_H

#include "emulator/translate/rows.h"

/* The state of an emission; it serves any number of them. */
struct emitter;
/* NULL without host memory. */
struct emitter *wt_rows_emitter_new(void);
/* NULL is allowed. */
void wt_rows_emitter_free(struct emitter *e);

/* Machine code that does not lie where it is executed yet. */
struct wt_rows_code {
    const uint8_t *bytes;              /* the emitter's, until it emits again */
    size_t size, first[WT_ROWS_CODES]; /* where the code of each kind begins */
    uint32_t *entry; /* the entry of each instruction, for each kind; then targets of branches; the
                        caller frees it */
    size_t targets;
    size_t kinds;            /* kinds of code */
    size_t unseen;           /* where code begins that stores no rows; */
    uint32_t unseen_first;   /* … where instruction 0 does, behind that; */
    uint32_t unseen_longest; /* … its instructions at most; 0: there is none */
};

/* Emits a block; false: it takes too much memory. */
bool wt_rows_emit(struct emitter *e, const struct wt_rows_shape *shape,
                  const struct wt_rows_insn *insn, size_t count, struct wt_rows_code *to);

#endif
