/* The header that CUDA C++ programs include; clang does it by itself. See cuda_runtime_api.h. */
#ifndef WAVETRAP_CUDA_RUNTIME_H
#define WAVETRAP_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__

#include <host_defines.h>
#include <limits.h>
#ifndef __CUDACC_RTC__ /* programs count on these, which nvcc's header includes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#endif

#include <cuda_runtime_api.h>

#ifdef __cplusplus

#ifdef __CUDA__
/* Tells libcudart before main() where the __managed__ variables of this program, or library, are.
 * The linker defines the two names if there are any. */
extern "C" {
void __cudaRegisterManagedSection(void *begin, void *end);
extern char __start_cuda_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_cuda_managed[] __attribute__((weak, visibility("hidden")));
}
__attribute__((constructor(101))) static void wavetrap_register_managed()
{
    if (__start_cuda_managed)
        __cudaRegisterManagedSection(__start_cuda_managed, __stop_cuda_managed);
}
#endif

/* Mathematics that the host's library does not have, for code that is compiled for both. */
extern "C" {
static inline float rsqrtf(float x)
{
    return 1 / __builtin_sqrtf(x);
}
static inline double rsqrt(double x)
{
    return 1 / __builtin_sqrt(x);
}
float rcbrtf(float x);
float sinpif(float x);
float cospif(float x);
void sincospif(float x, float *sine, float *cosine);
float erfcinvf(float x);
float normcdfinvf(float x);
float normcdff(float x);
float erfcxf(float x);
}

#define WAVETRAP_MIN_MAX(type, where)                                                              \
    static inline where type min(type a, type b)                                                   \
    {                                                                                              \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    static inline where type max(type a, type b)                                                   \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
WAVETRAP_MIN_MAX(int, ) /* clang has those of kernels */
WAVETRAP_MIN_MAX(unsigned, WAVETRAP_BOTH)
WAVETRAP_MIN_MAX(long, WAVETRAP_BOTH)
WAVETRAP_MIN_MAX(unsigned long, WAVETRAP_BOTH)
WAVETRAP_MIN_MAX(long long, WAVETRAP_BOTH)
WAVETRAP_MIN_MAX(unsigned long long, WAVETRAP_BOTH)
#undef WAVETRAP_MIN_MAX
/* Of two types, one of which is converted to the other as by an operator. */
#define WAVETRAP_MIXED_MIN_MAX(wide, narrow)                                                       \
    static inline WAVETRAP_BOTH wide min(wide a, narrow b)                                         \
    {                                                                                              \
        return min(a, (wide)b);                                                                    \
    }                                                                                              \
    static inline WAVETRAP_BOTH wide min(narrow a, wide b)                                         \
    {                                                                                              \
        return min((wide)a, b);                                                                    \
    }                                                                                              \
    static inline WAVETRAP_BOTH wide max(wide a, narrow b)                                         \
    {                                                                                              \
        return max(a, (wide)b);                                                                    \
    }                                                                                              \
    static inline WAVETRAP_BOTH wide max(narrow a, wide b)                                         \
    {                                                                                              \
        return max((wide)a, b);                                                                    \
    }
WAVETRAP_MIXED_MIN_MAX(unsigned, int)
WAVETRAP_MIXED_MIN_MAX(unsigned long, long)
WAVETRAP_MIXED_MIN_MAX(unsigned long long, long long)
static inline WAVETRAP_BOTH float min(float a, float b)
{
    return __builtin_fminf(a, b);
}
static inline WAVETRAP_BOTH float max(float a, float b)
{
    return __builtin_fmaxf(a, b);
}
static inline WAVETRAP_BOTH double min(double a, double b)
{
    return __builtin_fmin(a, b);
}
static inline WAVETRAP_BOTH double max(double a, double b)
{
    return __builtin_fmax(a, b);
}
WAVETRAP_MIXED_MIN_MAX(double, float)
#undef WAVETRAP_MIXED_MIN_MAX
#include <wavetrap_extremes.h>

template <class T> cudaError_t cudaMalloc(T **address, size_t bytes)
{
    return cudaMalloc((void **)address, bytes);
}
template <class T>
cudaError_t cudaMallocManaged(T **address, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)address, bytes, flags);
}
template <class T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *address, size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle)
{
    return cudaStreamAttachMemAsync(stream, (void *)address, bytes, flags);
}
template <class T>
cudaError_t cudaMallocHost(T **address, size_t bytes, unsigned flags = cudaHostAllocDefault)
{
    return cudaHostAlloc((void **)address, bytes, flags);
}
template <class T>
cudaError_t cudaHostAlloc(T **address, size_t bytes, unsigned flags = cudaHostAllocDefault)
{
    return cudaHostAlloc((void **)address, bytes, flags);
}
template <class T>
cudaError_t cudaMallocPitch(T **address, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)address, pitch, width, height);
}
template <class T> cudaError_t cudaMallocAsync(T **address, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)address, bytes, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)address, bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T **address, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)address, bytes, pool, stream);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream = nullptr)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream = nullptr)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class T> cudaError_t cudaGetSymbolAddress(T **address, const T &symbol)
{
    return cudaGetSymbolAddress((void **)address, (const void *)&symbol);
}
template <class T> cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags = 0)
{
    return cudaHostGetDevicePointer((void **)device, host, flags);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T> cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    return cudaGetSymbolAddress(address, (const void *)&symbol);
}
template <class T> cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}
template <class... P>
cudaError_t cudaLaunchKernel(void (*function)(P...), dim3 grid, dim3 block, void **arguments,
                             size_t shared = 0, cudaStream_t stream = nullptr)
{
    return cudaLaunchKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*function)(P...), dim3 grid, dim3 block,
                                        void **arguments, size_t shared = 0,
                                        cudaStream_t stream = nullptr)
{
    return cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared,
                                       stream);
}
template <class... P>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, void (*function)(P...))
{
    return cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class... P>
cudaError_t cudaFuncSetAttribute(void (*function)(P...), cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <class... P>
cudaError_t cudaFuncSetCacheConfig(void (*function)(P...), cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)function, config);
}
template <class... P>
cudaError_t cudaFuncSetSharedMemConfig(void (*function)(P...), cudaSharedMemConfig config)
{
    return cudaFuncSetSharedMemConfig((const void *)function, config);
}
template <class... P>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*function)(P...),
                                                          int block, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, block,
                                                         shared);
}
template <class... P>
cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void (*function)(P...),
                                                       int block, size_t shared, unsigned flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function,
                                                                  block, shared, flags);
}
template <class... P>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic, void (*function)(P...),
                                                      int blocks, int block)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(dynamic, (const void *)function, blocks,
                                                     block);
}
/* The largest of the sizes, whole warps, with which an SM has most threads, and as many blocks as
 * fill the device. */
