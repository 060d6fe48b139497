/*
 * libcuda: memory of graphs ("CUDA C++ Programming Guide", "Graph Memory Nodes"). A node's memory
 * has its address from the node's making until the last graph with it goes; it is there, and
 * counts, from a launch of the node until it is freed: by a node, or by a function that frees
 * memory.
 */
#include <stdlib.h>

#include "runtime/cuda/checks.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/order.h"

struct graph_memory {
    struct gpu *gpu;
    CUDA_MEM_ALLOC_NODE_PARAMS is;
    unsigned uses; /* nodes, of graphs and executables; 0: it waits to be freed */
    struct graph_memory *next;
};

static struct graph_memory *memories;
static uint64_t most[STATE_MOST_GPUS]; /* bytes that were there at once, by GPU */

static bool is_there(const struct graph_memory *m)
{
    uint64_t base, size;
    return gpu_range(m->gpu, m->is.dptr, &base, &size);
}

static struct graph_memory *memory_at(CUdeviceptr address)
{
    struct graph_memory *m = memories;
    while (m && m->is.dptr != address)
        m = m->next;
    return m;
}

bool graph_memory_is(CUdeviceptr address)
{
    return memory_at(address) != NULL;
}

const CUDA_MEM_ALLOC_NODE_PARAMS *graph_memory_parameters(const struct graph_memory *m)
{
    return &m->is;
}

/* Gives up the addresses of memory that no node has and that was freed. */
static void sweep(void)
{
    for (struct graph_memory **at = &memories; *at;) {
        struct graph_memory *m = *at;
        if (m->uses || is_there(m)) {
            at = &m->next;
            continue;
        }
        *at = m->next;
        gpu_unreserve(m->gpu, m->is.dptr);
        free(m);
    }
}

static uint64_t used(const struct gpu *g)
{
    uint64_t bytes = 0;
    for (const struct graph_memory *m = memories; m; m = m->next)
        if (m->gpu == g && is_there(m))
            bytes += m->is.bytesize;
    return bytes;
}

void graph_memory_use(struct graph_memory *m)
{
    m->uses++;
}

void graph_memory_leave(struct graph_memory *m)
{
    m->uses--;
    sweep();
}

static bool owns_memory(const struct graph_work *work)
{
    return work->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || work->type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

bool graph_owns_memory(const struct CUgraph_st *graph, bool instantiated)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct graph_work *work = &graph->node[i]->work;
        if (instantiated ? work->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && work->memory->uses > 1
                         : owns_memory(work))
            return true;
    }
    return false;
}

CUresult graph_memory_ready(const struct CUgraph_st *graph, bool frees)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct graph_work *work = &graph->node[i]->work;
        if (work->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC || !is_there(work->memory))
            continue;
        if (!frees)
            return CUDA_ERROR_INVALID_VALUE;
        gpu_free(work->memory->gpu, work->memory->is.dptr, checks_entry("cuGraphLaunch"));
    }
    return CUDA_SUCCESS;
}

CUresult graph_memory_work(CUDA_MEM_ALLOC_NODE_PARAMS *what, struct graph_work *work)
{
    const CUmemPoolProps *p = &what->poolProps;
    struct wt_error err;
    if (!what->bytesize || p->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        p->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !state_gpu(p->location.id))
        return CUDA_ERROR_INVALID_VALUE;
    if (p->handleTypes)
        return call_refused("cuGraphAddMemAllocNode: handles for other processes: an emulated GPU "
                            "belongs to one process");
    struct graph_memory *m = calloc(1, sizeof *m);
    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *m = (struct graph_memory){.gpu = state_gpu(p->location.id), .is = *what, .uses = 1};
    uint64_t address;
    if (gpu_reserve(m->gpu, what->bytesize, &address, &err) != WT_OK) {
        free(m);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    m->is.dptr = what->dptr = address;
    m->is.accessDescs = NULL;
    m->is.accessDescCount = 0;
    m->next = memories;
    memories = m;
    *work = (struct graph_work){.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC, .memory = m};
    return CUDA_SUCCESS;
}

static CUresult come(struct graph_memory *m, CUstream stream)
{
    const unsigned gpu = gpu_number(m->gpu);
    struct wt_error err;
    if (is_there(m))
        return CUDA_ERROR_INVALID_VALUE;
    if (gpu_take(m->gpu, m->is.dptr, checks_entry("cuGraphLaunch"), &err) != WT_OK)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (used(m->gpu) > most[gpu])
        most[gpu] = used(m->gpu);
    order_begin(m->gpu, stream, "cuGraphLaunch");
    order_memory(m->is.dptr, m->is.bytesize, true);
    return CUDA_SUCCESS;
}

static CUresult go(CUdeviceptr address, CUstream stream)
{
    const struct graph_memory *m = memory_at(address);
    if (!m || !is_there(m))
        return CUDA_ERROR_INVALID_VALUE;
    order_begin(m->gpu, stream, "cuGraphLaunch");
    order_memory(address, m->is.bytesize, false);
    return gpu_free(m->gpu, address, checks_entry("cuGraphLaunch")) ? CUDA_SUCCESS
                                                                    : CUDA_ERROR_INVALID_VALUE;
}

CUresult memory_node(const struct graph_work *work, CUstream stream)
{
    struct gpu *g;
    const CUresult result = state_enter_stream(stream, &g);
    if (result)
        return result;
    return state_leave(work->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ? come(work->memory, stream)
                                                                  : go(work->freed, stream));
}

/* ---- what a GPU has of it ---- */

static CUresult enter_device(CUdevice device, struct gpu **g)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    *g = state_gpu(device);
    return *g ? CUDA_SUCCESS : state_leave(CUDA_ERROR_INVALID_DEVICE);
}

/* Nothing that is free is kept. */
API_IN(enter_device(device, &g), cuDeviceGraphMemTrim, "%d", (CUdevice, device))
{
    return CUDA_SUCCESS;
}

API_IN(enter_device(device, &g), cuDeviceGetGraphMemAttribute, "%d, %d, %p", (CUdevice, device),
       (CUgraphMem_attribute, attribute), (void *, value))
{
    if (!value || attribute > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
        return CUDA_ERROR_INVALID_VALUE;
    *(cuuint64_t *)value = attribute % 2 ? most[device] : used(g);
    return CUDA_SUCCESS;
}

/* 0 only, for the highest values, which begins their measurement anew. */
API_IN(enter_device(device, &g), cuDeviceSetGraphMemAttribute, "%d, %d, %p", (CUdevice, device),
       (CUgraphMem_attribute, attribute), (void *, value))
{
    if (!value || attribute > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH || attribute % 2 == 0 ||
        *(cuuint64_t *)value)
        return CUDA_ERROR_INVALID_VALUE;
    most[device] = used(g);
    return CUDA_SUCCESS;
}
