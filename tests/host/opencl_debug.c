/* Two programs, three kernels, two queues, for a debugger. Arguments: ROUNDS, then the exit status.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const sums =
    "int twice(int x)\n"
    "{\n"
    "    return 2 * x;\n"
    "}\n"
    "\n"
    "kernel void add(global const int *a, global const int *b, global int *c, int round)\n"
    "{\n"
    "    int i = get_global_id(0) + 16 * get_global_id(1);\n"
    "    int sum = a[i] + twice(b[i]);\n"
    "    if (i % 2 == 0)\n"
    "        sum += round;\n"
    "    c[i] = sum;\n"
    "}\n"
    "\n"
    "kernel void negate(global int *c)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    c[i] = -c[i];\n"
    "}\n";

static const char *const shares = "kernel void turn(global int *c, local int *part)\n"
                                  "{\n"
                                  "    int i = get_global_id(0), here = get_local_id(0);\n"
                                  "    part[here] = c[i];\n"
                                  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "    c[i] = part[get_local_size(0) - 1 - here];\n"
                                  "}\n";

enum { N = 64 };

static cl_device_id device;
static cl_context context;

static void check(cl_int error, const char *what)
{
    if (!error)
        return;
    printf("%s: error %d\n", what, error);
    exit(9);
}

static cl_kernel build(const char *source, const char *name)
{
    cl_int error;
    cl_program program =
        clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, name, &error);
    check(error, name);
    return kernel;
}

static cl_mem buffer(const int *values)
{
    cl_int error;
    cl_mem memory = clCreateBuffer(context, values ? CL_MEM_COPY_HOST_PTR : 0, N * sizeof(int),
                                   (void *)values, &error);
    check(error, "buffer");
    return memory;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 1, status = argc > 2 ? atoi(argv[2]) : 0;
    int a[N], b[N], c[N];
    cl_platform_id platform;
    cl_int error;
    cl_command_queue queue[2];
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 10 * i;
    }
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    for (int i = 0; i < 2; i++) {
        queue[i] = clCreateCommandQueue(context, device, 0, &error);
        check(error, "queue");
    }
    cl_kernel add = build(sums, "add"), negate = build(sums, "negate"),
              turn = build(shares, "turn");
    cl_mem memory[] = {buffer(a), buffer(b), buffer(NULL)};
    for (int round = 0; round < rounds; round++) {
        const size_t grid[] = {16, 4}, group[] = {8, 2}, all = N, sixteen = 16;
        for (unsigned i = 0; i < 3; i++)
            check(clSetKernelArg(add, i, sizeof memory[i], &memory[i]), "argument");
        check(clSetKernelArg(add, 3, sizeof round, &round), "argument");
        check(clSetKernelArg(turn, 0, sizeof memory[2], &memory[2]), "argument");
        check(clSetKernelArg(turn, 1, 16 * sizeof(int), NULL), "argument");
        check(clSetKernelArg(negate, 0, sizeof memory[2], &memory[2]), "argument");
        check(clEnqueueNDRangeKernel(queue[0], add, 2, NULL, grid, group, 0, NULL, NULL), "add");
        check(clFinish(queue[0]), "finish");
        check(clEnqueueNDRangeKernel(queue[1], turn, 1, NULL, &all, &sixteen, 0, NULL, NULL),
              "turn");
        check(clEnqueueNDRangeKernel(queue[1], negate, 1, NULL, &all, &sixteen, 0, NULL, NULL),
              "negate");
        check(clEnqueueReadBuffer(queue[1], memory[2], CL_TRUE, 0, sizeof c, c, 0, NULL, NULL),
              "read");
        printf("round %d: %d %d %d\n", round, c[0], c[15], c[63]);
        fflush(stdout);
    }
    return status;
}
