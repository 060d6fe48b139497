/* Translated code, and instructions as rows and scalars for it. */
#ifndef WT_EMULATOR_GCN_KNOW_BLOCK_H
#define WT_EMULATOR_GCN_KNOW_BLOCK_H

#include "emulator/gcn/internal.h"
#include "emulator/translate/rows.h"

/* The handler of records that have code. */
const struct gcn_uop *gcn_run_block(struct gcn_wave *w, const struct gcn_uop *u);
/* Translates what begins at a record that has been visited often, if that pays. */
void gcn_translate(struct gcn_wave *w, const struct gcn_uop *u);

/* A turn or a jump comes to a record. What cannot be translated is tried at powers of two. */
static inline const struct gcn_uop *gcn_visit(struct gcn_wave *w, const struct gcn_uop *u)
{
    if (__builtin_expect(u->run == gcn_run_block, true))
        return u;
    const unsigned visits = ++w->code->visits[u - w->code->uop];
    if (__builtin_expect(
            visits > w->device->config.jit - 1 /* 0: never */ && !(visits & (visits - 1)), false))
        gcn_translate(w, u);
    return u;
}

/* Whether a device's code has vectors of 512 bits. */
static inline bool gcn_block_has_512(const struct gcn_device *d)
{
    return !d->config.vectors_256 && wt_rows_has_512();
}

/*
 * The effect of a decoded instruction, for the code's table; rows[0], rows[1] are raised to how
 * many VGPRs and accumulation registers a wave must have for it. False: the code does not execute
 * it itself.
 */
bool gcn_block_insn(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to,
                    uint16_t *rows);

/* Likewise of an instruction on pairs of dwords: two, the second of which follows the first. */
bool gcn_block_pair(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn to[2],
                    uint16_t *rows);

/* Executes the second of them, as an instruction on dwords; returns the record that comes next. */
const struct gcn_uop *gcn_block_run_rest(struct gcn_wave *w, const struct gcn_uop *u);

#endif
