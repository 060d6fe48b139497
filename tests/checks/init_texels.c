/* Planted uses of texels that nothing has written in OpenCL C, and idioms: init_texels FILE.cl
 * bad|good [CASE]... The results are those of Oclgrind, which runs the same program. */
#include "init_opencl.h"

enum { W = 16, H = 4, HALF = ITEMS / 2 };

/* ---- images ---- */

static const cl_image_format ints = {CL_R, CL_SIGNED_INT32}, floats = {CL_R, CL_FLOAT},
                             colors = {CL_RGBA, CL_UNSIGNED_INT8}, parts = {CL_RG, CL_UNORM_INT16};

/* The sizes of an image of ITEMS texels, and the region of all of them. */
static cl_image_desc size_of(cl_mem_object_type type, size_t region[3])
{
    cl_image_desc d = {.image_type = type, .image_width = W};
    const int deep = type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const int line = type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    d.image_width = deep ? 4 : line ? ITEMS : W;
    d.image_height = deep ? 4 : type == CL_MEM_OBJECT_IMAGE2D ? H : 0;
    d.image_depth = type == CL_MEM_OBJECT_IMAGE3D ? 4 : 0;
    d.image_array_size = type == CL_MEM_OBJECT_IMAGE2D_ARRAY   ? 4
                         : type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? H
                                                               : 0;
    region[0] = d.image_width;
    region[1] = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? H : d.image_height ? d.image_height : 1;
    region[2] = deep ? 4 : 1;
    return d;
}

static cl_mem make(cl_mem_object_type type, const cl_image_format *format, cl_mem_flags flags,
                   void *data, cl_mem of)
{
    size_t region[3];
    cl_image_desc d = size_of(type, region);
    d.mem_object = of;
    cl_mem made = clCreateImage(context, flags ? flags : CL_MEM_READ_WRITE, format, &d, data, NULL);
    need(made != NULL, "an image");
    return made;
}

static const size_t origin[3] = {0, 0, 0};

/* Writes the first half of its texels, or all. */
static void write_texels(cl_mem image, cl_mem_object_type type, const void *data, int half)
{
    size_t region[3];
    size_of(type, region);
    region[region[2] > 1 ? 2 : region[1] > 1 ? 1 : 0] /= half ? 2 : 1;
    need(!clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL),
         "the write");
}

/* An image of numbers, of which the second half is missing in a bad case. */
static cl_mem image_of(cl_mem_object_type type, const cl_image_format *format, int bad)
{
    cl_mem made = make(type, format, 0, NULL, NULL);
    write_texels(made, type, numbers(), bad);
    return made;
}

/* A kernel (out, image); the image is released. */
static void look(const char *kernel, cl_mem image, int bad)
{
    cl_mem out = partly(INTS);
    char here[INTS];
    launch(kernel, ITEMS, "mm", out, image);
    if (bad)
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, INTS, here, 0, NULL, NULL);
    end(out, bad ? 0 : INTS);
    clReleaseMemObject(image);
}

