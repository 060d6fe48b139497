/* Runs and their ends: what the client is told of stops. */
#include <stdlib.h>
#include <string.h>

#include "frontend/common/words.h"
#include "frontend/dap/internal.h"

void dap_forget_stop(struct dap_stop *s)
{
    free(s->description);
    free(s->text);
    free(s->exception);
    free(s->details);
    *s = (struct dap_stop){0};
}

/* ---- what happens ---- */

static void replace(char **text, const char *with)
{
    free(*text);
    *text = with ? strdup(with) : NULL;
}

static void note(struct wt_dap *d, const char *reason, const char *description)
{
    d->why_stopped.reason = reason;
    replace(&d->why_stopped.description, description);
}

static void note_point(struct wt_dap *d, const struct wt_point *p)
{
    struct dap_stop *s = &d->why_stopped;
    if (p && s->point_count < sizeof s->point / sizeof s->point[0])
        s->point[s->point_count++] = p->number;
}

static void hit(struct wt_dap *d, const struct wt_point *p)
{
    static const char *const reasons[] = {[DAP_SOURCE] = "breakpoint",
                                          [DAP_FUNCTION] = "function breakpoint",
                                          [DAP_INSTRUCTION] = "instruction breakpoint",
                                          [DAP_DATA] = "data breakpoint",
                                          [DAP_EXCEPTION] = "breakpoint"};
    const struct dap_point *own = dap_point_of(d, p->number);
    if (!own && p->temporary && d->reason && strcmp(d->reason, "entry") == 0)
        return; /* that of stopOnEntry */
    note(d, own ? reasons[own->kind] : "breakpoint", p->kind == WT_POINT_CATCH ? p->text : NULL);
    note_point(d, p);
}

/* A value of a watchpoint; the caller frees it. */
static char *watched_text(struct wt_dap *d, const struct wt_point *p, const uint8_t *bytes)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        wt_print_watched(out, d->g, p, bytes);
        fclose(out);
    }
    return text;
}

static void watched(struct wt_dap *d, const struct wt_news *n)
{
    char *before = n->before && !n->is_mixed ? watched_text(d, n->point, n->before) : NULL;
    char *after = watched_text(d, n->point, n->after);
    char *text = before ? dap_format("%s: %s -> %s", n->point->text, before, after ? after : "?")
                        : dap_format("%s: %s", n->point->text, after ? after : "?");
    note(d, "data breakpoint", text);
    replace(&d->why_stopped.text, text);
    note_point(d, n->point);
    free(before);
    free(after);
    free(text);
}

static void faulted(struct wt_dap *d, const struct wt_news *n)
{
    struct dap_stop *s = &d->why_stopped;
    const struct wt_topology *t = d->g->topology;
    const struct wt_fault_report report = {.debugger = d->g->debugger,
                                           .place = wt_frames_describe,
                                           .modules = d->g->modules,
                                           .instruction = wt_program_instruction_text,
                                           .context = d->g};
    size_t size, which = 0;
    note(d, "exception", n->event->text);
    replace(&s->text, n->event->text);
    note_point(d, n->point);
    while (which < t->exception_count && !(n->event->exceptions >> which & 1))
        which++;
    replace(&s->exception, which < t->exception_count ? t->exceptions[which].name : "fault");
    replace(&s->details, NULL);
    FILE *out = n->event->record.kind ? open_memstream(&s->details, &size) : NULL;
    if (out) {
        wt_report_fault(out, &report, d->g->thread, &n->event->record);
        fclose(out);
    } else {
        s->details = strdup(n->event->text);
    }
}

static void mistaken(struct wt_dap *d, const struct wt_news *n)
{
    struct dap_stop *s = &d->why_stopped;
    note(d, "exception", "Paused on check");
    replace(&s->text, n->text);
    replace(&s->exception, n->point->text);
    replace(&s->details, n->text);
    note_point(d, n->point);
}

