/* For leaving.py: as leaving.cu, in OpenCL. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 256, GROUP = 32 };

static const char *const source = "int weigh(int value, int by)\n"
                                  "{\n"
                                  "    int weighed = value * by + 70001;\n"
                                  "    return weighed ^ (value & 0x12345);\n"
                                  "}\n"
                                  "kernel void busy(global int *out, int round)\n"
                                  "{\n"
                                  "    local int tile[32];\n"
                                  "    int t = get_local_id(0), i = get_global_id(0);\n"
                                  "    tile[t] = weigh(i, round);\n"
                                  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "    int sum = tile[31 - t];\n"
                                  "    for (int k = 0; k < (t & 3) + 2; k++)\n"
                                  "        sum = weigh(sum, k + 3);\n"
                                  "    out[i] = sum;\n"
                                  "}\n";

static int weigh(int value, int by)
{
    int weighed = (int)((unsigned)value * (unsigned)by + 70001u);
    return weighed ^ (value & 0x12345);
}

static int expected(int i, int round)
{
    const int t = i % GROUP;
    int sum = weigh(i - t + GROUP - 1 - t, round);
    for (int k = 0; k < (t & 3) + 2; k++)
        sum = weigh(sum, k + 3);
    return sum;
}

static void check(cl_int error, const char *what)
{
    if (!error)
        return;
    printf("%s: error %d\n", what, error);
    exit(9);
}

int main(void)
{
    int out[N], wrong = 0, round = 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    cl_program program =
        clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "busy", &error);
    check(error, "kernel");
    cl_mem memory = clCreateBuffer(context, 0, sizeof out, NULL, &error);
    check(error, "buffer");
    for (;; round++) {
        const size_t all = N, group = GROUP;
        check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "argument");
        check(clSetKernelArg(kernel, 1, sizeof round, &round), "argument");
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &group, 0, NULL, NULL),
              "launch");
        check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL),
              "read");
        for (int i = 0; i < N; i++)
            wrong += out[i] != expected(i, round);
        if (round == 0)
            printf("ready\n"), fflush(stdout);
        struct pollfd in = {0, POLLIN, 0};
        if (poll(&in, 1, 1) > 0)
            break;
    }
    printf("%d launches, %d wrong\n", round + 1, wrong);
    return 0;
}
