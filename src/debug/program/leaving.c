/* A device elsewhere, which runs by itself: it was there before the debugger, and goes on after it.
 */
#include "debug/program/internal.h"

/* A command that the user has broken off may have left it running. */
static enum wt_status halt(struct wt_program *g, struct wt_error *err)
{
    const bool abandoned = g->abandoned;
    if (!wt_debugger_running(g->debugger))
        return WT_OK;
    enum wt_status status = wt_debugger_interrupt(g->debugger, err);
    g->abandoned = false;
    if (!status)
        status = pg_wait_for_stop(g, err);
    g->abandoned = abandoned;
    if (!status && g->event.kind == WT_EVENT_STOPPED && g->event.reason == WT_STOP_LOST)
        return wt_fail(err, WT_IO, "%s", g->event.text);
    return status;
}

enum wt_status wt_program_let_go(struct wt_program *g, struct wt_error *err)
{
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    if (!g->started)
        return WT_OK;
    /* Code is restored while nothing runs through it. */
    enum wt_status status = halt(g, err);
    pg_remove_all_inserted(g);
    if (!status && !wt_debugger_ended(g->debugger, NULL))
        status = wt_client_run(g->client, WT_FORWARDS, &all, 1, err);
    if (!status) {
        g->started = false;
        wt_program_select(g, 0);
    }
    return status;
}