/* News of stops; false: it is none. */
static bool take_stop(struct wt_dap *d, const struct wt_news *n)
{
    switch (n->kind) {
    case WT_NEWS_HIT:
        hit(d, n->point);
        d->why_stopped.is_end = d->end_point && n->point->number == d->end_point;
        return true;
    case WT_NEWS_WATCH:
        watched(d, n);
        return true;
    case WT_NEWS_ACCESS:
        note(d, "data breakpoint", n->text);
        return true;
    case WT_NEWS_SCOPE_LEFT:
        note(d, "data breakpoint", "the block has been left in which the watched variable is");
        dap_point_lost(d, n->point->number, "its block has been left");
        return true;
    case WT_NEWS_FAULT:
        faulted(d, n);
        return true;
    case WT_NEWS_MODULES:
        note(d, "breakpoint", n->point->text);
        note_point(d, n->point);
        return true;
    case WT_NEWS_MISTAKE:
        mistaken(d, n);
        return true;
    case WT_NEWS_INTERRUPTED:
        note(d, "pause", *n->text ? n->text : NULL);
        return true;
    case WT_NEWS_TRAP:
        d->why_stopped.is_end = d->stops_at_end && *n->text;
        if (d->why_stopped.is_end)
            wt_debugger_time(d->g->debugger, &d->at_end, WT_IGNORED);
        note(d, d->why_stopped.is_end ? "pause" : "breakpoint",
             d->why_stopped.is_end ? n->text : "a breakpoint instruction of the program's own");
        return true;
    case WT_NEWS_HISTORY_BEGIN:
        note(d, "pause", "the recorded run begins here");
        return true;
    case WT_NEWS_HISTORY_END:
        note(d, "pause", "the present has been reached again: the run continues from here");
        return true;
    case WT_NEWS_STEP_OVER:
        note(d, "step", n->text);
        return true;
    default:
        return false;
    }
}

static void say_end(struct wt_dap *d, const struct wt_news *n)
{
    char *text = NULL;
    if (n->kind == WT_NEWS_SIGNALLED)
        text = dap_format("Program terminated with signal %s.", n->text);
    else if (n->kind == WT_NEWS_PROCESS)
        text = dap_format("Process %d has %s.", (int)n->code,
                          n->is_there ? "closed its GPU" : "ended");
    else if (n->kind == WT_NEWS_FAULT_ENDED)
        text = dap_format("Program terminated by a fault: %s", n->text);
    if (text)
        dap_say(d, WT_DAP_CONSOLE, text);
    free(text);
}

/* Other news; false: the console has the words for them. */
static bool take_other(struct wt_dap *d, const struct wt_news *n)
{
    switch (n->kind) {
    case WT_NEWS_LOGGED:
        wt_dap_output(d, WT_DAP_CONSOLE, n->text, strlen(n->text));
        return true;
    case WT_NEWS_WATCH_LOST:
        dap_point_lost(d, n->point->number, "the memory of that run is gone");
        return true;
    case WT_NEWS_EXITED:
    case WT_NEWS_SIGNALLED:
    case WT_NEWS_PROCESS:
    case WT_NEWS_FAULT_ENDED:
        say_end(d, n);
        return true;
    case WT_NEWS_STARTING:
    case WT_NEWS_ATTACHING:
    case WT_NEWS_NO_LINES:
    case WT_NEWS_FINISHING:
    case WT_NEWS_CONDITION:
        return true;
    default:
        return false;
    }
}

bool wt_dap_news(struct wt_dap *d, const struct wt_news *n)
{
    if (!d->g)
        return false;
    if (n->kind == WT_NEWS_HIT || n->kind == WT_NEWS_WATCH || n->kind == WT_NEWS_FAULT ||
        n->kind == WT_NEWS_MISTAKE)
        if (n->point)
            dap_point_hit(d, n->point->number);
    const bool stop = take_stop(d, n);
    /* The answer to a command of the console has the console's words. */
    if (d->captured && n->kind != WT_NEWS_WATCH_LOST)
        return false;
    return stop || take_other(d, n);
}

/* ---- runs ---- */

void dap_begin_run(struct wt_dap *d)
{
    dap_forget(d);
    dap_forget_stop(&d->why_stopped);
    d->running = true;
    if (d->captured && d->current) {
        /* A command of the console: its answer comes with its end. */
        struct json_object *body = json_object_new_object();
        dap_put_number(body, "threadId", dap_thread_id(d));
        dap_put_flag(body, "allThreadsContinued", true);
        dap_event(d, "continued", body);
        return;
    }
    struct json_object *body = NULL;
    if (d->current && (strcmp(d->current->command, "continue") == 0)) {
        body = json_object_new_object();
        dap_put_flag(body, "allThreadsContinued", true);
    }
    dap_answer(d, body);
}

