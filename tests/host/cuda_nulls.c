/*
 * Every function of the driver API with an argument that is none: a null pointer, a handle that is
 * 0, or one of which the object is gone. tests/host/cuda_nulls.py makes cuda_nulls.inc of the
 * header: NULLS(TEXT, CALL, ERROR).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define WAVETRAP_CUDA_NAMES_ONLY
#include <wavetrap/cuda.h>

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .b32 variable;\n.visible .entry k(.param .u64 p) { ret; }\n";

/* The objects of each kind: 0 the one that is there, 1 the one that is gone. */
static CUcontext context[2];
static CUmodule module[2];
static CUfunction function[2];
static CUstream stream[2], capturing;
static CUevent event[2];
static CUlinkState linker[2];
static CUmemoryPool pool[2];
static CUlibrary library[2];
static CUkernel kernel[2];
static CUmipmappedArray mipmapped[2];
static CUarray array[2];
static CUtexObject texture[2];
static CUsurfObject surface[2];
static CUgraph graph[2], clone;
static CUgraphExec exec[2];
static CUdeviceptr memory[2], managed;
static CUgraphNode node[2], node_of[16];
static void *pinned;
static char out[16][256], pci[16];
static unsigned long long parameter;
static void *parameters[] = {&parameter}, *data[] = {out[0]};
static CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
static size_t eight = 8;

static CUDA_ARRAY_DESCRIPTOR good_CUDA_ARRAY_DESCRIPTOR = {8, 0, CU_AD_FORMAT_FLOAT, 1};
static CUDA_ARRAY3D_DESCRIPTOR good_CUDA_ARRAY3D_DESCRIPTOR = {64, 0, 0, CU_AD_FORMAT_FLOAT, 1, 2};
static CUDA_RESOURCE_DESC good_CUDA_RESOURCE_DESC;
static CUDA_TEXTURE_DESC good_CUDA_TEXTURE_DESC;
static CUDA_GRAPH_INSTANTIATE_PARAMS good_CUDA_GRAPH_INSTANTIATE_PARAMS;
static CUDA_HOST_NODE_PARAMS good_CUDA_HOST_NODE_PARAMS;
static CUDA_KERNEL_NODE_PARAMS good_CUDA_KERNEL_NODE_PARAMS;
static CUDA_MEMCPY2D good_CUDA_MEMCPY2D;
static CUDA_MEMCPY3D good_CUDA_MEMCPY3D;
static CUDA_MEMCPY3D_PEER good_CUDA_MEMCPY3D_PEER;
static CUDA_MEMSET_NODE_PARAMS good_CUDA_MEMSET_NODE_PARAMS;
static CUDA_MEM_ALLOC_NODE_PARAMS good_CUDA_MEM_ALLOC_NODE_PARAMS;
static CUlaunchConfig good_CUlaunchConfig = {1, 1, 1, 1, 1, 1, 0, NULL, NULL, 0};
static CUmemPoolProps good_CUmemPoolProps = {.allocType = 1,
                                             .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};

static void host(void *p)
{
    (void)p;
}

static void called(CUstream s, CUresult result, void *p)
{
    (void)s, (void)result, (void)p;
}

static void well(int result, const char *what)
{
    if (!result)
        return;
    printf("%s: %d\n", what, result);
    exit(1);
}

#define WELL(call) well(call, #call)

