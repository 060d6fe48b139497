/* The server: connections and the event loop around one session. */
#include <errno.h>
#include <fcntl.h>
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
#include "base/loop.h"
#include "frontend/rsp/session.h"

/* The size of pending output at which the program stops because the client does not read. */
#define BACKLOG (4u << 20)
/* Refused clients whose connections stay open until they have read the reason, and connections of
 * which nothing has come yet. */
#define REFUSED 8
#define NEWCOMERS 8
/* The remark on a connection that is no client's. */
#define FOREIGN "connection closed: the input is not GDB's protocol; nothing was done"

struct wt_rsp_server {
    struct wt_rsp_options options;
    struct wt_debugger *debugger;
    struct wt_session *shared; /* the debugger's session */
    struct wt_client *client;  /* this server in it */
    struct wt_rsp_session *session;
    struct wt_loop *loop; /* loop of `shared` */
    struct wt_listener listener;
    int in, out;             /* the client's; -1: none */
    int in_flags, out_flags; /* descriptor flags of standard input and output, to be restored */
    bool was_here;           /* a client has come and gone */
    bool detached;           /* the program goes on without a client */
    int refused[REFUSED];
    int newcomer[NEWCOMERS]; /* the oldest first, -1 behind the last */
};

struct wt_rsp_options wt_rsp_default_options(void)
{
    return (struct wt_rsp_options){.address = ":0", .stop_fd = -1};
}

static void say(struct wt_rsp_server *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct wt_rsp_server *server, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (server->options.log)
        server->options.log(server->options.context, text);
}

static bool is_stdio(const struct wt_rsp_server *server)
{
    return server->listener.fd < 0;
}

/* ---- the client ---- */

static void drop_client(struct wt_rsp_server *server, const char *why)
{
    if (server->in < 0)
        return;
    struct wt_rsp_session *s = server->session;
    wt_loop_forget(server->loop, server->in);
    if (server->out != server->in)
        wt_loop_forget(server->loop, server->out);
    if (!is_stdio(server))
        close(server->in);
    server->in = server->out = -1;
    server->detached = s->detached;
    server->was_here = true;
    say(server, "%s", why);
    if (server->options.until == WT_RSP_PROGRAM_LEFT &&
        (s->detached || s->killed || wt_debugger_ended(server->debugger, NULL)))
        wt_session_end(server->shared);
    wt_rsp_session_end(s);
    if (server->options.until == WT_RSP_CLIENT_LEFT || is_stdio(server))
        wt_session_end_when_idle(server->shared);
}

