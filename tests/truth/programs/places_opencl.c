/* For hosts.py: as places.cu, in OpenCL. Thread t uses GPU t modulo their number. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const source =
    "void f(int key, int value, global int *to)\n"
    "{\n"
    "    int before = to[key];\n"
    "    to[key] = value;\n" /* store */
    "    before = before + 1;\n"
    "}\n"
    "kernel void k(global int *to, int first, int calls, int factor, int cells)\n"
    "{\n"
    "    int b = get_global_id(0);\n"
    "    for (int i = 0; i < calls; i++) {\n"
    "        int key = (b * calls + i) * factor % cells;\n"
    "        f(key, (first + b) * 16 + i + 1, to);\n" /* call */
    "        key = key + i;\n"
    "    }\n"
    "}\n";

enum { MOST = 8 };
static int number[7];
static cl_device_id device[MOST];
static cl_context context;
static cl_program program;

static void check(cl_int error, const char *what)
{
    if (!error)
        return;
    printf("%s: error %d\n", what, error);
    exit(9);
}

static void *launch(void *argument)
{
    const int t = (int)(long)argument, launches = number[1], items = number[2] * number[3];
    cl_uint gpus;
    cl_int error, zero = 0;
    check(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof gpus, &gpus, NULL), "context");
    cl_command_queue queue = clCreateCommandQueue(context, device[t % gpus], 0, &error);
    check(error, "queue");
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    check(error, "kernel");
    cl_mem to = clCreateBuffer(context, 0, 4 * number[6], NULL, &error);
    check(error, "buffer");
    check(clEnqueueFillBuffer(queue, to, &zero, sizeof zero, 0, 4 * number[6], 0, NULL, NULL),
          "fill");
    check(clSetKernelArg(kernel, 0, sizeof to, &to), "argument");
    for (int i = 0; i < 3; i++)
        check(clSetKernelArg(kernel, 2 + i, sizeof(int), &number[4 + i]), "argument");
    for (int l = 0; l < launches; l++) {
        const int first = (t * launches + l) * items;
        const size_t all = items, group = number[3];
        check(clSetKernelArg(kernel, 1, sizeof first, &first), "argument");
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &group, 0, NULL, NULL),
              "launch");
    }
    check(clFinish(queue), "finish");
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[MOST];
    cl_platform_id platform;
    cl_uint gpus;
    cl_int error;
    for (int i = 0; i < 7; i++)
        number[i] = i + 1 < argc ? atoi(argv[i + 1]) : 1;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST, device, &gpus), "device");
    context = clCreateContext(NULL, gpus, device, NULL, NULL, &error);
    check(error, "context");
    program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
    check(error, "program");
    check(clBuildProgram(program, gpus, device, "-cl-opt-disable", NULL, NULL), "build");
    for (long t = 0; t < number[0]; t++)
        pthread_create(&thread[t], 0, launch, (void *)t);
    for (int t = 0; t < number[0]; t++)
        pthread_join(thread[t], 0);
    puts("done");
    return 0;
}
