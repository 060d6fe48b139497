/* See known.c. */
#ifndef WT_DEBUG_CORE_KNOWN_H
#define WT_DEBUG_CORE_KNOWN_H

#include "debug/core/state.h"

/** Notes that the device did not answer an access, where that is what @p status says; returns it.
 */
enum wt_status dbg_note(struct wt_debugger *d, enum wt_status status);
/**
 * The target tells of the wave @p id in a handle's slot. If it is not the one that was known there,
 * all that was known of the handle is forgotten; the next scan describes it. WT_NO_WAVE: the
 * target does not say which wave it is, and the probe's table counts.
 */
void dbg_meet(struct wt_debugger *d, uint32_t wave, wt_wave_id id);
/** The probe's operation describe_wave, with the device and core that the program has. */
void dbg_describe(const struct wt_debugger *d, uint32_t wave, struct wt_wave *described);
/** Refuses what needs a stopped wave: WT_STATE, by the wave's name. */
enum wt_status dbg_refuse_running(const struct wt_debugger *d, const struct wave *w,
                                  struct wt_error *err);
/** Looks at which waves are active and (may be NULL) halted. */
enum wt_status dbg_scan(struct wt_debugger *d, struct wt_wave_set *halted, struct wt_error *err);
/** A copy of the rows of all waves, which the caller frees; rows that come later are blank in it.
 * NULL without host memory. */
struct wave *dbg_copy_waves(const struct wt_debugger *d);
/** Whether a wave is bound to the handle and active, as of the last scan. */
bool dbg_is_active(struct wt_debugger *d, uint32_t wave);
/** Whether some active wave runs freely (GO_FREE), as of the last scan. */
bool dbg_any_free_active(struct wt_debugger *d);
/** How many active waves run freely, as of the last scan. */
uint32_t dbg_count_free_active(struct wt_debugger *d);
/** Invalidates the cached state of a wave that has moved or will move. */
void dbg_forget(struct wt_debugger *d, uint32_t wave);
/** Likewise for every wave. */
void dbg_forget_all(struct wt_debugger *d);
/** Reads pc and halt cause of a stopped wave, unless they are known. */
enum wt_status dbg_need_pc(struct wt_debugger *d, uint32_t wave, struct wt_error *err);
/** Reads the enabled lanes of a stopped wave, unless they are known. */
enum wt_status dbg_need_mask(struct wt_debugger *d, uint32_t wave, struct wt_error *err);
/** Reads the target's details of a wave beside its registers. False, and an empty detail: it has
 * none. */
bool dbg_wave_detail(struct wt_debugger *d, uint32_t wave, struct wt_wave_detail *detail);
/** The cause for which a wave waits: from its detail or, of a target that has none, from what it
 * tells instead. False: the target does not know. */
bool dbg_wave_view(struct wt_debugger *d, uint32_t wave, struct wt_wave_view *view);
/** Where a lane that is masked off wakes up, as far as the divergence stack tells; else @p pc. */
uint64_t dbg_wake_up_pc(const struct wt_wave_detail *detail, unsigned lane, uint64_t pc);
/** Whether a lane that is masked off is known to wait in the wave's divergence stack. */
bool dbg_lane_waits(struct wt_debugger *d, uint32_t wave, unsigned lane);
/** The pc of a lane of a stopped wave: where it will wake up, if it is masked off. */
enum wt_status dbg_lane_pc(struct wt_debugger *d, uint32_t wave, unsigned lane, uint64_t *pc,
                           struct wt_error *err);

#endif
