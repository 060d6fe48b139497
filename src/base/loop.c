/* The event loop, over poll(2). */
#include "base/loop.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct watch {
    wt_loop_ready ready;
    void *context;
};

struct wt_loop {
    struct pollfd *fds; /* fd -1: forgotten, to be removed before the next wait */
    struct watch *watches;
    size_t count, fd_capacity, watch_capacity;
    wt_loop_work work;
    void *work_context;
    bool end, holes;
};

struct wt_loop *wt_loop_new(void)
{
    return calloc(1, sizeof(struct wt_loop));
}

void wt_loop_free(struct wt_loop *loop)
{
    if (!loop)
        return;
    free(loop->fds);
    free(loop->watches);
    free(loop);
}

bool wt_loop_watch(struct wt_loop *loop, int fd, short events, wt_loop_ready ready, void *context)
{
    assert(fd >= 0 && ready);
    struct pollfd *fds = wt_array_grow(loop->fds, &loop->fd_capacity, loop->count + 1, sizeof *fds);
    if (!fds)
        return false;
    loop->fds = fds;
    struct watch *watches =
        wt_array_grow(loop->watches, &loop->watch_capacity, loop->count + 1, sizeof *watches);
    if (!watches)
        return false;
    loop->watches = watches;
    loop->fds[loop->count] = (struct pollfd){.fd = fd, .events = events};
    loop->watches[loop->count] = (struct watch){ready, context};
    loop->count++;
    return true;
}

static struct pollfd *find(struct wt_loop *loop, int fd)
{
    for (size_t i = 0; i < loop->count; i++)
        if (loop->fds[i].fd == fd)
            return &loop->fds[i];
    return NULL;
}

void wt_loop_change(struct wt_loop *loop, int fd, short events)
{
    struct pollfd *p = find(loop, fd);
    if (p)
        p->events = events;
}

void wt_loop_forget(struct wt_loop *loop, int fd)
{
    struct pollfd *p = fd < 0 ? NULL : find(loop, fd);
    if (!p)
        return;
    p->fd = -1;
    loop->holes = true;
}

void wt_loop_set_work(struct wt_loop *loop, wt_loop_work work, void *context)
{
    loop->work = work;
    loop->work_context = context;
}

void wt_loop_end(struct wt_loop *loop)
{
    loop->end = true;
}

static void fill_holes(struct wt_loop *loop)
{
    size_t kept = 0;
    for (size_t i = 0; i < loop->count; i++) {
        if (loop->fds[i].fd < 0)
            continue;
        loop->fds[kept] = loop->fds[i];
        loop->watches[kept++] = loop->watches[i];
    }
    loop->count = kept;
    loop->holes = false;
}

enum wt_status wt_loop_run(struct wt_loop *loop, struct wt_error *err)
{
    loop->end = false;
    while (!loop->end) {
        int wait = loop->work ? loop->work(loop->work_context) : -1;
        if (loop->end)
            break;
        if (loop->holes)
            fill_holes(loop);
        int ready = poll(loop->fds, loop->count, wait);
        if (ready < 0 && errno != EINTR)
            return wt_fail(err, WT_IO, "poll: %s", strerror(errno));
        if (ready <= 0)
            continue;
        /* The functions called may watch and forget: new watches come at the end, and are looked at
         * next time; forgotten ones leave a hole. */
        size_t count = loop->count;
        for (size_t i = 0; i < count && !loop->end; i++)
            if (loop->fds[i].fd >= 0 && loop->fds[i].revents)
                loop->watches[i].ready(loop->watches[i].context, loop->fds[i].fd,
                                       loop->fds[i].revents);
    }
    return WT_OK;
}
