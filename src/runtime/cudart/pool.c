/* libcudart: pools of memory. */
#include "runtime/cudart/cudart.h"

EXPORT cudaError_t cudaMallocFromPoolAsync(void **address, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream)
{
    CUdeviceptr at = 0;
    CUresult result = cudart_enter();
    if (!address)
        return cudart_result(cudaErrorInvalidValue);
    if (!result)
        result = cuMemAllocFromPoolAsync(&at, bytes, pool, stream);
    *address = (void *)(uintptr_t)at;
    return cudart_of(result);
}

FORWARD_INIT(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device),
             cuDeviceGetDefaultMemPool(pool, device))
FORWARD_INIT(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device),
             cuDeviceGetMemPool(pool, device))
FORWARD_INIT(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool),
             cuDeviceSetMemPool(device, pool))

EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *what)
{
    const CUresult result = cuInit(0);
    if (!what)
        return cudart_result(cudaErrorInvalidValue);
    const CUmemPoolProps properties = {
        .allocType = (CUmemAllocationType)what->allocType,
        .handleTypes = (CUmemAllocationHandleType)what->handleTypes,
        .location = {(CUmemLocationType)what->location.type, what->location.id}};
    return cudart_of(result ? result : cuMemPoolCreate(pool, &properties));
}

EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    return cudart_of(cuMemPoolDestroy(pool));
}

EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    return cudart_of(cuMemPoolTrimTo(pool, keep));
}

EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                           void *value)
{
    return cudart_of(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)attribute, value));
}

EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                           void *value)
{
    return cudart_of(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)attribute, value));
}
