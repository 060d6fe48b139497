/*
 * libcuda: how contexts end, and the context that each device has for all ("CUDA Driver API": 6.7,
 * 6.8).
 */
#include "runtime/cuda/context.h"
#include "runtime/cuda/modules.h"
#include "runtime/cuda/order.h"

/* The context that a device has for all who do not make one of their own. */
struct primary {
    struct CUctx_st *context; /* NULL: it is not active */
    unsigned retained, flags;
};

static struct primary primaries[STATE_MOST_GPUS];

/* ---- the end ---- */

/* Frees all that was made for a context. */
static void empty(const struct CUctx_st *context)
{
    order_waits_for_all();
    streams_drop(context->id);
    events_drop(context->id);
    arrays_drop(context->id);
    modules_drop(context->id);
    memory_drop(context->id);
    gpu_drop_owned(state_gpu(context->device), context->id);
}

static void destroy(struct CUctx_st *context)
{
    empty(context);
    context_free(context);
}

static bool is_primary(const struct CUctx_st *context)
{
    return primaries[context->device].context == context;
}

API_IN(state_lock(), cuCtxDestroy_v2, "%p", (CUcontext, context))
{
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (!state_is_context(context) || is_primary(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    destroy(context);
    return CUDA_SUCCESS;
}

/* ---- primary contexts ---- */

static CUresult enter_primary(CUdevice number)
{
    const CUresult result = state_lock();
    return result || state_gpu(number) ? result : state_leave(CUDA_ERROR_INVALID_DEVICE);
}

API_IN(enter_primary(number), cuDevicePrimaryCtxRetain, "*%p, %d",
       (CUcontext *, context, HANDLE(context)), (CUdevice, number))
{
    struct primary *p = &primaries[number];
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (context_refused(number))
        return context_refused(number);
    if (!p->context && !(p->context = context_new(number, p->flags)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    p->retained++;
    *context = p->context;
    return CUDA_SUCCESS;
}

API_IN(enter_primary(number), cuDevicePrimaryCtxRelease_v2, "%d", (CUdevice, number))
{
    struct primary *p = &primaries[number];
    if (!p->context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (--p->retained == 0) {
        destroy(p->context);
        p->context = NULL;
    }
    return CUDA_SUCCESS;
}

API(cuDevicePrimaryCtxRelease, "%d", (CUdevice, number))
{
    return do_cuDevicePrimaryCtxRelease_v2(number);
}

API_IN(enter_primary(number), cuDevicePrimaryCtxSetFlags_v2, "%d, %u", (CUdevice, number),
       (unsigned, flags))
{
    if (flags & ~CONTEXT_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    primaries[number].flags = flags;
    return CUDA_SUCCESS;
}

API(cuDevicePrimaryCtxSetFlags, "%d, %u", (CUdevice, number), (unsigned, flags))
{
    return do_cuDevicePrimaryCtxSetFlags_v2(number, flags);
}

API_IN(enter_primary(number), cuDevicePrimaryCtxGetState, "%d, *%llu, *%llu", (CUdevice, number),
       (unsigned *, flags, RESULT(flags)), (int *, active, RESULT(active)))
{
    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = primaries[number].flags;
    *active = primaries[number].context != NULL;
    return CUDA_SUCCESS;
}

/* A context in which a kernel has failed is destroyed, though its handle stays; who has retained
 * any other one keeps it. */
API_IN(enter_primary(number), cuDevicePrimaryCtxReset_v2, "%d", (CUdevice, number))
{
    struct primary *p = &primaries[number];
    if (p->context && p->context->failed)
        p->context->failed = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return CUDA_SUCCESS;
}

API(cuDevicePrimaryCtxReset, "%d", (CUdevice, number))
{
    return do_cuDevicePrimaryCtxReset_v2(number);
}
