/* Running on the device, forwards. See live.c and resume.c. */
#ifndef WT_DEBUG_CORE_LIVE_H
#define WT_DEBUG_CORE_LIVE_H

#include "debug/core/state.h"

/** Lets the device advance for a while; true when it should be called again soon. */
bool dbg_advance_live(struct wt_debugger *d, uint64_t budget);
/** Stops everything; non-stop: each wave that runs. */
enum wt_status dbg_interrupt_live(struct wt_debugger *d, struct wt_error *err);

#endif
