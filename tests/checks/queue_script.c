/* Commands in three queues of OpenCL or of Vortex 3.0 that the command line lists, one a word, for
 * test_queue_model.py: queue_script KERNELS WORD…; letters and digits. Each command waits for the
 * event of a slot, if WAIT is 0 or 1, and leaves its own one in slot DONE, if that is 0 or 1. Each
 * has code of its own for each pair of buffers, so that reports tell them apart. OpenCL's queue 2
 * is one without an order.
 *     k QUEUE TO FROM WAIT DONE    a kernel       c QUEUE TO FROM WAIT DONE    a copy
 *     f QUEUE TO WAIT DONE         a fill         b QUEUE                      a barrier (OpenCL)
 *     s QUEUE                      the host waits for the queue
 *     v EVENT                      … for the event
 * In C++. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
extern "C" {
#include "queues.h"
}

#ifdef VORTEX_QUEUES
#define NAME "kernel_get_%d%d"
#else
#define NAME "get_%d%d"
#endif
enum { BUFFERS = 4, QUEUES = 3, EVENTS = 2 };
static buffer_t buffer[BUFFERS];
static queue_t queues[QUEUES];
static event_t events[EVENTS];

#ifdef OPENCL_QUEUES
static cl_kernel kernel_of(buffer_t to, buffer_t from, const char *name)
{
    cl_int status;
    cl_kernel made = clCreateKernel(program, name, &status);
    works(status);
    works(clSetKernelArg(made, 0, sizeof to, &to));
    works(clSetKernelArg(made, 1, sizeof from, &from));
    return made;
}
#endif

template <int TO, int FROM>
__attribute__((noinline)) static event_t run_kernel(queue_t q, event_t wait)
{
    char name[20];
    snprintf(name, sizeof name, NAME, TO, FROM);
#ifdef VORTEX_QUEUES
    return launch(q, name, buffer[TO], buffer[FROM], 0, N, wait);
#else
    return launch(q, kernel_of(buffer[TO], buffer[FROM], name), N, wait);
#endif
}
template <int TO, int FROM>
__attribute__((noinline)) static event_t run_copy(queue_t q, event_t wait)
{
    return copy(q, buffer[TO], buffer[FROM], wait);
}
template <int TO, int NONE_>
__attribute__((noinline)) static event_t run_fill(queue_t q, event_t wait)
{
    return fill(q, buffer[TO], 1, wait);
}

typedef event_t command(queue_t q, event_t wait);
#define ROW(of, to)                                                                                \
    {                                                                                              \
        of<to, 0>, of<to, 1>, of<to, 2>, of<to, 3>                                                 \
    }
#define ALL(of)                                                                                    \
    {                                                                                              \
        ROW(of, 0), ROW(of, 1), ROW(of, 2), ROW(of, 3)                                             \
    }
static command *const kernels[BUFFERS][BUFFERS] = ALL(run_kernel);
static command *const copies[BUFFERS][BUFFERS] = ALL(run_copy);
static command *const fills[BUFFERS][BUFFERS] = ALL(run_fill);

static void run(const char *word)
{
    int d[5] = {0};
    for (int i = 0; word[i + 1]; i++)
        d[i] = word[i + 1] - '0';
    const int at = word[0] == 'f' ? 2 : 3; /* of WAIT and DONE */
    const event_t wait = d[at] < EVENTS ? events[d[at]] : NONE;
    event_t done = NONE;
    switch (word[0]) {
    case 'k':
        done = kernels[d[1]][d[2]](queues[d[0]], wait);
        break;
    case 'c':
        done = copies[d[1]][d[2]](queues[d[0]], wait);
        break;
    case 'f':
        done = fills[d[1]][0](queues[d[0]], wait);
        break;
#ifdef OPENCL_QUEUES
    case 'b':
        barrier(queues[d[0]]);
        return;
#endif
    case 's':
        finish(queues[d[0]]);
        return;
    case 'v':
        if (events[d[0]])
            wait_for(events[d[0]]);
        return;
    }
    if (done && d[at + 1] < EVENTS)
        events[d[at + 1]] = done;
}

int main(int argc, char **argv)
{
    static const int zeros[N] = {0};
    set_up(argv[1]);
    queues[0] = new_queue();
    queues[1] = new_queue();
#ifdef OPENCL_QUEUES
    queues[2] = new_loose_queue();
#else
    queues[2] = new_queue();
#endif
    for (int i = 0; i < BUFFERS; i++) {
        buffer[i] = new_buffer();
        copy_in(queues[0], buffer[i], zeros, NONE);
    }
    finish(queues[0]);
    for (int i = 2; i < argc; i++)
        run(argv[i]);
    for (int i = 0; i < QUEUES; i++)
        finish(queues[i]);
    return 0;
}
