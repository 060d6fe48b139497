/*
 * conditions-bench PROGRAM GPU: what conditions that do not hold cost. PROGRAM has a loop at the
 * symbol `loop` of three instructions, which it goes through COUNT times (the symbol `count`) with
 * its warp's lanes, and a symbol `done` behind it. If it has a symbol `cell`, too, to which the
 * loop stores, the condition is that of a watchpoint there, else of a breakpoint in the loop.
 * Prints, in one line: evaluations, seconds without a breakpoint and with one whose condition never
 * holds (medians of CPU time), milliseconds of a step back after it (the slowest), bytes logged per
 * evaluation.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "debug/core/going.h"
#include "emulator/machine/timeline.h"
#include "target/emulated.h"

enum { ROUNDS = 5, BACK = 5, A3 = 13, SLICE = 1 << 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check(enum wt_status status, const struct wt_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "conditions-bench: %s\n", err->text);
    exit(1);
}

static struct wt_event wait_event(struct wt_debugger *d)
{
    struct wt_event event;
    do
        wt_debugger_pump(d, SLICE);
    while ((event = wt_debugger_next_event(d)).kind == WT_EVENT_NONE);
    return event;
}

/* a3 == never, as GDB would ask for it: 32 bits of the register. */
static struct wt_expr *never_holds(struct wt_debugger *d, struct wt_error *err)
{
    const struct wt_topology *t = wt_debugger_topology(d);
    unsigned index = 0;
    while (t->registers[index].number != A3)
        index++;
    struct wt_expr *e = wt_expr_new();
    const wt_expr_vector low = wt_expr_temporary(e, 0), same = wt_expr_temporary(e, 1);
    wt_expr_add(e, WT_EXPR_EXT, 32, low, wt_expr_register(e, index), low);
    wt_expr_add(e, WT_EXPR_EQUAL, 0, same, low, wt_expr_constant(e, 0x7fffffff));
    wt_expr_add(e, WT_EXPR_END, 0, same, same, same);
    check(wt_expr_finish(e, err), err);
    return e;
}

/* wt_condition_at_fn */
static struct wt_expr *never_holds_at(void *context, uint64_t pc)
{
    struct wt_error err;
    (void)pc;
    return never_holds(context, &err);
}

/* Runs the program to `done`; with a breakpoint in its loop, or a watchpoint, or not. */
static double run(struct wt_emulated *e, struct wt_watch_condition *never, bool condition,
                  struct wt_error *err)
{
    struct wt_debugger *d = e->debugger;
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    uint64_t loop, done, cell;
    check(wt_emulated_address(e, "loop", &loop, err), err);
    check(wt_emulated_address(e, "done", &done, err), err);
    check(wt_debugger_restart(d, err), err);
    check(wt_debugger_insert_breakpoint(d, done, NULL, 0, NULL, 0, err), err);
    if (condition && wt_emulated_address(e, "cell", &cell, WT_IGNORED) == WT_OK) {
        const struct wt_watchpoint_request watch = {.kind = WT_WATCHPOINT_WRITE,
                                                    .addr = wt_address_of(cell),
                                                    .size = 4,
                                                    .thread = 1,
                                                    .changes = true,
                                                    .condition = never};
        check(wt_debugger_insert_watchpoint(d, &watch, err), err);
    } else if (condition) {
        struct wt_expr *expr = never_holds(d, err);
        check(wt_debugger_insert_breakpoint(d, loop + 4, &expr, 1, NULL, 0, err), err);
        wt_expr_free(expr);
    }
    const double start = now();
    check(wt_debugger_run(d, WT_FORWARDS, &all, 1, err), err);
    const struct wt_event event = wait_event(d);
    const double took = now() - start;
    if (event.reason != WT_STOP_BREAKPOINT) {
        fprintf(stderr, "conditions-bench: the program did not come to `done`: %s\n", event.text);
        exit(1);
    }
    return took;
}

int main(int argc, char **argv)
{
    struct wt_error err;
    struct wt_emulated e;
    struct wt_emulated_options options = {.debugged = true, .history_memory = 512u << 20};
    double plain[ROUNDS], asked[ROUNDS], slowest = 0;
    uint64_t count;
    if (argc != 3) {
        fprintf(stderr, "usage: conditions-bench PROGRAM GPU\n");
        return 2;
    }
    check(wt_gpu_choose(&options.gpu, argv[2], &err), &err);
    check(wt_emulated_open(&e, &options, argv[1], &err), &err);
    check(wt_emulated_debug(&e, NULL, NULL, &err), &err);
    check(wt_emulated_address(&e, "count", &count, &err), &err);
    struct wt_watch_condition *never =
        wt_watch_condition_new(e.debugger, never_holds_at, e.debugger);
    struct wt_timeline_stats quiet = {0}, stats;
    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        *(i % 2 ? &asked[i / 2] : &plain[i / 2]) = run(&e, never, i % 2, &err);
        wt_debugger_remove_all_breakpoints(e.debugger);
        wt_debugger_remove_all_watchpoints(e.debugger);
        wt_timeline_stats(e.timeline, i % 2 ? &stats : &quiet);
    }
    /* With the breakpoint in force. */
    run(&e, never, true, &err);
    const struct wt_resume back = {.thread = 1, .kind = WT_RESUME_STEP};
    for (unsigned i = 0; i < BACK; i++) {
        const double start = now();
        check(wt_debugger_run(e.debugger, WT_BACKWARDS, &back, 1, &err), &err);
        if (wait_event(e.debugger).reason != WT_STOP_STEP) {
            fprintf(stderr, "conditions-bench: no step back\n");
            return 1;
        }
        slowest = now() - start > slowest ? now() - start : slowest;
    }
    qsort(plain, ROUNDS, sizeof *plain, ascending);
    qsort(asked, ROUNDS, sizeof *asked, ascending);
    const double logged = stats.bytes > quiet.bytes ? (double)(stats.bytes - quiet.bytes) : 0;
    printf("%" PRIu64 " %.6f %.6f %.3f %.3f\n", count, plain[ROUNDS / 2], asked[ROUNDS / 2],
           slowest * 1e3, logged / (double)count);
    wt_watch_condition_end(never);
    wt_debugger_close(e.debugger);
    wt_emulated_close(&e);
    return 0;
}
