/* Waits for what happens while the program runs. */
#include "debug/program/internal.h"

enum wt_status pg_wait_for_event(struct wt_program *g, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    pg_wait(g, WT_WAIT_BEGINS);
    g->waiting = true;
    while (!g->came && !status)
        status = wt_session_run(g->session, err);
    g->waiting = false;
    pg_wait(g, WT_WAIT_ENDS);
    if (g->event.reason == WT_STOP_INTERRUPTED)
        g->interrupt = false;
    return !status && g->abandoned ? wt_fail(err, WT_STATE, "Interrupted.") : status;
}

void pg_show_stop(const struct wt_program *g, struct wt_stepped *end)
{
    end->show = end->with_frame = g->started && !g->stopped_silently;
}

enum wt_status pg_wait_for_stop(struct wt_program *g, struct wt_error *err)
{
    g->came = false;
    g->caught_number = 0;
    g->event = (struct wt_event){.kind = WT_EVENT_NONE};
    return pg_wait_for_event(g, err);
}

bool pg_was_interrupted(struct wt_program *g)
{
    if (g->options.user.interrupted && g->options.user.interrupted(g->options.user.context))
        g->interrupt = true;
    const bool was = g->interrupt;
    g->interrupt = false;
    return was;
}
