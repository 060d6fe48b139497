/* libcudart: streams, events, functions of the host in streams. */
#include <stdlib.h>

#include "runtime/cudart/cudart.h"

EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuStreamCreate(stream, flags));
}

EXPORT cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuStreamCreateWithPriority(stream, flags, priority));
}

EXPORT cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuStreamGetPriority(stream, priority));
}

EXPORT cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuStreamGetFlags(stream, flags));
}

EXPORT cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuStreamGetId(stream, id));
}

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

EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuStreamDestroy(stream));
}

EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuStreamSynchronize(stream));
}

EXPORT cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuStreamQuery(stream));
}

EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuStreamWaitEvent(stream, event, flags));
}

/* A program's function with its data, for the driver's way of calling. */
struct called {
    cudaStreamCallback_t callback;
    cudaHostFn_t function;
    void *data;
};

static void call(CUstream stream, CUresult status, void *data)
{
    struct called *c = data;
    if (c->callback)
        c->callback(stream, (cudaError_t)status, c->data);
    else if (!status) /* "not called after an error" */
        c->function(c->data);
    free(c);
}

static cudaError_t add(cudaStream_t stream, struct called what)
{
    CUresult result = cudart_enter();
    struct called *c = result ? NULL : malloc(sizeof *c);
    if (!c)
        return cudart_of(result ? result : CUDA_ERROR_OUT_OF_MEMORY);
    *c = what;
    return cudart_of(cuStreamAddCallback(stream, call, c, 0));
}

EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                         void *data, unsigned flags)
{
    if (!callback || flags)
        return cudart_result(cudaErrorInvalidValue);
    return add(stream, (struct called){.callback = callback, .data = data});
}

EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    if (!function)
        return cudart_result(cudaErrorInvalidValue);
    return add(stream, (struct called){.function = function, .data = data});
}

EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuEventCreate(event, flags));
}

EXPORT cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return cudart_of(cuEventDestroy(event));
}

EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuEventRecord(event, stream));
}

EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuEventRecordWithFlags(event, stream, flags));
}

EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuEventSynchronize(event));
}

EXPORT cudaError_t cudaEventQuery(cudaEvent_t event)
{
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuEventQuery(event));
}

EXPORT cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    return cudart_of(cuEventElapsedTime(milliseconds, from, to));
}