#define LOOK(name, kernel, type, format)                                                           \
    static void name(int bad)                                                                      \
    {                                                                                              \
        look(kernel, image_of(CL_MEM_OBJECT_IMAGE##type, &(format), bad), bad);                    \
    }
LOOK(half_of_a_plane, "sum_plane", 2D, ints)
LOOK(half_of_a_box, "sum_box", 3D, ints)
LOOK(half_of_planes, "sum_planes", 2D_ARRAY, ints)
LOOK(half_of_a_line, "sum_line", 1D, ints)
LOOK(half_of_lines, "sum_lines", 1D_ARRAY, ints)
LOOK(branch_on_a_texel, "branch_plane", 2D, ints)
LOOK(index_of_a_texel, "index_plane", 2D, ints)
LOOK(mixed_texels, "mix_plane", 2D, floats)
LOOK(fraction_of_a_texel, "fraction", 2D, parts)
LOOK(color_of_a_texel, "color", 2D, colors)

/* Nothing has written any of it. */
static void unwritten_image(int bad)
{
    cl_mem image = make(CL_MEM_OBJECT_IMAGE2D, &ints, 0, NULL, NULL);
    if (!bad)
        write_texels(image, CL_MEM_OBJECT_IMAGE2D, numbers(), 0);
    look("branch_plane", image, bad);
}

/* Texels of a buffer. */
static void texels_of_a_buffer(int bad)
{
    cl_mem in = partly(bad ? INTS / 2 : INTS);
    look("sum_buffer", make(CL_MEM_OBJECT_IMAGE1D_BUFFER, &ints, 0, NULL, in), bad);
    clReleaseMemObject(in);
}

/* What a kernel has drawn. */
static void half_is_drawn(int bad)
{
    cl_mem in = partly(INTS), image = make(CL_MEM_OBJECT_IMAGE2D, &ints, 0, NULL, NULL);
    launch("draw", ITEMS, "mmi", image, in, bad ? HALF : ITEMS);
    clReleaseMemObject(in);
    look("branch_plane", image, bad);
}

/* A coordinate that nothing has written. */
static void coordinate_of_a_texel(int bad)
{
    cl_mem at = partly(bad ? INTS / 2 : INTS), image = image_of(CL_MEM_OBJECT_IMAGE2D, &ints, 0),
           out = empty();
    launch("at_number", ITEMS, "mmm", out, image, at);
    end(out, bad ? 0 : INTS);
    clReleaseMemObject(image);
    clReleaseMemObject(at);
}

/* Bytes of texels: of four colors, which a copy has brought, the last one is missing. */
static cl_mem without_opacity(int bad)
{
    const size_t region[3] = {W, H, 1};
    cl_mem in = empty(), image = make(CL_MEM_OBJECT_IMAGE2D, &colors, 0, NULL, NULL);
    for (size_t i = 0; i < INTS; i += 4)
        clEnqueueWriteBuffer(queue, in, CL_TRUE, i, bad ? 3 : 4, (const char *)numbers() + i, 0,
                             NULL, NULL);
    need(!clEnqueueCopyBufferToImage(queue, in, image, 0, origin, region, 0, NULL, NULL),
         "the copy");
    clReleaseMemObject(in);
    return image;
}

static void opacity_of_a_texel(int bad)
{
    look("opacity", without_opacity(bad), bad);
}

/* ---- commands ---- */

/* What kernels have computed of unwritten numbers and drawn, as the host gets it. */
static cl_mem drawn_sums(int bad)
{
    cl_mem in = partly(bad ? INTS / 2 : INTS),
           image = make(CL_MEM_OBJECT_IMAGE2D, &ints, 0, NULL, NULL);
    launch("draw_sum", ITEMS, "mm", image, in);
    clReleaseMemObject(in);
    return image;
}

static void image_is_read(int bad)
{
    const size_t region[3] = {W, H, 1};
    cl_mem image = drawn_sums(bad);
    int here[ITEMS];
    need(!clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, here, 0, NULL, NULL),
         "the read");
    result(here, bad ? 0 : INTS);
    clReleaseMemObject(image);
}

static void image_is_mapped(int bad)
{
    const size_t region[3] = {W, H, 1};
    cl_mem image = drawn_sums(bad);
    size_t pitch;
    const char *there = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, region,
                                          &pitch, NULL, 0, NULL, NULL, NULL);
    int here[ITEMS];
    need(there != NULL, "the map");
    for (int y = 0; y < H; y++)
        memcpy(here + W * y, there + pitch * y, W * sizeof(int));
    result(here, bad ? 0 : INTS);
    clEnqueueUnmapMemObject(queue, image, (void *)there, 0, NULL, NULL);
    clFinish(queue);
    clReleaseMemObject(image);
}