/* Sends what is ready, as far as the client takes it. */
static void flush(struct wt_rsp_server *server)
{
    struct wt_packet_writer *w = &server->session->out;
    if (w->failed) {
        drop_client(server, "connection closed: out of memory");
        return;
    }
    while (server->out >= 0 && w->start < w->end) {
        size_t size = w->end - w->start;
        ssize_t sent = is_stdio(server)
                           ? write(server->out, w->buffer + w->start, size)
                           : send(server->out, w->buffer + w->start, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (sent <= 0) {
            drop_client(server, "the client is gone");
            return;
        }
        w->start += (size_t)sent;
    }
    if (server->out >= 0 && server->session->closing)
        drop_client(server, server->session->foreign ? FOREIGN
                            : server->session->detached
                                ? "the client has detached; the program continues"
                            : server->session->overrun
                                ? "connection closed: the client sent too much while the program "
                                  "ran"
                                : "the client has ended the program");
}

/* Whether packets are kept unread until the program stops. */
static bool packets_wait(const struct wt_rsp_server *server)
{
    return server->session->waiting || server->session->settling;
}

/* Reads what the client has sent; false if there is nothing yet, or no client any more. */
static bool read_client(struct wt_rsp_server *server)
{
    size_t size;
    uint8_t waste[0x10000], *space = wt_packet_reader_space(&server->session->in, &size);
    const bool full = size == 0;
    if (full && !packets_wait(server))
        return false; /* the client is to read first */
    ssize_t got = full ? read(server->in, waste, sizeof waste) : read(server->in, space, size);
    if (got > 0 && full) {
        wt_rsp_session_overrun(server->session, waste, (size_t)got);
        return false;
    }
    if (got > 0) {
        wt_packet_reader_added(&server->session->in, (size_t)got);
        return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        drop_client(server, "the client is gone");
    return false;
}

static void client_ready(void *context, int fd, short events)
{
    struct wt_rsp_server *server = context;
    /* work() sends the pending data. */
    size_t size;
    if (fd != server->in || !(events & (POLLIN | POLLHUP | POLLERR | POLLNVAL)))
        return;
    wt_packet_reader_space(&server->session->in, &size);
    if (size || packets_wait(server))
        read_client(server);
    else if (events & (POLLHUP | POLLERR | POLLNVAL))
        drop_client(server, "the client is gone");
}

static void begin_client(struct wt_rsp_server *server, int in, int out)
{
    server->in = in;
    server->out = out;
    server->detached = false;
    if (!wt_loop_watch(server->loop, in, POLLIN, client_ready, server) ||
        (out != in && !wt_loop_watch(server->loop, out, 0, client_ready, server))) {
        drop_client(server, "out of memory");
        return;
    }
    wt_rsp_session_begin(server->session, in == out);
}

/* ---- clients beyond the first ---- */

static void refused_ready(void *context, int fd, short events)
{
    struct wt_rsp_server *server = context;
    char waste[4096];
    ssize_t got = read(fd, waste, sizeof waste);
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
        return;
    wt_loop_forget(server->loop, fd);
    close(fd);
    for (unsigned i = 0; i < REFUSED; i++)
        if (server->refused[i] == fd)
            server->refused[i] = -1;
}

/* Refuses a client with a message, and leaves the connection open until the client has read it. */
static void refuse(struct wt_rsp_server *server, int fd, const char *why)
{
    struct wt_packet_writer w;
    wt_packet_writer_init(&w);
    wt_put_raw(&w, '+');
    wt_put_begin(&w, '$');
    wt_put_text(&w, why);
    wt_put_end(&w);
    if (!w.failed && send(fd, w.buffer, w.end, MSG_NOSIGNAL) > 0)
        shutdown(fd, SHUT_WR);
    wt_packet_writer_free(&w);
    unsigned i = 0;
    while (i < REFUSED && server->refused[i] >= 0)
        i++;
    if (i < REFUSED && wt_loop_watch(server->loop, fd, POLLIN, refused_ready, server))
        server->refused[i] = fd;
    else
        close(fd);
    say(server, "a second client was refused");
}

/*
 * The client may just have disconnected, with its last packets still unread. They are handled
 * first, so that the next client is not refused because of one that is gone.
 */
static void look_after_client(struct wt_rsp_server *server)
{
    for (unsigned i = 0; i < 64 && server->in >= 0; i++) {
        struct pollfd p = {.fd = server->in, .events = POLLIN};
        if (poll(&p, 1, 0) <= 0)
            return;
        client_ready(server, server->in, p.revents);
        if (server->in >= 0) {
            wt_rsp_session_handle(server->session);
            flush(server);
        }
    }
}

static void welcome(struct wt_rsp_server *server, int client)
{
    look_after_client(server);
    if (server->in >= 0) {
        refuse(server, client, "E.another client is connected to this server");
        return;
    }
    if (wt_debugger_is_nonstop(server->debugger) && !wt_client_is_alone(server->client)) {
        refuse(server, client, "E.another client uses non-stop mode, which is for one alone");
        return;
    }
    if (!server->listener.local) {
        int one = 1;
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    say(server, "a client has connected");
    begin_client(server, client, client);
}

/* ---- before the first byte ---- */

static void forget_newcomer(struct wt_rsp_server *server, int fd)
{
    unsigned kept = 0;
    wt_loop_forget(server->loop, fd);
    for (unsigned i = 0; i < NEWCOMERS; i++)
        if (server->newcomer[i] != fd)
            server->newcomer[kept++] = server->newcomer[i];
    while (kept < NEWCOMERS)
        server->newcomer[kept++] = -1;
}

static void close_newcomer(struct wt_rsp_server *server, int fd)
{
    forget_newcomer(server, fd);
    close(fd);
}

/* A connection is a client's once its first byte shows that it may be: a web page, too, can connect
 * to a port of this machine, and send what it likes behind the lines of HTTP. */
static void newcomer_ready(void *context, int fd, short events)
{
    struct wt_rsp_server *server = context;
    uint8_t first;
    const ssize_t got = recv(fd, &first, 1, MSG_PEEK);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return;
    if (got == 1 && wt_packet_may_begin(first)) {
        forget_newcomer(server, fd);
        welcome(server, fd);
        return;
    }
    if (got == 1)
        say(server, FOREIGN);
    close_newcomer(server, fd);
}

static void listener_ready(void *context, int fd, short events)
{
    struct wt_rsp_server *server = context;
    struct wt_error why;
    const int client = wt_accept(&server->listener, SOCK_NONBLOCK | SOCK_CLOEXEC, &why);
    if (client < 0 && *why.text)
        say(server, "%s", why.text);
    if (client < 0)
        return;
    if (server->newcomer[NEWCOMERS - 1] >= 0)
        close_newcomer(server, server->newcomer[0]);
    unsigned i = 0;
    while (server->newcomer[i] >= 0)
        i++;
    if (wt_loop_watch(server->loop, client, POLLIN, newcomer_ready, server))
        server->newcomer[i] = client;
    else
        close(client);
}

static void stop_ready(void *context, int fd, short events)
{
    struct wt_rsp_server *server = context;
    wt_session_end(server->shared);
}

/* ---- work between two waits ---- */

/* Handles a program that runs by itself, after its client has detached or was dropped. */
static void look_after_program(struct wt_rsp_server *server)
{
    if (wt_debugger_running(server->debugger))
        return;
    uint32_t status;
    if (server->detached && wt_debugger_ended(server->debugger, &status))
        say(server, "the program has ended with status %u", status);
    server->detached = false;
}

static void watch_client(struct wt_rsp_server *server)
{
    if (server->in < 0)
        return;
    struct wt_rsp_session *s = server->session;
    size_t size;
    wt_packet_reader_space(&s->in, &size);
    short reading = size || packets_wait(server) ? POLLIN : 0;
    short writing = s->out.start < s->out.end ? POLLOUT : 0;
    if (server->in == server->out) {
        wt_loop_change(server->loop, server->in, reading | writing);
    } else {
        wt_loop_change(server->loop, server->in, reading);
        wt_loop_change(server->loop, server->out, writing);
    }
}

/* ---- the client of the debugger's session: see struct wt_client_ops ---- */

static void handle(void *context)
{
    struct wt_rsp_server *server = context;
    if (server->in >= 0)
        wt_rsp_session_handle(server->session);
}

static void event(void *context, const struct wt_event *what)
{
    struct wt_rsp_server *server = context;
    wt_rsp_session_event(server->session, what);
}

static bool answer(void *context)
{
    struct wt_rsp_server *server = context;
    struct wt_rsp_session *s = server->session;
    bool more = false;
    wt_rsp_session_settle(s);
    if (server->in < 0)
        look_after_program(server);
    const bool answered = s->out.start < s->out.end;
    if (server->in >= 0)
        flush(server);
    const bool stuck = packets_wait(server) || s->out.start < s->out.end;
    /* Packets that were kept for a stop, or until the client reads, are handled now. */
    if (server->in >= 0 && !stuck && answered)
        more = s->in.start != s->in.end || read_client(server);
    watch_client(server);
    return more;
}

static bool is_full(void *context)
{
    const struct wt_rsp_server *server = context;
    return server->in >= 0 && server->session->out.end - server->session->out.start >= BACKLOG;
}

static bool is_idle(void *context)
{
    return ((const struct wt_rsp_server *)context)->in < 0;
}

static const struct wt_client_ops client_ops = {
    .handle = handle, .event = event, .answer = answer, .is_full = is_full, .is_idle = is_idle};

/* ---- life ---- */

enum wt_status wt_rsp_server_open(const struct wt_rsp_options *options, struct wt_session *session,
                                  struct wt_rsp_server **out, struct wt_error *err)
{
    struct wt_rsp_server *server = calloc(1, sizeof *server);
    if (!server)
        return wt_fail(err, WT_NO_MEMORY, "out of memory");
    server->options = *options;
    server->shared = session;
    server->debugger = wt_session_debugger(session);
    server->loop = wt_session_loop(session);
    server->in = server->out = server->listener.fd = -1;
    for (unsigned i = 0; i < REFUSED; i++)
        server->refused[i] = -1;
    for (unsigned i = 0; i < NEWCOMERS; i++)
        server->newcomer[i] = -1;
    enum wt_status status =
        wt_listen_without_password(options->address, options->any_client, &server->listener, err);
    if (status) {
        free(server);
        return status;
    }
    server->options.allow_files |= is_stdio(server);
    server->client = wt_session_join(session, &client_ops, server);
    if (server->client)
        server->session = wt_rsp_session_new(server->debugger, server->client, &server->options);
    if (!server->client || !server->session ||
        (!is_stdio(server) &&
         !wt_loop_watch(server->loop, server->listener.fd, POLLIN, listener_ready, server)) ||
        (options->stop_fd >= 0 &&
         !wt_loop_watch(server->loop, options->stop_fd, POLLIN, stop_ready, server))) {
        wt_rsp_server_close(server);
        return wt_fail(err, WT_NO_MEMORY, "out of memory");
    }
    if (server->listener.exposed)
        say(server, "warning: other machines can reach this port, and it has no password: who "
                    "connects controls the program and can read its file");
    *out = server;
    return WT_OK;
}

const char *wt_rsp_server_address(const struct wt_rsp_server *server)
{
    return server->listener.address;
}

enum wt_status wt_rsp_server_run(struct wt_rsp_server *server, struct wt_error *err)
{
    if (is_stdio(server) && server->in < 0 && !server->was_here) {
        server->in_flags = fcntl(STDIN_FILENO, F_GETFL);
        server->out_flags = fcntl(STDOUT_FILENO, F_GETFL);
        if (server->in_flags < 0 || server->out_flags < 0)
            return wt_fail(err, WT_IO, "standard %s is closed",
                           server->in_flags < 0 ? "input" : "output");
        fcntl(STDIN_FILENO, F_SETFL, server->in_flags | O_NONBLOCK);
        fcntl(STDOUT_FILENO, F_SETFL, server->out_flags | O_NONBLOCK);
        begin_client(server, STDIN_FILENO, STDOUT_FILENO);
    }
    enum wt_status status = wt_session_run(server->shared, err);
    if (is_stdio(server)) {
        fcntl(STDIN_FILENO, F_SETFL, server->in_flags);
        fcntl(STDOUT_FILENO, F_SETFL, server->out_flags);
    }
    return status;
}

bool wt_rsp_server_output(struct wt_rsp_server *server, const char *text, size_t length)
{
    if (!server->options.console_to_gdb || server->in < 0 || server->session->nonstop)
        return false;
    wt_rsp_session_output(server->session, text, length);
    return true;
}

void wt_rsp_server_hang_up(struct wt_rsp_server *server)
{
    drop_client(server, "the server ends");
    while (server->newcomer[0] >= 0)
        close_newcomer(server, server->newcomer[0]);
    wt_loop_forget(server->loop, server->listener.fd);
    wt_listener_close(&server->listener);
}

void wt_rsp_server_close(struct wt_rsp_server *server)
{
    if (!server)
        return;
    wt_loop_forget(server->loop, server->in);
    wt_loop_forget(server->loop, server->out);
    wt_loop_forget(server->loop, server->listener.fd);
    wt_loop_forget(server->loop, server->options.stop_fd);
    while (server->newcomer[0] >= 0)
        close_newcomer(server, server->newcomer[0]);
    if (server->in >= 0 && !is_stdio(server))
        close(server->in);
    for (unsigned i = 0; i < REFUSED; i++) {
        wt_loop_forget(server->loop, server->refused[i]);
        if (server->refused[i] >= 0)
            close(server->refused[i]);
    }
    if (server->session)
        wt_rsp_remove_breakpoints(server->session, true);
    wt_listener_close(&server->listener);
    wt_rsp_session_free(server->session);
    wt_client_leave(server->client);
    free(server);
}
