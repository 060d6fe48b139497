/*
 * Runs through the recorded run, backwards and forwards. The target replays the recording, and
 * searches it for the next event at which the run may stop.
 */
#include "debug/core/recorded.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/wave_name.h"
#include "debug/core/breakpoints.h"
#include "debug/core/conditions.h"
#include "debug/core/events.h"
#include "debug/core/halt.h"
#include "debug/core/held.h"
#include "debug/core/hits.h"
#include "debug/core/judge.h"
#include "debug/core/known.h"
#include "debug/core/lost.h"
#include "debug/core/memory.h"
#include "debug/core/numbering.h"
#include "debug/core/patches.h"
#include "debug/core/past.h"
#include "debug/core/plan.h"
#include "debug/core/resume.h"
#include "debug/core/rows.h"
#include "debug/core/stop.h"
#include "debug/core/sync.h"
#include "debug/core/watchpoints.h"

/* Issues of a slice, and how long slices run before the client is served. */
#define SLICE ((uint64_t)1 << 18)
#define PUMP_NS 20000000ull

/* Lists the code to search for: the breakpoints, with their conditions where the engine can
 * evaluate them. */
static size_t list_code(struct wt_debugger *d, struct wt_watchpoint *list)
{
    size_t count = 0;
    for (size_t i = 0; i < d->breakpoints.count; i++)
        if (d->breakpoints.list[i].inserted)
            list[count++] = dbg_watched_code(&d->breakpoints.list[i]);
    return count;
}

/*
 * Forwards, a breakpoint at which a wave begins was already reported, or is stepped off. If its
 * condition does not hold the engine does not report it: then the next hit counts.
 */
static enum wt_status note_reported(struct wt_debugger *d, struct wt_error *err)
{
    const struct travel *t = &d->travel;
    enum wt_status status;
    for (uint32_t i = 0; i < d->topology->waves; i++) {
        struct wave *w = &d->wave[i];
        if (!dbg_is_active(d, i) || (!w->has_reported && i != t->wave))
            continue;
        if ((status = dbg_need_pc(d, i, err)) || (status = dbg_need_mask(d, i, err)))
            return status;
        if (i == t->wave) {
            w->has_reported = true;
            w->reported_pc = w->pc;
        }
        struct breakpoint *bp = dbg_find_breakpoint(d, w->reported_pc);
        if (bp && bp->inserted && bp->code->in_engine && w->reported_pc == w->pc &&
            !dbg_holds_in_engine(bp->code, i, w->pc, w->mask, t->from))
            w->has_reported = false;
    }
    return WT_OK;
}

/* Begins to search for the next match at which to stop, from where the device is. */
static enum wt_status begin_search(struct wt_debugger *d, struct wt_error *err)
{
    struct travel *t = &d->travel;
    struct wt_watchpoint *code =
                             calloc(d->breakpoints.count ? d->breakpoints.count : 1, sizeof *code),
                         *watched = NULL;
    struct wt_history_query query = {.backwards = t->backwards, .code = code, .wave = t->wave};
    enum wt_status status = WT_OK;
    if (!code)
        return wt_fail(err, WT_NO_MEMORY, "out of memory to search the past");
    query.code_count = list_code(d, code);
    if (!dbg_hold_code(d)) {
        free(code);
        return wt_fail(err, WT_NO_MEMORY, "out of memory to search the past");
    }
    status = dbg_list_watchpoints(d, &watched, &query.watchpoints, err);
    query.watchpoint = watched;
    t->from = d->target->services->time(d->target->context);
    t->seen = true;
    dbg_drop_hits(d);
    if (!status && !t->backwards)
        status = note_reported(d, err);
    if (!status)
        status = dbg_history(d)->search(d->target->context, &query, err);
    free(code);
    free(watched);
    return status;
}

/* Keeps the list of what is resumed, if the debugger stands before a mistake; go_on_live() takes
 * it. */
