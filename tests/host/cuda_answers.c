/*
 * What NVIDIA's driver 580 answers on an H200 to calls that are at fault, or at an edge:
 * `cuda_answers PART` prints each answer that differs, and "PART right" without one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetrap/cuda.h>

static int differences;

static void same(const char *what, long long got, long long expected)
{
    if (got == expected)
        return;
    printf("%s: %lld, not %lld\n", what, got, expected);
    differences++;
}

#define SAME(value, expected) same(#value, (long long)(value), (long long)(expected))

static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .global .b32 variable;\n.visible .entry empty() { ret; }\n"
    ".visible .entry args(.param .u64 p, .param .u32 i, .param .f64 d) { ret; }\n"
    ".visible .entry stray() { .reg .u64 %a; mov.u64 %a, 16; st.global.u64 [%a], %a; ret; }\n";

static CUdevice device;
static CUcontext context;
static CUmodule module;
static CUdeviceptr at;
static size_t size;
static int number;

static void begin(void)
{
    SAME(cuDevicePrimaryCtxRetain(&context, device), 0);
    SAME(cuCtxSetCurrent(context), 0);
    SAME(cuModuleLoadData(&module, text), 0);
}

static CUfunction function(const char *name)
{
    CUfunction f = NULL;
    SAME(cuModuleGetFunction(&f, module, name), 0);
    return f;
}

static void no_context(void)
{
    CUarray array;
    SAME(cuMemAlloc(&at, 4), 201);
    SAME(cuMemFree(0), 0);
    SAME(cuMemFree(123), 1);
    SAME(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 201);
    SAME(cuCtxDestroy(NULL), 1);
    SAME(cuCtxPushCurrent(NULL), 1);
    SAME(cuFuncGetAttribute(&number, 0, NULL), 400);
    SAME(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 16), 1);
    SAME(cuMemFreeHost(NULL), 0);
    SAME(cuArrayCreate(&array, NULL), 201);
    SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, NULL, 32, 0), 201);
    SAME(cuLaunchHostFunc(NULL, NULL, NULL), 1);
    SAME(cuStreamWaitEvent(NULL, NULL, 0), 201);
    SAME(cuCtxGetDevice(&device), 201);
}

static void memory(void)
{
    void *host = NULL;
    unsigned long long value = 9;
    char *own = aligned_alloc(4096, 4096), bytes[64] = {0};
    begin();
    SAME(cuMemAllocHost(&host, 0), 0);
    SAME(cuMemHostRegister(own, 4096, 0x100), 1);
    SAME(cuMemHostRegister(own, 4096, 0), 0);
    SAME(cuMemHostRegister(own, 4096, 0), 712);
    SAME(cuMemHostUnregister(own), 0);
    SAME(cuMemHostUnregister(own), 713);
    SAME(cuMemHostUnregister(NULL), 1);
    SAME(cuMemAlloc(&at, 64), 0);
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = bytes,
                                .srcXInBytes = 6,
                                .srcPitch = 8,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = at,
                                .dstPitch = 8,
                                .WidthInBytes = 4,
                                .Height = 1};
    SAME(cuMemcpy2D(&copy), 1);
    SAME(cuPointerGetAttribute(&value, 0, at), 1);
    SAME(cuPointerGetAttribute(&value, 99, at), 1);
    SAME(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_HOST_POINTER, at), 1);
    SAME(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, at), 0);
    SAME(value, 0);
    SAME(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, at), 0);
    SAME(value, 0);
    SAME(cuMemAllocAsync(&at, 0, NULL), 0);
    SAME(cuMemFreeAsync(0, NULL), 0);
    SAME(cuMemFreeAsync(0x10, NULL), 1);
    SAME(cuMemAllocAsync(&at, 64, NULL), 0);
    SAME(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, at), 0);
    SAME(value != 0, 1);
    free(own);
}

static int launched(CUfunction f, unsigned z, unsigned shared)
{
    return cuLaunchKernel(f, 1, 1, 1, 1, 1, z, shared, NULL, NULL, NULL);
}

static void launches(void)
{
    begin();
    CUfunction empty = function("empty"), args = function("args");
    char bytes[64] = {0};
    void *list[] = {bytes, bytes, bytes};
    void *packed[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, bytes, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                      CU_LAUNCH_PARAM_END};
    void *unsized[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, bytes, CU_LAUNCH_PARAM_END};
    static const int results[][2] = {{24, 0}, {8, 0}, {23, 0}, {32, 701}};
    SAME(launched(empty, 64, 48 * 1024), 0);
    SAME(launched(empty, 65, 0), 1);
    SAME(launched(empty, 1, 300000), 1);
    SAME(launched(args, 1, 0), 1);
    SAME(launched(NULL, 1, 0), 400);
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        size = (size_t)results[i][0];
        SAME(cuLaunchKernel(args, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, packed), results[i][1]);
    }
    size = 24;
    SAME(cuLaunchKernel(args, 1, 1, 1, 1, 1, 1, 0, NULL, list, packed), 1);
    SAME(cuLaunchKernel(args, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, unsized), 1);
    SAME(cuFuncGetAttribute(&number, 15, empty), 0);
    SAME(cuFuncGetAttribute(&number, 16, empty), 1);
    SAME(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 2), 0);
    SAME(cuFuncGetName(NULL, empty), 1);
    SAME(cuModuleGetGlobal(NULL, NULL, module, "variable"), 1);
    SAME(cuModuleLoad(&module, NULL), 1);
}

static size_t limit(CUlimit which)
{
    SAME(cuCtxGetLimit(&size, which), 0);
    return size;
}

static void limits(void)
{
    CUsharedconfig banks = 9;
    begin();
    SAME(limit(CU_LIMIT_STACK_SIZE), 1024);
    SAME(limit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT), 2048);
    SAME(limit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY), 64);
    SAME(cuCtxGetLimit(&size, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH), 215);
    SAME(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 0), 0);
    SAME(limit(CU_LIMIT_STACK_SIZE), 0);
    SAME(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1000), 0);
    SAME(limit(CU_LIMIT_STACK_SIZE), 1008);
    SAME(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 0), 0);
    SAME(limit(CU_LIMIT_PRINTF_FIFO_SIZE), 524288);
    SAME(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 0), 0);
    SAME(limit(CU_LIMIT_MALLOC_HEAP_SIZE), 4194304);
    SAME(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 5000000), 0);
    SAME(limit(CU_LIMIT_MALLOC_HEAP_SIZE), 5046272);
    SAME(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 1000), 1);
    SAME(cuCtxSetLimit(99, 0), 1);
    SAME(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE), 0);
    SAME(cuCtxGetSharedMemConfig(&banks), 0);
    SAME(banks, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    SAME(cuCtxEnablePeerAccess(NULL, 0), 201);
}

static void fault(void)
{
    CUstream stream;
    CUevent event;
    CUcontext more;
    begin();
    SAME(cuStreamCreate(&stream, 1), 0);
    SAME(cuEventCreate(&event, 0), 0);
    SAME(cuLaunchKernel(function("stray"), 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL), 0);
    SAME(cuStreamSynchronize(stream), 700);
    SAME(cuEventQuery(event), 700);
    SAME(launched(NULL, 1, 0), 700);
    SAME(cuCtxGetDevice(&device), 0);
    SAME(cuModuleUnload(module), 700);
    SAME(cuStreamDestroy(stream), 700);
    SAME(cuEventDestroy(event), 700);
    SAME(cuCtxCreate(&more, 0, device), 700);
    SAME(cuMemAlloc(&at, 4), 700);
    SAME(cuDevicePrimaryCtxReset(device), 0);
    SAME(cuDevicePrimaryCtxRetain(&more, device), 700);
    SAME(cuCtxSetCurrent(context), 0);
    SAME(cuMemAlloc(&at, 4), 709);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"no-context", no_context},
                 {"memory", memory},
                 {"launches", launches},
                 {"limits", limits},
                 {"fault", fault}};
    SAME(cuInit(0), 0);
    SAME(cuDeviceGet(&device, 0), 0);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    printf("%s %s\n", argc > 1 ? argv[1] : "nothing", differences ? "wrong" : "right");
    return differences != 0;
}
