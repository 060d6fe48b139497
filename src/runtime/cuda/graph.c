/* libcuda: graphs and their nodes. See graph.h. */
#include "runtime/cuda/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static CUgraph graphs; /* all there are */

bool graph_is(const struct CUgraph_st *graph)
{
    const struct CUgraph_st *g = graphs;
    while (g && g != graph)
        g = g->next;
    return graph && g;
}

/* The search begins with the newest node, which programs name most often. */
bool graph_is_node(const struct CUgraphNode_st *node)
{
    for (const struct CUgraph_st *g = graphs; g; g = g->next)
        for (size_t i = g->count; i-- > 0;)
            if (g->node[i] == node)
                return true;
    return false;
}

bool graph_has(const struct CUgraph_st *graph, const struct CUgraphNode_st *node)
{
    size_t i = graph->count;
    while (i > 0 && graph->node[i - 1] != node)
        i--;
    return i > 0;
}

CUgraph graph_new(bool inner)
{
    CUgraph g = calloc(1, sizeof *g);
    if (g) {
        *g = (struct CUgraph_st){.inner = inner, .next = graphs};
        graphs = g;
    }
    return g;
}

void graph_free_work(struct graph_work *work)
{
    if (work->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        free(work->kernel.bytes);
        free(work->kernel.is.kernelParams);
    }
    if (work->type == CU_GRAPH_NODE_TYPE_GRAPH && work->child)
        graph_free(work->child);
    if (work->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        graph_memory_leave(work->memory);
}

static void free_node(CUgraphNode node)
{
    graph_free_work(&node->work);
    free(node->after);
    free(node);
}

void graph_free(CUgraph graph)
{
    CUgraph *at = &graphs;
    while (*at != graph)
        at = &(*at)->next;
    *at = graph->next;
    for (size_t i = 0; i < graph->count; i++)
        free_node(graph->node[i]);
    free(graph->node);
    free(graph->order);
    free(graph);
}

bool graph_own_work(struct graph_work *work)
{
    if (work->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return (work->child = graph_copy(work->child, true)) != NULL;
    if (work->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        graph_memory_use(work->memory);
    if (work->type != CU_GRAPH_NODE_TYPE_KERNEL)
        return true;
    const uint8_t *bytes = work->kernel.bytes;
    void **from = work->kernel.is.kernelParams;
    size_t count = 0;
    while (from && from[count])
        count++;
    work->kernel.bytes = malloc(work->kernel.length + 1);
    work->kernel.is.kernelParams = calloc(count + 1, sizeof *from);
    if (!work->kernel.bytes || !work->kernel.is.kernelParams) {
        graph_free_work(work);
        return false;
    }
    memcpy(work->kernel.bytes, bytes, work->kernel.length);
    for (size_t i = 0; i < count; i++)
        work->kernel.is.kernelParams[i] = work->kernel.bytes + ((uint8_t *)from[i] - bytes);
    return true;
}

bool graph_list(CUgraphNode **list, size_t *count, size_t *room, CUgraphNode node)
{
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i] == node)
            return true;
    CUgraphNode *grown = wt_array_grow(*list, room, *count + 1, sizeof *grown);
    if (!grown)
        return false;
    *list = grown;
    grown[(*count)++] = node;
    return true;
}

CUresult graph_add(CUgraph graph, const CUgraphNode *after, size_t count, struct graph_work *work,
                   CUgraphNode *node)
{
    CUresult result = count && !after ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    CUgraphNode n = calloc(1, sizeof *n);
    CUgraphNode *grown =
        wt_array_grow(graph->node, &graph->room, graph->count + 1, sizeof(CUgraphNode));
    if (grown)
        graph->node = grown;
    if (!n || !grown) {
        free(n);
        graph_free_work(work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *n = (struct CUgraphNode_st){.graph = graph, .number = graph->count, .work = *work};
    for (size_t i = 0; i < count && !result; i++) {
        if (!graph_has(graph, after[i]))
            result = CUDA_ERROR_INVALID_VALUE;
        else if (!graph_list(&n->after, &n->after_count, &n->after_room, after[i]))
            result = CUDA_ERROR_OUT_OF_MEMORY;
        else if (n->after_count != i + 1)
            result = CUDA_ERROR_INVALID_VALUE;
    }
    if (result) {
        free_node(n);
        return result;
    }
    *node = graph->node[graph->count++] = n;
    return CUDA_SUCCESS;
}

CUresult graph_replace(CUgraphNode node, struct graph_work *work)
{
    const bool good = node && node->work.type == work->type;
    graph_free_work(good ? &node->work : work);
    if (good)
        node->work = *work;
    return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUgraph graph_copy(const struct CUgraph_st *graph, bool inner)
{
    CUgraph copy = graph_new(inner);
    bool good = copy != NULL;
    for (size_t i = 0; i < graph->count && good; i++) {
        struct graph_work work = graph->node[i]->work;
        CUgraphNode node;
        good = graph_own_work(&work) && !graph_add(copy, NULL, 0, &work, &node);
        if (good) {
            node->from = graph->node[i];
            node->disabled = graph->node[i]->disabled;
        }
    }
    for (size_t i = 0; i < graph->count && good; i++) {
        const struct CUgraphNode_st *from = graph->node[i];
        CUgraphNode to = copy->node[i];
        for (size_t k = 0; k < from->after_count && good; k++)
            good = graph_list(&to->after, &to->after_count, &to->after_room,
                              copy->node[from->after[k]->number]);
    }
    if (!good && copy) {
        graph_free(copy);
        return NULL;
    }
    return copy;
}

/* ---- graphs of the program ---- */

API_IN(state_lock(), cuGraphCreate, "*%p, %u", (CUgraph *, graph, HANDLE(graph)), (unsigned, flags))
{
    if (!graph || flags)
        return CUDA_ERROR_INVALID_VALUE;
    *graph = graph_new(false);
    return *graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

API_IN(state_lock(), cuGraphDestroy, "%p", (CUgraph, graph))
{
    if (!graph_is(graph) || graph->inner)
        return CUDA_ERROR_INVALID_VALUE;
    graph_free(graph);
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuGraphClone, "*%p, %p", (CUgraph *, copy, HANDLE(copy)), (CUgraph, graph))
{
    if (!copy || !graph_is(graph))
        return CUDA_ERROR_INVALID_VALUE;
    if (graph_owns_memory(graph, false))
        return CUDA_ERROR_NOT_SUPPORTED;
    *copy = graph_copy(graph, false);
    return *copy ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

API_IN(state_lock(), cuGraphNodeFindInClone, "*%p, %p, %p", (CUgraphNode *, found, HANDLE(found)),
       (CUgraphNode, node), (CUgraph, copy))
{
    if (!found || !graph_is(copy))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < copy->count; i++)
        if (copy->node[i]->from == node) {
            *found = copy->node[i];
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

/* Gives a list to a caller who asks for its length, or has room for *count; the rest of the room
 * becomes NULL. */
static CUresult give(CUgraphNode *const *list, size_t there, CUgraphNode *to, size_t *count)
{
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; to && i < *count; i++)
        to[i] = i < there ? (*list)[i] : NULL;
    if (!to || *count > there)
        *count = there;
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuGraphGetNodes, "%p, %p, *%llu", (CUgraph, graph), (CUgraphNode *, nodes),
       (size_t *, count, RESULT(count)))
{
    return graph_is(graph) ? give(&graph->node, graph->count, nodes, count)
                           : CUDA_ERROR_INVALID_VALUE;
}

API_IN(state_lock(), cuGraphGetRootNodes, "%p, %p, *%llu", (CUgraph, graph), (CUgraphNode *, nodes),
       (size_t *, count, RESULT(count)))
{
    CUgraphNode *list = NULL;
    size_t there = 0, room = 0;
    CUresult result = graph_is(graph) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; !result && i < graph->count; i++)
        if (!graph->node[i]->after_count && !graph_list(&list, &there, &room, graph->node[i]))
            result = CUDA_ERROR_OUT_OF_MEMORY;
    if (!result)
        result = give(&list, there, nodes, count);
    free(list);
    return result;
}

API_IN(state_lock(), cuGraphGetEdges, "%p, %p, %p, *%llu", (CUgraph, graph), (CUgraphNode *, from),
       (CUgraphNode *, to), (size_t *, count, RESULT(count)))
{
    size_t there = 0;
    if (!graph_is(graph) || !count || !from != !to)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->node[i]->after_count; k++, there++)
            if (from && there < *count) {
                from[there] = graph->node[i]->after[k];
                to[there] = graph->node[i];
            }
    for (size_t i = there; from && i < *count; i++)
        from[i] = to[i] = NULL;
    if (!from || *count > there)
        *count = there;
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuGraphNodeGetDependencies, "%p, %p, *%llu", (CUgraphNode, node),
       (CUgraphNode *, before), (size_t *, count, RESULT(count)))
{
    return graph_is_node(node) ? give(&node->after, node->after_count, before, count)
                               : CUDA_ERROR_INVALID_VALUE;
}

static bool comes_after(const struct CUgraphNode_st *node, const struct CUgraphNode_st *before)
{
    size_t i = 0;
    while (i < node->after_count && node->after[i] != before)
        i++;
    return i < node->after_count;
}

API_IN(state_lock(), cuGraphNodeGetDependentNodes, "%p, %p, *%llu", (CUgraphNode, node),
       (CUgraphNode *, behind), (size_t *, count, RESULT(count)))
{
    CUgraphNode *list = NULL;
    size_t there = 0, room = 0;
    CUresult result = graph_is_node(node) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; !result && i < node->graph->count; i++)
        if (comes_after(node->graph->node[i], node) &&
            !graph_list(&list, &there, &room, node->graph->node[i]))
            result = CUDA_ERROR_OUT_OF_MEMORY;
    if (!result)
        result = give(&list, there, behind, count);
    free(list);
    return result;
}

/* A cycle shows when the graph is instantiated. */
API_IN(state_lock(), cuGraphAddDependencies, "%p, %p, %p, %zu", (CUgraph, graph),
       (const CUgraphNode *, from), (const CUgraphNode *, to), (size_t, count))
{
    if (!graph_is(graph) || (count && (!from || !to)))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!graph_has(graph, from[i]) || !graph_has(graph, to[i]) || from[i] == to[i] ||
            comes_after(to[i], from[i]))
            return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!graph_list(&to[i]->after, &to[i]->after_count, &to[i]->after_room, from[i]))
            return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}

static void remove_edge(CUgraphNode node, const struct CUgraphNode_st *before)
{
    size_t kept = 0;
    for (size_t i = 0; i < node->after_count; i++)
        if (node->after[i] != before)
            node->after[kept++] = node->after[i];
    node->after_count = kept;
}

API_IN(state_lock(), cuGraphRemoveDependencies, "%p, %p, %p, %zu", (CUgraph, graph),
       (const CUgraphNode *, from), (const CUgraphNode *, to), (size_t, count))
{
    if (!graph_is(graph) || (count && (!from || !to)))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!graph_has(graph, from[i]) || !graph_has(graph, to[i]) || !comes_after(to[i], from[i]))
            return CUDA_ERROR_INVALID_VALUE;
    if (graph_owns_memory(graph, false))
        return CUDA_ERROR_NOT_SUPPORTED;
    for (size_t i = 0; i < count; i++)
        remove_edge(to[i], from[i]);
    return CUDA_SUCCESS;
}

