/*
 * gcn-debug-bench WHAT WAY FILE WAVES SECONDS [BREAKPOINT|WATCH]: what debugging a kernel for
 * gfx900 costs. FILE is a code object with one kernel whose arguments are memory and a number of
 * rounds; it has the symbols `again` (its loop) and `never` (behind its end). WAY is bare: the
 * target has no service, as hardware has none; full: the emulator's services; recorded: with time
 * travel. Prints one number:
 *
 *   steps    single steps of one wave a second        stops   stops at a breakpoint in the loop a
 * second halts    microseconds from a request to stop until all waves stand (median) saves
 * microseconds (median) in which the driver suspends the queue, waves saved, and resumes it run CPU
 * seconds of the whole kernel, with one of: nothing; `elsewhere`, a breakpoint that no wave comes
 * to; `far`, a watchpoint on memory that is not accessed; `near`, one on a page that the loop
 * accesses elsewhere
 *
 * gcn-debug-bench preempt HANDLER FILE WAVES SECONDS: microseconds (median) of a preemption by the
 * trap handler HANDLER (raw code, as the kernel driver's): its waves save their context, and
 * restore it.
 *
 * gcn-debug-bench process PID: goes to a program, lets it run, and stays until it ends.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "debug/core/going.h"
#include "emulator/gcn/kfd.h"
#include "emulator/machine/machine.h"
#include "runtime/gcn/launch.h"
#include "target/emulated.h"
#include "target/gcn.h"
#include "target/process.h"

enum { SLICE = 1 << 12, SAMPLES = 1001, ROUNDS = 1 << 30, RUN_ROUNDS = 400000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void check(enum wt_status status, const struct wt_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "gcn-debug-bench: %s\n", err->text);
    exit(1);
}

static void fail(const char *text)
{
    fprintf(stderr, "gcn-debug-bench: %s\n", text);
    exit(1);
}

/* Pumps until nothing runs; the first event. */
static struct wt_event wait_event(struct wt_debugger *d)
{
    while (wt_debugger_running(d))
        wt_debugger_pump(d, SLICE);
    const struct wt_event event = wt_debugger_next_event(d);
    while (wt_debugger_next_event(d).kind != WT_EVENT_NONE)
        continue;
    return event;
}

static void resume(struct wt_debugger *d, wt_thread thread, enum wt_resume_kind kind)
{
    const struct wt_resume list = {.thread = thread, .kind = kind};
    struct wt_error err;
    check(wt_debugger_run(d, WT_FORWARDS, &list, 1, &err), &err);
}

static double steps(struct wt_debugger *d, double seconds)
{
    const double start = now();
    unsigned count = 0;
    for (; now() - start < seconds; count++) {
        resume(d, wt_debugger_current_thread(d), WT_RESUME_STEP);
        if (wait_event(d).reason != WT_STOP_STEP)
            fail("a step did not end as one");
    }
    return count / (now() - start);
}

