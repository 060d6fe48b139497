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

enum wt_status wt_program_continue(struct wt_program *g, bool backwards, struct wt_stepped *end,
                                   struct wt_error *err)
{
    bool again = true;
    *end = (struct wt_stepped){.show = false};
    enum wt_status status = WT_OK;
    while (again && !status) {
        if (g->faulted && g->fault_is_past && !backwards && !g->options.host) {
            pg_end_by_fault(g);
            return WT_OK;
        }
        const struct wt_resume all = {.thread = backwards || g->alone ? g->thread : 0,
                                      .kind = WT_RESUME_CONTINUE};
        status = pg_resume_and_wait(g, &all, 1, backwards, err);
        if (!status)
            status = wt_program_report(g, &again, err);
        again |= g->opened_again;
    }
    if (!status)
        pg_show_stop(g, end);
    return status;
}
