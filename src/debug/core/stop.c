/* Stopping: events, which waves have been told to go, halting them, and saying what happened. */
#include "debug/core/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"

/* ---- events ---- */

void dbg_push_event(struct wt_debugger *d, const struct wt_event *event)
{
    dbg_note_history(d);
    if (d->first_event == d->events)
        d->first_event = d->events = 0;
    if (dbg_reserve_events(d, d->events + 1)) {
        d->event[d->events++] = *event;
        return;
    }
    /* Clients that wait must not wait for ever: the last stop says that others are missing. */
    struct wt_event *last = &d->event[d->events - 1];
    *last =
        (struct wt_event){.kind = WT_EVENT_STOPPED, .reason = WT_STOP_LOST, .thread = last->thread};
    snprintf(last->text, sizeof last->text,
             "out of memory: threads have stopped without being reported");
}

bool dbg_reserve_events(struct wt_debugger *d, size_t count)
{
    struct wt_event *more = wt_array_grow(d->event, &d->event_capacity, count, sizeof *more);
    if (more)
        d->event = more;
    return more != NULL;
}

bool dbg_has_event(const struct wt_debugger *d)
{
    return d->first_event < d->events;
}

bool dbg_is_over(const struct wt_debugger *d)
{
    return !d->nonstop && (dbg_has_event(d) || d->stopping.on);
}

struct wt_event wt_debugger_next_event(struct wt_debugger *d)
{
    if (!dbg_has_event(d))
        return (struct wt_event){.kind = WT_EVENT_NONE};
    return d->event[d->first_event++];
}

/* ---- who goes ---- */

static void leave_steppers(struct wt_debugger *d, uint32_t wave)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->steppers; i++)
        if (d->stepper[i] != wave)
            d->stepper[kept++] = d->stepper[i];
    d->steppers = kept;
}

void dbg_set_go(struct wt_debugger *d, uint32_t wave, enum wave_go go)
{
    struct wave *w = &d->wave[wave];
    bool was = dbg_is_stepping(w);
    w->go = (uint8_t)go;
    if (was && !dbg_is_stepping(w))
        leave_steppers(d, wave);
    if (!was && dbg_is_stepping(w))
        d->stepper[d->steppers++] = wave;
    if (!dbg_is_stepping(w))
        w->pending = w->lifted = w->told = false;
    if (go == GO_FREE)
        wt_wave_set_add(&d->free, wave);
    else
        wt_wave_set_remove(&d->free, wave);
}

/* Whether anything that was resumed can still be expected to stop. */
void dbg_update_going(struct wt_debugger *d)
{
    d->going = d->steppers > 0 || dbg_any_free_active(d) ||
               (d->launches_run && d->topology->host_launches);
}

void dbg_all_stopped(struct wt_debugger *d)
{
    for (uint32_t i = 0; i < d->topology->waves; i++) {
        struct wave *w = &d->wave[i];
        if (w->go == GO_STOPPED)
            continue;
        w->go = GO_STOPPED;
        w->pending = w->lifted = w->told = false;
        dbg_forget(d, i);
    }
    dbg_fill_set(d, &d->free, 0);
    d->steppers = 0;
    d->going = d->launches_run = false;
}

void dbg_stop_everything(struct wt_debugger *d)
{
    dbg_all_stopped(d);
    for (uint32_t i = 0; i < d->topology->waves; i++) {
        d->wave[i].has_met = d->wave[i].met_trap = false;
        dbg_forget(d, i);
    }
    d->ended = d->lost = d->stopping.on = false;
    d->active_known = false;
    d->current = 0;
    dbg_thread_table_clear(&d->numbers); /* the threads of a new run are numbered anew */
    d->first_event = d->events = 0;
    d->reports.count = d->reports.next = 0;
}

/* ---- halting ---- */

#define STOP_MS 2000 /* a device that does not stop within that is lost */

/* Whether all waves of a set that are active have halted. */
static enum wt_status have_halted(struct wt_debugger *d, const struct wt_wave_set *waves,
                                  bool *halted, struct wt_error *err)
{
    struct wt_wave_set stands;
    enum wt_status status;
    if ((status = dbg_look(d, &stands, err)) != WT_OK)
        return status;
    *halted = true;
    for (unsigned i = 0; i < d->words; i++)
        *halted &= !(waves->word[i] & d->active.word[i] & ~stands.word[i]);
    return WT_OK;
}