static enum wt_status note_resumed(struct wt_debugger *d, bool backwards,
                                   const struct wt_resume *list, size_t count, struct wt_error *err)
{
    free(d->history.resumed);
    d->history.resumed = NULL;
    d->history.resumed_count = 0;
    d->history.before_mistake &= !backwards;
    if (!d->history.before_mistake)
        return WT_OK;
    if (!(d->history.resumed = malloc(count * sizeof *list)))
        return wt_fail(err, WT_NO_MEMORY, "no host memory to continue");
    memcpy(d->history.resumed, list, count * sizeof *list);
    d->history.resumed_count = count;
    return WT_OK;
}

enum wt_status dbg_begin_recorded(struct wt_debugger *d, bool backwards,
                                  const struct wt_resume *list, size_t count, struct wt_error *err)
{
    struct travel *t = &d->travel;
    enum wt_status status = WT_OK;
    assert(dbg_history(d) && !d->run.going && !t->going && count);
    *t = (struct travel){.backwards = backwards, .wave = WT_NO_HANDLE};
    /* A recorded run cannot be changed: waves that the client did not name move, too. */
    size_t i = 0;
    while (i < count && !dbg_has_plan(&list[i]))
        i++;
    if (i < count) {
        unsigned lane;
        const wt_thread thread = list[i].thread ? list[i].thread : wt_debugger_current_thread(d);
        if ((status = dbg_locate(d, thread, &t->wave, &lane, err)) != WT_OK)
            return status;
        t->plan = dbg_plan_of(&list[i], lane);
        t->self = d->wave[t->wave].self;
        d->threads.current = dbg_thread_of(d, t->wave, lane);
    }
    if ((status = note_resumed(d, backwards, list, count, err)) == WT_OK &&
        (status = dbg_leave_present(d, err)) == WT_OK)
        status = begin_search(d, err);
    t->going = !status;
    return status;
}

/* Halts a wave where the search has stopped, so that its registers can be read. */
static enum wt_status halt_for_look(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wt_wave_set one;
    enum wt_status status = dbg_history(d)->inspect(d->target->context, err);
    if (status)
        return status;
    dbg_one_wave(d, &one, wave);
    d->ops->replaced(d->probe);
    d->travel.seen = true;
    status = dbg_halt(d, &one, err);
    dbg_forget(d, wave);
    return status;
}

/* Makes the registers that a breakpoint evaluates readable where the search has stopped. */
static enum wt_status inspect_wave(struct wt_debugger *d, const struct wt_history_match *match,
                                   const struct bp_code *code, struct wt_error *err)
{
    struct wave *w = &d->wave[match->wave];
    enum wt_status status;
    if (dbg_needs_registers(code) && !dbg_has_register_port(d) &&
        (status = halt_for_look(d, match->wave, err)) != WT_OK)
        return status;
    dbg_forget(d, match->wave);
    w->pc = match->pc;
    w->mask = match->mask;
    w->have_pc = w->have_mask = true;
    return WT_OK;
}

/* Makes the registers readable that a watchpoint's condition evaluates. *halted: the wave had to be
 * halted for that. */
static enum wt_status inspect_hit(struct wt_debugger *d, const struct wt_history_match *match,
                                  bool *halted, struct wt_error *err)
{
    for (size_t i = 0; i < d->watchpoints.count; i++)
        *halted |= d->watchpoints.list[i].inserted && d->watchpoints.list[i].condition;
    *halted &= !dbg_has_engine(d);
    dbg_meet(d, match->wave, match->id);
    return *halted ? halt_for_look(d, match->wave, err) : WT_OK;
}

/*
 * Whether a breakpoint that was planted when the run was recorded halts the wave at a match.
 * Backwards the issue of the instruction counts, which may come later, when others have run on; the
 * wave has arrived once. Forwards the first of the two counts (has_reported).
 */
static enum wt_status is_attempt(struct wt_debugger *d, const struct wt_history_match *match,
                                 bool *attempt, struct wt_error *err)
{
    *attempt = false;
    if (!dbg_has_trace(d, match->pc))
        return WT_OK;
    dbg_meet(d, match->wave, match->id);
    enum wt_status status = dbg_has_memory_port(d) ? WT_OK : halt_for_look(d, match->wave, err);
    if (!status)
        status = dbg_trace_is_planted(d, match->wave, match->pc, attempt, err);
    return status;
}

