// What programs name of CUDA's headers beyond the ordinary: each part compares a kernel with the host. One argument writes the conversions to
// numbers of 8 bits, of kernel and host, to standard output, for tests/host/test_cuda_headers.py.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
namespace cg = cooperative_groups;

static void say(const char *part, bool right)
{
    std::printf("%s %s\n", part, !cudaDeviceSynchronize() && right ? "right" : "wrong");
}

template <class T> static T *memory(size_t count)
{
    T *address;
    if (cudaMallocManaged(&address, count * sizeof(T)))
        return nullptr;
    std::memset(address, 0, count * sizeof(T));
    return address;
}

// ---- tiles whose type says no parent ----

static __device__ int sum_of(cg::thread_block_tile<8> tile, int value)
{
    for (int by = 4; by; by /= 2)
        value += tile.shfl_down(value, by);
    return tile.shfl(value, 0);
}
__global__ void tiles(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    out[threadIdx.x] = sum_of(cg::tiled_partition<8>(block), threadIdx.x) + 1000 * warp.meta_group_rank();
}
static void try_tiles()
{
    int *out = memory<int>(64), wrong = 0;
    tiles<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; i++)
        wrong += out[i] != 8 * (i / 8 * 8) + 28 + i / 32 * 1000;
    say("tiles", !wrong);
}

// ---- min, max of two types ----

template <class T> static __host__ __device__ void extremes(T out, unsigned u, unsigned long l, float f, double d)
{
    out[0] = max(-1, u);
    out[1] = min(u, 7);
    out[2] = max(l, -5l);
    out[3] = min(3ll, (unsigned long long)l);
    out[4] = max(f, d);
    out[5] = min(d, f);
    out[6] = max(u, u + 1) + max(l, l + 1);
    out[7] = max(f, f + 1) + min(d, d - 1);
}
__global__ void extremes_of(double *out, unsigned u, unsigned long l, float f, double d)
{
    extremes(out, u, l, f, d);
}
static void try_extremes()
{
    double *out = memory<double>(8), host[8];
    extremes_of<<<1, 1>>>(out, 9, 11, 2.5f, -0.75);
    extremes(host, 9, 11, 2.5f, -0.75);
    cudaDeviceSynchronize();
    say("extremes", !std::memcmp(out, host, sizeof host) && host[0] == 4294967295.0 && host[1] == 7 && host[2] == 18446744073709551611.0);
}

// ---- scalar products ----

__global__ void dots(const int *in, int *out)
{
    const int a = in[3 * threadIdx.x], b = in[3 * threadIdx.x + 1], c = in[3 * threadIdx.x + 2];
    int *to = out + 9 * threadIdx.x;
    to[0] = __dp4a(a, b, c);
    to[1] = __dp4a((unsigned)a, (unsigned)b, (unsigned)c);
    to[2] = __dp2a_lo(a, b, c);
    to[3] = __dp2a_hi(a, b, c);
    to[4] = __dp2a_lo((unsigned)a, (unsigned)b, (unsigned)c);
    to[5] = __dp2a_hi((unsigned)a, (unsigned)b, (unsigned)c);
    to[6] = __dp4a(make_char4(a, a >> 8, a >> 16, a >> 24), make_char4(b, b >> 8, b >> 16, b >> 24), c);
    to[7] = __dp2a_hi(make_short2(a, a >> 16), make_char4(b, b >> 8, b >> 16, b >> 24), c);
    to[8] = __dp2a_lo(make_ushort2(a, a >> 16), make_uchar4(b, b >> 8, b >> 16, b >> 24), (unsigned)c);
}
template <class A, class B> static int dot(int a, int b, int c, int first)
{
    for (unsigned i = 0; i < 4 / sizeof(A); i++)
        c += (unsigned)((A)((unsigned)a >> 8 * sizeof(A) * i)) * (unsigned)((B)((unsigned)b >> 8 * (first + i)));
    return c;
}
static void try_dots()
{
    int *in = memory<int>(96), *out = memory<int>(9 * 32), wrong = 0;
    for (unsigned i = 0, x = 12345; i < 96; i++)
        in[i] = (int)(x = x * 1664525 + 1013904223);
    dots<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++) {
        const int a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
        typedef signed char s;
        typedef unsigned char u;
        const int want[9] = {dot<s, s>(a, b, c, 0), dot<u, u>(a, b, c, 0), dot<short, s>(a, b, c, 0), dot<short, s>(a, b, c, 2),
                             dot<unsigned short, u>(a, b, c, 0), dot<unsigned short, u>(a, b, c, 2), dot<s, s>(a, b, c, 0), dot<short, s>(a, b, c, 2),
                             dot<unsigned short, u>(a, b, c, 0)};
        wrong += std::memcmp(want, out + 9 * i, sizeof want) != 0;
    }
    say("dots", !wrong);
}

