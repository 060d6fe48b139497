/* Lets the program go. */
#include "debug/program/internal.h"

enum wt_status pg_resume_and_wait(struct wt_program *g, const struct wt_resume *list, size_t count,
                                  bool backwards, struct wt_error *err)
{
    g->backwards = backwards;
    g->by_step = false;
    g->changed = false;
    enum wt_status status = pg_insert_points(g, err);
    if (status)
        return status;
    if (g->thread)
        wt_debugger_focus(g->debugger, g->thread);
    wt_program_forget_frames(g);
    g->entered = g->wanted_line = 0;
    g->runs++;
    pg_wait(g, WT_WAIT_BEGINS);
    if (pg_was_interrupted(g)) {
        g->event = (struct wt_event){
            .kind = WT_EVENT_STOPPED, .reason = WT_STOP_INTERRUPTED, .thread = g->thread};
        return WT_OK;
    }
    /* Whoever was asked may have changed them. */
    if (g->changed && (status = pg_insert_points(g, err)) != WT_OK)
        return status;
    if (!backwards && pg_needs_steps(g))
        return pg_step_and_compare(g, &list[0], err);
    /* A program that has just been started has not arrived yet. */
    if (!g->options.host || !wt_debugger_running(g->debugger)) {
        status = wt_client_run(g->client, backwards ? WT_BACKWARDS : WT_FORWARDS, list, count, err);
        if (status)
            return status;
    }
    return pg_wait_for_stop(g, err);
}
