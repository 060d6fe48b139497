/*
 * Textures, surfaces, arrays, copies of boxes, managed and shared memory, two GPUs, on the driver
 * API. What a texture gives is computed here, too, by the formulas of the "CUDA C++ Programming
 * Guide" (Texture Fetching). Each part prints that it is right, or what was wrong.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetrap/cuda.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const CUresult result_ = (call);                                                           \
        const char *name_ = "?";                                                                   \
        if (!result_)                                                                              \
            break;                                                                                 \
        cuGetErrorName(result_, &name_);                                                           \
        printf("%s: %s\n", #call, name_);                                                          \
        exit(1);                                                                                   \
    } while (0)

enum { POINTS = 64, WIDTH = 5, HEIGHT = 4, DEPTH = 3 };

/* A thread takes 16 bytes of `at`, and leaves 16 in `out`. */
#define KERNEL(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 t, .param .u64 out, .param .u64 at)\n{\n"                \
    " .reg .b64 %t, %o, %p, %d; .reg .b32 %r<9>; .reg .b32 %i; .reg .b16 %h<5>;\n"                 \
    " ld.param.u64 %t, [t]; ld.param.u64 %o, [out]; ld.param.u64 %p, [at];\n"                      \
    " mov.u32 %i, %tid.x; mul.wide.u32 %d, %i, 16; add.u64 %o, %o, %d; add.u64 %p, %p, %d;\n"      \
    " ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%p];\n mov.u32 %r1, 0; mov.u32 %r2, 0;\n"            \
    " mov.u32 %r3, 0; mov.u32 %r4, 0;\n " body "\n"                                                \
    " st.global.v4.u32 [%o], {%r1, %r2, %r3, %r4};\n ret;\n}\n"
#define ALL "{%r1, %r2, %r3, %r4}"

static const char text[] = ".version 8.0\n.target sm_50\n.address_size 64\n"
    /* clang-format off */
    KERNEL("tex1d", "tex.1d.v4.f32.s32 " ALL ", [%t, {%r5}];")
    KERNEL("tex2d", "tex.2d.v4.f32.f32 " ALL ", [%t, {%r5, %r6}];")
    KERNEL("level", "tex.level.2d.v4.f32.f32 " ALL ", [%t, {%r5, %r6}], 0f00000000;")
    KERNEL("tex3d", "tex.3d.v4.f32.f32 " ALL ", [%t, {%r5, %r6, %r7, %r8}];")
    KERNEL("layers", "tex.a2d.v4.u32.f32 " ALL ", [%t, {%r7, %r5, %r6, %r8}];")
    KERNEL("gather", "tld4.r.2d.v4.f32.f32 " ALL ", [%t, {%r5, %r6}];")
    KERNEL("sizes", "txq.width.b32 %r1, [%t]; txq.height.b32 %r2, [%t]; suq.depth.b32 %r3, [%t];")
    KERNEL("copy", "suld.b.2d.v2.b16.clamp {%h1, %h2}, [%t, {%r5, %r6}];\n"
                   "sust.b.2d.v2.b16.zero [%t, {%r7, %r8}], {%h2, %h1};\n"
                   "cvt.u32.u16 %r1, %h1; cvt.u32.u16 %r2, %h2;")
    KERNEL("trapped", "suld.b.2d.b32.trap %r1, [%t, {%r5, %r6}];")