// ---- loads and stores with hints ----

struct passed {
    int value[4];
};
__global__ void hints(const __grid_constant__ passed p, const float4 *in, float4 *out, unsigned char *bytes, volatile int *flag)
{
    if (threadIdx.x == 0) { // waits for the other warp
        while (!__ldcg((const int *)flag))
            ;
        __stcg(out, __ldcs(in));
        __stwt(out + 1, __ldca(in + 1));
        __stcs(bytes, (unsigned char)(__ldcv(bytes + 1) + p.value[2]));
        __stwb(bytes + 2, __ldlu(bytes + 1));
    } else if (threadIdx.x == 32) {
        __stcg((int *)flag, 1);
    }
}
static void try_hints()
{
    float4 *in = memory<float4>(2), *out = memory<float4>(2);
    unsigned char *bytes = memory<unsigned char>(3);
    int *flag = memory<int>(1);
    passed p = {{1, 2, 30, 4}};
    in[0] = make_float4(1, 2, 3, 4);
    in[1] = make_float4(5, 6, 7, 8);
    bytes[1] = 12;
    hints<<<1, 64>>>(p, in, out, bytes, flag);
    cudaDeviceSynchronize();
    say("hints", !std::memcmp(in, out, 2 * sizeof *in) && bytes[0] == 42 && bytes[2] == 12);
}

// ---- copies to shared memory ----

__global__ void pipeline(const int4 *in, int4 *out)
{
    __shared__ int4 there[32];
    __pipeline_memcpy_async(&there[threadIdx.x], &in[threadIdx.x], 16, threadIdx.x % 4 * 3);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = there[threadIdx.x];
}
static void try_pipeline()
{
    int4 *in = memory<int4>(32), *out = memory<int4>(32);
    int wrong = 0;
    for (int i = 0; i < 128; i++)
        ((int *)in)[i] = 0x01020304 * (i % 50 + 1);
    pipeline<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 512; i++) {
        const int kept = 16 - i / 16 % 4 * 3;
        wrong += ((char *)out)[i] != (i % 16 < kept ? ((char *)in)[i] : 0);
    }
    say("pipeline", !wrong);
}

// ---- pairs of bfloat16, clock() ----

__global__ void pairs(__nv_bfloat162 *out, clock_t *time)
{
    const clock_t before = clock();
    out[0] = make_bfloat162(__float2bfloat16(1.5f), __float2bfloat16(-3));
    out[1] = make_bfloat162(__high2bfloat16(out[0]), __low2bfloat16(out[0]));
    out[2] = __hadd2(__low2bfloat162(out[0]), __high2bfloat162(out[0]));
    *time = clock() - before;
}
static void try_pairs()
{
    __nv_bfloat162 *out = memory<__nv_bfloat162>(3);
    clock_t *time = memory<clock_t>(1);
    pairs<<<1, 1>>>(out, time);
    cudaDeviceSynchronize();
    say("pairs", __low2float(out[1]) == -3 && __high2float(out[1]) == 1.5f && __low2float(out[2]) == -1.5f && *time > 0);
}

