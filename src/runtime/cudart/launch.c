/* libcudart: launches of kernels. */
#include "runtime/cudart/cudart.h"

#include <limits.h>
#include <string.h>

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

/* The runtime's number for a launch that the driver refuses: a wrong shape has one of its own, too
 * much shared memory is an invalid value. */
static cudaError_t launched(CUresult result, CUfunction function, size_t shared)
{
    int most = 0;
    if (result != CUDA_ERROR_INVALID_VALUE)
        return cudart_result((cudaError_t)result);
    result = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
    return cudart_result(!result && shared > (size_t)most ? cudaErrorInvalidValue
                                                          : cudaErrorInvalidConfiguration);
}

/* A number that the driver refuses where @p shared has more than 32 bits, too. */
static unsigned dynamic(size_t shared)
{
    return shared < UINT_MAX ? (unsigned)shared : UINT_MAX;
}

EXPORT cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                                    size_t shared, cudaStream_t stream)
{
    CUfunction function;
    const CUresult result = cudart_function(host, &function);
    return result ? cudart_of(result)
                  : launched(cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                                            block.z, dynamic(shared), stream, arguments, NULL),
                             function, shared);
}

/* Code by nvcc from version 12.1 on asks for a kernel once, and keeps it for all devices: it is the
 * function of the host that stands for it. */
EXPORT cudaError_t __cudaGetKernel(const void **kernel, const void *host)
{
    *kernel = host;
    return cudaSuccess;
}

EXPORT cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                      size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

#if CUDART_VERSION >= 12000
EXPORT cudaError_t cudaGetKernel(const void **kernel, const void *host)
{
    CUfunction function;
    const CUresult result = kernel ? cudart_function(host, &function) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *kernel = host;
    return cudart_of(result);
}
#endif

EXPORT cudaError_t cudaGetFuncBySymbol(CUfunction *function, const void *host)
{
    return cudart_of(function ? cudart_function(host, function) : CUDA_ERROR_INVALID_VALUE);
}

EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block,
                                               void **arguments, size_t shared, cudaStream_t stream)
{
    CUfunction function;
    const CUresult result = cudart_function(host, &function);
    return result ? cudart_of(result)
                  : launched(cuLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x,
                                                       block.y, block.z, dynamic(shared), stream,
                                                       arguments),
                             function, shared);
}

EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host,
                                       void **arguments)
{
    enum { MOST = 16 };
    CUlaunchAttribute attribute[MOST];
    CUfunction function;
    if (!config || config->numAttrs > MOST || (config->numAttrs && !config->attrs))
        return cudart_result(cudaErrorInvalidValue);
    const CUlaunchConfig c = {.gridDimX = config->gridDim.x,
                              .gridDimY = config->gridDim.y,
                              .gridDimZ = config->gridDim.z,
                              .blockDimX = config->blockDim.x,
                              .blockDimY = config->blockDim.y,
                              .blockDimZ = config->blockDim.z,
                              .sharedMemBytes = dynamic(config->dynamicSmemBytes),
                              .hStream = config->stream,
                              .attrs = attribute,
                              .numAttrs = config->numAttrs};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        attribute[i] = (CUlaunchAttribute){.id = (CUlaunchAttributeID)config->attrs[i].id};
        memcpy(&attribute[i].value, &config->attrs[i].val, sizeof attribute[i].value);
    }
    const CUresult result = cudart_function(host, &function);
    return result ? cudart_of(result)
                  : launched(cuLaunchKernelEx(&c, function, arguments, NULL), function,
                             config->dynamicSmemBytes);
}

EXPORT cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *host)
{
    enum { ATTRIBUTES = CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT + 1 };
    CUfunction function;
    int value[ATTRIBUTES] = {0};
    CUresult result = cudart_function(host, &function);
    if (!a)
        return cudart_result(cudaErrorInvalidValue);
    for (int i = 0; i < ATTRIBUTES && !result; i++)
        result = cuFuncGetAttribute(&value[i], (CUfunction_attribute)i, function);
    if (result)
        return cudart_of(result);
    *a = (struct cudaFuncAttributes){
        .sharedSizeBytes = (size_t)value[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES],
        .constSizeBytes = (size_t)value[CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES],
        .localSizeBytes = (size_t)value[CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES],
        .maxThreadsPerBlock = value[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK],
        .numRegs = value[CU_FUNC_ATTRIBUTE_NUM_REGS],
        .ptxVersion = value[CU_FUNC_ATTRIBUTE_PTX_VERSION],
        .binaryVersion = value[CU_FUNC_ATTRIBUTE_BINARY_VERSION],
        .cacheModeCA = value[CU_FUNC_ATTRIBUTE_CACHE_MODE_CA],
        .maxDynamicSharedSizeBytes = value[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES],
        .preferredShmemCarveout = value[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT]};
    return cudaSuccess;
}

EXPORT cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute attribute,
                                        int value)
{
    CUfunction function;
    const CUresult result = cudart_function(host, &function);
    return cudart_of(result ? result
                            : cuFuncSetAttribute(function, (CUfunction_attribute)attribute, value));
}

EXPORT cudaError_t cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache config)
{
    CUfunction function;
    const CUresult result = cudart_function(host, &function);
    return cudart_of(result ? result : cuFuncSetCacheConfig(function, (CUfunc_cache)config));
}

EXPORT cudaError_t cudaFuncSetSharedMemConfig(const void *host, enum cudaSharedMemConfig config)
{
    CUfunction function;
    const CUresult result = cudart_function(host, &function);
    return cudart_of(result ? result : cuFuncSetSharedMemConfig(function, (CUsharedconfig)config));
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                          const void *host,
                                                                          int block, size_t shared,
                                                                          unsigned flags)
{
    CUfunction function;
    const CUresult result = cudart_function(host, &function);
    return cudart_of(result ? result
                            : cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                                  blocks, function, block, shared, flags));
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host,
                                                                 int block, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, block, shared, 0);
}

EXPORT cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic, const void *host,
                                                             int blocks, int block)
{
    CUfunction function;
    const CUresult result = cudart_function(host, &function);
    return cudart_of(
        result ? result
               : cuOccupancyAvailableDynamicSMemPerBlock(dynamic, function, blocks, block));
}