/* ---- the same with data of the edges, which here have none (12.3) ---- */

bool graph_edges_are_plain(const CUgraphEdgeData *edges, size_t count)
{
    static const CUgraphEdgeData plain;
    for (size_t i = 0; edges && i < count; i++)
        if (memcmp(&edges[i], &plain, sizeof plain) != 0) {
            call_refused("an edge of a graph that waits for less than the end of a node");
            return false;
        }
    return true;
}

static CUresult with_plain_edges(CUresult result, CUgraphEdgeData *edges, const size_t *count)
{
    if (!result && edges)
        memset(edges, 0, *count * sizeof *edges);
    return result;
}

API(cuGraphGetEdges_v2, "%p, %p, %p, %p, *%llu", (CUgraph, graph), (CUgraphNode *, from),
    (CUgraphNode *, to), (CUgraphEdgeData *, edges), (size_t *, count, RESULT(count)))
{
    return with_plain_edges(do_cuGraphGetEdges(graph, from, to, count), edges, count);
}

API(cuGraphNodeGetDependencies_v2, "%p, %p, %p, *%llu", (CUgraphNode, node),
    (CUgraphNode *, before), (CUgraphEdgeData *, edges), (size_t *, count, RESULT(count)))
{
    return with_plain_edges(do_cuGraphNodeGetDependencies(node, before, count), edges, count);
}

