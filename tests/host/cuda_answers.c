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
    ".visible .entry required() .reqntid 32 { ret; }\n"
    ".visible .entry kilobyte() { .shared .b8 b[1024]; .reg .u32 %r; mov.u32 %r, b;"
    " st.shared.u32 [%r], %r; ret; }\n"
    ".extern .shared .b8 added[];\n"
    ".visible .entry last(.param .u64 p, .param .u32 size) { .reg .u32 %r<3>; .reg .u64 %a;"
    " ld.param.u32 %r0, [size]; mov.u32 %r1, added; add.u32 %r1, %r1, %r0;"
    " st.shared.u32 [%r1-4], %r0; ld.shared.u32 %r2, [%r1-4];"
    " ld.param.u64 %a, [p]; st.global.u32 [%a], %r2; ret; }\n"
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

static int got(CUfunction_attribute which, CUfunction f)
{
    SAME(cuFuncGetAttribute(&number, which, f), 0);
    return number;
}

static int attribute(CUdevice_attribute which)
{
    SAME(cuDeviceGetAttribute(&number, which, device), 0);
    return number;
}

static int resident(CUfunction f, int threads, size_t shared)
{
    SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, f, threads, shared), 0);
    return number;
}

static void shared(void)
{
    enum { MOST = 227 * 1024, ASK = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES };
    begin();
    CUfunction empty = function("empty"), kilobyte = function("kilobyte");
    int blocks, block;
    SAME(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 49152);
    SAME(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), MOST);
    SAME(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR), 233472);
    SAME(attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK), 1024);
    SAME(got(ASK, empty), 49152);
    SAME(got(ASK, kilobyte), 48128);
    SAME(launched(empty, 1, 48 * 1024 + 1), 1);
    SAME(cuFuncSetAttribute(empty, ASK, MOST + 1), 1);
    SAME(cuFuncSetAttribute(empty, ASK, -1), 1);
    SAME(cuFuncSetAttribute(empty, ASK, MOST), 0);
    SAME(got(ASK, empty), MOST);
    SAME(launched(empty, 1, MOST), 0);
    SAME(launched(empty, 1, 300000), 1);
    SAME(cuCtxSynchronize(), 0);
    static const int sizes[] = {0, 1000, 4000, 13000, 40000, 121000};
    static const int small[] = {32, 32, 32, 15, 5, 0}, large[] = {4, 4, 4, 4, 4, 0};
    for (unsigned i = 0; i < 6; i++) {
        SAME(resident(kilobyte, 31, (size_t)sizes[i]), small[i]);
        SAME(resident(kilobyte, 447, (size_t)sizes[i]), large[i]);
    }
    SAME(cuOccupancyMaxPotentialBlockSize(&blocks, &block, empty, NULL, 0, 0), 0);
    SAME(block, 1024);
    SAME(cuOccupancyMaxPotentialBlockSize(&blocks, &block, empty, NULL, 0, 100), 0);
    SAME(block, 100);
}

