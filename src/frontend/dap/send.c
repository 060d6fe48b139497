/* Answers and events: whatever the client is sent. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "frontend/dap/internal.h"

static void put_all(struct wt_dap *d, const char *text, size_t size)
{
    while (size && !d->gone) {
        ssize_t written = send(d->out, text, size, MSG_NOSIGNAL);
        if (written < 0 && errno == ENOTSOCK)
            written = write(d->out, text, size);
        if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct pollfd out = {.fd = d->out, .events = POLLOUT};
            poll(&out, 1, -1);
            continue;
        }
        if (written < 0 && errno == EINTR)
            continue;
        d->gone = written <= 0;
        text += d->gone ? 0 : written;
        size -= d->gone ? 0 : (size_t)written;
    }
}

static void send_message(struct wt_dap *d, struct json_object *message)
{
    char header[40];
    dap_put_number(message, "seq", ++d->seq);
    const char *text = json_object_to_json_string_ext(message, JSON_C_TO_STRING_PLAIN |
                                                                   JSON_C_TO_STRING_NOSLASHESCAPE);
    const size_t size = strlen(text);
    snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", size);
    put_all(d, header, strlen(header));
    put_all(d, text, size);
    json_object_put(message);
}

void dap_event(struct wt_dap *d, const char *name, struct json_object *body)
{
    struct json_object *message = json_object_new_object();
    dap_put_text(message, "type", "event");
    dap_put_text(message, "event", name);
    if (body)
        json_object_object_add(message, "body", body);
    send_message(d, message);
}

static struct json_object *response(int64_t to, const char *command, bool success)
{
    struct json_object *message = json_object_new_object();
    dap_put_text(message, "type", "response");
    dap_put_number(message, "request_seq", to);
    dap_put_text(message, "command", command);
    dap_put_flag(message, "success", success);
    return message;
}

/* Whether a person has asked for it, and not the client by itself: to show values of a stop that is
 * over, of what the mouse happens to be over, or the like. */
static bool is_of_a_person(const char *command)
{
    static const char *const own[] = {
        "breakpointLocations", "completions", "disassemble",       "evaluate",
        "exceptionInfo",       "gotoTargets", "modules",           "loadedSources",
        "readMemory",          "scopes",      "stackTrace",        "threads",
        "stepInTargets",       "source",      "variables",         "wavetrap/grid",
        "wavetrap/where",      "cancel",      "dataBreakpointInfo"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(command, own[i]) == 0)
            return false;
    return true;
}

void dap_refuse_message(struct wt_dap *d, int64_t to, const char *command, const char *text)
{
    struct json_object *message = response(to, command, false);
    dap_put_text(message, "message", text);
    struct json_object *error = dap_put_object(dap_put_object(message, "body"), "error");
    dap_put_number(error, "id", 1);
    dap_put_text(error, "format", "{_text}");
    dap_put_text(dap_put_object(error, "variables"), "_text", text);
    dap_put_flag(error, "showUser", is_of_a_person(command));
    send_message(d, message);
}

void dap_free_request(struct dap_request *r)
{
    json_object_put(r->message);
    free(r);
}

void dap_answer(struct wt_dap *d, struct json_object *body)
{
    struct dap_request *r = d->current;
    if (!r) {
        json_object_put(body);
        return;
    }
    struct json_object *message = response(r->seq, r->command, true);
    if (body)
        json_object_object_add(message, "body", body);
    send_message(d, message);
    d->current = NULL;
    dap_free_request(r);
}

void dap_refuse(struct wt_dap *d, const char *text)
{
    struct dap_request *r = d->current;
    if (!r)
        return;
    dap_refuse_message(d, r->seq, r->command, text);
    d->current = NULL;
    dap_free_request(r);
}

void dap_free_requests(struct wt_dap *d)
{
    while (d->queue) {
        struct dap_request *next = d->queue->next;
        dap_free_request(d->queue);
        d->queue = next;
    }
}

/* ---- output ---- */

static void capture(struct wt_dap *d, const char *text, size_t length)
{
    char *grown = wt_array_grow(d->captured, &d->captured_room, d->captured_size + length + 1, 1);
    if (!grown)
        return;
    d->captured = grown;
    memcpy(grown + d->captured_size, text, length);
    d->captured_size += length;
    grown[d->captured_size] = 0;
}

void wt_dap_output(struct wt_dap *d, enum wt_dap_category category, const char *text, size_t length)
{
    static const char *const names[] = {"console", "stdout", "stderr", "important"};
    if (category == WT_DAP_CONSOLE && d->captured) {
        capture(d, text, length);
        return;
    }
    if (category == WT_DAP_CONSOLE && d->quiet)
        return;
    char *copy = malloc(length + 1);
    if (!copy)
        return;
    /* A byte 0 would be the end of the text. */
    for (size_t i = 0; i < length; i++)
        copy[i] = text[i] ? text[i] : ' ';
    copy[length] = 0;
    struct json_object *body = json_object_new_object();
    dap_put_text(body, "category", names[category]);
    dap_put_text(body, "output", copy);
    free(copy);
    dap_event(d, "output", body);
}

void dap_say(struct wt_dap *d, enum wt_dap_category category, const char *text)
{
    char *line = dap_format("%s\n", text);
    if (line)
        wt_dap_output(d, category, line, strlen(line));
    free(line);
}

/* Whether a search or a load is under way. The client itself shows that the program runs. */
static bool is_work(struct wt_dap *d)
{
    uint64_t now, to;
    return d->g &&
           (!d->g->waiting || d->g->backwards || wt_debugger_progress(d->g->debugger, &now, &to));
}

bool wt_dap_progress(struct wt_dap *d, const char *text)
{
    if (!d->client.progress || (!text && !d->progress_shown) ||
        (text && !d->progress_shown && !is_work(d)))
        return true;
    struct json_object *body = json_object_new_object();
    char *id = dap_format("%lld", (long long)d->progress_id);
    dap_put_text(body, "progressId", id);
    free(id);
    if (!text) {
        d->progress_shown = false;
        d->progress_id++;
        dap_event(d, "progressEnd", body);
        return true;
    }
    if (d->progress_shown) {
        dap_put_text(body, "message", text);
        dap_event(d, "progressUpdate", body);
        return !d->progress_cancelled;
    }
    d->progress_cancelled = false;
    d->progress_shown = true;
    dap_put_text(body, "title", "wavetrap");
    dap_put_text(body, "message", text);
    dap_put_flag(body, "cancellable", true);
    if (d->current)
        dap_put_number(body, "requestId", d->current->seq);
    dap_event(d, "progressStart", body);
    return true;
}
