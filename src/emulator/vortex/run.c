/* The main loop. */
#include "emulator/vortex/watch.h"

#include "emulator/vortex/trace.h"

/* Lets w issue up to n instructions; returns how many it has issued. */
static uint64_t turn(struct vx_device *d, struct vx_warp *w, uint64_t n)
{
    vx_tlb_switch_core(d, w->core);
    d->slice = n;
    w->left = n - 1;
    d->not_issued = false;
    const struct vx_uop *u = vx_fetch(w, w->pc);
    if (!u)
        return 0;
    u = u->run(w, u);
    while (u && w->left) {
        w->left--;
        u = u->run(w, u);
    }
    if (u)
        w->pc = vx_pc_of(w, u);
    /* A watch may have cut it short. */
    const uint64_t issued = d->slice - w->left - d->not_issued;
    d->machine.time += issued;
    w->core->issues += issued;
    return issued;
}

/* No warp can issue: why? */
static enum wt_run stopped(struct vx_device *d)
{
    if (d->active_warps == 0)
        return WT_RUN_ENDED;
    if (d->halted_active)
        return WT_RUN_HALTED;
    uint32_t id = 0;
    while (!d->warp[id].active)
        id++;
    d->machine.fault = (struct wt_fault){
        .kind = WT_FAULT_DEADLOCK,
        .wave = id,
        .lanes = d->warp[id].mask,
        .pc = d->warp[id].wait_pc,
        .time = d->machine.time,
        .text = "deadlock: every active warp waits for another one",
    };
    return WT_RUN_FAULT;
}

static enum wt_run run_turns(struct vx_device *d, uint64_t issues, vx_trace_fn fn, void *context)
{
    struct wt_machine *m = &d->machine;
    if (m->fault.kind)
        return WT_RUN_FAULT;
    if (d->event) { /* a watch was told instead when it happened */
        d->event = false;
        return WT_RUN_EVENT;
    }
    const uint64_t end = m->time + issues, resets = m->resets;
    struct wt_watch_set *places = m->watch && m->watch->places ? m->watch : NULL;
    while (m->time < end) {
        if (places)
            wt_watch_set_keep_turns(places, &d->turns);
        if (!wt_turns_next(&d->turns))
            return stopped(d);
        struct vx_warp *w = &d->warp[d->turns.current];
        uint64_t n = end - m->time < d->turns.left ? end - m->time : d->turns.left;
        if (places && vx_watches_issue(d, w)) {
            n = 1;
            if (vx_watch_before_issue(w)) {
                wt_watch_set_undo_turns(places, &d->turns);
                return WT_RUN_WATCH;
            }
        }
        /* Cycles of the Debug Module pass after each issue, however many are asked for. */
        if (w->stepping || vx_dm_busy(d))
            n = 1;
        uint64_t issued;
        if (fn) {
            struct vx_trace_point point;
            vx_trace_before(w, &point);
            issued = turn(d, w, 1);
            if (issued)
                vx_trace_after(w, &point, fn, context);
        } else {
            issued = turn(d, w, n);
        }
        d->turns.left -= (uint32_t)issued;
        if (w->stepping && (issued || m->fault.kind))
            vx_dm_stepped(w);
        vx_dm_tick(d, issued);
        if (m->fault.kind)
            return WT_RUN_FAULT;
        if (m->hits) {
            /* Before an instruction: as if the scheduler had not got there. */
            if (places && !issued)
                wt_watch_set_undo_turns(places, &d->turns);
            return WT_RUN_WATCH;
        }
        if (d->event || m->resets != resets) {
            d->event = false;
            return WT_RUN_EVENT;
        }
    }
    return d->active_warps ? WT_RUN_BUDGET : WT_RUN_ENDED;
}

static enum wt_run run(struct vx_device *d, uint64_t issues, vx_trace_fn fn, void *context)
{
    wt_watch_set_run(&d->machine, true);
    const enum wt_run run = run_turns(d, issues, fn, context);
    wt_watch_set_run(&d->machine, false);
    if (run != WT_RUN_WATCH)
        d->machine.hits = 0;
    return run;
}

enum wt_run vx_run(struct wt_machine *m, uint64_t issues)
{
    return run((struct vx_device *)m, issues, NULL, NULL);
}

enum wt_run vx_run_traced(struct vx_device *device, uint64_t issues, vx_trace_fn fn, void *context)
{
    return run(device, issues, fn, context);
}

bool vx_issue_one(struct vx_warp *w)
{
    if (!w->active || w->wait != VX_RUNS || w->halted || w->device->machine.fault.kind)
        return false;
    size_t hits = 0;
    vx_watch_before_step(w, &hits);
    if (turn(w->device, w, 1)) {
        /* If it was its turn anyway, that is what it has used: a debugger that takes it past a
         * breakpoint does not change the order in which warps issue. */
        struct wt_turns *turns = &w->device->turns;
        if (turns->current == w->id && turns->left)
            turns->left--;
        return true;
    }
    w->device->machine.hits = hits;
    return false;
}
