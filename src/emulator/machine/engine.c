/* The run loop of every family. See engine.h. */
#include "emulator/machine/engine.h"

#include <stdio.h>

struct wt_issue wt_engine_next_issue(struct wt_machine *m, uint32_t wave)
{
    const struct wt_wave_head *w = wt_machine_wave(m, wave);
    return m->engine->issue_at(w, w->pc, m->time);
}

bool wt_engine_joins_turns(const struct wt_machine *m)
{
    return true;
}

bool wt_engine_keeps_turns(const struct wt_machine *m)
{
    return false;
}

void wt_engine_no_cycles(struct wt_machine *m, uint32_t wave, uint64_t issued)
{
}

struct wt_fault wt_engine_fault(const struct wt_machine *m, const struct wt_wave_head *w,
                                enum wt_fault_kind kind, wt_lanes lanes, uint64_t pc, uint64_t addr,
                                const char *format, va_list arguments)
{
    struct wt_fault fault = {.kind = kind,
                             .wave = w->id,
                             .lanes = lanes,
                             .pc = pc,
                             .addr = addr,
                             .time = wt_issue_time(m, w->left)};
    assert(kind != WT_FAULT_NONE);
    vsnprintf(fault.text, sizeof fault.text, format, arguments);
    return fault;
}

void wt_engine_stop(struct wt_machine *m, struct wt_wave_head *w, const struct wt_fault *fault)
{
    m->fault = *fault;
    w->pc = fault->pc;
    wt_not_issued(m);
}

void wt_engine_no_code(struct wt_machine *m, struct wt_wave_head *w, uint64_t pc, const char *name)
{
    const unsigned granule = m->engine->code->granule;
    const bool outside = pc >> WT_MEMORY_ADDRESS_BITS;
    struct wt_fault fault = {.kind = outside ? WT_FAULT_ACCESS : WT_FAULT_HOST,
                             .wave = w->id,
                             .lanes = m->engine->issue_at(w, pc, m->time).mask,
                             .pc = pc,
                             .addr = pc,
                             .time = wt_issue_time(m, w->left)};
    snprintf(fault.text, sizeof fault.text, "%s",
             outside ? "jump outside the address space of 48 bits"
                     : "the host has no memory left to decode this page");
    if (pc % granule) {
        fault.kind = WT_FAULT_MISALIGNED;
        snprintf(fault.text, sizeof fault.text, "the %s is not a multiple of %u", name, granule);
    }
    wt_engine_stop(m, w, &fault);
}

enum wt_run wt_engine_deadlock(struct wt_machine *m, const char *text)
{
    const struct wt_wave_head *w = wt_machine_wave(m, 0);
    assert(m->active);
    for (uint32_t i = 1; !w->active; i++)
        w = wt_machine_wave(m, i);
    m->fault = (struct wt_fault){
        .kind = WT_FAULT_DEADLOCK,
        .wave = w->id,
        .lanes = m->engine->issue_at(w, w->pc, m->time).mask,
        .pc = w->wait_pc,
        .time = m->time,
    };
    snprintf(m->fault.text, sizeof m->fault.text, "deadlock: %s", text);
    if (wt_observes_events(m))
        wt_observe_tell(m, &(struct wt_observed_event){.kind = WT_SEEN_DEADLOCK});
    return WT_RUN_FAULT;
}

bool wt_engine_stops_before(struct wt_machine *m, struct wt_wave_head *w,
                            const struct wt_watch_code *code, uint64_t pc)
{
    const struct wt_issue issue = m->engine->issue_at(w, pc, wt_issue_time(m, w->left));
    wt_lanes lanes;
    if (!wt_watch_set_holds(m, code, w->id, pc, issue.mask, issue.time, &lanes) ||
        !wt_watch_set_before(m, &issue))
        return false;
    w->pc = pc;
    wt_not_issued(m);
    return true;
}

wt_code_handler wt_engine_watched(struct wt_machine *m, struct wt_wave_head *w,
                                  const struct wt_code_page *page, size_t index, uint64_t pc)
{
    const struct wt_code_watched *watched = wt_code_watched(page, index);
    return wt_engine_stops_before(m, w, watched->what, pc) ? NULL : watched->original;
}

