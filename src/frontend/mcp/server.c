/* Messages: JSON-RPC, one in a line. Each request gets one answer; while a tool runs the client may
 * ping, and cancel it. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "frontend/mcp/internal.h"

#define MOST_BYTES ((size_t)4 << 20) /* bytes of a message */
#define MOST_DEPTH 64                /* depth of a message */
#define MOST_WAITING 64              /* requests */
#define AGAIN_MS 200                 /* between two requests to stop */
#define REVISION "2025-11-25"

/* ---- sending ---- */

static void send_message(struct wt_mcp *m, struct json_object *message)
{
    struct mcp_text line = {.at = NULL};
    const char *text = json_object_to_json_string_ext(message, JSON_C_TO_STRING_PLAIN |
                                                                   JSON_C_TO_STRING_NOSLASHESCAPE);
    mcp_add(&line, text, strlen(text));
    mcp_add(&line, "\n", 1);
    for (size_t sent = 0; sent < line.size;) {
        const ssize_t written = write(m->out, line.at + sent, line.size - sent);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) { /* nobody reads any more */
            m->ended = true;
            while (json_object_array_length(m->queue))
                json_object_array_del_idx(m->queue, 0, 1);
            break;
        }
        sent += (size_t)written;
    }
    free(line.at);
    json_object_put(message);
}

static struct json_object *answer_to(struct json_object *id)
{
    struct json_object *message = json_object_new_object();
    dap_put_text(message, "jsonrpc", "2.0");
    if (id)
        json_object_object_add(message, "id", json_object_get(id));
    return message;
}

static void refuse(struct wt_mcp *m, struct json_object *id, int code, const char *text)
{
    struct json_object *message = answer_to(id);
    struct json_object *error = dap_put_object(message, "error");
    dap_put_number(error, "code", code);
    dap_put_text(error, "message", text);
    send_message(m, message);
}

/* ---- methods ---- */

static struct json_object *initialize(struct wt_mcp *m, struct json_object *params, int *code,
                                      struct wt_error *err)
{
    static const char *const revisions[] = {REVISION, "2025-06-18", "2025-03-26", "2024-11-05"};
    const char *wanted = dap_text(params, "protocolVersion"), *taken = REVISION;
    if (!wanted || m->initialized) {
        wt_fail(err, WT_INVALID, "%s",
                wanted ? "initialize is sent once" : "initialize needs \"protocolVersion\"");
        return NULL;
    }
    for (size_t i = 0; i < sizeof revisions / sizeof revisions[0]; i++)
        taken = strcmp(wanted, revisions[i]) == 0 ? revisions[i] : taken;
    m->initialized = true;
    struct json_object *result = json_object_new_object();
    dap_put_text(result, "protocolVersion", taken);
    struct json_object *capabilities = dap_put_object(result, "capabilities");
    dap_put_object(capabilities, "tools");
    dap_put_object(capabilities, "resources");
    struct json_object *info = dap_put_object(result, "serverInfo");
    dap_put_text(info, "name", "wavetrap");
    dap_put_text(info, "title", "wavetrap, a debugger for GPU programs");
    dap_put_text(info, "version", WT_VERSION);
    dap_put_text(
        result, "instructions",
        "A session with one GPU program on an emulated GPU, with its past. Call run, then "
        "findings; goto a finding's number; evaluate a variable over lanes; who-wrote and "
        "where-from name the instructions that made a value. Each answer has the program's "
        "place, and in \"next\" the calls that lead on.");
    return result;
}

static struct json_object *ping(struct wt_mcp *m, struct json_object *params, int *code,
                                struct wt_error *err)
{
    return json_object_new_object();
}

static const struct {
    const char *name;
    mcp_method *run;
    bool early; /* before initialize, too */
} methods[] = {{"initialize", initialize, true},
               {"ping", ping, true},
               {"tools/list", mcp_tools_list, false},
               {"tools/call", mcp_tools_call, false},
               {"resources/list", mcp_resources_list, false},
               {"resources/templates/list", mcp_resources_templates, false},
               {"resources/read", mcp_resources_read, false}};

static void serve(struct wt_mcp *m, struct json_object *message)
{
    struct wt_error err = {.text = ""};
    struct json_object *result = NULL, *id = NULL;
    const char *method = dap_text(message, "method");
    int code = MCP_NO_METHOD;
    json_object_object_get_ex(message, "id", &id);
    wt_fail(&err, WT_UNSUPPORTED, "there is no method '%.80s'", method);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(methods[i].name, method) != 0)
            continue;
        code = m->initialized || methods[i].early ? MCP_BAD_PARAMETERS : MCP_NO_REQUEST;
        if (code == MCP_NO_REQUEST)
            wt_fail(&err, WT_STATE, "initialize must be first");
        else
            result = methods[i].run(m, dap_object(message, "params"), &code, &err);
    }
    if (m->cancelled) {
        json_object_put(result);
        return;
    }
    if (!result) {
        refuse(m, id, code, err.text);
        return;
    }
    struct json_object *answer = answer_to(id);
    json_object_object_add(answer, "result", result);
    send_message(m, answer);
}

/* ---- taking ---- */

static bool same_id(struct json_object *a, struct json_object *b)
{
    return a && b && json_object_equal(a, b);
}

/* A request that is no longer wanted: the one under way, or one that waits, gets no answer. */
static void cancel(struct wt_mcp *m, struct json_object *params)
{
    struct json_object *id = NULL, *other;
    if (!params || !json_object_object_get_ex(params, "requestId", &id))
        return;
    if (same_id(id, m->id)) {
        m->cancelled = true;
        m->session.stop(m->session.context);
    }
    for (size_t i = 0; i < json_object_array_length(m->queue);)
        if (json_object_object_get_ex(json_object_array_get_idx(m->queue, i), "id", &other) &&
            same_id(id, other))
            json_object_array_del_idx(m->queue, i, 1);
        else
            i++;
}

