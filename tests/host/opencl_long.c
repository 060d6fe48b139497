/*
 * A kernel that runs until a line comes on stdin. Work-item 5 of each group waits for that, the
 * others wait for it at a barrier. "running" is printed when group 0 has waited for so long that
 * the threads of all groups that have begun, which take turns, have come to where they wait.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { GROUPS = 64, GROUP = 64, PAGE = 4096, LOOPS = 5000 };

static const char *source = "kernel void waits(global volatile int *state, global int *out)\n"
                            "{\n"
                            "    if (get_local_id(0) == 5)\n"
                            "        while (!state[0])\n"
                            "            if (get_group_id(0) == 0)\n"
                            "                state[1]++;\n"
                            "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
                            "    out[get_global_id(0)] = state[0];\n"
                            "}\n";

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, status);
        exit(1);
    }
}

static void *control(void *memory)
{
    volatile int *state = memory;
    while (state[1] < LOOPS)
        ;
    puts("running");
    fflush(stdout);
    getchar();
    state[0] = 1;
    return NULL;
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    pthread_t thread;
    int *state = aligned_alloc(PAGE, PAGE), value = 0;
    state[0] = state[1] = 0;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "waits", &status);
    check(status, "kernel");
    /* In the program's own memory, which the GPU uses in place. */
    cl_mem shared =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, PAGE, state, &status);
    check(status, "buffer");
    cl_mem out =
        clCreateBuffer(context, CL_MEM_READ_WRITE, GROUPS * GROUP * sizeof(int), NULL, &status);
    check(status, "buffer");
    check(clSetKernelArg(kernel, 0, sizeof shared, &shared), "argument");
    check(clSetKernelArg(kernel, 1, sizeof out, &out), "argument");
    pthread_create(&thread, NULL, control, state);
    const size_t items = GROUPS * GROUP, group = GROUP;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL), "launch");
    check(clFinish(queue), "finish");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, (items - 1) * sizeof value, sizeof value, &value,
                              0, NULL, NULL),
          "read");
    pthread_join(thread, NULL);
    printf("value %d\n", value);
    return 0;
}
