/* Queues, buffers and events in one language for Vortex 3.0, for OpenCL, and for ThreadSanitizer,
 * to which a queue is a thread (streams.h). Functions that enqueue wait for one event, or NONE, and
 * have one. */
#ifndef QUEUES_H
#define QUEUES_H
#include <stdlib.h>

enum { N = 64, BYTES = N * sizeof(int) };
#define CALLED static __attribute__((noinline, unused))

#ifdef VORTEX_QUEUES
#define VORTEX_API 3
#include "runtime/vortex/vortex.h"

typedef vx_queue_h queue_t;
typedef vx_buffer_h buffer_t;
typedef vx_event_h event_t;
#define NONE NULL
static vx_device_h device;
static vx_module_h module;

static void works(int result)
{
    if (result) {
        printf("a call gives %d\n", result);
        exit(3);
    }
}
CALLED void set_up(const char *path)
{
    works(vx_device_open(0, &device));
    works(vx_module_load_file(device, path, &module));
}
CALLED queue_t new_queue(void)
{
    const vx_queue_info_t info = {.struct_size = sizeof info};
    queue_t made;
    works(vx_queue_create(device, &info, &made));
    return made;
}
CALLED buffer_t new_buffer(void)
{
    buffer_t made;
    works(vx_buffer_create(device, BYTES, VX_MEM_READ_WRITE, &made));
    return made;
}
CALLED void free_buffer(buffer_t b)
{
    works(vx_buffer_release(b));
}
static uint32_t where(buffer_t b)
{
    uint64_t address = 0;
    if (b)
        works(vx_buffer_address(b, &address));
    return (uint32_t)address;
}
#define WAITS wait != NONE, &wait, &done
static event_t launch(queue_t on, const char *name, buffer_t to, buffer_t from, int first,
                      int count, event_t wait)
{
    const uint32_t arguments[] = {where(to), where(from), (uint32_t)first};
    vx_kernel_h kernel;
    event_t done;
    works(vx_module_get_kernel(module, name, &kernel));
    const vx_launch_info_t info = {.struct_size = sizeof info,
                                   .kernel = kernel,
                                   .args_host = arguments,
                                   .args_size = sizeof arguments,
                                   .ndim = 1,
                                   .grid_dim = {(uint32_t)count / 4},
                                   .block_dim = {4}};
    works(vx_enqueue_launch(on, &info, WAITS));
    works(vx_kernel_release(kernel));
    return done;
}
CALLED event_t put(queue_t on, buffer_t to, int first, int count, event_t wait)
{
    return launch(on, "kernel_put", to, NULL, first, count, wait);
}
CALLED event_t get(queue_t on, buffer_t to, buffer_t from, int count, event_t wait)
{
    return launch(on, "kernel_get", to, from, 0, count, wait);
}
CALLED event_t copy_in(queue_t on, buffer_t to, const int *from, event_t wait)
{
    event_t done;
    works(vx_enqueue_write(on, to, 0, from, BYTES, WAITS));
    return done;
}
CALLED event_t copy_out(queue_t on, int *to, buffer_t from, event_t wait)
{
    event_t done;
    works(vx_enqueue_read(on, to, from, 0, BYTES, WAITS));
    return done;
}
CALLED event_t copy(queue_t on, buffer_t to, buffer_t from, event_t wait)
{
    event_t done;
    works(vx_enqueue_copy(on, to, 0, from, 0, BYTES, WAITS));
    return done;
}
CALLED event_t fill(queue_t on, buffer_t to, int value, event_t wait)
{
    event_t done;
    works(vx_enqueue_fill_buffer(on, to, 0, BYTES, &value, sizeof value, WAITS));
    return done;
}
CALLED void finish(queue_t q)
{
    works(vx_queue_finish(q, VX_TIMEOUT_INFINITE));
}
CALLED void wait_for(event_t e)
{
    works(vx_event_wait_value(e, 1, VX_TIMEOUT_INFINITE));
}
CALLED void see_done(event_t e)
{
    for (uint64_t value = 0; !value;)
        works(vx_event_get_value(e, &value));
}
CALLED event_t own_event(void)
{
    event_t made;
    works(vx_event_create(device, &made));
    return made;
}
CALLED void raise_event(event_t e)
{
    works(vx_event_signal(e, 1));
}

#else /* ThreadSanitizer */
#include "streams.h"

typedef host_stream *queue_t;
typedef int *buffer_t;
struct one_event {
    host_stream *stream; /* NULL: the program's own */
    int upto;
    std::atomic<int> raised{0};
};
typedef one_event *event_t;
#define NONE nullptr
static thread_local int NUMBER;
namespace kernels
{
#include "queue_kernels.c"
}

CALLED void set_up(const char *)
{
}
CALLED queue_t new_queue(void)
{
    queue_t made;
    hostStreamCreateWithFlags(&made, hostStreamNonBlocking);
    return made;
}
CALLED buffer_t new_buffer(void)
{
    return (buffer_t)malloc(BYTES);
}
CALLED void free_buffer(buffer_t b)
{
    free(b);
}
CALLED void wait_for(event_t e)
{
    if (e->stream)
        e->stream->wait(e->upto);
    while (!e->stream && !e->raised.load(std::memory_order_acquire))
        sched_yield();
}
CALLED void see_done(event_t e)
{
    wait_for(e);
}
static event_t give(queue_t on, event_t wait, std::function<void()> what)
{
    if (wait)
        on->give([=] { wait_for(wait); });
    on->give(what);
    return new one_event{on, on->given.load(std::memory_order_relaxed)};
}
CALLED event_t put(queue_t on, buffer_t to, int first, int count, event_t wait)
{
    return give(on, wait, [=] {
        for (NUMBER = 0; NUMBER < count; NUMBER++)
            kernels::put(to, first);
    });
}
CALLED event_t get(queue_t on, buffer_t to, buffer_t from, int count, event_t wait)
{
    return give(on, wait, [=] {
        for (NUMBER = 0; NUMBER < count; NUMBER++)
            kernels::get(to, from);
    });
}
CALLED event_t copy_in(queue_t on, buffer_t to, const int *from, event_t wait)
{
    return give(on, wait, [=] { memcpy(to, from, BYTES); });
}
CALLED event_t copy_out(queue_t on, int *to, buffer_t from, event_t wait)
{
    return give(on, wait, [=] { memcpy(to, from, BYTES); });
}
CALLED event_t copy(queue_t on, buffer_t to, buffer_t from, event_t wait)
{
    return give(on, wait, [=] { memcpy(to, from, BYTES); });
}
CALLED event_t fill(queue_t on, buffer_t to, int value, event_t wait)
{
    return give(on, wait, [=] {
        for (int i = 0; i < N; i++)
            to[i] = value;
    });
}
CALLED void finish(queue_t q)
{
    hostStreamSynchronize(q);
}
CALLED event_t own_event(void)
{
    return new one_event{nullptr, 0};
}
CALLED void raise_event(event_t e)
{
    e->raised.store(1, std::memory_order_release);
}
#endif
#endif
