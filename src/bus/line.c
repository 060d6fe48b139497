/* Requests and replies of the line protocol, both halves. See line.h. */
#include "bus/line.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- the client's half ---- */

size_t wt_line_span(const struct wt_line_dialect *dialect, const struct wt_bus_op *ops,
                    size_t count)
{
    size_t span = 1;
    assert(count);
    if (ops[0].write ? !dialect->write : !dialect->read)
        return 1;
    while (span < count && span < WT_LINE_BATCH && ops[span].write == ops[0].write)
        span++;
    return span;
}

static size_t put_hex(char *at, uint32_t value, unsigned digits)
{
    for (unsigned i = digits; i-- > 0; value >>= 4)
        at[i] = "0123456789abcdef"[value & 15];
    return digits;
}

size_t wt_line_request(const struct wt_line_dialect *dialect, const struct wt_bus_op *ops,
                       size_t span, char text[WT_LINE_MAX])
{
    bool write = ops[0].write;
    size_t n = 0;
    assert(span && span <= WT_LINE_BATCH);
    text[n++] = span > 1 ? (write ? 'W' : 'R') : (write ? 'w' : 'r');
    for (size_t i = 0; i < span; i++) {
        if (i)
            text[n++] = ',';
        n += put_hex(text + n, ops[i].addr, 4);
    }
    for (size_t i = 0; i < span && write; i++) {
        text[n++] = i ? ',' : span > 1 ? dialect->write : ':';
        n += put_hex(text + n, ops[i].value, 8);
    }
    text[n++] = '\n';
    text[n] = 0;
    assert(n < WT_LINE_MAX);
    return n;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void wt_line_quote(const char *line, size_t length, char text[64])
{
    size_t n = 0;
    for (size_t i = 0; i < length && n < 56; i++)
        text[n++] = line[i] >= 32 && line[i] < 127 ? line[i] : '?';
    strcpy(text + n, n < length ? "..." : "");
}

static enum wt_status not_understood(const char *line, size_t length, const char *expected,
                                     struct wt_error *err)
{
    char quoted[64];
    wt_line_quote(line, length, quoted);
    return wt_fail(err, WT_IO, "the reply '%s' is not what was expected (%s)", quoted, expected);
}

enum wt_status wt_line_reply(struct wt_bus_op *ops, size_t span, const char *line, size_t length,
                             struct wt_error *err)
{
    const char *expected = ops[0].write ? "'+'"
                           : span > 1   ? "'+' and 8 hex digits for each register"
                                        : "'+' and 8 hex digits";
    if (length && line[length - 1] == '\r')
        length--;
    if (length && line[0] == '-') {
        char quoted[64];
        wt_line_quote(line, length, quoted);
        return wt_fail(err, WT_UNSUPPORTED, "the server says no ('%s')", quoted);
    }
    if (!length || line[0] != '+')
        return not_understood(line, length, expected, err);
    if (ops[0].write)
        return WT_OK;
    if (length != 9 * span)
        return not_understood(line, length, expected, err);
    for (size_t i = 0; i < span; i++) {
        const char *digits = line + 9 * i + 1;
        uint32_t value = 0;
        for (unsigned k = 0; k < 8; k++) {
            int digit = hex_digit(digits[k]);
            if (digit < 0)
                return not_understood(line, length, expected, err);
            value = value << 4 | (uint32_t)digit;
        }
        if (i && digits[-1] != ',')
            return not_understood(line, length, expected, err);
        ops[i].value = value;
    }
    return WT_OK;
}

/* ---- the server's half ---- */

void wt_line_server_begin(struct wt_line_server *server)
{
    server->length = 0;
    server->too_long = server->begun = server->foreign = false;
}

/* Hex digits from *at on, at least one, as many as there are; false if the number has over 32 bits.
 */
static bool take_hex(const char **at, const char *end, uint32_t *value)
{
    const char *begin = *at;
    *value = 0;
    for (; *at < end && hex_digit(**at) >= 0; ++*at) {
        if (*value >> 28)
            return false;
        *value = *value << 4 | (uint32_t)hex_digit(**at);
    }
    return *at > begin;
}

/* "N,N,…": how many of them, 0 if something is wrong. *at is left behind the last one. */
static size_t take_list(const char **at, const char *end, uint32_t *list)
{
    size_t count = 0;
    for (;;) {
        if (count == WT_LINE_BATCH || !take_hex(at, end, &list[count]))
            return 0;
        count++;
        if (*at == end || **at != ',')
            return count;
        ++*at;
    }
}

/*
 * Reads or writes registers: all of a line is checked before the first one is touched. What a read
 * gives goes to reply + 1; returns the reply's length, 0 for no.
 */
static size_t access_registers(struct wt_line_server *s, const char *line, size_t length,
                               char *reply)
{
    uint32_t addr[WT_LINE_BATCH], value[WT_LINE_BATCH];
    const char *at = line + 1, *end = line + length;
    bool write = line[0] == 'w' || line[0] == 'W', batch = line[0] == 'R' || line[0] == 'W';
    size_t count = take_list(&at, end, addr), n = 1;
    if (count == 0 || (count > 1 && !batch))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (addr[i] > UINT16_MAX)
            return 0;
    if (write) {
        if (at == end || (*at != ':' && !(batch && *at == ';')))
            return 0;
        at++;
        if (take_list(&at, end, value) != count)
            return 0;
    }
    if (at != end)
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (write) {
            s->device.write(s->device.context, addr[i], value[i]);
            continue;
        }
        if (i)
            reply[n++] = ',';
        n += put_hex(reply + n, s->device.read(s->device.context, addr[i]), 8);
    }
    return n;
}

