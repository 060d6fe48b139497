/* Stops: describes what happened to which lane, and reports it once every wave that must halt has
 * halted. */
#include "debug/core/stop.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "debug/core/events.h"
#include "debug/core/halt.h"
#include "debug/core/known.h"
#include "debug/core/lost.h"
#include "debug/core/numbering.h"
#include "debug/core/past.h"

/* Events for the other lanes of a wave that stopped by itself, where lanes are threads. */
static void tell_other_lanes(struct wt_debugger *d, uint32_t wave, unsigned lane)
{
    if (d->threads.mode != WT_THREADS_LANES)
        return;
    for (unsigned i = 0; i < d->wave[wave].self.lanes; i++) {
        struct wt_event other = {.kind = WT_EVENT_STOPPED,
                                 .reason = WT_STOP_REQUESTED,
                                 .thread = dbg_thread_of(d, wave, i)};
        if (i != lane)
            dbg_push_event(d, &other);
    }
}

/* No thread in particular has stopped: the event names the client's current thread, if there is
 * one. */
static enum wt_status report_all(struct wt_debugger *d, const struct stop *stop,
                                 struct wt_error *err)
{
    struct wt_event event = stop->event;
    bool ended = false;
    event.thread = wt_debugger_current_thread(d);
    enum wt_status status = event.thread ? WT_OK : dbg_take_events(d, &ended, err);
    if (status || ended)
        return status;
    d->threads.current = event.thread;
    dbg_push_event(d, &event);
    return WT_OK;
}

/* The wave has ended, by the very instruction or before all waves stood still. */
static void report_ended(struct wt_debugger *d, const struct stop *stop)
{
    struct wt_event event = stop->event;
    event.wave_ended = true;
    if (!event.text[0])
        snprintf(event.text, sizeof event.text, "the %s has ended", d->topology->wave_word);
    d->threads.current = 0;
    dbg_push_event(d, &event);
}

enum wt_status dbg_report(struct wt_debugger *d, const struct stop *stop, struct wt_error *err)
{
    if (stop->wave == WT_NO_HANDLE)
        return report_all(d, stop, err);
    if (wt_event_is_mistake(&stop->event)) {
        const enum wt_status status = dbg_go_before_mistake(d, stop->id, stop->event.time, err);
        if (status)
            return status;
    }
    struct wt_event event = stop->event;
    assert(stop->wave < d->topology->waves && stop->lane < d->topology->lanes);
    assert(stop->event.kind == WT_EVENT_STOPPED);
    struct wave *w = &d->wave[stop->wave];
    assert(stop->id != WT_NO_WAVE || stop->event.reason == WT_STOP_FAULT);
    if (stop->id == WT_NO_WAVE || !dbg_is_active(d, stop->wave) || w->self.id != stop->id) {
        report_ended(d, stop);
        return WT_OK;
    }
    event.thread = dbg_thread_of(d, stop->wave, stop->lane);
    if (!event.thread)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the numbers of threads");
    d->threads.current = event.thread;
    w->focus = (uint8_t)(stop->lane + 1);
    if (stop->choose_lane ||
        (d->threads.mode == WT_THREADS_WAVES && dbg_need_mask(d, stop->wave, WT_IGNORED) == WT_OK &&
         !wt_has_lane(w->mask, d->threads.chosen_lane)))
        d->threads.chosen_lane = stop->lane;
    if (stop->passes) {
        w->has_reported = true;
        w->reported_trap = stop->trap;
        w->reported_pc = stop->pc;
    }
    dbg_push_event(d, &event);
    if (d->run.nonstop)
        tell_other_lanes(d, stop->wave, stop->lane);
    return WT_OK;
}

enum wt_status dbg_stop_all(struct wt_debugger *d, const struct stop *stop, struct wt_error *err)
{
    enum wt_status status;
    if (!d->topology->late_stops) {
        if ((status = dbg_halt_everything(d, err)) != WT_OK)
            return status;
        return dbg_report(d, stop, err);
    }
    if ((status = dbg_ask_everything(d, err)) != WT_OK)
        return status;
    d->run.stopping = (struct stopping){
        .on = true, .stop = *stop, .until_ns = wt_clock_ns() + DBG_STOP_MS * 1000000ull};
    return WT_OK;
}