static void let_advance(struct wt_debugger *d, uint64_t budget)
{
    if (d->target->services->pump)
        d->target->services->pump(d->target->context, budget);
}

enum wt_status dbg_halt(struct wt_debugger *d, const struct wt_wave_set *waves,
                        struct wt_error *err)
{
    const uint64_t until = wt_clock_ns() + STOP_MS * 1000000ull;
    enum wt_status status = d->ops->halt(d->probe, waves, err);
    bool halted = !d->topology->late_stops;
    while (!status && !halted) {
        if ((status = have_halted(d, waves, &halted, err)) != WT_OK || halted)
            break;
        let_advance(d, 1);
        if (wt_clock_ns() > until)
            status = wt_fail(err, WT_TIMEOUT, "the device does not stop");
    }
    return status;
}

/* Asks every wave to halt, and holds those that begin: they must not start running unseen. */
static enum wt_status ask_everything(struct wt_debugger *d, struct wt_error *err)
{
    struct wt_wave_set all;
    dbg_fill_set(d, &all, 0xff);
    d->ops->hold_launches(d->probe, true);
    enum wt_status status = d->ops->halt(d->probe, &all, err);
    dbg_all_stopped(d);
    return status;
}

enum wt_status dbg_halt_everything(struct wt_debugger *d, struct wt_error *err)
{
    struct wt_wave_set all;
    dbg_fill_set(d, &all, 0xff);
    d->stopping.on = false;
    d->ops->hold_launches(d->probe, true);
    enum wt_status status = dbg_halt(d, &all, err);
    dbg_all_stopped(d);
    if (!status)
        status = dbg_look(d, NULL, err);
    dbg_choose_mode(d);
    return status;
}

/* ---- stopping ---- */

wt_thread dbg_first_thread(struct wt_debugger *d)
{
    for (unsigned i = 0; i < d->words; i++)
        if (d->active.word[i])
            return dbg_thread_of(d, 32 * i + (uint32_t)__builtin_ctz(d->active.word[i]), 0);
    return 0;
}

/* Events for the other lanes of a wave that stopped by itself, where lanes are threads. */
static void tell_other_lanes(struct wt_debugger *d, uint32_t wave, unsigned lane)
{
    if (d->mode != WT_THREADS_LANES)
        return;
    for (unsigned i = 0; i < d->wave[wave].self.lanes; i++) {
        struct wt_event other = {.kind = WT_EVENT_STOPPED,
                                 .reason = WT_STOP_REQUESTED,
                                 .thread = dbg_thread_of(d, wave, i)};
        if (i != lane)
            dbg_push_event(d, &other);
    }
}

/* Everything stands: what is reported, and which thread commands mean from now on. */
static enum wt_status report_stop(struct wt_debugger *d, const struct stopping *what,
                                  struct wt_error *err)
{
    struct wt_event event = what->event;
    const uint32_t wave = what->wave;
    if (wave == WT_NO_HANDLE) {
        bool ended = false;
        event.thread = wt_debugger_current_thread(d);
        enum wt_status status = event.thread ? WT_OK : dbg_take_events(d, &ended, err);
        if (status || ended)
            return status;
        d->current = event.thread;
        dbg_push_event(d, &event);
        return WT_OK;
    }
    const bool there =
        dbg_is_active(d, wave) && (what->id == WT_NO_WAVE || d->wave[wave].self.id == what->id);
    event.thread = there ? dbg_thread_of(d, wave, what->lane) : dbg_first_thread(d);
    d->current = event.thread;
    if (there) {
        if (d->mode == WT_THREADS_WAVES && dbg_need_mask(d, wave, WT_IGNORED) == WT_OK &&
            !wt_has_lane(d->wave[wave].mask, d->chosen_lane))
            d->chosen_lane = what->lane;
        d->wave[wave].focus = (uint8_t)(what->lane + 1);
    }
    dbg_push_event(d, &event);
    if (d->nonstop && there)
        tell_other_lanes(d, wave, what->lane);
    return WT_OK;
}

enum wt_status dbg_stop_all(struct wt_debugger *d, const struct stopping *what,
                            struct wt_error *err)
{
    enum wt_status status;
    if (!d->topology->late_stops) {
        if ((status = dbg_halt_everything(d, err)) != WT_OK)
            return status;
        return report_stop(d, what, err);
    }
    if ((status = ask_everything(d, err)) != WT_OK)
        return status;
    d->stopping = *what;
    d->stopping.on = true;
    d->stopping.until_ns = wt_clock_ns() + STOP_MS * 1000000ull;
    return WT_OK;
}

