/* remote_bitbang, the debugger's end. See jtag_client.h. */
#include "bus/jtag/client.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

enum wt_status wt_bitbang_connect(struct wt_bitbang *link, struct wt_error *err)
{
    if (link->fd >= 0)
        close(link->fd);
    link->fd = -1;
    return wt_address_connect(&link->address, link->timeout_ms, &link->fd, err);
}

void wt_bitbang_close(struct wt_bitbang *link)
{
    if (link->fd < 0)
        return;
    /* Whether it gets through is of no matter: the server sees the connection end, too. */
    (void)!send(link->fd, "Q", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    close(link->fd);
    link->fd = -1;
}

struct exchange {
    const struct wt_scan *scan;
    uint8_t *tdo;
    size_t sent, taken;
    const char *doing;
};

static enum wt_status unasked(struct wt_bitbang *link, struct exchange *x, struct wt_error *err)
{
    return wt_fail(err, WT_IO,
                   "%s: the server sent more bits of TDO than were asked for (seen while %s)",
                   link->address.text, x->doing);
}

static enum wt_status broken(struct wt_bitbang *link, struct exchange *x, int why,
                             struct wt_error *err)
{
    if (why == ECONNRESET || why == EPIPE)
        return wt_fail(err, WT_IO, "%s: the server closed the connection while %s",
                       link->address.text, x->doing);
    return wt_fail(err, WT_IO, "%s: the connection failed while %s: %s", link->address.text,
                   x->doing, strerror(why));
}

/* Takes what has come, but no more than was asked for. */
static enum wt_status take(struct wt_bitbang *link, struct exchange *x, struct wt_error *err)
{
    uint8_t one;
    size_t want = x->scan->reads - x->taken;
    ssize_t got = recv(link->fd, want ? x->tdo + x->taken : &one, want ? want : 1, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return WT_OK;
    if (got <= 0)
        return broken(link, x, got ? errno : EPIPE, err);
    if (!want)
        return unasked(link, x, err);
    for (ssize_t i = 0; i < got; i++) {
        uint8_t c = x->tdo[x->taken];
        if (c != '0' && c != '1')
            return wt_fail(err, WT_IO,
                           "%s: the server answered byte 0x%02x while %s; a remote_bitbang server "
                           "answers '0' or '1'",
                           link->address.text, c, x->doing);
        x->tdo[x->taken++] = c - '0';
    }
    return WT_OK;
}

static enum wt_status give(struct wt_bitbang *link, struct exchange *x, struct wt_error *err)
{
    ssize_t put = send(link->fd, x->scan->out + x->sent, x->scan->length - x->sent, MSG_NOSIGNAL);
    if (put >= 0)
        x->sent += (size_t)put;
    else if (errno != EAGAIN && errno != EINTR)
        return broken(link, x, errno, err);
    return WT_OK;
}

/* Sends and takes until both are done. */
static enum wt_status run(struct wt_bitbang *link, struct exchange *x, struct wt_error *err)
{
    enum wt_status status;
    uint8_t byte;
    if (recv(link->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
        return unasked(link, x, err);
    int64_t deadline = wt_clock_ms() + link->timeout_ms;
    size_t pace = WT_BITBANG_PACE; /* with this many replies the time begins anew */
    while (x->sent < x->scan->length || x->taken < x->scan->reads) {
        int64_t left = deadline - wt_clock_ms();
        if (left <= 0)
            return wt_fail(err, WT_TIMEOUT,
                           "%s: no answer within %u ms while %s (%zu of %zu bits of TDO arrived)",
                           link->address.text, link->timeout_ms, x->doing, x->taken,
                           x->scan->reads);
        struct pollfd p = {.fd = link->fd, .events = POLLIN};
        if (x->sent < x->scan->length)
            p.events |= POLLOUT;
        if (poll(&p, 1, (int)left) < 0 && errno != EINTR)
            return wt_fail(err, WT_IO, "poll: %s", strerror(errno));
        if (p.revents & (POLLIN | POLLHUP | POLLERR) && (status = take(link, x, err)) != WT_OK)
            return status;
        if (p.revents & POLLOUT && (status = give(link, x, err)) != WT_OK)
            return status;
        if (x->taken >= pace) {
            pace = x->taken + WT_BITBANG_PACE;
            deadline = wt_clock_ms() + link->timeout_ms;
        }
    }
    return WT_OK;
}

enum wt_status wt_bitbang_exchange(struct wt_bitbang *link, const struct wt_scan *scan,
                                   uint8_t *tdo, const char *doing, struct wt_error *err)
{
    if (link->fd < 0)
        return wt_fail(err, WT_IO, "%s: not connected", link->address.text);
    if (scan->full)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    struct exchange x = {.scan = scan, .tdo = tdo, .doing = doing};
    enum wt_status status = run(link, &x, err);
    if (status) {
        close(link->fd);
        link->fd = -1;
    }
    return status;
}
