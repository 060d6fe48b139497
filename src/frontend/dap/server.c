/* The server: reads requests, answers each of them once, and sends events. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/dap/internal.h"

#define MOST_DEPTH 64 /* most depth of a message */

/* A request, and when it can be served. */
struct dap_kind {
    const char *command;
    dap_fn *run;
    bool at_once;  /* while the program runs, too */
    bool early;    /* before something is debugged, too */
    bool ends_run; /* it interrupts what runs, and is done then */
    bool owns;     /* for a client that has begun the session: launch, breakpoints, end */
    bool runs;     /* it sets the program going, or travels in time */
};

static const struct dap_kind kinds[] = {
    {.command = "initialize", .run = dap_initialize, .owns = true, .early = true},
    {.command = "launch", .run = dap_launch, .owns = true, .early = true},
    {.command = "attach", .run = dap_attach, .owns = true, .early = true},
    {.command = "configurationDone", .run = dap_configuration_done, .owns = true},
    {.command = "restart", .run = dap_restart, .owns = true, .ends_run = true},
    {.command = "disconnect", .run = dap_disconnect, .owns = true, .early = true, .ends_run = true},
    {.command = "terminate", .run = dap_terminate, .owns = true, .ends_run = true},
    {.command = "cancel", .run = dap_cancel, .at_once = true, .early = true},
    {.command = "setBreakpoints", .run = dap_set_breakpoints, .owns = true, .at_once = true},
    {.command = "setFunctionBreakpoints",
     .run = dap_set_function_breakpoints,
     .owns = true,
     .at_once = true},
    {.command = "setInstructionBreakpoints",
     .run = dap_set_instruction_breakpoints,
     .owns = true,
     .at_once = true},
    {.command = "dataBreakpointInfo", .run = dap_data_breakpoint_info},
    {.command = "setDataBreakpoints", .run = dap_set_data_breakpoints, .owns = true},
    {.command = "setExceptionBreakpoints",
     .run = dap_set_exception_breakpoints,
     .owns = true,
     .at_once = true},
    {.command = "breakpointLocations", .run = dap_breakpoint_locations, .at_once = true},
    {.command = "continue", .run = dap_continue, .runs = true},
    {.command = "next", .run = dap_next, .runs = true},
    {.command = "stepIn", .run = dap_step_in, .runs = true},
    {.command = "stepOut", .run = dap_step_out, .runs = true},
    {.command = "stepBack", .run = dap_step_back, .runs = true},
    {.command = "reverseContinue", .run = dap_reverse_continue, .runs = true},
    {.command = "pause", .run = dap_pause, .runs = true, .at_once = true},
    {.command = "goto", .run = dap_goto, .runs = true},
    {.command = "gotoTargets", .run = dap_goto_targets},
    {.command = "stepInTargets", .run = dap_step_in_targets},
    {.command = "threads", .run = dap_threads, .at_once = true},
    {.command = "stackTrace", .run = dap_stack_trace},
    {.command = "scopes", .run = dap_scopes},
    {.command = "variables", .run = dap_variables},
    {.command = "setVariable", .run = dap_set_variable},
    {.command = "setExpression", .run = dap_set_expression},
    {.command = "evaluate", .run = dap_evaluate},
    {.command = "completions", .run = dap_completions},
    {.command = "exceptionInfo", .run = dap_exception_info},
    {.command = "disassemble", .run = dap_disassemble},
    {.command = "readMemory", .run = dap_read_memory},
    {.command = "writeMemory", .run = dap_write_memory},
    {.command = "modules", .run = dap_modules, .at_once = true},
    {.command = "loadedSources", .run = dap_loaded_sources, .at_once = true},
    {.command = "source", .run = dap_source, .at_once = true},
    {.command = "wavetrap/grid", .run = dap_grid},
    {.command = "wavetrap/recording", .run = dap_recording, .runs = true},
    {.command = "wavetrap/goto", .run = dap_goto_time, .runs = true},
    {.command = "wavetrap/select", .run = dap_select},
    {.command = "wavetrap/where", .run = dap_where},
    {.command = "wavetrap/trail", .run = dap_trail, .runs = true},
};

