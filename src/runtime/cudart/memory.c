/* libcudart: memory and copies. */
#include "runtime/cuda/checks.h"
#include "runtime/cudart/cudart.h"

#include <string.h>

static CUdeviceptr device_pointer(const void *address)
{
    return (uintptr_t)address;
}

static void *host_pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* ---- allocations ---- */

/* Begins a function that allocates: `call` puts the address to `at`. Without `wanted` bytes, or
 * (`keeps`: then *address stays) where it fails, that is NULL. */
#define ALLOCATES(name, parameters, address, wanted, keeps, call)                                  \
    EXPORT cudaError_t name parameters                                                             \
    {                                                                                              \
        CUdeviceptr at = 0;                                                                        \
        CUresult result = cudart_enter();                                                          \
        if (!(address))                                                                            \
            return cudart_result(cudaErrorInvalidValue);                                           \
        if (!result && (wanted))                                                                   \
            result = call;                                                                         \
        if (!result || !(keeps))                                                                   \
            *(address) = host_pointer(at);                                                         \
        return cudart_of(result);                                                                  \
    }

ALLOCATES(cudaMalloc, (void **address, size_t bytes), address, bytes, false, cuMemAlloc(&at, bytes))

ALLOCATES(cudaMallocManaged, (void **address, size_t bytes, unsigned flags), address, true, true,
          cuMemAllocManaged(&at, bytes, flags))

enum { PITCH_ELEMENT = 16 };

ALLOCATES(cudaMallocPitch, (void **address, size_t *pitch, size_t width, size_t height), address,
          true, true, cuMemAllocPitch(&at, pitch, width, height, PITCH_ELEMENT))

/* Rows of the width of a volume, its height times its depth of them. */
EXPORT cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    size_t rows;
    if (!pitched || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return cudart_result(cudaErrorInvalidValue);
    *pitched = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, rows);
}

ALLOCATES(cudaMallocAsync, (void **address, size_t bytes, cudaStream_t stream), address, bytes,
          false, cuMemAllocAsync(&at, bytes, stream))

FORWARD(cudaHostAlloc, (void **address, size_t bytes, unsigned flags),
        cuMemHostAlloc(address, bytes, flags))

EXPORT cudaError_t cudaMallocHost(void **address, size_t bytes)
{
    return cudaHostAlloc(address, bytes, cudaHostAllocDefault);
}

FORWARD(cudaHostRegister, (void *address, size_t bytes, unsigned flags),
        cuMemHostRegister(address, bytes, flags))

FORWARD(cudaHostUnregister, (void *address), cuMemHostUnregister(address))

FORWARD(cudaHostGetFlags, (unsigned *flags, void *address), cuMemHostGetFlags(flags, address))

ALLOCATES(cudaHostGetDevicePointer, (void **device, void *host, unsigned flags), device, true,
          false, cuMemHostGetDevicePointer(&at, host, flags))

FORWARD(cudaFree, (void *address), cuMemFree(device_pointer(address)))

EXPORT cudaError_t cudaFreeAsync(void *address, cudaStream_t stream)
{
    const CUresult result = cudart_enter();
    return cudart_of(result || !address ? result : cuMemFreeAsync(device_pointer(address), stream));
}

EXPORT cudaError_t cudaFreeHost(void *address)
{
    const CUresult result = cudart_enter();
    return cudart_of(result || !address ? result : cuMemFreeHost(address));
}

FORWARD(cudaMemGetInfo, (size_t * free_bytes, size_t *total_bytes),
        cuMemGetInfo(free_bytes, total_bytes))

/* ---- what an address is ---- */

/* Any other result than CUDA_SUCCESS is that of a kernel that has failed. */
static CUresult type_of(const void *address, enum cudaMemoryType *type)
{
    unsigned of = 0, managed = 0;
    const CUresult result =
        cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device_pointer(address));
    if (!result)
        cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, device_pointer(address));
    *type = result                                  ? cudaMemoryTypeUnregistered
            : managed || cudart_is_managed(address) ? cudaMemoryTypeManaged
            : of == CU_MEMORYTYPE_DEVICE            ? cudaMemoryTypeDevice
                                                    : cudaMemoryTypeHost;
    return result == CUDA_ERROR_INVALID_VALUE ? CUDA_SUCCESS : result;
}

