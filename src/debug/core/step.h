/* One instruction of one wave. See step.c. */
#ifndef WT_DEBUG_CORE_STEP_H
#define WT_DEBUG_CORE_STEP_H

#include "debug/core/state.h"

enum turn {
    TURN_WAITS, /**< the instruction cannot issue yet */
    TURN_MOVED, /**< it has; another one is to follow */
    TURN_OVER,  /**< nothing more to do: it stopped, or runs freely now */
};

/** Says once that a step cannot be done. */
void dbg_tell_waiting(struct wt_debugger *d, uint32_t wave);
/** A halted wave stands at a breakpoint: stops for it (*stopped), or lets the wave pass. */
enum wt_status dbg_come_to_breakpoint(struct wt_debugger *d, uint32_t wave, struct breakpoint *bp,
                                      bool *stopped, struct wt_error *err);
/** A wave has come to a breakpoint instruction of the program's own: stops for it. */
enum wt_status dbg_come_to_trap(struct wt_debugger *d, uint32_t wave, struct wt_error *err);
/** A wave has halted for an access that debug hardware watches; *stopped: it is reported. */
enum wt_status dbg_come_to_watch(struct wt_debugger *d, uint32_t wave, bool *stopped,
                                 struct wt_error *err);
/** A wave has halted for a mistake of the program's. */
enum wt_status dbg_come_to_exception(struct wt_debugger *d, uint32_t wave, struct wt_error *err);
/** Asks the target for hits of what it watches (*any: some), and stops for them if a client wants
 * that. */
enum wt_status dbg_check_hits(struct wt_debugger *d, bool *any, bool *stopped,
                              struct wt_error *err);
/** Takes back a step that has not been done, and closes the gap that it left in a breakpoint. */
enum wt_status dbg_take_back_step(struct wt_debugger *d, uint32_t wave, struct wt_error *err);
/** A stepping wave's turn. */
enum wt_status dbg_take_turn(struct wt_debugger *d, uint32_t wave, enum turn *turn,
                             struct wt_error *err);

#endif
