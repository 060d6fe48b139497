/* Reports of watchpoints. See hits.c. */
#ifndef WT_DEBUG_CORE_HITS_H
#define WT_DEBUG_CORE_HITS_H

#include "debug/core/state.h"

/** Whether the target watches anything for the debugger. */
bool dbg_is_watching(const struct wt_debugger *d);

/** How accesses are found; flags. */
enum dbg_hits_how {
    DBG_HITS_BACKWARDS = 1, /**< by a run that goes back */
    DBG_HITS_HALTED = 2,    /**< debug hardware can read the registers of the wave that made them */
};

/**
 * Makes the reports of the accesses of one instruction, in place of those of the last one. False:
 * they concern no watchpoint, or none whose condition holds, and the reports of the last one stay.
 * @p how: enum dbg_hits_how.
 */
bool dbg_take_hits(struct wt_debugger *d, const struct wt_watchpoint_hit *list, size_t count,
                   unsigned how);

/** Begins the reports of the accesses of one instruction that debug hardware has found. */
void dbg_begin_watched(struct wt_debugger *d);
/**
 * Adds the reports of one access of a halted wave: of each watchpoint that it concerns and whose
 * condition holds. False: it concerns none.
 */
bool dbg_add_watched(struct wt_debugger *d, const struct wt_watchpoint_hit *hit);
/** The stop for such an access, where no watchpoint is for it. */
struct wt_event dbg_event_of_watched(const struct wt_watchpoint_hit *hit);

/** The next report that some client still wants, on a way in the same direction; false: none. */
bool dbg_next_hit(struct wt_debugger *d, bool backwards, struct stop *stop);

/** Forgets the reports. */
void dbg_drop_hits(struct wt_debugger *d);

#endif