#define PUT(name, type) /* texel (thread, 1) gets the thread's four numbers */                     \
    KERNEL(name, "mov.u32 %r1, 1; sust.p.2d.v4." type ".trap [%t, {%i, %r1}], {%r5, %r6, %r7, %r8};")
    PUT("put_b32", "b32")
    PUT("put_u32", "u32")
    PUT("put_s32", "s32")
    PUT("put_f32", "f32")
    KERNEL("put_b8", "cvt.u16.u32 %h1, %r5; cvt.u16.u32 %h2, %r6; mov.u32 %r1, 1;\n"
                     "sust.p.2d.v2.b8.trap [%t, {%i, %r1}], {%h1, %h2};")
    KERNEL("put_b16", "cvt.u16.u32 %h1, %r5; mov.u32 %r1, 1;\n"
                      "sust.p.2d.b16.zero [%t, {%i, %r1}], %h1;")
    KERNEL("reference", "tex.2d.v4.f32.f32 " ALL ", [by_name, {%r5, %r6}];")
    ".visible .global .texref by_name;\n"
    KERNEL("twice", "ld.global.u32 %r1, [%t]; add.u32 %r1, %r1, %r1; st.global.u32 [%t], %r1;");
/* clang-format on */

static CUmodule module, code; /* code: machine code of some kernels; NULL: all are PTX */
static unsigned at[POINTS][4], out[POINTS][4], in_code;

static CUresult launch(const char *name, unsigned long long t)
{
    CUfunction f;
    CUdeviceptr from, to;
    void *parameters[] = {&t, &to, &from};
    if (!code || cuModuleGetFunction(&f, code, name) != CUDA_SUCCESS)
        CHECK(cuModuleGetFunction(&f, module, name));
    else
        in_code++;
    CHECK(cuMemAlloc(&from, sizeof at));
    CHECK(cuMemAlloc(&to, sizeof out));
    CHECK(cuMemcpyHtoD(from, at, sizeof at));
    CHECK(cuLaunchKernel(f, 1, 1, 1, POINTS, 1, 1, 0, NULL, parameters, NULL));
    const CUresult result = cuCtxSynchronize();
    if (result)
        return result;
    CHECK(cuMemcpyDtoH(out, to, sizeof out));
    CHECK(cuMemFree(from));
    CHECK(cuMemFree(to));
    return CUDA_SUCCESS;
}

