/* A thread that passes signals on, and finds out that nobody takes it. See interrupts.h. */
#include "session/interrupts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#define PATIENCE_MS 1000 /* after the second Ctrl-C, until nothing is expected any more */
#define LOOK_MS 20

struct wt_session_interrupts {
    struct wt_session_interrupts_options options;
    pthread_t thread;
    int signal_fd;
    int passed[2]; /* pipe: what is passed on */
    atomic_bool
        any;      /* set behind each signal in the pipe: spares its reader a call of the system */
    int close[2]; /* pipe: its end ends the thread */
    pthread_mutex_t talking;
};

/* Whether an interrupt that was passed on waits to be taken. */
static bool is_waiting(const struct wt_session_interrupts *i)
{
    int bytes = 0;
    return ioctl(i->passed[0], FIONREAD, &bytes) == 0 && bytes > 0;
}

/* Whether the debugger does not come to take what waits. */
static bool is_blocked(const struct wt_session_interrupts *i)
{
    for (unsigned ms = 0; ms < PATIENCE_MS; ms += LOOK_MS) {
        if (!is_waiting(i))
            return false;
        poll(NULL, 0, LOOK_MS);
    }
    return true;
}

static void say(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        return; /* nobody is there to be told */
}

/* The user's answer; no terminal is a yes. */
static bool is_wanted(struct wt_session_interrupts *i)
{
    char answer[64];
    if (!i->options.asks)
        return true;
    pthread_mutex_lock(&i->talking);
    tcflush(STDIN_FILENO, TCIFLUSH); /* earlier input does not answer it */
    for (;;) {
        say("\n");
        say(i->options.question(i->options.context));
        const ssize_t length = read(STDIN_FILENO, answer, sizeof answer);
        if (length <= 0 || answer[0] == 'y' || answer[0] == 'Y')
            break;
        if (answer[0] == 'n' || answer[0] == 'N') {
            pthread_mutex_unlock(&i->talking);
            return false;
        }
    }
    pthread_mutex_unlock(&i->talking);
    return true;
}

static void *watch(void *context)
{
    struct wt_session_interrupts *i = context;
    struct pollfd fds[] = {{.fd = i->signal_fd, .events = POLLIN}, {.fd = i->close[0]}};
    for (;;) {
        struct signalfd_siginfo info;
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return NULL;
        if (fds[1].revents)
            return NULL;
        if (read(i->signal_fd, &info, sizeof info) != sizeof info)
            continue;
        const bool ends = info.ssi_signo != SIGINT, second = ends || is_waiting(i);
        const bool is_full = write(i->passed[1], &info, sizeof info) != sizeof info;
        atomic_store(&i->any, true);
        if (is_full && !ends)
            continue;
        if (second && is_blocked(i) && (ends || is_wanted(i))) {
            i->options.end(i->options.context);
            _exit(ends ? 128 + (int)info.ssi_signo : 1);
        }
    }
}

static enum wt_status open_pipes(struct wt_session_interrupts *i, struct wt_error *err)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, 0};
    i->signal_fd = wt_session_signal_fd(signals);
    if (i->signal_fd < 0 || pipe2(i->passed, O_CLOEXEC | O_NONBLOCK) != 0 ||
        pipe2(i->close, O_CLOEXEC) != 0)
        return wt_fail(err, WT_IO, "signalfd: %s", strerror(errno));
    return WT_OK;
}

static void close_one(int fd)
{
    if (fd >= 0)
        close(fd);
}

static void release(struct wt_session_interrupts *i)
{
    close_one(i->signal_fd);
    close_one(i->passed[0]);
    close_one(i->passed[1]);
    close_one(i->close[0]);
    close_one(i->close[1]);
    pthread_mutex_destroy(&i->talking);
    free(i);
}

enum wt_status wt_session_interrupts_open(const struct wt_session_interrupts_options *options,
                                          struct wt_session_interrupts **interrupts,
                                          struct wt_error *err)
{
    struct wt_session_interrupts *i = malloc(sizeof *i);
    *interrupts = NULL;
    if (!i)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    *i = (struct wt_session_interrupts){
        .options = *options, .signal_fd = -1, .passed = {-1, -1}, .close = {-1, -1}};
    pthread_mutex_init(&i->talking, NULL);
    enum wt_status status = open_pipes(i, err);
    if (!status && pthread_create(&i->thread, NULL, watch, i) != 0)
        status = wt_fail(err, WT_IO, "a thread that watches Ctrl-C cannot be started");
    if (status) {
        release(i);
        return status;
    }
    *interrupts = i;
    return WT_OK;
}

void wt_session_interrupts_close(struct wt_session_interrupts *i)
{
    if (!i)
        return;
    close_one(i->close[1]);
    i->close[1] = -1;
    pthread_join(i->thread, NULL);
    release(i);
}

int wt_session_interrupts_fd(const struct wt_session_interrupts *i)
{
    return i->passed[0];
}

bool wt_session_interrupts_take(struct wt_session_interrupts *i, struct signalfd_siginfo *info)
{
    if (!atomic_load(&i->any))
        return false;
    atomic_store(&i->any, false); /* before the read: one that comes now sets it again */
    const bool taken = read(i->passed[0], info, sizeof *info) == sizeof *info;
    if (taken)
        atomic_store(&i->any, true); /* there may be another one */
    return taken;
}

bool wt_session_interrupts_wait(const struct wt_session_interrupts *i, int fd)
{
    struct pollfd fds[] = {{.fd = i->passed[0], .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    while (poll(fds, 2, -1) < 0 && errno == EINTR) {
    }
    return !fds[0].revents;
}

void wt_session_interrupts_hold(struct wt_session_interrupts *i, bool hold)
{
    if (hold)
        pthread_mutex_lock(&i->talking);
    else
        pthread_mutex_unlock(&i->talking);
}

int wt_session_signal_fd(const int *signals)
{
    sigset_t set;
    sigemptyset(&set);
    for (; *signals; signals++)
        sigaddset(&set, *signals);
    if (sigprocmask(SIG_BLOCK, &set, NULL))
        return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}
