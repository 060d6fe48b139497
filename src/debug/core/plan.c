/*
 * Step plans. A plan sees the instructions of one wave, forwards or backwards, one at a time, and
 * decides after each whether it is done.
 */
#include "debug/core/plan.h"

struct plan dbg_plan_of(const struct wt_resume *r, unsigned lane)
{
    assert(dbg_has_plan(r));
    return (struct plan){.kind = r->kind, .lane = lane, .start = r->start, .end = r->end};
}

void dbg_plan_issues(struct plan *plan, wt_lanes mask)
{
    plan->enabled = wt_has_lane(mask, plan->lane);
}

/*
 * A step is one instruction of the lane, even if that instruction disables the lane: clients step
 * past a breakpoint before they resume all waves, and the lane's wave must not run ahead of the
 * others. A plan first waits for a disabled lane to be enabled; the lane is then shown where it
 * wakes up, if that has not been reported. A range step ends where the lane is enabled again.
 */
bool dbg_plan_done(struct plan *plan, uint64_t pc, wt_lanes mask, bool wake_known)
{
    const bool enabled = wt_has_lane(mask, plan->lane);
    const bool inside = pc >= plan->start && pc < plan->end;
    const bool done = plan->kind == WT_RESUME_STEP ? plan->enabled || (enabled && !wake_known)
                                                   : enabled && !inside;
    plan->enabled |= enabled;
    return done;
}
