/* For launched.py: launch SOURCE OPTIONS. A host program that compiles the kernel k of a file of
 * OpenCL C, and launches it once. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 8, ITEMS = 16, MOST = 1 << 20 };

static cl_int error;

static void check(const char *what)
{
    if (!error)
        return;
    printf("%s: error %d\n", what, error);
    exit(9);
}

int main(int argc, char **argv)
{
    static char text[MOST];
    const char *source = text;
    const size_t items = ITEMS, block = BLOCK;
    int in[ITEMS], zeros[ITEMS] = {0}, n = 5;
    cl_platform_id platform;
    cl_device_id device;
    FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
    for (int i = 0; i < ITEMS; i++)
        in[i] = i;
    error = !file || !fread(text, 1, MOST - 1, file) || fclose(file);
    check("source");
    error = clGetPlatformIDs(1, &platform, NULL);
    check("platform");
    error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    check("device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check("context");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check("program");
    error = clBuildProgram(program, 1, &device, argv[2], NULL, NULL);
    check("build");
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    check("kernel");
    cl_mem buffer[] = {clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof in, in, &error),
                       clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &error)};
    check("buffers");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check("queue");
    error = clSetKernelArg(kernel, 0, sizeof buffer[0], &buffer[0]) ||
            clSetKernelArg(kernel, 1, sizeof buffer[1], &buffer[1]) ||
            clSetKernelArg(kernel, 2, sizeof n, &n);
    check("arguments");
    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &block, 0, NULL, NULL);
    check("launch");
    error = clFinish(queue);
    check("finish");
    return 0;
}
