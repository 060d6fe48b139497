/* Queues, buffers and events in one language for Vortex 3.0, for OpenCL, for Level Zero, and for
 * ThreadSanitizer, to which a queue is a thread (streams.h). Functions that enqueue wait for one
 * event, or NONE, and have one. */
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

#elif defined OPENCL_QUEUES
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

typedef cl_command_queue queue_t;
typedef cl_mem buffer_t;
typedef cl_event event_t;
#define NONE NULL
static cl_context context;
static cl_device_id device;
static cl_program program;

static void works(cl_int result)
{
    if (result) {
        printf("a call gives %d\n", result);
        exit(3);
    }
}
CALLED void set_up(const char *path)
{
    static char text[1 << 16];
    const char *source = text, *options = getenv("CHECK_OPTIONS");
    cl_platform_id platform;
    FILE *file = fopen(path, "r");
    works(!file || !fread(text, 1, sizeof text - 1, file));
    fclose(file);
    works(clGetPlatformIDs(1, &platform, NULL));
    works(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    works(clBuildProgram(program, 1, &device, options ? options : "", NULL, NULL));
}
CALLED queue_t queue_of(cl_command_queue_properties properties)
{
    cl_int status;
    queue_t made = clCreateCommandQueue(context, device, properties, &status);
    works(status);
    return made;
}
CALLED queue_t new_queue(void)
{
    return queue_of(0);
}
CALLED queue_t new_loose_queue(void)
{
    return queue_of(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}
CALLED buffer_t new_buffer(void)
{
    cl_int status;
    buffer_t made = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &status);
    works(status);
    return made;
}
CALLED void free_buffer(buffer_t b)
{
    works(clReleaseMemObject(b));
}
#define WAITS wait != NONE, wait != NONE ? &wait : NULL, &done
static event_t launch(queue_t on, cl_kernel kernel, int count, event_t wait)
{
    const size_t items = (size_t)count, group = 4;
    event_t done;
    works(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, &group, WAITS));
    works(clReleaseKernel(kernel));
    return done;
}
CALLED event_t put(queue_t on, buffer_t to, int first, int count, event_t wait)
{
    cl_kernel kernel = clCreateKernel(program, "put", NULL);
    works(clSetKernelArg(kernel, 0, sizeof to, &to));
    works(clSetKernelArg(kernel, 1, sizeof first, &first));
    return launch(on, kernel, count, wait);
}
CALLED event_t get(queue_t on, buffer_t to, buffer_t from, int count, event_t wait)
{
    cl_kernel kernel = clCreateKernel(program, "get", NULL);
    works(clSetKernelArg(kernel, 0, sizeof to, &to));
    works(clSetKernelArg(kernel, 1, sizeof from, &from));
    return launch(on, kernel, count, wait);
}
CALLED event_t copy_in(queue_t on, buffer_t to, const int *from, event_t wait)
{
    event_t done;
    works(clEnqueueWriteBuffer(on, to, CL_FALSE, 0, BYTES, from, WAITS));
    return done;
}
CALLED event_t copy_out(queue_t on, int *to, buffer_t from, event_t wait)
{
    event_t done;
    works(clEnqueueReadBuffer(on, from, CL_FALSE, 0, BYTES, to, WAITS));
    return done;
}
CALLED event_t copy(queue_t on, buffer_t to, buffer_t from, event_t wait)
{
    event_t done;
    works(clEnqueueCopyBuffer(on, from, to, 0, 0, BYTES, WAITS));
    return done;
}
CALLED event_t fill(queue_t on, buffer_t to, int value, event_t wait)
{
    event_t done;
    works(clEnqueueFillBuffer(on, to, &value, sizeof value, 0, BYTES, WAITS));
    return done;
}
CALLED void barrier(queue_t q)
{
    works(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
}
CALLED void finish(queue_t q)
{
    works(clFinish(q));
}
CALLED void wait_for(event_t e)
{
    works(clWaitForEvents(1, &e));
}
CALLED void see_done(event_t e)
{
    for (cl_int status = CL_QUEUED; status != CL_COMPLETE;)
        works(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
}
CALLED event_t own_event(void)
{
    return clCreateUserEvent(context, NULL);
}
CALLED void raise_event(event_t e)
{
    works(clSetUserEventStatus(e, CL_COMPLETE));
}

#elif defined LEVEL_ZERO_QUEUES
#include "queues_ze.h"

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
