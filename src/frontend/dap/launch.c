/* The life of a session: initialize, launch, attach, configurationDone, restart, terminate,
 * disconnect, cancel. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/dap/internal.h"

#define AUTO_LANES 64   /* "threads": "auto": with more lanes in active waves, waves are threads */
#define THREAD_PAGE 500 /* threads of an answer, unless the configuration says otherwise */

/* ---- initialize ---- */

static const char *const can[] = {"supportsConfigurationDoneRequest",
                                  "supportsFunctionBreakpoints",
                                  "supportsConditionalBreakpoints",
                                  "supportsHitConditionalBreakpoints",
                                  "supportsEvaluateForHovers",
                                  "supportsStepBack",
                                  "supportsSetVariable",
                                  "supportsGotoTargetsRequest",
                                  "supportsStepInTargetsRequest",
                                  "supportsCompletionsRequest",
                                  "supportsModulesRequest",
                                  "supportsRestartRequest",
                                  "supportsValueFormattingOptions",
                                  "supportsExceptionInfoRequest",
                                  "supportsExceptionFilterOptions",
                                  "supportTerminateDebuggee",
                                  "supportsDelayedStackTraceLoading",
                                  "supportsLoadedSourcesRequest",
                                  "supportsLogPoints",
                                  "supportsSetExpression",
                                  "supportsTerminateRequest",
                                  "supportsDataBreakpoints",
                                  "supportsDataBreakpointBytes",
                                  "supportsReadMemoryRequest",
                                  "supportsWriteMemoryRequest",
                                  "supportsDisassembleRequest",
                                  "supportsCancelRequest",
                                  "supportsBreakpointLocationsRequest",
                                  "supportsClipboardContext",
                                  "supportsSteppingGranularity",
                                  "supportsInstructionBreakpoints",
                                  "supportsSingleThreadExecutionRequests"};

static bool says_no(struct json_object *o, const char *name)
{
    struct json_object *value;
    return o && json_object_object_get_ex(o, name, &value) &&
           json_object_is_type(value, json_type_boolean) && !json_object_get_boolean(value);
}

enum wt_status dap_initialize(struct wt_dap *d, struct json_object *arguments,
                              struct json_object **body, struct wt_error *err)
{
    const char *paths = dap_text(arguments, "pathFormat");
    if (paths && strcmp(paths, "path") != 0 && strcmp(paths, "uri") != 0)
        return wt_fail(err, WT_INVALID, "\"pathFormat\" is path or uri, not %s", paths);
    d->client.uris = paths && strcmp(paths, "uri") == 0;
    d->client.lines_from_0 = says_no(arguments, "linesStartAt1");
    d->client.columns_from_0 = says_no(arguments, "columnsStartAt1");
    d->client.types = dap_flag(arguments, "supportsVariableType");
    d->client.memory_references = dap_flag(arguments, "supportsMemoryReferences");
    d->client.progress = dap_flag(arguments, "supportsProgressReporting");
    d->client.invalidated = dap_flag(arguments, "supportsInvalidatedEvent");
    d->client.memory_events = dap_flag(arguments, "supportsMemoryEvent");
    *body = json_object_new_object();
    for (size_t i = 0; i < sizeof can / sizeof can[0]; i++)
        dap_put_flag(*body, can[i], true);
    dap_put_filters(d, *body);
    struct json_object *starts = dap_put_list(*body, "completionTriggerCharacters");
    static const char *const start[] = {"$", ".", ">", ":"};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        json_object_array_add(starts, json_object_new_string(start[i]));
    d->initialized = true;
    return WT_OK;
}

/* ---- the configuration ---- */

static bool add_word(struct wt_dap_words *words, char *word)
{
    char **grown =
        word ? wt_array_grow(words->word, &words->capacity, words->count + 2, sizeof *grown) : NULL;
    if (!grown) {
        free(word);
        return false;
    }
    words->word = grown;
    grown[words->count++] = word;
    grown[words->count] = NULL;
    return true;
}

static void free_words(struct wt_dap_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->word[i]);
    free(words->word);
    *words = (struct wt_dap_words){0};
}

static void free_start(struct wt_dap_start *start)
{
    free_words(&start->words);
    free_words(&start->environment);
}

/* A scalar of JSON as an option has it; NULL: it is none. The caller frees it. */
static char *scalar(struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_string:
        return strdup(json_object_get_string(value));
    case json_type_int:
    case json_type_double:
        return strdup(json_object_to_json_string(value));
    default:
        return NULL;
    }
}

