/* libcudart: launches of kernels. */
#include "runtime/cudart/cudart.h"

/* The configuration of <<<>>>, kept until the stub of the kernel asks for it. */
struct configuration {
    dim3 grid, block;
    size_t shared;
    void *stream;
};

enum { DEPTH = 64 };
static _Thread_local struct configuration pushed[DEPTH];
static _Thread_local unsigned depth;

EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    if (depth == DEPTH)
        return 1;
    pushed[depth++] = (struct configuration){grid, block, shared, stream};
    return 0;
}

EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (!depth)
        return cudart_result(cudaErrorMissingConfiguration);
    const struct configuration *c = &pushed[--depth];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(void **)stream = c->stream;
    return cudaSuccess;
}

EXPORT cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                                    size_t shared, cudaStream_t stream)
{
    CUfunction function;
    CUresult result = cudart_function(host, &function);
    if (result)
        return cudart_of(result);
    result = cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                            (unsigned)shared, stream, arguments, NULL);
    return cudart_result(result == CUDA_ERROR_INVALID_VALUE ? cudaErrorInvalidConfiguration
                                                            : (cudaError_t)result);
}

EXPORT cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *host)
{
    enum { MAX_THREADS, SHARED, CONST, LOCAL, REGISTERS, ATTRIBUTES };
    CUfunction function;
    int value[ATTRIBUTES];
    CUresult result = cudart_function(host, &function);
    if (!a)
        return cudart_result(cudaErrorInvalidValue);
    for (int i = 0; i < ATTRIBUTES && !result; i++)
        result = cuFuncGetAttribute(&value[i], i, function);
    if (result)
        return cudart_of(result);
    *a = (struct cudaFuncAttributes){.sharedSizeBytes = (size_t)value[SHARED],
                                     .constSizeBytes = (size_t)value[CONST],
                                     .localSizeBytes = (size_t)value[LOCAL],
                                     .maxThreadsPerBlock = value[MAX_THREADS],
                                     .numRegs = value[REGISTERS],
                                     .ptxVersion = 50,
                                     .binaryVersion = 50};
    return cudaSuccess;
}

/* A block may have all the shared memory that there is without asking for it; there is no cache to
 * take it from. */
EXPORT cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute attribute,
                                        int value)
{
    CUfunction function;
    const CUresult result = cudart_function(host, &function);
    if (!result && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize &&
        (value < 0 || value > 49152))
        return cudart_result(cudaErrorInvalidValue);
    return cudart_of(result);
}

EXPORT cudaError_t cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache config)
{
    CUfunction function;
    (void)config;
    return cudart_of(cudart_function(host, &function));
}

/* Limited by threads, by shared memory, and by 32 blocks of an SM. */
EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host,
                                                                 int block, size_t shared)
{
    enum { THREADS = 2048, BLOCKS = 32, SHARED = 98304 };
    struct cudaFuncAttributes a;
    const cudaError_t error = cudaFuncGetAttributes(&a, host);
    if (error)
        return error;
    if (!blocks || block < 1)
        return cudart_result(cudaErrorInvalidValue);
    const size_t bytes = a.sharedSizeBytes + shared, threads = ((size_t)block + 31) / 32 * 32;
    size_t most = block > a.maxThreadsPerBlock ? 0 : THREADS / threads;
    if (most > BLOCKS)
        most = BLOCKS;
    if (bytes && most > SHARED / bytes)
        most = SHARED / bytes;
    *blocks = (int)most;
    return cudaSuccess;
}
