/* The program as a client of the debugger's session. */
#include <stdlib.h>

#include "debug/program/internal.h"

/* ---- the session's client ---- */

static void handle(void *context)
{
}

static void event(void *context, const struct wt_event *e)
{
    struct wt_program *g = context;
    if (!g->waiting) {
        /* Another client's run has ended, or its search. */
        if (e->kind == WT_EVENT_STOPPED || e->kind == WT_EVENT_EXITED) {
            wt_program_select(g, e->kind == WT_EVENT_STOPPED ? e->thread : 0);
            if (e->kind == WT_EVENT_STOPPED)
                g->started = true;
        }
        return;
    }
    if (g->came)
        return;
    g->event = *e;
    g->came = true;
    wt_session_end(g->session);
}

enum wt_status wt_program_insert_now(struct wt_program *g, struct wt_error *err)
{
    g->changed = true;
    if (!g->waiting)
        return WT_OK;
    g->changed = false;
    wt_debugger_begin_changes(g->debugger);
    const enum wt_status status = pg_insert_points(g, err);
    const enum wt_status after = wt_debugger_end_changes(g->debugger, status ? WT_IGNORED : err);
    return status ? status : after;
}

/* Breakpoints are inserted into loaded code before it can be executed. */
static void resolve_now(struct wt_program *g)
{
    struct wt_error err;
    g->resolve = false;
    wt_debugger_begin_changes(g->debugger);
    pg_resolve_points(g);
    enum wt_status status = g->waiting ? pg_insert_points(g, &err) : WT_OK;
    const enum wt_status after = wt_debugger_end_changes(g->debugger, status ? WT_IGNORED : &err);
    status = status ? status : after;
    if (status && status != WT_IO && !wt_debugger_ended(g->debugger, NULL)) /* it is not gone */
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_ERROR, .text = err.text});
}

static void news(void *context, const struct wt_probe_event *e)
{
    struct wt_program *g = context;
    if (e->kind == WT_PROBE_MODULES_CHANGED && g->options.host)
        g->options.host->refresh(g->options.host_context);
    if (g->resolve && g->options.host)
        resolve_now(g);
    pg_catch_news(g, e);
}

static bool answer(void *context)
{
    struct wt_program *g = context;
    uint64_t now, to;
    pg_wait(g, WT_WAIT_GOES_ON);
    if (g->waiting && !g->came && g->caught_number)
        return true; /* the stop for it is on its way */
    if (g->waiting && !g->came && !wt_debugger_running(g->debugger) &&
        !wt_debugger_progress(g->debugger, &now, &to)) {
        /* Nothing runs, and no event came: the threads that were set going are gone. */
        g->came = true;
        wt_session_end(g->session);
    }
    return false;
}

static bool is_full(void *context)
{
    return false;
}

static bool is_idle(void *context)
{
    return !((struct wt_program *)context)->waiting;
}

static const struct wt_client_ops client_ops = {.handle = handle,
                                                .event = event,
                                                .news = news,
                                                .answer = answer,
                                                .is_full = is_full,
                                                .is_idle = is_idle};

static void modules_changed(void *context, enum wt_module_change change,
                            const struct wt_module *module)
{
    struct wt_program *g = context;
    if (g->options.user.module)
        g->options.user.module(g->options.user.context, change, module);
    wt_program_refresh_frames(g);
    g->resolve = true;
}

static void leave_session(struct wt_program *g)
{
    if (!g->client)
        return;
    wt_modules_ignore(g->modules, modules_changed, g);
    wt_modules_set_loading(g->modules, NULL);
    wt_modules_set_foreign(g->modules, NULL);
    pg_remove_all_inserted(g);
    wt_program_forget_frames(g);
    wt_client_leave(g->client);
    g->client = NULL;
}

static enum wt_status join_session(struct wt_program *g, struct wt_session *session,
                                   struct wt_modules *modules, struct wt_error *err)
{
    g->session = session;
    g->debugger = wt_session_debugger(session);
    g->topology = wt_debugger_topology(g->debugger);
    g->modules = modules;
    g->client = wt_session_join(session, &client_ops, g);
    if (!g->client)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the program");
    wt_client_set_used(g->client, true);
    wt_modules_set_loading(modules, g->options.loading);
    wt_modules_set_foreign(modules, &g->foreign);
    return wt_modules_observe(modules, modules_changed, g, err);
}

