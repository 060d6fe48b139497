/* live.cc in OpenCL: live_opencl FILE.cl BLOCKS LAUNCHES ROUNDS THREADS OPTIONS */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static char text[4096];
    const char *source = text;
    const cl_uint rounds = (cl_uint)atoi(argv[4]);
    const size_t group = argc > 5 ? (size_t)atoi(argv[5]) : 256, items = group * (size_t)atoi(argv[2]);
    cl_platform_id platform;
    cl_device_id device;
    cl_uint first = 0;
    FILE *file = fopen(argv[1], "r");
    if (!file || !fread(text, 1, sizeof text - 1, file) ||
        clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, argc > 6 ? argv[6] : "", NULL, NULL))
        return 1;
    cl_kernel kernel = clCreateKernel(program, "work", NULL);
    cl_mem data = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * items, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof data, &data);
    clSetKernelArg(kernel, 1, sizeof rounds, &rounds);
    for (int i = 0; i < atoi(argv[3]); i++)
        if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL))
            return 1;
    if (clEnqueueReadBuffer(queue, data, CL_TRUE, 0, sizeof first, &first, 0, NULL, NULL))
        return 1;
    printf("%u\n", first);
    return 0;
}