/* A wave is about to issue an instruction with a breakpoint: does the run stop there? */
static enum wt_status judge_breakpoint(struct wt_debugger *d, const struct wt_history_match *match,
                                       struct stop *stop, bool *stops, struct wt_error *err)
{
    const struct breakpoint *bp = dbg_find_breakpoint(d, match->pc);
    struct wave *w = &d->wave[match->wave];
    enum wt_status status;
    *stops = false;
    if (!bp || !bp->inserted)
        return WT_OK;
    dbg_meet(d, match->wave, match->id);
    /* The breakpoint at which a wave begins was already reported, or is stepped off. */
    if (!d->travel.backwards && w->has_reported && w->reported_pc == match->pc) {
        /* A wave that steps issues it after this match. */
        w->has_reported = match->wave == d->travel.wave && !match->issue;
        return WT_OK;
    }
    const struct arrival arrival = {.wave = match->wave,
                                    .pc = match->pc,
                                    .backwards = d->travel.backwards,
                                    .code = bp->code->in_engine ? bp->code : NULL,
                                    .mask = match->mask,
                                    .time = match->time};
    if (!arrival.code && (status = inspect_wave(d, match, bp->code, err)) != WT_OK)
        return status;
    return dbg_judge_breakpoint(d, bp, &arrival, stops, stop, err);
}

/* The wave that steps is about to issue an instruction. */
static void judge_issue(struct wt_debugger *d, const struct wt_history_match *match,
                        struct candidate *c, bool *stops)
{
    const struct travel *t = &d->travel;
    uint64_t start, end;
    dbg_history(d)->extent(d->target->context, &start, &end);
    /* A disabled lane does not move with its wave. At the end of the recording nothing has been
     * issued: the present stopped there for a fault of the program. */
    c->stranger = match->id != t->self.id;
    c->stop = dbg_plan_stop(match->wave, t->self.id, &t->plan);
    *stops = c->stranger || (wt_has_lane(match->mask, t->plan.lane) && match->time < end);
}

static bool is_step(const struct candidate *c)
{
    return c->stop.event.reason == WT_STOP_STEP;
}

/* A match was found. If the run stops at it, it becomes the candidate. */
static enum wt_status judge(struct wt_debugger *d, const struct wt_history_match *match,
                            bool *stops, struct wt_error *err)
{
    struct travel *t = &d->travel;
    struct candidate c = {.time = match->time};
    const struct wt_watchpoint_hit *list;
    enum wt_status status = WT_OK;
    bool halted = false;
    *stops = false;
    if (t->backwards && match->kind != WT_HISTORY_WATCH &&
        ((status = is_attempt(d, match, &halted, err)) != WT_OK || halted))
        return status;
    switch (match->kind) {
    case WT_HISTORY_PC:
        status = judge_breakpoint(d, match, &c.stop, stops, err);
        if (!status && !*stops && match->issue)
            judge_issue(d, match, &c, stops);
        break;
    case WT_HISTORY_ISSUE:
        judge_issue(d, match, &c, stops);
        break;
    case WT_HISTORY_WATCH:
        if (d->target->services->watchpoint_hits) {
            const size_t count = d->target->services->watchpoint_hits(d->target->context, &list);
            if ((status = inspect_hit(d, match, &halted, err)) != WT_OK)
                return status;
            *stops = dbg_take_hits(d, list, count,
                                   (t->backwards ? DBG_HITS_BACKWARDS : 0) |
                                       (halted ? DBG_HITS_HALTED : 0)) &&
                     dbg_next_hit(d, t->backwards, &c.stop);
            /* The run begins before the access. */
            if (*stops && wt_event_is_mistake(&c.stop.event) && !t->backwards &&
                match->time == t->from)
                *stops = dbg_next_hit(d, false, &c.stop) && !wt_event_is_mistake(&c.stop.event);
        }
        break;
    }
    if (status || !*stops)
        return status;
    if (match->kind != WT_HISTORY_WATCH)
        dbg_drop_hits(d);
    t->candidate = c;
    dbg_history(d)->accept(d->target->context, !t->backwards && !c.stranger && is_step(&c));
    return WT_OK;
}