static unsigned bits_of(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(unsigned bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- the formulas ---- */

static unsigned char texels[DEPTH][HEIGHT][WIDTH];

static int wrapped(int i, int n, CUaddress_mode mode, int normalized, int *outside)
{
    if (normalized && mode == CU_TR_ADDRESS_MODE_WRAP)
        return ((i % n) + n) % n;
    if (normalized && mode == CU_TR_ADDRESS_MODE_MIRROR)
        return ((i / n - (i % n < 0)) & 1) ? n - 1 - (((i % n) + n) % n) : ((i % n) + n) % n;
    *outside |= mode == CU_TR_ADDRESS_MODE_BORDER && (i < 0 || i >= n);
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double texel(int x, int y, int z, const CUDA_TEXTURE_DESC *d)
{
    int outside = 0;
    const int normalized = d->flags & CU_TRSF_NORMALIZED_COORDINATES;
    x = wrapped(x, WIDTH, d->addressMode[0], normalized, &outside);
    y = wrapped(y, HEIGHT, d->addressMode[1], normalized, &outside);
    z = wrapped(z, DEPTH, d->addressMode[2], normalized, &outside);
    return outside ? 0 : texels[z][y][x];
}

static double fetched(const float *c, int dimensions, const CUDA_TEXTURE_DESC *d)
{
    const int size[3] = {WIDTH, HEIGHT, DEPTH};
    double x[3] = {0}, weight[3] = {0}, sum = 0;
    int from[3] = {0};
    for (int i = 0; i < dimensions; i++) {
        x[i] = c[i] * (d->flags & CU_TRSF_NORMALIZED_COORDINATES ? (double)size[i] : 1);
        from[i] = (int)floor(d->filterMode == CU_TR_FILTER_MODE_LINEAR ? x[i] - 0.5 : x[i]);
        /* CUDA C++ Programming Guide: 1 - frac(x), where floor(x) is odd */
        if (d->flags & CU_TRSF_NORMALIZED_COORDINATES &&
            d->addressMode[i] == CU_TR_ADDRESS_MODE_MIRROR &&
            d->filterMode == CU_TR_FILTER_MODE_POINT)
            from[i] =
                (int)floor(((int)floor(c[i]) & 1 ? 1 - (c[i] - floor(c[i])) : c[i] - floor(c[i])) *
                           (double)size[i]);
        weight[i] = round((x[i] - 0.5 - from[i]) * 256) / 256;
    }
    if (d->filterMode == CU_TR_FILTER_MODE_POINT)
        return texel(from[0], from[1], from[2], d);
    for (int k = 0; k < 1 << dimensions; k++) {
        double share = 1;
        for (int i = 0; i < dimensions; i++)
            share *= k >> i & 1 ? weight[i] : 1 - weight[i];
        sum += share * texel(from[0] + (k & 1), from[1] + (k >> 1 & 1), from[2] + (k >> 2), d);
    }
    return sum;
}

static int wrong(const char *name, unsigned i, unsigned got, double wanted, int integer)
{
    const double had = integer ? got : float_of(got) * 255.0;
    if (fabs(had - wanted) <= (integer ? 0 : 2e-5))
        return 0;
    printf("%s: at (%g, %g, %g) %g is wanted, not %g\n", name, float_of(at[i][0]),
           float_of(at[i][1]), float_of(at[i][2]), wanted, had);
    exit(1);
}

/* ---- textures ---- */

static CUdeviceptr pitched(size_t *pitch)
{
    CUdeviceptr memory;
    CHECK(cuMemAllocPitch(&memory, pitch, WIDTH, HEIGHT, 4));
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = texels,
                                .srcPitch = WIDTH,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = memory,
                                .dstPitch = *pitch,
                                .WidthInBytes = WIDTH,
                                .Height = HEIGHT};
    CHECK(cuMemcpy2D(&copy));
    return memory;
}

static CUarray boxed(unsigned flags)
{
    CUarray array;
    const CUDA_ARRAY3D_DESCRIPTOR what = {WIDTH, HEIGHT, DEPTH, CU_AD_FORMAT_UNSIGNED_INT8,
                                          1,     flags};
    CHECK(cuArray3DCreate(&array, &what));
    const CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = texels,
                                .srcPitch = WIDTH,
                                .srcHeight = HEIGHT,
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = array,
                                .WidthInBytes = WIDTH,
                                .Height = HEIGHT,
                                .Depth = DEPTH};
    CHECK(cuMemcpy3D(&copy));
    return array;
}

/* Places in and around the texels, some of them between two weights. */
static void choose_places(int normalized)
{
    for (unsigned i = 0; i < POINTS; i++) {
        const float x = (float)(i * 37 % 97) / 8 - 3 + (i % 3) * 0.0013f;
        const float y = (float)(i * 53 % 89) / 8 - 3, z = (float)(i * 29 % 41) / 8 - 1;
        at[i][0] = bits_of(normalized ? x / 4 : x);
        at[i][1] = bits_of(normalized ? y / 4 : y);
        at[i][2] = bits_of(normalized ? z / 2 : z);
    }
}

static void textures(void)
{
    size_t pitch;
    const CUdeviceptr memory = pitched(&pitch);
    CUarray box = boxed(0);
    unsigned count = 0;
    for (unsigned k = 0; k < 4 * 2 * 2 * 2 * 2; k++) {
        const int normalized = k >> 3 & 1, integer = k >> 4 & 1, deep = k >> 5 & 1;
        CUDA_TEXTURE_DESC d = {.filterMode = k >> 2 & 1};
        CUDA_RESOURCE_DESC r = {.resType =
                                    deep ? CU_RESOURCE_TYPE_ARRAY : CU_RESOURCE_TYPE_PITCH2D};
        CUtexObject t;
        d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = k & 3;
        d.flags = (integer ? CU_TRSF_READ_AS_INTEGER : 0) |
                  (normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0);
        if (deep) {
            r.res.array.hArray = box;
        } else {
            r.res.pitch2D.devPtr = memory;
            r.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT8;
            r.res.pitch2D.numChannels = 1;
            r.res.pitch2D.width = WIDTH;
            r.res.pitch2D.height = HEIGHT;
            r.res.pitch2D.pitchInBytes = pitch;
        }
        CHECK(cuTexObjectCreate(&t, &r, &d, NULL));
        choose_places(normalized);
        CHECK(launch(deep ? "tex3d" : k & 1 ? "level" : "tex2d", t));
        for (unsigned i = 0; i < POINTS; i++, count++) {
            const float c[3] = {float_of(at[i][0]), float_of(at[i][1]), float_of(at[i][2])};
            const double value = fetched(c, deep ? 3 : 2, &d);
            wrong("texture", i, out[i][0], integer ? floor(value + 0.5) : value, integer);
            if (out[i][1] || out[i][2] || out[i][3] != (integer ? 1 : bits_of(1)))
                printf("texture: the other channels are %x %x %x\n", out[i][1], out[i][2],
                       out[i][3]);
        }
        CHECK(cuTexObjectDestroy(t));
        CHECK(cuTexObjectDestroy(t)); /* NVIDIA's driver says nothing of that */
    }
    printf("textures right %u\n", count);
    CHECK(cuMemFree(memory));
    CHECK(cuArrayDestroy(box));
}

static void shapes(void)
{
    CUtexObject t;
    CUdeviceptr line, name;
    size_t size;
    const float numbers[4] = {1.5f, -2.25f, 3, 4};
    CUDA_TEXTURE_DESC d = {.addressMode = {1, 1, 1}};
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR};
    CHECK(cuMemAlloc(&line, sizeof numbers));
    CHECK(cuMemcpyHtoD(line, numbers, sizeof numbers));
    r.res.linear.devPtr = line;
    r.res.linear.format = CU_AD_FORMAT_FLOAT;
    r.res.linear.numChannels = 2;
    r.res.linear.sizeInBytes = sizeof numbers;
    CHECK(cuTexObjectCreate(&t, &r, &d, NULL));
    at[0][0] = 1;
    at[1][0] = 2; /* beyond the end */
    CHECK(launch("tex1d", t));
    printf("linear %g %g %g %g, beyond %g\n", float_of(out[0][0]), float_of(out[0][1]),
           float_of(out[0][2]), float_of(out[0][3]), float_of(out[1][0]));
    /* layers */
    CUarray layers = boxed(CUDA_ARRAY3D_LAYERED);
    r = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = layers};
    d.flags = CU_TRSF_READ_AS_INTEGER;
    CHECK(cuTexObjectCreate(&t, &r, &d, NULL));
    for (unsigned i = 0; i < POINTS; i++) {
        at[i][0] = bits_of((float)(i % WIDTH));
        at[i][1] = bits_of((float)(i % HEIGHT));
        at[i][2] = i % DEPTH;
    }
    CHECK(launch("layers", t));
    for (unsigned i = 0; i < POINTS; i++)
        if (out[i][0] != texels[i % DEPTH][i % HEIGHT][i % WIDTH])
            printf("layer %u: %u\n", i % DEPTH, out[i][0]), exit(1);
    CHECK(launch("sizes", t));
    printf("layers right, %u x %u\n", out[0][0], out[0][1]);
    /* four at once, and a texture by name */
    CUarray plane;
    const CUDA_ARRAY_DESCRIPTOR what = {WIDTH, HEIGHT, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CHECK(cuArrayCreate(&plane, &what));
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = texels,
                                .srcPitch = WIDTH,
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = plane,
                                .WidthInBytes = WIDTH,
                                .Height = HEIGHT};
    CHECK(cuMemcpy2D(&copy));
    r.res.array.hArray = plane;
    CHECK(cuTexObjectCreate(&t, &r, &d, NULL));
    at[0][0] = bits_of(2);
    at[0][1] = bits_of(3);
    CHECK(launch("gather", t));
    printf("gathered %d\n", out[0][0] == texels[0][3][1] && out[0][1] == texels[0][3][2] &&
                                out[0][2] == texels[0][2][2] && out[0][3] == texels[0][2][1]);
    CHECK(cuModuleGetGlobal(&name, &size, module, "by_name"));
    CHECK(cuMemcpyHtoD(name, &t, sizeof t));
    CHECK(launch("reference", 0));
    printf("by name %d\n", out[0][0] == texels[0][3][2]);
}