static void begin_line(struct wt_line_server *s)
{
    s->length = 0;
    s->too_long = false;
}

/* Answers one line; returns the length of the reply. */
static size_t answer(struct wt_line_server *s, const char *line, size_t length, char *reply)
{
    size_t n = 0;
    const bool start = length == 1 && line[0] == 's';
    reply[0] = '+';
    if (length == 1 && line[0] == 'p') {
        reply[1] = 'P';
        n = 2;
    } else if (start) {
        n = !s->start || s->start(s->context) ? 1 : 0;
    } else if (memchr("rwRW", line[0], 4)) {
        n = access_registers(s, line, length, reply);
    }
    s->foreign = !s->begun && n == 0 && !start;
    s->begun = true;
    if (n == 0) {
        reply[0] = '-';
        n = 1;
    }
    reply[n++] = '\n';
    return n;
}

size_t wt_line_server_feed(struct wt_line_server *s, const char *bytes, size_t size, char *out,
                           size_t room, size_t *sent)
{
    size_t taken = 0;
    *sent = 0;
    while (taken < size && room - *sent >= WT_LINE_MAX && !s->foreign) {
        const char *from = bytes + taken;
        const char *newline = memchr(from, '\n', size - taken);
        size_t part = newline ? (size_t)(newline - from) : size - taken;
        if (s->too_long || part >= sizeof s->line - s->length) {
            s->too_long = true;
            s->foreign = !s->begun;
            if (s->foreign)
                break; /* no reply, whether the line's end came in the same piece or not */
        } else {
            memcpy(s->line + s->length, from, part);
            s->length += part;
        }
        taken += part;
        if (!newline)
            continue;
        taken++;
        /* People who talk to it by hand may send '\r\n'. Empty lines get no reply. */
        if (!s->too_long && s->length && s->line[s->length - 1] == '\r')
            s->length--;
        if (s->too_long) {
            memcpy(out + *sent, "-\n", 2);
            *sent += 2;
        } else if (s->length) {
            *sent += answer(s, s->line, s->length, out + *sent);
        }
        begin_line(s);
    }
    return s->foreign ? size : taken;
}
