/* libcuda: streams ("CUDA Driver API": 6.18, 6.20). Work is done when it is given. */
#include <stdlib.h>

#include "runtime/cuda/checks.h"
#include "runtime/cuda/order.h"
#include "runtime/cuda/stream_list.h"

static uint64_t latest; /* the last id; 1 and 2 are the two that always exist */

void streams_drop(uint64_t owner)
{
    for (struct CUstream_st **at = stream_find(stream_after(NULL)), *s; (s = *at);) {
        if (s->context->id != owner) {
            at = &s->next;
            continue;
        }
        capture_drop(s);
        wt_order_drop(&s->order.point);
        *at = s->next;
        checks_handle_lost(s);
        checks_handle_gone(s, "the end of its context");
    }
}

static CUresult check(CUstream stream)
{
    struct gpu *g;
    const CUresult result = state_enter_stream(stream, &g);
    return result ? result : state_leave(CUDA_SUCCESS);
}

/* Likewise for a call that waits, or asks how far a stream is: none does where it is captured. Who
 * is told that the stream has done all may count on it. */
static CUresult check_not_captured(CUstream stream)
{
    struct gpu *g;
    const CUresult result = state_enter_stream(stream, &g);
    if (result)
        return result;
    const bool legacy = !stream || stream == CU_STREAM_LEGACY; /* waits for other streams, too */
    if (legacy ? capture_forbids_context() : capture_forbids(stream))
        return state_leave(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    order_waits(stream);
    return state_leave(CUDA_SUCCESS);
}

/* A priority outside of the range becomes the nearest one. */
API_IN(state_enter(&g), cuStreamCreateWithPriority, "*%p, %u, %d",
       (CUstream *, stream, HANDLE(stream)), (unsigned, flags), (int, priority))
{
    if (!stream || flags > CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUstream_st *s = calloc(1, sizeof *s);
    if (!s)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *s = (struct CUstream_st){.flags = flags,
                              .priority = priority > 0 ? 0
                                          : priority < STATE_GREATEST_PRIORITY
                                              ? STATE_GREATEST_PRIORITY
                                              : priority,
                              .context = state_entered(),
                              .id = 3 + latest++,
                              .next = stream_after(NULL)};
    stream_put_first(s);
    *stream = s;
    checks_handle_made(s, sizeof *s, "cuStreamCreate");
    return CUDA_SUCCESS;
}

API(cuStreamCreate, "*%p, %u", (CUstream *, stream, HANDLE(stream)), (unsigned, flags))
{
    return do_cuStreamCreateWithPriority(stream, flags, 0);
}

API_IN(state_lock(), cuStreamDestroy_v2, "%p", (CUstream, stream))
{
    struct CUstream_st **at = stream_find(stream), *s = *at;
    if (!stream || !s) {
        checks_handle_missed(stream, "stream");
        return CUDA_ERROR_INVALID_HANDLE;
    }
    const CUresult failed = s->context->failed;
    capture_drop(s);
    wt_order_drop(&s->order.point);
    *at = s->next;
    checks_handle_gone(s, "cuStreamDestroy");
    return failed;
}

API(cuStreamQuery, "%p", (CUstream, stream))
{
    return check_not_captured(stream);
}

API(cuStreamSynchronize, "%p", (CUstream, stream))
{
    return check_not_captured(stream);
}

/* Kernels have ended when their launch returns: only a failure is left to report. */
API(cuCtxSynchronize, "%s", (void, , ""))
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (capture_forbids_context())
        return state_leave(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    order_waits_for_all();
    return state_leave(CUDA_SUCCESS);
}

API(cuCtxSynchronize_v2, "%p", (CUcontext, context))
{
    if (!state_names_context(context))
        return do_cuCtxSynchronize();
    const CUresult result = state_lock();
    if (result)
        return result;
    if (!state_is_context(context))
        return state_leave(CUDA_ERROR_INVALID_CONTEXT);
    order_waits_for_all();
    return state_leave(CUDA_SUCCESS);
}

/* ---- what a stream is ---- */

API_IN(state_enter_stream(stream, &g), cuStreamGetPriority, "%p, *%llu", (CUstream, stream),
       (int *, priority, RESULT(priority)))
{
    if (priority)
        *priority = stream_always_exists(stream) ? 0 : stream->priority;
    return priority ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(state_enter_stream(stream, &g), cuStreamGetFlags, "%p, *%llu", (CUstream, stream),
       (unsigned *, flags, RESULT(flags)))
{
    if (flags)
        *flags = stream_always_exists(stream) ? CU_STREAM_DEFAULT : stream->flags;
    return flags ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(state_enter_stream(stream, &g), cuStreamGetCtx, "%p, *%p", (CUstream, stream),
       (CUcontext *, context, HANDLE(context)))
{
    if (context)
        *context = state_entered();
    return context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* There are no green contexts. */
API(cuStreamGetCtx_v2, "%p, *%p, %p", (CUstream, stream), (CUcontext *, context, HANDLE(context)),
    (void **, green))
{
    if (!green)
        return CUDA_ERROR_INVALID_VALUE;
    *green = NULL;
    return do_cuStreamGetCtx(stream, context);
}

API_IN(state_enter_stream(stream, &g), cuStreamGetDevice, "%p, *%llu", (CUstream, stream),
       (CUdevice *, number, RESULT(number)))
{
    if (number)
        *number = (CUdevice)gpu_number(g);
    return number ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(state_enter_stream(stream, &g), cuStreamGetId, "%p, *%llu", (CUstream, stream),
       (unsigned long long *, id, RESULT(id)))
{
    if (id)
        *id = stream == CU_STREAM_PER_THREAD ? 2 : stream_always_exists(stream) ? 1 : stream->id;
    return id ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- functions of the host ---- */

/* Without the lock: the function may call us. A callback is told of a kernel that has failed. */
API(cuStreamAddCallback, "%p, %p, %u", (CUstream, stream), (CUstreamCallback, call, ),
    (void *, data), (unsigned, flags))
{
    const CUresult result = check_not_captured(stream);
    if (!call || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED || result == CUDA_ERROR_NOT_INITIALIZED ||
        result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_INVALID_HANDLE)
        return result;
    call(stream, result, data);
    return CUDA_SUCCESS;
}

/* Not called after a kernel has failed, as documented. */
CUresult host_node(const CUDA_HOST_NODE_PARAMS *what, CUstream stream)
{
    const CUresult result = check(stream);
    if (result || !what->fn)
        return result ? result : CUDA_ERROR_INVALID_VALUE;
    order_wait(stream);
    what->fn(what->userData);
    return CUDA_SUCCESS;
}

API(cuLaunchHostFunc, "%p, %p", (CUstream, stream), (CUhostFn, call, ), (void *, data))
{
    CUresult result = CUDA_SUCCESS;
    const struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = {call, data}};
    if (!call)
        return CUDA_ERROR_INVALID_VALUE;
    if (capture_takes(stream, &work, &result) || result)
        return result;
    return host_node(&work.host, stream);
}

/* A kernel ends within its launch, so no stream uses memory while the host does. */
API_IN(state_enter_stream(stream, &g), cuStreamAttachMemAsync, "%p, 0x%llx, %zu, %u",
       (CUstream, stream), (CUdeviceptr, address), (size_t, bytes), (unsigned, flags))
{
    const struct gpu *owner = state_owner(address, NULL);
    uint64_t base = 0, size = 0;
    const bool known = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
                       flags == CU_MEM_ATTACH_SINGLE;
    if (!known || !owner || !gpu_is_managed(owner, address))
        return CUDA_ERROR_INVALID_VALUE;
    const bool whole = gpu_range(owner, address, &base, &size) && base == address && bytes == size;
    return !bytes || whole ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