static void surfaces(void)
{
    CUarray array;
    CUsurfObject s;
    unsigned short rows[2][8];
    CUDA_ARRAY_DESCRIPTOR what = {4, 2, CU_AD_FORMAT_UNSIGNED_INT16, 2};
    for (unsigned i = 0; i < 16; i++)
        rows[i / 8][i % 8] = (unsigned short)(100 + i);
    CHECK(cuArrayCreate(&array, &what));
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = rows,
                          .srcPitch = sizeof rows[0],
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = sizeof rows[0],
                          .Height = 2};
    CHECK(cuMemcpy2D(&copy));
    const CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    CHECK(cuSurfObjectCreate(&s, &r));
    memset(at, 0, sizeof at);
    for (unsigned i = 0; i < POINTS; i++) {
        at[i][0] = (unsigned)-4; /* clamped to texel (0, 1) */
        at[i][1] = 7;
        at[i][2] = 40; /* nowhere */
    }
    at[1][0] = 8; /* texel (2, 0) goes, turned around, to (3, 1) */
    at[1][1] = 0;
    at[1][2] = 12;
    at[1][3] = 1;
    CHECK(launch("copy", s));
    copy = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = array,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = rows,
                           .dstPitch = sizeof rows[0],
                           .WidthInBytes = sizeof rows[0],
                           .Height = 2};
    CHECK(cuMemcpy2D(&copy));
    printf("surface %u %u, %u %u, stored %u %u beside %u %u\n", out[0][0], out[0][1], out[1][0],
           out[1][1], rows[1][6], rows[1][7], rows[1][5], rows[0][7]);
    copy.Height = 3;
    printf("too many rows %d\n", cuMemcpy2D(&copy));
}

