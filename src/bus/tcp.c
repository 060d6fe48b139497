/*
 * The client of the line protocol. One transaction is one flight where the server reads ahead: all
 * its requests are sent without waiting, and end with a "p", whose reply shows that every one of
 * them got exactly one reply. Other servers get one request at a time.
 */
#include "bus/tcp.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "bus/address.h"
#include "bus/line.h"

/* How long a server may keep silent about a request that it may not know. */
#define TRIAL_MS 1000
/* After a connection attempt has failed, it is not repeated at each access for this long. */
#define REST_MS 1000

enum tcp_link {
    LINK_CLOSED,
    LINK_READY,
    LINK_LATE, /* `owed` replies have not come in time */
};

struct tcp_bus {
    struct wt_bus bus;
    struct wt_address address;
    struct wt_bus_tcp_options options;
    struct wt_bus_tcp_traits traits;
    struct wt_line_dialect dialect;
    bool known;   /* traits are those of this server */
    bool started; /* "s" was sent on this connection */
    enum tcp_link link;
    int fd;
    size_t owed;   /* requests without a reply yet */
    char late[96]; /* what the first of them asks */
    int64_t rest_until_ms;
    char out[16384];
    size_t out_start, out_end;
    char in[4096];
    size_t in_start, in_end;
};

static unsigned limit_ms(const struct tcp_bus *t)
{
    return t->options.timeout_ms;
}

static void hang_up(struct tcp_bus *t)
{
    if (t->fd >= 0)
        close(t->fd);
    t->fd = -1;
    t->link = LINK_CLOSED;
    t->owed = t->out_start = t->out_end = t->in_start = t->in_end = 0;
}

static enum wt_status lost(struct tcp_bus *t, int why, struct wt_error *err)
{
    hang_up(t);
    return wt_fail(err, WT_IO, "%s: the connection is lost: %s", t->address.text,
                   why ? strerror(why) : "the other side has closed it");
}

/* ---- bytes ---- */

