/*
 * Serves pages of a session: the page itself, requests of it to the session (POST …/message), and
 * answers and events for all pages as a stream (GET …/events, server-sent events). Who does not
 * know the token, and whatever a page of another origin sends, is refused.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "frontend/view/http.h"
#include "frontend/view/view.h"

#define MOST_PAGES 64          /* connections */
#define MOST_UNSENT (64 << 20) /* bytes that a page does not take: it is given up then */

struct bytes {
    char *at;
    size_t size, capacity;
};

struct connection {
    int fd; /* -1: free */
    struct bytes in, out;
    bool streams; /* it gets what the session says */
    bool ends;    /* when all is sent */
    bool ended;   /* all is sent: what still comes is dropped, until the other side ends, too */
};

struct view_server {
    struct wt_listener *listener;
    struct wt_dap_client *client;
    const char *authority, *token;
    struct bytes page;
    struct connection connection[MOST_PAGES];
};

static bool add(struct bytes *b, const char *text, size_t size)
{
    char *grown = wt_array_grow(b->at, &b->capacity, b->size + size, 1);
    if (!grown)
        return false;
    b->at = grown;
    memcpy(grown + b->size, text, size);
    b->size += size;
    return true;
}

static void drop(struct bytes *b, size_t size)
{
    memmove(b->at, b->at + size, b->size - size);
    b->size -= size;
}

static void close_connection(struct connection *c)
{
    if (c->fd >= 0)
        close(c->fd);
    free(c->in.at);
    free(c->out.at);
    *c = (struct connection){.fd = -1};
}

/* ---- answers ---- */

static const char *reason_of(unsigned status)
{
    static const struct {
        unsigned status;
        const char *reason;
    } reasons[] = {{200, "OK"},
                   {204, "No Content"},
                   {400, "Bad Request"},
                   {403, "Forbidden"},
                   {404, "Not Found"},
                   {405, "Method Not Allowed"},
                   {411, "Length Required"},
                   {413, "Content Too Large"},
                   {431, "Request Header Fields Too Large"},
                   {505, "HTTP Version Not Supported"}};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Error";
}

static void answer(struct connection *c, unsigned status, const char *type, const char *body,
                   size_t size)
{
    char head[512];
    const int length =
        snprintf(head, sizeof head,
                 "HTTP/1.1 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                 "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                 "Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"
                 "Cross-Origin-Resource-Policy: same-origin\r\n%s\r\n",
                 status, reason_of(status), type, size, c->ends ? "Connection: close\r\n" : "");
    if (!add(&c->out, head, (size_t)length) || !add(&c->out, body, size))
        c->ends = true;
}

static void refuse(struct connection *c, unsigned status, const char *text)
{
    c->ends = true;
    answer(c, status, "text/plain", text, strlen(text));
}

static void begin_stream(struct connection *c)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                               "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                               "Cross-Origin-Resource-Policy: same-origin\r\n"
                               "Connection: close\r\n\r\n:\n\n";
    c->streams = add(&c->out, head, strlen(head));
}

/* ---- requests ---- */

static bool has_token(const struct view_server *s, struct http_text target, const char **rest)
{
    const size_t length = strlen(s->token);
    unsigned char different = 0;
    if (target.length < length + 2 || target.at[length + 1] != '/')
        return false;
    for (size_t i = 0; i < length; i++) /* in a time that does not depend on them */
        different |= (unsigned char)(target.at[i + 1] ^ s->token[i]);
    *rest = target.at + length + 2;
    return !different;
}

static void serve_request(struct view_server *s, struct connection *c, const struct http_request *r,
                          const char *body)
{
    const char *rest;
    if (!http_is_own(r, s->authority)) {
        refuse(c, 403, "This server is for its own pages on this machine.\n");
        return;
    }
    if (!has_token(s, r->target, &rest)) {
        refuse(c, 403, "The address lacks the token: 'wavetrap view' prints the whole one.\n");
        return;
    }
    const struct http_text path = {rest, r->target.length - (size_t)(rest - r->target.at)};
    if (!path.length && !r->is_post)
        answer(c, 200, "text/html; charset=utf-8", s->page.at, s->page.size);
    else if (http_is(path, "events") && !r->is_post)
        begin_stream(c);
    else if (http_is(path, "message") && r->is_post &&
             wt_dap_client_send(s->client, body, r->body, WT_IGNORED) == WT_OK)
        answer(c, 204, "text/plain", "", 0);
    else
        refuse(c, 404, "There is nothing here.\n");
}

