/*
 * Letting waves run, and finding out what happened.
 *
 * Waves that run freely are left to the device. Waves that step (and waves that have to be taken
 * past a breakpoint before they may run) take turns here, one instruction each, between slices in
 * which the others run.
 */
#include "debug/core/internal.h"

#include <stdio.h>

#include "base/clock.h"

/* Turns of stepping waves in one pump, and how long breakpoints that do not stop are followed. */
#define ROUNDS 4096
#define PUMP_NS 20000000ull

/* ---- looking at what happened ---- */

static enum wt_status resume_one(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wt_wave_set one;
    dbg_one_wave(d, &one, wave);
    dbg_set_go(d, wave, GO_FREE);
    return d->ops->resume(d->probe, &one, err);
}

/* A wave that ran has halted. */
static enum wt_status look_at_halted(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    wt_wave_set_remove(&d->unseen, wave);
    dbg_forget(d, wave);
    dbg_set_go(d, wave, GO_STOPPED);
    enum wt_status status = dbg_need_pc(d, wave, err);
    if (status)
        return status;
    if (w->cause == WT_HALT_BREAKPOINT) {
        struct breakpoint *bp = dbg_find_breakpoint(d, w->pc);
        if (bp && bp->planted) {
            bool stopped;
            enum turn turn;
            status = dbg_meet_breakpoint(d, wave, bp, &stopped, err);
            if (status || stopped)
                return status;
            dbg_set_go(d, wave, GO_PASS);
            return dbg_take_turn(d, wave, &turn, err);
        }
        if (dbg_trap_length(d, wave, w->pc))
            return dbg_meet_trap(d, wave, err);
        return resume_one(d, wave, err); /* lifted in the meantime */
    }
    if (w->cause == WT_HALT_EXCEPTION)
        return dbg_meet_exception(d, wave, err);
    if (w->cause == WT_HALT_STEP)
        return resume_one(d, wave, err); /* a step of long ago has come through */
    if ((status = dbg_need_mask(d, wave, err)))
        return status;
    struct wt_event event = {0};
    snprintf(event.text, sizeof event.text, "halted by someone else's request");
    unsigned lane = w->mask ? wt_lanes_lowest(w->mask) : 0;
    return dbg_stop_for(d, wave, lane, WT_STOP_INTERRUPTED, &event, err);
}

/* Only a part was resumed, and all of it has ended: tell, or the client would wait for ever. */
static enum wt_status report_idle(struct wt_debugger *d, struct wt_error *err)
{
    struct wt_event event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_REQUESTED};
    snprintf(event.text, sizeof event.text,
             "what was resumed has ended; the other threads were not resumed");
    enum wt_status status = dbg_halt_everything(d, err);
    if (status)
        return status;
    event.thread = d->current = dbg_first_thread(d);
    dbg_push_event(d, &event);
    return WT_OK;
}

/*
 * Examines every wave in `unseen`, until one of them stops everything. One that passes its
 * breakpoint may halt the running waves for a moment; those that wait here are spared (step.c).
 */
static enum wt_status look_at_unseen(struct wt_debugger *d, bool *found, struct wt_error *err)
{
    for (unsigned i = 0; i < d->words; i++) {
        while (d->unseen.word[i]) {
            *found = true;
            uint32_t wave = 32 * i + (uint32_t)__builtin_ctz(d->unseen.word[i]);
            enum wt_status status = look_at_halted(d, wave, err);
            if (status || dbg_is_over(d))
                return status;
        }
    }
    return WT_OK;
}

/* Finds what happened: a fault, waves that halted, the end. */
static enum wt_status look(struct wt_debugger *d, bool *found, struct wt_error *err)
{
    struct wt_wave_set halted;
    size_t events = d->events - d->first_event;
    enum wt_status status = dbg_check_fault(d, err);
    if (status || (!d->nonstop && d->events - d->first_event > events))
        return status;
    if ((status = dbg_look(d, &halted, err)))
        return status;
    bool any = false;
    for (unsigned i = 0; i < d->words; i++) {
        any |= d->active.word[i] != 0;
        d->unseen.word[i] = d->free.word[i] & d->active.word[i] & halted.word[i];
    }
    status = look_at_unseen(d, found, err);
    dbg_fill_set(d, &d->unseen, 0);
    if (status || dbg_is_over(d))
        return status;
    bool ended;
    if ((status = dbg_take_events(d, &ended, err)) || ended)
        return status;
    if (!any && d->launches_run)
        return WT_OK; /* idle: more may come */
    if (!d->nonstop && !d->steppers && !dbg_any_free_active(d) && !dbg_is_over(d))
        return report_idle(d, err);
    if (d->nonstop)
        dbg_update_going(d);
    return WT_OK;
}

/* Lets the device run for a while, and looks. *idle: it cannot do more by itself. */
static enum wt_status run_device(struct wt_debugger *d, uint64_t budget, bool *idle, bool *found,
                                 struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    *idle = *found = false;
    if (services->pump) {
        enum wt_pump result = services->pump(d->target->context, budget);
        if (result == WT_PUMP_RAN)
            return WT_OK;
        bool met, stopped;
        enum wt_status status = dbg_check_watchpoints(d, &met, &stopped, err);
        if (status || met) {
            /* It came back for nothing else. */
            *found = true;
            return status;
        }
        *idle = result == WT_PUMP_IDLE;
    } else {
        *idle = true; /* it runs by itself: look again later */
    }
    return look(d, found, err);
}

