/* libcudart: devices; each thread has one, the primary context of which it uses. See cudart.h. */
#include "runtime/cudart/cudart.h"

#include <pthread.h>
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

EXPORT cudaError_t cudaDriverGetVersion(int *version)
{
    return cudart_of(cuDriverGetVersion(version));
}

EXPORT cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (version)
        *version = CUDART_VERSION;
    return cudart_result(version ? cudaSuccess : cudaErrorInvalidValue);
}

EXPORT cudaError_t cudaGetDeviceCount(int *count)
{
    const CUresult result = cuInit(0);
    return cudart_of(result ? result : cuDeviceGetCount(count));
}

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

/* How the host waits is all that they say. */
EXPORT cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    (void)flags;
    return cudart_of(cuInit(0));
}

static int attribute(int number, int what)
{
    int value = 0;
    return cuDeviceGetAttribute(&value, what, number) ? 0 : value;
}

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
    for (int i = 0; i < 3; i++) {
        p->maxThreadsDim[i] = attribute(d, 2 + i);
        p->maxGridSize[i] = attribute(d, 5 + i);
    }
    p->sharedMemPerBlock = (size_t)attribute(d, 8);
    p->regsPerBlock = attribute(d, 12);
    p->warpSize = attribute(d, 10);
    p->memPitch = (size_t)attribute(d, 11);
    p->maxThreadsPerBlock = attribute(d, 1);
    p->clockRate = attribute(d, 13);
    p->totalConstMem = (size_t)attribute(d, 9);
    p->major = attribute(d, 75);
    p->minor = attribute(d, 76);
    p->textureAlignment = (size_t)attribute(d, 14);
    p->texturePitchAlignment = (size_t)attribute(d, 51);
    p->multiProcessorCount = attribute(d, 16);
    p->integrated = attribute(d, 18);
    p->canMapHostMemory = attribute(d, 19);
    p->computeMode = attribute(d, 20);
    p->concurrentKernels = attribute(d, 31);
    p->ECCEnabled = attribute(d, 32);
    p->pciBusID = attribute(d, 33);
    p->pciDeviceID = attribute(d, 34);
    p->asyncEngineCount = attribute(d, 40);
    p->unifiedAddressing = attribute(d, 41);
    p->memoryClockRate = attribute(d, 36);
    p->memoryBusWidth = attribute(d, 37);
    p->l2CacheSize = attribute(d, 38);
    p->maxThreadsPerMultiProcessor = attribute(d, 39);
    p->sharedMemPerMultiprocessor = (size_t)attribute(d, 81);
    p->regsPerMultiprocessor = attribute(d, 82);
    p->managedMemory = attribute(d, 83);
    p->concurrentManagedAccess = attribute(d, 89);
    p->cooperativeLaunch = attribute(d, 95);
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr what, int number)
{
    const CUresult result = cuInit(0);
    return cudart_of(result ? result : cuDeviceGetAttribute(value, (int)what, number));
}

EXPORT cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int number)
{
    const CUresult result = cuInit(0);
    return cudart_of(result ? result : cuDeviceGetPCIBusId(id, length, number));
}

EXPORT cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuCtxGetLimit(value, (int)limit));
}

EXPORT cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuCtxSetLimit((int)limit, value));
}

/* There is no cache whose parts could be shared out. */
EXPORT cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    (void)config;
    return cudart_of(cudart_enter());
}

EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = 0;
    return cudart_of(cudart_enter());
}

EXPORT cudaError_t cudaDeviceCanAccessPeer(int *can, int number, int peer)
{
    const CUresult result = cuInit(0);
    return cudart_of(result ? result : cuDeviceCanAccessPeer(can, number, peer));
}

EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    CUcontext context;
    CUresult result = cudart_enter();
    if (peer < 0 || peer >= CUDART_GPUS || flags)
        return cudart_result(cudaErrorInvalidDevice);
    if (!result)
        result = retain(peer, &context);
    return cudart_of(result ? result : cuCtxEnablePeerAccess(context, flags));
}

EXPORT cudaError_t cudaDeviceSynchronize(void)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuCtxSynchronize());
}

/* The error of a kernel goes; memory stays until the program ends. */
EXPORT cudaError_t cudaDeviceReset(void)
{
    const CUresult result = cuInit(0);
    return cudart_of(result ? result : cuDevicePrimaryCtxReset(device));
}
