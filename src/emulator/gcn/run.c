/* The main loop. */
#include "emulator/gcn/trace.h"
#include "emulator/gcn/watch.h"

#include <stdio.h>

/* Lets w issue up to n instructions; returns how many it has issued. */
static uint64_t turn(struct gcn_device *d, struct gcn_wave *w, uint64_t n)
{
    d->slice = n;
    w->left = n - 1;
    d->not_issued = false;
    const struct gcn_uop *u = gcn_fetch(w, w->pc);
    if (!u)
        return 0;
    u = u->run(w, u);
    while (u && w->left) {
        w->left--;
        u = u->run(w, u);
    }
    if (u)
        w->pc = gcn_pc_of(w, u);
    /* A watch may have cut it short. */
    const uint64_t issued = d->slice - w->left - d->not_issued;
    d->machine.time += issued;
    return issued;
}

/* No wave can issue: why? */
static enum wt_run stopped(struct gcn_device *d)
{
    if (d->active_waves == 0)
        return d->saving ? WT_RUN_EVENT : WT_RUN_ENDED;
    uint32_t waiting = d->machine.waves;
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        if (d->wave[i].active && d->wave[i].status & GCN_STATUS_HALT)
            return WT_RUN_HALTED;
        if (d->wave[i].active && waiting == d->machine.waves)
            waiting = i;
    }
    d->machine.fault = (struct wt_fault){
        .kind = WT_FAULT_DEADLOCK,
        .wave = waiting,
        .lanes = gcn_exec(&d->wave[waiting]),
        .pc = d->wave[waiting].wait_pc,
        .time = d->machine.time,
        .text = "deadlock: every active wave waits at a barrier for another one",
    };
    return WT_RUN_FAULT;
}

/* What a traced run has beside the run itself. */
struct tracer {
    struct gcn_trace_point point;
    struct gcn_disassembler *disassembler;
    gcn_trace_fn fn;
    void *context;
};

static enum wt_run run_turns(struct gcn_device *d, uint64_t issues, struct tracer *tracer)
{
    struct wt_machine *m = &d->machine;
    if (m->fault.kind)
        return WT_RUN_FAULT;
    const uint64_t end = m->time + issues;
    struct wt_watch_set *places = m->watch && m->watch->places ? m->watch : NULL;
    while (m->time < end) {
        if (places)
            wt_watch_set_keep_turns(places, &d->turns);
        if (!wt_turns_next(&d->turns))
            return stopped(d);
        struct gcn_wave *w = &d->wave[d->turns.current];
        uint64_t n = end - m->time < d->turns.left ? end - m->time : d->turns.left;
        if (places && wt_watch_set_issues(places, w->id)) {
            n = 1;
            if (gcn_watch_before_issue(w)) {
                wt_watch_set_undo_turns(places, &d->turns);
                return WT_RUN_WATCH;
            }
        }
        if (tracer) {
            gcn_trace_before(w, &tracer->point);
            n = 1;
        }
        const uint64_t issued = turn(d, w, n);
        if (tracer && issued)
            gcn_trace_after(w, &tracer->point, tracer->disassembler, tracer->fn, tracer->context);
        /* s_sleep gives the rest of its turn away. */
        d->turns.left -= d->turns.left < issued ? d->turns.left : (uint32_t)issued;
        if (m->fault.kind)
            return WT_RUN_FAULT;
        if (m->hits) {
            /* Before an instruction: as if the scheduler had not got there. */
            if (places && !issued)
                wt_watch_set_undo_turns(places, &d->turns);
            return WT_RUN_WATCH;
        }
        if (d->event) {
            d->event = false;
            return WT_RUN_EVENT;
        }
    }
    return d->active_waves ? WT_RUN_BUDGET : d->saving ? WT_RUN_EVENT : WT_RUN_ENDED;
}

static enum wt_run run(struct gcn_device *d, uint64_t issues, struct tracer *tracer)
{
    wt_watch_set_run(&d->machine, true);
    const enum wt_run run = run_turns(d, issues, tracer);
    wt_watch_set_run(&d->machine, false);
    if (run != WT_RUN_WATCH)
        d->machine.hits = 0;
    return run;
}

enum wt_run gcn_run(struct wt_machine *m, uint64_t issues)
{
    return run((struct gcn_device *)m, issues, NULL);
}

enum wt_run gcn_run_traced(struct gcn_device *device, uint64_t issues,
                           struct gcn_disassembler *disassembler, gcn_trace_fn fn, void *context)
{
    struct tracer tracer = {.disassembler = disassembler, .fn = fn, .context = context};
    if (!gcn_trace_point_init(&tracer.point)) {
        device->machine.fault = (struct wt_fault){
            .kind = WT_FAULT_HOST,
            .time = device->machine.time,
            .text = "the host has no memory left for the trace",
        };
        return WT_RUN_FAULT;
    }
    const enum wt_run result = run(device, issues, &tracer);
    gcn_trace_point_free(&tracer.point);
    return result;
}
