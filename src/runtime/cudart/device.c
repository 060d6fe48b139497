/* libcudart: devices; each thread has one, the primary context of which it uses. See cudart.h. */
#include "runtime/cudart/cudart.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUcontext primary[CUDART_GPUS]; /* under the lock; NULL: not retained yet */
static _Thread_local int device;

int cudart_device(void)
{
    return device;
}

static CUresult retain(int number, CUcontext *context)
{
    CUresult result = cuInit(0);
    pthread_mutex_lock(&lock);
    if (!result && !primary[number])
        result = cuDevicePrimaryCtxRetain(&primary[number], number);
    *context = primary[number];
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult cudart_enter(void)
{
    CUcontext context;
    CUresult result = cuInit(0);
    if (result || (result = cuCtxGetCurrent(&context)) != CUDA_SUCCESS || context)
        return result;
    result = retain(device, &context);
    return result ? result : cuCtxSetCurrent(context);
}

/* The driver takes programs of all versions of the runtime that there are. */
EXPORT cudaError_t cudaDriverGetVersion(int *version)
{
    const CUresult result = cuDriverGetVersion(version);
    if (!result && *version < CUDART_VERSION)
        *version = CUDART_VERSION;
    return cudart_of(result);
}

EXPORT cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (version)
        *version = CUDART_VERSION;
    return cudart_result(version ? cudaSuccess : cudaErrorInvalidValue);
}

FORWARD_INIT(cudaGetDeviceCount, (int *count), cuDeviceGetCount(count))

EXPORT cudaError_t cudaGetDevice(int *number)
{
    if (number)
        *number = device;
    return cudart_result(number ? cudaSuccess : cudaErrorInvalidValue);
}

EXPORT cudaError_t cudaSetDevice(int number)
{
    CUcontext context;
    int count = 0;
    CUresult result = cuInit(0);
    if (result || (result = cuDeviceGetCount(&count)) != CUDA_SUCCESS)
        return cudart_of(result);
    if (number < 0 || number >= count || number >= CUDART_GPUS)
        return cudart_result(cudaErrorInvalidDevice);
    if ((result = retain(number, &context)) != CUDA_SUCCESS ||
        (result = cuCtxSetCurrent(context)) != CUDA_SUCCESS)
        return cudart_of(result);
    device = number;
    return cudaSuccess;
}

/* How the host waits is all that they say, but for one: memory of the host is always mapped. */
EXPORT cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    const unsigned known = cudaDeviceScheduleSpin | cudaDeviceScheduleYield |
                           cudaDeviceScheduleBlockingSync | cudaDeviceMapHost;
    const CUresult result = cuInit(0);
    if (flags & ~known)
        return cudart_result(cudaErrorInvalidValue);
    return cudart_of(result ? result : cuDevicePrimaryCtxSetFlags(device, flags));
}

EXPORT cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    int active;
    const CUresult result = cuInit(0);
    if (!flags)
        return cudart_result(cudaErrorInvalidValue);
    const CUresult got = result ? result : cuDevicePrimaryCtxGetState(device, flags, &active);
    *flags |= got ? 0 : cudaDeviceMapHost;
    return cudart_of(got);
}

/* All GPUs have the same properties but for the SMs and the compute capability: the first one that
 * has what is asked for, else the first one. */
EXPORT cudaError_t cudaChooseDevice(int *number, const struct cudaDeviceProp *wanted)
{
    int count = 0;
    struct cudaDeviceProp p;
    cudaError_t error = number && wanted ? cudaGetDeviceCount(&count) : cudaErrorInvalidValue;
    for (int i = count; !error && i-- > 0;)
        if ((error = cudaGetDeviceProperties(&p, i)) == cudaSuccess &&
            (i == 0 || (p.major * 10 + p.minor >= wanted->major * 10 + wanted->minor &&
                        p.multiProcessorCount >= wanted->multiProcessorCount &&
                        p.totalGlobalMem >= wanted->totalGlobalMem)))
            *number = i;
    return cudart_result(error);
}

