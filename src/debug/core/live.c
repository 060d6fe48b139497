/*
 * Lets waves run, and finds out what happened.
 *
 * Waves that run freely are left to the device. Waves that step (and waves that must be stepped off
 * a breakpoint before they may run) take turns here, one instruction each, between slices in which
 * the others run.
 */
#include "debug/core/live.h"

#include <stdio.h>

#include "base/clock.h"
#include "debug/core/breakpoints.h"
#include "debug/core/events.h"
#include "debug/core/halt.h"
#include "debug/core/judged.h"
#include "debug/core/known.h"
#include "debug/core/numbering.h"
#include "debug/core/patches.h"
#include "debug/core/step.h"
#include "debug/core/stop.h"
#include "debug/core/stuck.h"
#include "debug/core/sync.h"

/* Of so many turns of stepping waves, waves that run get one on a device that runs by itself. */
enum { TURNS = 16 };
/* Where a wave has waited for all others, they get as many issues, but in one piece, since
 * waves may take some hundreds to come back after a standstill. */
enum { FAIR_TURNS = 1024 };
/* Turns of stepping waves in one pump, and its time limit. */
#define ROUNDS 4096
#define PUMP_NS 20000000ull

static enum wt_status resume_one(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wt_wave_set one;
    assert(wave < d->topology->waves);
    dbg_one_wave(d, &one, wave);
    dbg_set_go(d, wave, GO_FREE);
    return d->ops->resume(d->probe, &one, err);
}

/* A wave that ran has halted. */
static enum wt_status examine_halted(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    wt_wave_set_remove(&d->sets.unseen, wave);
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
            status = dbg_come_to_breakpoint(d, wave, bp, &stopped, err);
            if (status || stopped)
                return status;
            dbg_set_go(d, wave, GO_PASS);
            return dbg_take_turn(d, wave, &turn, err);
        }
        if (dbg_trap_length(d, wave, w->pc))
            return dbg_come_to_trap(d, wave, err);
        return resume_one(d, wave, err); /* lifted in the meantime */
    }
    if (w->cause == WT_HALT_EXCEPTION)
        return dbg_come_to_exception(d, wave, err);
    if (w->cause == WT_HALT_WATCH) {
        bool stopped;
        status = dbg_come_to_watch(d, wave, &stopped, err);
        return status || stopped ? status : resume_one(d, wave, err);
    }
    if (w->cause == WT_HALT_STEP)
        return resume_one(d, wave, err); /* an earlier step has been done late */
    if ((status = dbg_need_mask(d, wave, err)))
        return status;
    struct stop stop = {.wave = wave,
                        .id = w->self.id,
                        .lane = w->mask ? wt_lanes_lowest(w->mask) : 0,
                        .event = {.reason = d->run.to_launch ? WT_STOP_STEP : WT_STOP_INTERRUPTED}};
    if (!d->run.to_launch)
        snprintf(stop.event.text, sizeof stop.event.text, "halted by someone else's request");
    return dbg_stop(d, &stop, err);
}

/* Only some waves were resumed, and all of them have ended: report it, or the client would wait for
 * ever. */
static enum wt_status report_idle(struct wt_debugger *d, const char *why, struct wt_error *err)
{
    struct wt_event event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_REQUESTED};
    snprintf(event.text, sizeof event.text, "%s", why);
    enum wt_status status = dbg_halt_everything(d, err);
    if (status)
        return status;
    event.thread = d->threads.current = dbg_first_thread(d);
    dbg_push_event(d, &event);
    return WT_OK;
}

/* A host program may end a halted wave at any moment: it destroys the wave's queue, or exits. Such
 * a wave has nothing to tell. */
static enum wt_status examine_present(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    const enum wt_status status = examine_halted(d, wave, err);
    if (status != WT_STATE || !d->topology->host_launches ||
        dbg_scan(d, NULL, WT_IGNORED) != WT_OK || dbg_is_active(d, wave))
        return status;
    dbg_forget(d, wave);
    dbg_set_go(d, wave, GO_FREE);
    return WT_OK;
}