static void make(void)
{
    WELL(cuInit(0));
    for (int i = 1; i >= 0; i--) {
        WELL(cuCtxCreate_v2(&context[i], 0, 0));
        if (i)
            WELL(cuCtxDestroy_v2(context[i]));
    }
    WELL(cuDeviceGetPCIBusId(pci, sizeof pci, 0));
    WELL(cuMemAlloc_v2(&memory[0], 65536));
    WELL(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    WELL(cuMemAllocHost_v2(&pinned, 4096));
    WELL(cuStreamCreate(&capturing, 0));
    for (int i = 0; i < 2; i++) {
        WELL(cuModuleLoadData(&module[i], text));
        WELL(cuModuleGetFunction(&function[i], module[i], "k"));
        WELL(cuLibraryLoadData(&library[i], text, NULL, NULL, 0, NULL, NULL, 0));
        WELL(cuLibraryGetKernel(&kernel[i], library[i], "k"));
        WELL(cuStreamCreate(&stream[i], 0));
        WELL(cuEventCreate(&event[i], 0));
        WELL(cuEventRecord(event[i], NULL));
        WELL(cuLinkCreate_v2(0, NULL, NULL, &linker[i]));
        WELL(cuMemPoolCreate(&pool[i], &good_CUmemPoolProps));
        WELL(cuMipmappedArrayCreate(&mipmapped[i], &good_CUDA_ARRAY3D_DESCRIPTOR, 1));
        WELL(cuArray3DCreate_v2(&array[i], &good_CUDA_ARRAY3D_DESCRIPTOR));
        good_CUDA_RESOURCE_DESC.res.array.hArray = array[i];
        WELL(cuTexObjectCreate(&texture[i], &good_CUDA_RESOURCE_DESC, &good_CUDA_TEXTURE_DESC,
                               NULL));
        WELL(cuSurfObjectCreate(&surface[i], &good_CUDA_RESOURCE_DESC));
    }
    good_CUDA_RESOURCE_DESC.res.array.hArray = array[0];
    good_CUDA_HOST_NODE_PARAMS.fn = host;
    good_CUDA_KERNEL_NODE_PARAMS =
        (CUDA_KERNEL_NODE_PARAMS){function[0], 1, 1, 1, 1, 1, 1, 0, parameters, NULL, NULL, NULL};
    good_CUDA_MEMCPY2D = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                                         .srcHost = pinned,
                                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                         .dstDevice = memory[0],
                                         .WidthInBytes = 4,
                                         .Height = 1};
    good_CUDA_MEMCPY3D = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                                         .srcHost = pinned,
                                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                         .dstDevice = memory[0],
                                         .WidthInBytes = 4,
                                         .Height = 1,
                                         .Depth = 1};
    memcpy(&good_CUDA_MEMCPY3D_PEER, &good_CUDA_MEMCPY3D, sizeof good_CUDA_MEMCPY3D);
    good_CUDA_MEMSET_NODE_PARAMS = (CUDA_MEMSET_NODE_PARAMS){memory[0], 16, 0, 1, 4, 1};
    good_CUDA_MEM_ALLOC_NODE_PARAMS =
        (CUDA_MEM_ALLOC_NODE_PARAMS){.poolProps = good_CUmemPoolProps, .bytesize = 64};
    for (int i = 0; i < 2; i++) {
        WELL(cuGraphCreate(&graph[i], 0));
        WELL(cuGraphAddKernelNode_v2(&node[i], graph[i], NULL, 0, &good_CUDA_KERNEL_NODE_PARAMS));
        WELL(cuGraphInstantiateWithFlags(&exec[i], graph[i], 0));
    }
    WELL(cuGraphAddMemcpyNode(&node_of[CU_GRAPH_NODE_TYPE_MEMCPY], graph[0], NULL, 0,
                              &good_CUDA_MEMCPY3D, context[0]));
    WELL(cuGraphAddMemsetNode(&node_of[CU_GRAPH_NODE_TYPE_MEMSET], graph[0], NULL, 0,
                              &good_CUDA_MEMSET_NODE_PARAMS, context[0]));
    WELL(cuGraphAddHostNode(&node_of[CU_GRAPH_NODE_TYPE_HOST], graph[0], NULL, 0,
                            &good_CUDA_HOST_NODE_PARAMS));
    WELL(cuGraphAddEventRecordNode(&node_of[CU_GRAPH_NODE_TYPE_EVENT_RECORD], graph[0], NULL, 0,
                                   event[0]));
    WELL(cuGraphAddEventWaitNode(&node_of[CU_GRAPH_NODE_TYPE_WAIT_EVENT], graph[0], NULL, 0,
                                 event[0]));
    WELL(cuGraphAddEmptyNode(&node_of[CU_GRAPH_NODE_TYPE_EMPTY], graph[0], NULL, 0));
    WELL(cuGraphClone(&clone, graph[0]));
    WELL(cuStreamBeginCapture_v2(capturing, CU_STREAM_CAPTURE_MODE_RELAXED));
    /* The last of all, so that nothing takes their places. */
    WELL(cuMemAlloc_v2(&memory[1], 1 << 20));
    WELL(cuMemFree_v2(memory[1]));
    WELL(cuModuleUnload(module[1]));
    WELL(cuLibraryUnload(library[1]));
    WELL(cuStreamDestroy_v2(stream[1]));
    WELL(cuEventDestroy_v2(event[1]));
    WELL(cuLinkDestroy(linker[1]));
    WELL(cuMemPoolDestroy(pool[1]));
    WELL(cuMipmappedArrayDestroy(mipmapped[1]));
    WELL(cuTexObjectDestroy(texture[1]));
    WELL(cuSurfObjectDestroy(surface[1]));
    WELL(cuArrayDestroy(array[1]));
    WELL(cuGraphExecDestroy(exec[1]));
    WELL(cuGraphDestroy(graph[1]));
}

static int calls;

static void fails(const char *what, int result, int expected)
{
    calls++;
    if (result != expected)
        printf("%s: %d, not %d\n", what, result, expected);
}

int main(void)
{
    make();
#define NULLS(what, call, expected) fails(what, call, expected);
#include "cuda_nulls.inc"
    printf("%d calls\n", calls);
    return 0;
}
