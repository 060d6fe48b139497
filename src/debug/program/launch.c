/* Starts the program, goes to one that runs, and leaves it. */
#include <stdlib.h>

#include "debug/program/internal.h"

/* Forgets the facts about the last program, which do not hold for the next. */
static void begin_anew(struct wt_program *g)
{
    g->was_run = true;
    g->ended = g->faulted = g->fault_ended = false;
}

static enum wt_status begin_host(struct wt_program *g, struct wt_error *err)
{
    bool ended = false;
    if (!g->options.program)
        return wt_fail(err, WT_STATE, "No program was named: there is nothing to start.");
    if (g->started)
        wt_program_leave(g, true);
    begin_anew(g);
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_STARTING});
    enum wt_status status = g->options.host->start(
        g->options.host_context, g->arguments ? g->arguments : "", g->environment, &ended, err);
    if (status)
        return status;
    g->started = !ended;
    if (ended)
        pg_end_host(g);
    return WT_OK;
}

const char *wt_program_entry(struct wt_program *g)
{
    uint64_t *list;
    size_t count;
    if (wt_program_resolve(g, "main", &list, &count, WT_IGNORED) != WT_OK)
        return "kernel";
    free(list);
    return "main";
}

enum wt_status wt_program_begin(struct wt_program *g, struct wt_error *err)
{
    enum wt_status status;
    if (g->options.host)
        return begin_host(g, err);
    pg_remove_all_inserted(g);
    if (g->was_run && (status = wt_debugger_restart(g->debugger, err)) != WT_OK)
        return status;
    while (wt_debugger_next_event(g->debugger).kind != WT_EVENT_NONE)
        continue;
    begin_anew(g);
    g->started = true;
    wt_program_select(g, wt_debugger_current_thread(g->debugger));
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_STARTING});
    return WT_OK;
}

enum wt_status wt_program_attach(struct wt_program *g, const char *where, struct wt_error *err)
{
    bool again;
    if (g->started)
        wt_program_leave(g, true);
    enum wt_status status = g->options.host->attach(g->options.host_context, where, err);
    if (status)
        return status;
    begin_anew(g);
    g->started = true;
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_ATTACHING,
                                 .code = g->options.host->pid(g->options.host_context)});
    /* The program runs: it is stopped as by Ctrl-C. */
    if (!wt_debugger_running(g->debugger))
        return WT_OK;
    if ((status = wt_debugger_interrupt(g->debugger, err)) == WT_OK &&
        (status = pg_wait_for_stop(g, err)) == WT_OK)
        status = wt_program_report(g, &again, err);
    return status;
}

void wt_program_leave(struct wt_program *g, bool kill)
{
    if (g->options.host)
        g->options.host->leave(g->options.host_context, kill);
    else
        pg_remove_all_inserted(g);
    pg_forget(g);
}
