/* libcuda: graphs that are ready to be launched. See graph.h. */
#include <stdlib.h>

#include "runtime/cuda/copy.h"
#include "runtime/cuda/graph.h"

struct CUgraphExec_st {
    CUgraph graph; /* a copy, with the order of its nodes */
    bool frees;    /* a launch frees what the one before has left */
    bool running;  /* a thread does its nodes: it is freed behind that */
    bool gone;
    CUgraphExec next;
};

static CUgraphExec execs; /* all there are */

static CUgraphExec *find(CUgraphExec exec)
{
    CUgraphExec *at = &execs;
    while (*at && (*at != exec || exec->gone))
        at = &(*at)->next;
    return at;
}

/*
 * Makes the order in which the nodes of a graph, and of its children, are done: that of their
 * making, as far as dependencies allow. CUDA_ERROR_INVALID_VALUE: some come behind each other.
 */
static CUresult put_in_order(CUgraph graph)
{
    CUresult result = CUDA_SUCCESS;
    size_t done = 0;
    bool *is_done = calloc(graph->count + 1, sizeof *is_done), any = true;
    graph->order = calloc(graph->count + 1, sizeof *graph->order);
    if (!is_done || !graph->order)
        result = CUDA_ERROR_OUT_OF_MEMORY;
    while (!result && done < graph->count && any) {
        any = false;
        for (size_t i = 0; i < graph->count; i++) {
            const CUgraphNode node = graph->node[i];
            size_t ready = 0;
            while (ready < node->after_count && is_done[node->after[ready]->number])
                ready++;
            if (is_done[i] || ready < node->after_count)
                continue;
            is_done[i] = any = true;
            graph->order[done++] = node;
        }
    }
    free(is_done);
    if (!result && done < graph->count)
        result = CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < graph->count && !result; i++)
        if (graph->node[i]->work.type == CU_GRAPH_NODE_TYPE_GRAPH)
            result = put_in_order(graph->node[i]->work.child);
    return result;
}

/* A copy of a graph, in order. */
static CUresult copy_in_order(const struct CUgraph_st *graph, CUgraph *copy)
{
    *copy = graph_copy(graph, true);
    const CUresult result = *copy ? put_in_order(*copy) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result && *copy)
        graph_free(*copy);
    return result;
}

/* The upload is done with the launch; kernels launch no graphs. */
enum { AUTO_FREE = 1, UPLOAD = 2, DEVICE_LAUNCH = 4, USE_PRIORITY = 8 };

static CUresult instantiate(CUgraphExec *exec, CUgraph graph, cuuint64_t flags)
{
    if (!exec || !graph_is(graph) ||
        flags & ~(cuuint64_t)(AUTO_FREE | UPLOAD | DEVICE_LAUNCH | USE_PRIORITY))
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & DEVICE_LAUNCH)
        return call_refused("cuGraphInstantiate: graphs that kernels launch");
    if (graph_owns_memory(graph, true))
        return CUDA_ERROR_NOT_SUPPORTED;
    CUgraph copy;
    CUgraphExec e = calloc(1, sizeof *e);
    const CUresult result = e ? copy_in_order(graph, &copy) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result) {
        free(e);
        return result;
    }
    *e = (struct CUgraphExec_st){.graph = copy, .frees = flags & AUTO_FREE, .next = execs};
    *exec = execs = e;
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuGraphInstantiateWithFlags, "*%p, %p, %llu",
       (CUgraphExec *, exec, HANDLE(exec)), (CUgraph, graph),
       (cuuint64_t, flags, (unsigned long long)flags))
{
    return instantiate(exec, graph, flags);
}

API_IN(state_lock(), cuGraphInstantiate_v2, "*%p, %p, %p, %p, %zu",
       (CUgraphExec *, exec, HANDLE(exec)), (CUgraph, graph), (CUgraphNode *, wrong), (char *, log),
       (size_t, size))
{
    if (wrong)
        *wrong = NULL;
    if (log && size)
        *log = '\0';
    return instantiate(exec, graph, 0);
}

API_IN(state_lock(), cuGraphInstantiateWithParams, "*%p, %p, %p",
       (CUgraphExec *, exec, HANDLE(exec)), (CUgraph, graph),
       (CUDA_GRAPH_INSTANTIATE_PARAMS *, parameters))
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = instantiate(exec, graph, parameters->flags);
    parameters->hErrNode_out = NULL;
    parameters->result_out = result != CUDA_SUCCESS; /* "an unexpected reason" */
    return result;
}

