/* Instructions as rows and scalars, for translated code. */
#ifndef WT_EMULATOR_GCN_KNOW_BLOCK_H
#define WT_EMULATOR_GCN_KNOW_BLOCK_H

#include "emulator/gcn/internal.h"
#include "emulator/translate/rows.h"

/* Whether a device's code has vectors of 512 bits. */
static inline bool gcn_block_has_512(const struct gcn_device *d)
{
    return !d->config.vectors_256 && wt_rows_has_512();
}

/*
 * What a decoded instruction does, for the code's table; in *vgprs how many vector registers a wave
 * must have for it. False: the code does not execute it itself.
 */
bool gcn_block_insn(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to,
                    unsigned *vgprs);

#endif
