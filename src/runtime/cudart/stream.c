/* libcudart: streams, events, functions of the host in streams. */
#include <stdlib.h>

#include "runtime/cudart/cudart.h"

FORWARD(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags),
        cuStreamCreate(stream, flags))

EXPORT cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

FORWARD(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority),
        cuStreamCreateWithPriority(stream, flags, priority))

FORWARD(cudaStreamGetPriority, (cudaStream_t stream, int *priority),
        cuStreamGetPriority(stream, priority))

FORWARD(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), cuStreamGetFlags(stream, flags))

FORWARD(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), cuStreamGetId(stream, id))

EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    CUstreamCaptureStatus got = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult result = cudart_enter();
    if (!status)
        return cudart_result(cudaErrorInvalidValue);
    if (!result)
        result = cuStreamIsCapturing(stream, &got);
    *status = (enum cudaStreamCaptureStatus)got;
    return cudart_of(result);
}

FORWARD(cudaStreamDestroy, (cudaStream_t stream), cuStreamDestroy(stream))

FORWARD(cudaStreamSynchronize, (cudaStream_t stream), cuStreamSynchronize(stream))

FORWARD(cudaStreamQuery, (cudaStream_t stream), cuStreamQuery(stream))

FORWARD(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
        cuStreamWaitEvent(stream, event, flags))

/* A program's function with its data, for the driver's way of calling. */
struct called {
    cudaStreamCallback_t callback;
    void *data;
};

static void call(CUstream stream, CUresult status, void *data)
{
    struct called *c = data;
    c->callback(stream, (cudaError_t)status, c->data);
    free(c);
}

EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                         void *data, unsigned flags)
{
    CUresult result = cudart_enter();
    if (!callback || flags)
        return cudart_result(cudaErrorInvalidValue);
    struct called *c = result ? NULL : malloc(sizeof *c);
    if (!c)
        return cudart_of(result ? result : CUDA_ERROR_OUT_OF_MEMORY);
    *c = (struct called){callback, data};
    if ((result = cuStreamAddCallback(stream, call, c, 0)) != CUDA_SUCCESS)
        free(c); /* it was not called */
    return cudart_of(result);
}

FORWARD(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *data),
        cuLaunchHostFunc(stream, function, data))

FORWARD(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags),
        cuEventCreate(event, flags))

EXPORT cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return cudart_of(cuEventDestroy(event));
}

FORWARD(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), cuEventRecord(event, stream))

FORWARD(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
        cuEventRecordWithFlags(event, stream, flags))

FORWARD(cudaEventSynchronize, (cudaEvent_t event), cuEventSynchronize(event))

FORWARD(cudaEventQuery, (cudaEvent_t event), cuEventQuery(event))

EXPORT cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    return cudart_of(cuEventElapsedTime(milliseconds, from, to));
}

/* Version 12.8 has the first one as _v2. */
EXPORT cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    return cudaEventElapsedTime(milliseconds, from, to);
}

/* The device of a stream is that of the context in which it was made. */
EXPORT cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    CUcontext context;
    CUdevice of = 0;
    CUresult result = device ? cudart_enter() : CUDA_ERROR_INVALID_VALUE;
    if (!result && (result = cuStreamGetCtx(stream, &context)) == CUDA_SUCCESS &&
        (result = cuCtxPushCurrent(context)) == CUDA_SUCCESS) {
        result = cuCtxGetDevice(&of);
        cuCtxPopCurrent(NULL);
    }
    if (!result)
        *device = of;
    return cudart_of(result);
}