static void serve_input(struct view_server *s, struct connection *c)
{
    while (c->in.size && !c->ends && !c->streams) {
        struct http_request r;
        const unsigned status = http_parse(c->in.at, c->in.size, &r);
        if (!status || (status == 200 && c->in.size < r.head + r.body))
            return;
        if (status != 200) {
            refuse(c, status, "This is not a request that the server takes.\n");
            return;
        }
        serve_request(s, c, &r, c->in.at + r.head);
        drop(&c->in, r.head + r.body);
    }
}

static void receive(struct view_server *s, struct connection *c)
{
    char bytes[16384];
    const ssize_t size = read(c->fd, bytes, sizeof bytes);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size <= 0 || (!c->ended && !add(&c->in, bytes, (size_t)size)))
        close_connection(c);
    else if (!c->ended)
        serve_input(s, c);
}

static void transmit(struct connection *c)
{
    const ssize_t size =
        c->out.size ? send(c->fd, c->out.at, c->out.size, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
    if (size > 0)
        drop(&c->out, (size_t)size);
    if ((size < 0 && errno != EAGAIN && errno != EINTR) || c->out.size > MOST_UNSENT)
        close_connection(c);
    else if (c->ends && !c->out.size)
        c->ended = shutdown(c->fd, SHUT_WR) == 0;
}

/* ---- the session ---- */

/* Whatever the session says goes to all pages. */
static void tell_pages(struct view_server *s, const char *text, size_t length)
{
    for (struct connection *c = s->connection; c < s->connection + MOST_PAGES; c++)
        if (c->fd >= 0 && c->streams &&
            !(add(&c->out, "data: ", 6) && add(&c->out, text, length) && add(&c->out, "\n\n", 2)))
            c->ends = true;
    if (memmem(text, length, "\"output\"", 8)) /* answers may be long, and are not parsed */
        json_object_put(wt_dap_client_take(s->client, text, length));
}

/* False: the session is gone. */
static bool hear(struct view_server *s)
{
    char bytes[65536];
    struct wt_error err;
    const char *body;
    size_t length;
    const ssize_t size = read(s->client->fd, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR)
        return true;
    if (size <= 0 || dap_input_add(&s->client->input, bytes, (size_t)size, &err))
        return false;
    while (dap_input_next(&s->client->input, &body, &length, &err) == DAP_MESSAGE)
        tell_pages(s, body, length);
    return true;
}

static void take_connection(struct view_server *s)
{
    const int fd = accept4(s->listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct connection *c = s->connection;
    while (c < s->connection + MOST_PAGES && c->fd >= 0)
        c++;
    if (fd >= 0 && c == s->connection + MOST_PAGES)
        close(fd);
    else if (fd >= 0)
        c->fd = fd;
}

static enum wt_status serve(struct view_server *s, int signal_fd, struct wt_error *err)
{
    for (;;) {
        struct pollfd fds[3 + MOST_PAGES] = {{.fd = signal_fd, .events = POLLIN},
                                             {.fd = s->client->fd, .events = POLLIN},
                                             {.fd = s->listener->fd, .events = POLLIN}};
        for (unsigned i = 0; i < MOST_PAGES; i++)
            fds[3 + i] = (struct pollfd){
                .fd = s->connection[i].fd,
                .events = (short)(POLLIN | (s->connection[i].out.size ? POLLOUT : 0))};
        if (poll(fds, 3 + MOST_PAGES, -1) < 0 && errno != EINTR)
            return wt_fail(err, WT_IO, "waiting for pages: %s", strerror(errno));
        if (fds[0].revents || (fds[1].revents && !hear(s)))
            return WT_OK;
        if (fds[2].revents)
            take_connection(s);
        for (unsigned i = 0; i < MOST_PAGES; i++) {
            struct connection *c = &s->connection[i];
            if (fds[3 + i].fd == c->fd && fds[3 + i].revents & (POLLIN | POLLHUP | POLLERR))
                receive(s, c);
            if (c->fd >= 0 && !c->ended && (c->out.size || c->ends))
                transmit(c);
        }
    }
}

enum wt_status wt_view_serve(struct wt_listener *listener, struct wt_dap_client *client,
                             const char *token, int signal_fd, struct wt_error *err)
{
    struct view_server *s = calloc(1, sizeof *s);
    if (!s)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    *s = (struct view_server){
        .listener = listener, .client = client, .authority = listener->address, .token = token};
    for (unsigned i = 0; i < MOST_PAGES; i++)
        s->connection[i].fd = -1;
    FILE *out = open_memstream(&s->page.at, &s->page.size);
    if (out) {
        wt_view_write_page(out, NULL);
        fclose(out);
    }
    const enum wt_status status =
        s->page.at ? serve(s, signal_fd, err) : wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (unsigned i = 0; i < MOST_PAGES; i++)
        close_connection(&s->connection[i]);
    free(s->page.at);
    free(s);
    return status;
}
