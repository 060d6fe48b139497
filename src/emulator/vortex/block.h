/* Instructions as rows, for translated code. */
#ifndef WT_EMULATOR_VORTEX_BLOCK_H
#define WT_EMULATOR_VORTEX_BLOCK_H

#include "emulator/translate/rows.h"
#include "emulator/vortex/internal.h"

/** A decoded instruction as the code's table has it; false: the code does not execute it itself. */
bool vx_as_rows(const struct vx_warp *w, const struct vx_uop *u, enum vx_insn_id id,
                struct wt_rows_insn *to);

#endif
