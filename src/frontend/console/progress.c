/* Progress messages for long operations: a run, a search of the past, reading debug information. */
#include "base/clock.h"
#include "frontend/console/internal.h"

#define FIRST_NS 300000000u /* shorter operations print nothing */
#define APART_NS 100000000u /* between two changes */

void begin_progress(struct wt_shell *c)
{
    struct wt_debugger_time time = {0};
    c->progress.since = wt_clock_ns();
    c->progress.next = c->progress.since + FIRST_NS;
    c->progress.from =
        wt_debugger_time(c->program->debugger, &time, WT_IGNORED) == WT_OK ? time.now : 0;
}

/* Whether it is time for another line. */
static bool is_due(struct wt_shell *c)
{
    if (!c->options.progress || !c->progress.since)
        return false;
    const uint64_t now = wt_clock_ns();
    if (now < c->progress.next)
        return false;
    c->progress.next = now + APART_NS;
    return true;
}

void show_progress(struct wt_shell *c)
{
    char text[160];
    if (!c->program->waiting || !is_due(c))
        return;
    wt_progress_text(c->program, c->progress.from, text, sizeof text);
    c->progress.shown = true;
    c->options.progress(c->options.context, text);
}

void hide_progress(struct wt_shell *c)
{
    if (c->progress.shown)
        c->options.progress(c->options.context, NULL);
    c->progress.shown = false;
}

void end_progress(struct wt_shell *c)
{
    hide_progress(c);
    c->progress.since = 0;
}

static bool load_on(void *context, uint64_t done, uint64_t total)
{
    struct wt_shell *c = context;
    char text[80];
    if (c->progress.given_up)
        return false;
    if (!c->progress.since)
        begin_progress(c);
    if (is_due(c)) {
        wt_loading_text(done, total, text, sizeof text);
        c->progress.shown = true;
        c->progress.given_up = !c->options.progress(c->options.context, text);
    }
    return !c->progress.given_up;
}

void watch_loading(struct wt_shell *c)
{
    c->progress.loading = (struct wt_loading){.go_on = load_on, .context = c};
}