static void image_is_copied(int bad)
{
    const size_t region[3] = {W, H, 1};
    cl_mem from = image_of(CL_MEM_OBJECT_IMAGE2D, &ints, bad),
           to = make(CL_MEM_OBJECT_IMAGE2D, &ints, 0, NULL, NULL);
    need(!clEnqueueCopyImage(queue, from, to, origin, origin, region, 0, NULL, NULL), "the copy");
    clReleaseMemObject(from);
    look("branch_plane", to, bad);
}

static void buffer_is_copied(int bad)
{
    const size_t region[3] = {W, H, 1};
    cl_mem from = partly(bad ? INTS / 2 : INTS),
           to = make(CL_MEM_OBJECT_IMAGE2D, &ints, 0, NULL, NULL);
    need(!clEnqueueCopyBufferToImage(queue, from, to, 0, origin, region, 0, NULL, NULL),
         "the copy");
    clReleaseMemObject(from);
    look("branch_plane", to, bad);
}

static void copied_to_a_buffer(int bad)
{
    const size_t region[3] = {W, H, 1};
    cl_mem from = image_of(CL_MEM_OBJECT_IMAGE2D, &ints, bad), to = empty();
    need(!clEnqueueCopyImageToBuffer(queue, from, to, origin, region, 0, 0, NULL, NULL),
         "the copy");
    look("add_one", to, bad);
    clReleaseMemObject(from);
}

/* ---- idioms ---- */

/* Of four colors three are there, and used. */
static void opacity_is_unused(int bad)
{
    (void)bad;
    look("color", without_opacity(1), 0);
}

/* Images that are written as a whole, by each way. */
static void images_are_filled(int bad)
{
    static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D,
                                               CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE1D,
                                               CL_MEM_OBJECT_IMAGE1D_ARRAY};
    static const char *const kernels[] = {"sum_plane", "sum_box", "sum_planes", "sum_line",
                                          "sum_lines"};
    const cl_int four[4] = {4, 5, 6, 7};
    (void)bad;
    for (int k = 0; k < 5; k++) {
        size_t region[3], pitch = 0, slice = 0;
        size_of(types[k], region);
        cl_mem filled = make(types[k], &ints, 0, NULL, NULL),
               given = make(types[k], &ints, CL_MEM_COPY_HOST_PTR, (void *)numbers(), NULL),
               used = make(types[k], &ints, CL_MEM_USE_HOST_PTR, (void *)numbers(), NULL),
               mapped = make(types[k], &ints, 0, NULL, NULL);
        need(!clEnqueueFillImage(queue, filled, four, origin, region, 0, NULL, NULL), "the fill");
        char *there = clEnqueueMapImage(queue, mapped, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                                        origin, region, &pitch, &slice, 0, NULL, NULL, NULL);
        need(there != NULL, "the map");
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                memcpy(there + z * slice +
                           y * (pitch && region[2] * region[1] > 1 &&
                                        types[k] != CL_MEM_OBJECT_IMAGE1D_ARRAY
                                    ? pitch
                                    : slice),
                       numbers() + (z * region[1] + y) * region[0], region[0] * 4);
        clEnqueueUnmapMemObject(queue, mapped, there, 0, NULL, NULL);
        look(kernels[k], filled, 0);
        look(kernels[k], given, 0);
        look(kernels[k], used, 0);
        look(kernels[k], mapped, 0);
    }
}

/* Images that kernels draw, line by line or all. */
static void images_are_drawn(int bad)
{
    cl_mem in = partly(INTS), memory = empty(),
           line = make(CL_MEM_OBJECT_IMAGE1D, &ints, 0, NULL, NULL),
           buffer_image = make(CL_MEM_OBJECT_IMAGE1D_BUFFER, &ints, 0, NULL, memory),
           planes = make(CL_MEM_OBJECT_IMAGE2D_ARRAY, &ints, 0, NULL, NULL),
           plane = make(CL_MEM_OBJECT_IMAGE2D, &colors, 0, NULL, NULL);
    (void)bad;
    launch("draw_line", ITEMS, "mm", line, in);
    look("sum_line", line, 0);
    launch("draw_buffer", ITEMS, "mm", buffer_image, in);
    look("sum_buffer", buffer_image, 0);
    launch("draw_planes", ITEMS, "mm", planes, in);
    look("sum_planes", planes, 0);
    launch("draw_color", ITEMS, "mm", plane, in);
    look("color", plane, 0);
    clReleaseMemObject(in);
    clReleaseMemObject(memory);
}

