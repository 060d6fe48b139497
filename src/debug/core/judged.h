/* See judged.c. */
#ifndef WT_DEBUG_CORE_JUDGED_H
#define WT_DEBUG_CORE_JUDGED_H

#include "debug/core/state.h"

/** Gives the target the code of breakpoints that are in memory, where that has changed. */
enum wt_status dbg_sync_judged(struct wt_debugger *d, struct wt_error *err);
/** Takes what breakpoints have printed and counted; @p ask: though the target has told of nothing.
 */
void dbg_take_judged(struct wt_debugger *d, bool ask);
/** The lanes that the target has found for a wave that has halted at a breakpoint, as
 * dbg_evaluate() does. False: it has not evaluated its code. */
bool dbg_judged(struct wt_debugger *d, const struct breakpoint *bp, uint32_t wave, wt_lanes *stop);

#endif
