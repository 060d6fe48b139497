/* See watchpoints.c. */
#ifndef WT_DEBUG_CORE_WATCHPOINTS_H
#define WT_DEBUG_CORE_WATCHPOINTS_H

#include "debug/core/state.h"

/** Whether @p w is of that kind, range and `changes`, whoever it belongs to. */
bool dbg_same_watchpoint(const struct watchpoint *w, const struct wt_watchpoint *at, bool changes);
/** A watchpoint as the target is to watch it. */
struct wt_watchpoint dbg_watched_memory(const struct watchpoint *w);
/** The watchpoint that an equal request has inserted; NULL: none. Valid until the list changes. */
struct watchpoint *dbg_find_watchpoint(struct wt_debugger *d,
                                       const struct wt_watchpoint_request *r);
/** Converts a client's request to the watchpoint that the target takes. */
enum wt_status dbg_resolve_watchpoint(struct wt_debugger *d, const struct wt_watchpoint_request *r,
                                      struct wt_watchpoint *at, struct wt_error *err);
/** Frees entries that neither a client wants nor the target watches. */
void dbg_drop_watchpoints(struct wt_debugger *d);
/** A list, to be freed, of the memory that the client wants watched. */
enum wt_status dbg_list_watchpoints(struct wt_debugger *d, struct wt_watchpoint **list,
                                    size_t *count, struct wt_error *err);
/** Makes room for one more watchpoint and its reports; false without host memory. */
bool dbg_reserve_watchpoint(struct wt_debugger *d);
/** Frees the list, when the debugger closes. */
void dbg_free_watchpoints(struct wt_debugger *d);

#endif
