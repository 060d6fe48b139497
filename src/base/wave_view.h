/* The state of a wave beside its registers, for emulators, debuggers and reports. */
#ifndef WT_BASE_WAVE_VIEW_H
#define WT_BASE_WAVE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lanes.h"

/** A wave's position and why it waits: debug hardware often cannot tell. */
struct wt_wave_view {
    bool active;        /**< it has lanes to run (or waits) */
    bool waiting;       /**< it cannot issue until another wave does something */
    char wait[96];      /**< why it waits, for people; "" if it does not */
    uint64_t wait_pc;   /**< the instruction that it waits in */
    bool at_barrier;    /**< it waits at a barrier, of which the next four tell */
    bool between_cores; /**< cores arrive there, not waves of one core */
    unsigned barrier;   /**< its number */
    unsigned arrived, expected;
    uint64_t pc;    /**< next instruction */
    wt_lanes mask;  /**< lanes enabled now */
    unsigned depth; /**< entries of the divergence stack */
    bool parts;     /**< its lanes part at any branch, as on no hardware: an emulator's option */
};

#endif
