/* libcuda: the nodes of graphs, by their types. See graph.h. */
#include <stddef.h>
#include <string.h>

#include "runtime/cuda/graph.h"

static bool has_event(const struct graph_work *work)
{
    return (work->type != CU_GRAPH_NODE_TYPE_EVENT_RECORD &&
            work->type != CU_GRAPH_NODE_TYPE_WAIT_EVENT) ||
           event_is(work->event);
}

/* Adds a node for the program. */
static CUresult add(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                    struct graph_work *work)
{
    CUresult result = state_lock();
    if (!result)
        result = state_leave(node && graph_is(graph) && !graph->order && has_event(work)
                                 ? graph_add(graph, after, count, work, node)
                                 : CUDA_ERROR_INVALID_VALUE);
    return result;
}

/* Replaces what a node does; the node takes what @p work owns. */
static CUresult set(CUgraphNode node, struct graph_work *work)
{
    const CUresult result = state_lock();
    if (result) {
        graph_free_work(work);
        return result;
    }
    return state_leave(graph_replace(graph_is_node(node) && has_event(work) ? node : NULL, work));
}

/* Enters a call that reads the work of a node of a type; the lock is taken if the result is
 * CUDA_SUCCESS. */
static CUresult get(CUgraphNode node, CUgraphNodeType type, const void *to)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    return to && graph_is_node(node) && node->work.type == type
               ? CUDA_SUCCESS
               : state_leave(CUDA_ERROR_INVALID_VALUE);
}

CUresult graph_kernel_work(const CUDA_KERNEL_NODE_PARAMS *what, bool second,
                           struct graph_work *work)
{
    CUDA_KERNEL_NODE_PARAMS whole = {0};
    if (!what)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&whole, what, second ? sizeof whole : offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
    if (!whole.func)
        whole.func = (CUfunction)whole.kern;
    return launch_work(&whole, false, NULL, work);
}

/* The first parameters of functions that add a node. */
#define ADDED                                                                                      \
    (CUgraphNode *, node, HANDLE(node)), (CUgraph, graph), (const CUgraphNode *, after),           \
        (size_t, count)

static CUresult add_kernel(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                           const CUDA_KERNEL_NODE_PARAMS *what, bool second)
{
    struct graph_work work;
    const CUresult result = graph_kernel_work(what, second, &work);
    return result ? result : add(node, graph, after, count, &work);
}

API(cuGraphAddKernelNode, "*%p, %p, %p, %zu, %p", ADDED, (const CUDA_KERNEL_NODE_PARAMS *, what))
{
    return add_kernel(node, graph, after, count, what, false);
}

API(cuGraphAddKernelNode_v2, "*%p, %p, %p, %zu, %p", ADDED, (const CUDA_KERNEL_NODE_PARAMS *, what))
{
    return add_kernel(node, graph, after, count, what, true);
}

static CUresult set_kernel(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *what, bool second)
{
    struct graph_work work;
    const CUresult result = graph_kernel_work(what, second, &work);
    return result ? result : set(node, &work);
}

API(cuGraphKernelNodeSetParams, "%p, %p", (CUgraphNode, node),
    (const CUDA_KERNEL_NODE_PARAMS *, what))
{
    return set_kernel(node, what, false);
}

API(cuGraphKernelNodeSetParams_v2, "%p, %p", (CUgraphNode, node),
    (const CUDA_KERNEL_NODE_PARAMS *, what))
{
    return set_kernel(node, what, true);
}

static CUresult get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *what, size_t bytes)
{
    const CUresult result = get(node, CU_GRAPH_NODE_TYPE_KERNEL, what);
    if (result)
        return result;
    memcpy(what, &node->work.kernel.is, bytes);
    return state_leave(CUDA_SUCCESS);
}

