/*
 * libcuda: memory pools ("CUDA Driver API": 6.15). An allocation begins and ends when it is given;
 * a pool counts what it has, and keeps nothing that is free.
 */
#include <stdlib.h>

#include "base/array.h"
#include "runtime/cuda/checks.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/order.h"
#include "runtime/cuda/state.h"

struct CUmemPoolHandle_st {
    CUdevice device;
    int reuse[3];       /* what the program allows; there is nothing to be reused */
    uint64_t threshold; /* likewise */
    uint64_t used, high;
    bool gone; /* destroyed; freed with its last allocation */
    struct CUmemPoolHandle_st *next;
};

struct allocation {
    uint64_t address, bytes;
    CUmemoryPool pool;
};

static struct CUmemPoolHandle_st usual[STATE_MOST_GPUS]; /* a GPU's own */
static CUmemoryPool chosen[STATE_MOST_GPUS];             /* NULL: its own */
static struct CUmemPoolHandle_st *pools;                 /* the program's */
static struct allocation *allocation;
static size_t allocation_count, allocation_room;

static bool is_pool(const struct CUmemPoolHandle_st *pool)
{
    const struct CUmemPoolHandle_st *p = pools;
    for (CUdevice i = 0; state_gpu(i); i++)
        if (pool == &usual[i])
            return true;
    while (p && p != pool)
        p = p->next;
    return p && !p->gone;
}

static CUmemoryPool usual_of(CUdevice device)
{
    usual[device].device = device;
    return &usual[device];
}

static CUmemoryPool pool_of(CUdevice device)
{
    return chosen[device] ? chosen[device] : usual_of(device);
}

static void remove_pool(CUmemoryPool pool)
{
    struct CUmemPoolHandle_st **at = &pools;
    while (*at != pool)
        at = &(*at)->next;
    *at = pool->next;
    free(pool);
}

static void forget(uint64_t address)
{
    for (size_t i = 0; i < allocation_count; i++) {
        CUmemoryPool p = allocation[i].pool;
        if (allocation[i].address != address)
            continue;
        p->used -= allocation[i].bytes;
        allocation[i] = allocation[--allocation_count];
        if (p->gone && !p->used)
            remove_pool(p);
        return;
    }
}

CUmemoryPool pool_of_memory(uint64_t address)
{
    for (size_t i = 0; i < allocation_count; i++)
        if (allocation[i].address == address)
            return allocation[i].pool;
    return NULL;
}

bool pool_free(uint64_t address, const char *function)
{
    struct gpu *g = state_owner(address, NULL);
    const char *by = checks_entry(function);
    forget(address);
    if (g && gpu_free(g, address, by))
        return true;
    checks_bad_free(address, by);
    return false;
}

static CUresult allocate(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    struct wt_error err;
    uint64_t at;
    struct allocation *grown =
        wt_array_grow(allocation, &allocation_room, allocation_count + 1, sizeof *grown);
    if (!grown)
        return CUDA_ERROR_OUT_OF_MEMORY;
    allocation = grown;
    if (gpu_allocate(state_gpu(pool->device), bytes, checks_entry("cuMemAllocAsync"), &at, &err) !=
        WT_OK)
        return CUDA_ERROR_OUT_OF_MEMORY;
    allocation[allocation_count++] = (struct allocation){at, bytes, pool};
    pool->used += bytes;
    if (pool->used > pool->high)
        pool->high = pool->used;
    *address = at;
    order_begin(state_gpu(pool->device), stream, "cuMemAllocAsync");
    order_memory(at, bytes, true);
    return CUDA_SUCCESS;
}

/* An allocation, and a free, in a stream that is captured become nodes. */
static CUresult capture_allocation(CUdeviceptr *address, size_t bytes, CUdevice device,
                                   CUstream stream)
{
    CUDA_MEM_ALLOC_NODE_PARAMS what = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, device}},
        .bytesize = bytes};
    struct graph_work work;
    CUresult result = state_lock();
    if (result)
        return result;
    result = state_leave(graph_memory_work(&what, &work));
    if (result)
        return result;
    if (!capture_takes(stream, &work, &result) && !result)
        result = CUDA_ERROR_INVALID_VALUE; /* the capture has ended meanwhile */
    if (state_lock() == CUDA_SUCCESS) {
        graph_memory_leave(work.memory); /* the node has it */
        state_leave(CUDA_SUCCESS);
    }
    if (!result)
        *address = what.dptr;
    return result;
}

