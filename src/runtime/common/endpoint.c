/*
 * The endpoint of a host process. When a debugger disconnects, in whatever way, the family releases
 * what the debugger held, and the next debugger may connect. See endpoint.h.
 */
#include "runtime/common/endpoint.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/held.h"
#include "base/listen.h"
#include "base/private_dir.h"
#include "base/token.h"
#include "object/process_wire.h"
#include "runtime/common/environment.h"

#define PATIENCE_S 1
#define PATIENCE_END_S 10
#define PATIENCE_GREETING_MS 100

struct wt_endpoint {
    const struct wt_endpoint_ops *ops;
    void *context;
    struct wt_listener listener;
    struct wt_listener elsewhere; /* of debuggers that show the token; its fd is -1: not listened */
    uint8_t token[WT_TOKEN_BYTES];
    int wake;                      /* an eventfd: the thread is to end */
    _Atomic int debugger;          /* the connection; -1: none */
    bool from_elsewhere;           /* it is one to `elsewhere` */
    struct wt_wire_greeting first; /* its greeting, as far as it has come */
    size_t first_bytes;
    bool greeted;            /* it has greeted as it should */
    bool spoke;              /* it has sent a request; one that only looks whether a program listens
                                sends none */
    uint64_t silent_until;   /* the time (wt_clock_ns()) that it has for its first request */
    int refused;             /* the connection of another one that was turned away; -1: none */
    pid_t holder;            /* the process that kernels wait for */
    int holder_fd;           /* its pidfd; -1: of none */
    pthread_mutex_t sending; /* held while an answer is sent */
    pthread_cond_t gone;     /* with it: `debugger` is another one */
    pid_t owner;
    pthread_t thread;
};

