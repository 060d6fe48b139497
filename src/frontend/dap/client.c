/* A client of the Debug Adapter Protocol that waits for each answer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/dap/client.h"

static const char *text_of(struct json_object *o, const char *name)
{
    struct json_object *value;
    return o && json_object_is_type(o, json_type_object) &&
                   json_object_object_get_ex(o, name, &value)
               ? json_object_get_string(value)
               : NULL;
}

static bool is(const char *text, const char *other)
{
    return text && strcmp(text, other) == 0;
}

static enum wt_status send_all(int fd, const char *text, size_t size, struct wt_error *err)
{
    while (size) {
        const ssize_t written = write(fd, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return wt_fail(err, WT_IO, "the session is gone");
        text += written;
        size -= (size_t)written;
    }
    return WT_OK;
}

enum wt_status wt_dap_client_send(struct wt_dap_client *c, const char *text, size_t size,
                                  struct wt_error *err)
{
    char header[40];
    const int length = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", size);
    const enum wt_status status = send_all(c->fd, header, (size_t)length, err);
    return status ? status : send_all(c->fd, text, size, err);
}

enum wt_status wt_dap_client_post(struct wt_dap_client *c, const char *command,
                                  struct json_object *arguments, struct wt_error *err)
{
    struct json_object *o = json_object_new_object();
    json_object_object_add(o, "seq", json_object_new_int64(++c->seq));
    json_object_object_add(o, "type", json_object_new_string("request"));
    json_object_object_add(o, "command", json_object_new_string(command));
    if (arguments)
        json_object_object_add(o, "arguments", arguments);
    const char *text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN);
    const enum wt_status status = wt_dap_client_send(c, text, strlen(text), err);
    json_object_put(o);
    return status;
}

struct json_object *wt_dap_client_take(struct wt_dap_client *c, const char *text, size_t length)
{
    struct json_tokener *tokener = json_tokener_new_ex(64);
    struct json_object *message =
                           tokener ? json_tokener_parse_ex(tokener, text, (int)length) : NULL,
                       *body = NULL;
    json_tokener_free(tokener);
    const char *event = text_of(message, "event");
    c->stopped |= is(event, "stopped");
    c->ended |= is(event, "terminated");
    if (is(event, "output"))
        json_object_object_get_ex(message, "body", &body);
    const char *category = text_of(body, "category"), *output = text_of(body, "output");
    if (c->output && category && output)
        c->output(c->context, category, output);
    return message;
}

/* The next message, which is noted. */
static enum wt_status next(struct wt_dap_client *c, struct json_object **message,
                           struct wt_error *err)
{
    const char *body;
    size_t length;
    for (;;) {
        const enum dap_found found = dap_input_next(&c->input, &body, &length, err);
        if (found == DAP_FOREIGN)
            return WT_INVALID;
        if (found == DAP_MESSAGE)
            break;
        char bytes[65536];
        if (c->idle)
            c->idle(c->context, c->fd);
        const ssize_t size = read(c->fd, bytes, sizeof bytes);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return wt_fail(err, WT_IO, "the session is gone");
        const enum wt_status status = dap_input_add(&c->input, bytes, (size_t)size, err);
        if (status)
            return status;
    }
    *message = wt_dap_client_take(c, body, length);
    return *message ? WT_OK : wt_fail(err, WT_IO, "what the session says is not JSON");
}

enum wt_status wt_dap_ask(struct wt_dap_client *c, const char *command,
                          struct json_object *arguments, struct json_object **body,
                          struct wt_error *err)
{
    struct json_object *message, *value;
    enum wt_status status = wt_dap_client_post(c, command, arguments, err);
    const int64_t seq = c->seq;
    while (!status && (status = next(c, &message, err)) == WT_OK) {
        const bool mine = is(text_of(message, "type"), "response") &&
                          json_object_object_get_ex(message, "request_seq", &value) &&
                          json_object_get_int64(value) == seq;
        if (mine && !(json_object_object_get_ex(message, "success", &value) &&
                      json_object_get_boolean(value)))
            status = wt_fail(err, WT_INVALID, "%s", text_of(message, "message"));
        if (mine && !status && body && json_object_object_get_ex(message, "body", &value))
            *body = json_object_get(value);
        json_object_put(message);
        if (mine)
            return status;
    }
    return status;
}

enum wt_status wt_dap_client_wait(struct wt_dap_client *c, struct wt_error *err)
{
    struct json_object *message;
    enum wt_status status = WT_OK;
    while (!c->stopped && !c->ended && (status = next(c, &message, err)) == WT_OK)
        json_object_put(message);
    return status       ? status
           : c->stopped ? WT_OK
                        : wt_fail(err, WT_STATE,
                                  "the program has ended, and nothing of its run is there to show");
}

enum wt_status wt_dap_client_begin(struct wt_dap_client *c, const char *request,
                                   struct json_object *arguments, struct wt_error *err)
{
    struct json_object *o = json_object_new_object();
    json_object_object_add(o, "adapterID", json_object_new_string("wavetrap"));
    json_object_object_add(o, "supportsInvalidatedEvent", json_object_new_boolean(true));
    enum wt_status status = wt_dap_ask(c, "initialize", o, NULL, err);
    if (status)
        json_object_put(arguments);
    else
        status = wt_dap_ask(c, request, arguments, NULL, err);
    return status ? status : wt_dap_ask(c, "configurationDone", NULL, NULL, err);
}
