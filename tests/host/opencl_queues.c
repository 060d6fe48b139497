/*
 * What a program does while a kernel runs. `first` runs until the program sets a word of memory
 * that it shares with the GPU, so that what comes before that shows that calls return meanwhile:
 * with a driver that runs kernels within the call this program hangs.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, THREADS = 4, ROUNDS = 50 };

static const char *source = "kernel void first(global volatile int *state, global int *log)\n"
                            "{\n"
                            "    state[1] = 1;\n"
                            "    while (!state[0])\n"
                            "        ;\n"
                            "    log[atomic_inc(log)] = 1;\n"
                            "}\n"
                            "kernel void note(global int *log, int what)\n"
                            "{\n"
                            "    log[atomic_inc(log)] = what;\n"
                            "}\n"
                            "kernel void step(global int *a)\n"
                            "{\n"
                            "    a[get_global_id(0)]++;\n"
                            "}\n";

static cl_context context;
static cl_device_id device;
static cl_program program;
static volatile int *state; /* of `first`: let it end; it has begun */
static volatile int called;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, status);
        exit(1);
    }
}

static void wrong_unless(int right, const char *what)
{
    if (!right)
        printf("wrong: %s\n", what);
}

static cl_mem shared(void *memory)
{
    cl_int status;
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, PAGE, memory, &status);
    check(status, "buffer");
    return buffer;
}

static cl_command_queue queue(cl_command_queue_properties properties)
{
    cl_int status;
    cl_command_queue q = clCreateCommandQueue(context, device, properties, &status);
    check(status, "queue");
    return q;
}

static cl_kernel kernel(const char *name)
{
    cl_int status;
    cl_kernel k = clCreateKernel(program, name, &status);
    check(status, "kernel");
    return k;
}

static cl_int state_of(cl_event event)
{
    cl_int status;
    check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
          "state");
    return status;
}

/* Enqueues work-item 1 of a kernel that notes @p what, behind @p before. */
static cl_event note(cl_command_queue q, cl_mem log, int what, cl_uint count,
                     const cl_event *before)
{
    static const size_t one = 1;
    cl_event event;
    cl_kernel k = kernel("note");
    check(clSetKernelArg(k, 0, sizeof log, &log), "argument");
    check(clSetKernelArg(k, 1, sizeof what, &what), "argument");
    check(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, count, count ? before : NULL, &event),
          "launch");
    check(clReleaseKernel(k), "release");
    return event;
}

static cl_event start_first(cl_command_queue q, cl_mem flags, cl_mem log)
{
    static const size_t one = 1;
    cl_event event;
    cl_kernel k = kernel("first");
    state[0] = state[1] = 0;
    check(clSetKernelArg(k, 0, sizeof flags, &flags), "argument");
    check(clSetKernelArg(k, 1, sizeof log, &log), "argument");
    check(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, &event), "launch");
    check(clFlush(q), "flush");
    check(clReleaseKernel(k), "release");
    while (!state[1])
        ;
    return event;
}

static void CL_CALLBACK on_end(cl_event event, cl_int status, void *unused)
{
    (void)event, (void)unused;
    pthread_mutex_lock(&lock);
    called += status == CL_COMPLETE ? 1 : 100;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* Kernels of other queues come behind one that runs; user events hold back what waits for them. */
static void while_a_kernel_runs(cl_mem flags, cl_mem buffer, volatile int *log)
{
    cl_int status;
    cl_command_queue in_order = queue(0), other = queue(0),
                     free_order = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    memset((void *)log, 0, PAGE);
    log[0] = 1;
    const cl_event first = start_first(in_order, flags, buffer);
    check(clSetEventCallback(first, CL_COMPLETE, on_end, NULL), "callback");
    cl_event user = clCreateUserEvent(context, &status);
    check(status, "user event");
    cl_event late = note(free_order, buffer, 4, 1, &user);
    cl_event second = note(in_order, buffer, 2, 0, NULL);
    cl_event third = note(other, buffer, 3, 1, &second);
    cl_event last[] = {third, late};
    cl_event end = note(free_order, buffer, 5, 2, last);
    check(clFlush(in_order), "flush");
    check(clFlush(other), "flush");
    check(clFlush(free_order), "flush");
    wrong_unless(state_of(first) > CL_COMPLETE, "the first kernel has ended");
    wrong_unless(state_of(second) > CL_COMPLETE, "the second kernel has ended");
    wrong_unless(log[0] == 1 && !called, "something ran beside the first kernel");
    puts("enqueued while a kernel runs");
    state[0] = 1;
    check(clWaitForEvents(1, &third), "wait");
    wrong_unless(state_of(end) > CL_COMPLETE, "a kernel did not wait for the user's event");
    check(clSetUserEventStatus(user, CL_COMPLETE), "user event");
    check(clFinish(free_order), "finish");
    pthread_mutex_lock(&lock);
    while (!called)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    printf("log:");
    for (int i = 1; i < log[0]; i++)
        printf(" %d", log[i]);
    printf(", callbacks: %d\n", called);
}

/* Threads whose kernels go through one driver: each has a queue, and waits in its own way. */
static void *steps(void *number)
{
    static const size_t items = 100;
    cl_int status;
    int seen[100] = {0};
    cl_command_queue q = queue((intptr_t)number % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof seen, seen, &status);
    check(status, "buffer");
    cl_kernel k = kernel("step");
    check(clSetKernelArg(k, 0, sizeof memory, &memory), "argument");
    cl_event before = NULL;
    for (int i = 0; i < ROUNDS; i++) {
        cl_event event;
        check(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, before != NULL,
                                     before ? &before : NULL, &event),
              "launch");
        if (i % 5 == (intptr_t)number)
            check(clWaitForEvents(1, &event), "wait");
        else if (i % 7 == (intptr_t)number)
            check(clFinish(q), "finish");
        if (before)
            check(clReleaseEvent(before), "release");
        before = event;
    }
    check(clEnqueueReadBuffer(q, memory, CL_TRUE, 0, sizeof seen, seen, 1, &before, NULL), "read");
    for (int i = 0; i < 100; i++)
        wrong_unless(seen[i] == ROUNDS, "a thread's sum");
    return NULL;
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_int status;
    pthread_t thread[THREADS];
    alarm(240);
    state = aligned_alloc(PAGE, PAGE);
    int *log = aligned_alloc(PAGE, PAGE);
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "context");
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_mem flags = shared((void *)state), buffer = shared(log);
    if (argc > 1 && strcmp(argv[1], "exit") == 0) {
        start_first(queue(0), flags, buffer);
        puts("the kernel runs");
        return 3; /* and nobody waits for it */
    }
    while_a_kernel_runs(flags, buffer, log);
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, steps, (void *)i))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    puts("threads: done");
    return 0;
}
