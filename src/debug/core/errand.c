/*
 * Replays that may take seconds: going to an issue time, and searching the recorded run for
 * accesses. They are done in parts, so that clients are served in between and can cancel them.
 */
#include "debug/core/errand.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "debug/core/touches.h"

#include "debug/core/events.h"
#include "debug/core/hits.h"
#include "debug/core/known.h"
#include "debug/core/numbering.h"
#include "debug/core/past.h"
#include "debug/core/watchpoints.h"

/* Issues of one part, and how long parts run before the clients are served. */
#define PART ((uint64_t)1 << 16)
#define PUMP_NS 20000000ull

static uint64_t time_of(const struct wt_debugger *d)
{
    return d->target->services->time(d->target->context);
}

/* Moves the device towards the target time of its errand, from the last saved state before that
 * time. */
static enum wt_status go_part(struct wt_debugger *d, uint64_t to, bool *there, struct wt_error *err)
{
    const struct wt_history_services *h = dbg_history(d);
    const uint64_t now = time_of(d),
                   saved = h->saved_before ? h->saved_before(d->target->context, to) : to;
    const uint64_t from = now > to || saved > now ? saved : now;
    const uint64_t next = to - from > PART ? from + PART : to;
    *there = next == to;
    return h->go(d->target->context, next, err);
}

static void tell(struct wt_debugger *d, enum errand_kind kind, bool given_up,
                 const struct wt_error *failure)
{
    struct wt_event event = {.kind = kind == ERRAND_GOTO ? WT_EVENT_ARRIVED : WT_EVENT_SEARCHED,
                             .reason = failure    ? WT_STOP_LOST
                                       : given_up ? WT_STOP_INTERRUPTED
                                                  : WT_STOP_STEP,
                             .thread = d->threads.current};
    if (failure)
        snprintf(event.text, sizeof event.text, "%.255s", failure->text);
    dbg_push_event(d, &event);
}

/* ---- going to an issue time ---- */

static enum wt_status check_time(struct wt_debugger *d, uint64_t time, struct wt_error *err)
{
    uint64_t start, end;
    enum wt_status status;
    if ((status = dbg_need_history(d, err)) != WT_OK)
        return status;
    dbg_history(d)->extent(d->target->context, &start, &end);
    if (time < start || time > end)
        return wt_fail(err, WT_INVALID,
                       "issue time %" PRIu64 " is not recorded: history reaches from %" PRIu64
                       " to %" PRIu64,
                       time, start, end);
    return WT_OK;
}

enum wt_status wt_debugger_begin_goto(struct wt_debugger *d, uint64_t time, struct wt_error *err)
{
    enum wt_status status;
    if ((status = check_time(d, time, err)) != WT_OK ||
        (status = dbg_leave_present(d, err)) != WT_OK)
        return status;
    dbg_drop_hits(d);
    d->history.before_mistake = false;
    d->errand = (struct errand){
        .kind = ERRAND_GOTO, .from = time_of(d), .to = time, .current = d->threads.current};
    d->travel = (struct travel){.going = true};
    return WT_OK;
}

/* The device has reached the time it was to go to, or the errand was cancelled. */
static enum wt_status arrive_there(struct wt_debugger *d, bool given_up, struct wt_error *err)
{
    const wt_thread current = d->errand.current;
    dbg_end_travel(d);
    enum wt_status status;
    if ((status = dbg_arrive(d, err)) != WT_OK)
        return status;
    d->threads.current = current;
    if (!wt_debugger_thread_alive(d, current))
        d->threads.current = dbg_first_thread(d);
    tell(d, ERRAND_GOTO, given_up, NULL);
    return WT_OK;
}

/* ---- who wrote there, who read there ---- */

enum wt_status wt_debugger_begin_touches(struct wt_debugger *d,
                                         const struct wt_watchpoint_request *where,
                                         const uint8_t *mask, size_t most,
                                         const struct wt_callers *callers, struct wt_error *err)
{
    struct wt_watchpoint range;
    enum wt_status status;
    if ((status = dbg_need_history(d, err)) != WT_OK ||
        (status = dbg_resolve_watchpoint(d, where, &range, err)) != WT_OK)
        return status;
    range.changes = where->changes;
    struct errand errand = {.kind = ERRAND_TOUCHES,
                            .from = time_of(d),
                            .to = time_of(d),
                            .in_past = d->history.in_past,
                            .current = d->threads.current};
    if (callers)
        errand.callers = *callers;
    /* Keeps the state of the waves at this point: the device comes back to it after the search. */
    errand.waves = dbg_copy_waves(d);
    if (!errand.waves)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the accesses that are found");
    if ((status = wt_touches_begin(&errand.touches, d->target, &range, mask, most ? most : 1,
                                   err)) != WT_OK) {
        free(errand.waves);
        return status;
    }
    if ((status = dbg_leave_present(d, err)) != WT_OK) {
        wt_touches_free(&errand.touches);
        free(errand.waves);
        return status;
    }
    wt_debugger_drop_touches(d);
    d->errand = errand;
    d->travel = (struct travel){.going = true};
    return WT_OK;
}