bool wt_endpoint_receive(int fd, void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = recv(fd, (uint8_t *)to + done, size - done, 0);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool wt_endpoint_send(int fd, const void *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t sent = send(fd, (const uint8_t *)from + done, size - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        done += sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

bool wt_endpoint_answer(struct wt_endpoint *e, const void *answer, size_t answer_bytes,
                        const void *more, size_t more_bytes)
{
    pthread_mutex_lock(&e->sending);
    const bool sent = wt_endpoint_send(e->debugger, answer, answer_bytes) &&
                      wt_endpoint_send(e->debugger, more, more_bytes);
    pthread_mutex_unlock(&e->sending);
    return sent;
}

static struct wt_wire_greeting own_greeting(const struct wt_endpoint *e, int32_t result)
{
    struct wt_wire_greeting own = wt_wire_greeting(e->ops->family, (uint32_t)getpid());
    own.result = result;
    return own;
}

static struct timespec seconds_from_now(time_t seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    return until;
}

/* Sends to a debugger that takes it. */
static bool send_patiently(int fd, const uint8_t *from, size_t size)
{
    while (size) {
        struct pollfd ready = {.fd = fd, .events = POLLOUT};
        const ssize_t sent = send(fd, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno != EAGAIN || poll(&ready, 1, PATIENCE_S * 1000) <= 0))
            return false;
        from += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

/* The process continues without its GPUs; it ends; or it ends when the debugger, which may go on
 * asking, has disconnected. */
enum end { END_CLOSED, END_NOW, END_AWAITED };

/* The last message. */
static void say_end(struct wt_endpoint *e, int status, enum end how)
{
    struct wt_wire_answer word = {.result = WT_WIRE_ENDED,
                                  .value = {(uint32_t)status, how == END_CLOSED}};
    struct timespec until = seconds_from_now(PATIENCE_S);
    size_t size = 0;
    /* The debugger may not be taking its answer. */
    if (pthread_mutex_timedlock(&e->sending, &until))
        return;
    uint8_t *last = e->debugger >= 0 ? e->ops->last(e->context, &size) : NULL;
    word.size = (uint32_t)size;
    if (e->debugger >= 0 &&
        send(e->debugger, &word, sizeof word, MSG_NOSIGNAL | MSG_DONTWAIT) ==
            (ssize_t)sizeof word &&
        send_patiently(e->debugger, last, size)) {
        until = seconds_from_now(PATIENCE_END_S);
        while (how == END_AWAITED && e->debugger >= 0 &&
               !pthread_cond_timedwait(&e->gone, &e->sending, &until))
            continue;
        if (e->debugger >= 0)
            shutdown(e->debugger, SHUT_WR);
    }
    pthread_mutex_unlock(&e->sending);
    free(last);
}

/* Half a request delays nobody: it is no longer waited for its other half. */
static void set_debugger(struct wt_endpoint *e, int fd, bool elsewhere)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    pthread_mutex_lock(&e->sending);
    if (e->debugger >= 0)
        close(e->debugger);
    e->debugger = fd;
    e->from_elsewhere = elsewhere;
    e->first_bytes = 0;
    e->greeted = e->spoke = false;
    e->silent_until = wt_clock_ns() + PATIENCE_S * UINT64_C(1000000000);
    pthread_cond_broadcast(&e->gone);
    pthread_mutex_unlock(&e->sending);
}

/* Somebody else comes while a debugger is here, and is told so. */
static void turn_away(struct wt_endpoint *e, const struct wt_listener *at)
{
    const struct wt_wire_greeting word = own_greeting(e, -EBUSY);
    const int fd = accept4(at->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    if (e->refused >= 0)
        close(e->refused);
    e->refused = fd;
    wt_endpoint_send(fd, &word, sizeof word);
    shutdown(fd, SHUT_WR);
}

static void refuse_version(const struct wt_wire_greeting *other)
{
    fprintf(stderr,
            "wavetrap: a debugger of another version was turned away: process %u speaks version %u "
            "(%u, %u bytes) of the protocol, this program's driver version %u (%zu, %zu bytes)\n",
            (unsigned)other->pid, (unsigned)other->version, (unsigned)other->request_bytes,
            (unsigned)other->answer_bytes, WT_WIRE_VERSION, sizeof(struct wt_wire_request),
            sizeof(struct wt_wire_answer));
}

/* Takes what has come of the debugger's first words, and answers when all are there. False: nothing
 * more is said to it. What does not begin as the protocol does gets no answer. */
static bool greet(struct wt_endpoint *e)
{
    const struct wt_wire_greeting own = own_greeting(e, 0), *other = &e->first;
    const ssize_t got = recv(e->debugger, (uint8_t *)&e->first + e->first_bytes,
                             sizeof e->first - e->first_bytes, MSG_DONTWAIT);
    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    e->first_bytes += (size_t)got;
    const size_t known = e->first_bytes < sizeof own.magic ? e->first_bytes : sizeof own.magic;
    if (memcmp(&other->magic, &own.magic, known) != 0)
        return false;
    if (e->first_bytes < sizeof e->first)
        return true;
    if (e->from_elsewhere && !wt_token_equal(other->token, e->token)) {
        fprintf(stderr, "wavetrap: a debugger at %s was turned away: it has another token\n",
                e->elsewhere.address);
        return false;
    }
    e->greeted = wt_wire_agree(&own, other);
    if (!e->greeted)
        refuse_version(other);
    return wt_endpoint_send(e->debugger, &own, sizeof own) && e->greeted;
}

/* A socket that is closed with something unread in it is reset, and the answer lost: what the other
 * side sends is read until it goes. */
static void drain_refused(struct wt_endpoint *e)
{
    uint8_t bytes[1024];
    const ssize_t got = recv(e->refused, bytes, sizeof bytes, 0);
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
        return;
    close(e->refused);
    e->refused = -1;
}

static bool is_own(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
           (peer.uid == getuid() || peer.uid == 0);
}

/* The debugger that kernels wait for has ended before it came. */
static void release(struct wt_endpoint *e)
{
    fprintf(stderr,
            "wavetrap: process %d, for which kernels were held, has ended: they are no longer "
            "held\n",
            (int)e->holder);
    e->ops->release(e->context);
}

/* Whether to watch for the end of the debugger that kernels wait for. */
static bool is_awaited(const struct wt_endpoint *e)
{
    return e->holder_fd >= 0 && e->debugger < 0 && e->ops->is_held(e->context);
}

/* The debugger has sent something, or has gone. */
static void hear(struct wt_endpoint *e)
{
    if (!e->greeted && greet(e))
        return;
    if (e->greeted && e->ops->converse(e->context, e, e->debugger)) {
        e->spoke = true;
        return;
    }
    const bool spoke = e->spoke;
    set_debugger(e, -1, false);
    if (spoke)
        e->ops->let_go(e->context);
}

/* How many milliseconds more whoever comes has to wait for the greeting of the one that is there.
 */
static int greeting_wait(const struct wt_endpoint *e)
{
    const uint64_t now = wt_clock_ns(), until = e->silent_until -
                                                PATIENCE_S * UINT64_C(1000000000) +
                                                PATIENCE_GREETING_MS * UINT64_C(1000000);
    return e->debugger < 0 || e->greeted || now >= until ? 0 : (int)((until - now) / 1000000) + 1;
}

/* A debugger comes; it may take the place of one that has been silent. */
static void take_call(struct wt_endpoint *e, const struct wt_listener *at)
{
    const bool elsewhere = at == &e->elsewhere;
    const int one = 1;
    if (e->greeted && (e->spoke || wt_clock_ns() < e->silent_until)) {
        turn_away(e, at);
        return;
    }
    const int fd = accept4(at->fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) {
        poll(NULL, 0, 100); /* descriptors may have run out */
    } else if (!elsewhere && !is_own(fd)) {
        close(fd);
    } else {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* fails for Unix sockets */
        set_debugger(e, fd, elsewhere);
    }
}

static void *run(void *context)
{
    struct wt_endpoint *e = context;
    if (e->ops->begin)
        e->ops->begin(e->context);
    for (;;) {
        const int wait = greeting_wait(e);
        struct pollfd fds[] = {{.fd = e->wake, .events = POLLIN},
                               {.fd = wait ? -1 : e->listener.fd, .events = POLLIN},
                               {.fd = e->debugger, .events = POLLIN},
                               {.fd = is_awaited(e) ? e->holder_fd : -1, .events = POLLIN},
                               {.fd = e->refused, .events = POLLIN},
                               {.fd = wait ? -1 : e->elsewhere.fd, .events = POLLIN}};
        if (poll(fds, 6, wait ? wait : -1) < 0 && errno != EINTR)
            break;
        if (fds[0].revents)
            break;
        if (fds[3].revents)
            release(e);
        if (fds[4].revents)
            drain_refused(e);
        if (fds[2].revents)
            hear(e);
        if (fds[1].revents)
            take_call(e, &e->listener);
        if (fds[5].revents)
            take_call(e, &e->elsewhere);
    }
    if (e->debugger >= 0) {
        say_end(e, 0, END_CLOSED);
        set_debugger(e, -1, false);
        e->ops->let_go(e->context);
    }
    return NULL;
}

/* ---- beginning and end ---- */

static void close_all(struct wt_endpoint *e)
{
    wt_listener_close(&e->elsewhere);
    if (e->wake >= 0)
        close(e->wake);
    if (e->holder_fd >= 0)
        close(e->holder_fd);
    if (e->refused >= 0)
        close(e->refused);
    pthread_mutex_destroy(&e->sending);
    pthread_cond_destroy(&e->gone);
    free(e);
}

/* Listens where the environment says, too. */
static void listen_elsewhere(struct wt_endpoint *e)
{
    const char *address = getenv(WT_LISTEN_VARIABLE), *file = getenv(WT_TOKEN_VARIABLE);
    struct wt_error err = {0};
    if (!address || !*address)
        return;
    enum wt_status status = wt_token_read(file ? file : "", e->token, &err);
    if (!status)
        status = wt_listen(address, &e->elsewhere, &err);
    if (!status && e->elsewhere.exposed) {
        wt_listener_close(&e->elsewhere);
        status = wt_fail(&err, WT_INVALID, "other machines could reach it");
    }
    if (status)
        fprintf(stderr, "wavetrap: debuggers cannot attach at %s: %s\n", address, err.text);
}

struct wt_endpoint *wt_endpoint_start(const struct wt_endpoint_ops *ops, void *context,
                                      pid_t holder)
{
    char path[96], address[128];
    struct wt_error err = {.text = "no descriptor for its socket"};
    sigset_t all, before;
    struct wt_endpoint *e = calloc(1, sizeof *e);
    if (!e) {
        fputs("wavetrap: debuggers cannot attach: no memory\n", stderr);
        return NULL;
    }
    *e = (struct wt_endpoint){.ops = ops,
                              .context = context,
                              .owner = getpid(),
                              .holder = holder,
                              .holder_fd = -1,
                              .debugger = -1,
                              .refused = -1,
                              .elsewhere = {.fd = -1},
                              .wake = eventfd(0, EFD_CLOEXEC)};
    pthread_mutex_init(&e->sending, NULL);
    pthread_cond_init(&e->gone, NULL);
    wt_private_sweep();
    bool good = e->wake >= 0 &&
                wt_private_socket(path, sizeof path, (int)getpid(), ops->kind, &err) == WT_OK &&
                snprintf(address, sizeof address, "unix:%s", path) < (int)sizeof address &&
                wt_listen(address, &e->listener, &err) == WT_OK;
    if (!good) { /* the program runs without a debugger, too */
        fprintf(stderr, "wavetrap: debuggers cannot attach: %s\n", err.text);
        close_all(e);
        return NULL;
    }
    listen_elsewhere(e);
    if (holder > 0) {
        e->holder_fd = pidfd_open(holder, 0);
        if (e->holder_fd < 0 && errno == ESRCH)
            release(e);
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    good = !pthread_create(&e->thread, NULL, run, e);
    if (good)
        pthread_setname_np(e->thread, WT_OWN_THREAD);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (good)
        return e;
    fputs("wavetrap: debuggers cannot attach: no thread for its socket\n", stderr);
    wt_listener_close(&e->listener);
    close_all(e);
    return NULL;
}

void wt_endpoint_stop(struct wt_endpoint *e)
{
    const uint64_t one = 1;
    if (!e)
        return;
    /* The thread may wait for a debugger that does not take an answer, or sends half a request. */
    const struct timespec until = seconds_from_now(PATIENCE_S);
    if (write(e->wake, &one, sizeof one) == sizeof one &&
        pthread_timedjoin_np(e->thread, NULL, &until)) {
        shutdown(e->debugger, SHUT_RDWR);
        pthread_join(e->thread, NULL);
    }
    wt_listener_close(&e->listener);
    close_all(e);
}

void wt_endpoint_tell_exit(struct wt_endpoint *e, int status)
{
    if (e && e->owner == getpid())
        say_end(e, status, END_NOW);
}

void wt_endpoint_tell_exit_and_wait(struct wt_endpoint *e, int status)
{
    if (e && e->owner == getpid())
        say_end(e, status, END_AWAITED);
}

void wt_endpoint_after_fork(struct wt_endpoint *e)
{
    if (!e)
        return;
    close(e->listener.fd);
    close(e->wake);
    if (e->elsewhere.fd >= 0)
        close(e->elsewhere.fd);
    if (e->holder_fd >= 0)
        close(e->holder_fd);
    if (e->debugger >= 0)
        close(e->debugger);
    if (e->refused >= 0)
        close(e->refused);
}

void wt_endpoint_forget(struct wt_endpoint *e)
{
    if (!e || e->owner != getpid())
        return;
    unlink(e->listener.address);
    if (e->elsewhere.local)
        unlink(e->elsewhere.address);
}

bool wt_endpoint_held(pid_t *debugger)
{
    const char *held = getenv(WT_HELD_VARIABLE);
    pid_t process;
    *debugger = 0;
    if (!held)
        return false;
    if (wt_held_parse(held, &process, debugger))
        return process == 1 || process == getpid();
    wt_say_once(WT_HELD_NONSENSE, held);
    return false;
}
