// What ordinary CUDA C++ programs use, as somebody writes them who knows NVIDIA's toolkit only: each part
// compares with the host.
#include <cuComplex.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <math_constants.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define checkCudaErrors(call)                                                                      \
    do {                                                                                           \
        cudaError_t err = call;                                                                    \
        if (err != cudaSuccess) {                                                                  \
            fprintf(stderr, "CUDA error at %s:%d: %s (%s)\n", __FILE__, __LINE__,                  \
                    cudaGetErrorString(err), cudaGetErrorName(err));                               \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

static void report(const char *name, bool passed)
{
    printf("%s %s\n", name, passed ? "passed" : "failed");
}

// ---- what a device query prints ----

static bool device_query()
{
    int count = 0, driver = 0, runtime = 0, chosen = -1, value = 0;
    checkCudaErrors(cudaGetDeviceCount(&count));
    checkCudaErrors(cudaDriverGetVersion(&driver));
    checkCudaErrors(cudaRuntimeGetVersion(&runtime));
    cudaDeviceProp p;
    checkCudaErrors(cudaGetDeviceProperties(&p, 0));
    printf("%d device(s), driver %d, runtime %d: \"%s\", %d.%d, %zu MiB\n", count, driver, runtime,
           p.name, p.major, p.minor, p.totalGlobalMem >> 20);
    bool good = p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[2] == 64 &&
                p.maxGridSize[1] == 65535 && p.sharedMemPerBlock == 49152 &&
                p.sharedMemPerBlockOptin == (p.major == 7 ? 98304 : 49152) &&
                p.sharedMemPerMultiprocessor == (p.major == 7 ? 98304 : 65536) &&
                p.regsPerBlock == 65536 && p.maxThreadsPerMultiProcessor == 2048 &&
                p.maxBlocksPerMultiProcessor == 32 && p.maxTexture2D[1] == 65536 &&
                p.maxTexture3D[2] == 16384 && p.unifiedAddressing && p.managedMemory &&
                p.cooperativeLaunch && p.memoryPoolsSupported && p.deviceOverlap &&
                p.computeMode == cudaComputeModeDefault && !p.integrated && !p.ECCEnabled &&
                memcmp(p.uuid.bytes, "wavetrap", 8) == 0;
    checkCudaErrors(cudaChooseDevice(&chosen, &p));
    checkCudaErrors(cudaDeviceGetAttribute(&value, cudaDevAttrMaxGridDimX, 0));
    unsigned flags = 99;
    checkCudaErrors(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    checkCudaErrors(cudaGetDeviceFlags(&flags));
    cudaFuncCache cache;
    checkCudaErrors(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    checkCudaErrors(cudaDeviceGetCacheConfig(&cache));
    size_t limit = 0;
    checkCudaErrors(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 21));
    checkCudaErrors(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    char bus[32];
    int by_bus = -1;
    checkCudaErrors(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    checkCudaErrors(cudaDeviceGetByPCIBusId(&by_bus, bus));
    return good && chosen == 0 && value == 0x7fffffff && by_bus == 0 && limit == 1 << 21 &&
           cache == cudaFuncCachePreferL1 && flags & cudaDeviceScheduleBlockingSync;
}

// ---- multiplying matrices, with tiles in shared memory ----

template <int TILE> __global__ void matrixMul(float *C, const float *A, const float *B, int wA, int wB)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int m = 0; m < wA / TILE; m++) {
        As[ty][tx] = A[row * wA + m * TILE + tx];
        Bs[ty][tx] = B[(m * TILE + ty) * wB + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    C[row * wB + column] = sum;
}

static bool matrix_multiplication()
{
    const int hA = 32, wA = 48, wB = 64;
    float *h_A, *h_B, *h_C, *d_A, *d_B, *d_C;
    checkCudaErrors(cudaMallocHost(&h_A, hA * wA * sizeof(float)));
    checkCudaErrors(cudaMallocHost(&h_B, wA * wB * sizeof(float)));
    checkCudaErrors(cudaHostAlloc(&h_C, hA * wB * sizeof(float), cudaHostAllocPortable));
    for (int i = 0; i < hA * wA; i++)
        h_A[i] = (i % 7) * 0.25f;
    for (int i = 0; i < wA * wB; i++)
        h_B[i] = (i % 5) - 2;
    checkCudaErrors(cudaMalloc(reinterpret_cast<void **>(&d_A), hA * wA * sizeof(float)));
    checkCudaErrors(cudaMalloc(reinterpret_cast<void **>(&d_B), wA * wB * sizeof(float)));
    checkCudaErrors(cudaMalloc(reinterpret_cast<void **>(&d_C), hA * wB * sizeof(float)));
    cudaStream_t stream;
    cudaEvent_t start, stop;
    checkCudaErrors(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    checkCudaErrors(cudaEventCreate(&start));
    checkCudaErrors(cudaEventCreate(&stop, cudaEventBlockingSync));
    checkCudaErrors(cudaMemcpyAsync(d_A, h_A, hA * wA * sizeof(float), cudaMemcpyHostToDevice, stream));
    checkCudaErrors(cudaMemcpyAsync(d_B, h_B, wA * wB * sizeof(float), cudaMemcpyHostToDevice, stream));
    checkCudaErrors(cudaProfilerStart());
    checkCudaErrors(cudaEventRecord(start, stream));
    const dim3 threads(16, 16), grid(wB / threads.x, hA / threads.y);
    matrixMul<16><<<grid, threads, 0, stream>>>(d_C, d_A, d_B, wA, wB);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaEventRecord(stop, stream));
    checkCudaErrors(cudaEventSynchronize(stop));
    checkCudaErrors(cudaProfilerStop());
    float milliseconds = -1;
    checkCudaErrors(cudaEventElapsedTime(&milliseconds, start, stop));
    checkCudaErrors(cudaMemcpyAsync(h_C, d_C, hA * wB * sizeof(float), cudaMemcpyDeviceToHost, stream));
    checkCudaErrors(cudaStreamSynchronize(stream));
    bool good = milliseconds >= 0;
    for (int y = 0; y < hA; y++)
        for (int x = 0; x < wB; x++) {
            float sum = 0;
            for (int k = 0; k < wA; k++)
                sum += h_A[y * wA + k] * h_B[k * wB + x];
            good &= fabsf(sum - h_C[y * wB + x]) < 1e-4f;
        }
    checkCudaErrors(cudaFreeHost(h_A));
    checkCudaErrors(cudaFreeHost(h_B));
    checkCudaErrors(cudaFreeHost(h_C));
    checkCudaErrors(cudaFree(d_A));
    checkCudaErrors(cudaFree(d_B));
    checkCudaErrors(cudaFree(d_C));
    checkCudaErrors(cudaEventDestroy(start));
    checkCudaErrors(cudaEventDestroy(stop));
    checkCudaErrors(cudaStreamDestroy(stream));
    return good;
}

// ---- bodies that attract each other ----

struct __align__(16) body {
    float4 position;
    float3 velocity;
};

__device__ __forceinline__ float3 interaction(float3 a, float4 bi, float4 bj, float softening)
{
    const float3 r = make_float3(bj.x - bi.x, bj.y - bi.y, bj.z - bi.z);
    const float d2 = __fmaf_rn(r.x, r.x, __fmaf_rn(r.y, r.y, r.z * r.z)) + softening;
    const float inverse = rsqrtf(d2), s = bj.w * (inverse * inverse * inverse);
    a.x += r.x * s;
    a.y += r.y * s;
    a.z += r.z * s;
    return a;
}

__global__ void __launch_bounds__(64) nbody(const float4 *__restrict__ position, float3 *acceleration, int n)
{
    extern __shared__ float4 shared[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 own = position[i];
    float3 a = {0.0f, 0.0f, 0.0f};
    for (int tile = 0; tile < n; tile += blockDim.x) {
        shared[threadIdx.x] = __ldg(&position[tile + threadIdx.x]);
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++)
            a = interaction(a, own, shared[k], 0.01f);
        __syncthreads();
    }
    acceleration[i] = a;
}

static bool bodies()
{
    const int n = 128;
    float4 *position;
    float3 *acceleration;
    checkCudaErrors(cudaMallocManaged(&position, n * sizeof(float4)));
    checkCudaErrors(cudaMallocManaged(&acceleration, n * sizeof(float3)));
    for (int i = 0; i < n; i++)
        position[i] = make_float4(cosf(i * 0.3f), sinf(i * 0.7f), i * 0.01f, 1.0f + i % 3);
    checkCudaErrors(cudaMemPrefetchAsync(position, n * sizeof(float4), 0));
    checkCudaErrors(cudaMemAdvise(position, n * sizeof(float4), cudaMemAdviseSetReadMostly, 0));
    nbody<<<n / 64, 64, 64 * sizeof(float4)>>>(position, acceleration, n);
    checkCudaErrors(cudaDeviceSynchronize());
    bool good = true;
    for (int i = 0; i < n; i += 17) {
        double x = 0;
        for (int k = 0; k < n; k++) {
            const double rx = position[k].x - position[i].x, ry = position[k].y - position[i].y,
                         rz = position[k].z - position[i].z;
            const double d2 = rx * rx + ry * ry + rz * rz + 0.01f;
            x += rx * position[k].w / (d2 * sqrt(d2));
        }
        good &= fabs(acceleration[i].x - x) < 1e-3 * (1 + fabs(x));
    }
    checkCudaErrors(cudaFree(position));
    checkCudaErrors(cudaFree(acceleration));
    return good;
}

// ---- a filter with coefficients in constant memory ----

#define RADIUS 3
__constant__ float c_Kernel[2 * RADIUS + 1];
__device__ unsigned d_Touched;

__global__ void convolutionRow(float *out, const float *in, int w, int h, size_t pitch)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    const float *row = (const float *)((const char *)in + y * pitch);
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) {
        const int at = min(max(x + k, 0), w - 1);
        sum += row[at] * c_Kernel[RADIUS - k];
    }
    ((float *)((char *)out + y * pitch))[x] = sum;
    atomicInc(&d_Touched, 0xffffffffu);
}

static bool convolution()
{
    const int w = 50, h = 6;
    const float coefficients[] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};
    std::vector<float> in(w * h), out(w * h);
    for (int i = 0; i < w * h; i++)
        in[i] = (i * 37) % 101;
    float *d_in, *d_out;
    size_t pitch, out_pitch;
    unsigned touched = 0;
    checkCudaErrors(cudaMemcpyToSymbol(c_Kernel, coefficients, sizeof coefficients));
    checkCudaErrors(cudaMemcpyToSymbolAsync(d_Touched, &touched, sizeof touched, 0, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMallocPitch(&d_in, &pitch, w * sizeof(float), h));
    checkCudaErrors(cudaMallocPitch(&d_out, &out_pitch, w * sizeof(float), h));
    checkCudaErrors(cudaMemset2D(d_out, out_pitch, 0xff, w * sizeof(float), h));
    checkCudaErrors(cudaMemcpy2D(d_in, pitch, in.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
    convolutionRow<<<dim3((w + 31) / 32, h), 32>>>(d_out, d_in, w, h, pitch);
    checkCudaErrors(cudaPeekAtLastError());
    checkCudaErrors(cudaMemcpy2D(out.data(), w * sizeof(float), d_out, out_pitch, w * sizeof(float), h, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpyFromSymbol(&touched, d_Touched, sizeof touched));
    bool good = pitch == out_pitch && touched == unsigned(w * h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int k = -RADIUS; k <= RADIUS; k++)
                sum += in[y * w + min(max(x + k, 0), w - 1)] * coefficients[RADIUS - k];
            good &= fabsf(sum - out[y * w + x]) < 1e-3f;
        }
    checkCudaErrors(cudaFree(d_in));
    checkCudaErrors(cudaFree(d_out));
    return good;
}

// ---- volumes: memory and arrays of three dimensions ----

__global__ void addOne(cudaPitchedPtr volume, cudaExtent extent)
{
    const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    char *slice = (char *)volume.ptr + z * volume.pitch * extent.height;
    ((int *)(slice + y * volume.pitch))[x] += 1;
}

static bool volumes()
{
    const size_t w = 7, h = 5, d = 4;
    const cudaExtent bytes = make_cudaExtent(w * sizeof(int), h, d), texels = make_cudaExtent(w, h, d);
    int in[d][h][w], out[d][h][w];
    for (size_t i = 0; i < w * h * d; i++)
        (&in[0][0][0])[i] = int(i * i);
    cudaPitchedPtr volume;
    checkCudaErrors(cudaMalloc3D(&volume, bytes));
    checkCudaErrors(cudaMemset3D(volume, 0x77, bytes));
    cudaMemcpy3DParms copy = {0};
    copy.srcPtr = make_cudaPitchedPtr(in, w * sizeof(int), w, h);
    copy.dstPtr = volume;
    copy.extent = bytes;
    copy.kind = cudaMemcpyHostToDevice;
    checkCudaErrors(cudaMemcpy3D(&copy));
    addOne<<<d, dim3(w, h)>>>(volume, texels);
    cudaArray_t array;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
    checkCudaErrors(cudaMalloc3DArray(&array, &desc, texels));
    cudaMemcpy3DParms in_array = {0};
    in_array.srcPtr = make_cudaPitchedPtr(volume.ptr, volume.pitch, w, h);
    in_array.dstArray = array;
    in_array.extent = texels;
    in_array.kind = cudaMemcpyDeviceToDevice;
    checkCudaErrors(cudaMemcpy3DAsync(&in_array));
    cudaChannelFormatDesc got;
    cudaExtent size;
    unsigned flags;
    checkCudaErrors(cudaArrayGetInfo(&got, &size, &flags, array));
    cudaMemcpy3DParms back = {0};
    back.srcArray = array;
    back.dstPtr = make_cudaPitchedPtr(out, w * sizeof(int), w, h);
    back.extent = texels;
    back.kind = cudaMemcpyDeviceToHost;
    checkCudaErrors(cudaMemcpy3D(&back));
    bool good = got.x == 32 && got.y == 0 && got.f == cudaChannelFormatKindSigned && size.depth == d &&
                size.width == w;
    for (size_t i = 0; i < w * h * d; i++)
        good &= (&out[0][0][0])[i] == int(i * i) + 1;
    cudaArray_t flat;
    int line[12], again[12] = {0};
    for (int i = 0; i < 12; i++)
        line[i] = 50 - i;
    checkCudaErrors(cudaMallocArray(&flat, &desc, 4, 3));
    checkCudaErrors(cudaMemcpyToArray(flat, 0, 0, line, sizeof line, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpyFromArray(again, flat, 8, 1, 5 * sizeof(int), cudaMemcpyDeviceToHost));
    good &= again[0] == 44 && again[1] == 43 && again[2] == 42 && again[4] == 40;
    checkCudaErrors(cudaFreeArray(flat));
    checkCudaErrors(cudaFreeArray(array));
    checkCudaErrors(cudaFree(volume.ptr));
    return good;
}

// ---- the intrinsics that people reach for ----

__global__ void intrinsics(unsigned *o, float *f, const unsigned *in)
{
    const unsigned a = in[0], b = in[1];
    o[0] = __popc(a);
    o[1] = __clz(a);
    o[2] = __ffs(a);
    o[3] = __brev(a);
    o[4] = __byte_perm(a, b, 0x5410);
    o[5] = __umulhi(a, b);
    o[6] = __mul24((int)a, (int)b);
    o[7] = __usad(a, b, 7u);
    o[8] = __funnelshift_l(a, b, 8);
    o[9] = __funnelshift_r(a, b, 8);
    o[10] = (unsigned)__popcll((unsigned long long)a << 32 | b);
    o[11] = __float_as_uint(1.5f);
    o[12] = (unsigned)__float2int_rn(2.5f) + (unsigned)__float2int_rd(-2.5f) * 16u;
    o[13] = (unsigned)__double2hiint(CUDART_PI);
    o[14] = __hadd(5, 8);
    o[15] = __rhadd(5, 8);
    f[0] = __saturatef(1.7f);
    f[1] = __int_as_float(0x40490fdb);
    f[2] = __fdividef(1.0f, 4.0f);
    f[3] = __expf(0.0f) + __logf(1.0f) + __powf(2.0f, 3.0f);
    f[4] = fmaf(2.0f, 3.0f, 4.0f);
    f[5] = sinpif(0.5f) + cospif(1.0f);
    f[6] = CUDART_PI_F;
    f[7] = copysignf(3.0f, -1.0f) + fminf(1.0f, 2.0f) + fmaxf(1.0f, 2.0f);
}

static bool many_intrinsics()
{
    unsigned *in, *o;
    float *f;
    checkCudaErrors(cudaMallocManaged(&in, 8));
    checkCudaErrors(cudaMallocManaged(&o, 64 * sizeof *o));
    checkCudaErrors(cudaMallocManaged(&f, 16 * sizeof *f));
    const unsigned a = in[0] = 0x00f0a5c3, b = in[1] = 0x12345678;
    intrinsics<<<1, 1>>>(o, f, in);
    checkCudaErrors(cudaDeviceSynchronize());
    unsigned reversed = 0;
    for (int i = 0; i < 32; i++)
        reversed |= (a >> i & 1) << (31 - i);
    const int a24 = int(a << 8) >> 8, b24 = int(b << 8) >> 8;
    const bool whole =
        o[0] == 12 && o[1] == 8 && o[2] == 1 && o[3] == reversed && o[4] == 0x5678a5c3 &&
        o[5] == unsigned((unsigned long long)a * b >> 32) && o[6] == unsigned(a24 * b24) &&
        o[7] == b - a + 7 && o[8] == (b << 8 | a >> 24) && o[9] == (a >> 8 | b << 24) &&
        o[10] == 12 + 13 && o[11] == 0x3fc00000 && o[12] == 2 + unsigned(-3) * 16u &&
        o[13] == 0x400921fb && o[14] == 6 && o[15] == 7;
    const bool fractions = f[0] == 1 && f[1] == 3.14159274f && f[2] == 0.25f && fabsf(f[3] - 9) < 1e-5f &&
                           f[4] == 10 && f[5] == 0 && f[6] == 3.14159274f && f[7] == 0;
    if (!whole || !fractions)
        for (int i = 0; i < 16; i++)
            printf("%d: %x %g\n", i, o[i], f[i % 8]);
    checkCudaErrors(cudaFree(in));
    checkCudaErrors(cudaFree(o));
    checkCudaErrors(cudaFree(f));
    return whole && fractions;
}

// ---- sizes by occupancy, streams with callbacks, pools ----

__global__ void square(int *data, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= data[i];
}

__global__ void shift(int *data, long by, float factor)
{
    data[threadIdx.x] = int((data[threadIdx.x] + by) * factor);
}

static void CUDART_CB called(cudaStream_t, cudaError_t status, void *data)
{
    *(int *)data += status == cudaSuccess ? 1 : 100;
}

static bool occupancy_and_streams()
{
    int min_grid = 0, block = 0, per_sm = 0, calls = 0;
    checkCudaErrors(cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, square, 0, 0));
    bool good = block == 1024 && min_grid == 2;
    checkCudaErrors(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        &min_grid, &block, square, [](int size) { return size * 64; }));
    good &= (block == 768 || block == 512) && min_grid == 2; // 48 KiB each of the 96 of 7.0, 32 of the 64 of 5.0
    checkCudaErrors(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, square, 256, 0));
    good &= per_sm == 8;
    checkCudaErrors(cudaFuncSetAttribute(square, cudaFuncAttributeMaxDynamicSharedMemorySize, 40000));
    cudaFuncAttributes attributes;
    checkCudaErrors(cudaFuncGetAttributes(&attributes, square));
    good &= attributes.maxDynamicSharedSizeBytes == 40000 && attributes.maxThreadsPerBlock == 1024;

    const int streams = 3, n = 100;
    cudaStream_t stream[streams];
    cudaEvent_t done[streams];
    int least, greatest, *data[streams];
    int host[streams][n];
    checkCudaErrors(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    for (int s = 0; s < streams; s++) {
        checkCudaErrors(cudaStreamCreateWithPriority(&stream[s], cudaStreamNonBlocking, greatest));
        checkCudaErrors(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
        checkCudaErrors(cudaMallocAsync(&data[s], n * sizeof(int), stream[s]));
        for (int i = 0; i < n; i++)
            host[s][i] = i + s;
        checkCudaErrors(cudaMemcpyAsync(data[s], host[s], sizeof host[s], cudaMemcpyHostToDevice, stream[s]));
        square<<<1, 128, 0, stream[s]>>>(data[s], n);
        checkCudaErrors(cudaMemcpyAsync(host[s], data[s], sizeof host[s], cudaMemcpyDeviceToHost, stream[s]));
        checkCudaErrors(cudaStreamAddCallback(stream[s], called, &calls, 0));
        checkCudaErrors(cudaLaunchHostFunc(stream[s], [](void *p) { *(int *)p += 10; }, &calls));
        checkCudaErrors(cudaEventRecord(done[s], stream[s]));
        checkCudaErrors(cudaStreamWaitEvent(stream[0], done[s]));
        checkCudaErrors(cudaFreeAsync(data[s], stream[s]));
    }
    checkCudaErrors(cudaStreamSynchronize(stream[0]));
    good &= calls == 33 && cudaEventQuery(done[1]) == cudaSuccess;
    for (int s = 0; s < streams; s++) {
        for (int i = 0; i < n; i++)
            good &= host[s][i] == (i + s) * (i + s);
        checkCudaErrors(cudaStreamDestroy(stream[s]));
        checkCudaErrors(cudaEventDestroy(done[s]));
    }

    cudaMemPool_t pool;
    unsigned long long threshold = 1 << 20, used = 9;
    int *memory;
    checkCudaErrors(cudaDeviceGetDefaultMemPool(&pool, 0));
    checkCudaErrors(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    checkCudaErrors(cudaMallocFromPoolAsync(&memory, 4000, pool, cudaStreamPerThread));
    checkCudaErrors(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    good &= used == 4000;
    checkCudaErrors(cudaMemset(memory, 0, 4000));
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 32;
    checkCudaErrors(cudaLaunchKernelEx(&config, shift, memory, 7, 2)); // an int becomes a long, and a float
    checkCudaErrors(cudaMemcpy(host[0], memory, 4, cudaMemcpyDefault));
    good &= host[0][0] == 14;
    checkCudaErrors(cudaFreeAsync(memory, cudaStreamLegacy));
    return good;
}

// ---- complex numbers, a Mandelbrot set ----

__host__ __device__ static int steps(cuDoubleComplex c, int most)
{
    cuDoubleComplex z = make_cuDoubleComplex(0, 0);
    int n = 0;
    while (n < most && cuCreal(z) * cuCreal(z) + cuCimag(z) * cuCimag(z) < 4) {
        z = cuCadd(cuCmul(z, z), c);
        n++;
    }
    return n;
}

__global__ void mandelbrot(uchar4 *image, int w, int h, cuFloatComplex *quotient)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    const int n = steps(make_cuDoubleComplex(-2 + 3.0 * x / w, -1 + 2.0 * y / h), 60);
    image[y * w + x] = make_uchar4(n, n * 2, n * 3, 255);
    if (x + y == 0)
        *quotient = cuCdivf(make_cuFloatComplex(3, 1), make_cuFloatComplex(1, -1));
}

static bool complex_numbers()
{
    const int w = 40, h = 30;
    uchar4 *image;
    cuFloatComplex *quotient;
    checkCudaErrors(cudaMallocManaged(&image, w * h * sizeof *image));
    checkCudaErrors(cudaMallocManaged(&quotient, sizeof *quotient));
    mandelbrot<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(image, w, h, quotient);
    checkCudaErrors(cudaDeviceSynchronize());
    bool good = fabsf(quotient->x - 1) < 1e-6f && fabsf(quotient->y - 2) < 1e-6f &&
                cuCabs(make_cuDoubleComplex(3, 4)) == 5;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            good &= image[y * w + x].x == steps(make_cuDoubleComplex(-2 + 3.0 * x / w, -1 + 2.0 * y / h), 60);
    checkCudaErrors(cudaFree(image));
    checkCudaErrors(cudaFree(quotient));
    return good;
}

// ---- mathematics that the standard library does not have, or not for kernels ----

struct special {
    double inverse, complement, cdf, quantile, scaled, exponent, fraction, rest, length;
    int power, quotient, whole;
    float sine, cosine;
};

__global__ void specials(special *out, const double *x)
{
    const int i = threadIdx.x;
    special &s = out[i];
    s.inverse = erfinv(tanh(x[i]));
    s.complement = erfcinv(1 - tanh(x[i] / 3));
    s.cdf = normcdf(x[i]);
    s.quantile = normcdfinv(s.cdf);
    s.scaled = erfcx(x[i] * 5);
    s.exponent = logb(x[i]);
    s.fraction = frexp(x[i], &s.power);
    s.rest = remquo(x[i] * 10, 0.7, &s.quotient);
    s.whole = ilogb(x[i]);
    s.length = rnorm3d(x[i], 2.0, -3.0);
    sincospif((float)x[i], &s.sine, &s.cosine);
}

static bool special_functions()
{
    const int n = 32;
    special *out;
    double *x;
    checkCudaErrors(cudaMallocManaged(&out, n * sizeof *out));
    checkCudaErrors(cudaMallocManaged(&x, n * sizeof *x));
    for (int i = 0; i < n; i++)
        x[i] = (i - 12.3) / 4;
    specials<<<1, n>>>(out, x);
    checkCudaErrors(cudaDeviceSynchronize());
    bool good = true;
    auto near = [](double a, double b, double by) { return fabs(a - b) <= by * fabs(b) + 1e-300; };
    for (int i = 0; i < n; i++) {
        int power, quotient;
        const special &s = out[i];
        const double fraction = frexp(x[i], &power), rest = remquo(x[i] * 10, 0.7, &quotient);
        const bool same = near(erf(s.inverse), tanh(x[i]), 1e-14) &&
                          near(erfc(s.complement), 1 - tanh(x[i] / 3), 1e-13) &&
                          near(s.cdf, erfc(-x[i] / sqrt(2.0)) / 2, 1e-13) &&
                          fabs(s.quantile - x[i]) < (x[i] > 3 ? 1e-10 : 1e-12) &&
                          (x[i] > 5 || near(s.scaled, exp(25 * x[i] * x[i]) * erfc(5 * x[i]), 1e-11)) &&
                          s.exponent == logb(x[i]) && s.fraction == fraction && s.power == power &&
                          fabs(s.rest - rest) < 1e-14 && s.quotient % 8 == quotient % 8 &&
                          s.whole == ilogb(x[i]) &&
                          near(s.length, 1 / sqrt(x[i] * x[i] + 13), 1e-15) &&
                          fabs(s.sine - sin(M_PI * (float)x[i])) < 1e-6 &&
                          fabs(s.cosine - cos(M_PI * (float)x[i])) < 1e-6;
        if (!same)
            printf("of %g: %g %g %g %g %.17g not %.17g, %g, %g %d, %g %d, %d, %g, %g %g\n", x[i], s.inverse,
                   s.complement, s.cdf, s.quantile, s.scaled, exp(25 * x[i] * x[i]) * erfc(5 * x[i]), s.exponent,
                   s.fraction, s.power, s.rest, s.quotient, s.whole, s.length, s.sine, s.cosine);
        good &= same;
    }
    checkCudaErrors(cudaFree(out));
    checkCudaErrors(cudaFree(x));
    return good;
}

// ---- at the ends of what functions are defined for ----

#define FUNCTIONS                                                                                                 \
    F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(asinh) F(acosh) F(atanh) F(exp)        \
    F(exp2) F(exp10) F(expm1) F(log) F(log2) F(log10) F(log1p) F(cbrt) F(erf) F(erfc) F(lgamma) F(tgamma)         \
    F(sqrt) F(rint) F(logb)

enum { MOST_FUNCTIONS = 32 };

template <class T> __global__ void at_ends(T (*out)[MOST_FUNCTIONS], const T *x)
{
    T *to = out[threadIdx.x];
#define F(name) *to++ = name(x[threadIdx.x]);
    FUNCTIONS
#undef F
}

template <class T> static bool ends_of(T most, T least, double by)
{
    static const char *const names[] = {
#define F(name) #name,
        FUNCTIONS
#undef F
    };
    const T nan = NAN, inf = INFINITY;
    const T values[] = {nan, inf, -inf, 0, -(T)0, most, -most, least, -least, 1, -1, (T)0.5, 89, 710, -104, -746, 2147483648.0f, -2147483648.0f};
    const int n = sizeof values / sizeof *values;
    T *x, (*out)[MOST_FUNCTIONS];
    bool good = true;
    checkCudaErrors(cudaMallocManaged(&out, n * sizeof *out));
    checkCudaErrors(cudaMallocManaged(&x, sizeof values));
    memcpy(x, values, sizeof values);
    at_ends<T><<<1, n>>>(out, x);
    checkCudaErrors(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        int k = 0;
        auto same = [&](T host) {
            const T gpu = out[i][k];
            const bool is = (isnan(gpu) && isnan(host)) || gpu == host || fabs((double)gpu - host) <= by * fabs(host) + least;
            if (!is)
                printf("%s(%g) is %.17g, not %.17g\n", names[k], (double)values[i], (double)gpu, (double)host);
            good &= is;
            k++;
        };
#define F(name) same(name(values[i]));
        FUNCTIONS
#undef F
    }
    checkCudaErrors(cudaFree(out));
    checkCudaErrors(cudaFree(x));
    return good;
}

// Functions of float in units of the last place, of denormal numbers, too: those that CUDA promises (2 or less), but 4 for erfc and tan.
#define UNITS(F)                                                                                                                       \
    F(exp, 2) F(exp2, 2) F(expm1, 2) F(log, 2) F(log2, 1) F(log10, 2) F(log1p, 1) F(sin, 2) F(tan, 4) F(asin, 2) F(atan, 2) F(sinh, 3) \
    F(tanh, 2) F(asinh, 3) F(cbrt, 1) F(erf, 2) F(erfc, 4) F(sqrt, 1)
enum { COUNTED = 18, NUMBERS = 4096 };

__global__ void count_units(float *out, const float *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *to = out + COUNTED * i;
#define F(name, units) *to++ = name##f(x[i]);
    UNITS(F)
#undef F
}

static bool units_of_functions()
{
    float *x, *out, *got;
    unsigned seed = 1, wrong = 0;
    checkCudaErrors(cudaMallocManaged(&x, NUMBERS * sizeof *x));
    checkCudaErrors(cudaMallocManaged(&out, COUNTED * NUMBERS * sizeof *out));
    for (int i = 0; i < NUMBERS; i++) {
        seed = seed * 1664525u + 1013904223u;
        const unsigned bits = i % 4 ? seed : seed & 0x807fffff;
        memcpy(&x[i], &bits, sizeof bits);
        if (i % 4 > 1) /* where exponential functions are neither 0 nor infinite, some where they are denormal */
            x[i] = i % 4 == 2 ? (int)seed / 2147483648.0f * 160 : -80 - (seed >> 8) / 16777216.0f * 75;
    }
    count_units<<<NUMBERS / 64, 64>>>(out, x);
    checkCudaErrors(cudaDeviceSynchronize());
    for (int i = 0; i < NUMBERS; i++) {
        got = out + COUNTED * i;
#define F(name, units)                                                                                                                 \
    {                                                                                                                                  \
        const long double want = name##l((long double)x[i]);                                                                           \
        const float near = fabsf((float)want), gpu = *got++, unit = nextafterf(near, INFINITY) - near;                                 \
        const bool is = isnan(want) ? isnan(gpu) : isinf(near) ? isinf(gpu) : fabsl(gpu - want) <= (long double)(units)*unit;          \
        if (!is && wrong++ < 5)                                                                                                        \
            printf("%s(%a) is %a, not %La\n", #name, x[i], gpu, want);                                                                 \
    }
        UNITS(F)
#undef F
    }
    checkCudaErrors(cudaFree(x));
    checkCudaErrors(cudaFree(out));
    return !wrong;
}

static bool ends_of_functions()
{
    return ends_of<double>(1.7976931348623157e308, 4.9406564584124654e-324, 1e-13) & ends_of<float>(3.40282347e38f, 1.40129846e-45f, 1e-6);
}

// ---- arithmetic on parts of a word ----

__global__ void parts(unsigned (*out)[12], const unsigned *a, const unsigned *b)
{
    const unsigned i = threadIdx.x, x = a[i], y = b[i];
    unsigned *o = out[i];
    o[0] = __vadd4(x, y);
    o[1] = __vaddus4(x, y);
    o[2] = __vsubss4(x, y);
    o[3] = __vabsdiffu4(x, y);
    o[4] = __vmaxs4(x, y);
    o[5] = __vcmpgtu4(x, y);
    o[6] = __vsetles2(x, y);
    o[7] = __vsadu4(x, y);
    o[8] = __vavgs2(x, y);
    o[9] = __vnegss2(x);
    o[10] = __vhaddu4(x, y);
    o[11] = __vabs2(x);
}

static bool parts_of_words()
{
    const int n = 64;
    unsigned *a, *b, (*out)[12];
    checkCudaErrors(cudaMallocManaged(&a, n * sizeof *a));
    checkCudaErrors(cudaMallocManaged(&b, n * sizeof *b));
    checkCudaErrors(cudaMallocManaged(&out, n * sizeof *out));
    for (int i = 0; i < n; i++) {
        a[i] = i * 0x9e3779b1u;
        b[i] = i < 4 ? 0x80007f80u : i * 0x85ebca6bu ^ 0x80ff7f00u;
    }
    parts<<<1, n>>>(out, a, b);
    checkCudaErrors(cudaDeviceSynchronize());
    bool good = true;
    for (int i = 0; i < n; i++) {
        unsigned e[12] = {0};
        for (int k = 0; k < 4; k++) {
            const int u = a[i] >> 8 * k & 255, v = b[i] >> 8 * k & 255;
            const int s = (signed char)u, t = (signed char)v;
            auto put = [&](int to, int value) { e[to] |= (unsigned(value) & 255) << 8 * k; };
            put(0, u + v);
            put(1, min(u + v, 255));
            put(2, max(-128, min(127, s - t)));
            put(3, abs(u - v));
            put(4, max(s, t));
            put(5, u > v ? 255 : 0);
            e[7] += abs(u - v);
            put(10, (u + v) / 2);
        }
        for (int k = 0; k < 2; k++) {
            const int s = short(a[i] >> 16 * k), t = short(b[i] >> 16 * k), sum = s + t;
            auto put = [&](int to, int value) { e[to] |= (unsigned(value) & 65535) << 16 * k; };
            put(6, s <= t);
            put(8, (sum + (sum >= 0)) >> 1);
            put(9, min(-s, 32767));
            put(11, abs(s));
        }
        good &= memcmp(out[i], e, sizeof e) == 0;
    }
    checkCudaErrors(cudaFree(a));
    checkCudaErrors(cudaFree(b));
    checkCudaErrors(cudaFree(out));
    return good;
}

int main()
{
    report("device query", device_query());
    report("matrix multiplication", matrix_multiplication());
    report("bodies", bodies());
    report("convolution", convolution());
    report("volumes", volumes());
    report("intrinsics", many_intrinsics());
    report("special functions", special_functions());
    report("ends of functions", ends_of_functions());
    report("units of functions", units_of_functions());
    report("parts of words", parts_of_words());
    report("occupancy and streams", occupancy_and_streams());
    report("complex numbers", complex_numbers());
    checkCudaErrors(cudaDeviceReset());
    return 0;
}