static void free_exec(CUgraphExec *at)
{
    CUgraphExec e = *at;
    *at = e->next;
    graph_free(e->graph);
    free(e);
}

API_IN(state_lock(), cuGraphExecDestroy, "%p", (CUgraphExec, exec))
{
    CUgraphExec *at = find(exec);
    if (!exec || !*at)
        return CUDA_ERROR_INVALID_VALUE;
    if (exec->running)
        exec->gone = true;
    else
        free_exec(at);
    return CUDA_SUCCESS;
}

/* ---- changes ---- */

/* Whether both have the same nodes behind each other; *wrong: the node of @p now that is another.
 */
static CUgraphExecUpdateResult compare(const struct CUgraph_st *was, const struct CUgraph_st *now,
                                       CUgraphNode *wrong)
{
    CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    if (was->count != now->count)
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    for (size_t i = 0; i < now->count && !result; i++) {
        const struct CUgraphNode_st *a = was->node[i], *b = now->node[i];
        *wrong = now->node[i];
        if (a->after_count != b->after_count)
            return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        for (size_t k = 0; k < a->after_count; k++)
            if (a->after[k]->number != b->after[k]->number)
                return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        if (a->work.type != b->work.type)
            return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
        if (a->work.type == CU_GRAPH_NODE_TYPE_GRAPH)
            result = compare(a->work.child, b->work.child, wrong);
        if (a->work.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && a->work.memory != b->work.memory)
            return CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    }
    if (!result)
        *wrong = NULL;
    return result;
}

API_IN(state_lock(), cuGraphExecUpdate_v2, "%p, %p, *%llu", (CUgraphExec, exec), (CUgraph, graph),
       (CUgraphExecUpdateResultInfo *, info, (unsigned long long)(info ? info->result : 0)))
{
    if (!info || !exec || !*find(exec) || exec->running || !graph_is(graph))
        return CUDA_ERROR_INVALID_VALUE;
    *info = (CUgraphExecUpdateResultInfo){0};
    info->result = compare(exec->graph, graph, &info->errorNode);
    if (info->result)
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    CUgraph copy;
    const CUresult result = copy_in_order(graph, &copy);
    if (result) {
        info->result = CU_GRAPH_EXEC_UPDATE_ERROR;
        return result;
    }
    /* The nodes by which the program knows them stay those of the graph that was instantiated. */
    for (size_t i = 0; i < copy->count; i++) {
        copy->node[i]->from = exec->graph->node[i]->from;
        copy->node[i]->disabled = exec->graph->node[i]->disabled;
    }
    graph_free(exec->graph);
    exec->graph = copy;
    return CUDA_SUCCESS;
}

API(cuGraphExecUpdate, "%p, %p, *%p, *%llu", (CUgraphExec, exec), (CUgraph, graph),
    (CUgraphNode *, wrong, HANDLE(wrong)), (CUgraphExecUpdateResult *, how, RESULT(how)))
{
    CUgraphExecUpdateResultInfo info = {0};
    const CUresult result =
        how ? do_cuGraphExecUpdate_v2(exec, graph, &info) : CUDA_ERROR_INVALID_VALUE;
    if (wrong)
        *wrong = info.errorNode;
    if (how)
        *how = info.result;
    return result;
}

/* The node of an executable that a node of its graph has become; NULL: none. The lock is taken. */
static CUgraphNode node_of(CUgraphExec exec, CUgraphNode node)
{
    if (!exec || !*find(exec) || exec->running || !node)
        return NULL;
    for (size_t i = 0; i < exec->graph->count; i++)
        if (exec->graph->node[i]->from == node)
            return exec->graph->node[i];
    return NULL;
}

/* Replaces what a node does, which takes what @p work owns. */
static CUresult set(CUgraphExec exec, CUgraphNode node, struct graph_work *work)
{
    const CUresult result = state_lock();
    if (result) {
        graph_free_work(work);
        return result;
    }
    return state_leave(graph_replace(node_of(exec, node), work));
}

static CUresult set_kernel(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *what,
                           bool second)
{
    struct graph_work work;
    const CUresult result = graph_kernel_work(what, second, &work);
    return result ? result : set(exec, node, &work);
}

API(cuGraphExecKernelNodeSetParams, "%p, %p, %p", (CUgraphExec, exec), (CUgraphNode, node),
    (const CUDA_KERNEL_NODE_PARAMS *, what))
{
    return set_kernel(exec, node, what, false);
}