/* A list of sizes, [8, 8] or "8,8", as an option has it. */
static char *joined(struct json_object *value)
{
    char *text = NULL;
    if (!json_object_is_type(value, json_type_array))
        return scalar(value);
    for (size_t i = 0; i < json_object_array_length(value); i++) {
        char *one = scalar(json_object_array_get_idx(value, i));
        char *longer = one ? dap_format("%s%s%s", text ? text : "", text ? "," : "", one) : NULL;
        free(one);
        free(text);
        if (!longer)
            return NULL;
        text = longer;
    }
    return text;
}

enum take { TEXT, SIZES, EACH, EACH_WORD, ON, OFF };

/* Attributes of a configuration and the options that they are. */
static const struct attribute {
    const char *name, *option; /* option NULL: it is no option of the debugger */
    enum take take;
} attributes[] = {
    {"gpu", "--gpu=", EACH},      {"schedule", "--schedule=", TEXT}, {"kernel", "--kernel=", TEXT},
    {"grid", "--grid=", SIZES},   {"block", "--block=", SIZES},      {"kernelArgs", "--arg=", EACH},
    {"check", "--check=", SIZES}, {"memory", "--memory=", TEXT},     {"fill", "--fill=", TEXT},
    {"options", "", EACH_WORD},
};

static enum wt_status wrong(const char *name, const char *what, struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "the configuration's \"%s\" is %s", name, what);
}

