/*
 * The TAP controller of IEEE 1149.1: its sixteen states, and how TMS moves between them. Both ends
 * of a JTAG link walk the same diagram: the emulated one to know what a clock means, the driving
 * one to know where the other is.
 */
#ifndef WT_BUS_JTAG_TAP_H
#define WT_BUS_JTAG_TAP_H

#include <stdbool.h>
#include <stdint.h>

enum wt_tap_state {
    WT_TAP_RESET, /**< Test-Logic-Reset */
    WT_TAP_IDLE,  /**< Run-Test/Idle */
    WT_TAP_SELECT_DR,
    WT_TAP_CAPTURE_DR,
    WT_TAP_SHIFT_DR,
    WT_TAP_EXIT1_DR,
    WT_TAP_PAUSE_DR,
    WT_TAP_EXIT2_DR,
    WT_TAP_UPDATE_DR,
    WT_TAP_SELECT_IR,
    WT_TAP_CAPTURE_IR,
    WT_TAP_SHIFT_IR,
    WT_TAP_EXIT1_IR,
    WT_TAP_PAUSE_IR,
    WT_TAP_EXIT2_IR,
    WT_TAP_UPDATE_IR,
    WT_TAP_STATES,
};

/** Rising TCK edges with TMS at 1 that lead from any state to Test-Logic-Reset. */
enum { WT_TAP_RESET_CLOCKS = 5 };

/** The state after a rising TCK edge with @p tms. */
enum wt_tap_state wt_tap_next(enum wt_tap_state state, bool tms);

/**
 * The shortest way from one state to another: its length in clocks, at most 8. Bit i of *tms is
 * TMS at clock i. From a state to itself the way is empty.
 */
unsigned wt_tap_path(enum wt_tap_state from, enum wt_tap_state to, uint32_t *tms);

#endif