// ---- levels of textures, arrays by their type's name ----

__global__ void levels(cudaTextureObject_t texture, float *out)
{
    const float x = threadIdx.x % 4 + 0.5f, y = threadIdx.x / 4 + 0.5f;
    float by_address;
    tex2D(&by_address, texture, x, y);
    out[4 * threadIdx.x] = tex2D<float>(texture, x, y);
    out[4 * threadIdx.x + 1] = tex2DLod<float>(texture, x, y, 0);
    out[4 * threadIdx.x + 2] = tex2DGrad<float>(texture, x, y, make_float2(0, 0), make_float2(0, 0));
    out[4 * threadIdx.x + 3] = by_address;
}
static void try_levels()
{
    cudaArray *array;
    float in[16], *out = memory<float>(64);
    int wrong = 0;
    for (int i = 0; i < 16; i++)
        in[i] = i * 1.25f;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    wrong += cudaMallocArray(&array, &desc, 4, 4) != 0;
    wrong += cudaMemcpy2DToArray(array, 0, 0, in, 16, 16, 4, cudaMemcpyHostToDevice) != 0;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    wrong += cudaCreateTextureObject(&texture, &resource, &how, nullptr) != 0;
    levels<<<1, 16>>>(texture, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; i++)
        wrong += out[i] != in[i / 4];
    wrong += cudaFreeArray(array) != 0;
    say("levels", !wrong);
}

// ---- levels of mipmapped arrays: that of a number, with its bias and clamps, of gradients, and two that are mixed ----