/* Sends the contents of `out`, as far as the socket accepts them. */
static enum wt_status push(struct tcp_bus *t, struct wt_error *err)
{
    while (t->out_start < t->out_end) {
        ssize_t sent = send(t->fd, t->out + t->out_start, t->out_end - t->out_start, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return WT_OK;
        if (sent < 0)
            return lost(t, errno, err);
        t->out_start += (size_t)sent;
    }
    t->out_start = t->out_end = 0;
    return WT_OK;
}

/* Receives data; *end: the other side has closed. */
static enum wt_status pull(struct tcp_bus *t, bool *end, struct wt_error *err)
{
    *end = false;
    if (t->in_start == t->in_end)
        t->in_start = t->in_end = 0;
    if (t->in_start > 0 && t->in_end == sizeof t->in) {
        memmove(t->in, t->in + t->in_start, t->in_end - t->in_start);
        t->in_end -= t->in_start;
        t->in_start = 0;
    }
    ssize_t got;
    do
        got = recv(t->fd, t->in + t->in_end, sizeof t->in - t->in_end, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return WT_OK;
    if (got < 0)
        return lost(t, errno, err);
    *end = got == 0;
    t->in_end += (size_t)got;
    return WT_OK;
}

/* The next whole line, without its '\n'; NULL if it has not come yet. */
static const char *next_line(struct tcp_bus *t, size_t *length)
{
    char *line = t->in + t->in_start;
    char *newline = memchr(line, '\n', t->in_end - t->in_start);
    if (!newline)
        return NULL;
    *length = (size_t)(newline - line);
    t->in_start += *length + 1;
    return line;
}

/* Waits for a line until @p deadline, and sends pending data meanwhile. */
static enum wt_status await_line(struct tcp_bus *t, int64_t deadline, const char **line,
                                 size_t *length, struct wt_error *err)
{
    for (;;) {
        enum wt_status status = push(t, err);
        if (status)
            return status;
        if ((*line = next_line(t, length)))
            return WT_OK;
        if (t->in_end - t->in_start >= WT_LINE_MAX) {
            hang_up(t);
            return wt_fail(err, WT_IO,
                           "%s: a reply has no end after %d bytes; the connection was closed",
                           t->address.text, WT_LINE_MAX);
        }
        int64_t now = wt_clock_ms();
        struct pollfd p = {.fd = t->fd, .events = POLLIN};
        if (t->out_start < t->out_end)
            p.events |= POLLOUT;
        int ready = poll(&p, 1, now < deadline ? (int)(deadline - now) : 0);
        if (ready < 0 && errno != EINTR)
            return lost(t, errno, err);
        if (ready == 0)
            return WT_TIMEOUT;
        if (ready > 0 && p.revents & (POLLIN | POLLHUP | POLLERR)) {
            bool end;
            if ((status = pull(t, &end, err)))
                return status;
            if (end)
                return lost(t, 0, err);
        }
    }
}

/* ---- one request ---- */

/* Sends one line and waits for its reply; WT_TIMEOUT leaves the reply owed. */
static enum wt_status ask(struct tcp_bus *t, const char *request, unsigned timeout_ms,
                          const char **line, size_t *length, struct wt_error *err)
{
    size_t size = strlen(request);
    memcpy(t->out + t->out_end, request, size);
    t->out_end += size;
    t->owed++;
    t->bus.round_trips++;
    enum wt_status status = await_line(t, wt_clock_ms() + timeout_ms, line, length, err);
    if (!status)
        t->owed--;
    return status;
}

static bool is_hello(const char *line, size_t length)
{
    return (length == 2 || (length == 3 && line[2] == '\r')) && memcmp(line, "+P", 2) == 0;
}

static enum wt_status no_answer(struct tcp_bus *t, const char *what, struct wt_error *err)
{
    return wt_fail(err, WT_TIMEOUT, "%s: no reply within %u ms: waited for the answer to %s",
                   t->address.text, limit_ms(t), what);
}

static enum wt_status not_a_server(struct tcp_bus *t, const char *request, const char *line,
                                   size_t length, struct wt_error *err)
{
    char quoted[64];
    wt_line_quote(line, length, quoted);
    hang_up(t);
    return wt_fail(err, WT_IO,
                   "%s: this does not speak the Debug Module's line protocol: '%s' was answered "
                   "with '%s'",
                   t->address.text, request, quoted);
}

/* ---- finding out whom we talk to ---- */

/*
 * "p". A server that knows only 'r' and 'w' says no or nothing to it: so a register is read next,
 * and an answer to that one, or a late one to "p", settles it.
 */
static enum wt_status hello(struct tcp_bus *t, struct wt_error *err)
{
    const char *line;
    size_t length;
    unsigned trial = limit_ms(t) < TRIAL_MS ? limit_ms(t) : TRIAL_MS;
    enum wt_status status =
        t->known && !t->traits.hello ? WT_TIMEOUT : ask(t, "p\n", trial, &line, &length, err);
    t->traits.hello = !status && is_hello(line, length);
    if (t->traits.hello)
        return WT_OK;
    if (status && status != WT_TIMEOUT)
        return status;
    char no[64] = "";
    if (!status && length && line[0] == '-')
        wt_line_quote(line, length, no);
    else if (!status)
        return not_a_server(t, "p", line, length, err);
    t->owed = 0;
    status = ask(t, "r0000\n", limit_ms(t), &line, &length, err);
    if (status == WT_IO && *no)
        return wt_fail(err, WT_IO, "%s: the server refused the connection: '%s'", t->address.text,
                       no);
    if (!status && is_hello(line, length)) {
        t->traits.hello = true;
        status = await_line(t, wt_clock_ms() + limit_ms(t), &line, &length, err);
    }
    if (status == WT_TIMEOUT) {
        hang_up(t);
        return wt_fail(err, WT_TIMEOUT,
                       "%s: connected, but nobody answers: waited %u ms for the answer to 'p' and "
                       "%u ms for that to 'r0000' (read of PLATFORM)",
                       t->address.text, trial, limit_ms(t));
    }
    if (status)
        return status;
    struct wt_bus_op op = {0};
    if (wt_line_reply(&op, 1, line, length, WT_IGNORED))
        return not_a_server(t, "r0000", line, length, err);
    return WT_OK;
}

/* A request that the server may not know: whether it was answered with values or '+'. */
static enum wt_status knows(struct tcp_bus *t, const struct wt_line_dialect *dialect,
                            struct wt_bus_op *ops, size_t span, bool *yes, struct wt_error *err)
{
    char request[WT_LINE_MAX];
    const char *line;
    size_t length;
    *yes = false;
    wt_line_request(dialect, ops, span, request);
    enum wt_status status = ask(t, request, limit_ms(t), &line, &length, err);
    request[strcspn(request, "\n")] = 0;
    if (status == WT_TIMEOUT) {
        hang_up(t);
        return no_answer(t, request, err);
    }
    *yes = !status && wt_line_reply(ops, span, line, length, WT_IGNORED) == WT_OK;
    return status;
}

/*
 * Whether requests that arrive together are answered one by one. A server that reads only the first
 * line of each packet would answer only one of these; that costs time and nothing else.
 */
static enum wt_status try_pipeline(struct tcp_bus *t, struct wt_error *err)
{
    unsigned trial = limit_ms(t) < TRIAL_MS ? limit_ms(t) : TRIAL_MS;
    const char *line;
    size_t length;
    enum wt_status status = ask(t, "r0000\nr0000\np\n", trial, &line, &length, err);
    unsigned answers = status ? 0 : 1;
    while (!status && answers < 3 && !is_hello(line, length)) {
        status = await_line(t, wt_clock_ms() + trial, &line, &length, err);
        answers += !status;
    }
    t->owed = 0;
    if (!status && answers == 3 && is_hello(line, length)) {
        t->traits.pipelined = true;
        return WT_OK;
    }
    if (status && status != WT_TIMEOUT)
        return status;
    /* Late answers come before the answer to this request. */
    if ((status = ask(t, "p\n", limit_ms(t), &line, &length, err)) == WT_TIMEOUT) {
        hang_up(t);
        return no_answer(t, "'p'", err);
    }
    while (!status && !is_hello(line, length))
        status = await_line(t, wt_clock_ms() + trial, &line, &length, err);
    t->owed = 0;
    return status == WT_TIMEOUT ? no_answer(t, "'p'", err) : status;
}

/* Finds out which requests the server understands beyond 'r' and 'w'. The only register written is
 * DSELECT, with its present value. */
static enum wt_status learn(struct tcp_bus *t, struct wt_error *err)
{
    static const struct wt_line_dialect semicolon = {true, ';'}, colon = {true, ':'};
    if (!t->traits.hello || t->options.one_at_a_time)
        return WT_OK;
    struct wt_bus_op ops[2] = {{.addr = 0}, {.addr = 2}};
    enum wt_status status = knows(t, &semicolon, ops, 2, &t->dialect.read, err);
    if (!status && t->dialect.read) {
        bool yes;
        ops[0] = ops[1] = (struct wt_bus_op){.write = true, .addr = 2, .value = ops[1].value};
        status = knows(t, &semicolon, ops, 2, &yes, err);
        t->dialect.write = yes ? ';' : 0;
        if (!status && !yes) {
            status = knows(t, &colon, ops, 2, &yes, err);
            t->dialect.write = yes ? ':' : 0;
        }
    }
    if (!status)
        status = try_pipeline(t, err);
    t->traits.batch_read = t->dialect.read;
    t->traits.batch_write = t->dialect.write != 0;
    return status;
}

static enum wt_status tcp_start(struct wt_bus *bus, struct wt_error *err)
{
    struct tcp_bus *t = (struct tcp_bus *)bus;
    const char *line;
    size_t length;
    /* A server that knows no "p" knows no "s". */
    if (t->started || !t->traits.hello || t->link != LINK_READY)
        return WT_OK;
    enum wt_status status = ask(t, "s\n", limit_ms(t), &line, &length, err);
    if (status == WT_TIMEOUT) {
        hang_up(t);
        return no_answer(t, "'s' (start)", err);
    }
    if (!status && (!length || line[0] != '+'))
        return not_a_server(t, "s", line, length, err);
    t->started = !status;
    return status;
}

static enum wt_status connect_to(struct tcp_bus *t, struct wt_error *err)
{
    hang_up(t);
    enum wt_status status = wt_address_connect(&t->address, limit_ms(t), &t->fd, err);
    if (status == WT_TIMEOUT)
        t->rest_until_ms = wt_clock_ms() + REST_MS;
    if (status)
        return status;
    t->link = LINK_READY;
    t->started = false;
    status = hello(t, err);
    if (!status && !t->options.hold)
        status = tcp_start(&t->bus, err);
    if (!status && !t->known)
        status = learn(t, err);
    if (status)
        hang_up(t);
    else
        t->known = true;
    return status;
}

/* ---- transactions ---- */

/* Names a request in a message: "'w0006:80000001' (write of DCTRL)". */
static void name_request(struct tcp_bus *t, const struct wt_bus_op *ops, size_t span, char *text,
                         size_t size)
{
    char request[WT_LINE_MAX];
    const char *name = "unknown register";
    wt_line_request(&t->dialect, ops, span, request);
    request[strcspn(request, "\n")] = 0;
    const struct wt_hw_table *table = t->options.registers;
    const struct wt_hw_register *reg = table ? wt_hw_at(table, ops[0].addr) : NULL;
    if (reg)
        name = reg->name;
    snprintf(text, size, "'%.40s%s' (%s of %s%s)", request, strlen(request) > 40 ? "..." : "",
             ops[0].write ? "write" : "read", name, span > 1 ? ", …" : "");
}

/* Replies that were owed since they did not come in time. */
static enum wt_status collect_debts(struct tcp_bus *t, struct wt_error *err)
{
    while (t->owed) {
        const char *line;
        size_t length;
        enum wt_status status = await_line(t, wt_clock_ms() + limit_ms(t), &line, &length, err);
        if (status == WT_TIMEOUT) {
            /* It had its chance: the next access begins a new connection. */
            size_t owed = t->owed;
            hang_up(t);
            return wt_fail(
                err, WT_TIMEOUT,
                "%s: the device is silent: waited another %u ms for the answer to %s (%zu "
                "in all are missing); the connection was closed, the next access opens "
                "a new one",
                t->address.text, limit_ms(t), t->late, owed);
        }
        if (status)
            return status;
        t->owed--;
    }
    t->link = LINK_READY;
    return WT_OK;
}

/* Gets the connection ready for a request. */
static enum wt_status ready(struct tcp_bus *t, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    if (t->link == LINK_LATE && (status = collect_debts(t, err)))
        return status;
    if (t->link == LINK_READY) {
        /* A line that nobody asked for would be taken for the next reply; and has it gone? */
        bool end;
        if (t->in_start == t->in_end) {
            status = pull(t, &end, WT_IGNORED);
            if (status || end)
                hang_up(t);
        }
        if (t->in_start < t->in_end)
            hang_up(t);
    }
    if (t->link != LINK_CLOSED)
        return WT_OK;
    if (wt_clock_ms() < t->rest_until_ms)
        return wt_fail(err, WT_TIMEOUT, "%s: nobody answered the call a moment ago",
                       t->address.text);
    return connect_to(t, err);
}

static enum wt_status out_of_step(struct tcp_bus *t, const char *request,
                                  const struct wt_error *why, struct wt_error *err)
{
    hang_up(t);
    return wt_fail(err, WT_IO,
                   "%s: %s: %.200s; the connection was closed, the next access opens a new one",
                   t->address.text, request, why->text);
}

/*
 * Sends requests for all of @p ops and takes their replies. The time limit is that of one reply: it
 * begins anew with each that comes.
 */
static enum wt_status fly(struct tcp_bus *t, struct wt_bus_op *ops, size_t count,
                          struct wt_error *err)
{
    enum wt_status refused = WT_OK;
    size_t asked = 0, answered = 0;
    bool closing = t->traits.pipelined && wt_line_span(&t->dialect, ops, count) < count;
    bool closed = false; /* the final "p" has been sent */
    while (answered < count || closing) {
        while (asked < count && t->out_end + WT_LINE_MAX <= sizeof t->out &&
               (t->traits.pipelined || t->owed == 0)) {
            size_t span = wt_line_span(&t->dialect, ops + asked, count - asked);
            t->out_end += wt_line_request(&t->dialect, ops + asked, span, t->out + t->out_end);
            asked += span;
            t->owed++;
            t->bus.round_trips += !t->traits.pipelined;
        }
        if (asked == count && closing && !closed && t->out_end + WT_LINE_MAX <= sizeof t->out) {
            memcpy(t->out + t->out_end, "p\n", 2);
            t->out_end += 2;
            t->owed++;
            closed = true;
        }
        const char *line;
        size_t length;
        enum wt_status status = await_line(t, wt_clock_ms() + limit_ms(t), &line, &length, err);
        if (status == WT_OK)
            t->owed--;
        else if (status != WT_TIMEOUT)
            return status;
        char request[96] = "'p'";
        struct wt_error why;
        if (answered == count) {
            if (status == WT_TIMEOUT || !is_hello(line, length)) {
                wt_fail(&why, WT_IO, "the replies do not match the requests, one by one");
                return out_of_step(t, request, &why, err);
            }
            closing = false;
            continue;
        }
        size_t span = wt_line_span(&t->dialect, ops + answered, count - answered);
        if (status == WT_OK)
            status = wt_line_reply(ops + answered, span, line, length, &why);
        if (status)
            name_request(t, ops + answered, span, request, sizeof request);
        if (status == WT_TIMEOUT) {
            t->link = LINK_LATE;
            strcpy(t->late, request);
            return no_answer(t, request, err);
        }
        if (status == WT_IO)
            return out_of_step(t, request, &why, err);
        if (status && !refused)
            refused = wt_fail(err, WT_IO, "%s: %s: %.200s", t->address.text, request, why.text);
        answered += span;
    }
    return refused;
}

static enum wt_status tcp_transact(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                                   struct wt_error *err)
{
    struct tcp_bus *t = (struct tcp_bus *)bus;
    if (count == 0)
        return WT_OK;
    enum wt_status status = ready(t, err);
    if (status)
        return status;
    bus->round_trips += t->traits.pipelined;
    return fly(t, ops, count, err);
}

static enum wt_status tcp_reconnect(struct wt_bus *bus, struct wt_error *err)
{
    struct tcp_bus *t = (struct tcp_bus *)bus;
    t->rest_until_ms = 0;
    t->known = false;
    t->traits = (struct wt_bus_tcp_traits){0};
    t->dialect = (struct wt_line_dialect){0};
    return connect_to(t, err);
}

static void tcp_close(struct wt_bus *bus)
{
    hang_up((struct tcp_bus *)bus);
    free(bus);
}

static const struct wt_bus_ops tcp_ops = {
    .name = "tcp",
    .transact = tcp_transact,
    .close = tcp_close,
    .reconnect = tcp_reconnect,
    .start = tcp_start,
};

enum wt_status wt_bus_tcp_open(const char *address, const struct wt_bus_tcp_options *options,
                               struct wt_bus **bus, struct wt_error *err)
{
    *bus = NULL;
    struct tcp_bus *t = calloc(1, sizeof *t);
    if (!t)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    t->bus.ops = &tcp_ops;
    t->fd = -1;
    if (options)
        t->options = *options;
    if (!t->options.timeout_ms)
        t->options.timeout_ms = WT_BUS_TCP_TIMEOUT_MS;
    enum wt_status status = wt_address_parse(address, &t->address, err);
    if (!status)
        status = connect_to(t, err);
    if (status) {
        tcp_close(&t->bus);
        return status;
    }
    *bus = &t->bus;
    return WT_OK;
}

const struct wt_bus_tcp_traits *wt_bus_tcp_traits(const struct wt_bus *bus)
{
    return &((const struct tcp_bus *)bus)->traits;
}
