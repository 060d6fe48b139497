/* libcudart: graphs of work, and streams whose work becomes one. */
#include <string.h>

#include "runtime/cudart/cudart.h"

/* Version 13 gives each dependency a description between the lists and their length. The only one
 * that there is here is that of all zeros: the whole node comes before. */
#if CUDART_VERSION >= 13000
#define EDGES(parameter) , parameter
#define KNOWN(edges, count) is_plain(edges, count)
#define CLEAR(edges, count) clear(edges, count)

static bool is_plain(const struct cudaGraphEdgeData *edges, size_t count)
{
    static const struct cudaGraphEdgeData none;
    for (size_t i = 0; edges && i < count; i++)
        if (memcmp(&edges[i], &none, sizeof none) != 0)
            return false;
    return true;
}

static void clear(struct cudaGraphEdgeData *edges, const size_t *count)
{
    if (edges && count)
        memset(edges, 0, *count * sizeof *edges);
}
#else
#define EDGES(parameter)
#define KNOWN(edges, count) true
#define CLEAR(edges, count) (void)0
#endif

FORWARD(cudaGraphCreate, (cudaGraph_t * graph, unsigned flags), cuGraphCreate(graph, flags))
FORWARD(cudaGraphDestroy, (cudaGraph_t graph), cuGraphDestroy(graph))
FORWARD(cudaGraphClone, (cudaGraph_t * copy, cudaGraph_t graph), cuGraphClone(copy, graph))
FORWARD(cudaGraphNodeFindInClone, (cudaGraphNode_t * found, cudaGraphNode_t node, cudaGraph_t copy),
        cuGraphNodeFindInClone(found, node, copy))
FORWARD(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count),
        cuGraphGetNodes(graph, nodes, count))
FORWARD(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count),
        cuGraphGetRootNodes(graph, nodes, count))
FORWARD(cudaGraphDestroyNode, (cudaGraphNode_t node), cuGraphDestroyNode(node))

EXPORT cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    CUgraphNodeType got = CU_GRAPH_NODE_TYPE_EMPTY;
    const CUresult result = type ? cuGraphNodeGetType(node, &got) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *type = (enum cudaGraphNodeType)got;
    return cudart_of(result);
}

EXPORT cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                     cudaGraphNode_t *to EDGES(struct cudaGraphEdgeData *edges),
                                     size_t *count)
{
    const CUresult result = cuGraphGetEdges(graph, from, to, count);
    if (!result)
        CLEAR(edges, count);
    return cudart_of(result);
}

EXPORT cudaError_t cudaGraphNodeGetDependencies(
    cudaGraphNode_t node, cudaGraphNode_t *before EDGES(struct cudaGraphEdgeData *edges),
    size_t *count)
{
    const CUresult result = cuGraphNodeGetDependencies(node, before, count);
    if (!result)
        CLEAR(edges, count);
    return cudart_of(result);
}

EXPORT cudaError_t cudaGraphNodeGetDependentNodes(
    cudaGraphNode_t node, cudaGraphNode_t *behind EDGES(struct cudaGraphEdgeData *edges),
    size_t *count)
{
    const CUresult result = cuGraphNodeGetDependentNodes(node, behind, count);
    if (!result)
        CLEAR(edges, count);
    return cudart_of(result);
}

EXPORT cudaError_t cudaGraphAddDependencies(
    cudaGraph_t graph, const cudaGraphNode_t *from,
    const cudaGraphNode_t *to EDGES(const struct cudaGraphEdgeData *edges), size_t count)
{
    return KNOWN(edges, count) ? cudart_of(cuGraphAddDependencies(graph, from, to, count))
                               : cudart_result(cudaErrorNotSupported);
}

EXPORT cudaError_t cudaGraphRemoveDependencies(
    cudaGraph_t graph, const cudaGraphNode_t *from,
    const cudaGraphNode_t *to EDGES(const struct cudaGraphEdgeData *edges), size_t count)
{
    return KNOWN(edges, count) ? cudart_of(cuGraphRemoveDependencies(graph, from, to, count))
                               : cudart_result(cudaErrorNotSupported);
}

/* ---- nodes ---- */

