/*
 * watch-bench PROGRAM GPU ISSUES COLD HOT HIT: what watchpoints cost. Runs PROGRAM for ISSUES
 * issues without any, with one at COLD (a page that it never touches) and with one at HOT (a byte
 * that it never touches of a page that it does), in turn; then as long as it takes to stop 20,000
 * times for HIT. Prints, in one line: seconds without, cold, hot (the medians), stops per second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "emulator/vortex/vortex.h"

enum { ROUNDS = 7, STOPS = 20000 };

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
    double seconds[3][ROUNDS];
    vx_config_default(&config);
    if (argc != 7)
        return fail("usage: watch-bench PROGRAM GPU ISSUES COLD HOT HIT");
    if (wt_image_load(argv[1], 0, &image, &err) || vx_config_parse(&config, argv[2], &err))
        return fail(err.text);
    config.xlen = image.bits;
    if (vx_device_new(&config, &device, &err))
        return fail(err.text);
    struct wt_machine *m = vx_machine(device);
    const uint64_t issues = strtoull(argv[3], NULL, 0);
    struct wt_watch watch[3];
    for (unsigned i = 0; i < 3; i++)
        watch[i] = (struct wt_watch){
            .kind = WT_WATCH_ACCESS, .addr = strtoull(argv[4 + i], NULL, 0), .size = 4};
    for (unsigned i = 0; i < 3 * ROUNDS; i++) {
        const unsigned what = i % 3;
        if (vx_device_load(device, &image, &err) ||
            !m->ops->set_watches(m, &watch[what ? what - 1 : 0], what != 0))
            return fail("cannot begin");
        const double start = now();
        if (m->ops->run(m, issues) != WT_RUN_BUDGET)
            return fail("the program stopped early");
        seconds[what][i / 3] = now() - start;
    }
    for (unsigned what = 0; what < 3; what++)
        qsort(seconds[what], ROUNDS, sizeof seconds[what][0], ascending);
    if (!m->ops->set_watches(m, &watch[2], 1))
        return fail("no host memory");
    const double start = now();
    for (unsigned i = 0; i < STOPS; i++)
        if (m->ops->run(m, issues) != WT_RUN_WATCH)
            return fail("the place is not met");
    printf("%g %g %g %g\n", seconds[0][ROUNDS / 2], seconds[1][ROUNDS / 2], seconds[2][ROUNDS / 2],
           STOPS / (now() - start));
    vx_device_free(device);
    wt_image_free(&image);
    return 0;
}