void dbg_pump_stop(struct wt_debugger *d, uint64_t budget)
{
    struct wt_wave_set all;
    struct wt_error err;
    bool halted = false;
    assert(d->run.stopping.on);
    dbg_fill_set(d, &all, 0xff);
    enum wt_status status = dbg_have_halted(d, &all, &halted, &err);
    if (!status && !halted) {
        dbg_let_advance(d, budget);
        if (wt_clock_ns() <= d->run.stopping.until_ns)
            return;
        status = wt_fail(&err, WT_TIMEOUT, "the device does not stop");
    }
    const struct stop stop = d->run.stopping.stop;
    d->run.stopping.on = false;
    dbg_forget_all(d);
    dbg_choose_mode(d);
    if (!status)
        status = dbg_report(d, &stop, &err);
    if (status)
        dbg_lose_or_end(d, &err);
}

enum wt_status dbg_stop(struct wt_debugger *d, const struct stop *what, struct wt_error *err)
{
    struct stop stop = *what;
    enum wt_status status;
    assert(stop.wave < d->topology->waves && stop.lane < d->topology->lanes);
    stop.event.kind = WT_EVENT_STOPPED;
    if (d->run.nonstop) {
        struct wt_wave_set one;
        dbg_one_wave(d, &one, stop.wave);
        if ((status = dbg_halt(d, &one, err)))
            return status;
        dbg_set_go(d, stop.wave, GO_STOPPED);
        dbg_update_going(d);
        if ((status = dbg_scan(d, NULL, err)))
            return status;
        return dbg_report(d, &stop, err);
    }
    /* The wave is where its step left it: its cached state stays valid. */
    struct wave *w = &d->wave[stop.wave];
    if (stop.event.reason != WT_STOP_FAULT && dbg_is_stepping(w) && !w->pending && w->have_pc)
        dbg_set_go(d, stop.wave, GO_STOPPED);
    return dbg_stop_all(d, &stop, err);
}

enum wt_status dbg_stop_wave(struct wt_debugger *d, uint32_t wave, unsigned lane,
                             struct wt_error *err)
{
    if (d->wave[wave].go == GO_STOPPED || !dbg_is_active(d, wave))
        return WT_OK;
    dbg_forget(d, wave);
    const struct stop stop = {.wave = wave,
                              .id = d->wave[wave].self.id,
                              .lane = lane,
                              .event = {.reason = WT_STOP_REQUESTED}};
    return dbg_stop(d, &stop, err);
}

static enum wt_status stop_before_end(struct wt_debugger *d, uint32_t status, struct wt_error *err)
{
    uint64_t start, end;
    dbg_history(d)->extent(d->target->context, &start, &end);
    d->run.ended = true;
    d->run.exit_status = status;
    enum wt_status went = dbg_go(d, end > start ? end - 1 : start, err);
    if (went)
        return went;
    struct wt_event event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_TRAP};
    snprintf(event.text, sizeof event.text,
             "the program ends with the next instruction, with status %u; resumed, it does",
             status);
    d->threads.current = 0;
    event.thread = d->threads.current = wt_debugger_current_thread(d);
    dbg_push_event(d, &event);
    return WT_OK;
}

static enum wt_status report_end(struct wt_debugger *d, const struct wt_probe_event *end,
                                 struct wt_error *err)
{
    struct wt_event event = {.kind = WT_EVENT_EXITED, .status = end->status};
    snprintf(event.text, sizeof event.text, "%s", end->text);
    dbg_all_stopped(d);
    if (d->run.stop_at_end && !d->run.ended && dbg_has_past(d) && !d->run.nonstop)
        return stop_before_end(d, event.status, err);
    d->run.exit_status = event.status;
    d->run.ended = true;
    d->threads.current = 0;
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
        d->news.modules |= event.kind == WT_PROBE_MODULES_CHANGED;
        dbg_push_news(d, &event);
    }
}