/* The wave of `unseen` to be examined next, at or behind word @p i of the set: that whose access to
 * watched memory was the first, or else the first slot's. */
static uint32_t next_unseen(struct wt_debugger *d, unsigned i)
{
    const uint32_t first = d->ops->first_watched ? d->ops->first_watched(d->probe) : WT_NO_HANDLE;
    if (first != WT_NO_HANDLE && wt_wave_set_has(&d->sets.unseen, first))
        return first;
    return 32 * i + (uint32_t)__builtin_ctz(d->sets.unseen.word[i]);
}

/*
 * Examines every wave in `unseen`, until one of them stops the run. A wave that passes its
 * breakpoint may halt the running waves for a moment; the waves in `unseen` are not halted by that
 * (step.c).
 */
static enum wt_status examine_unseen(struct wt_debugger *d, bool *found, struct wt_error *err)
{
    for (unsigned i = 0; i < d->sets.words; i++) {
        while (d->sets.unseen.word[i]) {
            *found = true;
            const uint32_t wave = next_unseen(d, i);
            enum wt_status status = examine_present(d, wave, err);
            if (status || dbg_is_over(d))
                return status;
        }
    }
    return WT_OK;
}

static enum wt_status look(struct wt_debugger *d, bool *found, struct wt_error *err)
{
    struct wt_wave_set halted;
    size_t events = d->events.count - d->events.first;
    enum wt_status status = dbg_check_fault(d, err);
    if (status || (!d->run.nonstop && d->events.count - d->events.first > events))
        return status;
    if ((status = dbg_scan(d, &halted, err)))
        return status;
    for (unsigned i = 0; i < d->sets.words; i++)
        d->sets.unseen.word[i] = d->sets.free.word[i] & d->sets.active.word[i] & halted.word[i];
    status = examine_unseen(d, found, err);
    dbg_fill_set(d, &d->sets.unseen, 0);
    if (status || dbg_is_over(d))
        return status;
    bool ended;
    if ((status = dbg_take_events(d, &ended, err)) || ended)
        return status;
    /* The last wave may have ended just now, as it passed its breakpoint. */
    bool any = false;
    for (unsigned i = 0; i < d->sets.words; i++)
        any |= d->sets.active.word[i] != 0;
    if (!any && d->run.launches_run)
        return WT_OK; /* idle: more events may follow */
    if (!d->run.nonstop && !d->run.stepper_count && !dbg_any_free_active(d) && !dbg_is_over(d))
        return report_idle(d, "the resumed threads have ended; the other threads were not resumed",
                           err);
    if (d->run.nonstop)
        dbg_update_going(d);
    return WT_OK;
}

/* An access has shown where else a condition of watched memory is evaluated: the target does it
 * from now on. */
static enum wt_status send_conditions(struct wt_debugger *d, struct wt_error *err)
{
    return d->judged_stale && d->watchpoints.count && !dbg_is_over(d) ? dbg_sync_judged(d, err)
                                                                      : WT_OK;
}

/* Finds out what happened: a fault, waves that halted, the end. Waves that are brought to a
 * standstill for that go on at its end. */
static enum wt_status examine(struct wt_debugger *d, bool *found, struct wt_error *err)
{
    enum wt_status status = dbg_keep_still(d, true, err);
    if (status)
        return status;
    status = look(d, found, err);
    if (!status)
        status = send_conditions(d, err);
    return dbg_end_still(d, status, err);
}

/* Lets the device run for a while, then looks what happened. *idle: it can do nothing more by
 * itself. */
static enum wt_status run_device(struct wt_debugger *d, uint64_t budget, bool *idle, bool *found,
                                 struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    *idle = *found = false;
    if (services->pump) {
        enum wt_pump result = services->pump(d->target->context, budget);
        if (result == WT_PUMP_RAN)
            return WT_OK;
        bool any, stopped;
        enum wt_status status = dbg_check_hits(d, &any, &stopped, err);
        if (status || any) {
            /* The device returned only to report this. */
            *found = true;
            return status ? status : send_conditions(d, err);
        }
        *idle = result == WT_PUMP_IDLE;
    } else {
        *idle = true; /* it runs by itself: scan again later */
    }
    return examine(d, found, err);
}