/* Device memory is memory of the process, so that all of it is reached by the host, too. */
EXPORT cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *address)
{
    CUresult result = cudart_enter();
    if (result || !a)
        return cudart_of(result ? result : CUDA_ERROR_INVALID_VALUE);
    *a = (struct cudaPointerAttributes){.device = -1};
    if ((result = type_of(address, &a->type)) != CUDA_SUCCESS)
        return cudart_of(result);
    if (a->type == cudaMemoryTypeUnregistered) {
        a->hostPointer = (void *)(uintptr_t)address;
        return cudaSuccess;
    }
    a->hostPointer = a->devicePointer = (void *)(uintptr_t)address;
    a->device = cudart_device();
    if (a->type != cudaMemoryTypeHost && !cudart_is_managed(address))
        cuPointerGetAttribute(&a->device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                              device_pointer(address));
    return cudaSuccess;
}

static cudaError_t check_managed(const void *address, bool or_device)
{
    enum cudaMemoryType type;
    CUresult result = cudart_enter();
    if (!result && (result = type_of(address, &type)) == CUDA_SUCCESS &&
        type != cudaMemoryTypeManaged && (!or_device || type != cudaMemoryTypeDevice))
        result = CUDA_ERROR_INVALID_VALUE;
    return cudart_of(result);
}

/* It is everywhere already. */
static cudaError_t prefetch(const void *address)
{
    return check_managed(address, true);
}

/* Managed memory does not move, whatever is advised. */
static cudaError_t advise(const void *address, size_t bytes, enum cudaMemoryAdvise advice)
{
    return !bytes || advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy
               ? cudart_result(cudaErrorInvalidValue)
               : check_managed(address, false);
}

/* Version 13 gives these names to the functions that version 12 has as _v2. */
#if CUDART_VERSION < 13000
EXPORT cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, int device,
                                        cudaStream_t stream)
{
    return prefetch(address);
}

EXPORT cudaError_t cudaMemAdvise(const void *address, size_t bytes, enum cudaMemoryAdvise advice,
                                 int device)
{
    return advise(address, bytes, advice);
}
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_v2
#define cudaMemAdvise cudaMemAdvise_v2
#endif

EXPORT cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes,
                                        struct cudaMemLocation location, unsigned flags,
                                        cudaStream_t stream)
{
    return prefetch(address);
}

EXPORT cudaError_t cudaMemAdvise(const void *address, size_t bytes, enum cudaMemoryAdvise advice,
                                 struct cudaMemLocation location)
{
    return advise(address, bytes, advice);
}

/* A kernel ends within its launch, so no stream uses memory while the host does. */
EXPORT cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *address, size_t bytes,
                                            unsigned flags)
{
    return flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
                   flags != cudaMemAttachSingle
               ? cudart_result(cudaErrorInvalidValue)
               : check_managed(address, false);
}

/* ---- copies ---- */

/* Whether both ends match the direction. Registered memory of the host matches both kinds. */
static cudaError_t check_direction(const void *to, const void *from, enum cudaMemcpyKind kind,
                                   size_t bytes)
{
    enum cudaMemoryType target, source;
    CUresult result;
    if (kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if ((result = type_of(to, &target)) != CUDA_SUCCESS ||
        (result = type_of(from, &source)) != CUDA_SUCCESS)
        return (cudaError_t)result;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if ((!to_device || target != cudaMemoryTypeUnregistered) &&
        (!from_device || source != cudaMemoryTypeUnregistered))
        return cudaSuccess;
    wavetrap_cudart_direction(to, from, bytes);
    return cudaErrorInvalidValue;
}

/* Whether there is something to be copied; *error: what the call returns if not. */
static bool begins_copy(const void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                        cudaError_t *error)
{
    const CUresult result = cudart_enter();
    if (result || !bytes)
        *error = (cudaError_t)result;
    else
        *error = to && from ? check_direction(to, from, kind, bytes) : cudaErrorInvalidValue;
    cudart_result(*error);
    return bytes && !*error;
}

EXPORT cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    cudaError_t error;
    return begins_copy(to, from, bytes, kind, &error)
               ? cudart_of(cuMemcpy(device_pointer(to), device_pointer(from), bytes))
               : error;
}

EXPORT cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error;
    return begins_copy(to, from, bytes, kind, &error)
               ? cudart_of(cuMemcpyAsync(device_pointer(to), device_pointer(from), bytes, stream))
               : error;
}

