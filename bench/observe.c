/*
 * observe-bench WAY GPU PROGRAM [KERNEL GRID BLOCK ARGUMENT…]: what observation and the check of
 * memory cost. Runs the kernel, or the whole program, with nobody who observes it (WAY `plain`), or
 * with a client that counts the bytes of all accesses (`bytes`) and the events, too (`all`), or
 * with the check of memory (`memory`), or of races, too (`race`), or of uninitialised values, too
 * (`init`), or of all three (`three`), or of barriers (`sync`). Prints the CPU seconds of the run,
 * the bytes and events, or the findings, and by how many bytes the heap has grown.
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/set.h"
#include "emulator/machine/groups.h"
#include "runtime/common/environment.h"
#include "target/checks.h"
#include "target/emulated.h"

struct counts {
    uint64_t bytes, events;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Bytes of the heap that are in use. */
static size_t heap(void)
{
    const struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

static void check(enum wt_status status, const struct wt_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "observe-bench: %s\n", err->text);
    exit(1);
}

static void note_access(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    (void)m;
    ((struct counts *)context)->bytes += (uint64_t)a->size * wt_lanes_count(a->lanes);
}

static void note_event(void *context, struct wt_machine *m, const struct wt_observed_event *e)
{
    (void)m, (void)e;
    ((struct counts *)context)->events++;
}

static void note_finding(void *context, const struct wt_finding *f)
{
    (void)f;
    ((struct counts *)context)->events++;
}

int main(int argc, char **argv)
{
    struct wt_emulated_options options = {.argument = NULL};
    struct wt_emulated e;
    struct wt_error err;
    struct counts counts = {0};
    if (argc != 4 && argc < 7) {
        fprintf(stderr, "usage: observe-bench WAY GPU PROGRAM [KERNEL GRID BLOCK ARGUMENT…]\n");
        return 2;
    }
    check(wt_gpu_choose(&options.gpu, argv[2], &err), &err);
    if (argc > 4) {
        options.kernel.name = argv[4];
        options.kernel.grid[0] = (uint32_t)strtoul(argv[5], NULL, 0);
        options.kernel.block[0] = (uint32_t)strtoul(argv[6], NULL, 0);
        options.kernel.grid[1] = options.kernel.grid[2] = 1;
        options.kernel.block[1] = options.kernel.block[2] = 1;
        options.kernel.grid_given = options.kernel.block_given = true;
        options.argument = (const char **)(argv + 7);
        options.argument_count = (size_t)argc - 7;
    }
    check(wt_emulated_open(&e, &options, argv[3], &err), &err);
    struct wt_machine *m = e.machine;
    const size_t before = heap();
    struct wt_check_set set = {.memory = NULL};
    const char *way = argv[1];
    bool begun = true;
    const bool races = !strcmp(way, "race") || !strcmp(way, "three"),
               values = !strcmp(way, "init") || !strcmp(way, "three");
    unsigned checks = 0;
    if (!strcmp(way, "memory") || races || values)
        checks |= WT_CHECK_MEMORY;
    if (values)
        checks |= WT_CHECK_INIT;
    if (races)
        checks |= WT_CHECK_RACE;
    if (!strcmp(way, "sync"))
        checks |= WT_CHECK_SYNC;
    else if (!strcmp(way, "hazard"))
        checks |= WT_CHECK_HAZARD;
    else if (!strcmp(way, "bytes") || !strcmp(way, "all"))
        begun = wt_observe(m, note_access, &counts, NULL, 0);
    const struct wt_check_start how = {
        .machine = m, .space = m, .found = note_finding, .context = &counts};
    begun &= wt_emulated_check(&e, &set, &how, checks, wt_say_once);
    if (!begun)
        return 1;
    if (strcmp(argv[1], "all") == 0)
        wt_groups_observe(m, note_event);
    const double start = now();
    const enum wt_run run = m->ops->run(m, UINT64_MAX / 2);
    const double took = now() - start;
    if (run != WT_RUN_ENDED) {
        fprintf(stderr, "observe-bench: the run ended early: %s\n", m->fault.text);
        return 1;
    }
    printf("%.4f %" PRIu64 " %" PRIu64 " %zu\n", took, counts.bytes, counts.events,
           heap() - before);
    wt_check_set_end(&set);
    wt_emulated_close(&e);
    wt_gpu_free(&options.gpu);
    return 0;
}