enum wt_status wt_debugger_begin_slice(struct wt_debugger *d, const struct wt_slice_seed *seed,
                                       size_t seeds, const struct wt_slice_limits *limits,
                                       const struct wt_callers *callers, struct wt_error *err)
{
    enum wt_status status;
    if ((status = dbg_need_history(d, err)) != WT_OK)
        return status;
    if (!dbg_history(d)->slice)
        return wt_fail(err, WT_UNSUPPORTED, "the target does not report what values were made of");
    struct errand errand = {.kind = ERRAND_SLICE,
                            .from = time_of(d),
                            .to = time_of(d),
                            .in_past = d->history.in_past,
                            .current = d->threads.current,
                            .waves = dbg_copy_waves(d),
                            .slice = true};
    if (callers)
        errand.callers = *callers;
    if (!errand.waves)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the instructions that are found");
    if ((status = dbg_history(d)->slice(d->target->context, seed, seeds, limits, err)) != WT_OK ||
        (status = dbg_leave_present(d, err)) != WT_OK) {
        free(errand.waves);
        return status;
    }
    d->errand = errand;
    d->travel = (struct travel){.going = true};
    return WT_OK;
}

void wt_debugger_take_slice(struct wt_debugger *d, struct wt_slice_found *found)
{
    *found = d->sliced;
    d->sliced = (struct wt_slice_found){.more = false};
}

static enum wt_status slice_part(struct wt_debugger *d, struct wt_error *err)
{
    const struct wt_history_services *h = dbg_history(d);
    switch (h->slice_on(d->target->context, PART, err)) {
    case WT_HISTORY_ON:
        return WT_OK;
    case WT_HISTORY_FAILED:
        return err->status;
    default:
        wt_slice_found_free(&d->sliced);
        enum wt_status status = h->slice_end(d->target->context, &d->sliced, err);
        d->errand.kind = ERRAND_NAMES;
        d->errand.unnamed = d->sliced.steps;
        return status;
    }
}

static void keep_touches(struct wt_debugger *d)
{
    struct wt_touches *found = &d->errand.touches;
    d->found.list = found->list;
    d->found.count = found->count;
    d->found.more = found->more;
    found->list = NULL;
    /* Where a slot says all; elsewhere name_found() goes to each access. */
    for (size_t i = 0; i < d->found.count; i++) {
        struct wt_touch *touch = &d->found.list[i];
        dbg_describe(d, touch->wave, &touch->by);
        touch->by.id = touch->last.id;
    }
}

/* An instruction that was found. */
struct found_place {
    uint64_t time, pc;
    uint32_t wave; /* its slot */
    wt_lanes lanes;
    struct wt_touch *touch; /* NULL: it is a step of a slice */
    struct wt_calls *calls;
};

static struct found_place found_at(struct wt_debugger *d, size_t i)
{
    if (d->errand.slice) {
        struct wt_slice_step *s = &d->sliced.step[i];
        return (struct found_place){s->time, s->pc, s->wave, s->lanes, NULL, &s->calls};
    }
    struct wt_touch *w = &d->found.list[i];
    return (struct found_place){w->time, w->pc, w->wave, w->lanes, w, &w->calls};
}

/* Describes the wave of an access as it is now: its slot may be another one's later. */
static void name_toucher(struct wt_debugger *d, struct wt_touch *w)
{
    dbg_describe(d, w->wave, &w->by);
    w->has_item = w->by.has_work && d->topology->has_grid;
    for (unsigned axis = 0; w->has_item && axis < 3; axis++)
        w->item[axis] = wt_wave_item(&w->by, wt_lanes_lowest(w->lanes), axis);
}

/* The calls of an instruction that is about to issue. The device stands, as for a client. */
static void find_calls(struct wt_debugger *d, const struct found_place *at)
{
    const struct wt_callers *const c = &d->errand.callers;
    const enum errand_kind kind = d->errand.kind;
    const wt_thread thread = dbg_thread_of(d, at->wave, at->lanes ? wt_lanes_lowest(at->lanes) : 0);
    if (!thread)
        return;
    d->wave[at->wave].go = GO_STOPPED;
    d->errand.kind = ERRAND_NONE;
    d->travel.going = false;
    c->find(c->context, d, thread, at->pc, at->calls);
    d->travel.going = true;
    d->errand.kind = kind;
}

/* Names the wave of an instruction that was found, and finds its calls, at its time. The earliest
 * instruction is the first: the device replays forwards. */
