/* Runs that nothing can go on in: waves that wait for others, or spin. See stuck.c. */
#ifndef WT_DEBUG_CORE_STUCK_H
#define WT_DEBUG_CORE_STUCK_H

#include "debug/core/state.h"

/** A run begins: notes what its first entry says. */
void dbg_begin_patience(struct wt_debugger *d, const struct wt_resume *first);
/** Whether the run's client wants to hear that nothing goes on. */
static inline bool dbg_has_patience(const struct wt_debugger *d)
{
    return d->run.patience.wave != WT_NO_HANDLE;
}
/** Its wave has made a step: ends the run if it spins. */
enum wt_status dbg_count_step(struct wt_debugger *d, struct wt_error *err);
/** Ends the run if waves run freely for too long, or (@p still: the device does nothing) if each
 * wave that was resumed waits. */
enum wt_status dbg_end_patience(struct wt_debugger *d, bool still, struct wt_error *err);

#endif
