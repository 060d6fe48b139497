/* Step plans: when the step of a lane is done, in either direction. */
#ifndef WT_DEBUG_CORE_PLAN_H
#define WT_DEBUG_CORE_PLAN_H

#include "debug/core/state.h"

/** The plan that a client asks for; @p r is a step or a range. */
struct plan dbg_plan_of(const struct wt_resume *r, unsigned lane);

/** Whether a client asks for a plan rather than for free running. */
static inline bool dbg_has_plan(const struct wt_resume *r)
{
    return r->kind == WT_RESUME_STEP || r->kind == WT_RESUME_RANGE;
}

/** Its wave is about to issue with the lanes @p mask enabled. */
void dbg_plan_issues(struct plan *plan, wt_lanes mask);

/**
 * The wave has moved by one instruction, and stands at @p pc with the lanes @p mask enabled.
 * Whether the plan is done. @p wake_known: the target knows where lanes that sleep wake up.
 */
bool dbg_plan_done(struct plan *plan, uint64_t pc, wt_lanes mask, bool wake_known);

#endif
