/* Two devices, each with a context, a program and a buffer of its own, which run their kernels side
 * by side. Arguments: "stray" makes the second one store nowhere. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const source = "constant int steps[4] = {1, 10, 100, 1000};\n"
                                  "int more(int x)\n"
                                  "{\n"
                                  "    return x + 1;\n"
                                  "}\n"
                                  "kernel void fill(global int *o, int base)\n"
                                  "{\n"
                                  "    int i = get_global_id(0);\n"
                                  "    int value = base + steps[i % 4];\n"
                                  "    o[i] = more(value);\n"
                                  "}\n";

enum { DEVICES = 2, N = 64, ROUNDS = 2 };

static void check(cl_int error, const char *what)
{
    if (!error)
        return;
    printf("%s: error %d\n", what, error);
    exit(9);
}

int main(int argc, char **argv)
{
    const int stray = argc > 1 && strcmp(argv[1], "stray") == 0;
    cl_platform_id platform;
    cl_device_id device[DEVICES];
    cl_command_queue queue[DEVICES];
    cl_kernel kernel[DEVICES];
    cl_mem memory[DEVICES];
    cl_int error;
    static int o[DEVICES][N];
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES, device, NULL), "devices");
    for (int d = 0; d < DEVICES; d++) {
        cl_context context = clCreateContext(NULL, 1, &device[d], NULL, NULL, &error);
        check(error, "context");
        queue[d] = clCreateCommandQueue(context, device[d], 0, &error);
        check(error, "queue");
        cl_program program =
            clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
        check(error, "program");
        check(clBuildProgram(program, 1, &device[d], "", NULL, NULL), "build");
        kernel[d] = clCreateKernel(program, "fill", &error);
        check(error, "kernel");
        memory[d] = clCreateBuffer(context, 0, sizeof o[d], NULL, &error);
        check(error, "buffer");
    }
    for (int round = 0; round < ROUNDS; round++) {
        const size_t grid = N, group = 16;
        for (int d = 0; d < DEVICES; d++) {
            const int base = 100000 * d + 10000 * round;
            if (stray && d)
                check(clSetKernelArg(kernel[d], 0, sizeof memory[d], NULL), "argument");
            else
                check(clSetKernelArg(kernel[d], 0, sizeof memory[d], &memory[d]), "argument");
            check(clSetKernelArg(kernel[d], 1, sizeof base, &base), "argument");
            check(
                clEnqueueNDRangeKernel(queue[d], kernel[d], 1, NULL, &grid, &group, 0, NULL, NULL),
                "fill");
            check(clFlush(queue[d]), "flush");
        }
        for (int d = 0; d < DEVICES; d++)
            check(clEnqueueReadBuffer(queue[d], memory[d], CL_TRUE, 0, sizeof o[d], o[d], 0, NULL,
                                      NULL),
                  "read");
        printf("round %d: %d %d, %d %d\n", round, o[0][0], o[0][3], o[1][0], o[1][3]);
        fflush(stdout);
    }
    return 0;
}
