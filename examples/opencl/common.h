/* What the examples share: the first device, a program, and an end with a message on failure. */
#ifndef COMMON_H
#define COMMON_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static inline void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        printf("%s: error %d\n", what, status);
        exit(1);
    }
}

static inline void open_device(void)
{
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "context");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "queue");
}

static inline cl_kernel build(const char *source, const char *name)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "program");
    check(clBuildProgram(program, 1, &device, "-g", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "kernel");
    return kernel;
}

static inline cl_mem buffer(size_t size, const void *from)
{
    cl_int status;
    cl_mem memory = clCreateBuffer(context, from ? CL_MEM_COPY_HOST_PTR : 0, size, (void *)from, &status);
    check(status, "buffer");
    return memory;
}

static inline cl_int run(cl_kernel kernel, size_t items)
{
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    return status ? status : clFinish(queue);
}

#endif