void dap_tell_end(struct wt_dap *d)
{
    if (d->terminated)
        return;
    d->terminated = true;
    dap_event(d, "terminated", NULL);
}

static void put_hits(struct wt_dap *d, struct json_object *body)
{
    struct json_object *list = NULL;
    for (size_t i = 0; i < d->why_stopped.point_count; i++) {
        const struct dap_point *p = dap_point_of(d, d->why_stopped.point[i]);
        if (p && !list)
            list = dap_put_list(body, "hitBreakpointIds");
        if (p)
            json_object_array_add(list, json_object_new_int64(p->id));
    }
}

/* Tells a stop now. */
static void tell_stop(struct wt_dap *d)
{
    struct dap_stop *s = &d->why_stopped;
    struct json_object *body = json_object_new_object();
    char findings[40];
    if (wt_checks_news(d->g->options.checks, &d->told_findings, findings, sizeof findings))
        wt_dap_output(d, WT_DAP_CONSOLE, findings, strlen(findings));
    d->stop++;
    dap_put_text(body, "reason", s->reason ? s->reason : d->reason ? d->reason : "pause");
    dap_put_text(body, "description", s->description);
    dap_put_text(body, "text", s->text);
    dap_put_number(body, "threadId", dap_thread_id(d));
    dap_put_flag(body, "allThreadsStopped", true);
    put_hits(d, body);
    dap_event(d, "stopped", body);
}

void wt_dap_follow(struct wt_dap *d)
{
    dap_forget(d);
    d->runs = d->g->runs;
    if (d->g->started)
        tell_stop(d);
    else
        dap_invalidate(d, "variables");
}

/* Prints the findings of --check. */
static void say_findings(struct wt_dap *d)
{
    const struct wt_checks *checks = d->g->options.checks;
    struct wt_check_place place[2];
    char *text = NULL;
    size_t size;
    FILE *out = checks && !d->terminated ? open_memstream(&text, &size) : NULL;
    if (!out)
        return;
    const enum wt_status status = checks->print(checks->context, out, 0, false, place, WT_IGNORED);
    fclose(out);
    if (!status && *text)
        wt_dap_output(d, WT_DAP_CONSOLE, text, size);
    free(text);
}

void dap_settle(struct wt_dap *d, enum wt_status status, const struct wt_error *err)
{
    d->running = false;
    if (d->ended)
        return;
    if (d->current && status)
        dap_refuse(d, err->text);
    else if (d->current)
        dap_answer(d, NULL);
    else if (status && !d->leaving)
        dap_say(d, WT_DAP_IMPORTANT, err->text);
    if (status && !d->why_stopped.text)
        replace(&d->why_stopped.text, err->text);
    if (!d->g || d->leaving)
        return;
    if (d->joined) {
        wt_dap_follow(d);
        return;
    }
    if (d->g->started) {
        tell_stop(d);
        return;
    }
    say_findings(d);
    if (d->g->ended && !d->terminated) {
        struct json_object *body = json_object_new_object();
        dap_put_number(body, "exitCode", (int64_t)d->g->exit_word);
        dap_event(d, "exited", body);
    }
    dap_tell_end(d);
}

enum wt_status dap_exception_info(struct wt_dap *d, struct json_object *arguments,
                                  struct json_object **body, struct wt_error *err)
{
    const struct dap_stop *s = &d->why_stopped;
    enum wt_status status = dap_enter_thread(d, arguments, err);
    struct wt_event event;
    if (status)
        return status;
    const bool own = s->exception;
    if (!own && !wt_debugger_fault(d->g->debugger, d->g->thread, &event))
        return wt_fail(err, WT_STATE, "no exception is recorded of this %s here",
                       d->g->topology->wave_word);
    *body = json_object_new_object();
    dap_put_text(*body, "exceptionId", own ? s->exception : "fault");
    dap_put_text(*body, "description", own ? s->text : event.text);
    dap_put_text(*body, "breakMode", "always");
    struct json_object *details = dap_put_object(*body, "details");
    dap_put_text(details, "message", own ? s->text : event.text);
    dap_put_text(details, "stackTrace", own ? s->details : event.text);
    return WT_OK;
}