static CUresult kernel_of(const struct cudaKernelNodeParams *p, CUDA_KERNEL_NODE_PARAMS *to)
{
    CUfunction function;
    const CUresult result = p ? cudart_function(p->func, &function) : CUDA_ERROR_INVALID_VALUE;
    if (result)
        return result;
    *to = (CUDA_KERNEL_NODE_PARAMS){.func = function,
                                    .gridDimX = p->gridDim.x,
                                    .gridDimY = p->gridDim.y,
                                    .gridDimZ = p->gridDim.z,
                                    .blockDimX = p->blockDim.x,
                                    .blockDimY = p->blockDim.y,
                                    .blockDimZ = p->blockDim.z,
                                    .sharedMemBytes = p->sharedMemBytes,
                                    .kernelParams = p->kernelParams,
                                    .extra = p->extra};
    return CUDA_SUCCESS;
}

EXPORT cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                          const cudaGraphNode_t *after, size_t count,
                                          const struct cudaKernelNodeParams *p)
{
    CUDA_KERNEL_NODE_PARAMS kernel;
    const CUresult result = kernel_of(p, &kernel);
    return cudart_of(result ? result : cuGraphAddKernelNode_v2(node, graph, after, count, &kernel));
}

EXPORT cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                const struct cudaKernelNodeParams *p)
{
    CUDA_KERNEL_NODE_PARAMS kernel;
    const CUresult result = kernel_of(p, &kernel);
    return cudart_of(result ? result : cuGraphKernelNodeSetParams_v2(node, &kernel));
}

EXPORT cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const struct cudaKernelNodeParams *p)
{
    CUDA_KERNEL_NODE_PARAMS kernel;
    const CUresult result = kernel_of(p, &kernel);
    return cudart_of(result ? result : cuGraphExecKernelNodeSetParams_v2(exec, node, &kernel));
}

/* The function is the host's that stands for the kernel; of the driver's functions it is the
 * driver's. */
EXPORT cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                                struct cudaKernelNodeParams *p)
{
    CUDA_KERNEL_NODE_PARAMS k;
    const CUresult result = p ? cuGraphKernelNodeGetParams_v2(node, &k) : CUDA_ERROR_INVALID_VALUE;
    if (result)
        return cudart_of(result);
    const void *host = cudart_host(k.func);
    *p = (struct cudaKernelNodeParams){
        .func = host ? (void *)(uintptr_t)host : k.func,
        .gridDim = {k.gridDimX, k.gridDimY, k.gridDimZ},
        .blockDim = {k.blockDimX, k.blockDimY, k.blockDimZ},
        .sharedMemBytes = k.sharedMemBytes,
        .kernelParams = k.kernelParams,
        .extra = k.extra,
    };
    return cudaSuccess;
}

EXPORT cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                          const cudaGraphNode_t *after, size_t count,
                                          const struct cudaMemcpy3DParms *p)
{
    CUDA_MEMCPY3D copy;
    const cudaError_t error = cudart_copy(p, &copy);
    return error ? cudart_result(error)
                 : cudart_of(cuGraphAddMemcpyNode(node, graph, after, count, &copy, NULL));
}

EXPORT cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                const struct cudaMemcpy3DParms *p)
{
    CUDA_MEMCPY3D copy;
    const cudaError_t error = cudart_copy(p, &copy);
    return error ? cudart_result(error) : cudart_of(cuGraphMemcpyNodeSetParams(node, &copy));
}

EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const struct cudaMemcpy3DParms *p)
{
    CUDA_MEMCPY3D copy;
    const cudaError_t error = cudart_copy(p, &copy);
    return error ? cudart_result(error)
                 : cudart_of(cuGraphExecMemcpyNodeSetParams(exec, node, &copy, NULL));
}

static CUDA_MEMCPY3D row(void *to, const void *from, size_t bytes)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                           .srcDevice = (uintptr_t)from,
                           .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                           .dstDevice = (uintptr_t)to,
                           .WidthInBytes = bytes,
                           .Height = 1,
                           .Depth = 1};
}

EXPORT cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                            const cudaGraphNode_t *after, size_t count, void *to,
                                            const void *from, size_t bytes,
                                            enum cudaMemcpyKind kind)
{
    const CUDA_MEMCPY3D copy = row(to, from, bytes);
    return cudart_of(cuGraphAddMemcpyNode(node, graph, after, count, &copy, NULL));
}

EXPORT cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                                  size_t bytes, enum cudaMemcpyKind kind)
{
    const CUDA_MEMCPY3D copy = row(to, from, bytes);
    return cudart_of(cuGraphMemcpyNodeSetParams(node, &copy));
}

EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                      void *to, const void *from, size_t bytes,
                                                      enum cudaMemcpyKind kind)
{
    const CUDA_MEMCPY3D copy = row(to, from, bytes);
    return cudart_of(cuGraphExecMemcpyNodeSetParams(exec, node, &copy, NULL));
}

/* The driver's structure of a fill, in *to; NULL, which the driver refuses, for NULL. */
static const CUDA_MEMSET_NODE_PARAMS *fill_of(const struct cudaMemsetParams *p,
                                              CUDA_MEMSET_NODE_PARAMS *to)
{
    if (!p)
        return NULL;
    *to = (CUDA_MEMSET_NODE_PARAMS){(uintptr_t)p->dst, p->pitch, p->value,
                                    p->elementSize,    p->width, p->height};
    return to;
}

EXPORT cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                          const cudaGraphNode_t *after, size_t count,
                                          const struct cudaMemsetParams *p)
{
    CUDA_MEMSET_NODE_PARAMS fill;
    return cudart_of(cuGraphAddMemsetNode(node, graph, after, count, fill_of(p, &fill), NULL));
}

EXPORT cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                                const struct cudaMemsetParams *p)
{
    CUDA_MEMSET_NODE_PARAMS fill;
    return cudart_of(cuGraphMemsetNodeSetParams(node, fill_of(p, &fill)));
}

EXPORT cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const struct cudaMemsetParams *p)
{
    CUDA_MEMSET_NODE_PARAMS fill;
    return cudart_of(cuGraphExecMemsetNodeSetParams(exec, node, fill_of(p, &fill), NULL));
}

EXPORT cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p)
{
    CUDA_MEMSET_NODE_PARAMS fill;
    const CUresult result = p ? cuGraphMemsetNodeGetParams(node, &fill) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *p = (struct cudaMemsetParams){(void *)(uintptr_t)fill.dst,
                                       fill.pitch,
                                       fill.value,
                                       fill.elementSize,
                                       fill.width,
                                       fill.height};
    return cudart_of(result);
}

/* The same of a function of the host. */
static const CUDA_HOST_NODE_PARAMS *call_of(const struct cudaHostNodeParams *p,
                                            CUDA_HOST_NODE_PARAMS *to)
{
    if (!p)
        return NULL;
    *to = (CUDA_HOST_NODE_PARAMS){p->fn, p->userData};
    return to;
}

EXPORT cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *after, size_t count,
                                        const struct cudaHostNodeParams *p)
{
    CUDA_HOST_NODE_PARAMS call;
    return cudart_of(cuGraphAddHostNode(node, graph, after, count, call_of(p, &call)));
}

EXPORT cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                              const struct cudaHostNodeParams *p)
{
    CUDA_HOST_NODE_PARAMS call;
    return cudart_of(cuGraphHostNodeSetParams(node, call_of(p, &call)));
}

EXPORT cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  const struct cudaHostNodeParams *p)
{
    CUDA_HOST_NODE_PARAMS call;
    return cudart_of(cuGraphExecHostNodeSetParams(exec, node, call_of(p, &call)));
}

EXPORT cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p)
{
    CUDA_HOST_NODE_PARAMS call;
    const CUresult result = p ? cuGraphHostNodeGetParams(node, &call) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *p = (struct cudaHostNodeParams){call.fn, call.userData};
    return cudart_of(result);
}

FORWARD(cudaGraphAddEmptyNode,
        (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count),
        cuGraphAddEmptyNode(node, graph, after, count))
FORWARD(cudaGraphAddChildGraphNode,
        (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
         cudaGraph_t child),
        cuGraphAddChildGraphNode(node, graph, after, count, child))
FORWARD(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t node, cudaGraph_t *child),
        cuGraphChildGraphNodeGetGraph(node, child))
FORWARD(cudaGraphAddEventRecordNode,
        (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
         cudaEvent_t event),
        cuGraphAddEventRecordNode(node, graph, after, count, event))
FORWARD(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
        cuGraphEventRecordNodeSetEvent(node, event))
FORWARD(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event),
        cuGraphEventRecordNodeGetEvent(node, event))
FORWARD(cudaGraphAddEventWaitNode,
        (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
         cudaEvent_t event),
        cuGraphAddEventWaitNode(node, graph, after, count, event))
FORWARD(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
        cuGraphEventWaitNodeSetEvent(node, event))
