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
    const CUresult result = state_enter(&g);
    return result ? result : state_leave(CUDA_SUCCESS);
}

API(cuStreamCreate, (CUstream * stream, unsigned flags), (stream, flags), "*%p, %u", HANDLE(stream),
    flags)
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

API(cuStreamDestroy_v2, (CUstream stream), (stream), "%p", stream)
{
    free(stream);
    return stream ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API(cuStreamQuery, (CUstream stream), (stream), "%p", stream)
{
    return check();
}

API(cuStreamSynchronize, (CUstream stream), (stream), "%p", stream)
{
    return check();
}

API(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), (stream, event, flags),
    "%p, %p, %u", stream, event, flags)
{
    return event ? check() : CUDA_ERROR_INVALID_HANDLE;
}

/* Without the lock: the function may call us. */
API(cuStreamAddCallback, (CUstream stream, CUstreamCallback call, void *data, unsigned flags),
    (stream, call, data, flags), "%p, %p, %u", stream, data, flags)
{
    const CUresult result = check();
    if (!call)
        return CUDA_ERROR_INVALID_VALUE;
    call(stream, result, data);
    return CUDA_SUCCESS;
}

API(cuEventCreate, (CUevent * event, unsigned flags), (event, flags), "*%p, %u", HANDLE(event),
    flags)
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

API(cuEventDestroy_v2, (CUevent event), (event), "%p", event)
{
    free(event);
    return event ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API(cuEventRecord, (CUevent event, CUstream stream), (event, stream), "%p, %p", event, stream)
{
    const CUresult result = event ? check() : CUDA_ERROR_INVALID_HANDLE;
    if (result)
        return result;
    event->recorded = true;
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return CUDA_SUCCESS;
}

API(cuEventQuery, (CUevent event), (event), "%p", event)
{
    return event ? check() : CUDA_ERROR_INVALID_HANDLE;
}

API(cuEventSynchronize, (CUevent event), (event), "%p", event)
{
    return event ? check() : CUDA_ERROR_INVALID_HANDLE;
}

API(cuEventElapsedTime, (float *milliseconds, CUevent from, CUevent to), (milliseconds, from, to),
    "%p, %p, %p", milliseconds, from, to)
{
    if (!milliseconds || !from || !to || !from->recorded || !to->recorded)
        return CUDA_ERROR_INVALID_HANDLE;
    *milliseconds = (float)(to->at.tv_sec - from->at.tv_sec) * 1e3f +
                    (float)(to->at.tv_nsec - from->at.tv_nsec) / 1e6f;
    return CUDA_SUCCESS;
}
