/* The family's part of the engine (machine/engine.h): turns, and the reasons why no wave can issue.
 */
#include "emulator/gcn/know/block.h"
#include "emulator/gcn/trace.h"
#include "emulator/gcn/watch.h"

/* Issues up to n instructions; returns how many. */
static inline uint64_t issue(struct wt_machine *m, struct gcn_wave *w, uint64_t n)
{
    wt_begin_turn(m, &w->left, n);
    const struct gcn_uop *u = gcn_fetch(w, w->pc);
    if (!u)
        return wt_abandon_turn(m);
    gcn_visit(w, u);
    u = u->run(w, u);
    while (u && w->left) {
        w->left--;
        u = u->run(w, u);
    }
    if (u)
        w->pc = gcn_pc_of(w, u);
    return wt_finish_turn(m, w->left);
}

/* The turn of a wave that is to be killed, that is single-stepped, or whose violation is not told.
 */
static __attribute__((noinline)) uint64_t attended_turn(struct wt_machine *m, struct gcn_wave *w,
                                                        uint64_t n)
{
    bool step = false;
    if (w->kill) {
        gcn_kill(w);
        return 0;
    }
    if (!gcn_begin_step(w, &step))
        return 0;
    const uint64_t incarnation = w->incarnation;
    const uint32_t late = w->late;
    const uint64_t issued = issue(m, w, step ? 1 : late && late < n ? late : n);
    if (late && w->late && w->incarnation == incarnation) {
        w->late -= (uint32_t)issued;
        if (!w->late && !m->fault.kind) {
            w->late = 1; /* until it is told */
            gcn_tell_late(w);
        }
    }
    if ((step || w->watch_hits) && issued && !m->fault.kind && w->incarnation == incarnation &&
        w->active)
        gcn_after_instruction(w, step);
    return issued;
}

/* One turn of a wave; how many instructions it has issued. */
static inline uint64_t one_turn(struct wt_machine *m, struct gcn_wave *w, uint64_t n)
{
    if (w->kill | w->step_due | !!w->late | !!(w->mode & GCN_MODE_DEBUG_EN))
        return attended_turn(m, w, n);
    const uint64_t issued = issue(m, w, n);
    /* If the wave has ended and another one is in its slot, that one has hit nothing yet. */
    if (w->watch_hits && issued && !m->fault.kind && w->active)
        gcn_after_instruction(w, false);
    return issued;
}

static uint64_t turn(struct wt_machine *m, uint32_t wave, uint64_t n)
{
    struct gcn_device *d = (struct gcn_device *)m;
    uint64_t issued = one_turn(m, &d->wave[wave], n);
    while (issued && wt_follow_turn(m, issued, &n))
        issued = one_turn(m, &d->wave[m->turns.current], n);
    return issued;
}

static enum wt_run blocked(struct wt_machine *m)
{
    const struct gcn_device *d = (const struct gcn_device *)m;
    if (!m->active && d->launching && !d->saving)
        return WT_RUN_HALTED; /* the debugger holds launches */
    if (!m->active)
        return d->saving ? WT_RUN_EVENT : WT_RUN_ENDED;
    uint32_t waiting = m->waves;
    for (uint32_t i = 0; i < m->waves; i++) {
        if (d->wave[i].active &&
            (gcn_halted(&d->wave[i]) || gcn_dispatch_of(&d->wave[i])->suspended))
            return WT_RUN_HALTED;
        if (d->wave[i].active && waiting == m->waves)
            waiting = i;
    }
    assert(waiting < m->waves);
    return wt_engine_deadlock(m, "every active wave waits at a barrier for another one");
}

const struct wt_engine_ops gcn_engine_ops = {
    .code = &gcn_code_format,
    .turn = turn,
    .joins_turns = wt_engine_keeps_turns,
    .blocked = blocked,
    .issue_at = gcn_issue_at,
    .next_issue = wt_engine_next_issue,
    .after_turn = wt_engine_no_cycles,
    .check = gcn_check,
    .trace_before = gcn_trace_before,
    .trace_after = gcn_trace_after,
};