static const struct dap_kind *kind_of(const char *command)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].command, command) == 0)
            return &kinds[i];
    return NULL;
}

/* ---- requests ---- */

/* Why a request cannot be served in the state that the server is in; NULL: it can. */
static const char *objection(const struct wt_dap *d, const struct dap_kind *kind)
{
    const bool initializes = kind->run == dap_initialize;
    if (initializes && d->initialized)
        return "initialize is sent once";
    if (!initializes && kind->run != dap_disconnect && !d->initialized)
        return "initialize must be first";
    if (!d->g && !kind->early)
        return "nothing is debugged: launch or attach must be first";
    if (d->joined && kind->owns)
        return "the session belongs to the debugger in which it was begun: it starts and ends the "
               "program, and has the breakpoints";
    if (d->joined && kind->runs && !d->may_run)
        return "the program is set going in the debugger in which the session was begun";
    return NULL;
}

/* Whether requests that need a program that stands cannot be served now. */
static bool is_running(const struct wt_dap *d)
{
    return d->running || (d->joined && (d->g->waiting || wt_debugger_running(d->g->debugger)));
}

static void handle(struct wt_dap *d, const struct dap_kind *kind)
{
    struct json_object *body = NULL;
    struct wt_error err = {.text = ""};
    d->handling = true;
    if (d->g && !d->g->waiting)
        wt_program_update(d->g);
    dap_forget_view(d);
    const enum wt_status status = kind->run(d, d->current->arguments, &body, &err);
    d->handling = d->pauses = false;
    d->owner.flush(d->owner.context);
    if (d->running) {
        json_object_put(body);
        dap_settle(d, status, &err);
        return;
    }
    if (status) {
        json_object_put(body);
        dap_refuse(d, err.text);
    } else {
        dap_answer(d, body);
    }
}

/* A request that came while another one is under way: it is answered now, ends what runs, or is
 * refused. Requests that only wait for their turn while nothing runs are queued. */
static bool handle_beside(struct wt_dap *d, struct dap_request *r)
{
    const struct dap_kind *kind = kind_of(r->command);
    const char *why = kind ? objection(d, kind) : NULL;
    if (!kind || why || (!kind->at_once && !kind->ends_run && is_running(d))) {
        dap_refuse_message(
            d, r->seq, r->command,
            !kind ? "there is no such request"
            : why ? why
                  : "the program runs: it must be stopped for this request (notStopped)");
        dap_free_request(r);
        return true;
    }
    if (!kind->at_once)
        return false;
    struct dap_request *under_way = d->current;
    struct json_object *body = NULL;
    struct wt_error err = {.text = ""};
    d->current = r;
    dap_forget_view(d);
    const enum wt_status status = kind->run(d, r->arguments, &body, &err);
    if (status) {
        json_object_put(body);
        dap_refuse(d, err.text);
    } else {
        dap_answer(d, body);
    }
    d->current = under_way;
    dap_forget_view(d);
    return true;
}

static void arrive(struct wt_dap *d, struct dap_request *r)
{
    const struct dap_kind *kind = kind_of(r->command);
    if ((d->handling || (d->joined && is_running(d))) && handle_beside(d, r))
        return;
    struct dap_request **at = &d->queue;
    while (*at)
        at = &(*at)->next;
    *at = r;
    if (d->handling && kind && kind->ends_run) {
        d->leaving = true;
        if (d->g && kind->run == dap_disconnect)
            wt_program_abandon(d->g);
        else if (d->g)
            wt_program_interrupt(d->g);
    }
}

/* Requests that came before what goes on are served as those that come meanwhile. */
static void serve_waiting(struct wt_dap *d)
{
    struct dap_request *list = d->queue;
    d->queue = NULL;
    while (list) {
        struct dap_request *r = list;
        list = r->next;
        r->next = NULL;
        arrive(d, r);
    }
}

/* The owner of the session has set the program going. */
static void tell_run(struct wt_dap *d)
{
    struct json_object *body = json_object_new_object();
    dap_forget(d);
    dap_forget_stop(&d->why_stopped);
    d->reason = NULL;
    dap_put_number(body, "threadId", dap_thread_id(d));
    dap_put_flag(body, "allThreadsContinued", true);
    dap_event(d, "continued", body);
}

