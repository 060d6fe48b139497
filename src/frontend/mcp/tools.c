/* The tools: their parameters, and what each asks of the session. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "frontend/mcp/internal.h"

#define USUAL_SECONDS 50 /* a run: clients give up after 60 */
#define MOST_SECONDS 86400
#define USUAL_LINES 30 /* lines of source */
#define LANES_OF_PAGE 32

/* A parameter of a tool. */
struct mcp_parameter {
    const char *name, *about;
    enum json_type type;
    bool required;
    const char *words; /* the only values of a text, with a blank between; NULL: any */
    bool evaluated;    /* the debugger evaluates it: it must not assign */
};

/* A call: its arguments, the answer's text, and its other members. */
struct mcp_call {
    struct json_object *arguments;
    int64_t page;
    struct mcp_text text;
    struct json_object *more;
};

typedef enum wt_status tool_fn(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err);

struct mcp_tool {
    const char *name, *title, *about;
    tool_fn *run;
    const struct mcp_parameter *parameters; /* without a name: the end */
    bool writes;                            /* it is there with --allow-write only */
    bool moves;                             /* the program runs, or goes to another time */
};

#define SECONDS                                                                                    \
    {                                                                                              \
        "seconds", "stop it after this time (50 if not given)", json_type_int, .required = false   \
    }
#define PAGE                                                                                       \
    {                                                                                              \
        "page", "the page of a long answer, from 1", json_type_int, .required = false              \
    }
#define EXPRESSION                                                                                 \
    {                                                                                              \
        "expression", "a variable or an expression of C or C++: \"sum\", \"to[i]\", \"*p\"",       \
            json_type_string, .required = true, .evaluated = true                                  \
    }

/* ---- arguments ---- */

