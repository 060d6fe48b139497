/*
 * timeline-bench PROGRAM GPU: what time travel costs. Runs PROGRAM to its end unrecorded and
 * recorded in turn, then goes back from its end, one issue farther each time. Prints, in one line:
 * issues, seconds unrecorded, seconds recorded (the medians), milliseconds to go back by one issue
 * (the median), milliseconds to run one snapshot interval, bytes of the past, snapshots.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "emulator/machine/machine.h"
#include "emulator/machine/timeline.h"
#include "emulator/vortex/vortex.h"

enum { ROUNDS = 5, BACK = 41, SLICE = 1 << 18 };

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

static double median(double *value, size_t n)
{
    qsort(value, n, sizeof *value, ascending);
    return value[n / 2];
}

static int fail(const struct wt_error *err)
{
    fprintf(stderr, "timeline-bench: %s\n", err->text);
    return 1;
}

int main(int argc, char **argv)
{
    struct wt_error err;
    struct wt_image image;
    struct vx_config config;
    struct vx_device *device;
    struct wt_timeline *t = NULL;
    double plain[ROUNDS], recorded[ROUNDS], back[BACK];
    vx_config_default(&config);
    if (argc != 3) {
        fprintf(stderr, "usage: timeline-bench PROGRAM GPU\n");
        return 2;
    }
    if (wt_image_load(argv[1], 0, &image, &err) ||
        wt_config_parse(&vx_config_table, &config, argv[2], &err))
        return fail(&err);
    config.xlen = image.bits;
    if (vx_device_new(&config, &device, &err))
        return fail(&err);
    struct wt_machine *m = vx_machine(device);
    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        wt_timeline_free(t);
        t = NULL;
        if (vx_device_load(device, &image, &err))
            return fail(&err);
        const double start = now();
        if (i % 2 && wt_timeline_new(m, WT_TIMELINE_BUDGET_DEFAULT, &t, &err))
            return fail(&err);
        while ((t ? wt_timeline_run(t, SLICE) : m->ops->run(m, SLICE)) == WT_RUN_BUDGET)
            continue;
        *(i % 2 ? &recorded[i / 2] : &plain[i / 2]) = now() - start;
    }
    struct wt_timeline_stats stats;
    wt_timeline_stats(t, &stats);
    const uint64_t end = m->time;
    for (unsigned i = 0; i < BACK; i++) {
        /* Its first step back comes from the end; each other one begins where the last one led. */
        const double start = now();
        if (wt_timeline_goto(t, m->time - 1, &err))
            return fail(&err);
        back[i] = (now() - start) * 1e3;
    }
    const double off = median(plain, ROUNDS);
    printf("%" PRIu64 " %g %g %g %g %" PRIu64 " %zu\n", end, off, median(recorded, ROUNDS),
           median(back, BACK), off / (double)end * (double)stats.widest_gap * 1e3, stats.bytes,
           stats.snapshots);
    wt_timeline_free(t);
    vx_device_free(device);
    wt_image_free(&image);
    return 0;
}
