/*
 * Textures and surfaces of HIP, each result held against what the host computes: it says how many are wrong. Not here, as HIP
 * 5.2.3 itself refuses them or gets them wrong: levels, flags of arrays, surfaces of integers (it stores the bits of floats).
 */
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                                     \
    do {                                                                                                                \
        const hipError_t error = (call);                                                                                \
        if (error != hipSuccess) {                                                                                      \
            printf("line %d, %s: %s\n", __LINE__, #call, hipGetErrorString(error));                                     \
            return 1;                                                                                                   \
        }                                                                                                               \
    } while (0)

/* ---- kernels ---- */

__device__ float together(float x) { return x; }
__device__ float together(float2 x) { return x.x + 2 * x.y; }
__device__ float together(float4 x) { return x.x + 2 * x.y + 4 * x.z + 8 * x.w; }
__device__ float together(int x) { return (float)x; }
__device__ float together(uchar4 x) { return x.x + 2.f * x.y + 4.f * x.z + 8.f * x.w; }

template <class T> __global__ void sample(hipTextureObject_t t, const float *x, float *out, int n, int dimensions)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = together(dimensions == 1   ? tex1D<T>(t, x[i])
                          : dimensions == 2 ? tex2D<T>(t, x[2 * i], x[2 * i + 1])
                                            : tex3D<T>(t, x[3 * i], x[3 * i + 1], x[3 * i + 2]));
}

__global__ void others(hipTextureObject_t t, hipTextureObject_t linear, hipTextureObject_t pitched, float4 *gathered, float *out)
{
    const int i = threadIdx.x, x = i & 7, y = i >> 3;
    gathered[i] = tex2Dgather<float4>(t, x + 1.f, y + 1.f, 1); /* of HIP 5.2.3, red is the component 1 */
    out[i] = tex2DLod<float>(t, x + .5f, y + .5f, 3);
    out[64 + i] = tex2DGrad<float>(t, x + .5f, y + .5f, make_float2(1, 0), make_float2(0, 1));
    out[128 + i] = tex2D<float>(pitched, x + .5f, y + .5f);
    const short4 s = tex1Dfetch<short4>(linear, i);
    out[192 + i] = s.x + 2 * s.y + 4 * s.z + 8 * s.w;
}

__global__ void surface1(hipSurfaceObject_t s)
{
    float2 v;
    surf1Dread(&v, s, threadIdx.x * 8);
    surf1Dwrite(make_float2(v.y + threadIdx.x, v.x), s, threadIdx.x * 8);
}

__global__ void surface2(hipSurfaceObject_t s, int width, int height)
{
    const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float v;
    surf2Dread(&v, s, x * 4, y); /* beside it there are zeros, and nothing is stored */
    surf2Dwrite(v + x + 100 * y, s, x * 4, y);
}

__global__ void surface3(hipSurfaceObject_t s)
{
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    float4 v;
    surf3Dread(&v, s, x * 16, y, z);
    surf3Dwrite(make_float4(v.w, v.z + x, v.y + y, v.x + z), s, x * 16, y, z);
}

__global__ void layers(hipTextureObject_t t, float *out)
{
    out[blockIdx.x * 64 + threadIdx.x] = tex2DLayered<float>(t, (threadIdx.x & 7) + .5f, (threadIdx.x >> 3) + .5f, blockIdx.x);
}

/* ---- the model ---- */

struct image {
    int size[3], dimensions;
    std::vector<float> texel;
};

struct manner {
    hipTextureAddressMode mode;
    bool linear, normalized;
};

static double texel_of(const image &m, hipTextureAddressMode mode, const long *at)
{
    long in[3] = {0, 0, 0};
    for (int i = 0; i < m.dimensions; i++) {
        const long n = m.size[i];
        long k = at[i];
        if (mode == hipAddressModeBorder && (k < 0 || k >= n))
            return 0;
        if (mode == hipAddressModeWrap)
            k = (k % n + n) % n;
        if (mode == hipAddressModeMirror) {
            k = (k % (2 * n) + 2 * n) % (2 * n);
            k = k < n ? k : 2 * n - 1 - k;
        }
        in[i] = k < 0 ? 0 : k >= n ? n - 1 : k;
    }
    return m.texel[(in[2] * m.size[1] + in[1]) * m.size[0] + in[0]];
}

