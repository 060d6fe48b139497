/* See sync.c. */
#ifndef WT_DEBUG_CORE_SYNC_H
#define WT_DEBUG_CORE_SYNC_H

#include "debug/core/state.h"

/** Plants inserted breakpoints, and lifts all others. */
enum wt_status dbg_sync_breakpoints(struct wt_debugger *d, struct wt_error *err);
/** A breakpoint as the target is to watch it, or to search for it. */
struct wt_watchpoint dbg_watched_code(const struct breakpoint *bp);
/** Gives the target the list of inserted watchpoints and evaluated breakpoints. */
enum wt_status dbg_sync_watchpoints(struct wt_debugger *d, struct wt_error *err);
/** Inserts breakpoints into memory, and gives the target its list as dbg_sync_watchpoints() does.
 */
enum wt_status dbg_sync_all(struct wt_debugger *d, struct wt_error *err);

#endif
