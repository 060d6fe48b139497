/*
 * debug_tool PROGRAM GPU SCHEDULE BUDGET SEED: time travel in PROGRAM by a debugger. It is run to
 * its end with breakpoints at some of its instructions, with a stop at each of them; every stop
 * must be found again, by going to it, backwards and forwards, with the same state; and so many
 * single steps back and forth must lead to where they began. Prints "ISSUES STOPS TRIPS STEPS", or
 * what was different (status 1).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debug/core/going.h"
#include "emulator/machine/machine.h"
#include "emulator/vortex/vortex.h"
#include "target/history.h"
#include "target/vortex.h"

enum { STOPS = 80, BREAKPOINTS = 5, TRIPS = 16, WALKS = 10, LONGEST = 12 };

struct stop {
    uint64_t time, hash;
};

struct tool {
    struct wt_emulated session;
    struct wt_debugger *d;
    uint64_t random;
    uint64_t breakpoint[BREAKPOINTS];
    size_t breakpoints;
    struct stop stop[STOPS];
    size_t stops;
    uint64_t end;
    unsigned steps;
};

static uint64_t any(struct tool *t, uint64_t below)
{
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    return (t->random >> 33) % below;
}

static void check(enum wt_status status, const struct wt_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static uint64_t now(struct tool *t)
{
    return t->session.machine->time;
}

static uint64_t hash(struct tool *t)
{
    struct wt_error err = {0};
    uint64_t value;
    check(wt_debugger_hash(t->d, &value, &err), &err);
    return value;
}

static void must(struct tool *t, bool right, const char *what, uint64_t from)
{
    if (right)
        return;
    fprintf(stderr, "%s from %" PRIu64 ": wrong at %" PRIu64 " of %" PRIu64 "\n", what, from,
            now(t), t->end);
    exit(1);
}

static struct wt_event wait_for_event(struct tool *t)
{
    while (wt_debugger_running(t->d))
        wt_debugger_pump(t->d, 1 << 16);
    const struct wt_event event = wt_debugger_next_event(t->d);
    while (wt_debugger_next_event(t->d).kind != WT_EVENT_NONE)
        continue;
    return event;
}

static struct wt_event resume(struct tool *t, wt_thread thread)
{
    const struct wt_resume list[] = {
        {.thread = thread, .kind = thread ? WT_RESUME_STEP : WT_RESUME_CONTINUE},
        {.kind = WT_RESUME_CONTINUE}};
    struct wt_error err = {0};
    check(wt_debugger_run(t->d, WT_FORWARDS, list, thread ? 2 : 1, &err), &err);
    return wait_for_event(t);
}

static struct wt_event reverse(struct tool *t, wt_thread thread)
{
    const struct wt_resume one = {.thread = thread,
                                  .kind = thread ? WT_RESUME_STEP : WT_RESUME_CONTINUE};
    struct wt_error err = {0};
    check(wt_debugger_run(t->d, WT_BACKWARDS, &one, 1, &err), &err);
    return wait_for_event(t);
}

static void go_to(struct tool *t, uint64_t time)
{
    struct wt_error err = {0};
    check(wt_debugger_goto(t->d, time, &err), &err);
}

static void insert(struct tool *t, bool in)
{
    struct wt_error err = {0};
    for (size_t i = 0; i < t->breakpoints; i++)
        check(in ? wt_debugger_insert_breakpoint(t->d, t->breakpoint[i], NULL, 0, NULL, 0, &err)
                 : wt_debugger_remove_breakpoint(t->d, t->breakpoint[i], &err),
              &err);
}

/* Some instructions that are issued now and then, found by a run without a debugger. */
static void choose_breakpoints(struct tool *t, const struct wt_emulated_options *options,
                               const char *program)
{
    struct wt_error err = {0};
    struct wt_emulated plain;
    check(wt_emulated_open(&plain, options, program, &err), &err);
    plain.console = NULL;
    struct wt_machine *m = plain.machine;
    uint64_t issues = 0;
    while (m->ops->run(m, 1 << 16) == WT_RUN_BUDGET)
        continue;
    issues = m->time;
    m->ops->reset(m);
    wt_emulated_close(&plain);
    check(wt_emulated_open(&plain, options, program, &err), &err);
    plain.console = NULL;
    m = plain.machine;
    for (unsigned i = 0; i < BREAKPOINTS; i++) {
        struct wt_wave_view view = {0};
        m->ops->run(m, issues / (BREAKPOINTS + 1) - any(t, issues / 20 + 1));
        for (uint32_t tries = 0; tries < 64 && !view.active; tries++)
            m->ops->view(m, (uint32_t)any(t, m->waves), &view);
        bool known = !view.active;
        for (size_t k = 0; k < t->breakpoints; k++)
            known |= t->breakpoint[k] == view.pc;
        if (!known)
            t->breakpoint[t->breakpoints++] = view.pc;
    }
    wt_emulated_close(&plain);
}