static enum wt_status add_option(struct wt_dap_words *words, const char *option,
                                 struct json_object *value, const char *name, struct wt_error *err)
{
    char *text = scalar(value);
    if (!text)
        return wrong(name, "a text or a number, or a list of them", err);
    char *word = dap_format("%s%s", option, text);
    free(text);
    return add_word(words, word) ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

static enum wt_status take_attribute(struct wt_dap_words *words, const struct attribute *a,
                                     struct json_object *value, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    if (a->take == EACH_WORD && !json_object_is_type(value, json_type_array))
        return wrong(a->name, "a list of texts", err);
    if ((a->take == EACH || a->take == EACH_WORD) && json_object_is_type(value, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(value) && !status; i++)
            status =
                add_option(words, a->option, json_object_array_get_idx(value, i), a->name, err);
        return status;
    }
    char *text = a->take == SIZES ? joined(value) : scalar(value);
    if (!text)
        return wrong(a->name, "a text or a number, or a list of them", err);
    char *word = dap_format("%s%s", a->option, text);
    free(text);
    return add_word(words, word) ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

/* "history": false, or the bytes that recording may take. */
static enum wt_status take_history(struct wt_dap_words *words, struct json_object *value,
                                   struct wt_error *err)
{
    if (json_object_is_type(value, json_type_boolean))
        return json_object_get_boolean(value) || add_word(words, strdup("--no-history"))
                   ? WT_OK
                   : wt_fail(err, WT_NO_MEMORY, "no host memory");
    return add_option(words, "--history-memory=", value, "history", err);
}

static enum wt_status take_environment(struct wt_dap_words *words, struct json_object *value,
                                       struct wt_error *err)
{
    if (!json_object_is_type(value, json_type_object))
        return wrong("env", "an object of texts, or null for a variable that is not to be there",
                     err);
    json_object_object_foreach(value, name, text)
    {
        char *plain = text ? scalar(text) : NULL;
        if (text && !plain)
            return wrong("env",
                         "an object of texts, or null for a variable that is not to be there", err);
        char *word = plain ? dap_format("%s=%s", name, plain) : strdup(name);
        free(plain);
        if (!add_word(words, word))
            return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    return WT_OK;
}

static enum wt_status take_threads(struct wt_dap *d, struct json_object *arguments,
                                   struct wt_error *err)
{
    static const char *const names[] = {
        [WT_THREADS_AUTO] = "auto", [WT_THREADS_LANES] = "lanes", [WT_THREADS_WAVES] = "waves"};
    struct json_object *value;
    int64_t page = THREAD_PAGE;
    const char *text = dap_text(arguments, "threads");
    d->threads = WT_THREADS_AUTO;
    d->thread_page = THREAD_PAGE;
    if (json_object_object_get_ex(arguments, "threadPage", &value) &&
        (!dap_number(arguments, "threadPage", &page) || page < 1))
        return wrong("threadPage", "a number of threads, 1 or more", err);
    d->thread_page = (uint64_t)page;
    if (!json_object_object_get_ex(arguments, "threads", &value))
        return WT_OK;
    for (int i = WT_THREADS_AUTO; text && i <= WT_THREADS_WAVES; i++)
        if (strcmp(text, names[i]) == 0) {
            d->threads = (enum wt_thread_mode)i;
            return WT_OK;
        }
    return wrong("threads", "\"waves\", \"lanes\" or \"auto\"", err);
}

/* The word that says what is attached to. */
static enum wt_status take_attached(struct wt_dap_start *start, struct json_object *arguments,
                                    struct wt_error *err)
{
    struct json_object *pid = NULL;
    const char *connect = dap_text(arguments, "connect"), *core = dap_text(arguments, "core");
    const bool has_pid = json_object_object_get_ex(arguments, "pid", &pid) && pid;
    if ((connect != NULL) + (core != NULL) + has_pid != 1)
        return wt_fail(err, WT_INVALID,
                       "attach needs one of \"connect\" (an option of 'wavetrap attach' or "
                       "'debug' that says where: \"--dm=tcp:HOST:PORT\", \"--jtag=…\", "
                       "\"--socket=…\"), \"pid\" and \"core\"");
    if (has_pid)
        return add_option(&start->words, "--pid=", pid, "pid", err);
    if (core)
        return add_word(&start->words, dap_format("--core=%s", core))
                   ? WT_OK
                   : wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (strncmp(connect, "--", 2) != 0 && strncmp(connect, "tcp:", 4) != 0 &&
        strncmp(connect, "unix:", 5) != 0)
        return wrong("connect",
                     "an option (\"--dm=…\", \"--jtag=…\", \"--socket=…\"), or the "
                     "address tcp:HOST:PORT or unix:PATH of a Debug Module",
                     err);
    return add_word(&start->words,
                    *connect == '-' ? strdup(connect) : dap_format("--dm=%s", connect))
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

static enum wt_status take_configuration(struct wt_dap *d, struct json_object *arguments,
                                         bool attaches, struct wt_dap_start *start,
                                         struct wt_error *err)
{
    struct json_object *value;
    const char *program = dap_text(arguments, "program");
    enum wt_status status = take_threads(d, arguments, err);
    *start = (struct wt_dap_start){.attaches = attaches, .cwd = dap_text(arguments, "cwd")};
    d->runs_only = dap_flag(arguments, "noDebug");
    d->stops_on_entry = dap_flag(arguments, "stopOnEntry") && !d->runs_only;
    d->ends_on_host = dap_text(arguments, "stopAtEnd");
    d->stops_at_end = (dap_flag(arguments, "stopAtEnd") || d->ends_on_host) && !d->runs_only;
    if (!status && d->owner.has_program)
        return WT_OK;
    if (!status && !add_word(&start->words, strdup("debug")))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (!status && attaches)
        status = take_attached(start, arguments, err);
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0] && !status; i++)
        if (json_object_object_get_ex(arguments, attributes[i].name, &value) && value)
            status = take_attribute(&start->words, &attributes[i], value, err);
    if (!status && json_object_object_get_ex(arguments, "history", &value) && value)
        status = take_history(&start->words, value, err);
    if (!status && json_object_object_get_ex(arguments, "env", &value) && value)
        status = take_environment(&start->environment, value, err);
    if (!status && !attaches && !program)
        status = wt_fail(err, WT_INVALID, "launch needs \"program\", the file that is debugged");
    if (!status && program &&
        (!add_word(&start->words, strdup("--")) || !add_word(&start->words, strdup(program))))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (!status && json_object_object_get_ex(arguments, "args", &value) && value) {
        const struct attribute args = {"args", "", EACH_WORD};
        status = take_attribute(&start->words, &args, value, err);
    }
    return status;
}

/* ---- launch, attach ---- */

/* Capabilities that depend on the program, which initialize could not know. */
static void tell_capabilities(struct wt_dap *d)
{
    struct json_object *body = json_object_new_object();
    struct json_object *o = dap_put_object(body, "capabilities");
    const bool core = d->owner.is_core(d->owner.context);
    const bool back = wt_debugger_has_history(d->g->debugger) || d->g->options.host;
    dap_put_filters(d, o);
    dap_put_flag(o, "supportsStepBack", back);
    dap_put_flag(o, "supportsRestartRequest", !d->attaches);
    dap_put_flag(o, "supportsTerminateRequest", !core);
    dap_event(d, "capabilities", body);
}

static enum wt_status open_session(struct wt_dap *d, struct json_object *arguments, bool attaches,
                                   struct wt_error *err)
{
    struct wt_dap_start start;
    enum wt_status status = take_configuration(d, arguments, attaches, &start, err);
    if (!status)
        status = d->owner.open(d->owner.context, &start, &d->g, err);
    free_start(&start);
    if (status) {
        dap_close(d, true);
        return status;
    }
    d->attaches = attaches;
    d->terminated = d->configured = false;
    wt_debugger_set_thread_mode(d->g->debugger, d->threads);
    wt_debugger_set_auto_lanes(d->g->debugger, AUTO_LANES);
    d->runs = d->g->runs;
    return WT_OK;
}

static enum wt_status start(struct wt_dap *d, struct json_object *arguments, bool attaches,
                            struct wt_error *err)
{
    if (d->g)
        return wt_fail(err, WT_STATE, "something is debugged already: a session has one program");
    enum wt_status status = open_session(d, arguments, attaches, err);
    if (!status && attaches && (status = d->owner.enter(d->owner.context, err)) != WT_OK)
        dap_close(d, false);
    if (status)
        return status;
    d->running = false; /* a stop that attach has made is told when the client is ready */
    free(d->start_text);
    d->start_text = strdup(json_object_to_json_string(arguments));
    tell_capabilities(d);
    dap_event(d, "initialized", NULL);
    return WT_OK;
}

enum wt_status dap_launch(struct wt_dap *d, struct json_object *arguments,
                          struct json_object **body, struct wt_error *err)
{
    return start(d, arguments, false, err);
}

enum wt_status dap_attach(struct wt_dap *d, struct json_object *arguments,
                          struct json_object **body, struct wt_error *err)
{
    return start(d, arguments, true, err);
}

static void tell_process(struct wt_dap *d)
{
    struct json_object *body = json_object_new_object();
    const struct wt_program_host *host = d->g->options.host;
    const int pid = host ? host->pid(d->g->options.host_context) : 0;
    dap_put_text(body, "name", d->g->options.program ? d->g->options.program : "?");
    if (pid > 0)
        dap_put_number(body, "systemProcessId", pid);
    dap_put_flag(body, "isLocalProcess", pid > 0);
    dap_put_text(body, "startMethod", d->attaches ? "attach" : "launch");
    dap_put_number(body, "pointerSize", d->g->topology->address_bits);
    dap_event(d, "process", body);
}

/* Has it stop before its end. A host program goes on after its kernels, whose ends are meant. */
static enum wt_status stop_at_end(struct wt_dap *d, struct wt_error *err)
{
    struct wt_point *point;
    enum wt_status status = WT_OK;
    d->end_point = 0;
    if (!d->g->options.host)
        wt_debugger_set_stop_at_end(d->g->debugger, true);
    else if (d->g->started && !d->ends_on_host &&
             !(status = wt_program_set_catch(d->g, "dispatch end", NULL, &point, err)))
        d->end_point = point->number;
    return status;
}

/* Starts the program from its beginning, up to its first stop. */
static void begin(struct wt_dap *d)
{
    struct wt_error err = {.text = ""};
    struct wt_stepped end;
    struct wt_point *entry = NULL;
    dap_forget(d);
    dap_forget_stop(&d->why_stopped);
    d->at_end.end = 0;
    json_object_put(d->findings);
    d->findings = NULL;
    dap_points_begin(d);
    d->reason = "entry";
    if (d->runs_only)
        dap_pass_faults(d, true);
    if (d->stops_on_entry) {
        const struct wt_break what = {.place = wt_program_entry(d->g), .temporary = true};
        wt_program_set_break(d->g, &what, &entry, WT_IGNORED);
    }
    d->running = true;
    enum wt_status status = wt_program_begin(d->g, &err);
    d->runs = d->g->runs;
    if (!status && d->stops_at_end)
        status = stop_at_end(d, &err);
    if (!status && d->g->started)
        tell_process(d);
    /* Code without a place to stop at: its first instruction. */
    const bool stands = d->stops_on_entry && !entry && !d->g->options.host;
    if (!status && d->g->started && !stands)
        status = wt_program_continue(d->g, false, &end, &err);
    if (status && !d->leaving) {
        dap_say(d, WT_DAP_IMPORTANT, err.text);
        d->running = false;
        dap_tell_end(d);
        return;
    }
    dap_settle(d, status, &err);
}

enum wt_status dap_configuration_done(struct wt_dap *d, struct json_object *arguments,
                                      struct json_object **body, struct wt_error *err)
{
    struct wt_stepped end;
    if (d->configured)
        return wt_fail(err, WT_STATE, "the configuration is done already");
    d->configured = true;
    dap_answer(d, NULL);
    if (!d->attaches) {
        begin(d);
        return WT_OK;
    }
    tell_process(d);
    d->running = true;
    d->reason = "entry";
    enum wt_status status = d->stops_at_end && d->g->options.host ? stop_at_end(d, err) : WT_OK;
    if (status)
        return status;
    if (d->owner.is_core(d->owner.context) || !d->g->started || d->stops_on_entry)
        return WT_OK;
    dap_forget_stop(&d->why_stopped);
    d->at_end.end = 0;
    return wt_program_continue(d->g, false, &end, err);
}

/* ---- the end ---- */

void dap_close(struct wt_dap *d, bool kill)
{
    dap_forget(d);
    for (size_t i = 0; i < d->point_count; i++)
        d->point[i]->number = 0;
    d->g = NULL;
    d->owner.close(d->owner.context, kill);
}

enum wt_status dap_restart(struct wt_dap *d, struct json_object *arguments,
                           struct json_object **body, struct wt_error *err)
{
    struct json_object *changed = dap_object(arguments, "arguments");
    if (d->attaches)
        return wt_fail(err, WT_UNSUPPORTED,
                       "cannot start this process: it was attached to, or has ended");
    if (!d->configured)
        return wt_fail(err, WT_STATE,
                       "the program has not been started: configurationDone starts it");
    const bool other =
        changed && d->start_text && strcmp(json_object_to_json_string(changed), d->start_text) != 0;
    if (other) {
        dap_close(d, true);
        const enum wt_status status = open_session(d, changed, false, err);
        if (status) {
            dap_refuse(d, err->text);
            dap_tell_end(d);
            return WT_OK;
        }
        d->configured = true;
        free(d->start_text);
        d->start_text = strdup(json_object_to_json_string(changed));
        dap_points_again(d);
    }
    d->terminated = false;
    dap_answer(d, NULL);
    begin(d);
    return WT_OK;
}

enum wt_status dap_terminate(struct wt_dap *d, struct json_object *arguments,
                             struct json_object **body, struct wt_error *err)
{
    const struct wt_program_host *host = d->g->options.host;
    if (d->owner.is_core(d->owner.context) || d->g->options.attached ||
        (host && host->is_elsewhere(d->g->options.host_context)))
        return wt_fail(err, WT_UNSUPPORTED,
                       "it cannot be ended from here: disconnect leaves it as it is");
    dap_answer(d, NULL);
    dap_forget(d);
    wt_program_leave(d->g, true);
    dap_tell_end(d);
    return WT_OK;
}

enum wt_status dap_disconnect(struct wt_dap *d, struct json_object *arguments,
                              struct json_object **body, struct wt_error *err)
{
    const bool kill = d->attaches ? dap_flag(arguments, "terminateDebuggee")
                                  : !says_no(arguments, "terminateDebuggee");
    d->ended = true; /* whatever comes while the session is closed */
    if (d->g)
        dap_close(d, kill);
    return WT_OK;
}

enum wt_status dap_cancel(struct wt_dap *d, struct json_object *arguments,
                          struct json_object **body, struct wt_error *err)
{
    int64_t seq;
    if (dap_text(arguments, "progressId")) {
        d->progress_cancelled = true;
        if (d->g)
            wt_program_interrupt(d->g);
        return WT_OK;
    }
    if (!dap_number(arguments, "requestId", &seq))
        return wt_fail(err, WT_INVALID, "cancel needs \"requestId\" or \"progressId\"");
    for (struct dap_request **at = &d->queue; *at; at = &(*at)->next) {
        if ((*at)->seq != seq)
            continue;
        struct dap_request *own = d->current, *r = *at;
        *at = r->next;
        d->current = r;
        dap_refuse(d, "cancelled");
        d->current = own;
        return WT_OK;
    }
    /* The one under way waits for a run or a search. */
    if (d->g && d->g->waiting)
        wt_program_interrupt(d->g);
    return WT_OK;
}