/* Whether a run that reaches the present goes on there: it was in the past for a mistake alone. */
static bool runs_on(const struct wt_debugger *d)
{
    return d->history.before_mistake && !d->travel.backwards && !d->history.present.ended &&
           d->history.resumed_count;
}

/* Lets it go on. */
static enum wt_status go_on_live(struct wt_debugger *d, struct wt_error *err)
{
    struct wt_resume *list = d->history.resumed;
    const size_t count = d->history.resumed_count;
    d->history.resumed = NULL;
    d->history.resumed_count = 0;
    const enum wt_status status = dbg_begin_live(d, list, count, err);
    free(list);
    return status;
}

/* The recorded run ends, or begins, here. */
static enum wt_status report_edge(struct wt_debugger *d, struct wt_error *err)
{
    const bool backwards = d->travel.backwards, stepping = d->travel.wave != WT_NO_HANDLE;
    const struct present *present = &d->history.present;
    const bool keeps = backwards || stepping;
    const wt_thread current = keeps ? d->threads.current : present->current;
    const struct dbg_numbered *n = dbg_find_numbered(d, current);
    const wt_thread first = n ? n->first : 0;
    const bool lanes = (keeps ? d->threads.mode : present->mode) == WT_THREADS_LANES;
    const unsigned chosen = keeps ? d->threads.chosen_lane : present->chosen_lane;
    const unsigned lane = lanes && n ? current - first : chosen;
    const bool goes_on = runs_on(d);
    d->travel = (struct travel){0};
    enum wt_status status = dbg_arrive(d, err);
    if (status)
        return status;
    if (!backwards) {
        bool ended = false;
        if (d->run.ended && ((status = dbg_take_events(d, &ended, err)) || ended))
            return status;
        const size_t before = d->events.count;
        status = dbg_check_fault(d, err);
        if (status || d->events.count != before)
            return status;
        if (goes_on)
            return go_on_live(d, err);
    }
    struct wt_event event = {.kind = WT_EVENT_STOPPED,
                             .reason = backwards ? WT_STOP_HISTORY_BEGIN : WT_STOP_HISTORY_END};
    snprintf(event.text, sizeof event.text,
             backwards ? "the recorded run begins here, at issue time %" PRIu64
                       : "the present is reached again, at issue time %" PRIu64
                         ": from here on the run is a new one",
             d->target->services->time(d->target->context));
    d->threads.current = first ? first + (d->threads.mode == WT_THREADS_LANES ? lane : 0) : current;
    d->threads.chosen_lane = lane;
    event.thread = wt_debugger_current_thread(d);
    d->threads.current = event.thread;
    dbg_push_event(d, &event);
    return WT_OK;
}

/*
 * The slot of the stepping wave belongs to another wave here: the search has passed the wave's
 * begin or end.
 */
static enum wt_status report_stranger(struct wt_debugger *d, struct travel t,
                                      const struct candidate *c, struct wt_error *err)
{
    struct wt_event event = {.kind = WT_EVENT_STOPPED,
                             .reason = t.backwards ? WT_STOP_HISTORY_BEGIN : WT_STOP_STEP};
    char name[WT_WAVE_NAME];
    d->travel = (struct travel){0};
    enum wt_status status = dbg_go(d, t.backwards ? t.from : c->time, err);
    if (status)
        return status;
    wt_debugger_name_wave(d, &t.self, name, sizeof name);
    if (t.backwards)
        snprintf(event.text, sizeof event.text,
                 "%s begins here: before, another %s was in its slot", name,
                 d->topology->wave_word);
    else
        snprintf(event.text, sizeof event.text, "%s has ended", name);
    event.thread = d->threads.current = t.backwards ? dbg_thread_of(d, t.wave, t.plan.lane) : 0;
    event.wave_ended = !t.backwards;
    dbg_push_event(d, &event);
    return WT_OK;
}

/* Whether the plan of a run goes on: then the next search has begun, or (@p goes_on) the run in the
 * present. */