static double stops(struct wt_debugger *d, double seconds)
{
    const double start = now();
    unsigned count = 0;
    for (; now() - start < seconds; count++) {
        resume(d, 0, WT_RESUME_CONTINUE);
        if (wait_event(d).reason != WT_STOP_BREAKPOINT)
            fail("the loop's breakpoint was not reached");
    }
    return count / (now() - start);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* In microseconds. */
static double median(double *took)
{
    qsort(took, SAMPLES, sizeof *took, ascending);
    return took[SAMPLES / 2] * 1e6;
}

static double halts(struct wt_debugger *d)
{
    struct wt_error err;
    double took[SAMPLES];
    for (unsigned i = 0; i < SAMPLES; i++) {
        resume(d, 0, WT_RESUME_CONTINUE);
        wt_debugger_pump(d, SLICE);
        const double start = now();
        check(wt_debugger_interrupt(d, &err), &err);
        if (wait_event(d).kind != WT_EVENT_STOPPED)
            fail("the kernel has ended");
        took[i] = now() - start;
    }
    return median(took);
}

static double saves(struct wt_emulated *e)
{
    struct gcn_device *device = wt_gcn_device(e);
    struct kfd_queue_entry queue;
    double took[SAMPLES];
    resume(e->debugger, 0, WT_RESUME_CONTINUE);
    if (gcn_kfd_queue_snapshot(device, 0, &queue, 1) != 1)
        fail("the kernel has not one queue");
    for (unsigned i = 0; i < SAMPLES; i++) {
        wt_debugger_pump(e->debugger, SLICE);
        const double start = now();
        if (gcn_kfd_suspend(device, &queue.queue_id, 1, 0) != 1 ||
            gcn_kfd_resume(device, &queue.queue_id, 1) != 1)
            fail("the queue is not suspended and resumed");
        took[i] = now() - start;
    }
    return median(took);
}

/* Whether a wave is in its trap handler. */
static bool is_handling(struct gcn_device *d, uint32_t waves)
{
    enum { STATUS = 2, PRIV = 1 << 5 };
    uint32_t status;
    for (uint32_t i = 0; i < waves; i++)
        if (gcn_wave_hwreg(d, i, STATUS, &status) && status & PRIV)
            return true;
    return false;
}

static double preempt(struct wt_emulated *e)
{
    enum { AREA = 0x10000, AREA_SIZE = 0xf0000, ROUND = 64 };
    struct gcn_device *d = wt_gcn_device(e);
    struct wt_machine *m = e->machine;
    struct wt_error err;
    double took[SAMPLES];
    for (unsigned i = 0; i < SAMPLES; i++) {
        m->ops->run(m, SLICE);
        const double start = now();
        check(gcn_device_save_context(d, GCN_LAUNCH_BUFFERS + AREA, AREA_SIZE, &err), &err);
        if (m->ops->run(m, 1 << 20) != WT_RUN_EVENT)
            fail("the waves have not saved their context");
        check(gcn_device_restore_context(d, &err), &err);
        while (is_handling(d, m->waves))
            m->ops->run(m, ROUND);
        took[i] = now() - start;
    }
    return median(took);
}

static double run(struct wt_debugger *d)
{
    const double start = now();
    resume(d, 0, WT_RESUME_CONTINUE);
    if (wait_event(d).kind != WT_EVENT_EXITED)
        fail("the kernel did not run to its end");
    return now() - start;
}

static void stay(int pid)
{
    const struct wt_debugger_options options = {.threads = WT_THREADS_WAVES};
    const struct timespec moment = {.tv_nsec = 1000000};
    struct wt_process process;
    struct wt_error err;
    const struct wt_family *family = NULL;
    struct wt_process_place place = {.pid = pid};
    for (unsigned tries = 0; !family && tries < 60; tries++)
        check(wt_process_wait(&place, 1000, &family, &err), &err);
    if (!family)
        fail("the program has opened no GPU");
    check(wt_process_open(&process, family, &place, &options, 0, &err), &err);
    struct wt_debugger *d = process.debugger;
    for (bool ended = false; !ended;) {
        struct wt_probe_event news;
        struct wt_event event;
        if (!wt_debugger_pump(d, SLICE))
            nanosleep(&moment, NULL);
        while (wt_debugger_next_news(d, &news))
            if (news.kind == WT_PROBE_MODULES_CHANGED)
                wt_process_refresh(&process, &err);
        while ((event = wt_debugger_next_event(d)).kind != WT_EVENT_NONE)
            ended |= event.kind == WT_EVENT_EXITED;
        if (!ended && !wt_debugger_running(d))
            resume(d, 0, WT_RESUME_CONTINUE);
    }
    wt_process_close(&process);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "process") == 0) {
        stay(atoi(argv[2]));
        return 0;
    }
    if (argc < 6)
        fail("usage: gcn-debug-bench WHAT WAY FILE WAVES SECONDS [elsewhere|far|near]");
    const char *what = argv[1], *extra = argc > 6 ? argv[6] : "";
    const bool bare = strcmp(argv[2], "bare") == 0, recorded = strcmp(argv[2], "recorded") == 0;
    const bool whole = strcmp(what, "run") == 0, preempted = strcmp(what, "preempt") == 0;
    const unsigned waves = (unsigned)atoi(argv[4]);
    const double seconds = atof(argv[5]);
    char rounds[32];
    snprintf(rounds, sizeof rounds, "u32:%u", whole ? RUN_ROUNDS / waves : ROUNDS);
    const char *arguments[] = {"zeros:1048576", rounds};
    struct wt_emulated_options options = {
        .kernel = {.given = true,
                   .grid = {64 * waves, 1, 1},
                   .block = {64, 1, 1},
                   .grid_given = true,
                   .block_given = true,
                   .handler = {argv[2]},
                   .handler_count = preempted},
        .argument = arguments,
        .argument_count = 2,
        .dm_only = bare,
        .threads = WT_THREADS_WAVES,
        .history_memory = recorded ? (uint64_t)256 << 20 : 0,
    };
    struct wt_emulated e;
    struct wt_error err;
    uint64_t addr;
    check(wt_emulated_open(&e, &options, argv[3], &err), &err);
    if (preempted) {
        printf("%.6f\n", preempt(&e));
        wt_emulated_close(&e);
        return 0;
    }
    const struct wt_target_services all = *wt_emulated_target(&e)->services;
    if (bare)
        e.services = (struct wt_target_services){.pump = all.pump, .reload = all.reload};
    check(wt_emulated_debug(&e, NULL, NULL, &err), &err);
    struct wt_debugger *d = e.debugger;
    if (strcmp(what, "stops") == 0 || strcmp(extra, "elsewhere") == 0) {
        check(wt_emulated_address(&e, *extra ? "never" : "again", &addr, &err), &err);
        check(wt_debugger_insert_breakpoint(d, addr, NULL, 0, NULL, 0, &err), &err);
    }
    if (strcmp(extra, "far") == 0 || strcmp(extra, "near") == 0) {
        /* The kernel's first argument: s[4:5] once it is loaded, at `again`. */
        uint64_t memory = 0;
        uint32_t half[2];
        unsigned found = 0;
        const struct wt_topology *t = wt_debugger_topology(d);
        check(wt_emulated_address(&e, "again", &addr, &err), &err);
        check(wt_debugger_insert_breakpoint(d, addr, NULL, 0, NULL, 0, &err), &err);
        resume(d, 0, WT_RESUME_CONTINUE);
        if (wait_event(d).reason != WT_STOP_BREAKPOINT)
            fail("the loop was not reached");
        for (unsigned i = 0; i < t->register_count; i++)
            if (strcmp(t->registers[i].name, "s4") == 0 ||
                strcmp(t->registers[i].name, "s5") == 0) {
                check(wt_debugger_read_rows(d, wt_debugger_current_thread(d), wt_lane_bit(0), &i, 1,
                                            (uint8_t *)&half[found++], &err),
                      &err);
            }
        memory = half[0] | (uint64_t)half[1] << 32;
        check(wt_debugger_remove_breakpoint(d, addr, &err), &err);
        const struct wt_watchpoint_request request = {
            .kind = WT_WATCHPOINT_WRITE,
            .addr = {.offset = memory + (*extra == 'f' ? 0x80000 : 0x800)},
            .size = 4,
        };
        check(wt_debugger_insert_watchpoint(d, &request, &err), &err);
    }
    printf("%.6f\n", strcmp(what, "steps") == 0   ? steps(d, seconds)
                     : strcmp(what, "stops") == 0 ? stops(d, seconds)
                     : strcmp(what, "halts") == 0 ? halts(d)
                     : strcmp(what, "saves") == 0 ? saves(&e)
                                                  : run(d));
    wt_debugger_close(d);
    wt_emulated_close(&e);
    return 0;
}