static double model(const image &m, const manner &how, const float *x)
{
    double base[3] = {0, 0, 0}, part[3] = {0, 0, 0}, sum = 0;
    for (int i = 0; i < m.dimensions; i++) {
        const double u = how.normalized ? (double)x[i] * m.size[i] : x[i];
        const double v = how.linear ? std::floor((u - 0.5) * 256 + 0.5) / 256 : u;
        base[i] = std::floor(v);
        part[i] = how.linear ? v - base[i] : 0;
    }
    for (int c = 0; c < 1 << m.dimensions; c++) {
        long at[3] = {0, 0, 0};
        double weight = 1;
        for (int i = 0; i < m.dimensions; i++) {
            at[i] = (long)base[i] + (c >> i & 1);
            weight *= c >> i & 1 ? part[i] : 1 - part[i];
        }
        if (weight)
            sum += weight * texel_of(m, how.mode, at);
    }
    return sum;
}

/* ---- arrays ---- */

static int make_array(hipArray **array, const int *size, int dimensions, hipChannelFormatDesc format, const void *data, size_t bytes)
{
    if (dimensions < 3) {
        CHECK(hipMallocArray(array, &format, size[0], dimensions == 1 ? 0 : size[1], 0));
        CHECK(hipMemcpy2DToArray(*array, 0, 0, data, size[0] * bytes, size[0] * bytes, size[1], hipMemcpyHostToDevice));
        return 0;
    }
    CHECK(hipMalloc3DArray(array, &format, make_hipExtent(size[0], size[1], size[2]), 0));
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(const_cast<void *>(data), size[0] * bytes, size[0], size[1]);
    copy.dstArray = *array;
    copy.extent = make_hipExtent(size[0], size[1], size[2]);
    copy.kind = hipMemcpyHostToDevice;
    CHECK(hipMemcpy3D(&copy));
    return 0;
}

static hipResourceDesc resource_of(hipArray *array)
{
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

/* ---- samples ---- */

static int cases, wrong;

template <class T>
static int run(const image &m, const manner &how, const char *what, hipChannelFormatDesc format, const void *data, size_t bytes,
               bool as_float, bool srgb = false)
{
    enum { N = 128 };
    static unsigned seed;
    hipArray *array;
    if (make_array(&array, m.size, m.dimensions, format, data, bytes))
        return 1;
    const hipResourceDesc resource = resource_of(array);
    hipTextureDesc texture = {};
    for (auto &mode : texture.addressMode)
        mode = how.mode;
    texture.filterMode = how.linear ? hipFilterModeLinear : hipFilterModePoint;
    texture.normalizedCoords = how.normalized;
    texture.sRGB = srgb;
    texture.readMode = as_float ? hipReadModeNormalizedFloat : hipReadModeElementType;
    hipTextureObject_t object;
    CHECK(hipCreateTextureObject(&object, &resource, &texture, nullptr));
    std::vector<float> x(N * m.dimensions);
    for (size_t i = 0; i < x.size(); i++) { /* within the image, and one and a half of it beside it */
        const int size = m.size[i % m.dimensions];
        seed = seed * 1664525u + 1013904223u;
        const float u = (seed >> 8) % (4 * size * 64) / 64.f - 1.5f * size + (how.linear ? 0 : 1 / 128.f);
        x[i] = how.normalized ? u / size : u;
    }
    float *dx, *dout;
    CHECK(hipMalloc((void **)&dx, x.size() * 4));
    CHECK(hipMallocManaged((void **)&dout, N * 4));
    CHECK(hipMemcpy(dx, x.data(), x.size() * 4, hipMemcpyHostToDevice));
    sample<T><<<N / 64, 64>>>(object, dx, dout, N, m.dimensions);
    CHECK(hipDeviceSynchronize());
    int off = 0;
    for (int i = 0; i < N; i++) {
        const double want = model(m, how, &x[i * m.dimensions]);
        off += !(std::fabs(dout[i] - want) <= 2e-6 * (1 + std::fabs(want)));
    }
    if (off)
        printf("%s, %d x %d x %d, mode %d, %s, %s: %d of %d\n", what, m.size[0], m.size[1], m.size[2], how.mode,
               how.linear ? "linear" : "point", how.normalized ? "normalized" : "in texels", off, N);
    wrong += off != 0;
    cases++;
    CHECK(hipDestroyTextureObject(object));
    CHECK(hipFreeArray(array));
    CHECK(hipFree(dx));
    CHECK(hipFree(dout));
    return 0;
}

/* What an sRGB component stands for. */
static float intensity(unsigned char raw)
{
    const double x = raw / 255.;
    return (float)(x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4));
}

