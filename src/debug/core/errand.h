/* See errand.c. */
#ifndef WT_DEBUG_CORE_ERRAND_H
#define WT_DEBUG_CORE_ERRAND_H

#include "debug/core/state.h"

/** Runs some parts of the replay that is under way; true. */
bool dbg_run_errand(struct wt_debugger *d);
/** Ends it: where the device is, or after the way back. An event follows. */
enum wt_status dbg_give_up_errand(struct wt_debugger *d, struct wt_error *err);
/** Tells who waits for it that an errand of this kind has ended with the run that it was in. */
void dbg_tell_dropped(struct wt_debugger *d, enum errand_kind kind);

#endif
