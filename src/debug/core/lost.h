/* See lost.c. */
#ifndef WT_DEBUG_CORE_LOST_H
#define WT_DEBUG_CORE_LOST_H

#include "debug/core/state.h"

/** The device did not answer: nothing is known to run any more, and the client is told. */
void dbg_lose(struct wt_debugger *d, const struct wt_error *err);
/** After the device was lost: halts it, and finds out what is left of what was planted. */
enum wt_status dbg_regain(struct wt_debugger *d, struct wt_error *err);

#endif
