/* The table of breakpoints: what each client wants at an address. See breakpoints.c. */
#ifndef WT_DEBUG_CORE_BREAKPOINTS_H
#define WT_DEBUG_CORE_BREAKPOINTS_H

#include "debug/core/state.h"

/** The breakpoint at @p addr; NULL: none. The pointer is valid until the table changes. */
struct breakpoint *dbg_find_breakpoint(struct wt_debugger *d, uint64_t addr);
/** Whether a wave that comes to it is stopped, or asked; NULL is not set. */
bool dbg_is_set(const struct breakpoint *bp);

/**
 * Adds what one client wants at @p addr, or replaces it. Expressions are shared. On failure nothing
 * has changed.
 */
enum wt_status dbg_claim_breakpoint(struct wt_debugger *d, uint32_t owner, uint64_t addr,
                                    struct wt_expr *const *conditions, size_t condition_count,
                                    struct wt_expr *const *commands, size_t command_count,
                                    struct wt_error *err);
/** Removes what one client wants there; WT_INVALID if that is nothing. */
enum wt_status dbg_unclaim_breakpoint(struct wt_debugger *d, uint32_t owner, uint64_t addr,
                                      struct wt_error *err);
/** Removes what all clients want, at every address. What is planted stays until the next sync. */
void dbg_unclaim_all_breakpoints(struct wt_debugger *d);

/** Frees entries that neither a client wants nor memory or the target have. */
void dbg_drop_breakpoints(struct wt_debugger *d);
/** Frees the table, when the debugger closes. Memory is left as it is. */
void dbg_free_breakpoints(struct wt_debugger *d);

#endif