static CUresult capture_free(CUdeviceptr address, CUstream stream)
{
    const struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .freed = address};
    CUresult result = state_lock();
    if (result)
        return result;
    result = state_leave(graph_memory_is(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    if (!result && !capture_takes(stream, &work, &result) && !result)
        result = CUDA_ERROR_INVALID_VALUE;
    return result;
}

/* A pool NULL: that of the stream's GPU. In a stream that is captured it becomes a node. */
static CUresult allocate_later(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, bool own,
                               CUstream stream)
{
    struct gpu *g;
    CUresult result = state_enter_stream(stream, &g);
    if (result)
        return result;
    const CUdevice device = (CUdevice)gpu_number(g);
    if (!address || !(own || is_pool(pool)))
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    state_leave(CUDA_SUCCESS);
    if (!bytes) {
        *address = 0;
        return CUDA_SUCCESS;
    }
    if (capture_is(stream))
        return capture_allocation(address, bytes, own ? device : pool->device, stream);
    result = state_enter_stream(stream, &g);
    return result ? result
                  : state_leave(allocate(address, bytes, own ? pool_of(device) : pool, stream));
}

API(cuMemAllocFromPoolAsync, "*0x%llx, %zu, %p, %p", (CUdeviceptr *, address, RESULT(address)),
    (size_t, bytes), (CUmemoryPool, pool), (CUstream, stream))
{
    return allocate_later(address, bytes, pool, false, stream);
}

API(cuMemAllocAsync, "*0x%llx, %zu, %p", (CUdeviceptr *, address, RESULT(address)), (size_t, bytes),
    (CUstream, stream))
{
    return allocate_later(address, bytes, NULL, true, stream);
}

API(cuMemFreeAsync, "0x%llx, %p", (CUdeviceptr, address), (CUstream, stream))
{
    uint64_t base, size;
    struct gpu *g;
    if (capture_is(stream))
        return capture_free(address, stream);
    const CUresult result = state_enter_stream(stream, &g);
    if (result)
        return checks_free_fails(address, result);
    if (gpu_range(g, address, &base, &size) && base == address) {
        order_begin(g, stream, "cuMemFreeAsync");
        order_memory(base, size, false);
    }
    return state_leave(!address || pool_free(address, "cuMemFreeAsync") ? CUDA_SUCCESS
                                                                        : CUDA_ERROR_INVALID_VALUE);
}

/* ---- the pool of a GPU ---- */

static CUresult enter_device(CUdevice device)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    return state_gpu(device) ? CUDA_SUCCESS : state_leave(CUDA_ERROR_INVALID_DEVICE);
}

API_IN(enter_device(device), cuDeviceGetDefaultMemPool, "*%p, %d",
       (CUmemoryPool *, pool, HANDLE(pool)), (CUdevice, device))
{
    if (pool)
        *pool = usual_of(device);
    return pool ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(enter_device(device), cuDeviceGetMemPool, "*%p, %d", (CUmemoryPool *, pool, HANDLE(pool)),
       (CUdevice, device))
{
    if (pool)
        *pool = pool_of(device);
    return pool ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(enter_device(device), cuDeviceSetMemPool, "%d, %p", (CUdevice, device), (CUmemoryPool, pool))
{
    if (!is_pool(pool) || pool->device != device)
        return CUDA_ERROR_INVALID_VALUE;
    chosen[device] = pool;
    return CUDA_SUCCESS;
}

/* ---- pools of the program ---- */

API_IN(state_lock(), cuMemPoolCreate, "*%p, %p", (CUmemoryPool *, pool, HANDLE(pool)),
       (const CUmemPoolProps *, what))
{
    if (!pool || !what || what->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (what->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !state_gpu(what->location.id))
        return CUDA_ERROR_INVALID_VALUE;
    if (what->handleTypes) { /* for other processes */
        call_refused("cuMemPoolCreate: handles for other processes: an emulated GPU belongs to one "
                     "process");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    struct CUmemPoolHandle_st *p = calloc(1, sizeof *p);
    if (!p)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *p = (struct CUmemPoolHandle_st){.device = what->location.id, .next = pools};
    *pool = pools = p;
    return CUDA_SUCCESS;
}

/* Memory that is allocated stays; a GPU whose pool it was uses its own again. */
API_IN(state_lock(), cuMemPoolDestroy, "%p", (CUmemoryPool, pool))
{
    if (!is_pool(pool) || pool == &usual[pool->device])
        return CUDA_ERROR_INVALID_VALUE;
    if (chosen[pool->device] == pool)
        chosen[pool->device] = NULL;
    pool->gone = true;
    if (!pool->used)
        remove_pool(pool);
    return CUDA_SUCCESS;
}

static CUresult enter_pool(CUmemoryPool pool)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    return is_pool(pool) ? CUDA_SUCCESS : state_leave(CUDA_ERROR_INVALID_VALUE);
}

API_IN(enter_pool(pool), cuMemPoolTrimTo, "%p, %zu", (CUmemoryPool, pool), (size_t, keep))
{
    return CUDA_SUCCESS;
}

API_IN(enter_pool(pool), cuMemPoolGetAttribute, "%p, %d, %p", (CUmemoryPool, pool),
       (CUmemPool_attribute, attribute), (void *, value))
{
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *(int *)value = !pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *(cuuint64_t *)value = pool->threshold;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(cuuint64_t *)value = pool->used;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *(cuuint64_t *)value = pool->high;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

API_IN(enter_pool(pool), cuMemPoolSetAttribute, "%p, %d, %p", (CUmemoryPool, pool),
       (CUmemPool_attribute, attribute), (void *, value))
{
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: /* 1 at first */
        pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = !*(int *)value;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        pool->threshold = *(cuuint64_t *)value;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: /* 0 only, which begins the measurement anew */
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        if (*(cuuint64_t *)value)
            return CUDA_ERROR_INVALID_VALUE;
        pool->high = pool->used;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}
