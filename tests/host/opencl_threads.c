/*
 * Several threads, each with queues of its own, and processes that it forks: each computes on the
 * GPU and says what it found. A child begins with OpenCL itself.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, QUEUES = 2, ROUNDS = 8, ITEMS = 1000 };

static const char *source = "kernel void step(global int *a, int by)\n"
                            "{\n"
                            "    a[get_global_id(0)] += by;\n"
                            "}\n";

static cl_context context;
static cl_device_id device;
static cl_program program;

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, status);
        exit(1);
    }
}

static void open_device(void)
{
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "context");
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
}

/* Adds 1, 2, 3, … by kernels in two queues, the second of which waits for the first. */
static void *compute(void *wrong)
{
    cl_int status;
    cl_command_queue queue[QUEUES];
    static const size_t items = ITEMS;
    int seen[ITEMS] = {0};
    cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof seen, seen, &status);
    check(status, "buffer");
    cl_kernel kernel = clCreateKernel(program, "step", &status);
    check(status, "kernel");
    check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "argument");
    for (int i = 0; i < QUEUES; i++) {
        queue[i] = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
        check(status, "queue");
    }
    cl_event before = NULL;
    for (int round = 1; round <= ROUNDS; round++) {
        cl_event event;
        check(clSetKernelArg(kernel, 1, sizeof round, &round), "argument");
        check(clEnqueueNDRangeKernel(queue[round % QUEUES], kernel, 1, NULL, &items, NULL,
                                     before != NULL, before ? &before : NULL, &event),
              "kernel");
        check(clFlush(queue[round % QUEUES]), "flush");
        before = event;
    }
    check(clEnqueueReadBuffer(queue[0], memory, CL_TRUE, 0, sizeof seen, seen, 1, &before, NULL),
          "read");
    for (int i = 0; i < ITEMS; i++)
        *(int *)wrong += seen[i] != ROUNDS * (ROUNDS + 1) / 2;
    return NULL;
}

static int compute_in_threads(void)
{
    pthread_t thread[THREADS];
    int wrong[THREADS] = {0}, sum = 0;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, compute, &wrong[i]))
            exit(1);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        sum += wrong[i];
    }
    return sum;
}

static void child(const char *when)
{
    int status;
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid) {
        int wrong = 0;
        open_device();
        compute(&wrong);
        printf("a child %s: %d wrong\n", when, wrong);
        fflush(stdout);
        _exit(wrong != 0);
    }
    if (waitpid(pid, &status, 0) != pid || status)
        printf("a child %s: status %d\n", when, status);
}

int main(void)
{
    child("before");
    open_device();
    printf("threads: %d wrong\n", compute_in_threads());
    fflush(stdout);
    /* A child that leaves the GPU alone takes nothing of its parent's. */
    const pid_t pid = fork();
    if (!pid)
        exit(0);
    int status;
    waitpid(pid, &status, 0);
    printf("a child that does nothing: status %d\n", status);
    printf("threads again: %d wrong\n", compute_in_threads());
    return 0;
}
