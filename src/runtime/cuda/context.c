/* libcuda: contexts ("CUDA Driver API": 6.7, 6.8). Each belongs to a device; threads have stacks.
 */
#include <stdlib.h>

#include "runtime/cuda/context.h"
#include "runtime/cuda/modules.h"

enum { MOST_CONTEXTS = 64 }; /* of a thread's stack */

/* The context that a device has for all who do not make one of their own. */
struct primary {
    struct CUctx_st *context; /* NULL: it is not active */
    unsigned retained, flags;
};

static struct CUctx_st *contexts;
static uint64_t made;            /* contexts so far */
static struct CUctx_st *entered; /* of the call that has the lock */
static bool was_entered;
static struct primary primaries[STATE_MOST_GPUS];
static _Thread_local struct CUctx_st *current[MOST_CONTEXTS];
static _Thread_local unsigned depth;

bool state_is_context(const struct CUctx_st *context)
{
    const struct CUctx_st *c = contexts;
    while (c && c != context)
        c = c->next;
    return c != NULL;
}

struct CUctx_st *state_context(void)
{
    return depth && state_is_context(current[depth - 1]) ? current[depth - 1] : NULL;
}

bool state_was_entered(bool forget)
{
    const bool was = was_entered;
    was_entered = was && !forget;
    return was;
}

CUcontext state_entered(void)
{
    return entered;
}

uint64_t state_entered_id(void)
{
    return entered->id;
}

CUcontext state_context_of(uint64_t id)
{
    struct CUctx_st *c = contexts;
    while (c && c->id != id)
        c = c->next;
    return c;
}

CUresult state_enter_owner(uint64_t owner, struct gpu **gpu)
{
    struct CUctx_st *c = owner ? state_context_of(owner) : state_context();
    if (!c || c->failed)
        return state_leave(c ? c->failed : CUDA_ERROR_INVALID_CONTEXT);
    entered = c;
    was_entered = true;
    *gpu = state_gpu(c->device);
    return CUDA_SUCCESS;
}

CUresult state_enter(struct gpu **gpu)
{
    const CUresult result = state_lock();
    return result ? result : state_enter_owner(0, gpu);
}

CUresult state_enter_address(uint64_t address, struct gpu **gpu)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    const struct gpu *g = state_owner(address, NULL);
    return state_enter_owner(g ? gpu_range_owner(g, address) : memory_owner(address), gpu);
}

CUresult state_fail(CUresult result)
{
    return entered->failed = result;
}

static CUresult push(struct CUctx_st *context)
{
    if (depth == MOST_CONTEXTS)
        return CUDA_ERROR_OUT_OF_MEMORY;
    current[depth++] = context;
    return CUDA_SUCCESS;
}

static struct CUctx_st *make(CUdevice number, unsigned flags)
{
    struct CUctx_st *c = calloc(1, sizeof *c);
    if (c) {
        *c = (struct CUctx_st){.next = contexts, .device = number, .flags = flags, .id = ++made};
        contexts = c;
    }
    return c;
}

/* Frees all that was made for a context. */
static void empty(const struct CUctx_st *context)
{
    streams_drop(context->id);
    events_drop(context->id);
    arrays_drop(context->id);
    modules_drop(context->id);
    memory_drop(context->id);
    gpu_drop_owned(state_gpu(context->device), context->id);
}

static void destroy(struct CUctx_st *context)
{
    struct CUctx_st **at = &contexts;
    empty(context);
    while (*at != context)
        at = &(*at)->next;
    *at = context->next;
    if (depth && current[depth - 1] == context)
        depth--;
    free(context);
}

API(cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice number),
    (context, flags, number), "*%p, %u, %d", HANDLE(context), flags, number)
{
    CUresult result = state_lock();
    if (result)
        return result;
    if (!context || !state_gpu(number))
        return state_leave(context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    struct CUctx_st *c = make(number, flags);
    if (!c)
        return state_leave(CUDA_ERROR_OUT_OF_MEMORY);
    if ((result = push(c)) != CUDA_SUCCESS) {
        destroy(c);
        return state_leave(result);
    }
    *context = c;
    return state_leave(CUDA_SUCCESS);
}

static bool is_primary(const struct CUctx_st *context)
{
    return primaries[context->device].context == context;
}

API(cuCtxDestroy_v2, (CUcontext context), (context), "%p", context)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    if (!state_is_context(context) || is_primary(context))
        return state_leave(CUDA_ERROR_INVALID_CONTEXT);
    destroy(context);
    return state_leave(CUDA_SUCCESS);
}

API(cuCtxPushCurrent_v2, (CUcontext context), (context), "%p", context)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    return state_leave(state_is_context(context) ? push(context) : CUDA_ERROR_INVALID_CONTEXT);
}

