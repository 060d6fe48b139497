/* See watch_condition.c. */
#ifndef WT_DEBUG_CORE_WATCH_CONDITION_H
#define WT_DEBUG_CORE_WATCH_CONDITION_H

#include "debug/core/state.h"

/** One owner more. NULL is allowed. */
struct wt_watch_condition *dbg_share_watch_condition(struct wt_watch_condition *condition);
/** One owner less; with the last one it is freed. NULL is allowed. */
void dbg_free_watch_condition(struct wt_watch_condition *condition);

/** Whether the engine is to evaluate it. */
bool dbg_judges_in_engine(const struct wt_watch_condition *condition);
/** The condition of watched memory (target.h); @p context is a struct wt_watch_condition. */
wt_lanes dbg_watch_holds_in_engine(void *context, uint32_t wave, uint64_t pc, wt_lanes mask,
                                   uint64_t time);

/**
 * The lanes among @p lanes, which have accessed the memory of @p w, for which its condition holds
 * or fails: the user should see a failure. The wave stands behind the access; @p halted: its
 * registers can be read through the debug hardware. *undecided: nobody here can tell, and all of
 * them are returned. *unread: those for which it fails.
 */
wt_lanes dbg_judge_watch(struct wt_debugger *d, const struct watchpoint *w, uint32_t wave,
                         wt_lanes lanes, bool halted, bool *undecided, wt_lanes *unread);

#endif
