/* libcuda: memory and copies ("CUDA Driver API": 6.13). Everything is done when a call returns. */
#include <stdlib.h>
#include <string.h>

#include "runtime/cuda/state.h"

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    struct gpu *g;
    struct wt_error err;
    uint64_t at;
    const CUresult result = state_enter(true, &g);
    if (result)
        return result;
    if (!address || !bytes)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    if (gpu_allocate(g, bytes, &at, &err) != WT_OK)
        return state_leave(CUDA_ERROR_OUT_OF_MEMORY);
    *address = at;
    return state_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr address)
{
    struct gpu *g;
    const CUresult result = state_enter(true, &g);
    if (result)
        return result;
    return state_leave(!address || gpu_free(g, address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* Memory of the host is memory of the host: kernels do not reach it. */
EXPORT CUresult cuMemAllocHost_v2(void **address, size_t bytes)
{
    struct gpu *g;
    const CUresult result = state_enter(true, &g);
    if (result)
        return result;
    if (!address || !bytes)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    *address = malloc(bytes);
    return state_leave(*address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

EXPORT CUresult cuMemFreeHost(void *address)
{
    free(address);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

EXPORT CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    struct gpu *g;
    const CUresult result = state_enter(true, &g);
    if (result)
        return result;
    if (free_bytes)
        *free_bytes = CUDA_MEMORY - gpu_in_use(g);
    if (total_bytes)
        *total_bytes = CUDA_MEMORY;
    return state_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
    struct gpu *g;
    uint64_t from, bytes;
    const CUresult result = state_enter(true, &g);
    if (result)
        return result;
    if (!gpu_range(g, address, &from, &bytes))
        return state_leave(CUDA_ERROR_NOT_FOUND);
    if (base)
        *base = from;
    if (size)
        *size = bytes;
    return state_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    struct gpu *g;
    const CUresult result = state_enter(true, &g);
    if (result)
        return result;
    return state_leave(gpu_write(g, to, from, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
    struct gpu *g;
    const CUresult result = state_enter(true, &g);
    if (result)
        return result;
    return state_leave(gpu_read(g, from, to, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    struct gpu *g;
    const CUresult result = state_enter(true, &g);
    if (result)
        return result;
    uint8_t *copy = malloc(bytes + 1);
    const bool good = copy && gpu_read(g, from, copy, bytes) && gpu_write(g, to, copy, bytes);
    const bool memory = copy != NULL;
    free(copy);
    return state_leave(good     ? CUDA_SUCCESS
                       : memory ? CUDA_ERROR_INVALID_VALUE
                                : CUDA_ERROR_OUT_OF_MEMORY);
}

/* With unified addresses: each side is the device's where the device has the address. */
EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    struct gpu *g;
    uint64_t base, size;
    const CUresult result = state_enter(true, &g);
    if (result)
        return result;
    const bool to_device = gpu_range(g, to, &base, &size);
    const bool from_device = gpu_range(g, from, &base, &size);
    state_leave(CUDA_SUCCESS);
    if (to_device && from_device)
        return cuMemcpyDtoD_v2(to, from, bytes);
    if (to_device)
        return cuMemcpyHtoD_v2(to, (const void *)(uintptr_t)from, bytes);
    if (from_device)
        return cuMemcpyDtoH_v2((void *)(uintptr_t)to, from, bytes);
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                     CUstream stream)
{
    return cuMemcpyHtoD_v2(to, from, bytes);
}

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return cuMemcpyDtoH_v2(to, from, bytes);
}

EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                     CUstream stream)
{
    return cuMemcpyDtoD_v2(to, from, bytes);
}

static CUresult fill(CUdeviceptr to, const void *unit, size_t size, size_t count)
{
    struct gpu *g;
    const CUresult result = state_enter(true, &g);
    if (result)
        return result;
    uint8_t *bytes = count <= CUDA_MEMORY / size ? malloc(count * size + 1) : NULL;
    if (!bytes)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; i++)
        memcpy(bytes + i * size, unit, size);
    const bool good = gpu_write(g, to, bytes, count * size);
    free(bytes);
    return state_leave(good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count)
{
    return fill(to, &value, 1, count);
}

EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count)
{
    return to % 4 ? CUDA_ERROR_INVALID_VALUE : fill(to, &value, 4, count);
}