API(cuGraphKernelNodeGetParams, "%p, %p", (CUgraphNode, node), (CUDA_KERNEL_NODE_PARAMS *, what))
{
    return get_kernel(node, what, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
}

API(cuGraphKernelNodeGetParams_v2, "%p, %p", (CUgraphNode, node), (CUDA_KERNEL_NODE_PARAMS *, what))
{
    return get_kernel(node, what, sizeof *what);
}

CUresult graph_check_context(CUcontext context)
{
    return context ? state_check_context(context) : CUDA_SUCCESS;
}

/* The three functions of a node whose parameters are a structure without pointers of its own; of
 * some the node is in a context, which does not matter: each address has one device. */
#define NODE(kind, type_, member, structure, context_is, ...)                                      \
    API(cuGraphAdd##kind##Node, "*%p, %p, %p, %zu, %p", ADDED, (const structure *, what),          \
        ##__VA_ARGS__)                                                                             \
    {                                                                                              \
        const CUresult result = context_is;                                                        \
        if (result || !what)                                                                       \
            return result ? result : CUDA_ERROR_INVALID_VALUE;                                     \
        return add(node, graph, after, count,                                                      \
                   &(struct graph_work){.type = type_, .member = *what});                          \
    }                                                                                              \
    API(cuGraph##kind##NodeSetParams, "%p, %p", (CUgraphNode, node), (const structure *, what))    \
    {                                                                                              \
        if (!what)                                                                                 \
            return CUDA_ERROR_INVALID_VALUE;                                                       \
        return set(node, &(struct graph_work){.type = type_, .member = *what});                    \
    }                                                                                              \
    API(cuGraph##kind##NodeGetParams, "%p, %p", (CUgraphNode, node), (structure *, what))          \
    {                                                                                              \
        const CUresult result = get(node, type_, what);                                            \
        if (result)                                                                                \
            return result;                                                                         \
        *what = node->work.member;                                                                 \
        return state_leave(CUDA_SUCCESS);                                                          \
    }
NODE(Memcpy, CU_GRAPH_NODE_TYPE_MEMCPY, copy, CUDA_MEMCPY3D, graph_check_context(context),
     (CUcontext, context, ))
NODE(Memset, CU_GRAPH_NODE_TYPE_MEMSET, fill, CUDA_MEMSET_NODE_PARAMS, graph_check_context(context),
     (CUcontext, context, ))
NODE(Host, CU_GRAPH_NODE_TYPE_HOST, host, CUDA_HOST_NODE_PARAMS, CUDA_SUCCESS)

#define EVENT_NODE(kind, type_)                                                                    \
    API(cuGraphAdd##kind##Node, "*%p, %p, %p, %zu, %p", ADDED, (CUevent, event))                   \
    {                                                                                              \
        if (!event)                                                                                \
            return CUDA_ERROR_INVALID_VALUE;                                                       \
        return add(node, graph, after, count,                                                      \
                   &(struct graph_work){.type = type_, .event = event});                           \
    }                                                                                              \
    API(cuGraph##kind##NodeSetEvent, "%p, %p", (CUgraphNode, node), (CUevent, event))              \
    {                                                                                              \
        if (!event)                                                                                \
            return CUDA_ERROR_INVALID_VALUE;                                                       \
        return set(node, &(struct graph_work){.type = type_, .event = event});                     \
    }                                                                                              \
    API(cuGraph##kind##NodeGetEvent, "%p, *%p", (CUgraphNode, node),                               \
        (CUevent *, event, HANDLE(event)))                                                         \
    {                                                                                              \
        const CUresult result = get(node, type_, event);                                           \
        if (result)                                                                                \
            return result;                                                                         \
        *event = node->work.event;                                                                 \
        return state_leave(CUDA_SUCCESS);                                                          \
    }
EVENT_NODE(EventRecord, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
EVENT_NODE(EventWait, CU_GRAPH_NODE_TYPE_WAIT_EVENT)

API(cuGraphAddEmptyNode, "*%p, %p, %p, %zu", ADDED)
{
    return add(node, graph, after, count, &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_EMPTY});
}

API_IN(state_lock(), cuGraphAddChildGraphNode, "*%p, %p, %p, %zu, %p", ADDED, (CUgraph, child))
{
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .child = child};
    if (!node || !graph_is(graph) || !graph_is(child) || graph->order)
        return CUDA_ERROR_INVALID_VALUE;
    if (graph_owns_memory(child, false))
        return CUDA_ERROR_NOT_SUPPORTED;
    return graph_own_work(&work) ? graph_add(graph, after, count, &work, node)
                                 : CUDA_ERROR_OUT_OF_MEMORY;
}

API(cuGraphChildGraphNodeGetGraph, "%p, *%p", (CUgraphNode, node),
    (CUgraph *, child, HANDLE(child)))
{
    const CUresult result = get(node, CU_GRAPH_NODE_TYPE_GRAPH, child);
    if (result)
        return result;
    *child = node->work.child;
    return state_leave(CUDA_SUCCESS);
}

/* ---- memory ---- */

API_IN(state_lock(), cuGraphAddMemAllocNode, "*%p, %p, %p, %zu, %p", ADDED,
       (CUDA_MEM_ALLOC_NODE_PARAMS *, what))
{
    struct graph_work work;
    if (!node || !what || !graph_is(graph) || graph->order)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = graph_memory_work(what, &work);
    return result ? result : graph_add(graph, after, count, &work, node);
}

API_IN(state_lock(), cuGraphMemAllocNodeGetParams, "%p, %p", (CUgraphNode, node),
       (CUDA_MEM_ALLOC_NODE_PARAMS *, what))
{
    if (!what || !graph_is_node(node) || node->work.type != CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        return CUDA_ERROR_INVALID_VALUE;
    *what = *graph_memory_parameters(node->work.memory);
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuGraphAddMemFreeNode, "*%p, %p, %p, %zu, 0x%llx", ADDED,
       (CUdeviceptr, address))
{
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .freed = address};
    if (!node || !graph_is(graph) || graph->order || !graph_memory_is(address))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < graph->count; i++)
        if (graph->node[i]->work.type == work.type && graph->node[i]->work.freed == address)
            return CUDA_ERROR_INVALID_VALUE;
    return graph_add(graph, after, count, &work, node);
}

API_IN(state_lock(), cuGraphMemFreeNodeGetParams, "%p, *0x%llx", (CUgraphNode, node),
       (CUdeviceptr *, address, RESULT(address)))
{
    if (!address || !graph_is_node(node) || node->work.type != CU_GRAPH_NODE_TYPE_MEM_FREE)
        return CUDA_ERROR_INVALID_VALUE;
    *address = node->work.freed;
    return CUDA_SUCCESS;
}