__global__ void mipmaps(cudaTextureObject_t near, cudaTextureObject_t mixed, cudaTextureObject_t layers, const float *level, float *out)
{
    const float u = (threadIdx.x % 8 + 0.5f) / 8, v = (threadIdx.x / 8 + 0.5f) / 8, l = level[threadIdx.x];
    out[4 * threadIdx.x] = tex2DLod<float>(near, u, v, l);
    out[4 * threadIdx.x + 1] = tex2DLod<float>(mixed, u, v, l);
    out[4 * threadIdx.x + 2] = tex2DGrad<float>(mixed, u, v, make_float2(exp2f(l) / 16, 0), make_float2(0, exp2f(l) / 8));
    out[4 * threadIdx.x + 3] = tex2DLayeredLod<float>(layers, u, v, 1, l) + tex2D<float>(near, u, v);
}
static float texel(int level, int thread, int layer = 0)
{
    return 1000 * layer + 100 * level + 10 * (thread / 8 >> level) + (thread % 8 >> level);
}
// The value of a level between the first and the last that are used.
static float level_of(float level, float least, float most, bool mixes, int thread, int layer = 0)
{
    level = std::fmin(std::fmax(level, least), std::fmin(most, 3));
    if (!mixes)
        return texel(std::floor(level + 0.5f), thread, layer);
    const int first = std::floor(level);
    const float weight = std::floor((level - first) * 256 + 0.5f) / 256;
    return texel(first, thread, layer) * (1 - weight) + (weight > 0 ? texel(first + 1, thread, layer) * weight : 0);
}
static cudaMipmappedArray_t levels_of(int layers, int *wrong)
{
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t all;
    *wrong += cudaMallocMipmappedArray(&all, &desc, make_cudaExtent(8, 8, layers), 9, layers ? cudaArrayLayered : 0) != 0;
    for (int level = 0; level < 4; level++) {
        const int size = 8 >> level;
        float in[2 * 64];
        cudaArray_t array;
        cudaExtent extent;
        *wrong += cudaGetMipmappedArrayLevel(&array, all, level) != 0;
        *wrong += cudaArrayGetInfo(nullptr, &extent, nullptr, array) || extent.width != size_t(size) || extent.depth != size_t(layers);
        for (int i = 0; i < size * size * 2; i++)
            in[i] = 1000 * (i / size / size) + 100 * level + 10 * (i / size % size) + i % size;
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(in, size * 4, size, size);
        copy.dstArray = array;
        copy.extent = make_cudaExtent(size, size, layers ? layers : 1);
        copy.kind = cudaMemcpyHostToDevice;
        *wrong += cudaMemcpy3D(&copy) != 0;
        *wrong += cudaFreeArray(array) == cudaSuccess; // the whole owns it
    }
    cudaArray_t none;
    *wrong += cudaGetMipmappedArrayLevel(&none, all, 4) != cudaErrorInvalidValue;
    cudaGetLastError();
    return all;
}
static cudaTextureObject_t texture_of(cudaMipmappedArray_t all, bool mixes, float bias, float least, float most, int *wrong)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture = 0;
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = all;
    *wrong += cudaCreateTextureObject(&texture, &resource, &how, nullptr) != cudaErrorInvalidValue; // coordinates must be from 0 to 1
    how.normalizedCoords = 1;
    how.mipmapFilterMode = mixes ? cudaFilterModeLinear : cudaFilterModePoint;
    how.mipmapLevelBias = bias;
    how.minMipmapLevelClamp = least;
    how.maxMipmapLevelClamp = most;
    *wrong += cudaCreateTextureObject(&texture, &resource, &how, nullptr) != 0;
    return texture;
}
static void try_mipmaps()
{
    int wrong = 0;
    float *level = memory<float>(64), *out = memory<float>(256);
    const cudaMipmappedArray_t all = levels_of(0, &wrong), layered = levels_of(2, &wrong);
    for (int i = 0; i < 64; i++)
        level[i] = (i * 7 % 64) / 14.f - 0.5f;
    mipmaps<<<1, 64>>>(texture_of(all, false, 0.5f, 0.25f, 2, &wrong), texture_of(all, true, 0, 0, 9, &wrong), texture_of(layered, false, 0, 0, 9, &wrong),
                       level, out);
    wrong += cudaDeviceSynchronize() != 0;
    for (int i = 0; i < 64; i++) {
        const float want[4] = {level_of(level[i] + 0.5f, 0.25f, 2, false, i), level_of(level[i], 0, 9, true, i), level_of(level[i], 0, 9, true, i),
                               level_of(level[i], 0, 9, false, i, 1) + texel(0, i)};
        for (int k = 0; k < 4; k++) // of gradients a level is rounded
            wrong += std::fabs(out[4 * i + k] - want[k]) > (k == 2 ? 0.5f : k == 1 ? 0.001f : 0);
    }
    wrong += cudaFreeMipmappedArray(all) || cudaFreeMipmappedArray(layered) || cudaFreeMipmappedArray(all) == cudaSuccess;
    cudaGetLastError();
    say("mipmaps", !wrong);
}

// ---- numbers of 8 bits ----