/* sust.p: components become what the array's format has. */
static void formats(void)
{
    static const struct {
        const char *kernel;
        int format, channels, size;
        unsigned from[4];
        const char *wanted; /* bytes of a texel */
    } cases[] = {
        {"put_b32", CU_AD_FORMAT_UNSIGNED_INT8, 4, 4, {1, 255, 256, ~0u}, "\x01\xff\xff\xff"},
        {"put_b32", CU_AD_FORMAT_SIGNED_INT16, 2, 4, {-40000, 7, 1, 2}, "\x00\x80\x07\x00"},
        {"put_b32", CU_AD_FORMAT_HALF, 2, 4, {0x3f800000, 0xc0000000}, "\x00\x3c\x00\xc0"},
        {"put_u32", CU_AD_FORMAT_SIGNED_INT8, 2, 2, {~0u, 5}, "\x7f\x05"},
        {"put_u32", CU_AD_FORMAT_FLOAT, 1, 4, {~0u}, "\x00\x00\x80\x4f"},
        {"put_s32", CU_AD_FORMAT_UNSIGNED_INT8, 2, 2, {-1, 300}, "\x00\xff"},
        {"put_s32", CU_AD_FORMAT_FLOAT, 1, 4, {-1}, "\x00\x00\x80\xbf"},
        {"put_f32", CU_AD_FORMAT_SIGNED_INT8, 2, 2, {0xc0200000, 0x43800000}, "\xfe\x7f"},
        {"put_f32", CU_AD_FORMAT_UNSIGNED_INT32, 1, 4, {0xc0200000}, "\x00\x00\x00\x00"},
        {"put_b8", CU_AD_FORMAT_SIGNED_INT16, 2, 4, {0xff, 0x7f}, "\xff\xff\x7f\x00"},
        {"put_b8", CU_AD_FORMAT_UNSIGNED_INT16, 2, 4, {0xff, 0x17f}, "\xff\x00\x7f\x00"},
        {"put_b16", CU_AD_FORMAT_FLOAT, 1, 4, {0x3c00}, "\x00\x00\x80\x3f"},
    };
    int right = 0;
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        CUarray array;
        CUsurfObject s;
        unsigned char rows[2][POINTS * 16];
        CUDA_ARRAY_DESCRIPTOR what = {POINTS, 2, cases[n].format, cases[n].channels};
        CHECK(cuArrayCreate(&array, &what));
        const CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
        CHECK(cuSurfObjectCreate(&s, &r));
        for (unsigned i = 0; i < POINTS; i++)
            memcpy(at[i], cases[n].from, sizeof at[i]);
        CHECK(launch(cases[n].kernel, s));
        const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                                    .srcArray = array,
                                    .dstMemoryType = CU_MEMORYTYPE_HOST,
                                    .dstHost = rows,
                                    .dstPitch = sizeof rows[0],
                                    .WidthInBytes = POINTS * cases[n].size,
                                    .Height = 2};
        CHECK(cuMemcpy2D(&copy));
        const unsigned char *last = rows[1] + (POINTS - 1) * cases[n].size;
        if (memcmp(rows[1], cases[n].wanted, cases[n].size) == 0 &&
            memcmp(last, cases[n].wanted, cases[n].size) == 0)
            right++;
        else
            printf("case %u, %s: %02x %02x %02x %02x\n", n, cases[n].kernel, rows[1][0], rows[1][1],
                   rows[1][2], rows[1][3]);
        CHECK(cuSurfObjectDestroy(s));
        CHECK(cuArrayDestroy(array));
    }
    printf("formats %d\n", right);
}

