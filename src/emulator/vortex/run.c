/* Vortex's part of the engine (machine/engine.h): turns, and the reasons why no warp can issue. */
#include <stdio.h>

#include "emulator/vortex/trace.h"
#include "emulator/vortex/watch.h"

/* Lets w issue up to n instructions; returns how many it has issued. */
static uint64_t issue(struct vx_device *d, struct vx_warp *w, uint64_t n)
{
    struct wt_machine *m = &d->machine;
    vx_note_change(w);
    if (d->tlb_core != w->core)
        vx_tlb_switch_core(d, w->core);
    wt_begin_turn(m, &w->left, n);
    const struct vx_uop *u = vx_fetch(w, w->pc);
    if (!u)
        return wt_abandon_turn(m);
    if (vx_visit(w, u))
        vx_translate(w, u);
    u = u->run(w, u);
    while (u && w->left) {
        w->left--;
        u = u->run(w, u);
    }
    d->handlers->leave();
    if (u)
        w->pc = vx_pc_of(w, u);
    const uint64_t issued = wt_finish_turn(m, w->left);
    if (issued && w->parts && w->active && !m->fault.kind) /* lanes stay before what halts them */
        vx_meet(w);
    w->core->issues += issued;
    return issued;
}

static uint64_t turn(struct wt_machine *m, uint32_t wave, uint64_t n)
{
    struct vx_device *d = (struct vx_device *)m;
    struct vx_warp *w = &d->warp[wave];
    /* Cycles of the Debug Module pass after each issue, however many are asked for. No instruction
     * makes a request of it. */
    m->attended = w->stepping || vx_dm_busy(d);
    return issue(d, w, m->attended || w->parts ? 1 : n);
}

static void after_turn(struct wt_machine *m, uint32_t wave, uint64_t issued)
{
    struct vx_device *d = (struct vx_device *)m;
    struct vx_warp *w = &d->warp[wave];
    if (w->stepping && (issued || m->fault.kind))
        vx_dm_stepped(w);
    vx_dm_tick(d, issued);
}

/* A warp that waits at a barrier for more warps of its CTA than the core has slots for; NULL: none
 * does. The rest of the CTA cannot start before these end. */
static const struct vx_warp *too_large(const struct vx_device *d)
{
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        const struct vx_warp *w = &d->warp[i];
        const bool barrier = w->wait == VX_WAIT_BARRIER || w->wait == VX_WAIT_PHASE;
        if (w->active && w->of_cta && barrier && w->size > d->config.warps)
            return w;
    }
    return NULL;
}

static enum wt_run blocked(struct wt_machine *m)
{
    const struct vx_device *d = (const struct vx_device *)m;
    if (!m->active)
        return WT_RUN_ENDED;
    if (d->halted_active)
        return WT_RUN_HALTED;
    uint32_t id = 0;
    while (!d->warp[id].active)
        id++;
    const enum wt_run run = wt_engine_deadlock(m, "every active warp waits for another one");
    const struct vx_warp *large = too_large(d);
    if (large)
        snprintf(
            m->fault.text, sizeof m->fault.text,
            "a CTA of %u warps at a barrier, on a core of %u: its other warps start when these "
            "have ended",
            large->size, d->config.warps);
    vx_mark_fault((struct vx_device *)m);
    return run;
}

const struct wt_engine_ops vx_engine_ops = {
    .code = &vx_code_format,
    .turn = turn,
    .joins_turns = wt_engine_joins_turns,
    .blocked = blocked,
    .issue_at = vx_issue_at,
    .next_issue = wt_engine_next_issue,
    .after_turn = after_turn,
    .check = vx_check,
    .trace_before = vx_trace_before,
    .trace_after = vx_trace_after,
};

bool vx_issue_one(struct vx_warp *w)
{
    struct wt_machine *m = &w->device->machine;
    if (!w->active || w->wait != VX_RUNS || w->halted || m->fault.kind)
        return false;
    size_t hits = 0;
    vx_watch_before_step(w, &hits);
    const struct wt_issue next = vx_issue_at(&w->head, w->pc, m->time);
    if (m->observer)
        wt_observe_before(m, &next);
    const bool issued = issue(w->device, w, 1);
    if (m->observer)
        wt_observe_after(m, &next, issued);
    if (issued) {
        /* If it was its turn anyway, that is what it has used: a debugger that takes it past a
         * breakpoint does not change the order in which warps issue. */
        if (m->turns.current == w->id && m->turns.left)
            m->turns.left--;
        return true;
    }
    m->hits = hits;
    return false;
}
