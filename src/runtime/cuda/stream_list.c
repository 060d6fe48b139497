/* libcuda: the streams that there are. See stream_list.h. */
#include "runtime/cuda/stream_list.h"

#include "runtime/cuda/checks.h"

static struct CUstream_st *streams;

bool stream_always_exists(CUstream stream)
{
    return !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

struct CUstream_st **stream_find(CUstream stream)
{
    struct CUstream_st **at = &streams;
    while (*at && *at != stream)
        at = &(*at)->next;
    return at;
}

CUstream stream_after(CUstream stream)
{
    return stream ? stream->next : streams;
}

void stream_put_first(CUstream stream)
{
    streams = stream;
}

struct capture_point *stream_point(CUstream stream)
{
    return !stream_always_exists(stream) && *stream_find(stream) ? &stream->point : NULL;
}

CUresult state_enter_stream(CUstream stream, struct gpu **gpu)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    if (stream_always_exists(stream))
        return state_enter_owner(0, gpu);
    if (*stream_find(stream))
        return state_enter_owner(stream->context->id, gpu);
    checks_handle_missed(stream, "stream");
    return state_leave(CUDA_ERROR_INVALID_HANDLE);
}