/* Issues that a slice has used; 1 where the device does not tell its time. */
static uint64_t issues_since(struct wt_debugger *d, uint64_t start)
{
    const struct wt_target_services *services = d->target->services;
    return services->time ? services->time(d->target->context) - start : 1;
}

static uint64_t issue_time(struct wt_debugger *d)
{
    const struct wt_target_services *services = d->target->services;
    return services->time ? services->time(d->target->context) : 0;
}

/* All that goes runs freely. Breakpoints that do not stop end a slice early: go on with the rest.
 */
static enum wt_status advance_free(struct wt_debugger *d, uint64_t budget, bool *soon,
                                   struct wt_error *err)
{
    bool idle = false, found = false;
    enum wt_status status = WT_OK;
    uint64_t start = issue_time(d), used = 0, until = wt_clock_ns() + PUMP_NS;
    for (unsigned round = 0; round < ROUNDS && used < budget; round++) {
        /* The client's interrupt must be seen, however slow the conditions are. */
        if (round && wt_clock_ns() > until)
            break;
        status = run_device(d, budget - used, &idle, &found, err);
        used = issues_since(d, start);
        if (status || dbg_has_event(d) || dbg_is_over(d) || !found || d->steppers || !d->going)
            break;
    }
    *soon = found || !idle || d->steppers || dbg_has_event(d) || d->stopping.on;
    return status;
}

/* Some waves step: one instruction each, and a share of issues for those that run. */
static enum wt_status advance_steps(struct wt_debugger *d, uint64_t budget, bool *soon,
                                    struct wt_error *err)
{
    enum wt_status status;
    uint64_t used = 0;
    *soon = true;
    for (unsigned round = 0; round < ROUNDS && used < budget && d->steppers && d->going; round++) {
        bool waiting = true, all_pending = true, any_pending = false, ran = false;
        for (size_t i = 0; i < d->steppers; i++) {
            all_pending &= d->wave[d->stepper[i]].pending;
            any_pending |= d->wave[d->stepper[i]].pending;
        }
        uint64_t share = dbg_count_free_active(d);
        if (all_pending)
            share = budget - used;
        else if (any_pending && share == 0)
            share = 1;
        if (share) {
            bool idle, found;
            status = run_device(d, share, &idle, &found, err);
            if (status || dbg_is_over(d))
                return status;
            ran = !idle || found;
        }
        used += share + 1;
        for (size_t i = 0; i < d->steppers;) {
            enum turn turn;
            uint32_t wave = d->stepper[i];
            if ((status = dbg_take_turn(d, wave, &turn, err)) || dbg_is_over(d))
                return status;
            waiting &= turn == TURN_WAITS;
            /* A wave that is done leaves the list, and the next one is in its place. */
            if (i < d->steppers && d->stepper[i] == wave)
                i++;
        }
        if (waiting && !ran && d->steppers) {
            if (d->target->services->pump)
                for (size_t i = 0; i < d->steppers; i++)
                    dbg_tell_waiting(d, d->stepper[i]);
            *soon = false;
            return WT_OK;
        }
    }
    return WT_OK;
}

static enum wt_status advance(struct wt_debugger *d, uint64_t budget, bool *soon,
                              struct wt_error *err)
{
    return d->steppers ? advance_steps(d, budget, soon, err) : advance_free(d, budget, soon, err);
}

bool wt_debugger_pump(struct wt_debugger *d, uint64_t budget)
{
    if (d->stopping.on) {
        dbg_pump_stop(d, budget ? budget : 1);
        return true;
    }
    if (dbg_has_event(d) && !d->nonstop)
        return true;
    if (d->travel.going)
        return dbg_travel(d, budget);
    if (!d->going)
        return dbg_has_event(d);
    struct wt_error err = {0};
    bool soon;
    if (advance(d, budget ? budget : 1, &soon, &err)) {
        dbg_lose(d, &err);
        return true;
    }
    return soon || dbg_has_event(d);
}

bool wt_debugger_running(struct wt_debugger *d)
{
    return d->going || d->travel.going || d->stopping.on;
}

bool wt_debugger_is_nonstop(const struct wt_debugger *d)
{
    return d->nonstop;
}

void wt_debugger_set_nonstop(struct wt_debugger *d, bool nonstop)
{
    d->nonstop = nonstop;
}

/* ---- interrupting ---- */

/* Non-stop: halts a wave that runs, and tells of each of its threads. */
enum wt_status dbg_stop_wave(struct wt_debugger *d, uint32_t wave, unsigned lane,
                             struct wt_error *err)
{
    if (d->wave[wave].go == GO_STOPPED)
        return WT_OK;
    if (dbg_is_active(d, wave)) {
        dbg_forget(d, wave);
        return dbg_stop_for(d, wave, lane, WT_STOP_REQUESTED, NULL, err);
    }
    return WT_OK;
}

enum wt_status wt_debugger_interrupt(struct wt_debugger *d, struct wt_error *err)
{
    if (d->travel.going)
        return dbg_stop_travel(d, err);
    if (d->stopping.on)
        return WT_OK; /* it stops already */
    if (!d->going)
        return wt_fail(err, WT_STATE, "nothing is running");
    enum wt_status status;
    if (d->nonstop) {
        status = dbg_look(d, NULL, err);
        for (uint32_t w = 0; w < d->topology->waves && !status; w++)
            status = dbg_stop_wave(d, w, 0, err);
        return status;
    }
    struct wt_error why;
    const struct stopping what = {
        .wave = WT_NO_HANDLE, .event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_INTERRUPTED}};
    if (dbg_stop_all(d, &what, &why))
        dbg_lose(d, &why); /* who waits for the event gets this one */
    return WT_OK;
}
