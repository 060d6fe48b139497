/* See halt.c. */
#ifndef WT_DEBUG_CORE_HALT_H
#define WT_DEBUG_CORE_HALT_H

#include "debug/core/state.h"

#define DBG_STEP_MS                                                                                \
    50 /**< a step that does not come within that, while all others stand, waits for them */
#define DBG_STOP_MS 2000 /**< a device that does not stop within that is lost */

/** Sets how a wave is to run, and keeps sets.free and the list of stepping waves in agreement. */
void dbg_set_go(struct wt_debugger *d, uint32_t wave, enum wave_go go);
/** Finds out whether anything that was resumed can still be expected to stop. */
void dbg_update_going(struct wt_debugger *d);
/** No wave is known to run any more. */
void dbg_all_stopped(struct wt_debugger *d);
/** Whether all waves of a set that are active have halted. */
enum wt_status dbg_have_halted(struct wt_debugger *d, const struct wt_wave_set *waves, bool *halted,
                               struct wt_error *err);
/** Lets a target that does not run by itself advance by about @p budget issues. */
void dbg_let_advance(struct wt_debugger *d, uint64_t budget);
/** Halts waves, and waits until they have halted. */
enum wt_status dbg_halt(struct wt_debugger *d, const struct wt_wave_set *waves,
                        struct wt_error *err);
/** Waves that are brought to a standstill stay there until it is called without @p keep, as often:
 * the probe's operation keep_still, where it has one. */
enum wt_status dbg_keep_still(struct wt_debugger *d, bool keep, struct wt_error *err);
/** Ends dbg_keep_still(): returns @p status of what was done meanwhile; if that is WT_OK, that of
 * going on. */
enum wt_status dbg_end_still(struct wt_debugger *d, enum wt_status status, struct wt_error *err);
/** Asks every wave to halt, and holds those that begin: they must not start running unseen. */
enum wt_status dbg_ask_everything(struct wt_debugger *d, struct wt_error *err);
/** Halts every wave, those that are not active included: they must not start running unseen. */
enum wt_status dbg_halt_everything(struct wt_debugger *d, struct wt_error *err);

#endif