/* Issue time; 0 if the device does not report it. */
static uint64_t issue_time(struct wt_debugger *d)
{
    const struct wt_target_services *services = d->target->services;
    return services->time ? services->time(d->target->context) : 0;
}

/* Issues that a slice has used; 1 if the device does not report its time. */
static uint64_t issues_since(struct wt_debugger *d, uint64_t start)
{
    return d->target->services->time ? issue_time(d) - start : 1;
}

/* Waves run, and none of them can go on: each waits for a debug register to be written, as after a
 * pause of the program's own of which no debugger is told. */
static enum wt_status report_stuck(struct wt_debugger *d, struct wt_error *err)
{
    char text[160];
    snprintf(text, sizeof text,
             "every %s that was resumed has halted, and waits for a debug register to be written",
             d->topology->wave_word);
    return report_idle(d, text, err);
}

/* All resumed waves run freely. Breakpoints that do not stop end a slice early: continue with the
 * rest of it. */
static enum wt_status advance_free(struct wt_debugger *d, uint64_t budget, bool *soon,
                                   struct wt_error *err)
{
    bool idle = false, found = false;
    enum wt_status status = WT_OK;
    uint64_t start = issue_time(d), used = 0, until = wt_clock_ns() + PUMP_NS;
    for (unsigned round = 0; round < ROUNDS && used < budget; round++) {
        /* The client's interrupt must be noticed even where conditions are slow. */
        if (round && wt_clock_ns() > until)
            break;
        status = run_device(d, budget - used, &idle, &found, err);
        used = issues_since(d, start);
        if (status || dbg_has_event(d) || dbg_is_over(d) || !found || d->run.stepper_count ||
            d->news.modules || !d->run.going)
            break;
    }
    if (!status && !found && dbg_has_patience(d) && !dbg_has_event(d))
        status = dbg_end_patience(d, idle, err);
    if (!status && idle && !found && d->target->services->pump && d->run.going && !d->run.nonstop &&
        !d->run.stepper_count && !d->news.modules && !dbg_is_over(d) && !dbg_has_event(d) &&
        dbg_any_free_active(d))
        status = report_stuck(d, err);
    *soon = found || !idle || d->run.stepper_count || dbg_has_event(d) || d->run.stopping.on ||
            d->news.modules;
    return status;
}

