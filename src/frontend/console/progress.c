/* Progress messages for long operations: a run, a search of the past, reading debug information. */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "frontend/console/internal.h"

#define FIRST_NS 300000000u /* shorter operations print nothing */
#define APART_NS 100000000u /* between two changes */

void begin_progress(struct wt_shell *c)
{
    struct wt_debugger_time time = {0};
    c->progress_since = wt_clock_ns();
    c->progress_next = c->progress_since + FIRST_NS;
    c->progress_from =
        wt_debugger_time(c->program->debugger, &time, WT_IGNORED) == WT_OK ? time.now : 0;
}

static unsigned percent(uint64_t done, uint64_t of)
{
    return !of ? 0 : done >= of ? 100 : (unsigned)((double)done * 100 / (double)of);
}

/* The progress of a run or a search. */
static void describe(struct wt_shell *c, char *text, size_t size)
{
    struct wt_debugger_time time;
    uint64_t now, to;
    const uint64_t from = c->progress_from;
    const bool recorded = wt_debugger_time(c->program->debugger, &time, WT_IGNORED) == WT_OK;
    if (wt_debugger_progress(c->program->debugger, &now, &to))
        snprintf(text, size, "Issue time %" PRIu64 ", to %" PRIu64 "", now, to);
    else if (recorded && c->program->backwards)
        snprintf(text, size, "Back at issue time %" PRIu64 ", %u %% of the recorded run", time.now,
                 percent(from > time.now ? from - time.now : 0, from - time.start));
    else if (recorded && time.in_past)
        snprintf(text, size, "Issue time %" PRIu64 ", %u %% of the recorded run", time.now,
                 percent(time.now > from ? time.now - from : 0, time.end - from));
    else if (recorded)
        snprintf(text, size, "Running: issue time %" PRIu64 "", time.now);
    else
        snprintf(text, size, "Running");
}

/* Whether it is time for another line. */
static bool is_due(struct wt_shell *c)
{
    if (!c->options.progress || !c->progress_since)
        return false;
    const uint64_t now = wt_clock_ns();
    if (now < c->progress_next)
        return false;
    c->progress_next = now + APART_NS;
    return true;
}

void show_progress(struct wt_shell *c)
{
    char text[160];
    if (!c->program->waiting || !is_due(c))
        return;
    describe(c, text, sizeof text);
    c->shows_progress = true;
    c->options.progress(c->options.context, text);
}

void hide_progress(struct wt_shell *c)
{
    if (c->shows_progress)
        c->options.progress(c->options.context, NULL);
    c->shows_progress = false;
}

void end_progress(struct wt_shell *c)
{
    hide_progress(c);
    c->progress_since = 0;
}

static bool load_on(void *context, uint64_t done, uint64_t total)
{
    struct wt_shell *c = context;
    char text[80];
    if (c->loading_ended)
        return false;
    if (!c->progress_since)
        begin_progress(c);
    if (is_due(c)) {
        snprintf(text, sizeof text, "Reading debug information, %u %%", percent(done, total));
        c->shows_progress = true;
        c->loading_ended = !c->options.progress(c->options.context, text);
    }
    return !c->loading_ended;
}

void watch_loading(struct wt_shell *c)
{
    c->loading = (struct wt_loading){.go_on = load_on, .context = c};
}