void dbg_pump_stop(struct wt_debugger *d, uint64_t budget)
{
    struct wt_wave_set all;
    struct wt_error err;
    bool halted = false;
    assert(d->stopping.on);
    dbg_fill_set(d, &all, 0xff);
    enum wt_status status = have_halted(d, &all, &halted, &err);
    if (!status && !halted) {
        let_advance(d, budget);
        if (wt_clock_ns() <= d->stopping.until_ns)
            return;
        status = wt_fail(&err, WT_TIMEOUT, "the device does not stop");
    }
    const struct stopping what = d->stopping;
    d->stopping.on = false;
    dbg_forget_all(d);
    dbg_choose_mode(d);
    if (!status)
        status = report_stop(d, &what, &err);
    if (status)
        dbg_lose(d, &err);
}

/*
 * Something happened to @p lane of @p wave: stop it (non-stop), or everything (all-stop), and tell.
 * Text and signal are filled in by the caller.
 */
enum wt_status dbg_stop_for(struct wt_debugger *d, uint32_t wave, unsigned lane,
                            enum wt_stop_reason reason, const struct wt_event *more,
                            struct wt_error *err)
{
    /* A wave that has begun since the last look is not known yet. */
    struct stopping what = {.wave = wave,
                            .lane = lane,
                            .id = dbg_is_active(d, wave) ? d->wave[wave].self.id : WT_NO_WAVE};
    if (more)
        what.event = *more;
    what.event.kind = WT_EVENT_STOPPED;
    what.event.reason = reason;
    enum wt_status status;
    if (d->nonstop) {
        struct wt_wave_set one;
        dbg_one_wave(d, &one, wave);
        if ((status = dbg_halt(d, &one, err)))
            return status;
        dbg_set_go(d, wave, GO_STOPPED);
        dbg_update_going(d);
        if ((status = dbg_look(d, NULL, err)))
            return status;
        return report_stop(d, &what, err);
    }
    /* It stands where its step has left it: what is known of it stays known. */
    struct wave *w = &d->wave[wave];
    if (reason != WT_STOP_FAULT && dbg_is_stepping(w) && !w->pending && w->have_pc)
        dbg_set_go(d, wave, GO_STOPPED);
    return dbg_stop_all(d, &what, err);
}

static enum wt_status report_end(struct wt_debugger *d, const struct wt_probe_event *end,
                                 struct wt_error *err)
{
    struct wt_event event = {.kind = WT_EVENT_EXITED, .status = end->status};
    snprintf(event.text, sizeof event.text, "%s", end->text);
    dbg_all_stopped(d);
    if (d->stop_at_end && !d->ended && dbg_has_past(d) && !d->nonstop)
        return dbg_stop_before_end(d, event.status, err);
    d->exit_status = event.status;
    d->ended = true;
    d->current = 0;
    dbg_choose_mode(d);
    dbg_push_event(d, &event);
    return WT_OK;
}

enum wt_status dbg_take_events(struct wt_debugger *d, bool *ended, struct wt_error *err)
{
    *ended = false;
    for (;;) {
        struct wt_probe_event event = {.kind = WT_PROBE_NOTHING};
        enum wt_status status;
        if ((status = d->ops->next_event(d->probe, &event, err)) != WT_OK)
            return status;
        if (event.kind == WT_PROBE_NOTHING)
            return WT_OK;
        if (event.kind == WT_PROBE_ENDED) {
            *ended = true;
            return report_end(d, &event, err);
        }
        if (d->options.happened)
            d->options.happened(d->options.context, &event);
    }
}

/* A mistake of the program, if the device found one. */
enum wt_status dbg_check_fault(struct wt_debugger *d, struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    const struct wt_fault *fault = services->fault ? services->fault(d->target->context) : NULL;
    if (!fault)
        return WT_OK;
    struct wt_event event = {.fault = fault->kind};
    snprintf(event.text, sizeof event.text, "%s", fault->text);
    uint32_t wave = fault->wave < d->topology->waves ? fault->wave : 0;
    dbg_identify(d, wave);
    unsigned lane = fault->lanes ? wt_lanes_lowest(fault->lanes) : 0;
    enum wt_status status = dbg_stop_for(d, wave, lane, WT_STOP_FAULT, &event, err);
    /* The others may go on; this one is halted. */
    if (!status && d->nonstop && services->clear_fault)
        services->clear_fault(d->target->context);
    return status;
}