static int attribute(int number, CUdevice_attribute what)
{
    int value = 0;
    return cuDeviceGetAttribute(&value, what, number) ? 0 : value;
}

static void fill_properties(struct cudaDeviceProp *p, CUdevice d)
{
    const struct {
        int *to;
        CUdevice_attribute attribute;
    } numbers[] = {
        {&p->regsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
        {&p->warpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
        {&p->maxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
        {&p->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
        {&p->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
        {&p->multiProcessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {&p->integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED},
        {&p->canMapHostMemory, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY},
        {&p->maxTexture1D, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH},
        {&p->concurrentKernels, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS},
        {&p->ECCEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED},
        {&p->pciBusID, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID},
        {&p->pciDeviceID, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID},
        {&p->pciDomainID, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID},
        {&p->tccDriver, CU_DEVICE_ATTRIBUTE_TCC_DRIVER},
        {&p->asyncEngineCount, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT},
        {&p->unifiedAddressing, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING},
        {&p->memoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
        {&p->l2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
        {&p->maxThreadsPerMultiProcessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
        {&p->streamPrioritiesSupported, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED},
        {&p->globalL1CacheSupported, CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED},
        {&p->localL1CacheSupported, CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED},
        {&p->regsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
        {&p->managedMemory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY},
        {&p->isMultiGpuBoard, CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD},
        {&p->multiGpuBoardGroupID, CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID},
        {&p->hostNativeAtomicSupported, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED},
        {&p->pageableMemoryAccess, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS},
        {&p->concurrentManagedAccess, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS},
        {&p->computePreemptionSupported, CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED},
        {&p->canUseHostPointerForRegisteredMem,
         CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM},
        {&p->cooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH},
        {&p->directManagedMemAccessFromHost,
         CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST},
        {&p->maxBlocksPerMultiProcessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
        {&p->maxTexture2D[0], CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH},
        {&p->maxTexture2D[1], CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT},
        {&p->maxTexture3D[0], CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH},
        {&p->maxTexture3D[1], CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT},
        {&p->maxTexture3D[2], CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH},
        {&p->maxTexture2DLayered[0], CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH},
        {&p->maxTexture2DLayered[1], CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT},
        {&p->maxTexture2DLayered[2], CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS},
        {&p->maxThreadsDim[0], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X},
        {&p->maxThreadsDim[1], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y},
        {&p->maxThreadsDim[2], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
        {&p->maxGridSize[0], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
        {&p->maxGridSize[1], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y},
        {&p->maxGridSize[2], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z},
#if CUDART_VERSION < 13000
        {&p->clockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
        {&p->deviceOverlap, CU_DEVICE_ATTRIBUTE_GPU_OVERLAP},
        {&p->kernelExecTimeoutEnabled, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT},
        {&p->computeMode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE},
        {&p->memoryClockRate, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
        {&p->singleToDoublePrecisionPerfRatio,
         CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO},
        {&p->cooperativeMultiDeviceLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH},
#endif
#if CUDART_VERSION >= 12000
        {&p->hostRegisterSupported, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED},
        {&p->memoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED},
#endif
    };
    const struct {
        size_t *to;
        CUdevice_attribute attribute;
    } sizes[] = {
        {&p->sharedMemPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
        {&p->memPitch, CU_DEVICE_ATTRIBUTE_MAX_PITCH},
        {&p->totalConstMem, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY},
        {&p->textureAlignment, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT},
        {&p->texturePitchAlignment, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT},
        {&p->surfaceAlignment, CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT},
        {&p->sharedMemPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
        {&p->sharedMemPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
        {&p->reservedSharedMemPerBlock, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i].to = attribute(d, numbers[i].attribute);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        *sizes[i].to = (size_t)attribute(d, sizes[i].attribute);
}

/* Those of version 12 have the name cudaGetDeviceProperties_v2. */
EXPORT cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int number)
{
    CUresult result = cuInit(0);
    CUdevice d;
    if (!p)
        return cudart_result(cudaErrorInvalidValue);
    if (result || (result = cuDeviceGet(&d, number)) != CUDA_SUCCESS)
        return cudart_of(result);
    memset(p, 0, sizeof *p);
    if ((result = cuDeviceGetName(p->name, (int)sizeof p->name, d)) != CUDA_SUCCESS ||
        (result = cuDeviceTotalMem(&p->totalGlobalMem, d)) != CUDA_SUCCESS)
        return cudart_of(result);
    fill_properties(p, d);
    return cudart_of(cuDeviceGetUuid((CUuuid *)&p->uuid, d));
}

#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
#undef cudaGetDeviceProperties
/* Version 12 keeps it for programs that look it up by this name: version 11's structure, with which
 * that of version 12 begins. */
EXPORT cudaError_t cudaGetDeviceProperties(void *p, int number)
{
    struct cudaDeviceProp whole;
    const cudaError_t error =
        p ? cudaGetDeviceProperties_v2(&whole, number) : cudaErrorInvalidValue;
    if (error)
        return cudart_result(error);
    memcpy(p, &whole, offsetof(struct cudaDeviceProp, hostRegisterSupported));
    return cudaSuccess;
}
#endif

FORWARD_INIT(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr what, int number),
             cuDeviceGetAttribute(value, (CUdevice_attribute)what, number))

FORWARD_INIT(cudaDeviceGetPCIBusId, (char *id, int length, int number),
             cuDeviceGetPCIBusId(id, length, number))

FORWARD(cudaDeviceGetLimit, (size_t * value, enum cudaLimit limit),
        cuCtxGetLimit(value, (CUlimit)limit))

FORWARD(cudaDeviceSetLimit, (enum cudaLimit limit, size_t value),
        cuCtxSetLimit((CUlimit)limit, value))

/* A configuration of the context, which the driver has as another type. */
#define CONFIG(name, type, driver_type, get)                                                       \
    EXPORT cudaError_t name(type *config)                                                          \
    {                                                                                              \
        driver_type got = 0;                                                                       \
        CUresult result = cudart_enter();                                                          \
        if (!config)                                                                               \
            return cudart_result(cudaErrorInvalidValue);                                           \
        if (!result)                                                                               \
            result = get(&got);                                                                    \
        *config = (type)got;                                                                       \
        return cudart_of(result);                                                                  \
    }

FORWARD(cudaDeviceSetCacheConfig, (enum cudaFuncCache config),
        cuCtxSetCacheConfig((CUfunc_cache)config))

CONFIG(cudaDeviceGetCacheConfig, enum cudaFuncCache, CUfunc_cache, cuCtxGetCacheConfig)

FORWARD(cudaDeviceSetSharedMemConfig, (enum cudaSharedMemConfig config),
        cuCtxSetSharedMemConfig((CUsharedconfig)config))

CONFIG(cudaDeviceGetSharedMemConfig, enum cudaSharedMemConfig, CUsharedconfig,
       cuCtxGetSharedMemConfig)

FORWARD(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest),
        cuCtxGetStreamPriorityRange(least, greatest))

FORWARD_INIT(cudaDeviceGetByPCIBusId, (int *number, const char *id),
             cuDeviceGetByPCIBusId(number, id))

FORWARD_INIT(cudaDeviceGetP2PAttribute,
             (int *value, enum cudaDeviceP2PAttr what, int number, int peer),
             cuDeviceGetP2PAttribute(value, (CUdevice_P2PAttribute)what, number, peer))

FORWARD_INIT(cudaDeviceCanAccessPeer, (int *can, int number, int peer),
             cuDeviceCanAccessPeer(can, number, peer))

static cudaError_t change_peer(int peer, unsigned flags, bool enable)
{
    CUcontext context;
    CUresult result = cudart_enter();
    if (flags)
        return cudart_result(cudaErrorInvalidValue);
    if (peer < 0 || peer >= CUDART_GPUS)
        return cudart_result(cudaErrorInvalidDevice);
    if (!result)
        result = retain(peer, &context);
    if (!result)
        result = enable ? cuCtxEnablePeerAccess(context, 0) : cuCtxDisablePeerAccess(context);
    if (result == CUDA_ERROR_INVALID_CONTEXT) /* the current device's own */
        return cudart_result(cudaErrorInvalidDevice);
    return cudart_of(result);
}

EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return change_peer(peer, flags, true);
}

EXPORT cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return change_peer(peer, 0, false);
}

FORWARD(cudaDeviceSynchronize, (void), cuCtxSynchronize())

/* After a kernel's error NVIDIA's driver gives the process no other context (an H200's answers:
 * tests/host/cuda_answers.c), and "any further CUDA work will return the same error" (CUDA Runtime
 * API, cudaErrorIllegalAddress and its like). Otherwise memory stays until the program ends. */
static CUresult reset(void)
{
    const CUresult result = cuCtxSynchronize();
    return result ? result : cuDevicePrimaryCtxReset(device);
}

FORWARD(cudaDeviceReset, (void), reset())

#if CUDART_VERSION >= 12000
/* The context of a device, without a change of the thread's device. */
EXPORT cudaError_t cudaInitDevice(int number, unsigned device_flags, unsigned flags)
{
    CUcontext context;
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error)
        return error;
    if (number < 0 || number >= count || number >= CUDART_GPUS)
        return cudart_result(cudaErrorInvalidDevice);
    return cudart_of(retain(number, &context));
}
#endif

/* There is no cache. */
FORWARD(cudaCtxResetPersistingL2Cache, (void), CUDA_SUCCESS)

/* ---- functions of the driver ---- */

static cudaError_t driver_function(const char *name, void **function, int version,
                                   unsigned long long flags, int *status)
{
    CUdriverProcAddressQueryResult got = CU_GET_PROC_ADDRESS_SUCCESS;
    const CUresult result = cuGetProcAddress_v2(name, function, version, flags, &got);
    if (status)
        *status = (int)got;
    return cudart_of(result || status || !got ? result : CUDA_ERROR_NOT_FOUND);
}

#if CUDART_VERSION < 12000
EXPORT cudaError_t cudaGetDriverEntryPoint(const char *name, void **function,
                                           unsigned long long flags)
{
    return driver_function(name, function, CUDART_VERSION, flags, NULL);
}
#else
EXPORT cudaError_t cudaGetDriverEntryPoint(const char *name, void **function,
                                           unsigned long long flags, int *status)
{
    return driver_function(name, function, CUDART_VERSION, flags, status);
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                                    unsigned version, unsigned long long flags,
                                                    int *status)
{
    return driver_function(name, function, (int)version, flags, status);
}
#endif

/* ---- older names, and the profiler ---- */

#define OLDER(name, parameters, call)                                                              \
    EXPORT cudaError_t name parameters                                                             \
    {                                                                                              \
        return call;                                                                               \
    }
OLDER(cudaThreadSynchronize, (void), cudaDeviceSynchronize())
OLDER(cudaThreadExit, (void), cudaDeviceReset())
OLDER(cudaThreadGetLimit, (size_t * value, enum cudaLimit limit), cudaDeviceGetLimit(value, limit))
OLDER(cudaThreadSetLimit, (enum cudaLimit limit, size_t value), cudaDeviceSetLimit(limit, value))
OLDER(cudaThreadGetCacheConfig, (enum cudaFuncCache * config), cudaDeviceGetCacheConfig(config))
OLDER(cudaThreadSetCacheConfig, (enum cudaFuncCache config), cudaDeviceSetCacheConfig(config))

/* Numbers changed only on GPUs without the type double. */
EXPORT cudaError_t cudaSetDoubleForDevice(double *number)
{
    return cudaSuccess;
}

EXPORT cudaError_t cudaSetDoubleForHost(double *number)
{
    return cudaSuccess;
}

FORWARD(cudaProfilerStart, (void), cuProfilerStart())

FORWARD(cudaProfilerStop, (void), cuProfilerStop())