bool dbg_tell_end(struct wt_debugger *d)
{
    bool ended = false;
    return dbg_take_events(d, &ended, WT_IGNORED) == WT_OK && ended;
}

void dbg_lose_or_end(struct wt_debugger *d, const struct wt_error *err)
{
    if (err->status != WT_IO || !dbg_tell_end(d))
        dbg_lose(d, err);
}

/* The exceptions of this name; where it is "", those of this kind of fault. */
static uint64_t exceptions_of(const struct wt_topology *t, enum wt_fault_kind kind,
                              const char *name)
{
    uint64_t bits = 0;
    assert(t->exception_count <= WT_MOST_EXCEPTIONS);
    for (size_t i = 0; i < t->exception_count; i++)
        if (*name ? strcmp(name, t->exceptions[i].name) == 0 : kind == t->exceptions[i].kind)
            bits |= (uint64_t)1 << i;
    return bits;
}

/* Whether a fault is of the wave that the debugger knows in its slot. A device that names no waves
 * leaves that to the probe, whose name the fault gets. */
static bool is_of_wave(const struct wt_debugger *d, struct wt_fault *fault)
{
    const wt_wave_id id = d->wave[fault->wave].self.id;
    if (fault->id != WT_NO_WAVE || d->target->services->wave_id)
        return fault->id == id;
    fault->id = id;
    return true;
}

bool dbg_wave_fault(struct wt_debugger *d, uint32_t wave, struct wt_fault *fault)
{
    const struct wt_target_services *services = d->target->services;
    if (!services->wave_fault ||
        !services->wave_fault(d->target->context, wave, d->wave[wave].self.id, fault))
        return false;
    fault->wave = wave;
    return is_of_wave(d, fault);
}

struct stop dbg_stop_of(struct wt_debugger *d, const struct wt_fault *fault, uint64_t raised)
{
    struct stop stop = {
        .wave = fault->wave,
        .id = fault->id,
        .lane = fault->lanes ? wt_lanes_lowest(fault->lanes) : 0,
        .event = {.kind = WT_EVENT_STOPPED,
                  .reason = WT_STOP_FAULT,
                  .fault = fault->kind,
                  .record = *fault,
                  .lanes = fault->lanes,
                  .exceptions =
                      raised ? raised : exceptions_of(d->topology, fault->kind, fault->name),
                  .pc = fault->pc}};
    snprintf(stop.event.text, sizeof stop.event.text, "%s", fault->text);
    return stop;
}

/* A fault of the program, if the device found one. */
enum wt_status dbg_check_fault(struct wt_debugger *d, struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    const struct wt_fault *found = services->fault ? services->fault(d->target->context) : NULL;
    if (!found)
        return WT_OK;
    struct wt_fault fault = *found;
    enum wt_status status;
    fault.wave = fault.wave < d->topology->waves ? fault.wave : 0;
    /* Without an id from the machine, a wave that has begun since the last look has none yet. */
    if (fault.id == WT_NO_WAVE && (status = dbg_scan(d, NULL, err)) != WT_OK)
        return status;
    /* The device stands before the instruction: the wave is still in its slot. */
    dbg_meet(d, fault.wave, fault.id);
    if (!is_of_wave(d, &fault))
        return wt_fail(err, WT_STATE, "a fault of wave %u, which has ended: %s", fault.wave,
                       fault.text);
    const struct stop stop = dbg_stop_of(d, &fault, 0);
    status = dbg_stop(d, &stop, err);
    /* The others may go on; this one is halted. */
    if (!status && d->run.nonstop && services->clear_fault)
        services->clear_fault(d->target->context);
    return status;
}

bool wt_debugger_fault(struct wt_debugger *d, wt_thread thread, struct wt_event *event)
{
    uint32_t wave;
    unsigned lane;
    struct wt_fault fault;
    if (dbg_locate(d, thread, &wave, &lane, WT_IGNORED) != WT_OK || !dbg_is_active(d, wave) ||
        !dbg_wave_fault(d, wave, &fault))
        return false;
    *event = dbg_stop_of(d, &fault, 0).event;
    event->thread = thread;
    return true;
}
