/* Replies (OK, errors, text), and the program's output. */
#include "frontend/rsp/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of console output kept for a client that cannot take it now. */
#define MOST_PENDING (1u << 20)

void wt_rsp_ok(struct wt_rsp_session *s)
{
    wt_put_text(&s->out, "OK");
}

/* "Enn": GDB shows the number and does not interpret it. The numbers are traditional
 * errno values. */
static unsigned error_number(enum wt_status status)
{
    switch (status) {
    case WT_INVALID:
        return 0x16; /* EINVAL */
    case WT_IO:
        return 0x05; /* EIO */
    case WT_NO_MEMORY:
        return 0x0c; /* ENOMEM */
    case WT_UNSUPPORTED:
        return 0x5f; /* EOPNOTSUPP */
    case WT_STATE:
        return 0x10; /* EBUSY */
    case WT_TIMEOUT:
        return 0x6e; /* ETIMEDOUT */
    default:
        return 0x01;
    }
}

void wt_rsp_error(struct wt_rsp_session *s, const struct wt_error *err)
{
    wt_put_restart(&s->out);
    char text[sizeof err->text];
    const bool busy = err->status == WT_STATE && wt_client_is_waiting(s->client);
    snprintf(text, sizeof text, "%s",
             busy ? "busy: another client has set the program going; interrupt it, or let it "
                    "stop by itself"
                  : err->text);
    /* Sent as one printable line, whatever text the lower layers gave. */
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c == '#' || *c == '$' || *c == '}' || *c == '*')
            *c = ' ';
    bool talk = s->error_message || (s->command && s->command->flags & WT_RSP_TEXT_ERRORS);
    if (s->lldb) {
        wt_put_format(&s->out, "E%02x", error_number(err->status));
        if (s->error_strings) {
            wt_put_char(&s->out, ';');
            wt_put_hex(&s->out, text, strlen(text));
        }
    } else if (talk && text[0]) {
        wt_put_format(&s->out, "E.%s", text);
    } else {
        wt_put_format(&s->out, "E%02x", error_number(err->status));
    }
}

void wt_rsp_refuse(struct wt_rsp_session *s, enum wt_status status, const char *format, ...)
{
    struct wt_error err = {.status = status};
    va_list args;
    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    wt_rsp_error(s, &err);
}

void wt_rsp_put_thread(struct wt_rsp_session *s, wt_thread thread)
{
    if (s->multiprocess) {
        wt_put_char(&s->out, 'p');
        wt_put_number(&s->out, WT_RSP_PROCESS);
        wt_put_char(&s->out, '.');
    }
    wt_put_number(&s->out, thread);
}

void wt_rsp_put_json(struct wt_packet_writer *out, const char *text)
{
    /* The string is part of a packet: '}' and the like are escaped as in binary data. */
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            wt_put_char(out, '\\');
            wt_put_char(out, (char)*c);
        } else if (*c < ' ' || *c == 0x7f) {
            wt_put_format(out, "\\u%04x", *c);
        } else {
            wt_put_binary(out, c, 1);
        }
    }
}

/* ---- what the program prints, and notices of the debugger ---- */

static void put_output(struct wt_rsp_session *s, const char *text, size_t size)
{
    wt_put_begin(&s->out, '$');
    wt_put_char(&s->out, 'O');
    wt_put_hex(&s->out, text, size);
    wt_put_end(&s->out);
}

/* Packets "O" are for a client that waits for a stop reply. */
void wt_rsp_send_pending(struct wt_rsp_session *s)
{
    if (!s->waiting || s->nonstop)
        return;
    for (size_t at = 0, size; at < s->pending_length; at += size) {
        size = s->pending_length - at;
        size = size > 0x1000 ? 0x1000 : size;
        put_output(s, s->pending + at, size);
    }
    if (s->pending_lost) {
        char text[64];
        snprintf(text, sizeof text, "\n[%zu bytes of output were lost here]\n", s->pending_lost);
        put_output(s, text, strlen(text));
    }
    s->pending_length = s->pending_lost = 0;
}

void wt_rsp_session_output(struct wt_rsp_session *s, const char *text, size_t length)
{
    if (!s->pending)
        s->pending = malloc(MOST_PENDING);
    const size_t room = s->pending ? MOST_PENDING - s->pending_length : 0;
    /* Output after lost output is lost, too: the sentence that says so comes after the rest. */
    const size_t kept = s->pending_lost ? 0 : length < room ? length : room;
    if (kept)
        memcpy(s->pending + s->pending_length, text, kept);
    s->pending_length += kept;
    s->pending_lost += length - kept;
    wt_rsp_send_pending(s);
}

void wt_rsp_tell_notice(struct wt_rsp_session *s)
{
    char notice[224];
    while (wt_debugger_take_notice(s->debugger, notice, sizeof notice))
        wt_rsp_session_output(s, notice, strlen(notice));
}
