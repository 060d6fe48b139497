/* As host_threads.cu, by OpenCL: each thread gives a kernel to a queue of its own. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const char *const source =
    "kernel void add(global int *p, int k) { p[get_global_id(0)] += k; }";
static cl_command_queue queue[2];
static cl_kernel kernel[2];
static atomic_int seen;
static int waits;

static void give(int i)
{
    const size_t size = 64;
    clEnqueueNDRangeKernel(queue[i], kernel[i], 1, NULL, &size, NULL, 0, NULL, NULL);
    clFlush(queue[i]);
}

static void *first(void *context)
{
    give(0);
    if (waits)
        clFinish(queue[0]);
    seen = 1;
    return context;
}

static void *second(void *context)
{
    while (context && !seen)
        continue;
    give(1);
    return NULL;
}

int main(int count, char **words)
{
    cl_platform_id platform;
    cl_device_id device;
    pthread_t one, two;
    waits = count > 2;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_mem p = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL);
    const int zero = 0;
    for (int i = 0; i < 2; i++) {
        queue[i] = clCreateCommandQueue(context, device, 0, NULL);
        kernel[i] = clCreateKernel(program, "add", NULL);
        clSetKernelArg(kernel[i], 0, sizeof p, &p);
        clSetKernelArg(kernel[i], 1, sizeof i, &i);
    }
    clEnqueueFillBuffer(queue[0], p, &zero, 4, 0, 256, 0, NULL, NULL);
    clFinish(queue[0]);
    if (!strcmp(words[1], "join")) {
        pthread_create(&one, NULL, first, NULL);
        pthread_join(one, NULL);
        give(1);
    } else {
        pthread_create(&one, NULL, first, NULL);
        pthread_create(&two, NULL, second, &one);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
    }
    clFinish(queue[0]);
    clFinish(queue[1]);
    puts("0");
}