FORWARD(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event),
        cuGraphEventWaitNodeGetEvent(node, event))

/* ---- executables ---- */

FORWARD(cudaGraphInstantiateWithFlags,
        (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
        cuGraphInstantiateWithFlags(exec, graph, flags))
FORWARD(cudaGraphInstantiateWithParams,
        (cudaGraphExec_t * exec, cudaGraph_t graph, CUDA_GRAPH_INSTANTIATE_PARAMS *parameters),
        cuGraphInstantiateWithParams(exec, graph, parameters))
#if CUDART_VERSION >= 12000
FORWARD(cudaGraphInstantiate, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
        cuGraphInstantiateWithFlags(exec, graph, flags))

EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       struct cudaGraphExecUpdateResultInfo_st *info)
{
    CUgraphExecUpdateResultInfo got = {0};
    const CUresult result =
        info ? cuGraphExecUpdate_v2(exec, graph, &got) : CUDA_ERROR_INVALID_VALUE;
    if (info)
        *info = (struct cudaGraphExecUpdateResultInfo_st){
            (enum cudaGraphExecUpdateResult)got.result, got.errorNode, got.errorFromNode};
    return cudart_of(result);
}
#else
FORWARD(cudaGraphInstantiate,
        (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphNode_t *wrong, char *log, size_t size),
        cuGraphInstantiate_v2(exec, graph, wrong, log, size))
FORWARD(cudaGraphExecUpdate,
        (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *wrong,
         CUgraphExecUpdateResult *how),
        cuGraphExecUpdate(exec, graph, wrong, how))
#endif
FORWARD(cudaGraphExecDestroy, (cudaGraphExec_t exec), cuGraphExecDestroy(exec))
FORWARD(cudaGraphNodeSetEnabled, (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled),
        cuGraphNodeSetEnabled(exec, node, enabled))
FORWARD(cudaGraphNodeGetEnabled, (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled),
        cuGraphNodeGetEnabled(exec, node, enabled))
FORWARD(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream), cuGraphUpload(exec, stream))
FORWARD(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), cuGraphLaunch(exec, stream))

/* ---- streams that are captured ---- */

FORWARD(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
        cuStreamBeginCapture_v2(stream, (CUstreamCaptureMode)mode))
FORWARD(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph),
        cuStreamEndCapture(stream, graph))

EXPORT cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    CUstreamCaptureMode exchanged = mode ? (CUstreamCaptureMode)*mode : 0;
    const CUresult result =
        mode ? cuThreadExchangeStreamCaptureMode(&exchanged) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *mode = (enum cudaStreamCaptureMode)exchanged;
    return cudart_of(result);
}

static cudaError_t capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                unsigned long long *id, cudaGraph_t *graph,
                                const cudaGraphNode_t **after, size_t *count)
{
    CUstreamCaptureStatus got = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t number = 0;
    CUresult result = cudart_enter();
    if (!result)
        result = status ? cuStreamGetCaptureInfo_v2(stream, &got, &number, graph, after, count)
                        : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *status = (enum cudaStreamCaptureStatus)got;
    if (!result && id)
        *id = number;
    return cudart_of(result);
}

#if CUDART_VERSION >= 13000
EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                            enum cudaStreamCaptureStatus *status,
                                            unsigned long long *id, cudaGraph_t *graph,
                                            const cudaGraphNode_t **after,
                                            const struct cudaGraphEdgeData **edges, size_t *count)
{
    if (edges)
        *edges = NULL; /* all are plain */
    return capture_info(stream, status, id, graph, after, count);
}
#else
EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                            enum cudaStreamCaptureStatus *status,
                                            unsigned long long *id)
{
    return capture_info(stream, status, id, NULL, NULL, NULL);
}

EXPORT cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                               enum cudaStreamCaptureStatus *status,
                                               unsigned long long *id, cudaGraph_t *graph,
                                               const cudaGraphNode_t **after, size_t *count)
{
    return capture_info(stream, status, id, graph, after, count);
}
#endif

EXPORT cudaError_t cudaStreamUpdateCaptureDependencies(
    cudaStream_t stream, cudaGraphNode_t *after EDGES(const struct cudaGraphEdgeData *edges),
    size_t count, unsigned flags)
{
    return KNOWN(edges, count)
               ? cudart_of(cuStreamUpdateCaptureDependencies(stream, after, count, flags))
               : cudart_result(cudaErrorNotSupported);
}