/* Prints the shared memory that a kernel may ask for, and takes all of it. */
static void most_shared(void)
{
    begin();
    CUfunction last = function("last");
    const int most = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    int there = 0;
    void *list[] = {&at, (void *)&most};
    SAME(cuMemAlloc(&at, 4), 0);
    SAME(cuFuncSetAttribute(last, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most), 0);
    SAME(cuLaunchKernel(last, 1, 1, 1, 1, 1, 1, (unsigned)most, NULL, list, NULL), 0);
    SAME(cuMemcpyDtoH(&there, at, 4), 0);
    SAME(there, most);
    printf("%d of %d\n", most, attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
}

static int in_cluster(unsigned grid, unsigned x, unsigned id)
{
    CUlaunchAttribute a = {.id = id, .value.clusterDim = {x, 1, 1}};
    const CUlaunchConfig c = {.gridDimX = grid,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 1,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .attrs = &a,
                              .numAttrs = 1};
    return cuLaunchKernelEx(&c, function("empty"), NULL, NULL);
}

static void forms(void)
{
    unsigned count = 0;
    size_t offset = 9;
    begin();
    CUfunction required = function("required"), args = function("args"), all[9];
    SAME(cuLaunchKernel(required, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), 0);
    SAME(cuLaunchKernel(required, 1, 1, 1, 16, 2, 1, 0, NULL, NULL, NULL), 1);
    SAME(in_cluster(1, 1, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION), 0);
    SAME(in_cluster(1, 0, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION), 912);
    SAME(in_cluster(1, 3, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION), 912);
    SAME(in_cluster(17, 17, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION), 912);
    SAME(in_cluster(17, 17, 99), 1);
    for (unsigned id = 0; id <= 14; id++)
        SAME(in_cluster(17, 17, id), id == 4 ? 912 : id == 7 || (id >= 11 && id <= 13) ? 801 : 0);
    SAME(cuFuncGetParamInfo(args, 2, &offset, &size), 0);
    SAME(offset, 16);
    SAME(size, 8);
    SAME(cuFuncGetParamInfo(args, 9, &offset, &size), 1);
    SAME(cuModuleGetFunctionCount(&count, module), 0);
    SAME(count, 6);
    SAME(cuModuleGetFunctionCount(NULL, module), 1);
    SAME(cuModuleEnumerateFunctions(all, 9, module), 0);
    for (unsigned i = 0; i < count; i++) {
        const char *name = "";
        SAME(cuFuncGetName(&name, all[i]), 0);
        SAME(strcmp(name,
                    (const char *[]){"empty", "args", "required", "kilobyte", "last", "stray"}[i]),
             0);
    }
    SAME(cuModuleLoadData(&module, "garbage that is not a module at all"), 200);
}

static void devices(void)
{
    const char *words = "";
    SAME(cuDeviceGetAttribute(&number, 0, device), 1);
    SAME(cuDeviceGetAttribute(&number, 147, device), 0);
    SAME(cuDeviceGetAttribute(&number, 148, device), 1);
    SAME(cuDeviceGetAttribute(&number, 1000, device), 1);
    SAME(attribute(CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED), 1);
    SAME(attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH), 131072);
    SAME(attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH), 16384);
    SAME(cuGetErrorName(CUDA_ERROR_INVALID_CLUSTER_SIZE, &words), 0);
    SAME(strcmp(words, "CUDA_ERROR_INVALID_CLUSTER_SIZE"), 0);
    SAME(cuGetErrorString(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, &words), 0);
    SAME(strcmp(words, "operation not permitted when stream is capturing"), 0);
    number = 0;
    for (int i = 0; i < 1000; i++)
        number += cuGetErrorName((CUresult)i, &words) == 0;
    SAME(number, 101);
}

static void streams(void)
{
    CUstream stream, second;
    CUevent event;
    int least = 9, greatest = 9;
    begin();
    SAME(cuCtxGetStreamPriorityRange(&least, &greatest), 0);
    SAME(least, 0);
    SAME(greatest, -5);
    SAME(cuStreamCreate(&stream, 1), 0);
    for (int asked = -100; asked <= 100; asked += 97) { /* -100, -3, 94 */
        SAME(cuStreamCreateWithPriority(&second, 0, asked), 0);
        SAME(cuStreamGetPriority(second, &number), 0);
        SAME(number, asked < -5 ? -5 : asked > 0 ? 0 : asked);
    }
    SAME(cuEventCreate(&event, 0), 0);
    SAME(cuStreamWaitEvent(stream, event, 2), 1);
    SAME(cuStreamWaitEvent(stream, event, 1), 401);
    SAME(cuStreamWaitEvent(stream, NULL, 0), 400);
    SAME(cuEventRecordWithFlags(event, stream, 7), 1);
    SAME(cuEventRecordWithFlags(event, stream, 1), 401);
    SAME(cuEventElapsedTime(NULL, event, event), 400);
}