/* Some waves step: each gets one instruction, and those that run get a share of issues. */
static enum wt_status advance_steps(struct wt_debugger *d, uint64_t budget, bool *soon,
                                    struct wt_error *err)
{
    const uint64_t until = wt_clock_ns() + PUMP_NS;
    enum wt_status status;
    uint64_t used = 0;
    *soon = true;
    for (unsigned round = 0;
         round < ROUNDS && used < budget && d->run.stepper_count && d->run.going; round++) {
        /* The client's interrupt must be noticed even where a step takes long. */
        if (round && wt_clock_ns() > until)
            break;
        bool waiting = true, all_pending = true, any_pending = false, ran = false;
        for (size_t i = 0; i < d->run.stepper_count; i++) {
            all_pending &= d->wave[d->run.stepper[i]].pending;
            any_pending |= d->wave[d->run.stepper[i]].pending;
        }
        uint64_t share = dbg_count_free_active(d);
        if (all_pending)
            share = budget - used;
        else if (any_pending && share == 0)
            share = 1;
        /* A device that runs by itself has to stop the others again for the next step. */
        const bool fair = dbg_has_patience(d) && d->run.launches_run && !any_pending;
        const bool own_turn =
            fair ? d->run.patience.turns++ % FAIR_TURNS
                 : !d->target->services->pump && !any_pending && d->run.turns++ % TURNS;
        share *= fair ? FAIR_TURNS : 1;
        /* A step may have left all waves standing, up to the next scan. */
        if (fair && !own_turn && (status = dbg_scan(d, NULL, err)) != WT_OK)
            return status;
        if (own_turn)
            ran = true;
        else if (share) {
            bool idle, found;
            const uint64_t start = issue_time(d);
            uint64_t past;
            do { /* breakpoints that do not stop end a slice early */
                past = issues_since(d, start);
                status = run_device(d, share > past ? share - past : 1, &idle, &found, err);
                if (status || dbg_is_over(d))
                    return status;
            } while (fair && found && issues_since(d, start) < share && wt_clock_ns() < until);
            ran = !idle || found;
        }
        used += (own_turn ? 0 : share) + 1;
        for (size_t i = 0; i < d->run.stepper_count;) {
            enum turn turn;
            uint32_t wave = d->run.stepper[i];
            if ((status = dbg_take_turn(d, wave, &turn, err)) || dbg_is_over(d))
                return status;
            waiting &= turn == TURN_WAITS;
            if (turn == TURN_MOVED && wave == d->run.patience.wave &&
                ((status = dbg_count_step(d, err)) || dbg_is_over(d)))
                return status;
            /* A wave that is done leaves the list, and the next one moves up to its index. */
            if (i < d->run.stepper_count && d->run.stepper[i] == wave)
                i++;
        }
        if (waiting && dbg_has_patience(d) &&
            ((status = dbg_end_patience(d, !ran, err)) || !dbg_has_patience(d)))
            return status;
        if (waiting && !ran && d->run.stepper_count) {
            if (d->target->services->pump && !dbg_has_patience(d))
                for (size_t i = 0; i < d->run.stepper_count; i++)
                    dbg_tell_waiting(d, d->run.stepper[i]);
            *soon = false;
            return WT_OK;
        }
    }
    return WT_OK;
}

/* Clients have been told of the new modules, and have inserted their breakpoints. */
static enum wt_status settle_modules(struct wt_debugger *d, struct wt_error *err)
{
    enum wt_status status;
    if (!d->news.modules)
        return WT_OK;
    d->news.modules = false;
    if ((status = dbg_keep_still(d, true, err)))
        return status;
    /* New code may have been loaded over old code, which removes the breakpoints there. */
    if ((status = dbg_verify_breakpoints(d, err)) == WT_OK)
        status = dbg_sync_all(d, err);
    status = dbg_end_still(d, status, err);
    if (status == WT_INVALID)
        snprintf(d->notice[NOTICE_BREAKPOINTS], sizeof d->notice[0], "%.200s\n",
                 err->text); /* the program goes on without */
    else if (status)
        return status;
    if (!d->ops->modules_known)
        return WT_OK;
    return dbg_note(d, d->ops->modules_known(d->probe, err));
}

bool dbg_advance_live(struct wt_debugger *d, uint64_t budget)
{
    struct wt_error err = {0};
    bool soon;
    if (settle_modules(d, &err)) {
        dbg_lose_or_end(d, &err);
        return true;
    }
    if (d->run.stepper_count ? advance_steps(d, budget, &soon, &err)
                             : advance_free(d, budget, &soon, &err)) {
        dbg_lose_or_end(d, &err);
        return true;
    }
    return soon || dbg_has_event(d);
}

enum wt_status dbg_interrupt_live(struct wt_debugger *d, struct wt_error *err)
{
    enum wt_status status;
    if (d->run.nonstop) {
        status = dbg_scan(d, NULL, err);
        for (uint32_t w = 0; w < d->topology->waves && !status; w++)
            status = dbg_stop_wave(d, w, 0, err);
        return status;
    }
    struct wt_error why;
    const struct stop stop = {.wave = WT_NO_HANDLE,
                              .event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_INTERRUPTED}};
    if (dbg_stop_all(d, &stop, &why))
        dbg_lose_or_end(d, &why); /* clients that wait for the stop get this event */
    return WT_OK;
}
