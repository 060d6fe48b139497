/* See threads.c. */
#ifndef WT_DEBUG_CORE_THREADS_H
#define WT_DEBUG_CORE_THREADS_H

#include "debug/core/state.h"

/** As dbg_scan() where it can have changed: while something runs, waves come and go. */
enum wt_status dbg_refresh(struct wt_debugger *d, struct wt_error *err);
/** Finds a thread's wave, which must be there (WT_INVALID) and stopped (WT_STATE). */
enum wt_status dbg_stopped_thread(struct wt_debugger *d, wt_thread thread, uint32_t *wave,
                                  unsigned *lane, struct wt_error *err);

#endif