/* To the end, stop by stop. */
static void record(struct tool *t)
{
    insert(t, true);
    for (;;) {
        const struct wt_event event = resume(t, 0);
        if (event.kind == WT_EVENT_EXITED)
            break;
        must(t, event.reason == WT_STOP_BREAKPOINT, event.text, 0);
        if (t->stops < STOPS)
            t->stop[t->stops++] = (struct stop){now(t), hash(t)};
        if (t->stops == STOPS)
            insert(t, false);
        if (t->stops == STOPS)
            t->breakpoints = 0;
    }
    t->end = now(t);
}

/* The stop before, and after it the one that follows it. */
static void search_from(struct tool *t, size_t i)
{
    const uint64_t from = t->stop[i].time;
    size_t before = i;
    while (before > 0 && t->stop[before].time == from)
        before--;
    struct wt_event event = reverse(t, 0);
    if (t->stop[before].time == from) {
        must(t, event.reason == WT_STOP_HISTORY_BEGIN && now(t) == 0, "reverse-continue", from);
        return;
    }
    must(t, event.reason == WT_STOP_BREAKPOINT && now(t) == t->stop[before].time,
         "reverse-continue", from);
    must(t, hash(t) == t->stop[before].hash, "the state by reverse-continue", from);
    /* Several waves may meet a breakpoint at one time, and are told one by one. */
    for (uint64_t at = now(t); at == now(t);)
        event = resume(t, 0);
    must(t, now(t) == from && (event.reason == WT_STOP_BREAKPOINT || now(t) == t->end), "continue",
         t->stop[before].time);
    must(t, hash(t) == t->stop[i].hash, "the state by continue", t->stop[before].time);
}

/* So many steps of a thread back and forth. */
static void walk(struct tool *t)
{
    const struct wt_thread_info *list;
    struct wt_error err = {0};
    size_t count;
    go_to(t, any(t, t->end));
    check(wt_debugger_threads(t->d, &list, &count, &err), &err);
    if (!count)
        return;
    /* Mostly one that is enabled, where most are not. */
    size_t which = any(t, count);
    for (size_t tries = any(t, 4) ? count : 0; tries && !list[which].enabled; tries--)
        which = which + 1 < count ? which + 1 : 0;
    const wt_thread thread = list[which].id;
    if (resume(t, thread).reason != WT_STOP_STEP)
        return; /* it does not issue again */
    const uint64_t from = now(t), at = hash(t);
    unsigned back = 0;
    const unsigned most = 1 + (unsigned)any(t, LONGEST);
    while (back < most && reverse(t, thread).reason == WT_STOP_STEP)
        back++;
    must(t, back > 0 && now(t) < from, "reverse-step", from);
    for (unsigned i = 0; i < back; i++)
        must(t, resume(t, thread).reason == WT_STOP_STEP, "step", from);
    must(t, now(t) == from && hash(t) == at, "so many steps back and forth", from);
    t->steps += 2 * back;
}

int main(int argc, char **argv)
{
    struct wt_error err = {0};
    struct wt_emulated_options options = {.threads = WT_THREADS_LANES};
    struct vx_config config;
    static struct tool t;
    if (argc != 6) {
        fprintf(stderr, "usage: debug_tool PROGRAM GPU SCHEDULE BUDGET SEED\n");
        return 2;
    }
    vx_config_default(&config);
    check(wt_config_parse(&vx_config_table, &config, argv[2], &err), &err);
    check(wt_schedule_parse(argv[3], &config.schedule, &err), &err);
    options.gpu = (struct wt_gpu){.family = &wt_family_vortex, .config = &config};
    options.history_memory = strtoull(argv[4], NULL, 0);
    t.random = strtoull(argv[5], NULL, 0);
    choose_breakpoints(&t, &options, argv[1]);
    check(wt_emulated_open(&t.session, &options, argv[1], &err), &err);
    t.session.console = NULL;
    check(wt_emulated_debug(&t.session, NULL, NULL, &err), &err);
    t.d = t.session.debugger;
    wt_timeline_set_interval(t.session.timeline, 500);
    const size_t breakpoints = t.breakpoints;
    record(&t);
    const size_t reached = t.stops;
    if (!t.breakpoints) { /* there were too many stops: those until then count */
        t.breakpoints = breakpoints;
        go_to(&t, t.stop[t.stops - 1].time);
        insert(&t, true);
    }
    for (unsigned i = 0; i < TRIPS && reached; i++) {
        const size_t to = any(&t, reached);
        const uint64_t from = now(&t);
        go_to(&t, t.stop[to].time);
        /* Several stops at one time: the last one is the state there. */
        size_t last = to;
        while (last + 1 < reached && t.stop[last + 1].time == t.stop[to].time)
            last++;
        must(&t, now(&t) == t.stop[to].time && hash(&t) == t.stop[last].hash, "goto", from);
        search_from(&t, last);
    }
    insert(&t, false);
    for (unsigned i = 0; i < WALKS; i++)
        walk(&t);
    printf("%" PRIu64 " %zu %d %u\n", t.end, reached, TRIPS, t.steps);
    wt_debugger_close(t.d);
    wt_emulated_close(&t.session);
    return 0;
}