EXPORT cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                  size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

EXPORT cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                       size_t bytes, cudaStream_t stream)
{
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

EXPORT cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    const CUresult result = cudart_enter();
    if (result || !width || !height)
        return cudart_of(result);
    if (to_pitch < width || from_pitch < width)
        return cudart_result(cudaErrorInvalidPitchValue);
    const cudaError_t error = check_direction(to, from, kind, width);
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                                .srcDevice = device_pointer(from),
                                .srcPitch = from_pitch,
                                .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                                .dstDevice = device_pointer(to),
                                .dstPitch = to_pitch,
                                .WidthInBytes = width,
                                .Height = height};
    return error ? cudart_result(error) : cudart_of(cuMemcpy2DAsync(&copy, stream));
}

EXPORT cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}

EXPORT cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    const CUresult result = cudart_enter();
    return cudart_of(
        result || !bytes ? result : cuMemsetD8(device_pointer(to), (unsigned char)value, bytes));
}

EXPORT cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    const CUresult result = cudart_enter();
    return cudart_of(result || !bytes ? result
                                      : cuMemsetD8Async(device_pointer(to), (unsigned char)value,
                                                        bytes, stream));
}

EXPORT cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream)
{
    const CUresult result = cudart_enter();
    if (pitch < width)
        return cudart_result(cudaErrorInvalidPitchValue);
    return cudart_of(result || !width || !height
                         ? result
                         : cuMemsetD2D8Async(device_pointer(to), pitch, (unsigned char)value, width,
                                             height, stream));
}

EXPORT cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(to, pitch, value, width, height, NULL);
}

EXPORT cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                                     cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < extent.depth && !error; z++)
        error = cudaMemset2DAsync((char *)to.ptr + z * to.pitch * to.ysize, to.pitch, value,
                                  extent.width, extent.height, stream);
    return error;
}

EXPORT cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return cudaMemset3DAsync(to, value, extent, NULL);
}

/* ---- variables of the device ---- */

/* Copies to a variable (`store`), or from it. */
static cudaError_t copy_symbol(bool store, void *to, const void *from, const void *host,
                               size_t bytes, size_t offset, enum cudaMemcpyKind kind,
                               cudaStream_t stream)
{
    CUdeviceptr at;
    size_t size;
    CUresult result = cudart_variable(host, &at, &size);
    if (!result && (offset > size || bytes > size - offset)) {
        wavetrap_cudart_beyond(at + offset, bytes, store);
        result = CUDA_ERROR_INVALID_VALUE;
    }
    if (kind != (store ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost) &&
        kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudart_result(cudaErrorInvalidMemcpyDirection);
    return result ? cudart_of(result)
                  : cudaMemcpyAsync(store ? host_pointer(at + offset) : to,
                                    store ? from : host_pointer(at + offset), bytes,
                                    cudaMemcpyDefault, stream);
}

EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void *host, const void *from, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind,
                                           cudaStream_t stream)
{
    return copy_symbol(true, NULL, from, host, bytes, offset, kind, stream);
}

EXPORT cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *host, size_t bytes,
                                             size_t offset, enum cudaMemcpyKind kind,
                                             cudaStream_t stream)
{
    return copy_symbol(false, to, NULL, host, bytes, offset, kind, stream);
}

EXPORT cudaError_t cudaMemcpyToSymbol(const void *host, const void *from, size_t bytes,
                                      size_t offset, enum cudaMemcpyKind kind)
{
    return cudaMemcpyToSymbolAsync(host, from, bytes, offset, kind, NULL);
}

EXPORT cudaError_t cudaMemcpyFromSymbol(void *to, const void *host, size_t bytes, size_t offset,
                                        enum cudaMemcpyKind kind)
{
    return cudaMemcpyFromSymbolAsync(to, host, bytes, offset, kind, NULL);
}

EXPORT cudaError_t cudaGetSymbolAddress(void **address, const void *host)
{
    CUdeviceptr at;
    size_t size;
    const CUresult result = address ? cudart_variable(host, &at, &size) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *address = host_pointer(at);
    return cudart_of(result);
}

EXPORT cudaError_t cudaGetSymbolSize(size_t *bytes, const void *host)
{
    CUdeviceptr at;
    return cudart_of(bytes ? cudart_variable(host, &at, bytes) : CUDA_ERROR_INVALID_VALUE);
}
