/* See dispatches.c. */
#ifndef WT_DEBUG_CORE_DISPATCHES_H
#define WT_DEBUG_CORE_DISPATCHES_H

#include "debug/core/state.h"

/** A scan begins: dbg_see_dispatch() follows for each wave that is active. */
void dbg_begin_dispatches(struct wt_debugger *d);
/** The dispatch that an active wave works on is there, if it has work. */
void dbg_see_dispatch(struct wt_debugger *d, struct wave *w);
/** The id of the dispatch of a wave that a scan has found active; 0: it has none. */
uint64_t dbg_dispatch_of(const struct wt_debugger *d, const struct wave *w);
/** The scan is complete: dispatches that have no wave have ended. */
void dbg_end_dispatches(struct wt_debugger *d);
/** A new run begins, whose dispatches are others. */
void dbg_forget_dispatches(struct wt_debugger *d);
/** Puts into the news which active waves and groups have come or gone since the last time, if
 * clients want it. */
void dbg_tell_waves(struct wt_debugger *d);

#endif