static enum wt_status name_found(struct wt_debugger *d, struct wt_error *err)
{
    struct errand *e = &d->errand;
    bool there = false;
    if (e->unnamed == 0) {
        e->kind = ERRAND_BACK;
        return WT_OK;
    }
    const struct found_place at = found_at(d, e->unnamed - 1);
    const bool wanted = e->callers.find && e->callers.wanted(e->callers.context, at.pc),
               named = at.touch && d->topology->has_grid;
    if (wanted || named) {
        enum wt_status status = go_part(d, at.time, &there, err);
        if (status || !there)
            return status;
        if ((status = dbg_inspect_here(d, err)))
            return status;
    }
    e->unnamed--;
    if (named)
        name_toucher(d, at.touch);
    if (wanted)
        find_calls(d, &at);
    return WT_OK;
}

void wt_debugger_take_touches(struct wt_debugger *d, struct wt_touch **list, size_t *count,
                              bool *more)
{
    *list = d->found.list;
    *count = d->found.count;
    *more = d->found.more;
    d->found = (struct found_touches){.list = NULL};
}

void wt_debugger_drop_touches(struct wt_debugger *d)
{
    free(d->found.list);
    d->found = (struct found_touches){.list = NULL};
}

/* The device is back where the search began. */
static enum wt_status come_back(struct wt_debugger *d, struct wt_error *err)
{
    struct wave *waves = d->errand.waves;
    const wt_thread current = d->errand.current;
    const bool given_up = d->errand.given_up;
    d->errand.waves = NULL;
    dbg_end_travel(d);
    enum wt_status status = dbg_arrive(d, err);
    for (uint32_t w = 0; !status && w < d->topology->waves; w++) {
        d->wave[w].has_reported = waves[w].has_reported;
        d->wave[w].reported_pc = waves[w].reported_pc;
        d->wave[w].reported_trap = waves[w].reported_trap;
        d->wave[w].focus = waves[w].focus;
    }
    free(waves);
    if (status)
        return status;
    d->threads.current = current;
    tell(d, ERRAND_BACK, given_up, NULL);
    return WT_OK;
}

/* ---- the parts ---- */

static enum wt_status run_part(struct wt_debugger *d, struct wt_error *err)
{
    struct errand *e = &d->errand;
    bool there;
    enum wt_status status;
    if (e->kind == ERRAND_TOUCHES) {
        switch (wt_touches_on(&e->touches, PART, err)) {
        case WT_HISTORY_ON:
            return WT_OK;
        case WT_HISTORY_FAILED:
            return err->status;
        default:
            keep_touches(d);
            e->kind = ERRAND_NAMES;
            e->unnamed = d->found.count;
            return WT_OK;
        }
    }
    if (e->kind == ERRAND_SLICE)
        return slice_part(d, err);
    if (e->kind == ERRAND_NAMES)
        return name_found(d, err);
    if (e->kind == ERRAND_BACK && !e->in_past) {
        uint64_t start;
        dbg_history(d)->extent(d->target->context, &start, &e->to);
    }
    if ((status = go_part(d, e->to, &there, err)) != WT_OK || !there)
        return status;
    return e->kind == ERRAND_BACK ? come_back(d, err) : arrive_there(d, false, err);
}

bool dbg_run_errand(struct wt_debugger *d)
{
    const uint64_t until = wt_clock_ns() + PUMP_NS;
    struct wt_error err;
    assert(d->errand.kind != ERRAND_NONE && d->travel.going);
    do {
        const enum errand_kind kind = d->errand.kind;
        if (run_part(d, &err)) {
            dbg_end_travel(d);
            tell(d, kind, false, &err);
        }
    } while (d->errand.kind != ERRAND_NONE && wt_clock_ns() < until);
    return true;
}

enum wt_status dbg_give_up_errand(struct wt_debugger *d, struct wt_error *err)
{
    if (d->errand.kind == ERRAND_GOTO) {
        enum wt_status status = arrive_there(d, true, err);
        if (status)
            tell(d, ERRAND_GOTO, true, err);
        return status;
    }
    /* The way back cannot be interrupted. */
    d->errand.given_up = true;
    d->errand.kind = ERRAND_BACK;
    return WT_OK;
}

void dbg_tell_dropped(struct wt_debugger *d, enum errand_kind kind)
{
    if (kind != ERRAND_NONE)
        tell(d, kind, true, NULL);
}

bool wt_debugger_progress(struct wt_debugger *d, uint64_t *now, uint64_t *to)
{
    if (d->errand.kind == ERRAND_NONE)
        return false;
    *now = time_of(d);
    *to = d->errand.to;
    return true;
}

enum wt_status wt_debugger_goto(struct wt_debugger *d, uint64_t time, struct wt_error *err)
{
    enum wt_status status = wt_debugger_begin_goto(d, time, err);
    if (status)
        return status;
    while (d->errand.kind != ERRAND_NONE)
        dbg_run_errand(d);
    /* The last event of the queue tells how it ended. */
    assert(dbg_has_event(d));
    const struct wt_event event = d->events.list[--d->events.count];
    return event.reason == WT_STOP_LOST ? wt_fail(err, WT_IO, "%s", event.text) : WT_OK;
}