/* The modules of a session have come or gone with it. */
static void tell_modules(struct wt_program *g, enum wt_module_change change)
{
    size_t count;
    const struct wt_module *m = wt_modules_list(g->modules, &count);
    for (size_t i = 0; i < count && g->options.user.module; i++)
        g->options.user.module(g->options.user.context, change, &m[i]);
}

enum wt_status wt_program_use(struct wt_program *g, struct wt_session *session,
                              struct wt_modules *modules, struct wt_error *err)
{
    tell_modules(g, WT_MODULE_REMOVED);
    leave_session(g);
    g->thread = 0;
    enum wt_status status = join_session(g, session, modules, err);
    tell_modules(g, WT_MODULE_ADDED);
    wt_source_use(g->source, g->debugger, g->modules);
    pg_forget_watchpoints(g);
    pg_resolve_points(g);
    return status;
}

uint64_t wt_frame_function_start(const struct wt_frame *frame)
{
    uint64_t start, end, offset;
    const char *name;
    if (frame->scope_count) {
        Dwarf_Die die = frame->scope[0];
        if (wt_info_entry(&die, &start, &end))
            return start + frame->bias;
    }
    if (frame->symbols &&
        wt_symbols_function(frame->symbols, frame->inside - frame->bias, &name, &offset))
        return frame->inside - offset;
    return 0;
}

struct wt_program *wt_program_new(const struct wt_program_options *options)
{
    struct wt_program *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->options = *options;
    if (join_session(g, options->session, options->modules, WT_IGNORED) != WT_OK ||
        !(g->source = wt_source_new(g->debugger, g->modules)) ||
        wt_program_set_arguments(g, options->arguments ? options->arguments : "", WT_IGNORED)) {
        wt_program_free(g);
        return NULL;
    }
    wt_source_name_registers(g->source, options->code_register, options->code_context);
    wt_source_take_regions(g->source, options->region, options->code_context);
    wt_source_ask_changes(g->source, options->user.may_change, options->user.context);
    if (options->attached) {
        g->was_run = true;
        g->thread = wt_debugger_current_thread(g->debugger);
        g->started = g->thread != 0;
    }
    return g;
}

void wt_program_free(struct wt_program *g)
{
    if (!g)
        return;
    leave_session(g);
    pg_free_points(g);
    pg_free_environment(g);
    wt_source_free(g->source);
    wt_program_forget_substitutions(g);
    wt_program_unskip(g, 0, WT_IGNORED);
    wt_foreign_free(&g->foreign);
    free(g->skip);
    free(g->left_out);
    free(g->substitution);
    free(g->list_file);
    free(g->inserted);
    free(g->watched);
    free(g->internal);
    free(g);
}

void wt_program_update(struct wt_program *g)
{
    if (!g->resolve)
        return;
    g->resolve = false;
    pg_resolve_points(g);
}

bool wt_program_interrupt(struct wt_program *g)
{
    g->interrupt |= g->waiting;
    if (g->waiting)
        wt_debugger_interrupt(g->debugger, WT_IGNORED);
    return g->waiting;
}

void wt_program_abandon(struct wt_program *g)
{
    g->abandoned = true;
    if (g->waiting) {
        g->came = true;
        wt_session_end(g->session);
    }
}

enum wt_status wt_program_post_mortem(struct wt_program *g, struct wt_error *err)
{
    bool again;
    g->event = wt_debugger_next_event(g->debugger);
    while (wt_debugger_next_event(g->debugger).kind != WT_EVENT_NONE)
        continue;
    g->post_mortem = g->was_run = g->started = true;
    /* A wave that stopped for a fault and stands there still. */
    const wt_thread current = wt_debugger_current_thread(g->debugger);
    if (g->event.kind == WT_EVENT_NONE && current)
        wt_debugger_fault(g->debugger, current, &g->event);
    return wt_program_report(g, &again, err);
}