template <class SHARED, class... P>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block,
                                                           void (*function)(P...), SHARED shared,
                                                           int limit = 0)
{
    int device, units, blocks, best = 0;
    cudaFuncAttributes a;
    cudaError_t result =
        grid && block ? cudaFuncGetAttributes(&a, function) : cudaErrorInvalidValue;
    if (!result)
        result = cudaGetDevice(&device);
    if (!result)
        result = cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device);
    const int most = limit > 0 && limit < a.maxThreadsPerBlock ? limit : a.maxThreadsPerBlock;
    for (int size = (most + 31) / 32 * 32; size > 0 && !result; size -= 32) {
        const int threads = size < most ? size : most;
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads,
                                                               shared(threads));
        if (result || blocks * threads <= best)
            continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * units;
    }
    return result;
}
template <class... P>
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, void (*function)(P...),
                                void **arguments)
{
    return cudaLaunchKernelExC(config, (const void *)function, arguments);
}
/* Each argument becomes what the kernel's parameter is. */
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*function)(P...),
                               A &&...arguments)
{
    return [&](P... converted) {
        void *list[] = {&converted..., nullptr};
        return cudaLaunchKernelExC(config, (const void *)function, list);
    }(arguments...);
}
template <class... P>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, void (*function)(P...),
                                               size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid, block, function, [=](int) { return shared; }, limit);
}
static inline cudaError_t cudaEventRecord(cudaEvent_t event)
{
    return cudaEventRecord(event, nullptr);
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                          cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
static inline cudaError_t cudaHostRegister(void *address, size_t bytes)
{
    return cudaHostRegister(address, bytes, cudaHostRegisterDefault);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
static inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}
#if CUDART_VERSION < 13000
static inline cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, int device)
{
    return cudaMemPrefetchAsync(address, bytes, device, nullptr);
}
static inline cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes,
                                               cudaMemLocation location, unsigned flags,
                                               cudaStream_t stream = nullptr)
{
    return cudaMemPrefetchAsync_v2(address, bytes, location, flags, stream);
}
static inline cudaError_t cudaMemAdvise(const void *address, size_t bytes, cudaMemoryAdvise advice,
                                        cudaMemLocation location)
{
    return cudaMemAdvise_v2(address, bytes, advice, location);
}
#else
static inline cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes,
                                               cudaMemLocation location, unsigned flags)
{
    return cudaMemPrefetchAsync(address, bytes, location, flags, nullptr);
}
#endif
/* As before CUDA 12: there is no node, or text, of an error. */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                               cudaGraphNode_t *node, char *text, size_t bytes)
{
    if (node)
        *node = nullptr;
    if (text && bytes)
        *text = 0;
    return cudaGraphInstantiate(exec, graph, 0);
}
static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                            size_t from_pitch, size_t width, size_t height,
                                            cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}
static inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *copy)
{
    return cudaMemcpy3DAsync(copy, nullptr);
}
static inline cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                              int from_device, size_t bytes)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}
static inline cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                            size_t height)
{
    return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}
static inline cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent)
{
    return cudaMemset3DAsync(to, value, extent, nullptr);
}
static inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes)
{
    return cudaMemsetAsync(to, value, bytes, nullptr);
}
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event)
{
    return cudaStreamWaitEvent(stream, event, 0);
}
static inline cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *desc,
                                          size_t width, size_t height = 0)
{
    return cudaMallocArray(array, desc, width, height, 0);
}

static inline cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *desc,
                                            cudaExtent extent)
{
    return cudaMalloc3DArray(array, desc, extent, 0);
}
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    const cudaExtent extent = {width, height, depth};
    return extent;
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    const cudaPos pos = {x, y, z};
    return pos;
}
static inline cudaPitchedPtr make_cudaPitchedPtr(void *ptr, size_t pitch, size_t xsize,
                                                 size_t ysize)
{
    const cudaPitchedPtr pitched = {ptr, pitch, xsize, ysize};
    return pitched;
}

#ifdef __CUDA__
/* Launches from kernels (dynamic parallelism). There are none: a kernel that calls these is refused
 * when it is launched. Libraries such as Thrust name them. */
extern "C" {
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void *function, void *parameters, dim3 grid, dim3 block,
                                        unsigned shared, cudaStream_t stream);
}
#endif

template <class T> struct wavetrap_channel {
    static const int count = 1;
    static const cudaChannelFormatKind kind = T(1) / 2       ? cudaChannelFormatKindFloat
                                              : T(-1) < T(0) ? cudaChannelFormatKindSigned
                                                             : cudaChannelFormatKindUnsigned;
    static const int bits = 8 * sizeof(T);
};
#define WAVETRAP_CHANNEL(name, part)                                                               \
    template <> struct wavetrap_channel<name##1> : wavetrap_channel<part> {                        \
    };                                                                                             \
    template <> struct wavetrap_channel<name##2> : wavetrap_channel<part> {                        \
        static const int count = 2;                                                                \
    };                                                                                             \
    template <> struct wavetrap_channel<name##4> : wavetrap_channel<part> {                        \
        static const int count = 4;                                                                \
    };
WAVETRAP_CHANNEL(char, signed char)
WAVETRAP_CHANNEL(uchar, unsigned char)
WAVETRAP_CHANNEL(short, short)
WAVETRAP_CHANNEL(ushort, unsigned short)
WAVETRAP_CHANNEL(int, int)
WAVETRAP_CHANNEL(uint, unsigned)
WAVETRAP_CHANNEL(float, float)
#undef WAVETRAP_CHANNEL
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef wavetrap_channel<T> c;
    return cudaCreateChannelDesc(c::bits, c::count > 1 ? c::bits : 0, c::count > 2 ? c::bits : 0,
                                 c::count > 3 ? c::bits : 0, c::kind);
}

#endif

#endif
