/* The reasons why a run of a machine returns, and the description of one issue. */
#ifndef WT_EMULATOR_MACHINE_RUN_H
#define WT_EMULATOR_MACHINE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lanes.h"

/** The reason why a run has returned. */
enum wt_run {
    WT_RUN_BUDGET, /**< all issues asked for were done */
    WT_RUN_EVENT, /**< the debug hardware did something that a debugger wants to see (a wave halted)
                   */
    WT_RUN_HALTED, /**< nothing can issue until the debug hardware lets a wave go */
    WT_RUN_ENDED,  /**< no wave is active any more: the program has ended */
    WT_RUN_FAULT,  /**< the program made a mistake; see wt_machine.fault. Nothing issues until
                      cleared */
    WT_RUN_WATCH,  /**< a watch was hit; see wt_machine.hit. Reported after FAULT, before EVENT */
};

/** An issue: which wave, when, where, and with which lanes enabled. */
struct wt_issue {
    uint64_t time, pc;
    uint32_t wave;
    wt_lanes mask;
    bool executes; /**< it counts for EXECUTE watches: on Vortex, a lane is enabled */
    bool issues;   /**< it counts for ISSUE watches: no breakpoint halts the wave instead, either */
    uint32_t frame; /**< where the wave's registers are in their file, for families that move them;
                         else 0 */
};

#endif
