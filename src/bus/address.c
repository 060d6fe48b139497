/* Addresses, and connecting to them in bounded time. */
#include "bus/address.h"

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

#define SOCKET_FLAGS (SOCK_NONBLOCK | SOCK_CLOEXEC)

static enum wt_status parse_local(const char *path, struct wt_address *a, struct wt_error *err)
{
    if (!*path || strlen(path) >= sizeof a->path)
        return wt_fail(err, WT_INVALID, "unix:%.200s: the path must have 1 to %zu bytes", path,
                       sizeof a->path - 1);
    a->local = true;
    strcpy(a->path, path);
    snprintf(a->text, sizeof a->text, "unix:%s", path);
    return WT_OK;
}

enum wt_status wt_address_parse(const char *text, struct wt_address *address, struct wt_error *err)
{
    *address = (struct wt_address){0};
    if (strncmp(text, "unix:", 5) == 0)
        return parse_local(text + 5, address, err);
    const char *rest = strncmp(text, "tcp:", 4) == 0 ? text + 4 : text;
    const char *colon = strrchr(rest, ':');
    const char *port = colon ? colon + 1 : rest;
    size_t length = colon ? (size_t)(colon - rest) : 0;
    const char *host = rest;
    if (length > 1 && host[0] == '[' && host[length - 1] == ']') {
        host++;
        length -= 2;
    }
    bool digits = *port;
    for (const char *c = port; *c; c++)
        digits &= isdigit((unsigned char)*c) && c - port < 5;
    unsigned long number = digits ? strtoul(port, NULL, 10) : 0;
    if (number == 0 || number > 65535 || length >= sizeof address->host)
        return wt_fail(
            err, WT_INVALID,
            "'%.200s' is not an address: tcp:HOST:PORT or unix:PATH (a port is a number from "
            "1 to 65535)",
            text);
    if (length)
        memcpy(address->host, host, length);
    else
        strcpy(address->host, "127.0.0.1");
    snprintf(address->port, sizeof address->port, "%lu", number);
    bool six = strchr(address->host, ':') != NULL;
    snprintf(address->text, sizeof address->text, "tcp:%s%s%s:%s", six ? "[" : "", address->host,
             six ? "]" : "", address->port);
    return WT_OK;
}

static int remaining_ms(int64_t deadline)
{
    const int64_t left = deadline - wt_clock_ms();
    return left > 0 ? (int)left : 0;
}

/* Connects one socket: 0, or an error number (ETIMEDOUT when the time is over). */
static int connect_one(int fd, const struct sockaddr *name, socklen_t size, unsigned timeout_ms)
{
    if (connect(fd, name, size) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    const int64_t deadline = wt_clock_ms() + timeout_ms;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        int ready = poll(&p, 1, remaining_ms(deadline));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready < 0)
            return errno;
        if (ready == 0)
            return ETIMEDOUT;
        int why = 0;
        socklen_t length = sizeof why;
        return getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &length) ? errno : why;
    }
}

static enum wt_status cannot(const struct wt_address *a, int why, unsigned timeout_ms,
                             struct wt_error *err)
{
    if (why == ETIMEDOUT)
        return wt_fail(err, WT_TIMEOUT,
                       "%s: nobody answers the call: waited %u ms for the connection", a->text,
                       timeout_ms);
    return wt_fail(err, WT_IO, "cannot connect to %s: %s", a->text, strerror(why));
}

static enum wt_status connect_local(const struct wt_address *a, unsigned timeout_ms, int *fd,
                                    struct wt_error *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    memcpy(name.sun_path, a->path, sizeof a->path);
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCKET_FLAGS, 0);
    if (*fd < 0)
        return cannot(a, errno, timeout_ms, err);
    int why = connect_one(*fd, (struct sockaddr *)&name, sizeof name, timeout_ms);
    if (why == 0)
        return WT_OK;
    close(*fd);
    *fd = -1;
    return cannot(a, why, timeout_ms, err);
}

enum wt_status wt_address_connect(const struct wt_address *address, unsigned timeout_ms, int *fd,
                                  struct wt_error *err)
{
    *fd = -1;
    if (address->local)
        return connect_local(address, timeout_ms, fd, err);
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *list;
    int failed = getaddrinfo(address->host, address->port, &hints, &list);
    if (failed)
        return wt_fail(err, WT_IO, "%s: %s", address->text, gai_strerror(failed));
    int why = EADDRNOTAVAIL;
    for (struct addrinfo *a = list; a && *fd < 0; a = a->ai_next) {
        int one = 1, s = socket(a->ai_family, a->ai_socktype | SOCKET_FLAGS, a->ai_protocol);
        if (s < 0) {
            why = errno;
            continue;
        }
        int result = connect_one(s, a->ai_addr, a->ai_addrlen, timeout_ms);
        if (result) {
            why = result;
            close(s);
            continue;
        }
        setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        *fd = s;
    }
    freeaddrinfo(list);
    return *fd < 0 ? cannot(address, why, timeout_ms, err) : WT_OK;
}
