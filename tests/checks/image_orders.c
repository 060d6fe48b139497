/* OpenCL's images between two queues: copies, fills, maps and kernels. image_orders KIND FIRST ROW
 * SECOND ROW [ordered] */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 16, H = 8 };

static const char text[] = "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
                           "kernel void draw(write_only IMAGE to, int first)\n"
                           "{ int x = get_global_id(0), y = first + get_global_id(1); "
                           "write_imageui(to, AT, (uint4)(x)); }\n"
                           "kernel void look(read_only IMAGE from, global uint *out)\n"
                           "{ int x = get_global_id(0), y = get_global_id(1); out[16 * y + x] = "
                           "read_imageui(from, AT).x; }\n";

/* How H rows of W texels are an image. */
static const struct kind {
    const char *name, *options;
    cl_image_desc size;
    int depth;     /* which coordinate rows are; -1: they are one line */
    size_t memory; /* bytes of the buffer that it is made of, or of the program's memory */
    int own;       /* which: 1: the program's, at a page, 2: elsewhere */
} kinds[] = {
    {"2d", "-DIMAGE=image2d_t -DAT=(int2)(x,y)", {CL_MEM_OBJECT_IMAGE2D, W, H}, 1},
    {"1d", "-DIMAGE=image1d_t -DAT=(16*y+x)", {CL_MEM_OBJECT_IMAGE1D, W *H}, -1},
    {"1d_array",
     "-DIMAGE=image1d_array_t -DAT=(int2)(x,y)",
     {CL_MEM_OBJECT_IMAGE1D_ARRAY, W, 0, 0, H},
     1},
    {"2d_array",
     "-DIMAGE=image2d_array_t -DAT=(int4)(x,0,y,0)",
     {CL_MEM_OBJECT_IMAGE2D_ARRAY, W, 1, 0, H},
     2},
    {"3d", "-DIMAGE=image3d_t -DAT=(int4)(x,0,y,0)", {CL_MEM_OBJECT_IMAGE3D, W, 1, H}, 2},
    {"buffer",
     "-DIMAGE=image1d_buffer_t -DAT=(16*y+x)",
     {CL_MEM_OBJECT_IMAGE1D_BUFFER, W *H},
     -1,
     W *H * 4},
    {"of_buffer",
     "-DIMAGE=image2d_t -DAT=(int2)(x,y)",
     {CL_MEM_OBJECT_IMAGE2D, W, H, 0, 0, 256},
     1,
     256 * H},
    {"own_1d", "-DIMAGE=image1d_t -DAT=(16*y+x)", {CL_MEM_OBJECT_IMAGE1D, W *H}, -1, W *H * 4, 1},
    {"own_2d", "-DIMAGE=image2d_t -DAT=(int2)(x,y)", {CL_MEM_OBJECT_IMAGE2D, W, H}, 1, W *H * 4, 1},
    {"odd_1d", "-DIMAGE=image1d_t -DAT=(16*y+x)", {CL_MEM_OBJECT_IMAGE1D, W *H}, -1, W *H * 4, 2}};
static const struct kind *kind;
static char pages[2][8192] __attribute__((aligned(4096)));

static cl_kernel draw, look;
static cl_mem image, other, buffer, out, memory;
static cl_uint words[W * H];
static cl_int zero[4];

/* A command of one queue, by its name; `rows`: the first of H / 2 rows. */
static void give(cl_command_queue q, const char *what, cl_int rows, cl_event wait, cl_event *done)
{
    const size_t items[2] = {W, H / 2}, origin[3] = {0, 0, 0};
    size_t from[3] = {0, 0, 0}, region[3] = {W, 1, 1};
    if (kind->depth < 0)
        from[0] = (size_t)rows * W;
    else
        from[kind->depth] = (size_t)rows;
    region[kind->depth < 0 ? 0 : kind->depth] *= H / 2;
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
    } else if (!strcmp(what, "under")) { /* what the image is made of */
        bad = clEnqueueFillBuffer(q, memory, zero, 4, (size_t)rows * kind->memory / H,
                                  kind->memory / 2, waits, list, done);
    } else if (!strcmp(what, "map")) {
        size_t pitch, slice;
        void *at = clEnqueueMapImage(q, image, CL_FALSE, CL_MAP_WRITE, from, region, &pitch, &slice,
                                     waits, list, NULL, &bad);
        if (!bad)
            bad = clEnqueueUnmapMemObject(q, image, at, 0, NULL, done);
    }
    if (bad)
        exit(3);
}

int main(int argc, char **argv)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    size_t origin[3] = {0, 0, 0}, all[3] = {W, 1, 1};
    const char *source = text;
    cl_platform_id platform;
    cl_device_id device;
    cl_event e;
    cl_int bad;
    for (kind = kinds; strcmp(kind->name, argv[1]); kind++)
        ;
    cl_image_desc size = kind->size;
    all[kind->depth < 0 ? 0 : kind->depth] *= H;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue a = clCreateCommandQueue(c, device, 0, NULL),
                     b = clCreateCommandQueue(c, device, 0, NULL);
    cl_program m = clCreateProgramWithSource(c, 1, &source, NULL, NULL);
    if (clBuildProgram(m, 0, NULL, kind->options, NULL, NULL))
        return 2;
    draw = clCreateKernel(m, "draw", NULL);
    look = clCreateKernel(m, "look", NULL);
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (kind->own ? CL_MEM_USE_HOST_PTR : 0);
    void *const own[2] = {pages[0] + 36 * (kind->own == 2), pages[1] + 36 * (kind->own == 2)};
    if (kind->memory && !kind->own)
        memory = size.buffer = clCreateBuffer(c, CL_MEM_READ_WRITE, kind->memory, NULL, NULL);
    image = clCreateImage(c, flags, &format, &size, kind->own ? own[0] : NULL, &bad);
    if (memory)
        size.buffer = clCreateBuffer(c, CL_MEM_READ_WRITE, kind->memory, NULL, NULL);
    other = clCreateImage(c, flags, &format, &size, kind->own ? own[1] : NULL, &bad);
    buffer = clCreateBuffer(c, CL_MEM_READ_WRITE, W * H * 4, NULL, NULL);
    out = clCreateBuffer(c, CL_MEM_READ_WRITE, W * H * 4, NULL, NULL);
    clEnqueueFillBuffer(a, buffer, zero, 4, 0, W * H * 4, 0, NULL, NULL);
    clEnqueueWriteImage(a, image, CL_TRUE, origin, all, 0, 0, words, 0, NULL, NULL);
    clEnqueueWriteImage(a, other, CL_TRUE, origin, all, 0, 0, words, 0, NULL, NULL);
    give(a, argv[2], atoi(argv[3]), NULL, &e);
    give(b, argv[4], atoi(argv[5]), argc > 6 ? e : NULL, NULL);
    clFinish(a);
    clFinish(b);
    clReleaseEvent(e);
    clReleaseMemObject(image);
    clReleaseMemObject(other);
    if (memory) {
        clReleaseMemObject(memory);
        clReleaseMemObject(size.buffer);
    }
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