/* Each format with each filter, address mode and kind of coordinates in turn. */
static int samples(void)
{
    static const int sizes[][4] = {{37, 1, 1, 1}, {16, 8, 1, 2}, {150, 90, 1, 2}, {33, 18, 11, 3}, {60, 20, 30, 3}};
    static const struct {
        bool linear, normalized;
        hipTextureAddressMode mode;
    } manners[] = {{false, false, hipAddressModeClamp}, {true, false, hipAddressModeBorder}, {false, true, hipAddressModeWrap},
                   {true, true, hipAddressModeWrap},    {false, true, hipAddressModeMirror}, {true, true, hipAddressModeMirror},
                   {false, false, hipAddressModeBorder}, {true, true, hipAddressModeClamp}};
    for (auto &s : sizes) {
        image m = {{s[0], s[1], s[2]}, s[3], {}};
        const size_t count = (size_t)s[0] * s[1] * s[2];
        std::vector<float> floats(count);
        std::vector<float4> float4s(count);
        std::vector<unsigned char> bytes(count);
        std::vector<short2> shorts(count);
        std::vector<int> ints(count);
        std::vector<uchar4> quads(count);
        struct half2_of { _Float16 x, y; };
        std::vector<half2_of> halves(count);
        for (size_t i = 0; i < count; i++) {
            const unsigned r = (unsigned)i * 2654435761u;
            floats[i] = (float)(r >> 20) / 4096;
            float4s[i] = make_float4((float)(r >> 24), 1, (float)(i % 3), .25f);
            bytes[i] = (unsigned char)(r >> 24);
            shorts[i] = make_short2((short)(r >> 16), (short)i);
            ints[i] = (int)(r >> 9);
            halves[i] = {(_Float16)((float)(r >> 22) / 64), (_Float16)((float)(i % 100) - 50)};
            quads[i] = make_uchar4((unsigned char)(r >> 24), (unsigned char)i, (unsigned char)(r >> 16), (unsigned char)(i >> 4));
        }
        m.texel.resize(count);
        for (int n = 0; n < 64; n++) {
            const int kind = n % 8;
            const auto &in = manners[(n / 8 + kind) % 8];
            const manner how = {in.mode, in.linear && kind < 6, in.normalized};
            for (size_t i = 0; i < count; i++)
                m.texel[i] = kind == 0   ? floats[i]
                             : kind == 1 ? float4s[i].x + 2 * float4s[i].y + 4 * float4s[i].z + 8 * float4s[i].w
                             : kind == 2 ? bytes[i] / 255.f
                             : kind == 3 ? (float)(std::fmax(shorts[i].x / 32767., -1) + 2 * std::fmax(shorts[i].y / 32767., -1))
                             : kind == 4 ? intensity(quads[i].x) + 2 * intensity(quads[i].y) + 4 * intensity(quads[i].z) + 8 * quads[i].w / 255.f
                             : kind == 5 ? halves[i].x + 2.f * halves[i].y
                             : kind == 6 ? (float)ints[i]
                                         : quads[i].x + 2.f * quads[i].y + 4.f * quads[i].z + 8.f * quads[i].w;
            const int failed =
                kind == 0   ? run<float>(m, how, "float", hipCreateChannelDesc<float>(), floats.data(), 4, false)
                : kind == 1 ? run<float4>(m, how, "float4", hipCreateChannelDesc<float4>(), float4s.data(), 16, false)
                : kind == 2 ? run<float>(m, how, "unsigned char", hipCreateChannelDesc<unsigned char>(), bytes.data(), 1, true)
                : kind == 3 ? run<float2>(m, how, "short2", hipCreateChannelDesc<short2>(), shorts.data(), 4, true)
                : kind == 4 ? run<float4>(m, how, "uchar4 as sRGB", hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned),
                                          quads.data(), 4, true, true)
                : kind == 5 ? run<float2>(m, how, "half2", hipCreateChannelDesc(16, 16, 0, 0, hipChannelFormatKindFloat), halves.data(), 4, false)
                : kind == 6 ? run<int>(m, how, "int", hipCreateChannelDesc<int>(), ints.data(), 4, false)
                            : run<uchar4>(m, how, "uchar4", hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned),
                                          quads.data(), 4, false);
            if (failed)
                return 1;
        }
    }
    return 0;
}