void wt_engine_watch(struct wt_machine *m, struct wt_wave_head *w, const struct wt_lane_access *a,
                     uint64_t space, uint64_t addr, unsigned size, const void *before,
                     const void *after)
{
    assert(size >= 1 && a->lane < m->lanes);
    for (unsigned done = 0, part; done < size; done += part) {
        part = size - done < 16 ? size - done : 16;
        const uint64_t at = addr + done;
        if (!wt_watch_set_hits(m->watch, a->kind, space, at, at + part - 1))
            continue;
        const struct wt_issue issue = m->engine->issue_at(w, a->pc, wt_issue_time(m, w->left));
        wt_watch_set_access(m, &issue, a->kind, a->lane, space, at, part,
                            (const uint8_t *)before + done, (const uint8_t *)after + done);
        wt_end_turn(m, &w->left);
    }
}

void wt_engine_access(struct wt_machine *m, struct wt_wave_head *w, const struct wt_lane_access *a,
                      const void *before, const void *after)
{
    if (m->observer && wt_watch_set_observes(m->watch, a->home, a->at, a->at + a->size - 1))
        wt_engine_observe(m, w, a);
    wt_engine_watch(m, w, a, a->home, a->at, a->size, before, after);
}

void wt_engine_mistake(struct wt_machine *m, const struct wt_wave_head *w, unsigned kind,
                       uint64_t pc, wt_lanes lanes, uint64_t addr, unsigned size)
{
    if (!m->watch || !(m->watch->mistakes >> kind & 1))
        return;
    const struct wt_issue issue = m->engine->issue_at(w, pc, wt_issue_time(m, w->left));
    wt_watch_set_mistake(m, &issue, kind, lanes, addr, size);
    wt_end_turn(m, &wt_machine_wave(m, w->id)->left);
}

/* Lets an observed wave do up to @p n issues, and its observer know. It is not inlined, since it
 * would slow run_turn() down, which runs all turns. */
__attribute__((noinline)) static uint64_t run_observed_turn(struct wt_machine *m, uint32_t wave,
                                                            uint64_t n)
{
    const struct wt_issue next = m->engine->next_issue(m, wave);
    const uint64_t most = wt_observe_before(m, &next);
    const uint64_t issued = m->engine->turn(m, wave, most < n ? most : n);
    wt_observe_after(m, &next, issued);
    return issued;
}

/* Lets a wave do up to @p n issues, and an observer know. */
static inline uint64_t run_turn(struct wt_machine *m, uint32_t wave, uint64_t n)
{
    return m->observer ? run_observed_turn(m, wave, n) : m->engine->turn(m, wave, n);
}

/* Runs one turn, or one issue where the run is traced; returns how many were issued. */
static uint64_t take_turn(struct wt_machine *m, uint32_t wave, uint64_t n, wt_trace_fn fn,
                          void *context)
{
    WT_CHECK(wave < m->waves && n > 0 && wt_turns_is_ready(&m->turns, wave));
    if (!fn)
        return run_turn(m, wave, n);
    if (!m->engine->trace_before(wt_machine_wave(m, wave))) {
        m->fault = (struct wt_fault){
            .kind = WT_FAULT_HOST,
            .wave = wave,
            .time = m->time,
            .text = "the host has no memory left for the trace",
        };
        return 0;
    }
    const uint64_t issued = run_turn(m, wave, 1);
    if (issued)
        m->engine->trace_after(wt_machine_wave(m, wave), fn, context);
    return issued;
}

/* Whether the run stops before the next issue of a wave whose issues are watched. */
static bool stops_before(struct wt_machine *m, uint32_t wave)
{
    const struct wt_issue issue = m->engine->next_issue(m, wave);
    return issue.issues && wt_watch_set_before(m, &issue);
}

/* Whether a turn has hits for which the run returns. */
static bool has_hits(struct wt_machine *m)
{
    if (!m->hits || !m->watch->judges)
        return m->hits;
    const struct wt_issue next = m->engine->next_issue(m, m->hit[0].wave);
    return wt_watch_set_counts(m, &next);
}

/* Executes the actions that the turn has requested for its end. */
static void close_turn(struct wt_machine *m, uint32_t wave, uint64_t issued)
{
    if (m->yielded)
        m->turns.left = 0;
    m->yielded = false;
    if (m->attended) {
        m->attended = false;
        m->engine->after_turn(m, wave, issued);
    }
}

/* Whether turns are done as one: those of round robin are the same wave's if no other one can
 * issue. */