static enum wt_status go_on(struct wt_debugger *d, const struct travel *run, bool goes_on, bool *on,
                            struct wt_error *err)
{
    struct plan plan = run->plan;
    const struct wave *w = &d->wave[run->wave];
    enum wt_status status;
    *on = false;
    if (!d->history.in_past && !goes_on)
        return WT_OK;
    if ((status = dbg_need_pc(d, run->wave, err)) || (status = dbg_need_mask(d, run->wave, err)))
        return status;
    dbg_plan_issues(&plan, wt_lane_bit(plan.lane)); /* see judge_issue() */
    *on = !dbg_plan_done(&plan, w->pc, w->mask, d->target->services->wave_detail != NULL);
    if (!*on)
        return WT_OK;
    if (!d->history.in_past)
        return go_on_live(d, err);
    d->travel.plan = plan;
    return begin_search(d, err);
}

/* The device stands before an instruction at which the run stops, or behind an instruction of the
 * plan. */
static enum wt_status found(struct wt_debugger *d, struct wt_error *err)
{
    struct travel *t = &d->travel;
    struct candidate c = t->candidate;
    const struct travel before = *t; /* which ends in the present */
    assert(t->going && c.stop.wave < d->topology->waves);
    const bool goes_on = runs_on(d);
    bool on = false;
    if (c.stranger)
        return report_stranger(d, before, &c, err);
    /* Forwards, outside input recorded at the match has not been applied yet. All stops except
     * breakpoints and mistakes are reported after the instruction. */
    const uint64_t time =
        c.time + (c.stop.event.reason != WT_STOP_BREAKPOINT && !wt_event_is_mistake(&c.stop.event));
    enum wt_status status = t->backwards ? dbg_arrive(d, err) : dbg_go(d, time, err);
    if (status)
        return status;
    c.time = time;
    if (is_step(&c) &&
        (!dbg_is_active(d, c.stop.wave) || d->wave[c.stop.wave].self.id != c.stop.id))
        return report_stranger(d, before, &c, err);
    if (is_step(&c))
        status = go_on(d, &before, goes_on, &on, err);
    if (status || on)
        return status;
    d->travel = (struct travel){0};
    return dbg_report(d, &c.stop, err);
}

static enum wt_status search_on(struct wt_debugger *d, uint64_t budget, struct wt_error *err)
{
    struct wt_history_match match;
    bool stops = false;
    enum wt_status status = WT_OK;
    /* The conditions that the engine evaluates read memory by the port, not where the probe found
     * waves when it looked. */
    if (d->travel.seen)
        d->ops->replaced(d->probe);
    d->travel.seen = false;
    switch (dbg_history(d)->search_on(d->target->context, budget, &match, err)) {
    case WT_HISTORY_ON:
        break;
    case WT_HISTORY_MATCH:
        status = judge(d, &match, &stops, err);
        if (!status && stops && !d->travel.backwards &&
            (!is_step(&d->travel.candidate) || d->travel.candidate.stranger))
            return found(d, err);
        break;
    case WT_HISTORY_FOUND:
        return found(d, err);
    case WT_HISTORY_EDGE:
        return report_edge(d, err);
    case WT_HISTORY_FAILED:
        return err->status;
    }
    return status;
}

bool dbg_advance_recorded(struct wt_debugger *d, uint64_t budget)
{
    const uint64_t until = wt_clock_ns() + PUMP_NS;
    struct wt_error err = {0};
    do {
        if (search_on(d, budget > SLICE ? budget : SLICE, &err)) {
            d->travel = (struct travel){0};
            dbg_lose(d, &err);
            return true;
        }
    } while (d->travel.going && wt_clock_ns() < until);
    return true;
}

enum wt_status dbg_interrupt_recorded(struct wt_debugger *d, struct wt_error *err)
{
    const uint64_t now = d->target->services->time(d->target->context);
    const struct stop stop = {.wave = WT_NO_HANDLE,
                              .event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_INTERRUPTED}};
    const wt_thread current = d->threads.current;
    d->travel = (struct travel){0};
    enum wt_status status = dbg_go(d, now, err);
    if (status)
        return status;
    d->threads.current = current;
    return dbg_report(d, &stop, err);
}