API(cuGraphNodeGetDependentNodes_v2, "%p, %p, %p, *%llu", (CUgraphNode, node),
    (CUgraphNode *, behind), (CUgraphEdgeData *, edges), (size_t *, count, RESULT(count)))
{
    return with_plain_edges(do_cuGraphNodeGetDependentNodes(node, behind, count), edges, count);
}

API(cuGraphAddDependencies_v2, "%p, %p, %p, %p, %zu", (CUgraph, graph), (const CUgraphNode *, from),
    (const CUgraphNode *, to), (const CUgraphEdgeData *, edges), (size_t, count))
{
    return graph_edges_are_plain(edges, count) ? do_cuGraphAddDependencies(graph, from, to, count)
                                               : CUDA_ERROR_NOT_SUPPORTED;
}

API(cuGraphRemoveDependencies_v2, "%p, %p, %p, %p, %zu", (CUgraph, graph),
    (const CUgraphNode *, from), (const CUgraphNode *, to), (const CUgraphEdgeData *, edges),
    (size_t, count))
{
    return graph_edges_are_plain(edges, count)
               ? do_cuGraphRemoveDependencies(graph, from, to, count)
               : CUDA_ERROR_NOT_SUPPORTED;
}

API_IN(state_lock(), cuGraphDestroyNode, "%p", (CUgraphNode, node))
{
    if (!graph_is_node(node) || node->graph->inner)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraph graph = node->graph;
    if (graph_owns_memory(graph, false))
        return CUDA_ERROR_NOT_SUPPORTED;
    graph->count--;
    for (size_t i = node->number; i < graph->count; i++) {
        graph->node[i] = graph->node[i + 1];
        graph->node[i]->number = i;
    }
    for (size_t i = 0; i < graph->count; i++)
        remove_edge(graph->node[i], node);
    free_node(node);
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuGraphNodeGetType, "%p, *%llu", (CUgraphNode, node),
       (CUgraphNodeType *, type, RESULT(type)))
{
    if (!type || !graph_is_node(node))
        return CUDA_ERROR_INVALID_VALUE;
    *type = node->work.type;
    return CUDA_SUCCESS;
}
