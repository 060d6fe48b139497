/* The same as pictures.cu, with OpenCL's images, which the kernel draws. */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
static const char *text =
    "kernel void draw(write_only image2d_t to, read_only image2d_t from, global int *out, int "
    "more, ulong nowhere)\n"
    "{\n"
    "    const int x = get_global_id(0), y = get_global_id(1);\n"
    "    int4 value = read_imagei(from, (int2)(x, y)) + (x == 5 && y == 2 ? more : 0);\n"
    "    write_imagei(to, (int2)(x, y), value);\n"
    "    out[y * 16 + x] = 0;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (x == 0 && y == 0)\n"
    "        *(global int *)nowhere = 1;\n"
    "}\n";
int main(int argc, char **argv)
{
    enum { W = 16, H = 8 };
    static int list[H][W][4];
    for (int i = 0; i < W * H * 4; i++)
        ((int *)list)[i] = i * 7 % 61;
    cl_platform_id p;
    cl_device_id d;
    clGetPlatformIDs(1, &p, NULL);
    clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, NULL);
    cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, NULL);
    cl_command_queue q = clCreateCommandQueue(c, d, 0, NULL);
    cl_program k = clCreateProgramWithSource(c, 1, &text, NULL, NULL);
    if (clBuildProgram(k, 1, &d, "-g", NULL, NULL))
        return 3;
    cl_kernel draw = clCreateKernel(k, "draw", NULL);
    const cl_image_format f = {CL_RGBA, CL_SIGNED_INT32};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_mem to = clCreateImage(c, CL_MEM_READ_WRITE, &f, &desc, NULL, NULL),
           from = clCreateImage(c, CL_MEM_COPY_HOST_PTR, &f, &desc, list, NULL),
           out = clCreateBuffer(c, 0, W * H * 4, NULL, NULL);
    const int more = atoi(argv[1]);
    const cl_ulong nowhere = 0x40;
    const size_t g[2] = {W, H};
    clSetKernelArg(draw, 0, sizeof to, &to);
    clSetKernelArg(draw, 1, sizeof from, &from);
    clSetKernelArg(draw, 2, sizeof out, &out);
    clSetKernelArg(draw, 3, sizeof more, &more);
    clSetKernelArg(draw, 4, sizeof nowhere, &nowhere);
    printf("%d\n", clEnqueueNDRangeKernel(q, draw, 2, NULL, g, g, 0, NULL, NULL));
    fflush(stdout);
    printf("%d\n", clFinish(q));
    return 0;
}