API(cuGraphExecKernelNodeSetParams_v2, "%p, %p, %p", (CUgraphExec, exec), (CUgraphNode, node),
    (const CUDA_KERNEL_NODE_PARAMS *, what))
{
    return set_kernel(exec, node, what, true);
}

API(cuGraphExecMemcpyNodeSetParams, "%p, %p, %p, %p", (CUgraphExec, exec), (CUgraphNode, node),
    (const CUDA_MEMCPY3D *, what), (CUcontext, context))
{
    const CUresult result = graph_check_context(context);
    if (result || !what)
        return result ? result : CUDA_ERROR_INVALID_VALUE;
    return set(exec, node, &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_MEMCPY, .copy = *what});
}

API(cuGraphExecMemsetNodeSetParams, "%p, %p, %p, %p", (CUgraphExec, exec), (CUgraphNode, node),
    (const CUDA_MEMSET_NODE_PARAMS *, what), (CUcontext, context))
{
    const CUresult result = graph_check_context(context);
    if (result || !what)
        return result ? result : CUDA_ERROR_INVALID_VALUE;
    return set(exec, node, &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_MEMSET, .fill = *what});
}

API(cuGraphExecHostNodeSetParams, "%p, %p, %p", (CUgraphExec, exec), (CUgraphNode, node),
    (const CUDA_HOST_NODE_PARAMS *, what))
{
    return what ? set(exec, node,
                      &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_HOST, .host = *what})
                : CUDA_ERROR_INVALID_VALUE;
}

/* Of kernels, copies and fills. */
static bool can_be_disabled(const struct CUgraphNode_st *node)
{
    return node && node->work.type <= CU_GRAPH_NODE_TYPE_MEMSET;
}

API_IN(state_lock(), cuGraphNodeSetEnabled, "%p, %p, %u", (CUgraphExec, exec), (CUgraphNode, node),
       (unsigned, enabled))
{
    CUgraphNode own = node_of(exec, node);
    if (!can_be_disabled(own))
        return CUDA_ERROR_INVALID_VALUE;
    own->disabled = !enabled;
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuGraphNodeGetEnabled, "%p, %p, *%llu", (CUgraphExec, exec),
       (CUgraphNode, node), (unsigned *, enabled, RESULT(enabled)))
{
    const CUgraphNode own = node_of(exec, node);
    if (!enabled || !can_be_disabled(own))
        return CUDA_ERROR_INVALID_VALUE;
    *enabled = !own->disabled;
    return CUDA_SUCCESS;
}

/* ---- launches ---- */

static CUresult run(const struct CUgraph_st *graph, CUstream stream);

static CUresult run_work(const struct graph_work *work, CUstream stream)
{
    switch (work->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return launch_node(work, stream);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return copy_3d(&work->copy, stream);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return fill_node(&work->fill, stream);
    case CU_GRAPH_NODE_TYPE_HOST:
        return host_node(&work->host, stream);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return run(work->child, stream);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return event_node(work->event, stream);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return memory_node(work, stream);
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: /* an event is complete when it is recorded */
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_UNKNOWN;
}

static CUresult run(const struct CUgraph_st *graph, CUstream stream)
{
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < graph->count && !result; i++)
        if (!graph->order[i]->disabled)
            result = run_work(&graph->order[i]->work, stream);
    return result;
}

/* Takes an executable for a thread that does its nodes. */
static CUresult begin(CUgraphExec exec, CUstream stream)
{
    struct gpu *g;
    const CUresult result = state_enter_stream(stream, &g);
    if (result)
        return result;
    if (!exec || !*find(exec) || exec->running)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    const CUresult ready = graph_memory_ready(exec->graph, exec->frees);
    exec->running = !ready;
    return state_leave(ready);
}

static void end(CUgraphExec exec)
{
    if (state_lock())
        return;
    exec->running = false;
    if (exec->gone) {
        exec->gone = false;
        free_exec(find(exec));
    }
    state_leave(CUDA_SUCCESS);
}

/* In a stream that is captured the launch becomes a child of the graph. */
API(cuGraphLaunch, "%p, %p", (CUgraphExec, exec), (CUstream, stream))
{
    CUresult result = begin(exec, stream);
    if (result)
        return result;
    if (graph_owns_memory(exec->graph, false) && capture_is(stream)) {
        end(exec);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    const struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .child = exec->graph};
    if (!capture_takes(stream, &work, &result) && !result)
        result = run(exec->graph, stream);
    end(exec);
    return result;
}

API_IN(state_enter_stream(stream, &g), cuGraphUpload, "%p, %p", (CUgraphExec, exec),
       (CUstream, stream))
{
    return exec && *find(exec) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