static inline bool joins_turns(const struct wt_machine *m)
{
    const struct wt_turns *t = &m->turns;
    return t->ready_count == 1 && t->policy.kind == WT_SCHEDULE_RR && !t->log &&
           m->engine->joins_turns(m);
}

/* The rest of a turn, or of the last one of those that were done as one: all of it where its
 * first instruction was not issued. */
static uint32_t left_of(const struct wt_machine *m, uint64_t issued)
{
    const struct wt_turns *t = &m->turns;
    if (issued < t->left || (issued == t->left && !m->not_issued))
        return t->left - (uint32_t)issued;
    const uint32_t of_last = (uint32_t)((issued - t->left) % t->policy.turn);
    return of_last || m->not_issued ? t->policy.turn - of_last : 0;
}

static enum wt_run run_turns(struct wt_machine *m, uint64_t issues, wt_trace_fn fn, void *context)
{
    if (m->fault.kind)
        return WT_RUN_FAULT;
    if (m->event) { /* a watch was reported instead when it happened */
        m->event = false;
        return WT_RUN_EVENT;
    }
    const uint64_t end = m->time + issues, resets = m->resets;
    struct wt_watch_set *places = m->watch && m->watch->places ? m->watch : NULL;
    const bool alone = !places && !fn && !m->observer && !m->turns.log;
    m->follow_until = alone && m->turns.policy.kind == WT_SCHEDULE_RR ? end : 0;
    while (m->time < end) {
        if (places)
            wt_watch_set_keep_turns(places, &m->turns);
        if (!wt_turns_next(&m->turns, m->time))
            return m->engine->blocked(m);
        const uint32_t wave = m->turns.current;
        uint64_t n = end - m->time;
        if (n > m->turns.left && (places || fn || !joins_turns(m)))
            n = m->turns.left;
        if (places && wt_watch_set_issues(places, wave)) {
            n = 1;
            if (stops_before(m, wave)) {
                wt_watch_set_undo_turns(places, &m->turns);
                return WT_RUN_WATCH;
            }
        }
        const uint64_t issued = take_turn(m, wave, n, fn, context);
        WT_CHECK(issued <= n || issued <= m->slice);
        m->turns.left = left_of(m, issued);
        if (m->yielded | m->attended)
            close_turn(m, wave, issued);
        /* One test for all that a turn may leave: turns that end at a barrier are short. */
        if (!((unsigned)m->fault.kind | m->hits | m->event | (m->resets ^ resets)))
            continue;
        if (m->fault.kind)
            return WT_RUN_FAULT;
        if (has_hits(m)) {
            /* Before an instruction: as if the scheduler had not got there. */
            if (places && !issued)
                wt_watch_set_undo_turns(places, &m->turns);
            return WT_RUN_WATCH;
        }
        if (!m->event && m->resets == resets)
            continue;
        m->event = false;
        return WT_RUN_EVENT;
    }
    return m->active ? WT_RUN_BUDGET : m->engine->blocked(m);
}

/* Fuzzers and the tests of sanitizer builds look whether a run leaves things as they should be. */
static void check(struct wt_machine *m)
{
    assert(!m->in_turn && !m->yielded && m->active <= m->waves && m->hits <= WT_WATCH_HITS);
    assert(m->fault.kind <= WT_FAULT_HOST);
    assert(!m->fault.kind || m->fault.wave < m->waves);
#ifdef WT_CHECK_INVARIANTS
    wt_turns_check(&m->turns);
    m->engine->check(m);
#endif
}

enum wt_run wt_engine_run_traced(struct wt_machine *m, uint64_t issues, wt_trace_fn fn,
                                 void *context)
{
    check(m);
    wt_watch_set_run(m, true);
    const enum wt_run run = run_turns(m, issues, fn, context);
    m->follow_until = 0;
    wt_watch_set_run(m, false);
    if (run == WT_RUN_FAULT)
        m->fault.id = wt_machine_wave_id(m, m->fault.wave);
    if (run != WT_RUN_WATCH)
        m->hits = 0;
    check(m);
    assert((run == WT_RUN_FAULT) == (m->fault.kind != WT_FAULT_NONE));
    assert((run == WT_RUN_WATCH) == (m->hits != 0));
    return run;
}

enum wt_run wt_engine_run(struct wt_machine *m, uint64_t issues)
{
    return wt_engine_run_traced(m, issues, NULL, NULL);
}