static void captures(void)
{
    CUstream stream, second;
    CUevent event;
    CUgraph graph = NULL;
    begin();
    SAME(cuStreamCreate(&stream, 1), 0);
    SAME(cuStreamCreate(&second, 0), 0);
    SAME(cuEventCreate(&event, 0), 0);
    SAME(cuMemAlloc(&at, 64), 0);
#define CAPTURED(call, result, end)                                                                \
    SAME(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);                          \
    SAME(call, result);                                                                            \
    SAME(cuStreamEndCapture(stream, &graph), end);                                                 \
    SAME(graph != NULL, end == 0)
    CAPTURED(cuStreamSynchronize(stream), 900, 901);
    CAPTURED(cuStreamQuery(stream), 900, 901);
    CAPTURED(cuCtxSynchronize(), 900, 901);
    CAPTURED(cuStreamSynchronize(NULL), 900, 901);
    CAPTURED(cuMemcpyHtoD(at, &number, 4), 0, 0);
    CAPTURED(cuStreamEndCapture(stream, NULL), 0, 401);
    SAME(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
    SAME(cuEventRecord(event, stream), 0);
    SAME(cuEventQuery(event), 907);
    SAME(cuEventSynchronize(event), 1);
    SAME(cuStreamEndCapture(stream, &graph), 901);
    SAME(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
    SAME(cuEventRecord(event, stream), 0);
    SAME(cuStreamWaitEvent(second, event, 0), 0);
    SAME(cuStreamEndCapture(second, &graph), 903);
    SAME(cuLaunchKernel(function("empty"), 1, 1, 1, 1, 1, 1, 0, second, NULL, NULL), 901);
    SAME(cuStreamEndCapture(stream, &graph), 901);
}

static int made(size_t width, size_t height, size_t depth, unsigned flags)
{
    CUarray array;
    const CUDA_ARRAY3D_DESCRIPTOR d = {width, height, depth, CU_AD_FORMAT_FLOAT, 1, flags};
    return cuArray3DCreate(&array, &d);
}

static void arrays(void)
{
    char bytes[256] = {0};
    CUtexObject object = 0;
    CUarray array;
    const CUDA_ARRAY_DESCRIPTOR d = {131072, 0, CU_AD_FORMAT_FLOAT, 1};
    CUDA_TEXTURE_DESC t = {0};
    begin();
    SAME(made(131073, 0, 0, 0), 1);
    SAME(made(131073, 4, 0, 0), 1);
    SAME(made(8, 8, 5, CUDA_ARRAY3D_CUBEMAP), 1);
    SAME(made(8, 8, 5, 0x1000), 1);
    SAME(made(8, 8, 0, CUDA_ARRAY3D_LAYERED), 1);
    SAME(made(8, 0, 4, 0), 1);
    SAME(cuArrayCreate(&array, &d), 0);
    SAME(cuMemcpyHtoA(array, 2, bytes, 4), 0);
    SAME(cuMemcpyHtoA(NULL, 0, bytes, 4), 1);
    SAME(cuMemAlloc(&at, 4096), 0);
    SAME(cuTexObjectDestroy(0), 0);
    SAME(cuTexObjectDestroy(0x1234567), 0);
    SAME(cuSurfObjectDestroy(0), 0);
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR,
                            .res.linear = {0, CU_AD_FORMAT_FLOAT, 1, 64}};
#define TEXTURE(change, result)                                                                    \
    change;                                                                                        \
    SAME(cuTexObjectCreate(&object, &r, &t, NULL), result)
    TEXTURE(r.res.linear.devPtr = 0, 1);
    TEXTURE(r.res.linear.devPtr = at + 4, 1);
    TEXTURE(r.res.linear.devPtr = at, 0);
    SAME(cuTexObjectDestroy(object), 0);
    SAME(cuTexObjectDestroy(object), 0);
    TEXTURE(r.res.linear.numChannels = 3, 1);
    r.res.linear.numChannels = 1;
    TEXTURE(r.res.linear.sizeInBytes = (size_t)4 << 28, 0);
    TEXTURE(r.res.linear.sizeInBytes = ((size_t)4 << 28) + 4, 1);
    TEXTURE(r.res.linear.sizeInBytes = ((size_t)4 << 32) + 64, 1);
    r.res.linear.sizeInBytes = 64;
    r.res.linear.numChannels = 1;
    TEXTURE(t.filterMode = 2, 1);
    TEXTURE(t.filterMode = 1, 0);
    TEXTURE(t.addressMode[0] = 7, 1);
    t.addressMode[0] = 0;
    TEXTURE(t.flags = 0x100, 1);
    t.flags = 0;
    r = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D,
                             .res.pitch2D = {at, CU_AD_FORMAT_FLOAT, 1, 8, 8, 32}};
    TEXTURE(r.res.pitch2D.pitchInBytes = 32, 0);
    TEXTURE(r.res.pitch2D.pitchInBytes = 33, 1);
    TEXTURE(r.res.pitch2D.pitchInBytes = 16, 1);
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
    SAME(limit(CU_LIMIT_SHMEM_SIZE), 227 * 1024);
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

/* As CUDA's manual has them: 218 for PTX that is none, 222 for PTX of a later version. */
static CUresult loaded(const char *version, const char *target)
{
    char ptx[200];
    CUmodule other = NULL;
    snprintf(ptx, sizeof ptx,
             ".version %s\n.target %s\n.address_size 64\n.visible .entry k() { ret; }\n", version,
             target);
    const CUresult result = cuModuleLoadData(&other, ptx);
    if (!result)
        SAME(cuModuleUnload(other), 0);
    return result;
}

static void images(void)
{
    static const char later[] = ".version 9.9\n.target sm_50\n.address_size 64\nsomething new\n";
    CUlinkState link;
    begin();
    SAME(loaded("8.0", "sm_90"), 0);
    SAME(loaded("9.0", "sm_90a"), 0);
    SAME(loaded("3.2", "sm_20, texmode_unified"), 0);
    SAME(loaded("9.1", "sm_90"), 222);
    SAME(loaded("12.5", "sm_90"), 222);
    SAME(loaded("8.0", "sm_999"), 218);
    SAME(loaded("8.0", "sm_50a"), 218);
    SAME(loaded("8.0", "gfx900"), 218);
    SAME(loaded("8", "sm_90"), 218);
    SAME(cuModuleLoadData(&module, later), 222);
    SAME(cuLinkCreate(0, NULL, NULL, &link), 0);
    SAME(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)later, sizeof later, "later", 0, NULL, NULL),
         222);
    SAME(cuLinkDestroy(link), 0);
}