/* The mistake of a message; NULL: it has none. */
static const char *objection(struct json_object *message)
{
    struct json_object *id, *params;
    const char *version = dap_text(message, "jsonrpc");
    if (!json_object_is_type(message, json_type_object) || !version || strcmp(version, "2.0") != 0)
        return "a message is an object with \"jsonrpc\": \"2.0\"";
    if (json_object_object_get_ex(message, "id", &id) &&
        !json_object_is_type(id, json_type_string) && !json_object_is_type(id, json_type_int))
        return "\"id\" is a text or a whole number";
    if (json_object_object_get_ex(message, "params", &params) &&
        !json_object_is_type(params, json_type_object))
        return "\"params\" is an object";
    return dap_text(message, "method") || dap_object(message, "result") ||
                   dap_object(message, "error")
               ? NULL
               : "a request has a text \"method\"";
}

static void take_message(struct wt_mcp *m, struct json_object *message)
{
    const char *why = objection(message), *method = dap_text(message, "method");
    struct json_object *id = NULL;
    const bool has_id = json_object_is_type(message, json_type_object) &&
                        json_object_object_get_ex(message, "id", &id);
    if (why) {
        const bool good = has_id && (json_object_is_type(id, json_type_string) ||
                                     json_object_is_type(id, json_type_int));
        refuse(m, good ? id : NULL, MCP_NO_REQUEST, why);
    } else if (method && !has_id) {
        if (strcmp(method, "notifications/cancelled") == 0)
            cancel(m, dap_object(message, "params"));
    } else if (method && strcmp(method, "ping") == 0) { /* whatever waits */
        serve(m, message);
    } else if (method && json_object_array_length(m->queue) >= MOST_WAITING) {
        refuse(m, id, MCP_NO_REQUEST, "too many requests wait: wait for answers first");
    } else if (method) {
        json_object_array_add(m->queue, json_object_get(message));
    }
}

static void take_line(struct wt_mcp *m, const char *line, size_t length)
{
    struct json_tokener *tokener = json_tokener_new_ex(MOST_DEPTH);
    if (!tokener || strspn(line, " \t\r") >= length) {
        json_tokener_free(tokener);
        return;
    }
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    /* A number is known to be whole by what follows it. */
    struct json_object *message = json_tokener_parse_ex(tokener, line, (int)length + 1);
    if (json_tokener_get_error(tokener) != json_tokener_success)
        refuse(m, NULL, MCP_NOT_JSON, "the line is not JSON");
    else
        take_message(m, message);
    json_object_put(message);
    json_tokener_free(tokener);
}

/* Reads what has come, and takes the whole lines of it. */
static void take_input(struct wt_mcp *m)
{
    char bytes[16384];
    const ssize_t size = read(m->in, bytes, sizeof bytes);
    if (size < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (size <= 0) {
        m->ended = true; /* what has come is answered yet */
        return;
    }
    mcp_add(&m->input, bytes, (size_t)size);
    size_t from = 0;
    char *end;
    while (m->input.at && from < m->input.size &&
           (end = memchr(m->input.at + from, '\n', m->input.size - from))) {
        *end = 0;
        take_line(m, m->input.at + from, (size_t)(end - m->input.at) - from);
        from = (size_t)(end - m->input.at) + 1;
    }
    if (from)
        memmove(m->input.at, m->input.at + from, m->input.size - from);
    m->input.size -= from;
    if (m->input.size <= MOST_BYTES)
        return;
    refuse(m, NULL, MCP_NO_REQUEST, "a message has at most 4 MiB");
    m->ended = true;
}

/* ---- the server ---- */

struct wt_mcp *wt_mcp_new(int in, int out, const struct wt_mcp_session *session)
{
    struct wt_mcp *m = calloc(1, sizeof *m);
    if (m)
        *m = (struct wt_mcp){
            .in = in, .out = out, .session = *session, .queue = json_object_new_array()};
    return m;
}

void wt_mcp_free(struct wt_mcp *m)
{
    if (!m)
        return;
    json_object_put(m->queue);
    free(m->input.at);
    free(m->output.at);
    free(m->said.at);
    free(m);
}

/* Milliseconds until what runs is to be stopped; -1: it is not. A request for that may come before
 * the run has begun, so it is said again. */
static int until_stop(const struct wt_mcp *m)
{
    const int64_t now = wt_clock_ms();
    if (m->cancelled || m->timed_out)
        return AGAIN_MS;
    return !m->until ? -1 : m->until > now ? (int)(m->until - now) : 0;
}

void wt_mcp_idle(struct wt_mcp *m, int fd)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = m->in, .events = POLLIN}};
    while (!fds[0].revents) {
        if (poll(fds, m->ended ? 1 : 2, until_stop(m)) == 0) {
            m->timed_out |= !m->cancelled;
            m->session.stop(m->session.context);
        } else if (!m->ended && fds[1].revents) {
            take_input(m);
        }
    }
}

void wt_mcp_serve(struct wt_mcp *m)
{
    while (!m->ended || json_object_array_length(m->queue)) {
        if (!json_object_array_length(m->queue)) {
            take_input(m);
            continue;
        }
        struct json_object *message = json_object_get(json_object_array_get_idx(m->queue, 0));
        json_object_array_del_idx(m->queue, 0, 1);
        json_object_object_get_ex(message, "id", &m->id);
        m->cancelled = m->timed_out = false;
        serve(m, message);
        m->id = NULL;
        json_object_put(message);
    }
}