void wt_dap_waits(struct wt_dap *d, enum wt_wait wait)
{
    if (!d->g)
        return;
    if (wait == WT_WAIT_BEGINS && d->g->runs != d->runs) {
        d->runs = d->g->runs;
        if (d->handling && !d->running && !d->travels)
            dap_begin_run(d);
        else if (d->joined && !d->handling)
            tell_run(d);
    }
    if (wait == WT_WAIT_GOES_ON && d->modules_changed && !d->g->resolve)
        dap_points_changed(d);
    if (wait == WT_WAIT_GOES_ON && d->handling && d->queue && !d->leaving)
        serve_waiting(d);
}

/* A request of a message; a message that is none is answered as far as that can be. */
static void take_message(struct wt_dap *d, const char *text, size_t length)
{
    struct json_tokener *tokener = json_tokener_new_ex(MOST_DEPTH);
    if (!tokener)
        return;
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    struct json_object *message = json_tokener_parse_ex(tokener, text, (int)length);
    enum json_tokener_error error = json_tokener_get_error(tokener);
    /* A number at the end is known to be whole by what follows it. */
    if (error == json_tokener_continue && !message)
        message = json_tokener_parse_ex(tokener, "", 1);
    const size_t used = json_tokener_get_parse_end(tokener);
    const bool whole =
        message && (used >= length || used + strspn(text + used, " \t\r\n") >= length);
    const char *description = error == json_tokener_success || error == json_tokener_continue
                                  ? "it does not end where it should"
                                  : json_tokener_error_desc(error);
    int64_t seq = 0;
    const char *command = dap_text(message, "command"), *type = dap_text(message, "type");
    const bool has_seq = dap_number(message, "seq", &seq);
    struct json_object *arguments = NULL;
    const bool has_arguments = message && json_object_is_type(message, json_type_object) &&
                               json_object_object_get_ex(message, "arguments", &arguments) &&
                               arguments;
    char *why = NULL;
    if (!whole)
        why = dap_format("the message is not JSON: %s", description);
    else if (!type || !has_seq)
        why = dap_format("a message is an object with a number \"seq\" and a text \"type\"");
    else if (strcmp(type, "request") == 0 && !command)
        why = dap_format("a request has a text \"command\"");
    else if (strcmp(type, "request") == 0 && has_arguments &&
             !json_object_is_type(arguments, json_type_object))
        why = dap_format("\"arguments\" is an object");
    else if (strcmp(type, "request") != 0 && strcmp(type, "response") != 0)
        why = dap_format("the server takes requests, not messages of type \"%.40s\"", type);
    struct dap_request *r = !why && strcmp(type, "request") == 0 ? calloc(1, sizeof *r) : NULL;
    if (why) {
        dap_refuse_message(d, whole ? seq : 0, whole && command ? command : "", why);
    } else if (r) {
        *r = (struct dap_request){
            .message = message, .arguments = arguments, .seq = seq, .command = command};
        message = NULL;
        arrive(d, r);
    }
    free(why);
    json_object_put(message);
    json_tokener_free(tokener);
}

/* No request will come any more. */
static void end(struct wt_dap *d)
{
    d->ended = d->leaving = true;
    if (d->joined)
        return;
    if (d->g && d->g->waiting)
        wt_program_abandon(d->g);
    else if (d->g)
        wt_session_end(d->g->session);
}

/* Takes what came; false: nothing will come any more. */
static bool take_input(struct wt_dap *d)
{
    char bytes[16384];
    const ssize_t size = read(d->in, bytes, sizeof bytes);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (size <= 0) {
        d->gone = true;
        end(d);
        return false;
    }
    enum dap_found found =
        dap_input_add(&d->input, bytes, (size_t)size, &d->why) ? DAP_FOREIGN : DAP_NOTHING;
    const char *body;
    size_t length;
    while (!found && (found = dap_input_next(&d->input, &body, &length, &d->why)) == DAP_MESSAGE) {
        /* A request may have its own answered from within a run, where more is read. */
        char *copy = malloc(length + 1);
        if (copy) {
            memcpy(copy, body, length);
            copy[length] = 0;
            take_message(d, copy, length);
        }
        free(copy);
        found = DAP_NOTHING;
    }
    if (found == DAP_FOREIGN) {
        d->foreign = true;
        end(d);
    }
    return found != DAP_FOREIGN;
}

