/* See observed.h. */
#include "runtime/common/observed.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator/machine/machine.h"
#include "emulator/machine/observe.h"
#include "object/observed_wire.h"
#include "runtime/common/environment.h"

static const struct wt_observed_switch *wanted; /* NULL: nobody observes */
static int sink = -1;                           /* the pipe, for writing */
static _Atomic pid_t debugged;                  /* not a child, which no debugger follows */

static void read_variable(void)
{
    const char *text = getenv(WT_OBSERVED_VARIABLE);
    char page[64], pipe[64];
    if (!text || !*text)
        return;
    const int fd =
        sscanf(text, "%63s %63s", page, pipe) == 2 ? open(page, O_RDONLY | O_CLOEXEC) : -1;
    const void *at =
        fd >= 0 ? mmap(NULL, sizeof *wanted, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    /* Open at both ends: the last write of a program that is let go raises no SIGPIPE. */
    if (at != MAP_FAILED && (sink = open(pipe, O_RDWR | O_CLOEXEC)) >= 0)
        wanted = at;
    else
        wt_say_once("the accesses of process %ld are not observed: %s: %s", (long)getpid(), text,
                    strerror(errno));
}

/* Writes one access. The pipe's other end is read by a thread of its own, whatever the debugger
 * waits for. */
static void hand_over(void *context, struct wt_machine *m, const struct wt_observed *o)
{
    struct wt_observed_wire r = {.time = o->time,
                                 .wave = o->id,
                                 .pc = o->pc,
                                 .lanes = {(uint64_t)o->lanes, (uint64_t)(o->lanes >> 64)},
                                 .kind = (uint8_t)o->kind,
                                 .space = (uint8_t)o->space,
                                 .scalar = o->is_scalar,
                                 .size = (uint8_t)o->size};
    unsigned count = 0;
    if (getpid() != debugged)
        return;
    for (wt_lanes left = o->lanes; left; left &= left - 1)
        r.at[count++] = o->at[wt_lanes_lowest(left)];
    while (write(sink, &r, offsetof(struct wt_observed_wire, at) + count * sizeof *r.at) < 0 &&
           errno == EINTR)
        continue;
}

void wt_observed_by_debugger(struct wt_hosted *gpu)
{
    debugged = getpid();
    wt_observed_look(gpu);
}

void wt_observed_let_go(void)
{
    debugged = 0;
}

void wt_observed_look(struct wt_hosted *gpu)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct wt_machine *m = gpu->machine;
    pthread_once(&once, read_variable);
    if (!wanted || !m || m->in_turn || (m->observer && !m->observer->stays))
        return;
    const bool on = atomic_load(&wanted->on);
    if (on == (gpu->observed == m))
        return;
    gpu->observed = on ? m : NULL;
    if (!wt_observe_beneath(m, on ? hand_over : NULL, NULL, NULL, gpu) && on)
        wt_say_once("the host has no memory to observe the accesses of process %ld",
                    (long)getpid());
}
