/* Stopping, and reporting why. See stop.c. */
#ifndef WT_DEBUG_CORE_STOP_H
#define WT_DEBUG_CORE_STOP_H

#include "debug/core/state.h"

/** Every wave that has to has halted: tells clients, and chooses the thread that commands mean. */
enum wt_status dbg_report(struct wt_debugger *d, const struct stop *stop, struct wt_error *err);
/** All-stop: stops everything and reports, which may take until a later pump. */
enum wt_status dbg_stop_all(struct wt_debugger *d, const struct stop *stop, struct wt_error *err);
/** Likewise for what happened to one wave; non-stop: stops that wave alone. */
enum wt_status dbg_stop(struct wt_debugger *d, const struct stop *stop, struct wt_error *err);
/** Non-stop: halts a wave that runs, and tells of each of its threads. */
enum wt_status dbg_stop_wave(struct wt_debugger *d, uint32_t wave, unsigned lane,
                             struct wt_error *err);
/** Looks whether every wave has halted, and if so reports. */
void dbg_pump_stop(struct wt_debugger *d, uint64_t budget);
/** Takes the probe's events. *ended: the program has ended, which is reported. */
enum wt_status dbg_take_events(struct wt_debugger *d, bool *ended, struct wt_error *err);
/** The device does not answer: whether that is since the program has ended, which is reported. */
bool dbg_tell_end(struct wt_debugger *d);
/** dbg_lose(), unless the program has ended. */
void dbg_lose_or_end(struct wt_debugger *d, const struct wt_error *err);
/** Stops for a mistake of the program, if the device found one. */
enum wt_status dbg_check_fault(struct wt_debugger *d, struct wt_error *err);

/** The device's record of the fault of the wave that is in a slot now; false: there is none. */
bool dbg_wave_fault(struct wt_debugger *d, uint32_t wave, struct wt_fault *fault);
/** The stop for a fault, whose wave is a handle. @p raised: which of topology->exceptions; 0: the
 * fault says. */
struct stop dbg_stop_of(struct wt_debugger *d, const struct wt_fault *fault, uint64_t raised);

#endif
