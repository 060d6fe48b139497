/* Journeys through the recorded run, and searches of it. */
#include "debug/program/internal.h"

/* Pumps an operation until it ends. */
static enum wt_status wait_for_errand(struct wt_program *g, struct wt_error *err)
{
    g->came = false;
    g->event = (struct wt_event){.kind = WT_EVENT_NONE};
    enum wt_status status = pg_wait_for_event(g, err);
    if (!status && g->event.reason == WT_STOP_LOST)
        return wt_fail(err, WT_IO, "%s", g->event.text);
    if (!status && g->event.reason == WT_STOP_INTERRUPTED)
        return wt_fail(err, WT_STATE, "Interrupted.");
    return status;
}

enum wt_status wt_program_goto(struct wt_program *g, uint64_t time, struct wt_error *err)
{
    wt_program_forget_frames(g);
    enum wt_status status = wt_client_begin_run(g->client, err);
    if (!status)
        status = wt_debugger_begin_goto(g->debugger, time, err);
    if (!status)
        status = wait_for_errand(g, err);
    if (status)
        return status;
    g->started = !wt_debugger_ended(g->debugger, NULL);
    g->faulted = false;
    wt_program_select(g, g->thread && wt_debugger_thread_alive(g->debugger, g->thread)
                             ? g->thread
                             : wt_debugger_current_thread(g->debugger));
    pg_refresh_watched(g);
    for (size_t i = 0; i < g->point_count; i++)
        g->point[i]->ending_count = 0;
    return WT_OK;
}

enum wt_status wt_program_find_home(struct wt_program *g, const char *text,
                                    struct wt_watchpoint_request *where,
                                    const struct wt_type **type, struct wt_error *err)
{
    const struct wt_view view = wt_program_view(g);
    struct wt_values v;
    enum wt_status status = wt_source_evaluate(&view, text, &v, err);
    if (status)
        return status;
    if (v.state[0] != WT_VALUE_UNREADABLE)
        status = wt_values_check_first(&v, err);
    if (!status && !v.in_memory)
        status =
            wt_fail(err, WT_INVALID,
                    "%s does not lie in memory; what is at an address is *(TYPE *)(ADDRESS)", text);
    const struct wt_address seen = {v.space, v.in_memory ? v.address[0] : 0};
    *where = (struct wt_watchpoint_request){.kind = WT_WATCHPOINT_WRITE, .thread = view.thread};
    if (!status)
        status = wt_debugger_find_home(g->debugger, view.thread, seen, v.size, &where->addr,
                                       &where->size, err);
    if (!status && where->size < v.size)
        status = wt_fail(err, WT_UNSUPPORTED, "%s lies in several places of memory: ask for a part",
                         text);
    *type = v.type;
    wt_values_free(&v);
    return status;
}

enum wt_status wt_program_touches(struct wt_program *g, const struct wt_watchpoint_request *where,
                                  uint64_t most, struct wt_touch **list, size_t *count, bool *more,
                                  struct wt_error *err)
{
    enum wt_status status = wt_client_begin_run(g->client, err);
    if (!status)
        status = wt_debugger_begin_touches(g->debugger, where, most, err);
    if (!status)
        status = wait_for_errand(g, err);
    if (!status)
        wt_debugger_take_touches(g->debugger, list, count, more);
    return status;
}
