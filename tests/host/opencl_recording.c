/* A program for tests of time travel within its kernels: opencl_recording WORD. What it prints says
 * whether all results are right. sums: two kernels in turn, the second one's result from the first
 * one's; with another word it frees all that it has. talk: work-items add to a counter in memory of
 * the host, where a thread adds, too, and wait for the thread's answer. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 256 };

static const char *const source =
    "kernel void scale(global int *out, global const int *in, local int *tile)\n"
    "{\n"
    "    int t = get_local_id(0);\n"
    "    int i = get_global_id(0);\n"
    "    int sum = 0;\n"
    "    tile[t] = in[i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int k = 0; k < 8; k++) {\n"
    "        sum += tile[(t + k) % 64] * (k + 1);\n"
    "        out[i] = sum;\n"
    "    }\n"
    "}\n"
    "\n"
    "kernel void flip(global int *out)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    int mine = out[i];\n"
    "    int other = out[i ^ 1];\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    out[i] = mine - other;\n"
    "}\n"
    "\n"
    "kernel void talk(global int *out, volatile global int *flag, volatile global int *count)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    out[i] = i;\n"
    "    atomic_inc(count);\n"
    "    while (!*flag)\n"
    "        ;\n"
    "    out[i] += *flag;\n"
    "}\n";

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_device_id device;
static cl_platform_id platform;

static void check(cl_int error, const char *what)
{
    if (!error)
        return;
    printf("%s: error %d\n", what, error);
    exit(9);
}

static cl_kernel kernel(const char *name)
{
    cl_int error;
    cl_kernel k = clCreateKernel(program, name, &error);
    check(error, name);
    return k;
}

static cl_mem buffer(void)
{
    cl_int error;
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(int), NULL, &error);
    check(error, "buffer");
    return b;
}

static void launch(cl_kernel k)
{
    const size_t global = N, local = 64;
    check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
}

static int expected_scale(const int *in, int i)
{
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += in[i / 64 * 64 + (i % 64 + k) % 64] * (k + 1);
    return sum;
}

static int sums(bool frees)
{
    int in[N], host[N], wrong = 0;
    cl_mem from = buffer(), out = buffer();
    cl_kernel scale = kernel("scale"), flip = kernel("flip");
    for (int i = 0; i < N; i++)
        in[i] = i * i % 1009;
    check(clEnqueueWriteBuffer(queue, from, CL_TRUE, 0, sizeof in, in, 0, NULL, NULL), "write");
    check(clSetKernelArg(scale, 0, sizeof out, &out), "argument");
    check(clSetKernelArg(scale, 1, sizeof from, &from), "argument");
    check(clSetKernelArg(scale, 2, 64 * sizeof(int), NULL), "argument");
    check(clSetKernelArg(flip, 0, sizeof out, &out), "argument");
    launch(scale);
    launch(flip);
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL), "read");
    for (int i = 0; i < N; i++)
        wrong += host[i] != expected_scale(in, i) - expected_scale(in, i ^ 1);
    if (frees) {
        clReleaseKernel(scale);
        clReleaseKernel(flip);
        clReleaseMemObject(from);
        clReleaseMemObject(out);
        clReleaseProgram(program);
        clReleaseCommandQueue(queue);
        clReleaseContext(context);
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

static void *other(void *argument)
{
    int *shared = argument, rounds = 0;
    while (__atomic_load_n(&shared[16], __ATOMIC_SEQ_CST) - 1000 * rounds < N)
        if (rounds < 100) { /* as work-items add to it, too */
            __atomic_fetch_add(&shared[16], 1000, __ATOMIC_SEQ_CST);
            rounds++;
            sched_yield();
        }
    shared[32] = rounds;
    __atomic_store_n(&shared[0], 5, __ATOMIC_SEQ_CST);
    return NULL;
}

static int talk(void)
{
    int host[N], wrong = 0;
    pthread_t thread;
    cl_mem out = buffer();
    cl_kernel k = kernel("talk");
    cl_int error;
    const clHostMemAllocINTEL_fn allocate =
        (clHostMemAllocINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform,
                                                                         "clHostMemAllocINTEL");
    const clSetKernelArgMemPointerINTEL_fn set =
        (clSetKernelArgMemPointerINTEL_fn)clGetExtensionFunctionAddressForPlatform(
            platform, "clSetKernelArgMemPointerINTEL");
    int *shared = allocate(context, NULL, 4096, 0, &error);
    check(error, "memory of the host");
    memset(shared, 0, 4096);
    check(clSetKernelArg(k, 0, sizeof out, &out), "argument");
    check(set(k, 1, shared), "argument");
    check(set(k, 2, shared + 16), "argument");
    pthread_create(&thread, NULL, other, shared);
    launch(k);
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL), "read");
    pthread_join(thread, NULL);
    for (int i = 0; i < N; i++)
        wrong += host[i] != i + 5;
    printf("%d wrong, counted %d\n", wrong, shared[16] - 1000 * shared[32]);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    cl_int error;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    check(error, "queue");
    const char *text = source;
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    return strcmp(word, "sums") == 0 ? sums(argc > 2) : strcmp(word, "talk") == 0 ? talk() : 2;
}