static void memory(void)
{
    CUdeviceptr managed, device;
    unsigned *host, own[4] = {0};
    CHECK(cuMemAllocManaged(&managed, 64, 1));
    host = (unsigned *)(size_t)managed;
    *host = 21;
    CHECK(launch("twice", managed));
    printf("managed 42: %d", *host == 42 || *host == 84);
    CHECK(cuMemHostAlloc((void **)&host, 64, 0));
    CHECK(cuMemHostGetDevicePointer(&device, host, 0));
    *host = 4;
    CHECK(launch("twice", device));
    printf(", of the host %d", *host != 4);
    CHECK(cuMemFreeHost(host));
    CHECK(cuMemHostRegister(own, sizeof own, 0));
    own[0] = 3;
    CHECK(launch("twice", (size_t)own));
    printf(", registered %d, again %d", own[0] != 3, cuMemHostRegister(own, 4, 0));
    /* By its address for kernels, too; not beyond its end. */
    printf(", set %d %d", cuMemsetD32((size_t)own, 9, 4) == 0 && own[3] == 9,
           cuMemsetD32((size_t)own, 9, 5));
    printf(", read %d", cuMemcpyDtoH(&host, (size_t)own, 4));
    CHECK(cuMemHostUnregister(own));
    printf(", gone %d %d\n", cuMemHostUnregister(own), cuMemsetD32((size_t)own, 9, 4));
}

