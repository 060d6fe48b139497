/* The server of a byte protocol. See stream.h. */
#include "bus/stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/listen.h"

/* Refused clients whose connections stand until they have read why. */
#define REFUSED 8
#define IN_SIZE 65536
#define OUT_SIZE 131072

struct wt_stream_server {
    struct wt_stream_protocol protocol;
    struct wt_stream_options options;
    struct wt_loop *loop;
    struct wt_listener listener;
    char address[180];
    int client; /* -1: none */
    int refused[REFUSED];
    char in[IN_SIZE], out[OUT_SIZE];
    size_t in_start, in_end, out_start, out_end;
};

static void say(struct wt_stream_server *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct wt_stream_server *s, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (s->options.log)
        s->options.log(s->options.context, text);
}

static void drop_client(struct wt_stream_server *s)
{
    wt_loop_forget(s->loop, s->client);
    close(s->client);
    s->client = -1;
    if (s->protocol.foreign && s->protocol.foreign(s->protocol.context)) {
        say(s, "a connection to %s was closed: the data is not its protocol; nothing was done",
            s->address);
        return;
    }
    say(s, "the client of %s is gone", s->address);
    if (s->options.left)
        s->options.left(s->options.context);
}

/* Has the protocol answer the received requests, as far as there is room for answers. */
static void answer(struct wt_stream_server *s)
{
    while (s->in_start < s->in_end) {
        if (s->out_start == s->out_end)
            s->out_start = s->out_end = 0;
        size_t sent, taken = s->protocol.feed(s->protocol.context, s->in + s->in_start,
                                              s->in_end - s->in_start, s->out + s->out_end,
                                              sizeof s->out - s->out_end, &sent);
        s->in_start += taken;
        s->out_end += sent;
        if (taken == 0)
            return;
    }
    s->in_start = s->in_end = 0;
}

/* Sends the answers. False when the client is gone. */
static bool flush(struct wt_stream_server *s)
{
    while (s->out_start < s->out_end) {
        ssize_t n = send(s->client, s->out + s->out_start, s->out_end - s->out_start, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (n <= 0) {
            drop_client(s);
            return false;
        }
        s->out_start += (size_t)n;
    }
    return true;
}

static void client_ready(void *context, int fd, short events)
{
    struct wt_stream_server *s = context;
    /* There is room now for the bytes that wait to be sent. */
    if (events & POLLOUT && !flush(s))
        return;
    answer(s);
    if (s->in_start == s->in_end && events & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) {
        ssize_t got = recv(fd, s->in, sizeof s->in, 0);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
            drop_client(s);
            return;
        }
        s->in_end = got > 0 ? (size_t)got : 0;
        answer(s);
    }
    if (!flush(s))
        return;
    if (s->protocol.goodbye && s->protocol.goodbye(s->protocol.context)) {
        drop_client(s);
        return;
    }
    short watch = 0;
    if (s->in_start == s->in_end)
        watch |= POLLIN;
    if (s->out_start < s->out_end)
        watch |= POLLOUT;
    else if (s->in_start < s->in_end)
        watch |= POLLOUT; /* more to answer, and room for it: at once */
    wt_loop_change(s->loop, fd, watch);
}

/* ---- clients that come too many ---- */

static void refused_ready(void *context, int fd, short events)
{
    struct wt_stream_server *s = context;
    char waste[4096];
    ssize_t got = recv(fd, waste, sizeof waste, 0);
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
        return;
    wt_loop_forget(s->loop, fd);
    close(fd);
    for (unsigned i = 0; i < REFUSED; i++)
        if (s->refused[i] == fd)
            s->refused[i] = -1;
}

/* Says no in words, and leaves the connection open until the other side has read them. */
static void refuse(struct wt_stream_server *s, int fd)
{
    const char *text = s->protocol.refusal;
    unsigned i = 0;
    say(s, "a second client of %s was refused", s->address);
    while (i < REFUSED && s->refused[i] >= 0)
        i++;
    if (!text || send(fd, text, strlen(text), MSG_NOSIGNAL) <= 0 || shutdown(fd, SHUT_WR) ||
        i == REFUSED || !wt_loop_watch(s->loop, fd, POLLIN, refused_ready, s))
        close(fd);
    else
        s->refused[i] = fd;
}

static void listener_ready(void *context, int fd, short events)
{
    struct wt_stream_server *s = context;
    struct wt_error why;
    const int client = wt_accept(&s->listener, SOCK_NONBLOCK | SOCK_CLOEXEC, &why);
    if (client < 0 && *why.text)
        say(s, "%s", why.text);
    if (client < 0)
        return;
    /* The present client may have gone just now, with its last requests unread: these first. */
    for (unsigned i = 0; i < 64 && s->client >= 0; i++) {
        struct pollfd p = {.fd = s->client, .events = POLLIN};
        if (poll(&p, 1, 0) <= 0)
            break;
        client_ready(s, s->client, p.revents);
    }
    if (s->client >= 0) {
        refuse(s, client);
        return;
    }
    if (!s->listener.local) {
        int one = 1;
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    s->in_start = s->in_end = s->out_start = s->out_end = 0;
    if (!wt_loop_watch(s->loop, client, POLLIN, client_ready, s)) {
        close(client);
        say(s, "a client of %s cannot be served: out of memory", s->address);
        return;
    }
    s->client = client;
    s->protocol.begin(s->protocol.context);
    say(s, "a client has connected to %s", s->address);
}

/* ---- life ---- */

enum wt_status wt_stream_server_open(struct wt_loop *loop,
                                     const struct wt_stream_protocol *protocol,
                                     const struct wt_stream_options *options,
                                     struct wt_stream_server **server, struct wt_error *err)
{
    *server = NULL;
    struct wt_stream_server *s = calloc(1, sizeof *s);
    if (!s)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    s->protocol = *protocol;
    s->options = *options;
    s->loop = loop;
    s->client = -1;
    for (unsigned i = 0; i < REFUSED; i++)
        s->refused[i] = -1;
    enum wt_status status =
        wt_listen_without_password(options->address, options->any_client, &s->listener, err);
    if (!status && s->listener.fd < 0)
        status = wt_fail(err, WT_INVALID,
                         "'%s' is not an address to listen at: PORT, HOST:PORT or "
                         "unix:PATH",
                         options->address);
    if (!status && !wt_loop_watch(loop, s->listener.fd, POLLIN, listener_ready, s)) {
        wt_listener_close(&s->listener);
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    if (status) {
        free(s);
        return status;
    }
    const char *name = s->listener.address;
    snprintf(s->address, sizeof s->address, "%s:%s", s->listener.local ? "unix" : "tcp",
             strncmp(name, "tcp6:", 5) == 0 ? name + 5 : name);
    if (s->listener.exposed)
        say(s,
            "warning: other machines can reach %s, and the protocol has no authentication: who "
            "connects controls the device",
            s->address);
    *server = s;
    return WT_OK;
}

const char *wt_stream_server_address(const struct wt_stream_server *server)
{
    return server->address;
}

void wt_stream_server_close(struct wt_stream_server *s)
{
    if (!s)
        return;
    for (unsigned i = 0; i < REFUSED; i++) {
        if (s->refused[i] < 0)
            continue;
        wt_loop_forget(s->loop, s->refused[i]);
        close(s->refused[i]);
    }
    if (s->client >= 0) {
        wt_loop_forget(s->loop, s->client);
        close(s->client);
    }
    wt_loop_forget(s->loop, s->listener.fd);
    wt_listener_close(&s->listener);
    free(s);
}