enum { HALVES = 65536, EACH = 4 * HALVES + 2 * 256 * 2 };
static __host__ __device__ void convert(unsigned half, unsigned char *out)
{
    const __half_raw raw = {(unsigned short)half};
    const float wide = __half2float(__half(raw));
    out[half] = __nv_cvt_float_to_fp8(wide, __NV_SATFINITE, __NV_E4M3);
    out[HALVES + half] = __nv_cvt_halfraw_to_fp8(raw, __NV_NOSAT, __NV_E4M3);
    out[2 * HALVES + half] = __nv_fp8_e5m2(wide).__x;
    out[3 * HALVES + half] = __nv_cvt_double_to_fp8(wide, __NV_NOSAT, __NV_E5M2);
    if (half < 256) {
        const __half_raw back[2] = {__nv_cvt_fp8_to_halfraw(half, __NV_E4M3), __nv_cvt_fp8_to_halfraw(half, __NV_E5M2)};
        for (int i = 0; i < 2; i++)
            __builtin_memcpy(out + 4 * HALVES + 512 * i + 2 * half, &back[i], 2);
    }
}
__global__ void converted(unsigned char *out)
{
    convert(blockIdx.x * blockDim.x + threadIdx.x, out);
}
static void try_eighths(bool write)
{
    unsigned char *out = memory<unsigned char>(EACH), *host = new unsigned char[EACH];
    converted<<<HALVES / 256, 256>>>(out);
    for (unsigned half = 0; half < HALVES; half++)
        convert(half, host);
    const cudaError_t error = cudaDeviceSynchronize();
    if (write)
        fwrite(out, 1, EACH, stdout);
    __nv_fp8x4_e4m3 four(make_float4(1, -2.25f, 500, 0.001f));
    const float4 back = (float4)four;
    if (!write)
        say("eighths", !error && !std::memcmp(out, host, EACH) && back.x == 1 && back.y == -2.25f && back.z == 448 && back.w == 0x1p-9f * 1 &&
                           (float)__nv_fp8_e5m2(3) == 3 && !(bool)__nv_fp8_e4m3(-0.0f));
}

// ---- greater and lesser ones of sums, and of three ----

#if __CUDACC__ /* a number, as nvcc's */
static __host__ __device__ void sums(unsigned *out, unsigned a, unsigned b, unsigned c)
{
    bool is[6];
    const unsigned all[] = {(unsigned)__viaddmax_s32(a, b, c), (unsigned)__viaddmin_s32_relu(a, b, c), __viaddmax_u32(a, b, c), __viaddmin_s16x2(a, b, c),
                            __viaddmax_u16x2(a, b, c), __viaddmax_s16x2_relu(a, b, c), (unsigned)__vimax3_s32(a, b, c), __vimin3_u32(a, b, c),
                            __vimin3_s16x2(a, b, c), __vimax3_s16x2_relu(a, b, c), (unsigned)__vimax_s32_relu(a, b), __vimin_s16x2_relu(a, b),
                            (unsigned)__vibmax_s32(a, b, &is[0]), __vibmin_u32(a, b, &is[1]), __vibmax_s16x2(a, b, &is[2], &is[3]),
                            __vibmin_u16x2(a, b, &is[4], &is[5])};
    for (int i = 0; i < 16; i++)
        out[i] = all[i];
    out[16] = is[0] | is[1] << 1 | is[2] << 2 | is[3] << 3 | is[4] << 4 | is[5] << 5;
}
__global__ void sums_on_gpu(unsigned *out, const unsigned *in)
{
    const unsigned i = threadIdx.x;
    sums(out + 17 * i, in[i], in[i + 1], in[i + 2]);
}
#endif