/* A module's variables at addresses of the program's: one that it declares, one that it defines. */
static void placed(void)
{
    static const char text[] = ".version 8.0\n.target sm_50\n.address_size 64\n"
                               ".extern .global .u32 declared;\n"
                               ".visible .global .u32 defined = 7;\n"
                               ".visible .entry add() { .reg .u32 %r<3>;\n"
                               "ld.global.u32 %r1, [declared]; ld.global.u32 %r2, [defined];\n"
                               "add.u32 %r1, %r1, %r2; st.global.u32 [defined], %r1; ret; }\n";
    enum { NAMES = 17, ADDRESSES, COUNT, LOG = 5, LOG_SIZE };
    unsigned memory[2] = {5, 0};
    char log[300] = "";
    const char *names[] = {"declared", "defined", "unknown"}, *bad[] = {"no name"};
    void *addresses[] = {&memory[0], &memory[1], &memory[1]};
    int options[] = {LOG, LOG_SIZE, NAMES, ADDRESSES, COUNT};
    void *values[] = {log, (void *)sizeof log, names, addresses, (void *)3};
    CUmodule module;
    CUfunction add;
    CUdeviceptr at;
    size_t size;
    printf("placed %d", cuModuleLoadDataEx(&module, text, 2, options, values));
    printf(" %d", strstr(log, "'declared' is declared .extern, and no module defines it") != NULL);
    values[1] = (void *)sizeof log; /* the call has overwritten it */
    printf(" %d", cuModuleLoadDataEx(&module, text, 5, options, values));
    printf(" %d", strstr(log, "register the memory first") != NULL);
    CHECK(cuMemHostRegister(memory, sizeof memory, 0));
    CHECK(cuModuleLoadDataEx(&module, text, 5, options, values));
    CHECK(cuModuleGetGlobal(&at, &size, module, "defined"));
    CHECK(cuModuleGetFunction(&add, module, "add"));
    printf(", %d %zu %u", at == (size_t)&memory[1], size, memory[1]);
    CHECK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    printf(" %u", memory[1]);
    CHECK(cuModuleUnload(module));
    values[1] = (void *)sizeof log, values[2] = bad, values[4] = (void *)1;
    printf(", %d", cuModuleLoadDataEx(&module, text, 5, options, values));
    printf(" %d\n", strstr(log, "'no name', which is not a name") != NULL);
    CHECK(cuMemHostUnregister(memory));
}

static void devices(void)
{
    CUcontext first, second;
    CUdeviceptr here, there;
    CUdevice number;
    unsigned value = 7, got = 0, flags;
    int count, can, active;
    CHECK(cuDeviceGetCount(&count));
    if (count < 2)
        return;
    CHECK(cuCtxGetCurrent(&first));
    CHECK(cuMemAlloc(&here, 4));
    CHECK(cuMemcpyHtoD(here, &value, 4));
    CHECK(cuDevicePrimaryCtxGetState(1, &flags, &active));
    printf("active %d", active);
    CHECK(cuDevicePrimaryCtxRetain(&second, 1));
    CHECK(cuCtxSetCurrent(second));
    CHECK(cuCtxGetDevice(&number));
    CHECK(cuMemAlloc(&there, 4));
    CHECK(cuMemcpyPeer(there, second, here, first, 4));
    CHECK(cuMemcpyDtoH(&got, there, 4));
    CHECK(cuDeviceCanAccessPeer(&can, 0, 1));
    printf(", device %d got %u, peers %d %d\n", number, got, can,
           cuCtxEnablePeerAccess(first, 0) == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    CHECK(cuCtxSetCurrent(first));
    CHECK(cuDevicePrimaryCtxRelease(1));
}

int main(int argc, char **argv)
{
    CUcontext context;
    CUdevice device;
    for (unsigned i = 0; i < sizeof texels; i++)
        ((unsigned char *)texels)[i] = (unsigned char)(i * 41 + 3);
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoadData(&module, text));
    if (argc == 2) {
        CHECK(cuModuleLoad(&code, argv[1]));
        textures();
        shapes();
        printf("machine code %u\n", in_code);
        return 0;
    }
    if (argc > 1) {
        printf("then %d\n", launch(argv[1], strtoull(argv[2], NULL, 0)));
        return 0;
    }
    textures();
    shapes();
    surfaces();
    formats();
    memory();
    placed();
    devices();
    return 0;
}