/* ---- the rest ---- */

static void judge(const char *what, int off)
{
    if (off)
        printf("%s: %d are wrong\n", what, off);
    wrong += off != 0;
    cases++;
}

static int other_textures(void)
{
    enum { W = 50, H = 21 };
    const int size[] = {W, H, 1};
    std::vector<float> f(W * H);
    for (int i = 0; i < W * H; i++)
        f[i] = i * .5f;
    const auto at = [&](int x, int y) { return f[y * W + x]; };
    hipArray *array;
    if (make_array(&array, size, 2, hipCreateChannelDesc<float>(), f.data(), 4))
        return 1;
    hipResourceDesc resource = resource_of(array), linear = {}, pitched = {};
    const hipTextureDesc texture = {};
    hipTextureObject_t object[3];
    CHECK(hipCreateTextureObject(&object[0], &resource, &texture, nullptr));
    std::vector<short4> s(64);
    for (int i = 0; i < 64; i++)
        s[i] = make_short4((short)i, (short)-i, (short)(3 * i), 7);
    linear.resType = hipResourceTypeLinear;
    linear.res.linear.desc = hipCreateChannelDesc<short4>();
    linear.res.linear.sizeInBytes = 64 * sizeof(short4);
    CHECK(hipMalloc(&linear.res.linear.devPtr, linear.res.linear.sizeInBytes));
    CHECK(hipMemcpy(linear.res.linear.devPtr, s.data(), linear.res.linear.sizeInBytes, hipMemcpyHostToDevice));
    CHECK(hipCreateTextureObject(&object[1], &linear, &texture, nullptr));
    pitched.resType = hipResourceTypePitch2D;
    pitched.res.pitch2D.desc = hipCreateChannelDesc<float>();
    pitched.res.pitch2D.width = W;
    pitched.res.pitch2D.height = H;
    CHECK(hipMallocPitch(&pitched.res.pitch2D.devPtr, &pitched.res.pitch2D.pitchInBytes, W * 4, H));
    CHECK(hipMemcpy2D(pitched.res.pitch2D.devPtr, pitched.res.pitch2D.pitchInBytes, f.data(), W * 4, W * 4, H, hipMemcpyHostToDevice));
    CHECK(hipCreateTextureObject(&object[2], &pitched, &texture, nullptr));
    float4 *gathered;
    float *out;
    CHECK(hipMallocManaged((void **)&gathered, 64 * 16));
    CHECK(hipMallocManaged((void **)&out, 256 * 4));
    others<<<1, 64>>>(object[0], object[1], object[2], gathered, out);
    CHECK(hipDeviceSynchronize());
    int off[5] = {0};
    for (int i = 0; i < 64; i++) {
        const int x = i & 7, y = i >> 3;
        const float4 g = gathered[i];
        off[0] += g.x != at(x, y + 1) || g.y != at(x + 1, y + 1) || g.z != at(x + 1, y) || g.w != at(x, y);
        for (int k = 0; k < 3; k++)
            off[1 + k] += out[64 * k + i] != at(x, y);
        off[4] += out[192 + i] != i - 2 * i + 12 * i + 56;
    }
    judge("tex2Dgather", off[0]);
    judge("tex2DLod", off[1]);
    judge("tex2DGrad", off[2]);
    judge("tex2D of pitched memory", off[3]);
    judge("tex1Dfetch", off[4]);
    return 0;
}

