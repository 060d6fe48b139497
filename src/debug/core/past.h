/* See past.c. */
#ifndef WT_DEBUG_CORE_PAST_H
#define WT_DEBUG_CORE_PAST_H

#include "debug/core/state.h"

/** WT_OK where the device can be put to the past now. */
enum wt_status dbg_need_history(struct wt_debugger *d, struct wt_error *err);
/** Keeps the state of the present, to which the device comes back. */
enum wt_status dbg_leave_present(struct wt_debugger *d, struct wt_error *err);
/** Ends the way through the recorded run, with the errand that it belongs to. No event follows. */
void dbg_end_travel(struct wt_debugger *d);
/** The program begins anew: there is no past any more. */
void dbg_forget_past(struct wt_debugger *d);
/** The device was put somewhere: nothing that was known of its waves holds. */
enum wt_status dbg_arrive(struct wt_debugger *d, struct wt_error *err);
/** Puts the device to an issue time, every wave halted. */
enum wt_status dbg_go(struct wt_debugger *d, uint64_t time, struct wt_error *err);
/** Goes back to the present, if the device is in the past. */
enum wt_status dbg_to_present(struct wt_debugger *d, struct wt_error *err);
/** The user changes something: in the past, the recorded run after this point is dropped. */
enum wt_status dbg_change_past(struct wt_debugger *d, struct wt_error *err);
/** Whether there is an issue time before the present one to go to. */
bool dbg_has_past(struct wt_debugger *d);

/** Halts every wave where the device was put, to inspect it. */
enum wt_status dbg_inspect_here(struct wt_debugger *d, struct wt_error *err);

/** Whether the mistake of a wave at an issue time has been reported. */
bool dbg_was_told(const struct wt_debugger *d, wt_wave_id id, uint64_t time);
/** All have halted for the mistake of a wave at @p time: goes back to before its access, if the run
 * is recorded. */
enum wt_status dbg_go_before_mistake(struct wt_debugger *d, wt_wave_id id, uint64_t time,
                                     struct wt_error *err);

#endif
