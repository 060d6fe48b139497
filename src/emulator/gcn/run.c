/* What gfx900 does for the engine (machine/engine.h): turns, and why no wave can issue. */
#include "emulator/gcn/trace.h"
#include "emulator/gcn/watch.h"

/* Single step for a debugger: one issue, and the wave stops behind it. */
static uint64_t step(struct gcn_wave *w)
{
    struct wt_machine *m = &w->device->machine;
    const uint64_t incarnation = w->incarnation;
    if (w->step_due) { /* it waited, for a barrier */
        w->step_due = false;
        gcn_kfd_stop(w, w->pc, 0, KFD_EC_QUEUE_WAVE_TRAP);
        return 0;
    }
    wt_begin_turn(m, &w->left, 1);
    const struct gcn_uop *u = gcn_fetch(w, w->pc);
    if (!u)
        return wt_abandon_turn(m);
    u = u->run(w, u);
    if (u)
        w->pc = gcn_pc_of(w, u);
    const uint64_t issued = wt_finish_turn(m, w->left);
    if (!issued || !w->active || w->incarnation != incarnation || w->status & GCN_STATUS_HALT)
        return issued;
    w->step_due = w->at_barrier || w->gws;
    if (!w->step_due)
        gcn_kfd_stop(w, w->pc, 0, KFD_EC_QUEUE_WAVE_TRAP);
    return issued;
}

static uint64_t turn(struct wt_machine *m, uint32_t wave, uint64_t n)
{
    struct gcn_wave *w = &((struct gcn_device *)m)->wave[wave];
    if (w->mode & GCN_MODE_DEBUG_EN && gcn_kfd_handles(w, true))
        return step(w);
    wt_begin_turn(m, &w->left, n);
    const struct gcn_uop *u = gcn_fetch(w, w->pc);
    if (!u)
        return wt_abandon_turn(m);
    u = u->run(w, u);
    while (u && w->left) {
        w->left--;
        u = u->run(w, u);
    }
    if (u)
        w->pc = gcn_pc_of(w, u);
    return wt_finish_turn(m, w->left);
}

/* No cycles pass for debug hardware. */
static void after_turn(struct wt_machine *m, uint32_t wave, uint64_t issued)
{
    (void)m, (void)wave, (void)issued;
}

static enum wt_run blocked(struct wt_machine *m)
{
    const struct gcn_device *d = (const struct gcn_device *)m;
    if (!m->active)
        return d->saving ? WT_RUN_EVENT : WT_RUN_ENDED;
    uint32_t waiting = m->waves;
    for (uint32_t i = 0; i < m->waves; i++) {
        if (d->wave[i].active &&
            (d->wave[i].status & GCN_STATUS_HALT || gcn_dispatch_of(&d->wave[i])->suspended))
            return WT_RUN_HALTED;
        if (d->wave[i].active && waiting == m->waves)
            waiting = i;
    }
    assert(waiting < m->waves);
    m->fault = (struct wt_fault){
        .kind = WT_FAULT_DEADLOCK,
        .wave = waiting,
        .lanes = gcn_exec(&d->wave[waiting]),
        .pc = d->wave[waiting].wait_pc,
        .time = m->time,
        .text = "deadlock: every active wave waits at a barrier for another one",
    };
    return WT_RUN_FAULT;
}

static struct wt_issue next_issue(struct wt_machine *m, uint32_t wave)
{
    const struct gcn_wave *w = &((const struct gcn_device *)m)->wave[wave];
    return gcn_issue_at(w, w->pc, m->time);
}

static bool trace_before(struct wt_machine *m, uint32_t wave)
{
    return gcn_trace_before(&((struct gcn_device *)m)->wave[wave]);
}

static void trace_after(struct wt_machine *m, uint32_t wave, wt_trace_fn fn, void *context)
{
    gcn_trace_after(&((struct gcn_device *)m)->wave[wave], fn, context);
}

const struct wt_engine_ops gcn_engine_ops = {
    .turn = turn,
    .blocked = blocked,
    .next_issue = next_issue,
    .after_turn = after_turn,
    .check = gcn_check,
    .trace_before = trace_before,
    .trace_after = trace_after,
};