static int surfaces(void)
{
    enum { W = 50, H = 21, D = 7 };
    const int line[] = {64, 1, 1}, plane[] = {W, H, 1}, cube[] = {W, H, D};
    hipArray *array;
    hipResourceDesc resource;
    hipSurfaceObject_t surface;
    std::vector<float2> f2(64);
    for (int i = 0; i < 64; i++)
        f2[i] = make_float2(i * .5f, -i);
    if (make_array(&array, line, 1, hipCreateChannelDesc<float2>(), f2.data(), 8))
        return 1;
    resource = resource_of(array);
    CHECK(hipCreateSurfaceObject(&surface, &resource));
    surface1<<<1, 64>>>(surface);
    std::vector<float2> g2(64);
    CHECK(hipMemcpy2DFromArray(g2.data(), 64 * 8, array, 0, 0, 64 * 8, 1, hipMemcpyDeviceToHost));
    int off = 0;
    for (int i = 0; i < 64; i++)
        off += g2[i].x != f2[i].y + i || g2[i].y != f2[i].x;
    judge("surf1D", off);

    std::vector<float> f(W * H), g(W * H);
    for (int i = 0; i < W * H; i++)
        f[i] = i * .25f;
    if (make_array(&array, plane, 2, hipCreateChannelDesc<float>(), f.data(), 4))
        return 1;
    resource = resource_of(array);
    CHECK(hipCreateSurfaceObject(&surface, &resource));
    surface2<<<dim3(8, 4), dim3(8, 8)>>>(surface, W, H);
    CHECK(hipMemcpy2DFromArray(g.data(), W * 4, array, 0, 0, W * 4, H, hipMemcpyDeviceToHost));
    off = 0;
    for (int i = 0; i < W * H; i++)
        off += g[i] != f[i] + i % W + 100 * (i / W);
    judge("surf2D", off);

    std::vector<float4> f4(W * H * D), g4(W * H * D);
    for (int i = 0; i < W * H * D; i++)
        f4[i] = make_float4(i, i * .5f, -i, 3);
    if (make_array(&array, cube, 3, hipCreateChannelDesc<float4>(), f4.data(), 16))
        return 1;
    resource = resource_of(array);
    CHECK(hipCreateSurfaceObject(&surface, &resource));
    surface3<<<dim3(H, D), W>>>(surface);
    hipMemcpy3DParms copy = {};
    copy.srcArray = array;
    copy.dstPtr = make_hipPitchedPtr(g4.data(), W * 16, W, H);
    copy.extent = make_hipExtent(W, H, D);
    copy.kind = hipMemcpyDeviceToHost;
    CHECK(hipMemcpy3D(&copy));
    off = 0;
    for (int i = 0; i < W * H * D; i++) {
        const float4 a = f4[i], b = g4[i];
        off += b.x != a.w || b.y != a.z + i % W || b.z != a.y + i / W % H || b.w != a.x + i / (W * H);
    }
    judge("surf3D", off);
    return 0;
}

static int arrays_of_images(void)
{
    enum { W = 20, H = 9, LAYERS = 5 };
    const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    std::vector<float> f(W * H * LAYERS);
    for (size_t i = 0; i < f.size(); i++)
        f[i] = (float)i;
    hipArray *array;
    CHECK(hipMalloc3DArray(&array, &format, make_hipExtent(W, H, LAYERS), hipArrayLayered));
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(f.data(), W * 4, W, H);
    copy.dstArray = array;
    copy.extent = make_hipExtent(W, H, LAYERS);
    copy.kind = hipMemcpyHostToDevice;
    CHECK(hipMemcpy3D(&copy));
    const hipResourceDesc resource = resource_of(array);
    const hipTextureDesc texture = {};
    hipTextureObject_t object;
    CHECK(hipCreateTextureObject(&object, &resource, &texture, nullptr));
    float *out;
    CHECK(hipMallocManaged((void **)&out, LAYERS * 64 * 4));
    layers<<<LAYERS, 64>>>(object, out);
    CHECK(hipDeviceSynchronize());
    int off = 0;
    for (int i = 0; i < LAYERS * 64; i++)
        off += out[i] != f[(i / 64 * H + (i % 64 >> 3)) * W + (i & 7)];
    judge("tex2DLayered", off);
    return 0;
}

int main()
{
    if (samples() || other_textures() || surfaces() || arrays_of_images())
        return 1;
    printf("%d of %d are wrong\n", wrong, cases);
    return wrong != 0;
}
