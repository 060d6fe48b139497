/* Time travel of any machine, checked. See travel.h. */
#include "travel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "emulator/machine/machine.h"
#include "emulator/machine/timeline.h"

enum { PLACES = 200, TRIPS = 40 };

static uint64_t state;

static uint64_t any(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static unsigned lines;

static void count_line(void *context, unsigned slot, const char *line, size_t length)
{
    lines++;
}

static int fail(const struct wt_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    return 1;
}

static int differs(const char *way, uint64_t from, uint64_t time)
{
    fprintf(stderr, "%s from %" PRIu64 ": the state at %" PRIu64 " is another one\n", way, from,
            time);
    return 1;
}

static int travel(struct wt_machine *m, struct wt_timeline *t)
{
    static uint64_t time[PLACES], hash[PLACES];
    struct wt_error err;
    size_t n = 0;
    enum wt_run run = WT_RUN_BUDGET;
    uint64_t stride = 64;
    while (run == WT_RUN_BUDGET || run == WT_RUN_EVENT) {
        if (n == PLACES) { /* a long program: every second one stays */
            for (n = 0; n < PLACES / 2; n++) {
                time[n] = time[2 * n];
                hash[n] = hash[2 * n];
            }
            stride *= 2;
        }
        time[n] = m->time;
        hash[n++] = m->ops->hash(m);
        run = wt_timeline_run(t, 1 + any(stride));
    }
    const uint64_t end = m->time, last = m->ops->hash(m);
    const unsigned printed = lines;
    for (unsigned i = 0; i < TRIPS; i++) {
        const uint64_t from = m->time;
        const size_t to = any(n);
        if (wt_timeline_goto(t, time[to], &err))
            return fail(&err);
        if (m->time != time[to] || m->ops->hash(m) != hash[to])
            return differs("goto", from, time[to]);
        const size_t on = to + any(n - to);
        while (m->time < time[on])
            wt_timeline_run(t, 1 + any(time[on] - m->time));
        if (m->time != time[on] || m->ops->hash(m) != hash[on])
            return differs("forwards", time[to], time[on]);
    }
    while (m->time < end)
        wt_timeline_run(t, end - m->time);
    if (m->ops->hash(m) != last)
        return differs("forwards", 0, end);
    if (lines != printed) {
        fprintf(stderr, "%u lines were printed again\n", lines - printed);
        return 1;
    }
    struct wt_timeline_stats stats;
    wt_timeline_stats(t, &stats);
    printf("%" PRIu64 " %u %zu\n", end, TRIPS, stats.snapshots);
    return 0;
}

int travel_check(struct wt_machine *m, uint64_t budget, uint64_t seed)
{
    struct wt_error err;
    struct wt_timeline *timeline;
    state = seed;
    m->console = count_line;
    if (wt_timeline_new(m, budget, &timeline, &err))
        return fail(&err);
    wt_timeline_set_interval(timeline, 1000);
    const int status = travel(m, timeline);
    wt_timeline_free(timeline);
    return status;
}