API(cuCtxPopCurrent_v2, (CUcontext * context), (context), "*%p", HANDLE(context))
{
    const CUresult result = state_lock();
    if (result)
        return result;
    if (!depth)
        return state_leave(CUDA_ERROR_INVALID_CONTEXT);
    depth--;
    if (context)
        *context = current[depth];
    return state_leave(CUDA_SUCCESS);
}

API(cuCtxSetCurrent, (CUcontext context), (context), "%p", context)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    if (context && !state_is_context(context))
        return state_leave(CUDA_ERROR_INVALID_CONTEXT);
    depth -= depth > 0;
    return state_leave(context ? push(context) : CUDA_SUCCESS);
}

API(cuCtxGetCurrent, (CUcontext * context), (context), "*%p", HANDLE(context))
{
    const CUresult result = state_lock();
    if (result)
        return result;
    if (context)
        *context = state_context();
    return state_leave(context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

API(cuCtxGetDevice, (CUdevice * number), (number), "*%llu", RESULT(number))
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (number)
        *number = state_context()->device;
    return state_leave(number ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

API(cuCtxGetFlags, (unsigned *flags), (flags), "*%llu", RESULT(flags))
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (flags)
        *flags = state_context()->flags;
    return state_leave(flags ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* Kernels have ended when their launch returns: only a failure is left to report. */
API(cuCtxSynchronize, (void), (), "%s", "")
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    return result ? result : state_leave(CUDA_SUCCESS);
}

API(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags), (peer, flags), "%p, %u", peer, flags)
{
    const CUresult result = do_cuCtxSynchronize();
    return result ? result : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

/* ---- primary contexts ---- */

static CUresult enter_primary(CUdevice number, struct primary **primary)
{
    const CUresult result = state_lock();
    *primary = NULL;
    if (result)
        return result;
    if (!state_gpu(number))
        return state_leave(CUDA_ERROR_INVALID_DEVICE);
    *primary = &primaries[number];
    return CUDA_SUCCESS;
}

API(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice number), (context, number), "*%p, %d",
    HANDLE(context), number)
{
    struct primary *p;
    const CUresult result = enter_primary(number, &p);
    if (result)
        return result;
    if (!context)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    if (!p->context && !(p->context = make(number, p->flags)))
        return state_leave(CUDA_ERROR_OUT_OF_MEMORY);
    p->retained++;
    *context = p->context;
    return state_leave(CUDA_SUCCESS);
}

API(cuDevicePrimaryCtxRelease_v2, (CUdevice number), (number), "%d", number)
{
    struct primary *p;
    const CUresult result = enter_primary(number, &p);
    if (result)
        return result;
    if (!p->context)
        return state_leave(CUDA_ERROR_INVALID_CONTEXT);
    if (--p->retained == 0) {
        destroy(p->context);
        p->context = NULL;
    }
    return state_leave(CUDA_SUCCESS);
}

API(cuDevicePrimaryCtxRelease, (CUdevice number), (number), "%d", number)
{
    return do_cuDevicePrimaryCtxRelease_v2(number);
}

API(cuDevicePrimaryCtxSetFlags_v2, (CUdevice number, unsigned flags), (number, flags), "%d, %u",
    number, flags)
{
    struct primary *p;
    const CUresult result = enter_primary(number, &p);
    if (result)
        return result;
    p->flags = flags;
    return state_leave(CUDA_SUCCESS);
}

API(cuDevicePrimaryCtxSetFlags, (CUdevice number, unsigned flags), (number, flags), "%d, %u",
    number, flags)
{
    return do_cuDevicePrimaryCtxSetFlags_v2(number, flags);
}

API(cuDevicePrimaryCtxGetState, (CUdevice number, unsigned *flags, int *active),
    (number, flags, active), "%d, *%llu, *%llu", number, RESULT(flags), RESULT(active))
{
    struct primary *p;
    const CUresult result = enter_primary(number, &p);
    if (result)
        return result;
    if (flags)
        *flags = p->flags;
    if (active)
        *active = p->context != NULL;
    return state_leave(CUDA_SUCCESS);
}

/* The error of a kernel goes with the context; who has retained it keeps it. */
API(cuDevicePrimaryCtxReset_v2, (CUdevice number), (number), "%d", number)
{
    struct primary *p;
    const CUresult result = enter_primary(number, &p);
    if (result)
        return result;
    if (p->context)
        p->context->failed = CUDA_SUCCESS;
    return state_leave(CUDA_SUCCESS);
}

API(cuDevicePrimaryCtxReset, (CUdevice number), (number), "%d", number)
{
    return do_cuDevicePrimaryCtxReset_v2(number);
}
