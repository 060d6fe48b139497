/* Decides whether a run stops for a breakpoint or a plan. See judge.c. */
#ifndef WT_DEBUG_CORE_JUDGE_H
#define WT_DEBUG_CORE_JUDGE_H

#include "debug/core/state.h"

/** A wave is about to issue an instruction that has a breakpoint. */
struct arrival {
    uint32_t wave;
    uint64_t pc;
    bool backwards; /**< then nothing is printed */
    /** The code that the engine evaluates; NULL: the wave is halted, and its registers are read. */
    struct bp_code *code;
    wt_lanes mask; /**< code: its enabled lanes */
    uint64_t time; /**< code: issue time */
};

/** Runs conditions and commands of a breakpoint. *stops: some client wants to stop, as in *stop. */
enum wt_status dbg_judge_breakpoint(struct wt_debugger *d, const struct breakpoint *bp,
                                    const struct arrival *arrival, bool *stops, struct stop *stop,
                                    struct wt_error *err);

/** The stop of a lane whose plan is done. */
struct stop dbg_plan_stop(uint32_t wave, wt_wave_id id, const struct plan *plan);

#endif
