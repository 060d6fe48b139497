/* The host's own accesses to a mapped image: image_maps KIND CASE, where KIND is 2d, 2d_array or
 * 3d. Rows of a page, of which 16 are mapped. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 1024, H = 16, TEXELS = W * H };

static int is(const char *one, const char *other)
{
    return !strcmp(one, other);
}

int main(int argc, char **argv)
{
    static cl_uint numbers[TEXELS];
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const int layers = is(argv[1], "2d_array"), box = is(argv[1], "3d");
    const cl_image_desc size = {.image_type = box      ? CL_MEM_OBJECT_IMAGE3D
                                              : layers ? CL_MEM_OBJECT_IMAGE2D_ARRAY
                                                       : CL_MEM_OBJECT_IMAGE2D,
                                .image_width = W,
                                .image_height = box || layers ? H / 2 : H,
                                .image_depth = box ? 2 : 0,
                                .image_array_size = layers ? 2 : 0};
    const size_t origin[3] = {0, 0, 0}, all[3] = {W, size.image_height, box || layers ? 2 : 1};
    const char *what = argv[2];
    size_t pitch, slice;
    cl_platform_id platform;
    cl_device_id device;
    cl_event done;
    cl_int bad;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, NULL);
    cl_mem image = clCreateImage(c, CL_MEM_READ_WRITE, &format, &size, NULL, &bad);
    for (int i = 0; i < TEXELS; i++)
        numbers[i] = (cl_uint)i * 7;
    if (bad || clEnqueueWriteImage(q, image, CL_TRUE, origin, all, 0, 0, numbers, 0, NULL, NULL))
        return 2;
    cl_uint *at = clEnqueueMapImage(q, image, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, origin, all,
                                    &pitch, &slice, 0, NULL, &done, &bad);
    if (bad)
        return 3;
    if (!is(what, "before_it_is_mapped"))
        clWaitForEvents(1, &done);
    const cl_uint seen = at[5 * pitch / sizeof *at + 7]; /* BUG map_load */
    for (int i = 0; i < TEXELS && is(what, "stored"); i++)
        at[i] = numbers[i] + 1;
    clFinish(q);
    clEnqueueUnmapMemObject(q, image, at, 0, NULL, NULL);
    if (is(what, "behind_its_end"))
        at[2 * W] = 3; /* BUG map_store */
    if (!is(what, "released"))
        clFinish(q);
    if (is(what, "again")) { /* the memory of a map may be that of the next one */
        at = clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_READ, origin, all, &pitch, &slice, 0, NULL,
                               NULL, &bad);
        printf("%u\n", at[TEXELS - 1]);
        clEnqueueUnmapMemObject(q, image, at, 0, NULL, NULL);
    }
    clReleaseMemObject(image);
    for (size_t bytes = sizeof numbers / 4; bytes <= 4 * sizeof numbers; bytes += 4096) {
        char *const memory = malloc(bytes); /* which the map's may have been */
        memset(memory, 1, bytes);
        if (bytes % 8192)
            free(memory);
    }
    clFinish(q);
    printf("%u\n", is(what, "before_it_is_mapped") ? 0 : seen);
    return 0;
}
