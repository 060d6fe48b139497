/* See lost.c. */
#ifndef WT_DEBUG_CORE_LOST_H
#define WT_DEBUG_CORE_LOST_H

#include "debug/core/state.h"

/** The device did not answer: no wave counts as running any more, and the clients are told. */
void dbg_lose(struct wt_debugger *d, const struct wt_error *err);
/** After the device was lost: halts it, and finds out which planted breakpoints are still in
 * memory. */
enum wt_status dbg_regain(struct wt_debugger *d, struct wt_error *err);

#endif
