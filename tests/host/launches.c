/* As launches.hip, on OpenCL. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const source = "kernel void mark(global int *out, int number)\n"
                                  "{\n"
                                  "    out[get_global_id(0)] = number; /* store of mark */\n"
                                  "    if (get_group_id(0) == 590)\n"
                                  "        out[0] = number; /* the group is late */\n"
                                  "}\n"
                                  "kernel void last(global int *out, int number)\n"
                                  "{\n"
                                  "    if (get_group_id(0) == 2)\n"
                                  "        out[get_global_id(0)] = number; /* store of last */\n"
                                  "}\n";

static bool is_asked(int argc, char **argv, const char *word)
{
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

static void check(cl_int error, const char *what)
{
    if (!error)
        return;
    printf("%s: error %d\n", what, error);
    exit(2);
}

int main(int argc, char **argv)
{
    const int devices = atoi(argv[1]), count = atoi(argv[2]);
    cl_platform_id platform;
    cl_device_id device[16];
    cl_command_queue queue[16];
    cl_kernel kernel[16][2];
    cl_mem memory[16];
    cl_int error;
    int status;
    const size_t group = 64, groups = is_asked(argc, argv, "many") ? 600 : 4;
    if (is_asked(argc, argv, "child") && fork())
        return wait(&status) < 0 || !WIFEXITED(status) ? 1 : WEXITSTATUS(status);
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, (cl_uint)devices, device, NULL), "devices");
    for (int d = 0; d < devices; d++) {
        cl_context context = clCreateContext(NULL, 1, &device[d], NULL, NULL, &error);
        check(error, "context");
        queue[d] = clCreateCommandQueue(context, device[d], 0, &error);
        check(error, "queue");
        cl_program program =
            clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
        check(error, "program");
        check(clBuildProgram(program, 1, &device[d], "-g", NULL, NULL), "build");
        kernel[d][0] = clCreateKernel(program, "mark", &error);
        kernel[d][1] = clCreateKernel(program, "last", &error);
        memory[d] = clCreateBuffer(context, 0, group * groups * sizeof(cl_int), NULL, &error);
        check(error, "buffer");
    }
    for (int number = 1; number <= count; number++) {
        const int d = (number - 1) % devices;
        const size_t grid = group * (number < count ? groups : 4);
        const bool stray = number == count && is_asked(argc, argv, "stray");
        cl_kernel k = kernel[d][number == count];
        if (number == count && is_asked(argc, argv, "late"))
            printf("ready %d\n", (int)getpid()), fflush(stdout), getchar();
        check(clSetKernelArg(k, 0, sizeof memory[d], stray ? NULL : &memory[d]), "argument");
        check(clSetKernelArg(k, 1, sizeof number, &number), "argument");
        check(clEnqueueNDRangeKernel(queue[d], k, 1, NULL, &grid, &group, 0, NULL, NULL), "launch");
        check(clFinish(queue[d]), "finish");
    }
    printf("%d launches\n", count);
    return 0;
}
