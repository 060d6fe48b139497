/*
 * watch-bench PROGRAM GPU ISSUES COLD HOT HIT PC: what watches cost. Runs PROGRAM for ISSUES issues
 * without any, with one at COLD (a page that it never touches), with one at HOT (a byte that it
 * never touches of a page that it does), with a condition on the instruction at PC that never holds
 * and does nothing, and with one that compares a register of all lanes, in turn; then as long as it
 * takes to stop 20,000 times for HIT. Prints, in one line: the medians of seconds without, cold,
 * hot, with the empty condition, with the other one; how often that was evaluated; stops per
 * second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "emulator/machine/machine.h"
#include "emulator/machine/run.h"
#include "emulator/machine/watch.h"
#include "emulator/vortex/vortex.h"

enum { ROUNDS = 7, STOPS = 20000, WAYS = 5 };

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

/* Conditions count how often they are asked. */
static wt_lanes never(void *context, struct wt_machine *m, uint32_t wave, uint64_t pc,
                      wt_lanes mask, uint64_t time)
{
    (void)m, (void)wave, (void)pc, (void)mask;
    ++*(uint64_t *)context;
    return 0;
}

/* x7 == -1 */
static wt_lanes compare(void *context, struct wt_machine *m, uint32_t wave, uint64_t pc,
                        wt_lanes mask, uint64_t time)
{
    uint32_t row[WT_MAX_LANES];
    wt_lanes lanes = 0;
    (void)pc, (void)mask;
    ++*(uint64_t *)context;
    if (!m->ops->read_row(m, wave, 7, row))
        return 0;
    for (unsigned l = 0; l < m->lanes; l++)
        lanes |= (wt_lanes)(row[l] == UINT32_MAX) << l;
    return lanes;
}

static int fail(const char *text)
{
    fprintf(stderr, "watch-bench: %s\n", text);
    return 1;
}

int main(int argc, char **argv)
{
    struct wt_error err;
    struct wt_image image;
    struct vx_config config;
    struct vx_device *device;
    double seconds[WAYS][ROUNDS];
    uint64_t calls = 0;
    vx_config_default(&config);
    if (argc != 8)
        return fail("usage: watch-bench PROGRAM GPU ISSUES COLD HOT HIT PC");
    if (wt_image_load(argv[1], 0, &image, &err) ||
        wt_config_parse(&vx_config_table, &config, argv[2], &err))
        return fail(err.text);
    config.xlen = image.bits;
    if (vx_device_new(&config, &device, &err))
        return fail(err.text);
    struct wt_machine *m = vx_machine(device);
    const uint64_t issues = strtoull(argv[3], NULL, 0);
    const struct wt_watch watch[WAYS] = {
        {.kind = WT_WATCH_ACCESS, .addr = strtoull(argv[6], NULL, 0), .size = 4},
        {.kind = WT_WATCH_ACCESS, .addr = strtoull(argv[4], NULL, 0), .size = 4},
        {.kind = WT_WATCH_ACCESS, .addr = strtoull(argv[5], NULL, 0), .size = 4},
        {.kind = WT_WATCH_EXECUTE,
         .addr = strtoull(argv[7], NULL, 0),
         .size = 1,
         .holds = never,
         .context = &calls},
        {.kind = WT_WATCH_EXECUTE,
         .addr = strtoull(argv[7], NULL, 0),
         .size = 1,
         .holds = compare,
         .context = &calls},
    };
    for (unsigned i = 0; i < WAYS * ROUNDS; i++) {
        const unsigned what = i % WAYS;
        calls = 0;
        if (vx_device_load(device, &image, &err) || !wt_set_watches(m, &watch[what], what != 0))
            return fail("cannot begin");
        const double start = now();
        if (m->ops->run(m, issues) != WT_RUN_BUDGET)
            return fail("the program stopped early");
        seconds[what][i / WAYS] = now() - start;
    }
    for (unsigned what = 0; what < WAYS; what++)
        qsort(seconds[what], ROUNDS, sizeof seconds[what][0], ascending);
    if (!wt_set_watches(m, &watch[0], 1))
        return fail("no host memory");
    const double start = now();
    for (unsigned i = 0; i < STOPS; i++)
        if (m->ops->run(m, issues) != WT_RUN_WATCH)
            return fail("the place is not met");
    const double stops = STOPS / (now() - start);
    for (unsigned what = 0; what < WAYS; what++)
        printf("%g ", seconds[what][ROUNDS / 2]);
    printf("%g %g\n", (double)calls, stops);
    vx_device_free(device);
    wt_image_free(&image);
    return 0;
}
