/* libcuda: what a program sets for a context ("CUDA Driver API": 6.8). */
#include "runtime/cuda/context.h"

API_IN(state_enter(&g), cuCtxSetLimit, "%d, %zu", (CUlimit, limit), (size_t, value))
{
    return gpu_set_limit(g, limit, value);
}

API_IN(state_enter(&g), cuCtxGetLimit, "*%llu, %d", (size_t *, value, RESULT(value)),
       (CUlimit, limit))
{
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    if (limit > CU_LIMIT_CIG_ENABLED)
        return CUDA_ERROR_INVALID_VALUE;
    return gpu_limit(g, limit, value) ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT;
}

API_IN(state_enter(&g), cuCtxSetCacheConfig, "%d", (CUfunc_cache, config))
{
    if (config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    state_context()->cache = config;
    return CUDA_SUCCESS;
}

API_IN(state_enter(&g), cuCtxGetCacheConfig, "*%llu", (CUfunc_cache *, config, RESULT(config)))
{
    if (config)
        *config = state_context()->cache;
    return config ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Banks are of 4 bytes, whatever a program asks for. */
API_IN(state_enter(&g), cuCtxSetSharedMemConfig, "%d", (CUsharedconfig, config))
{
    if (config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

API_IN(state_enter(&g), cuCtxGetSharedMemConfig, "*%llu",
       (CUsharedconfig *, config, RESULT(config)))
{
    if (config)
        *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return config ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Streams keep their priority; work is done when it is given, whatever it is. */
API_IN(state_enter(&g), cuCtxGetStreamPriorityRange, "*%llu, *%llu", (int *, least, RESULT(least)),
       (int *, greatest, RESULT(greatest)))
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = STATE_GREATEST_PRIORITY;
    return CUDA_SUCCESS;
}

/* ---- other contexts ---- */

/* NULL: the thread's context. */
static CUresult enter_given(CUcontext context)
{
    struct gpu *g;
    const CUresult result = context ? state_lock() : state_enter(&g);
    return result || !context || state_is_context(context)
               ? result
               : state_leave(CUDA_ERROR_INVALID_CONTEXT);
}

API_IN(enter_given(context), cuCtxGetApiVersion, "%p, *%llu", (CUcontext, context),
       (unsigned *, version, RESULT(version)))
{
    if (version)
        *version = 3020;
    return version ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(enter_given(context), cuCtxGetId, "%p, *%llu", (CUcontext, context),
       (unsigned long long *, id, RESULT(id)))
{
    if (id)
        *id = (context ? context : state_context())->id;
    return id ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* No GPU has access to another one's memory. */
API_IN(state_enter(&g), cuCtxDisablePeerAccess, "%p", (CUcontext, peer))
{
    return state_is_context(peer) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : CUDA_ERROR_INVALID_CONTEXT;
}
