/* libcuda: what a program sets for a context ("CUDA Driver API": 6.8). */
#include "runtime/cuda/context.h"

/* Takes the lock; *context becomes the thread's. */
static CUresult enter(struct gpu **gpu, struct CUctx_st **context)
{
    const CUresult result = state_enter(gpu);
    *context = result ? NULL : state_context();
    return result;
}

API(cuCtxSetLimit, (CUlimit limit, size_t value), (limit, value), "%d, %zu", (int)limit, value)
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    return result ? result : state_leave(gpu_set_limit(g, limit, value));
}

API(cuCtxGetLimit, (size_t * value, CUlimit limit), (value, limit), "*%llu, %d", RESULT(value),
    (int)limit)
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!value)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    return state_leave(gpu_limit(g, limit, value) ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT);
}

API(cuCtxSetCacheConfig, (CUfunc_cache config), (config), "%d", (int)config)
{
    struct gpu *g;
    struct CUctx_st *c;
    const CUresult result = enter(&g, &c);
    if (result)
        return result;
    if (config > CU_FUNC_CACHE_PREFER_EQUAL)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    c->cache = config;
    return state_leave(CUDA_SUCCESS);
}

API(cuCtxGetCacheConfig, (CUfunc_cache * config), (config), "*%llu", RESULT(config))
{
    struct gpu *g;
    struct CUctx_st *c;
    const CUresult result = enter(&g, &c);
    if (result)
        return result;
    if (config)
        *config = c->cache;
    return state_leave(config ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

API(cuCtxSetSharedMemConfig, (CUsharedconfig config), (config), "%d", (int)config)
{
    struct gpu *g;
    struct CUctx_st *c;
    const CUresult result = enter(&g, &c);
    if (result)
        return result;
    if (config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    c->banks = config;
    return state_leave(CUDA_SUCCESS);
}

API(cuCtxGetSharedMemConfig, (CUsharedconfig * config), (config), "*%llu", RESULT(config))
{
    struct gpu *g;
    struct CUctx_st *c;
    const CUresult result = enter(&g, &c);
    if (result)
        return result;
    if (config)
        *config = c->banks;
    return state_leave(config ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* One priority for all: 0 to 0, as of a device without priorities. */
API(cuCtxGetStreamPriorityRange, (int *least, int *greatest), (least, greatest), "*%llu, *%llu",
    RESULT(least), RESULT(greatest))
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (least)
        *least = 0;
    if (greatest)
        *greatest = 0;
    return state_leave(CUDA_SUCCESS);
}

/* ---- other contexts ---- */

/* NULL: the thread's. */
static CUresult enter_given(CUcontext given, struct CUctx_st **context)
{
    struct gpu *g;
    const CUresult result = given ? state_lock() : state_enter(&g);
    if (result)
        return result;
    *context = given ? given : state_context();
    return state_is_context(*context) ? CUDA_SUCCESS : state_leave(CUDA_ERROR_INVALID_CONTEXT);
}

API(cuCtxGetApiVersion, (CUcontext context, unsigned *version), (context, version), "%p, *%llu",
    context, RESULT(version))
{
    struct CUctx_st *c;
    const CUresult result = enter_given(context, &c);
    if (result)
        return result;
    if (version)
        *version = 3020;
    return state_leave(version ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

API(cuCtxGetId, (CUcontext context, unsigned long long *id), (context, id), "%p, *%llu", context,
    RESULT(id))
{
    struct CUctx_st *c;
    const CUresult result = enter_given(context, &c);
    if (result)
        return result;
    if (id)
        *id = c->id;
    return state_leave(id ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* No GPU has access to another one's memory. */
API(cuCtxDisablePeerAccess, (CUcontext peer), (peer), "%p", peer)
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    return state_leave(state_is_context(peer) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED
                                              : CUDA_ERROR_INVALID_CONTEXT);
}
