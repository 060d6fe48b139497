/* Progress messages for long operations: a run, a search of the past, reading debug information. */
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
    wt_progress_text(c->program, c->progress_from, text, sizeof text);
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
        wt_loading_text(done, total, text, sizeof text);
        c->shows_progress = true;
        c->loading_ended = !c->options.progress(c->options.context, text);
    }
    return !c->loading_ended;
}

void watch_loading(struct wt_shell *c)
{
    c->loading = (struct wt_loading){.go_on = load_on, .context = c};
}
