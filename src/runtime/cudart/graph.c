/* libcudart: graphs of work, and streams whose work becomes one. */
#include <stddef.h>
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

#define NEIGHBOURS(name, get)                                                                      \
    EXPORT cudaError_t name(cudaGraphNode_t node,                                                  \
                            cudaGraphNode_t *of EDGES(struct cudaGraphEdgeData *edges),            \
                            size_t *count)                                                         \
    {                                                                                              \
        const CUresult result = get(node, of, count);                                              \
        if (!result)                                                                               \
            CLEAR(edges, count);                                                                   \
        return cudart_of(result);                                                                  \
    }
NEIGHBOURS(cudaGraphNodeGetDependencies, cuGraphNodeGetDependencies)
NEIGHBOURS(cudaGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes)

#define CHANGE(name, change)                                                                       \
    EXPORT cudaError_t name(                                                                       \
        cudaGraph_t graph, const cudaGraphNode_t *from,                                            \
        const cudaGraphNode_t *to EDGES(const struct cudaGraphEdgeData *edges), size_t count)      \
    {                                                                                              \
        return KNOWN(edges, count) ? cudart_of(change(graph, from, to, count))                     \
                                   : cudart_result(cudaErrorNotSupported);                         \
    }
CHANGE(cudaGraphAddDependencies, cuGraphAddDependencies)
CHANGE(cudaGraphRemoveDependencies, cuGraphRemoveDependencies)

/* ---- nodes ---- */

/* The functions that add a node of a kind, change it, and change it in an executable graph. `made`
 * makes the driver's structure of the runtime's. `v` ends the driver's names; `context` is the
 * argument more that the driver takes. */
#define NODE(kind, type, driver_type, made, v, context)                                            \
    EXPORT cudaError_t cudaGraphAdd##kind##Node(cudaGraphNode_t *node, cudaGraph_t graph,          \
                                                const cudaGraphNode_t *after, size_t count,        \
                                                const struct type *p)                              \
    {                                                                                              \
        driver_type d;                                                                             \
        const cudaError_t error = made(p, &d);                                                     \
        return error                                                                               \
                   ? cudart_result(error)                                                          \
                   : cudart_of(cuGraphAdd##kind##Node##v(node, graph, after, count, &d context));  \
    }                                                                                              \
    EXPORT cudaError_t cudaGraph##kind##NodeSetParams(cudaGraphNode_t node, const struct type *p)  \
    {                                                                                              \
        driver_type d;                                                                             \
        const cudaError_t error = made(p, &d);                                                     \
        return error ? cudart_result(error)                                                        \
                     : cudart_of(cuGraph##kind##NodeSetParams##v(node, &d));                       \
    }                                                                                              \
    EXPORT cudaError_t cudaGraphExec##kind##NodeSetParams(                                         \
        cudaGraphExec_t exec, cudaGraphNode_t node, const struct type *p)                          \
    {                                                                                              \
        driver_type d;                                                                             \
        const cudaError_t error = made(p, &d);                                                     \
        return error ? cudart_result(error)                                                        \
                     : cudart_of(cuGraphExec##kind##NodeSetParams##v(exec, node, &d context));     \
    }
#define NO_CONTEXT , NULL

static cudaError_t kernel_of(const struct cudaKernelNodeParams *p, CUDA_KERNEL_NODE_PARAMS *to)
{
    CUfunction function;
    const CUresult result = p ? cudart_function(p->func, &function) : CUDA_ERROR_INVALID_VALUE;
    if (result)
        return cudart_of(result);
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
    return cudaSuccess;
}

NODE(Kernel, cudaKernelNodeParams, CUDA_KERNEL_NODE_PARAMS, kernel_of, _v2, )

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

NODE(Memcpy, cudaMemcpy3DParms, CUDA_MEMCPY3D, cudart_copy, , NO_CONTEXT)

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

static cudaError_t fill_of(const struct cudaMemsetParams *p, CUDA_MEMSET_NODE_PARAMS *to)
{
    if (!p)
        return cudaErrorInvalidValue;
    *to = (CUDA_MEMSET_NODE_PARAMS){(uintptr_t)p->dst, p->pitch, p->value,
                                    p->elementSize,    p->width, p->height};
    return cudaSuccess;
}

NODE(Memset, cudaMemsetParams, CUDA_MEMSET_NODE_PARAMS, fill_of, , NO_CONTEXT)

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

static cudaError_t call_of(const struct cudaHostNodeParams *p, CUDA_HOST_NODE_PARAMS *to)
{
    if (!p)
        return cudaErrorInvalidValue;
    *to = (CUDA_HOST_NODE_PARAMS){p->fn, p->userData};
    return cudaSuccess;
}

NODE(Host, cudaHostNodeParams, CUDA_HOST_NODE_PARAMS, call_of, , )

EXPORT cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p)
{
    CUDA_HOST_NODE_PARAMS call;
    const CUresult result = p ? cuGraphHostNodeGetParams(node, &call) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *p = (struct cudaHostNodeParams){call.fn, call.userData};
    return cudart_of(result);
}

/* The structures of the runtime and the driver are alike. */
_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) &&
                   offsetof(struct cudaMemAllocNodeParams, dptr) ==
                       offsetof(CUDA_MEM_ALLOC_NODE_PARAMS, dptr),
               "cudaMemAllocNodeParams is CUDA_MEM_ALLOC_NODE_PARAMS");
FORWARD(cudaGraphAddMemAllocNode,
        (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
         struct cudaMemAllocNodeParams *parameters),
        cuGraphAddMemAllocNode(node, graph, after, count, (void *)parameters))
FORWARD(cudaGraphMemAllocNodeGetParams,
        (cudaGraphNode_t node, struct cudaMemAllocNodeParams *parameters),
        cuGraphMemAllocNodeGetParams(node, (void *)parameters))
FORWARD(cudaGraphAddMemFreeNode,
        (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
         void *address),
        cuGraphAddMemFreeNode(node, graph, after, count, (uintptr_t)address))
FORWARD(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t node, void *address),
        cuGraphMemFreeNodeGetParams(node, address))
FORWARD(cudaDeviceGraphMemTrim, (int device), cuDeviceGraphMemTrim(device))
FORWARD(cudaDeviceGetGraphMemAttribute,
        (int device, enum cudaGraphMemAttributeType attribute, void *value),
        cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)attribute, value))
FORWARD(cudaDeviceSetGraphMemAttribute,
        (int device, enum cudaGraphMemAttributeType attribute, void *value),
        cuDeviceSetGraphMemAttribute(device, (CUgraphMem_attribute)attribute, value))

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
