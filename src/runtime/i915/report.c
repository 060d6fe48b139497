/* The report's socket and its thread. See report.h. */
#include "runtime/i915/report.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/listen.h"
#include "base/private_dir.h"

/* One in a process, as there is one set of device files. */
static struct {
    wt_gem_find *find;
    struct wt_listener listener;
    pid_t owner; /* 0: nobody listens */
} report;

enum { PATIENCE_MS = 1000 };

static void send_all(int fd, const char *bytes, size_t size)
{
    for (ssize_t sent; size; bytes += sent, size -= (size_t)sent)
        if ((sent = send(fd, bytes, size, MSG_NOSIGNAL)) <= 0)
            return;
}

static void answer(int fd)
{
    struct pollfd asked = {.fd = fd, .events = POLLIN};
    struct wt_gem_state state;
    struct wt_error err;
    unsigned char index;
    char *text = NULL;
    size_t length;
    if (poll(&asked, 1, PATIENCE_MS) != 1 || recv(fd, &index, 1, 0) != 1)
        return;
    struct wt_i915 *driver = report.find(index);
    if (!driver || wt_i915_gem_state(driver, &state, &err) != WT_OK)
        return;
    FILE *out = open_memstream(&text, &length);
    if (out) {
        wt_gem_state_write(out, &state);
        if (fclose(out) == 0)
            send_all(fd, text, length);
        free(text);
    }
    wt_gem_state_free(&state);
}

static void *serve(void *context)
{
    struct pollfd comes = {.fd = report.listener.fd, .events = POLLIN};
    while (poll(&comes, 1, -1) >= 0) {
        const int fd = accept4(report.listener.fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) { /* descriptors may have run out */
            poll(NULL, 0, PATIENCE_MS / 10);
            continue;
        }
        answer(fd);
        close(fd);
    }
    return NULL;
}

/* A child has its parent's descriptor, but neither its thread nor its socket. */
static void forget_in_child(void)
{
    if (report.owner)
        close(report.listener.fd);
    report.owner = 0;
}

__attribute__((destructor)) static void end(void)
{
    /* The thread polls the descriptor until the process is gone. */
    if (report.owner == getpid())
        unlink(report.listener.address);
    report.owner = 0;
}

void wt_gem_report_start(wt_gem_find *find)
{
    char folder[PATH_MAX], address[PATH_MAX + 32];
    struct wt_error ignored;
    pthread_t thread;
    sigset_t all, before;
    if (report.owner || wt_private_dir(folder, sizeof folder, &ignored) != WT_OK)
        return;
    snprintf(address, sizeof address, "unix:%s/" WT_GEM_SOCKET, folder, (int)getpid());
    report.find = find;
    if (wt_listen(address, &report.listener, &ignored) != WT_OK)
        return;
    /* The program's signals are for its own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, serve, NULL) == 0) {
        pthread_detach(thread);
        report.owner = getpid();
        pthread_atfork(NULL, NULL, forget_in_child);
    } else {
        wt_listener_close(&report.listener);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