/* Unwritten texels that kernels and commands only copy, also in another form. */
static void unwritten_texels_are_copied(int bad)
{
    const size_t region[3] = {W, H, 1};
    static const struct {
        const char *kernel;
        const cl_image_format *format;
    } each[] = {{"copy_texels", &ints}, {"copy_fractions", &parts}, {"copy_fractions", &floats}};
    int here[ITEMS];
    (void)bad;
    for (int i = 0; i < 3; i++) {
        cl_mem from = image_of(CL_MEM_OBJECT_IMAGE2D, each[i].format, 1),
               to = make(CL_MEM_OBJECT_IMAGE2D, each[i].format, 0, NULL, NULL);
        launch(each[i].kernel, ITEMS, "mm", to, from);
        need(!clEnqueueReadImage(queue, to, CL_TRUE, origin, region, 0, 0, here, 0, NULL, NULL),
             "the read");
        result(here, INTS / 2);
        clReleaseMemObject(from);
        clReleaseMemObject(to);
    }
}

/* Host memory that has got unwritten texels, and is written and given to another image then; also
 * an image that is mapped for some stores, which stay. */
static void memory_is_used_again(int bad)
{
    const size_t region[3] = {W, H, 1};
    static int here[ITEMS];
    cl_mem from = image_of(CL_MEM_OBJECT_IMAGE2D, &ints, 1),
           to = make(CL_MEM_OBJECT_IMAGE2D, &ints, 0, NULL, NULL);
    size_t pitch;
    (void)bad;
    need(!clEnqueueReadImage(queue, from, CL_TRUE, origin, region, 0, 0, here, 0, NULL, NULL),
         "the read");
    memcpy(here, numbers(), INTS);
    need(!clEnqueueWriteImage(queue, to, CL_TRUE, origin, region, 0, 0, here, 0, NULL, NULL),
         "the write");
    look("branch_plane", to, 0);
    char *there = clEnqueueMapImage(queue, from, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin,
                                    region, &pitch, NULL, 0, NULL, NULL, NULL);
    need(there != NULL, "the map");
    for (int y = 0; y < H; y++)
        memcpy(there + pitch * y, numbers() + W * y, W * sizeof(int));
    clEnqueueUnmapMemObject(queue, from, there, 0, NULL, NULL);
    look("branch_plane", from, 0);
}

/* The border of an image that nothing has written, and its sizes. */
static void border_is_read(int bad)
{
    (void)bad;
    look("outside", make(CL_MEM_OBJECT_IMAGE2D, &floats, 0, NULL, NULL), 0);
    look("beyond", make(CL_MEM_OBJECT_IMAGE2D, &ints, 0, NULL, NULL), 0);
}

CASES(CASE(half_of_a_plane), CASE(half_of_a_box), CASE(half_of_planes), CASE(half_of_a_line),
      CASE(half_of_lines), CASE(branch_on_a_texel), CASE(index_of_a_texel), CASE(mixed_texels),
      CASE(fraction_of_a_texel), CASE(color_of_a_texel), CASE(unwritten_image),
      CASE(texels_of_a_buffer), CASE(half_is_drawn), CASE(coordinate_of_a_texel),
      CASE(opacity_of_a_texel), CASE(image_is_read), CASE(image_is_mapped), CASE(image_is_copied),
      CASE(buffer_is_copied), CASE(copied_to_a_buffer), CASE(opacity_is_unused),
      CASE(images_are_filled), CASE(images_are_drawn), CASE(unwritten_texels_are_copied),
      CASE(memory_is_used_again), CASE(border_is_read))

int main(int argc, char **argv)
{
    group_items = 32;
    return run_program(argc, argv, run_cases);
}