/* No pointer, no handle, nothing to do, an attribute that there is not. The results are as we
 * understand the manual. */
static void arguments(void)
{
    CUfunction f;
    CUstream stream;
    CUevent event;
    CUmodule none = NULL;
    unsigned flags;
    float passed;
    begin();
    f = function("empty");
    SAME(cuStreamCreate(&stream, 1), 0);
    SAME(cuEventCreate(&event, 2), 0); /* without times */
    SAME(cuMemAlloc(&at, 64), 0);
    SAME(cuInit(1), 1);
    SAME(cuDriverGetVersion(NULL), 1);
    SAME(cuDeviceGetCount(NULL), 1);
    SAME(cuDeviceGet(NULL, 0), 1);
    SAME(cuDeviceGet(&device, -1), 101);
    SAME(cuDeviceGet(&device, 99), 101);
    SAME(cuDeviceGet(&device, 0), 0);
    SAME(cuDeviceGetName(NULL, 10, 0), 1);
    SAME(cuDeviceTotalMem(NULL, 0), 1);
    SAME(cuDeviceTotalMem(&size, 99), 101);
    SAME(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0), 1);
    SAME(cuDeviceGetAttribute(&number, 100000, 0), 1);
    SAME(cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99), 101);
    SAME(cuDeviceComputeCapability(NULL, &number, 0), 1);
    CUdevprop properties;
    SAME(cuDeviceGetProperties(&properties, 0), 0);
    SAME(properties.maxThreadsPerBlock, 1024);
    SAME(properties.maxGridSize[2], 65535);
    SAME(properties.sharedMemPerBlock, 49152);
    SAME(properties.SIMDWidth, 32);
    SAME(properties.regsPerBlock, attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK));
    SAME(properties.textureAlign, attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
    SAME(cuDeviceGetTexture1DLinearMaxWidth(&size, CU_AD_FORMAT_FLOAT, 4, 0), 0);
    SAME(size, 1 << 28);
    SAME(cuDeviceGetTexture1DLinearMaxWidth(&size, CU_AD_FORMAT_FLOAT, 3, 0), 1);
    SAME(cuCtxGetDevice_v2(&device, (CUcontext)&flags),
         0); /* that is not a context: the first form is meant */
    SAME(cuCtxSynchronize_v2((CUcontext)&flags), 0);
    SAME(cuDevicePrimaryCtxSetFlags(0, 0x8000), 1);
    SAME(cuCtxEnablePeerAccess(context, 0), 201); /* its own */
    SAME(cuMemHostRegister((void *)4096, 4096, 0), 1);
    SAME(cuMemHostRegister(&number, SIZE_MAX, 0), 1);
    SAME(cuModuleLoadDataEx(&none, text, 1, NULL, NULL), 1);
    SAME(cuMemAllocManaged(&at, 4096, 1), 0);
    SAME(cuStreamAttachMemAsync(stream, at, 100, CU_MEM_ATTACH_SINGLE), 1);
    SAME(cuStreamAttachMemAsync(stream, at, 4096, CU_MEM_ATTACH_SINGLE), 0);
    SAME(cuDevicePrimaryCtxRetain(NULL, 0), 1);
    SAME(cuDevicePrimaryCtxRetain(&context, 99), 101);
    SAME(cuDevicePrimaryCtxRelease(99), 101);
    SAME(cuCtxCreate(NULL, 0, 0), 1);
    SAME(cuCtxCreate(&context, 0, 99), 101);
    SAME(cuCtxCreate(&context, 0x8000, 0), 1);
    SAME(cuCtxGetCurrent(NULL), 1);
    SAME(cuCtxGetDevice(NULL), 1);
    SAME(cuCtxGetFlags(NULL), 1);
    SAME(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE), 1);
    SAME(cuCtxDestroy(NULL), 1);
    SAME(cuModuleLoadData(NULL, text), 1);
    SAME(cuModuleLoadData(&none, NULL), 1);
    SAME(cuModuleLoad(&none, NULL), 1);
    SAME(cuModuleLoad(&none, "/no/such/file"), 301);
    SAME(cuModuleGetFunction(&f, module, "nobody"), 500);
    SAME(cuModuleGetFunction(NULL, module, "empty"), 1);
    SAME(cuModuleGetFunction(&f, module, NULL), 1);
    SAME(cuModuleGetGlobal(&at, &size, module, "nobody"), 500);
    SAME(cuModuleGetGlobal(&at, &size, module, NULL), 1);
    f = function("empty");
    SAME(cuFuncGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, f), 1);
    SAME(cuFuncGetAttribute(&number, 1000, f), 1);
    SAME(cuFuncSetAttribute(f, 1000, 0), 1);
    SAME(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 0), 1);
    SAME(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 400);
    SAME(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 1);
    SAME(cuLaunchKernel(f, 1, 1, 1, 0, 1, 1, 0, NULL, NULL, NULL), 1);
    SAME(cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, NULL, NULL, NULL), 1);
    SAME(cuMemAlloc(NULL, 4), 1);
    SAME(cuMemAlloc(&at, 0), 1);
    SAME(cuMemAllocPitch(&at, &size, 0, 4, 4), 1);
    SAME(cuMemAllocHost(NULL, 4), 1);
    SAME(cuMemHostAlloc(NULL, 4, 0), 1);
    SAME(cuMemAllocManaged(&at, 4, 0), 1);
    SAME(cuMemAllocManaged(&at, 0, 1), 1);
    SAME(cuMemcpyHtoD(16, &number, 4), 1);
    SAME(cuMemcpyDtoH(&number, 16, 4), 1);
    SAME(cuMemcpyDtoD(16, 32, 4), 1);
    SAME(cuMemsetD8(16, 0, 4), 1);
    SAME(cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_CONTEXT, at), 1);
    SAME(cuPointerGetAttribute(&context, 1000, at), 1);
    SAME(cuStreamCreate(NULL, 0), 1);
    SAME(cuStreamCreate(&stream, 100), 1);
    SAME(cuStreamDestroy(NULL), 400);
    SAME(cuStreamGetFlags(stream, NULL), 1);
    SAME(cuStreamGetFlags(stream, &flags), 0);
    SAME(cuStreamGetPriority(stream, NULL), 1);
    SAME(cuStreamWaitEvent(stream, NULL, 0), 400);
    SAME(cuStreamWaitEvent(stream, event, 100), 1);
    SAME(cuEventCreate(NULL, 0), 1);
    SAME(cuEventCreate(&event, 0x100), 1);
    SAME(cuEventRecord(NULL, NULL), 400);
    SAME(cuEventQuery(NULL), 400);
    SAME(cuEventSynchronize(NULL), 400);
    SAME(cuEventDestroy(NULL), 400);
    SAME(cuEventElapsedTime(&passed, event, event), 400); /* they have no times */
    SAME(cuEventElapsedTime(&passed, NULL, NULL), 400);
    SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, f, 32, 0), 1);
    SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, f, 0, 0), 1);
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
    } parts[] = {{"no-context", no_context},   {"memory", memory},
                 {"launches", launches},       {"shared", shared},
                 {"most-shared", most_shared}, {"forms", forms},
                 {"devices", devices},         {"streams", streams},
                 {"captures", captures},       {"arrays", arrays},
                 {"limits", limits},           {"images", images},
                 {"arguments", arguments},     {"fault", fault}};
    SAME(cuInit(0), 0);
    SAME(cuDeviceGet(&device, 0), 0);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    printf("%s %s\n", argc > 1 ? argv[1] : "nothing", differences ? "wrong" : "right");
    return differences != 0;
}
