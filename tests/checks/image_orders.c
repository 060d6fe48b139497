/* OpenCL's images between two queues: copies, fills, maps and kernels. image_orders CASE [ordered]
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 16, H = 8 };

static const char text[] =
    "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "kernel void draw(write_only image2d_t to, int first)\n"
    "{ int2 at = (int2)(get_global_id(0), first + get_global_id(1)); write_imageui(to, at, "
    "(uint4)(at.x)); }\n"
    "kernel void look(read_only image2d_t from, global uint *out)\n"
    "{ int2 at = (int2)(get_global_id(0), get_global_id(1)); out[16 * at.y + at.x] = "
    "read_imageui(from, s, at).x; }\n";

static cl_kernel draw, look;
static cl_mem image, other, buffer, out;
static cl_uint words[W * H];
static cl_int zero[4];

/* A command of one queue, by its name; `rows`: the first of H / 2 rows. */
static void give(cl_command_queue q, const char *what, cl_int rows, cl_event wait, cl_event *done)
{
    const size_t items[2] = {W, H / 2}, from[3] = {0, (size_t)rows, 0}, region[3] = {W, H / 2, 1},
                 origin[3] = {0, 0, 0};
    const cl_uint waits = wait ? 1 : 0;
    const cl_event *list = wait ? &wait : NULL;
    cl_int bad = -1;
    if (!strcmp(what, "draw")) {
        clSetKernelArg(draw, 0, sizeof image, &image);
        clSetKernelArg(draw, 1, sizeof rows, &rows);
        bad = clEnqueueNDRangeKernel(q, draw, 2, NULL, items, NULL, waits, list, done);
    } else if (!strcmp(what, "look")) {
        clSetKernelArg(look, 0, sizeof image, &image);
        clSetKernelArg(look, 1, sizeof out, &out);
        bad = clEnqueueNDRangeKernel(q, look, 2, NULL, items, NULL, waits, list, done);
    } else if (!strcmp(what, "write")) {
        bad = clEnqueueWriteImage(q, image, CL_FALSE, from, region, 0, 0, words, waits, list, done);
    } else if (!strcmp(what, "read")) {
        bad = clEnqueueReadImage(q, image, CL_FALSE, from, region, 0, 0, words, waits, list, done);
    } else if (!strcmp(what, "fill")) {
        bad = clEnqueueFillImage(q, image, zero, from, region, waits, list, done);
    } else if (!strcmp(what, "copy_to")) {
        bad = clEnqueueCopyImage(q, other, image, origin, from, region, waits, list, done);
    } else if (!strcmp(what, "copy_from")) {
        bad = clEnqueueCopyImage(q, image, other, from, origin, region, waits, list, done);
    } else if (!strcmp(what, "unbuffer")) {
        bad = clEnqueueCopyBufferToImage(q, buffer, image, 0, from, region, waits, list, done);
    } else if (!strcmp(what, "buffer")) {
        bad = clEnqueueCopyImageToBuffer(q, image, buffer, from, region, 0, waits, list, done);
    } else if (!strcmp(what, "refill")) { /* the buffer, not the image */
        bad = clEnqueueFillBuffer(q, buffer, zero, 4, 0, W * H * 4, waits, list, done);
    } else if (!strcmp(what, "map")) {
        size_t pitch;
        void *at = clEnqueueMapImage(q, image, CL_FALSE, CL_MAP_WRITE, from, region, &pitch, NULL,
                                     waits, list, NULL, &bad);
        if (!bad)
            bad = clEnqueueUnmapMemObject(q, image, at, 0, NULL, done);
    }
    if (bad)
        exit(3);
}

/* image_orders FIRST ROW SECOND ROW [ordered] */
int main(int argc, char **argv)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc size = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    const size_t origin[3] = {0, 0, 0}, all[3] = {W, H, 1};
    const char *source = text;
    cl_platform_id platform;
    cl_device_id device;
    cl_event e;
    cl_int bad;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue a = clCreateCommandQueue(c, device, 0, NULL),
                     b = clCreateCommandQueue(c, device, 0, NULL);
    cl_program m = clCreateProgramWithSource(c, 1, &source, NULL, NULL);
    if (clBuildProgram(m, 0, NULL, "", NULL, NULL))
        return 2;
    draw = clCreateKernel(m, "draw", NULL);
    look = clCreateKernel(m, "look", NULL);
    image = clCreateImage(c, CL_MEM_READ_WRITE, &format, &size, NULL, &bad);
    other = clCreateImage(c, CL_MEM_READ_WRITE, &format, &size, NULL, &bad);
    buffer = clCreateBuffer(c, CL_MEM_READ_WRITE, W * H * 4, NULL, NULL);
    out = clCreateBuffer(c, CL_MEM_READ_WRITE, W * H * 4, NULL, NULL);
    clEnqueueFillBuffer(a, buffer, zero, 4, 0, W * H * 4, 0, NULL, NULL);
    clEnqueueWriteImage(a, image, CL_TRUE, origin, all, 0, 0, words, 0, NULL, NULL);
    clEnqueueWriteImage(a, other, CL_TRUE, origin, all, 0, 0, words, 0, NULL, NULL);
    give(a, argv[1], atoi(argv[2]), NULL, &e);
    give(b, argv[3], atoi(argv[4]), argc > 5 ? e : NULL, NULL);
    clFinish(a);
    clFinish(b);
    clReleaseEvent(e);
    clReleaseMemObject(image);
    clReleaseMemObject(other);
    clReleaseMemObject(buffer);
    clReleaseMemObject(out);
    clReleaseKernel(draw);
    clReleaseKernel(look);
    clReleaseProgram(m);
    clReleaseCommandQueue(a);
    clReleaseCommandQueue(b);
    clReleaseContext(c);
    puts("done");
    return 0;
}
