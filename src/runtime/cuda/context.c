/* libcuda: contexts ("CUDA Driver API": 6.7, 6.8). Each belongs to a device; threads have stacks.
 */
#include <string.h>
#include <stdlib.h>

#include "runtime/cuda/context.h"

enum { MOST_CONTEXTS = 64 }; /* contexts of a thread's stack */

static struct CUctx_st *contexts;
static struct CUctx_st *former; /* those that are no more: their handles are not given again */
/* Of devices: the error of a kernel, after which none gets another context in this process. */
static CUresult device_failed[STATE_MOST_GPUS];
static uint64_t made;            /* contexts so far */
static struct CUctx_st *entered; /* entered of the call that has the lock */
static bool was_entered;
/* The id tells a context from a later one at its address: another thread may destroy it. */
static _Thread_local struct {
    struct CUctx_st *context;
    uint64_t id;
} current[MOST_CONTEXTS];
static _Thread_local unsigned depth;

bool state_is_context(const struct CUctx_st *context)
{
    const struct CUctx_st *c = contexts;
    while (c && c != context)
        c = c->next;
    return c != NULL;
}

bool state_names_context(const struct CUctx_st *context)
{
    const struct CUctx_st *c = former;
    if (!context || state_lock())
        return false;
    while (c && c != context)
        c = c->next;
    const bool names = c || state_is_context(context);
    state_leave(CUDA_SUCCESS);
    return names;
}

CUresult state_check_context(const struct CUctx_st *context)
{
    const CUresult result = state_lock();
    return result
               ? result
               : state_leave(state_is_context(context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT);
}

struct CUctx_st *state_context(void)
{
    return depth ? state_context_of(current[depth - 1].id) : NULL;
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
        return state_leave(c       ? c->failed
                           : depth ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                   : CUDA_ERROR_INVALID_CONTEXT);
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

CUresult state_fail(CUresult result)
{
    return device_failed[entered->device] = entered->failed = result;
}

CUresult context_refused(CUdevice number)
{
    return device_failed[number];
}

void context_forget_failures(void)
{
    memset(device_failed, 0, sizeof device_failed);
}

static CUresult push(struct CUctx_st *context)
{
    if (depth == MOST_CONTEXTS)
        return CUDA_ERROR_OUT_OF_MEMORY;
    current[depth].context = context;
    current[depth++].id = context->id;
    return CUDA_SUCCESS;
}

struct CUctx_st *context_new(CUdevice number, unsigned flags)
{
    struct CUctx_st *c = calloc(1, sizeof *c);
    if (c) {
        *c = (struct CUctx_st){.next = contexts, .device = number, .flags = flags, .id = ++made};
        contexts = c;
    }
    return c;
}

void context_free(struct CUctx_st *context)
{
    struct CUctx_st **at = &contexts;
    while (*at != context)
        at = &(*at)->next;
    *at = context->next;
    if (depth && current[depth - 1].id == context->id)
        depth--;
    context->next = former;
    former = context;
}

API_IN(state_lock(), cuCtxCreate_v2, "*%p, %u, %d", (CUcontext *, context, HANDLE(context)),
       (unsigned, flags), (CUdevice, number))
{
    CUresult result = CUDA_SUCCESS;
    if (!context || flags & ~CONTEXT_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    if (!state_gpu(number))
        return CUDA_ERROR_INVALID_DEVICE;
    if (context_refused(number))
        return context_refused(number);
    struct CUctx_st *c = context_new(number, flags);
    if (!c)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if ((result = push(c)) != CUDA_SUCCESS) {
        context_free(c);
        return result;
    }
    *context = c;
    return CUDA_SUCCESS;
}

API(cuCtxCreate_v3, "*%p, %p, %d, %u, %d", (CUcontext *, context, HANDLE(context)),
    (void *, affinities), (int, count), (unsigned, flags), (CUdevice, number))
{
    if (count) {
        call_refused("cuCtxCreate with a part of the multiprocessors: a context has all");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return do_cuCtxCreate_v2(context, flags, number);
}

API(cuCtxCreate_v4, "*%p, %p, %u, %d", (CUcontext *, context, HANDLE(context)),
    (CUctxCreateParams *, more), (unsigned, flags), (CUdevice, number))
{
    if (more && more->cigParams) {
        call_refused("cuCtxCreate for a queue of graphics: there is no graphics driver");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return do_cuCtxCreate_v3(context, NULL, more ? more->numExecAffinityParams : 0, flags, number);
}

API_IN(state_lock(), cuCtxPushCurrent_v2, "%p", (CUcontext, context))
{
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    return state_is_context(context) ? push(context) : CUDA_ERROR_INVALID_CONTEXT;
}

API_IN(state_lock(), cuCtxPopCurrent_v2, "*%p", (CUcontext *, context, HANDLE(context)))
{
    if (!depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    depth--;
    if (context)
        *context = current[depth].context;
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuCtxSetCurrent, "%p", (CUcontext, context))
{
    if (context && !state_is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    depth -= depth > 0;
    return context ? push(context) : CUDA_SUCCESS;
}

API_IN(state_lock(), cuCtxGetCurrent, "*%p", (CUcontext *, context, HANDLE(context)))
{
    if (context)
        *context = state_context();
    return context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Also after a kernel has failed. */
API_IN(state_lock(), cuCtxGetDevice, "*%llu", (CUdevice *, number, RESULT(number)))
{
    const struct CUctx_st *c = state_context();
    if (!c)
        return depth ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
    if (number)
        *number = c->device;
    return number ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Of a context, or (NULL) of the thread's. */
API(cuCtxGetDevice_v2, "*%llu, %p", (CUdevice *, number, RESULT(number)), (CUcontext, context))
{
    if (!state_names_context(context))
        return do_cuCtxGetDevice(number);
    const CUresult result = state_lock();
    if (result)
        return result;
    if (!state_is_context(context))
        return state_leave(CUDA_ERROR_INVALID_CONTEXT);
    if (number)
        *number = context->device;
    return state_leave(number ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* There is no cache in which lines could persist. */
API(cuCtxResetPersistingL2Cache, "%s", (void, , ""))
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    return result ? result : state_leave(CUDA_SUCCESS);
}

API_IN(state_enter(&g), cuCtxGetFlags, "*%llu", (unsigned *, flags, RESULT(flags)))
{
    if (flags)
        *flags = state_context()->flags;
    return flags ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(state_enter(&g), cuCtxEnablePeerAccess, "%p, %u", (CUcontext, peer), (unsigned, flags))
{
    if (!state_is_context(peer) || peer == entered)
        return CUDA_ERROR_INVALID_CONTEXT;
    return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}