/* Of the loop of a session, also while it is left: then nothing is read any more. */
static void ready(void *context, int fd, short events)
{
    struct wt_dap *d = context;
    if (!d->ended)
        take_input(d);
    if (d->ended && d->g)
        wt_loop_forget(wt_session_loop(d->g->session), fd);
    if (d->joined && !d->may_run)
        wt_dap_turn(d);
    else if (!d->handling && d->g && (!d->joined || d->queue))
        wt_session_end(d->g->session); /* to what came */
}

enum wt_status wt_dap_watch(struct wt_dap *d, struct wt_loop *loop, struct wt_error *err)
{
    if (!d->ended && !wt_loop_watch(loop, d->in, POLLIN, ready, d))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return WT_OK;
}

bool wt_dap_interrupted(struct wt_dap *d)
{
    struct pollfd in = {.fd = d->in, .events = POLLIN};
    while (!d->ended && !d->leaving && poll(&in, 1, 0) > 0)
        take_input(d);
    const bool pauses = d->pauses;
    d->pauses = false;
    return d->ended || d->leaving || pauses;
}

struct wt_dap *wt_dap_new(int in, int out, const struct wt_dap_owner *owner)
{
    struct wt_dap *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->owner = *owner;
    d->in = in;
    d->out = out;
    d->frame_base = d->holder_base = d->target_base = 1;
    return d;
}

void wt_dap_free(struct wt_dap *d)
{
    if (!d)
        return;
    dap_close(d, !d->attaches);
    if (d->current)
        dap_free_request(d->current);
    dap_free_requests(d);
    dap_input_free(&d->input);
    for (size_t i = 0; i < d->point_count; i++)
        dap_point_free(d->point[i]);
    free(d->point);
    for (size_t i = 0; i < d->datum_count; i++) {
        free(d->datum[i].expression);
        free(d->datum[i].address);
    }
    free(d->datum);
    free(d->frame);
    free(d->holder);
    free(d->target);
    free(d->captured);
    free(d->start_text);
    json_object_put(d->findings);
    dap_forget_stop(&d->why_stopped);
    free(d);
}

/* Waits for a request: in the session's loop, where there is one, so that other clients of it are
 * served, too. */
static enum wt_status wait_for_input(struct wt_dap *d, struct wt_error *err)
{
    if (!d->g) {
        struct pollfd in = {.fd = d->in, .events = POLLIN};
        if (poll(&in, 1, -1) > 0)
            take_input(d);
        return WT_OK;
    }
    return wt_session_run(d->g->session, err);
}

/* Serves the first request that waits. */
static void serve_next(struct wt_dap *d)
{
    struct dap_request *r = d->queue;
    d->queue = r->next;
    d->leaving = false;
    d->current = r;
    const struct dap_kind *kind = kind_of(r->command);
    const char *why = kind ? objection(d, kind) : "there is no such request";
    if (why)
        dap_refuse(d, why);
    else
        handle(d, kind);
    if (d->modules_changed && d->g)
        dap_points_changed(d);
}

enum wt_status wt_dap_serve(struct wt_dap *d, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    while (!d->ended && !status) {
        if (d->owner.ends(d->owner.context)) {
            dap_tell_end(d);
            break;
        }
        if (!d->queue) {
            status = wait_for_input(d, err);
            continue;
        }
        serve_next(d);
    }
    if (d->foreign) {
        *err = d->why;
        return WT_INVALID;
    }
    return status;
}

/* ---- beside the owner of a session ---- */

void wt_dap_join(struct wt_dap *d, struct wt_program *program, bool may_run)
{
    d->g = program;
    d->joined = d->initialized = d->configured = d->attaches = true;
    d->may_run = may_run;
    d->client.invalidated = true;
    d->thread_page = UINT32_MAX;
    d->runs = program->runs;
}

bool wt_dap_turn(struct wt_dap *d)
{
    const uint64_t runs = d->g->runs;
    while (d->queue && !d->ended)
        serve_next(d);
    return runs != d->g->runs;
}