/* By way of numbers of 64 bits: what a half of so many bits at `at` holds. */
static long long part(unsigned word, int bits, int at, bool is_signed)
{
    const long long v = word >> at & (bits == 16 ? 0xffffu : ~0u);
    return is_signed && v >> (bits - 1) ? v - (1ll << bits) : v;
}
/* how: 0: a + b against c; 1: of three; 2: of two. */
static unsigned expected(int bits, bool is_signed, bool greater, bool relu, int how, unsigned a, unsigned b, unsigned c)
{
    unsigned out = 0;
    for (int at = 0; at < 32; at += bits) {
        const long long x = part(a, bits, at, is_signed), y = part(b, bits, at, is_signed), z = part(c, bits, at, is_signed);
        const long long sum = part((unsigned)(x + y), bits, 0, is_signed);
        const long long first = how == 0 ? sum : greater ? std::max(x, y) : std::min(x, y), other = how == 2 ? first : z;
        long long best = greater ? std::max(first, other) : std::min(first, other);
        best = relu && best < 0 ? 0 : best;
        out |= (bits == 16 ? (unsigned)best & 0xffff : (unsigned)best) << at;
    }
    return out;
}
static void try_sums()
{
    enum { N = 64 };
    unsigned *in = memory<unsigned>(N + 2), *out = memory<unsigned>(17 * N), wrong = 0;
    for (unsigned i = 0; i < N + 2; i++)
        in[i] = i < 6 ? (i & 1 ? 0x80007fff : 0x7fff8000) + i / 2 : (i * 2654435761u) >> (i % 3 * 9);
    sums_on_gpu<<<1, N>>>(out, in);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < N; i++) {
        const unsigned a = in[i], b = in[i + 1], c = in[i + 2];
        const struct {
            int bits;
            bool is_signed, greater, relu;
            int how;
        } of[16] = {{32, 1, 1, 0, 0}, {32, 1, 0, 1, 0}, {32, 0, 1, 0, 0}, {16, 1, 0, 0, 0}, {16, 0, 1, 0, 0}, {16, 1, 1, 1, 0}, {32, 1, 1, 0, 1}, {32, 0, 0, 0, 1},
                    {16, 1, 0, 0, 1}, {16, 1, 1, 1, 1}, {32, 1, 1, 1, 2}, {16, 1, 0, 1, 2}, {32, 1, 1, 0, 2}, {32, 0, 0, 0, 2}, {16, 1, 1, 0, 2}, {16, 0, 0, 0, 2}};
        unsigned host[17], is = (int)a >= (int)b;
        is |= (a <= b) << 1 | (part(a, 16, 16, 1) >= part(b, 16, 16, 1)) << 2 | (part(a, 16, 0, 1) >= part(b, 16, 0, 1)) << 3 |
              (a >> 16 <= b >> 16) << 4 | ((a & 0xffff) <= (b & 0xffff)) << 5;
        sums(host, a, b, c);
        for (int k = 0; k < 17; k++) {
            const unsigned want = k == 16 ? is : expected(of[k].bits, of[k].is_signed, of[k].greater, of[k].relu, of[k].how, a, b, c);
            wrong += host[k] != want || out[17 * i + k] != want;
        }
    }
    say("sums", !wrong);
}

// ---- functions in the forms of other versions of CUDA ----

__global__ void add_one(int *out)
{
    out[0]++;
}
static void try_forms()
{
    int *out = memory<int>(1);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    char text[8] = "x";
    const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    bool right = !cudaFuncSetCacheConfig(add_one, cudaFuncCachePreferL1) && !cudaFuncSetSharedMemConfig(add_one, cudaSharedMemBankSizeDefault) &&
                 !cudaMemPrefetchAsync(out, sizeof *out, here, 0) && !cudaMemAdvise(out, sizeof *out, cudaMemAdviseSetReadMostly, here) &&
                 !cudaStreamCreate(&stream) && !cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    add_one<<<1, 1, 0, stream>>>(out);
    right &= !cudaStreamEndCapture(stream, &graph) && !cudaGraphInstantiate(&exec, graph, &node, text, sizeof text) && !text[0] &&
             !cudaGraphLaunch(exec, stream) && !cudaGraphLaunch(exec, stream) && !cudaStreamSynchronize(stream);
    const __nv_fp8x4_e4m3 four(make_half2(1, 2), make_half2(-3, 448)), same(make_float4(1, 2, -3, 448)), doubles(make_double4(1, 2, -3, 448));
    const __nv_fp8x4_e5m2 wide(make_bfloat162(1, 2), make_bfloat162(-3, 448));
    const float4 back = float4(wide);
    say("forms", right && *out == 2 && four.__x == same.__x && same.__x == doubles.__x && back.x == 1 && back.y == 2 && back.z == -3 && back.w == 448);
}

int main(int count, char **)
{
    if (count > 1) {
        try_eighths(true);
        return 0;
    }
    try_tiles();
    try_extremes();
    try_dots();
    try_hints();
    try_pipeline();
    try_pairs();
    try_levels();
    try_mipmaps();
    try_eighths(false);
    try_sums();
    try_forms();
    return clock() < 0;
}
