/* See observed.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/observed.h"
#include "emulator/machine/observe.h"
#include "object/observed_wire.h"

struct wavetrap_access api_access(unsigned kind, unsigned space)
{
    static const enum wavetrap_access_kind kinds[] = {[WT_WATCH_READ] = WAVETRAP_READ,
                                                      [WT_WATCH_WRITE] = WAVETRAP_WRITE,
                                                      [WT_WATCH_ACCESS] = WAVETRAP_ATOMIC};
    static const enum wavetrap_space spaces[] = {[WT_OBSERVED_GLOBAL] = WAVETRAP_GLOBAL,
                                                 [WT_OBSERVED_GROUP] = WAVETRAP_GROUP,
                                                 [WT_OBSERVED_PRIVATE] = WAVETRAP_PRIVATE,
                                                 [WT_OBSERVED_CONSTANT] = WAVETRAP_CONSTANT,
                                                 [WT_OBSERVED_DEVICE] = WAVETRAP_DEVICE};
    return (struct wavetrap_access){.kind = kinds[kind], .space = spaces[space]};
}

static void take_record(struct api_observed *o, const struct wt_observed_wire *r, unsigned count)
{
    const wt_lanes lanes = r->lanes[0] | (wt_lanes)r->lanes[1] << 64;
    unsigned next = 0;
    if (!o->fn || r->kind > WT_WATCH_ACCESS || r->space > WT_OBSERVED_DEVICE)
        return; /* not the drivers' word: the program can write there, too */
    struct wavetrap_access a = api_access(r->kind, r->space);
    a.time = r->time;
    a.wave = r->wave;
    a.pc = r->pc;
    a.size = r->size;
    a.scalar = r->scalar;
    a.lanes = (struct wavetrap_lanes){{r->lanes[0], r->lanes[1]}};
    for (wt_lanes left = lanes; left && next < count; left &= left - 1)
        a.address[wt_lanes_lowest(left)] = r->at[next++];
    o->fn(o->context, &a);
}

/* Takes whole records from what has been read; returns how many bytes they were. */
static size_t take_records(struct api_observed *o, const uint8_t *bytes, size_t length)
{
    const size_t head = offsetof(struct wt_observed_wire, at);
    size_t taken = 0;
    while (length - taken >= head) {
        struct wt_observed_wire r;
        memcpy(&r, bytes + taken, head);
        const unsigned count =
            (unsigned)(__builtin_popcountll(r.lanes[0]) + __builtin_popcountll(r.lanes[1]));
        const size_t size = count * sizeof *r.at;
        if (length - taken < head + size)
            break;
        memcpy(r.at, bytes + taken + head, size);
        take_record(o, &r, count);
        taken += head + size;
    }
    return taken;
}

/* Hands over what is in the pipe. The lock is held. */
static void drain(struct api_observed *o)
{
    ssize_t n;
    while ((n = read(o->pipe[0], o->bytes + o->held, sizeof o->bytes - o->held)) > 0) {
        const size_t length = o->held + (size_t)n, taken = take_records(o, o->bytes, length);
        o->held = length - taken;
        memmove(o->bytes, o->bytes + taken, o->held);
    }
}

static void *read_accesses(void *observed)
{
    struct api_observed *o = observed;
    struct pollfd fd[] = {{.fd = o->quit, .events = POLLIN}, {.fd = o->pipe[0], .events = POLLIN}};
    while ((poll(fd, 2, -1) > 0 || errno == EINTR) && !(fd[0].revents & POLLIN)) {
        pthread_mutex_lock(&o->lock);
        drain(o);
        pthread_mutex_unlock(&o->lock);
    }
    return NULL;
}

void api_observed_drain(struct api_observed *o)
{
    if (!o->reads)
        return;
    pthread_mutex_lock(&o->lock);
    drain(o);
    pthread_mutex_unlock(&o->lock);
}

void api_observed_init(struct api_observed *o)
{
    pthread_mutex_init(&o->lock, NULL);
    o->page = o->pipe[0] = o->pipe[1] = o->quit = -1;
}

enum wt_status api_observed_open(struct api_observed *o, char *variable, size_t size,
                                 struct wt_error *err)
{
    o->page = memfd_create("wavetrap-observed", MFD_CLOEXEC);
    o->quit = eventfd(0, EFD_CLOEXEC);
    if (o->page < 0 || o->quit < 0 || ftruncate(o->page, sizeof *o->on) ||
        pipe2(o->pipe, O_CLOEXEC | O_NONBLOCK))
        return wt_fail(err, WT_IO, "a pipe for an observer: %s", strerror(errno));
    void *at = mmap(NULL, sizeof *o->on, PROT_READ | PROT_WRITE, MAP_SHARED, o->page, 0);
    if (at == MAP_FAILED)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for an observer");
    o->on = at;
    snprintf(variable, size, WT_OBSERVED_VARIABLE "=/proc/%ld/fd/%d /proc/%ld/fd/%d",
             (long)getpid(), o->page, (long)getpid(), o->pipe[1]);
    return WT_OK;
}

void api_observed_close(struct api_observed *o)
{
    const int fd[] = {o->page, o->pipe[0], o->pipe[1], o->quit};
    if (o->reads && eventfd_write(o->quit, 1) == 0)
        pthread_join(o->thread, NULL);
    if (o->on)
        munmap(o->on, sizeof *o->on);
    for (size_t i = 0; i < sizeof fd / sizeof *fd; i++)
        if (fd[i] >= 0)
            close(fd[i]);
    pthread_mutex_destroy(&o->lock);
}

enum wt_status api_observed_set(struct api_observed *o, wavetrap_access_fn *fn, void *context,
                                struct wt_error *err)
{
    api_observed_drain(o);
    if (fn && !o->reads && pthread_create(&o->thread, NULL, read_accesses, o))
        return wt_fail(err, WT_NO_MEMORY, "no thread for an observer");
    o->reads |= fn != NULL;
    pthread_mutex_lock(&o->lock);
    o->fn = fn;
    o->context = context;
    pthread_mutex_unlock(&o->lock);
    atomic_store(&o->on->on, fn != NULL);
    return WT_OK;
}
