/* Running through the recorded run, in either direction. See recorded.c. */
#ifndef WT_DEBUG_CORE_RECORDED_H
#define WT_DEBUG_CORE_RECORDED_H

#include "debug/core/state.h"

/** Begins a run: the first plan of the list counts, and all waves go along. */
enum wt_status dbg_begin_recorded(struct wt_debugger *d, bool backwards,
                                  const struct wt_resume *list, size_t count, struct wt_error *err);
/** A part of it; true when it should be called again soon. */
bool dbg_advance_recorded(struct wt_debugger *d, uint64_t budget);
/** Ends it where the device is. */
enum wt_status dbg_interrupt_recorded(struct wt_debugger *d, struct wt_error *err);

#endif