/* Executes a command that is made as printf does. */
__attribute__((format(printf, 4, 5))) static enum wt_status
command(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err, const char *format, ...)
{
    char *line = NULL;
    va_list args;
    va_start(args, format);
    const int length = vasprintf(&line, format, args);
    va_end(args);
    if (length < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    const enum wt_status status = mcp_command(m, line, &c->text, err);
    free(line);
    return status;
}

static void say(struct mcp_call *c, const char *text)
{
    mcp_add(&c->text, text, strlen(text));
}

static const char *text_of(const struct mcp_call *c, const char *name)
{
    return dap_text(c->arguments, name);
}

static int64_t number_of(const struct mcp_call *c, const char *name, int64_t usual)
{
    int64_t number = usual;
    dap_number(c->arguments, name, &number);
    return number;
}

/* ---- running ---- */

/* Tells the stop of a request that runs the program, which says itself nothing of it. */
static enum wt_status tell_stop(struct wt_mcp *m, struct mcp_call *c)
{
    struct json_object *where = mcp_where(m);
    if (m->timed_out)
        say(c, "It was stopped since its time is over; continue lets it run.\n");
    mcp_say_where(where, &c->text);
    json_object_put(where);
    return WT_OK;
}

static enum wt_status run(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    if (m->session.attaches)
        return wt_fail(err, WT_UNSUPPORTED,
                       "it is a core file, or a program that ran before: it cannot be begun anew. "
                       "continue and back move it as far as it can be moved");
    m->session.wait(m->session.context, true, WT_IGNORED);
    enum wt_status status = m->session.ask(
        m->session.context, m->ran ? "restart" : "configurationDone", NULL, NULL, err);
    m->ran |= !status;
    if (!status)
        status = m->session.wait(m->session.context, false, err);
    return status ? status : tell_stop(m, c);
}

/* The command for a step. */
static const char *step_of(const char *how, bool back)
{
    static const struct {
        const char *how, *forth, *back;
    } steps[] = {{"over", "next", "reverse-next"},
                 {"into", "step", "reverse-step"},
                 {"out", "finish", "reverse-finish"},
                 {"instruction", "stepi", "reverse-stepi"},
                 {"stop", "continue", "reverse-continue"}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (strcmp(steps[i].how, how) == 0)
            return back ? steps[i].back : steps[i].forth;
    return "";
}

static enum wt_status move(struct wt_mcp *m, struct mcp_call *c, const char *how, bool back,
                           struct wt_error *err)
{
    const char *word = step_of(how, back);
    const int64_t count = number_of(c, "count", 1);
    const bool counts = strcmp(how, "out") != 0 && count != 1;
    enum wt_status status = WT_OK;
    if (count < 1 || count > 1000000)
        return wt_fail(err, WT_INVALID, "\"count\" is a number of 1 to 1000000");
    status = counts && strcmp(how, "stop") != 0 ? command(m, c, err, "%s %" PRId64, word, count)
                                                : command(m, c, err, "%s", word);
    for (int64_t i = 1; i < count && strcmp(how, "stop") == 0 && !status; i++)
        status = command(m, c, err, "%s", word);
    if (!status && m->timed_out)
        say(c, "It was stopped since its time is over; continue lets it run.\n");
    return status;
}

static enum wt_status go_on(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    return move(m, c, "stop", false, err);
}

static enum wt_status step(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    const char *how = text_of(c, "how");
    return move(m, c, how ? how : "over", false, err);
}

static enum wt_status back(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    const char *how = text_of(c, "how");
    return move(m, c, how ? how : "over", true, err);
}

static enum wt_status go_to(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    const int64_t time = number_of(c, "time", -1), finding = number_of(c, "finding", -1);
    if ((time < 0) == (finding < 0))
        return wt_fail(err, WT_INVALID,
                       "goto takes \"time\", an issue time, or \"finding\", the number of one that "
                       "findings lists");
    return time >= 0 ? command(m, c, err, "goto %" PRId64, time)
                     : command(m, c, err, "check goto %" PRId64 "%s", finding,
                               dap_flag(c->arguments, "other") ? " other" : "");
}

/* ---- points ---- */

static enum wt_status stop_at(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    const char *place = text_of(c, "place"), *watch = text_of(c, "watch");
    const char *caught = text_of(c, "catch"), *condition = text_of(c, "condition");
    const int64_t number = number_of(c, "delete", -1);
    const char *what = place ? place : watch ? watch : caught;
    if ((place != NULL) + (watch != NULL) + (caught != NULL) + (number >= 0) > 1)
        return wt_fail(err, WT_INVALID,
                       "break takes one of \"place\", \"watch\", \"catch\" and \"delete\"; without "
                       "one it lists the points");
    if (number >= 0)
        return command(m, c, err, "delete %" PRId64, number);
    if (!what)
        return command(m, c, err, "info breakpoints");
    return command(m, c, err, "%s %s%s%s",
                   place   ? "break"
                   : watch ? "watch"
                           : "catch",
                   what, condition ? " if " : "", condition ? condition : "");
}

/* ---- values ---- */

/* The value of each lane of the page, as members. */
static enum wt_status put_lanes(struct wt_mcp *m, struct mcp_call *c, int64_t reference,
                                struct wt_error *err)
{
    struct json_object *arguments = json_object_new_object(), *body = NULL;
    dap_put_number(arguments, "variablesReference", reference);
    dap_put_number(arguments, "start", (c->page - 1) * LANES_OF_PAGE);
    dap_put_number(arguments, "count", LANES_OF_PAGE);
    const enum wt_status status =
        m->session.ask(m->session.context, "variables", arguments, &body, err);
    struct json_object *list = dap_list(body, "variables");
    struct json_object *values = status ? NULL : dap_put_list(c->more, "values");
    for (size_t i = 0; values && list && i < json_object_array_length(list); i++) {
        struct json_object *from = json_object_array_get_idx(list, i), *to = dap_add_object(values);
        dap_put_text(to, "lane", dap_text(from, "name"));
        dap_put_text(to, "value", dap_text(from, "value"));
    }
    json_object_put(body);
    return status;
}

static enum wt_status evaluate(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    const char *expression = text_of(c, "expression"), *lanes = text_of(c, "lanes");
    const int64_t frame = number_of(c, "frame", -1);
    struct json_object *body = NULL;
    struct mcp_call ignored = {.page = 1};
    int64_t reference, count;
    enum wt_status status = WT_OK;
    if (frame >= 0)
        status = command(m, &ignored, err, "frame %" PRId64, frame);
    free(ignored.text.at);
    if (status)
        return status;
    struct json_object *arguments = json_object_new_object();
    char *whole = lanes ? dap_format("(%s)@%s", expression, lanes) : strdup(expression);
    dap_put_text(arguments, "expression", whole);
    dap_put_text(arguments, "context", "watch");
    free(whole);
    status = m->session.ask(m->session.context, "evaluate", arguments, &body, err);
    const char *value = dap_text(body, "result");
    if (!status) {
        say(c, expression);
        say(c, lanes ? " in each lane:\n" : " = ");
        say(c, value ? value : "");
        say(c, "\n");
        dap_put_text(c->more, "value", value);
        dap_put_text(c->more, "type", dap_text(body, "type"));
    }
    if (!status && dap_number(body, "indexedVariables", &count) && lanes &&
        dap_number(body, "variablesReference", &reference) && reference)
        status = put_lanes(m, c, reference, err);
    json_object_put(body);
    return status;
}

static enum wt_status who_wrote(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    const int64_t count = number_of(c, "count", 1);
    if (count < 1 || count > 1000)
        return wt_fail(err, WT_INVALID, "\"count\" is a number of 1 to 1000");
    return command(m, c, err, "%s %s %" PRId64,
                   dap_flag(c->arguments, "reads") ? "who-read" : "who-wrote",
                   text_of(c, "expression"), count);
}

static enum wt_status where_from(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    const int64_t steps = number_of(c, "steps", 20);
    if (steps < 1 || steps > 10000)
        return wt_fail(err, WT_INVALID, "\"steps\" is a number of 1 to 10000");
    return command(m, c, err, "where-from --steps=%" PRId64 "%s %s", steps,
                   dap_flag(c->arguments, "addresses") ? " --addresses" : "",
                   text_of(c, "expression"));
}

static enum wt_status set(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    return command(m, c, err, "set var %s = %s", text_of(c, "expression"), text_of(c, "value"));
}

/* ---- waves, findings, code ---- */

static enum wt_status lanes(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    const char *wave = text_of(c, "wave"), *group = text_of(c, "group");
    const int64_t lane = number_of(c, "lane", -1);
    enum wt_status status = WT_OK;
    if (wave)
        status = command(m, c, err, "wave %s", wave);
    if (!status && group)
        status = command(m, c, err, "group %s", group);
    if (!status && lane >= 0)
        status = command(m, c, err, "lane %" PRId64, lane);
    if (!status)
        status = command(m, c, err, "info waves");
    return status ? status : command(m, c, err, "info lanes");
}

static enum wt_status divergence(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    return command(m, c, err, "info divergence");
}

static enum wt_status findings(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    const int64_t number = number_of(c, "number", -1);
    return number >= 0 ? command(m, c, err, "info checks %" PRId64, number)
                       : command(m, c, err, "info checks");
}

static enum wt_status source(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    const char *file = text_of(c, "file");
    int64_t line = number_of(c, "line", 0), number = 0;
    const int64_t count = number_of(c, "count", USUAL_LINES);
    struct json_object *where = file ? NULL : mcp_where(m);
    char *name = NULL, *text = NULL;
    if (!file && (file = dap_text(where, "file")) && !line && dap_number(where, "line", &line))
        line = line > count / 2 ? line - count / 2 : 1;
    enum wt_status status =
        count < 1 || line < 0 ? wt_fail(err, WT_INVALID, "\"line\" and \"count\" are 1 or more")
        : file                ? mcp_source(m, file, &name, &text, err)
                              : wt_fail(err, WT_INVALID,
                                        "source needs \"file\": the place of the program has no source");
    json_object_put(where);
    if (status)
        return status;
    dap_put_text(c->more, "file", name);
    for (char *at = text; *at;) {
        char *end = strchr(at, '\n');
        const size_t length = end ? (size_t)(end - at) : strlen(at);
        if (++number >= line && number < (line ? line : 1) + count) {
            char *numbered = dap_format("%" PRId64 "\t%.*s\n", number, (int)length, at);
            say(c, numbered ? numbered : "");
            free(numbered);
        }
        at += length + (end != NULL);
    }
    if (!c->text.size) {
        status = wt_fail(err, WT_INVALID, "%s has %" PRId64 " lines", name, number);
    }
    free(name);
    free(text);
    return status;
}

static enum wt_status disassemble(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    const char *place = text_of(c, "place");
    return command(m, c, err, "disassemble /s%s%s", place ? " " : "", place ? place : "");
}

static enum wt_status core(struct wt_mcp *m, struct mcp_call *c, struct wt_error *err)
{
    const char *file = text_of(c, "file");
    if (file && strpbrk(file, " \t"))
        return wt_fail(err, WT_INVALID, "\"file\" is a name without blanks");
    if (file && !m->session.may_write)
        return wt_fail(err, WT_UNSUPPORTED,
                       "no file is written: the server was started without --allow-write");
    if (file)
        return command(m, c, err, "generate-core %s", file);
    static const char *const parts[] = {"info files", "info time", "info fault", "backtrace 10"};
    tell_stop(m, c);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        command(m, c, WT_IGNORED, "%s", parts[i]); /* as far as there is such a thing now */
    return WT_OK;
}

/* ---- the table ---- */

static const struct mcp_tool tools[] = {
    {"run", "Run the program",
     "Runs the program from its beginning to the first stop: a breakpoint, a fault, what break "
     "caught, or its end. Set points with break before.",
     run, .parameters = (const struct mcp_parameter[]){SECONDS, {0}}, .moves = true},
    {"break", "Set, list or delete points",
     "Sets a breakpoint at a place, watches a variable, or catches an event; without arguments "
     "lists the points. {\"catch\": \"check\"} stops before a mistake that a check finds.",
     stop_at,
     .parameters =
         (const struct mcp_parameter[]){
             {"place", "a kernel or function, FILE:LINE, or *ADDRESS", json_type_string,
              .evaluated = true},
             {"watch", "a variable or expression whose memory is watched for changes",
              json_type_string, .evaluated = true},
             {"catch", "an event: check, fault, dispatch begin, dispatch end, module load",
              json_type_string, .evaluated = true},
             {"condition", "stops only where this expression is not zero", json_type_string,
              .evaluated = true},
             {"delete", "the number of a point to delete", json_type_int, .required = false},
             PAGE,
             {0}}},
    {"continue", "Continue", "Runs on to the next stop.", go_on,
     .parameters =
         (const struct mcp_parameter[]){
             {"count", "as many stops", json_type_int, .required = false}, SECONDS, {0}},
     .moves = true},
    {"step", "Step forwards", "Steps the selected lane's wave by lines or instructions.", step,
     .parameters =
         (const struct mcp_parameter[]){
             {"how",
              "over calls (if not given), into calls, out of the function, or one instruction",
              json_type_string, .words = "over into out instruction"},
             {"count", "as many steps", json_type_int, .required = false},
             SECONDS,
             {0}},
     .moves = true},
    {"back", "Go backwards", "Goes back in the recorded run: by steps, or to the last stop before.",
     back,
     .parameters =
         (const struct mcp_parameter[]){
             {"how",
              "over calls (if not given), into them, out to the call, one instruction, or to the "
              "stop "
              "before",
              json_type_string, .words = "over into out instruction stop"},
             {"count", "as many steps", json_type_int, .required = false},
             SECONDS,
             {0}},
     .moves = true},
    {"goto", "Go to a time or a finding",
     "Goes to an issue time of the recorded run, or to where a check found a mistake.", go_to,
     .parameters =
         (const struct mcp_parameter[]){
             {"time", "an issue time", json_type_int, .required = false},
             {"finding", "the number of a finding", json_type_int, .required = false},
             {"other", "of a race: to the other access", json_type_boolean, .required = false},
             SECONDS,
             {0}},
     .moves = true},
    {"evaluate", "Evaluate over lanes",
     "The value of an expression in the selected lane, or in several lanes of its wave.", evaluate,
     .parameters =
         (const struct mcp_parameter[]){EXPRESSION,
                                        {"lanes", "\"*\" for all lanes, \"3\", or \"0..7\"",
                                         json_type_string, .evaluated = true},
                                        {"frame",
                                         "the number of a caller's frame, 0 is the innermost",
                                         json_type_int, .required = false},
                                        PAGE,
                                        {0}}},
    {"who-wrote", "Who wrote a variable",
     "Which instructions of the recorded run stored to a variable last, with waves and times.",
     who_wrote,
     .parameters =
         (const struct mcp_parameter[]){
             EXPRESSION,
             {"count", "as many stores, the latest first (1 if not given)", json_type_int,
              .required = false},
             {"reads", "loads instead of stores", json_type_boolean, .required = false},
             SECONDS,
             PAGE,
             {0}}},
    {"where-from", "Where a value comes from",
     "The instructions and inputs that a value was made of, the latest first.", where_from,
     .parameters =
         (const struct mcp_parameter[]){
             EXPRESSION,
             {"steps", "as many instructions (20 if not given)", json_type_int, .required = false},
             {"addresses", "instructions that made the addresses, too", json_type_boolean,
              .required = false},
             SECONDS,
             PAGE,
             {0}}},
    {"lanes", "Waves and lanes",
     "The waves that are there, and the lanes of the selected one; selects others, which the other "
     "tools then mean.",
     lanes,
     .parameters =
         (const struct mcp_parameter[]){
             {"wave", "select the wave CORE/SLOT", json_type_string, .evaluated = true},
             {"group", "select the first wave of group X,Y,Z", json_type_string, .evaluated = true},
             {"lane", "select this lane of the wave", json_type_int, .required = false},
             PAGE,
             {0}}},
    {"divergence", "Divergence", "Which lanes of the wave wait for others, and where.", divergence,
     .parameters = (const struct mcp_parameter[]){PAGE, {0}}},
    {"findings", "Findings of the checks",
     "The mistakes that the checks (the server's --check) have found so far, or one of them in "
     "full.",
     findings,
     .parameters =
         (const struct mcp_parameter[]){
             {"number", "the number of one", json_type_int, .required = false}, PAGE, {0}}},
    {"source", "Source",
     "Lines of a source file of the program, around the place if none is named.", source,
     .parameters =
         (const struct mcp_parameter[]){
             {"file", "a source file of the program", json_type_string, .required = false},
             {"line", "the first line", json_type_int, .required = false},
             {"count", "as many lines (30 if not given)", json_type_int, .required = false},
             PAGE,
             {0}}},
    {"disassemble", "Disassemble",
     "The instructions of the function at a place, or where the program is, with source lines.",
     disassemble,
     .parameters = (const struct mcp_parameter[]){{"place", "a function or an address",
                                                   json_type_string, .evaluated = true},
                                                  PAGE,
                                                  {0}}},
    {"core", "The program's state",
     "The session: program or core file, place, recorded times, calls. With "
     "\"file\" it writes a core file (--allow-write).",
     core,
     .parameters = (const struct mcp_parameter[]){{"file", "write the state to this file",
                                                   json_type_string, .required = false},
                                                  PAGE,
                                                  {0}}},
    {"set", "Assign", "Assigns to a variable of the selected lane.", set,
     .parameters =
         (const struct mcp_parameter[]){
             EXPRESSION, {"value", "the new value", json_type_string, .required = true}, {0}},
     .writes = true},
};

/* ---- calls ---- */

static const char *type_name(enum json_type type)
{
    return type == json_type_int ? "integer" : type == json_type_boolean ? "boolean" : "string";
}

/* Whether a text is one of some words. */
static bool is_word(const char *words, const char *text)
{
    const size_t length = strlen(text);
    for (const char *at = strstr(words, text); at && length; at = strstr(at + 1, text))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* Whether what the debugger evaluates may change something: it assigns, or is more than an
 * expression. */
static enum wt_status check_text(const struct wt_mcp *m, const struct mcp_parameter *p,
                                 const char *text, struct wt_error *err)
{
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < ' ')
            return wt_fail(err, WT_INVALID, "\"%s\" is one line without control characters",
                           p->name);
    if (!*text)
        return wt_fail(err, WT_INVALID, "\"%s\" is empty", p->name);
    if (p->words && !is_word(p->words, text))
        return wt_fail(err, WT_INVALID, "\"%s\" is one of: %s", p->name, p->words);
    if (p->evaluated && !m->session.may_write && dap_assigns(text))
        return wt_fail(err, WT_UNSUPPORTED,
                       "\"%s\": nothing is assigned, since the server was started without "
                       "--allow-write; compare with ==",
                       p->name);
    return WT_OK;
}

static enum wt_status check_argument(const struct wt_mcp *m, const struct mcp_tool *tool,
                                     const char *name, struct json_object *value,
                                     struct wt_error *err)
{
    const struct mcp_parameter *p = tool->parameters;
    while (p->name && strcmp(p->name, name) != 0)
        p++;
    if (!p->name)
        return wt_fail(err, WT_INVALID, "%s has no \"%.60s\": tools/list has its parameters",
                       tool->name, name);
    if (!json_object_is_type(value, p->type) ||
        (p->type == json_type_string &&
         strlen(json_object_get_string(value)) != (size_t)json_object_get_string_len(value)))
        return wt_fail(err, WT_INVALID, "\"%s\" is of the type %s", name, type_name(p->type));
    return p->type == json_type_string ? check_text(m, p, json_object_get_string(value), err)
                                       : WT_OK;
}

static enum wt_status check(const struct wt_mcp *m, const struct mcp_tool *tool, struct mcp_call *c,
                            struct wt_error *err)
{
    enum wt_status status = WT_OK;
    if (c->arguments) {
        json_object_object_foreach(c->arguments, name, value)
        {
            if (!status)
                status = check_argument(m, tool, name, value, err);
        }
    }
    for (const struct mcp_parameter *p = tool->parameters; p->name && !status; p++)
        if (p->required && !json_object_object_get_ex(c->arguments, p->name, NULL))
            status = wt_fail(err, WT_INVALID, "%s needs \"%s\": %s", tool->name, p->name, p->about);
    c->page = number_of(c, "page", 1);
    const int64_t seconds = number_of(c, "seconds", USUAL_SECONDS);
    if (!status && (c->page < 1 || seconds < 1 || seconds > MOST_SECONDS))
        status = wt_fail(err, WT_INVALID, "\"page\" and \"seconds\" are 1 or more");
    return status;
}

static struct json_object *call_tool(struct wt_mcp *m, const struct mcp_tool *tool,
                                     struct json_object *arguments)
{
    struct wt_error err = {.text = ""};
    struct mcp_call c = {.arguments = arguments, .more = json_object_new_object()};
    enum wt_status status = check(m, tool, &c, &err);
    if (!status)
        status = mcp_need_session(m, &err);
    if (!status) {
        m->until = wt_clock_ms() + 1000 * number_of(&c, "seconds", USUAL_SECONDS);
        status = tool->run(m, &c, &err);
        m->until = 0;
    }
    struct json_object *result;
    if (status) {
        json_object_put(c.more);
        result = mcp_failure(m, &err);
    } else {
        result = mcp_result(m, tool->name, c.text.at ? c.text.at : "", c.page, c.more);
    }
    free(c.text.at);
    return result;
}

struct json_object *mcp_tools_call(struct wt_mcp *m, struct json_object *params, int *code,
                                   struct wt_error *err)
{
    const char *name = dap_text(params, "name");
    struct json_object *arguments = dap_object(params, "arguments");
    if (params && json_object_object_get_ex(params, "arguments", NULL) && !arguments)
        wt_fail(err, WT_INVALID, "\"arguments\" is an object");
    else
        wt_fail(err, WT_INVALID, "there is no tool '%.80s': tools/list has their names",
                name ? name : "");
    for (size_t i = 0; name && i < sizeof tools / sizeof tools[0]; i++)
        if (strcmp(tools[i].name, name) == 0 && (!tools[i].writes || m->session.may_write))
            return arguments || !json_object_object_get_ex(params, "arguments", NULL)
                       ? call_tool(m, &tools[i], arguments)
                       : NULL;
    return NULL;
}

/* ---- the list ---- */

static void put_parameters(struct json_object *o, const struct mcp_parameter *p)
{
    struct json_object *schema = dap_put_object(o, "inputSchema"), *required = NULL;
    dap_put_text(schema, "type", "object");
    struct json_object *properties = dap_put_object(schema, "properties");
    for (; p->name; p++) {
        struct json_object *one = dap_put_object(properties, p->name);
        dap_put_text(one, "type", type_name(p->type));
        dap_put_text(one, "description", p->about);
        struct json_object *words = p->words ? dap_put_list(one, "enum") : NULL;
        for (const char *at = p->words; words && *at; at += strspn(at, " ")) {
            const size_t length = strcspn(at, " ");
            json_object_array_add(words, json_object_new_string_len(at, (int)length));
            at += length;
        }
        if (p->required && !required)
            required = dap_put_list(schema, "required");
        if (p->required)
            json_object_array_add(required, json_object_new_string(p->name));
    }
    json_object_object_add(schema, "additionalProperties", json_object_new_boolean(false));
}

/* Members of answers, the same of all tools. */
static const char answers[] =
    "{\"type\":\"object\",\"required\":[\"text\",\"program\",\"next\"],\"properties\":{"
    "\"text\":{\"type\":\"string\",\"description\":\"the answer in words\"},"
    "\"program\":{\"type\":\"object\",\"description\":\"state (new, stopped or ended), reason, "
    "function, file, line, source, name of the wave, lane, time, calls\"},"
    "\"places\":{\"type\":\"array\",\"description\":\"places that the text names\",\"items\":"
    "{\"type\":\"object\",\"properties\":{\"file\":{\"type\":\"string\"},\"line\":{\"type\":"
    "\"integer\"}}}},"
    "\"value\":{\"type\":\"string\"},\"type\":{\"type\":\"string\"},"
    "\"values\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"lane\":"
    "{\"type\":\"string\"},\"value\":{\"type\":\"string\"}}}},"
    "\"file\":{\"type\":\"string\"},\"messages\":{\"type\":\"string\"},"
    "\"output\":{\"type\":\"string\",\"description\":\"the end of what the program wrote\"},"
    "\"page\":{\"type\":\"integer\"},\"pages\":{\"type\":\"integer\"},"
    "\"next\":{\"type\":\"array\",\"description\":\"calls that lead on\",\"items\":{\"type\":"
    "\"string\"}}}}";

struct json_object *mcp_tools_list(struct wt_mcp *m, struct json_object *params, int *code,
                                   struct wt_error *err)
{
    if (params && json_object_object_get_ex(params, "cursor", NULL)) {
        wt_fail(err, WT_INVALID, "the list has one page: there is no such \"cursor\"");
        return NULL;
    }
    struct json_object *result = json_object_new_object(), *list = dap_put_list(result, "tools");
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        if (tools[i].writes && !m->session.may_write)
            continue;
        struct json_object *o = dap_add_object(list);
        dap_put_text(o, "name", tools[i].name);
        dap_put_text(o, "title", tools[i].title);
        dap_put_text(o, "description", tools[i].about);
        put_parameters(o, tools[i].parameters);
        json_object_object_add(o, "outputSchema", json_tokener_parse(answers));
        struct json_object *notes = dap_put_object(o, "annotations");
        dap_put_flag(notes, "readOnlyHint", !tools[i].moves && !tools[i].writes);
        dap_put_flag(notes, "destructiveHint", tools[i].writes);
        dap_put_flag(notes, "openWorldHint", false);
    }
    return result;
}
