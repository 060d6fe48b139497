/* libcuda: streams and events ("CUDA Driver API": 6.18, 6.19). Work is done when it is given. */
#include <stdlib.h>
#include <time.h>

#include "runtime/cuda/state.h"

struct CUstream_st {
    unsigned flags;
};

struct CUevent_st {
    bool recorded;
    struct timespec at;
};

static CUresult check(void)
{
    struct gpu *g;
    const CUresult result = state_enter(true, &g);
    return result ? result : state_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    const CUresult result = check();
    if (result)
        return result;
    struct CUstream_st *s = stream ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return CUDA_ERROR_INVALID_VALUE;
    s->flags = flags;
    *stream = s;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
    free(stream);
    return stream ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuStreamQuery(CUstream stream)
{
    return check();
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
    return check();
}

EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    return event ? check() : CUDA_ERROR_INVALID_HANDLE;
}

/* Without the lock: the function may call us. */
EXPORT CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback call, void *data,
                                    unsigned flags)
{
    const CUresult result = check();
    if (!call)
        return CUDA_ERROR_INVALID_VALUE;
    call(stream, result, data);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    const CUresult result = check();
    if (result)
        return result;
    struct CUevent_st *e = event ? calloc(1, sizeof *e) : NULL;
    if (!e)
        return CUDA_ERROR_INVALID_VALUE;
    *event = e;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
    free(event);
    return event ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
    const CUresult result = event ? check() : CUDA_ERROR_INVALID_HANDLE;
    if (result)
        return result;
    event->recorded = true;
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventQuery(CUevent event)
{
    return event ? check() : CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuEventSynchronize(CUevent event)
{
    return event ? check() : CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to)
{
    if (!milliseconds || !from || !to || !from->recorded || !to->recorded)
        return CUDA_ERROR_INVALID_HANDLE;
    *milliseconds = (float)(to->at.tv_sec - from->at.tv_sec) * 1e3f +
                    (float)(to->at.tv_nsec - from->at.tv_nsec) / 1e6f;
    return CUDA_SUCCESS;
}
