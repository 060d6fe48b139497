/* A command that waits for an event of the program's, which it never signals. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
static const char *text = "kernel void k(global int *p) { p[get_global_id(0)]++; }";
static void enqueue(cl_command_queue q, cl_kernel k, cl_event e)
{
    size_t n = 64;
    clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 1, &e, NULL); /* appended */
}
int main(void)
{
    cl_platform_id p;
    cl_device_id d;
    cl_int r;
    clGetPlatformIDs(1, &p, NULL);
    clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, 1, &d, NULL);
    cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, &r);
    cl_command_queue q = clCreateCommandQueue(c, d, 0, &r);
    cl_program g = clCreateProgramWithSource(c, 1, &text, NULL, &r);
    clBuildProgram(g, 1, &d, "", NULL, NULL);
    cl_kernel k = clCreateKernel(g, "k", &r);
    cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE, 256, NULL, &r);
    clSetKernelArg(k, 0, sizeof m, &m);
    cl_event e = clCreateUserEvent(c, &r); /* made */
    enqueue(q, k, e);
    clEnqueueNDRangeKernel(q, k, 9, NULL, NULL, NULL, 1, &e,
                           NULL); /* fails, so that it does not wait */
    puts("submitted");
    fflush(stdout);
    clFinish(q); /* waits */
    return 0;
}
