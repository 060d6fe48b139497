/*
 * A program on the CUDA driver API beyond copies and launches: `cuda_api PART` checks one part
 * against what the documentation says; it prints each difference, and "PART right" without one.
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
#define CHECK(call) SAME(call, CUDA_SUCCESS)

static const char text[] =
    ".version 8.0\n.target sm_50\n.address_size 64\n"
    ".visible .global .align 4 .u32 bias = 5;\n"
    ".visible .entry add(.param .u64 out)\n{\n"
    "  .reg .b64 %a; .reg .b32 %v, %b;\n  ld.param.u64 %a, [out];\n"
    "  ld.global.u32 %b, [bias]; atom.global.add.u32 %v, [%a], %b;\n  ret;\n}\n"
    ".visible .entry wide()\n.maxntid 128, 1, 1\n{\n  .shared .align 4 .b8 mine[12000];\n  "
    "ret;\n}\n"
    ".visible .func (.reg .b32 %r) depth(.reg .b32 %n)\n{\n"
    "  .local .b8 mine[256]; .reg .b32 %m; .reg .pred %q;\n"
    "  st.local.u32 [mine], %n; setp.eq.u32 %q, %n, 0; mov.u32 %r, 0;\n  @%q ret;\n"
    "  sub.u32 %m, %n, 1; call (%m), depth, (%m); ld.local.u32 %r, [mine]; add.u32 %r, %m, 1;\n"
    "  ret;\n}\n"
    ".visible .entry recurse(.param .u64 out, .param .u32 n)\n{\n"
    "  .reg .b64 %a; .reg .b32 %v;\n  ld.param.u64 %a, [out]; ld.param.u32 %v, [n];\n"
    "  call (%v), depth, (%v); st.global.u32 [%a], %v;\n  ret;\n}\n"
    /* All blocks meet twice: a counter, and memory that they have in common. */
    ".visible .entry meet(.param .u64 out, .param .u32 blocks)\n{\n"
    "  .reg .b64 %a, %w, %o; .reg .b32 %h, %l, %n, %v; .reg .pred %q;\n"
    "  mov.u32 %h, %envreg1; mov.u32 %l, %envreg2; mov.b64 %w, {%l, %h};\n"
    "  ld.param.u64 %a, [out]; ld.param.u32 %n, [blocks];\n"
    "  setp.eq.u64 %q, %w, 0;\n  @%q trap;\n"
    "  atom.global.add.u32 %v, [%w], 1;\n"
    "AGAIN:\n  ld.volatile.global.u32 %v, [%w]; setp.lt.u32 %q, %v, %n;\n  @%q bra AGAIN;\n"
    "  mov.u32 %l, %ctaid.x; mul.wide.u32 %o, %l, 4; add.u64 %a, %a, %o;\n"
    "  st.global.u32 [%a], %v;\n  ret;\n}\n";

static CUmodule module;
static CUdevice device;

static CUfunction function(const char *name)
{
    CUfunction f = NULL;
    CHECK(cuModuleGetFunction(&f, module, name));
    return f;
}

static unsigned word(CUdeviceptr at)
{
    unsigned value = 0;
    CHECK(cuMemcpyDtoH(&value, at, sizeof value));
    return value;
}

/* ---- functions by name ---- */

static void lookup(void)
{
    CUresult (*allocate)(CUdeviceptr *, size_t) = NULL;
    CUresult (*get)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *) =
        NULL;
    void *found = NULL;
    CUdriverProcAddressQueryResult status = 9;
    CUmoduleLoadingMode mode = 0;
    CUdeviceptr at;
    CHECK(cuGetProcAddress("cuMemAlloc", (void **)&allocate, 11030, 0));
    CHECK(allocate(&at, 64));
    CHECK(cuMemFree(at));
    SAME((void *)allocate == (void *)cuMemAlloc_v2, 1);
    SAME(cuGetProcAddress("cuNone", &found, 11030, 0), CUDA_ERROR_NOT_FOUND);
    SAME(cuGetProcAddress("printf", &found, 11030, 0), CUDA_ERROR_NOT_FOUND);
    SAME(cuGetProcAddress(NULL, &found, 11030, 0), CUDA_ERROR_INVALID_VALUE);
    SAME(cuGetProcAddress("cuInit", &found, 11030, 8), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGetProcAddress("cuGetProcAddress", (void **)&get, 12000, 0));
    SAME((void *)get == (void *)cuGetProcAddress_v2, 1);
    CHECK(cuGetProcAddress("cuGetProcAddress", &found, 11030, 0));
    SAME(found == (void *)cuGetProcAddress, 1);
    CHECK(get("cuLaunchKernel", &found, 12000, 2, &status));
    SAME(found == (void *)cuLaunchKernel && status == CU_GET_PROC_ADDRESS_SUCCESS, 1);
    CHECK(get("cuNone", &found, 12000, 0, &status));
    SAME(found == NULL && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, 1);
    CHECK(cuModuleGetLoadingMode(&mode));
    SAME(mode, CU_MODULE_EAGER_LOADING);
    CHECK(cuProfilerStart());
    CHECK(cuProfilerStop());
}

/* ---- functions of the device ---- */

static size_t half_a_kilobyte(int block)
{
    return block > 64 ? 60000 : 512;
}

static int attribute(CUfunction f, CUfunction_attribute which)
{
    int value = -77;
    CHECK(cuFuncGetAttribute(&value, which, f));
    return value;
}

static void functions(void)
{
    const CUfunction wide = function("wide"), add = function("add");
    int blocks = 0, grid = 0, block = 0;
    size_t bytes = 0;
    const char *name = NULL;
    CUmodule of = NULL;
    SAME(attribute(wide, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 128);
    SAME(attribute(wide, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 12000);
    SAME(attribute(wide, CU_FUNC_ATTRIBUTE_PTX_VERSION), 50);
    SAME(attribute(wide, CU_FUNC_ATTRIBUTE_BINARY_VERSION), 50);
    SAME(attribute(wide, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 49152 - 12000);
    CHECK(cuFuncSetAttribute(wide, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1000));
    SAME(attribute(wide, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 1000);
    SAME(cuFuncSetAttribute(wide, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 40000),
         CUDA_ERROR_INVALID_VALUE);
    CHECK(cuFuncSetAttribute(wide, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    SAME(attribute(wide, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT), 50);
    SAME(cuFuncSetAttribute(wide, CU_FUNC_ATTRIBUTE_NUM_REGS, 5), CUDA_ERROR_INVALID_VALUE);
    SAME(cuFuncSetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, 5), CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuFuncSetCacheConfig(wide, CU_FUNC_CACHE_PREFER_SHARED));
    SAME(cuFuncSetCacheConfig(wide, 9), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuFuncSetSharedMemConfig(wide, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
    CHECK(cuFuncGetModule(&of, wide));
    CHECK(cuFuncGetName(&name, wide));
    SAME(of == module && strcmp(name, "wide") == 0, 1);
    /* Occupancy: 64 warps, 32 blocks, 65536 bytes of shared memory. */
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0));
    SAME(blocks, 16);
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 32, 0));
    SAME(blocks, 32);
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, wide, 128, 0));
    SAME(blocks, 5);
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, wide, 128, 16000, 1));
    SAME(blocks, 0); /* the function has asked for 1000 at most */
    CHECK(cuFuncSetAttribute(wide, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 16000));
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, wide, 128, 16000, 1));
    SAME(blocks, 2);
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, wide, 256, 0));
    SAME(blocks, 0);
    SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, wide, 0, 0),
         CUDA_ERROR_INVALID_VALUE);
    CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, NULL, 0, 0));
    SAME(grid * 10000 + block, 21024);
    CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, half_a_kilobyte, 0, 0));
    SAME(grid * 10000 + block, 320064);
    CHECK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, add, NULL, 0, 100, 0));
    SAME(grid * 10000 + block, 160100);
    CHECK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 4, 64));
    SAME(bytes, 16384);
    SAME(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 40, 64), CUDA_ERROR_INVALID_VALUE);
    SAME(cuLaunchKernel(wide, 1, 1, 1, 256, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    SAME(cuLaunchKernel(wide, 1, 70000, 1, 32, 1, 1, 0, NULL, NULL, NULL),
         CUDA_ERROR_INVALID_VALUE);
    CHECK(cuLaunchKernel(wide, 1, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL));
}

/* ---- streams, events ---- */

static int calls;

static void count(void *data)
{
    calls += *(int *)data;
}

static void streams(void)
{
    CUstream stream = NULL, other = NULL;
    CUcontext own = NULL, of = NULL;
    CUevent event = NULL, timed = NULL;
    CUdeviceptr at = 0;
    CUstreamCaptureStatus status = 9;
    unsigned flags = 9;
    int least = 9, greatest = 9, priority = 9, seven = 7;
    unsigned long long id = 0, other_id = 0;
    float time;
    CHECK(cuCtxGetStreamPriorityRange(&least, &greatest));
    SAME(least == 0 && greatest == -5, 1);
    CHECK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -3));
    CHECK(cuStreamCreate(&other, 0));
    SAME(cuStreamCreate(&other, 8), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamGetPriority(stream, &priority));
    CHECK(cuStreamGetFlags(stream, &flags));
    SAME(priority == -3 && flags == CU_STREAM_NON_BLOCKING, 1);
    CHECK(cuCtxGetCurrent(&own));
    CHECK(cuStreamGetCtx(stream, &of));
    SAME(own == of, 1);
    CHECK(cuStreamGetId(stream, &id));
    CHECK(cuStreamGetId(other, &other_id));
    SAME(id != other_id && id && other_id, 1);
    CHECK(cuStreamIsCapturing(stream, &status));
    SAME(status, CU_STREAM_CAPTURE_STATUS_NONE);
    CHECK(cuLaunchHostFunc(stream, count, &seven));
    CHECK(cuLaunchHostFunc(CU_STREAM_PER_THREAD, count, &seven));
    SAME(cuLaunchHostFunc(stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    SAME(calls, 14);
    CHECK(cuStreamDestroy(other));
    SAME(cuStreamDestroy(other), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuStreamSynchronize(other), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuStreamDestroy(CU_STREAM_LEGACY), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuLaunchHostFunc(other, count, &seven), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuLaunchKernel(function("wide"), 1, 1, 1, 1, 1, 1, 0, other, NULL, NULL),
         CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    CHECK(cuEventCreate(&timed, CU_EVENT_DEFAULT));
    SAME(cuEventCreate(&event, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
    SAME(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL), CUDA_ERROR_ILLEGAL_STATE);
    CHECK(cuEventRecordWithFlags(timed, CU_STREAM_LEGACY, 0));
    SAME(cuEventRecordWithFlags(event, stream, 5), CUDA_ERROR_INVALID_VALUE);
    SAME(cuEventElapsedTime(&time, event, timed), CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuEventElapsedTime(&time, timed, timed));
    CHECK(cuEventDestroy(event));
    SAME(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
    /* values in memory */
    CHECK(cuMemAlloc(&at, 16));
    CHECK(cuStreamWriteValue32(stream, at, 0x80000001, CU_STREAM_WRITE_VALUE_DEFAULT));
    SAME(word(at), 0x80000001);
    CHECK(cuStreamWriteValue64(stream, at + 8, 0x500000000, 0));
    CHECK(cuStreamWaitValue32(stream, at, 0x80000001, CU_STREAM_WAIT_VALUE_EQ));
    CHECK(cuStreamWaitValue32(stream, at, 0x7fffffff, CU_STREAM_WAIT_VALUE_GEQ));
    CHECK(cuStreamWaitValue64(stream, at + 8, 0x100000000, CU_STREAM_WAIT_VALUE_AND));
    CHECK(cuStreamWaitValue32(stream, at, 0, CU_STREAM_WAIT_VALUE_NOR));
    SAME(cuStreamWaitValue32(stream, at, 2, CU_STREAM_WAIT_VALUE_EQ), CUDA_ERROR_NOT_SUPPORTED);
    SAME(cuStreamWriteValue32(stream, at + 2, 2, 0), CUDA_ERROR_INVALID_VALUE);
    SAME(cuStreamWriteValue32(stream, at + (1 << 20), 2, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemFree(at));
    CHECK(cuMemAllocManaged(&at, 16, CU_MEM_ATTACH_GLOBAL));
    CHECK(cuStreamAttachMemAsync(stream, at, 0, CU_MEM_ATTACH_SINGLE));
    SAME(cuStreamAttachMemAsync(stream, at, 0, 3), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemFree(at));
}

/* ---- memory ---- */

static cuuint64_t pool_attribute(CUmemoryPool pool, CUmemPool_attribute which)
{
    cuuint64_t value = 0;
    CHECK(cuMemPoolGetAttribute(pool, which, &value));
    return value;
}

static void pools(void)
{
    CUmemoryPool usual = NULL, own = NULL, now = NULL;
    CUmemPoolProps what = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                           .location = {CU_MEM_LOCATION_TYPE_DEVICE, device}};
    CUdeviceptr a = 0, b = 0, c = 0;
    cuuint64_t value = 1 << 20;
    int flag = 0;
    CHECK(cuDeviceGetDefaultMemPool(&usual, device));
    CHECK(cuMemAllocAsync(&a, 1000, NULL));
    SAME(pool_attribute(usual, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 1000);
    CHECK(cuMemPoolCreate(&own, &what));
    CHECK(cuMemAllocFromPoolAsync(&b, 300, own, NULL));
    CHECK(cuDeviceSetMemPool(device, own));
    CHECK(cuDeviceGetMemPool(&now, device));
    SAME(now == own && now != usual, 1);
    CHECK(cuMemAllocAsync(&c, 200, NULL));
    SAME(pool_attribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 500);
    CHECK(cuMemsetD8(c, 7, 200));
    SAME(word(c + 196), 0x07070707);
    CHECK(cuMemFree(b));
    SAME(pool_attribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 200);
    SAME(pool_attribute(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 500);
    value = 0;
    CHECK(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
    SAME(pool_attribute(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 200);
    value = 4096;
    CHECK(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    SAME(pool_attribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 4096);
    CHECK(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &flag));
    SAME(flag, 1);
    flag = 0;
    CHECK(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &flag));
    flag = 9;
    CHECK(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &flag));
    SAME(flag, 0);
    CHECK(cuMemPoolTrimTo(own, 0));
    CHECK(cuMemPoolDestroy(own)); /* its memory stays */
    SAME(word(c), 0x07070707);
    SAME(cuMemAllocFromPoolAsync(&b, 300, own, NULL), CUDA_ERROR_INVALID_VALUE);
    SAME(cuMemPoolDestroy(usual), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuDeviceGetMemPool(&now, device));
    SAME(now == usual, 1);
    CHECK(cuMemFreeAsync(c, NULL));
    CHECK(cuMemFreeAsync(a, NULL));
    SAME(cuMemFreeAsync(a, NULL), CUDA_ERROR_INVALID_VALUE);
    SAME(pool_attribute(usual, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
    what.location.id = 5;
    SAME(cuMemPoolCreate(&own, &what), CUDA_ERROR_INVALID_VALUE);
}

static unsigned long long about(CUdeviceptr at, CUpointer_attribute which)
{
    unsigned long long value = 0;
    CHECK(cuPointerGetAttribute(&value, which, at));
    return value;
}

static void pointers(void)
{
    CUdeviceptr at = 0, managed = 0;
    void *host = NULL;
    unsigned type = 9, flags = 0, one = 1, is_managed = 9;
    int ordinal = 9;
    CUcontext own;
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *data[] = {&type, &is_managed, &ordinal};
    CHECK(cuCtxGetCurrent(&own));
    CHECK(cuMemAlloc(&at, 3000));
    CHECK(cuMemAllocManaged(&managed, 3000, CU_MEM_ATTACH_GLOBAL));
    CHECK(cuMemHostAlloc(&host, 100, CU_MEMHOSTALLOC_PORTABLE));
    CHECK(cuMemHostGetFlags(&flags, host));
    SAME(flags, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    SAME(cuMemHostGetFlags(&flags, &type), CUDA_ERROR_INVALID_VALUE);
    SAME(cuMemHostUnregister(&type), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    SAME(about(at + 5, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR), at);
    SAME(about(at + 5, CU_POINTER_ATTRIBUTE_RANGE_SIZE), 3000);
    SAME(about(at, CU_POINTER_ATTRIBUTE_CONTEXT), (size_t)own);
    SAME(about(at, CU_POINTER_ATTRIBUTE_MAPPED), 1);
    SAME(about(at, CU_POINTER_ATTRIBUTE_BUFFER_ID) !=
             about(managed, CU_POINTER_ATTRIBUTE_BUFFER_ID),
         1);
    SAME(about((size_t)host + 9, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR), (size_t)host);
    SAME(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (size_t)&type),
         CUDA_ERROR_INVALID_VALUE);
    CHECK(cuPointerGetAttributes(3, which, data, managed + 8));
    SAME(type == CU_MEMORYTYPE_DEVICE && is_managed == 1 && ordinal == 0, 1);
    CHECK(cuPointerGetAttributes(3, which, data, (size_t)host));
    SAME(type == CU_MEMORYTYPE_HOST && is_managed == 0 && ordinal == 0, 1);
    CHECK(cuPointerGetAttributes(3, which, data, (size_t)&type)); /* of no driver */
    SAME(type == 0 && is_managed == 0 && ordinal == -2, 1);
    CHECK(cuPointerSetAttribute(&one, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at));
    SAME(cuPointerSetAttribute(&one, CU_POINTER_ATTRIBUTE_CONTEXT, at), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemPrefetchAsync(managed, 3000, device, NULL));
    CHECK(cuMemPrefetchAsync(managed, 3000, CU_DEVICE_CPU, NULL));
    SAME(cuMemPrefetchAsync(managed, 3000, 7, NULL), CUDA_ERROR_INVALID_DEVICE);
    SAME(cuMemPrefetchAsync(managed, 3001, device, NULL), CUDA_ERROR_INVALID_VALUE);
    SAME(cuMemPrefetchAsync(at, 3000, device, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAdvise(managed, 100, CU_MEM_ADVISE_SET_READ_MOSTLY, 99));
    CHECK(cuMemAdvise(managed, 100, CU_MEM_ADVISE_SET_ACCESSED_BY, CU_DEVICE_CPU));
    SAME(cuMemAdvise(managed, 100, CU_MEM_ADVISE_SET_ACCESSED_BY, 99), CUDA_ERROR_INVALID_DEVICE);
    SAME(cuMemAdvise(managed, 100, 17, device), CUDA_ERROR_INVALID_VALUE);
    SAME(cuMemAdvise(at, 100, CU_MEM_ADVISE_SET_READ_MOSTLY, device), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemFreeHost(host));
    CHECK(cuMemFree(managed));
    CHECK(cuMemFree(at));
}

static void fills(void)
{
    CUdeviceptr at = 0;
    size_t pitch = 0;
    CUarray line = NULL, second = NULL, flat = NULL;
    const CUDA_ARRAY_DESCRIPTOR what = {16, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1},
                                two = {16, 2, CU_AD_FORMAT_UNSIGNED_INT32, 1};
    unsigned in[16], out[16] = {0};
    for (unsigned i = 0; i < 16; i++)
        in[i] = 100 + i;
    CHECK(cuMemAllocPitch(&at, &pitch, 20, 4, 4));
    CHECK(cuMemsetD2D8(at, pitch, 1, 20, 4));
    CHECK(cuMemsetD2D16(at, pitch, 0x202, 4, 3));
    CHECK(cuMemsetD2D32Async(at + 4, pitch, 0x3030303, 1, 2, NULL));
    SAME(word(at + 16), 0x01010101);
    SAME(word(at + 2 * pitch + 4), 0x02020202);
    SAME(word(at + pitch + 4), 0x03030303);
    SAME(word(at + 3 * pitch), 0x01010101);
    SAME(word(at + 20), 0); /* behind a row */
    SAME(cuMemsetD2D32(at + 2, pitch, 1, 1, 2), CUDA_ERROR_INVALID_VALUE);
    SAME(cuMemsetD2D8(at, 10, 1, 20, 4), CUDA_ERROR_INVALID_VALUE);
    SAME(cuMemsetD2D8(at, pitch, 1, pitch, 5), CUDA_ERROR_INVALID_VALUE);
    /* to arrays, from them */
    CHECK(cuArrayCreate(&line, &what));
    CHECK(cuArrayCreate(&second, &what));
    CHECK(cuArrayCreate(&flat, &two));
    CHECK(cuMemcpyHtoA(line, 0, in, sizeof in));
    CHECK(cuMemcpyHtoAAsync(line, 8, in, 4, NULL));
    CHECK(cuMemcpyAtoD(at, line, 4, 12));
    SAME(word(at + 4), 100);
    SAME(word(at + 8), 103);
    CHECK(cuMemcpyDtoA(second, 60, at, 4));
    CHECK(cuMemcpyAtoA(second, 0, line, 4, 8));
    CHECK(cuMemcpyAtoHAsync(out, second, 0, sizeof out, NULL));
    SAME(out[0] == 101 && out[1] == 100 && out[15] == 101, 1);
    CHECK(cuMemcpyAtoH(out, line, 60, 4));
    SAME(out[0], 115);
    SAME(cuMemcpyAtoH(out, line, 62, 4), CUDA_ERROR_INVALID_VALUE);
    SAME(cuMemcpyAtoH(out, flat, 0, 4), CUDA_ERROR_INVALID_VALUE);
    CUDA_MEMCPY3D_PEER peer = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                               .srcHost = in,
                               .srcPitch = 32,
                               .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                               .dstArray = flat,
                               .WidthInBytes = 32,
                               .Height = 2,
                               .Depth = 1};
    CHECK(cuMemcpy3DPeer(&peer));
    peer.srcMemoryType = CU_MEMORYTYPE_ARRAY, peer.srcArray = flat;
    peer.dstMemoryType = CU_MEMORYTYPE_DEVICE, peer.dstDevice = at, peer.dstPitch = pitch;
    CHECK(cuMemcpy3DPeerAsync(&peer, NULL));
    SAME(word(at + pitch + 28), 115);
    SAME(cuMemcpy3DPeer(NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuArrayDestroy(line));
    CHECK(cuArrayDestroy(second));
    CHECK(cuArrayDestroy(flat));
    CHECK(cuMemFree(at));
}

/* ---- contexts, devices ---- */

static int device_attribute(CUdevice_attribute which)
{
    int value = -77;
    CHECK(cuDeviceGetAttribute(&value, which, device));
    return value;
}

static void settings(void)
{
    size_t value = 0;
    CUfunc_cache cache = 9;
    CUsharedconfig banks = 9;
    unsigned version = 0;
    unsigned long long id = 0;
    CUcontext own = NULL;
    CUdevice found = 9;
    char bus[32] = "";
    int p2p = 9;
    CUdeviceptr at = 0;
    unsigned depth = 300;
    void *parameters[] = {&at, &depth};
    CHECK(cuCtxGetCurrent(&own));
    CHECK(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    SAME(value, 256 << 20);
    CHECK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 300 << 20));
    CHECK(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    SAME(value, 300 << 20);
    SAME(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, (size_t)1 << 50), CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 5000));
    CHECK(cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE));
    SAME(value, 524288);
    SAME(cuCtxSetLimit(77, 1), CUDA_ERROR_INVALID_VALUE);
    SAME(cuCtxGetLimit(&value, 77), CUDA_ERROR_INVALID_VALUE);
    SAME(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE), CUDA_ERROR_INVALID_VALUE);
    /* 300 calls of 272 bytes need more than the usual stack: `main` runs that one. */
    CHECK(cuMemAlloc(&at, 4));
    CHECK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 100000));
    CHECK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    SAME(value >= 100000, 1);
    CHECK(cuLaunchKernel(function("recurse"), 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    SAME(word(at), 300);
    CHECK(cuMemFree(at));
    SAME(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1 << 20), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    CHECK(cuCtxGetCacheConfig(&cache));
    SAME(cache, CU_FUNC_CACHE_PREFER_L1);
    CHECK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
    CHECK(cuCtxGetSharedMemConfig(&banks));
    SAME(banks, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    SAME(cuCtxSetCacheConfig(17), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuCtxGetApiVersion(own, &version));
    CHECK(cuCtxGetId(NULL, &id));
    SAME(version && id, 1);
    SAME(cuCtxGetApiVersion((CUcontext)&id, &version), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuCtxDisablePeerAccess(own), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    CHECK(cuDeviceGetPCIBusId(bus, sizeof bus, device));
    CHECK(cuDeviceGetByPCIBusId(&found, bus));
    SAME(found, device);
    CHECK(cuDeviceGetByPCIBusId(&found, "00:00"));
    SAME(cuDeviceGetByPCIBusId(&found, "0000:00:09.0"), CUDA_ERROR_INVALID_DEVICE);
    SAME(cuDeviceGetByPCIBusId(&found, "here"), CUDA_ERROR_INVALID_VALUE);
    SAME(cuDeviceGetP2PAttribute(&p2p, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, device, device),
         CUDA_ERROR_INVALID_DEVICE);
    SAME(device_attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH), 1);
    SAME(device_attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR), 32);
    SAME(device_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR), 65536);
    SAME(device_attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED), 1);
}

/* ---- libraries ---- */

static void libraries(void)
{
    CUlibrary library = NULL;
    CUkernel kernel = NULL, again = NULL;
    CUfunction f = NULL;
    CUmodule of = NULL;
    CUdeviceptr out = 0, bias = 0;
    size_t bytes = 0;
    const char *name = NULL;
    void *parameters[] = {&out};
    char *copy = strdup(text);
    CHECK(cuLibraryLoadData(&library, copy, NULL, NULL, 0, NULL, NULL, 0));
    memset(copy, 'x', strlen(copy));
    free(copy);
    CHECK(cuLibraryGetKernel(&kernel, library, "add"));
    CHECK(cuLibraryGetKernel(&again, library, "add"));
    SAME(kernel == again, 1);
    SAME(cuLibraryGetKernel(&again, library, "none"), CUDA_ERROR_NOT_FOUND);
    CHECK(cuKernelGetFunction(&f, kernel));
    CHECK(cuKernelGetName(&name, kernel));
    SAME(strcmp(name, "add"), 0);
    CHECK(cuLibraryGetModule(&of, library));
    SAME(of != module, 1);
    CHECK(cuLibraryGetGlobal(&bias, &bytes, library, "bias"));
    SAME(bytes, 4);
    CHECK(cuMemsetD32(bias, 11, 1));
    CHECK(cuMemAlloc(&out, 4));
    CHECK(cuMemsetD32(out, 0, 1));
    CHECK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 2, 1, 1, 0, NULL, parameters, NULL));
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    SAME(word(out), 33);
    CUlaunchConfig config = {1, 1, 1, 3, 1, 1, 0, NULL, NULL, 0};
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    CHECK(cuLaunchKernelEx(&config, (CUfunction)kernel, parameters, NULL));
    SAME(word(out), 66);
    config.attrs = &attribute, config.numAttrs = 1, config.gridDimX = 33;
    SAME(cuLaunchKernelEx(&config, f, parameters, NULL), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = 2, config.gridDimX = 32;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    SAME(cuLaunchKernelEx(&config, f, parameters, NULL), CUDA_ERROR_NOT_SUPPORTED);
    CHECK(cuLibraryUnload(library));
    SAME(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuLibraryGetKernel(&again, library, "add"), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuLibraryLoadFromFile(&library, "/nowhere", NULL, NULL, 0, NULL, NULL, 0),
         CUDA_ERROR_FILE_NOT_FOUND);
    SAME(cuLibraryLoadData(&library, "rubbish", NULL, NULL, 0, NULL, NULL, 0),
         CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuMemFree(out));
}

/* ---- blocks that wait for each other ---- */

static void cooperative(void)
{
    enum { BLOCKS = 16 };
    CUdeviceptr out = 0;
    unsigned blocks = BLOCKS;
    void *parameters[] = {&out, &blocks};
    CHECK(cuMemAlloc(&out, 4 * BLOCKS));
    for (unsigned round = 0; round < 2; round++) { /* the second one begins with zeros, too */
        CHECK(cuMemsetD32(out, 0, BLOCKS));
        CHECK(cuLaunchCooperativeKernel(function("meet"), BLOCKS, 1, 1, 1, 1, 1, 0, NULL,
                                        parameters));
        SAME(word(out), BLOCKS);
        SAME(word(out + 4 * (BLOCKS - 1)), BLOCKS);
    }
    SAME(cuLaunchCooperativeKernel(function("meet"), 33, 1, 1, 1, 1, 1, 0, NULL, parameters),
         CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    SAME(cuLaunchCooperativeKernel(function("meet"), 3, 1, 1, 1024, 1, 1, 0, NULL, parameters),
         CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    CHECK(cuCtxSynchronize());
}

/* ---- a context and what is its own ---- */

static size_t free_bytes(void)
{
    size_t have = 0, whole;
    CHECK(cuMemGetInfo(&have, &whole));
    return have;
}

/* All that is made in a context goes with it: memory, arrays, registered memory of the host,
 * modules, streams, events, texture objects. Their handles are none then. */
static void contexts(void)
{
    static const CUDA_ARRAY_DESCRIPTOR flat = {
        .Width = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    static char mine[8192];
    CUcontext other, outer;
    CUdeviceptr at, kept;
    CUarray array;
    CUmodule own;
    CUfunction f;
    CUstream stream;
    CUevent event;
    CUtexObject texture;
    CUDA_ARRAY_DESCRIPTOR got;
    void *host;
    int value;
    CHECK(cuMemAlloc(&kept, 4096));
    const size_t before = free_bytes();
    for (int i = 0; i < 200; i++) { /* 6.4 GB, of 4 */
        CHECK(cuCtxCreate(&other, 0, device));
        CHECK(cuMemAlloc(&at, 32 << 20));
        CHECK(cuArrayCreate(&array, &flat));
        CHECK(cuModuleLoadData(&own, text));
        CHECK(cuModuleGetFunction(&f, own, "add"));
        CHECK(cuStreamCreate(&stream, 0));
        CHECK(cuEventCreate(&event, 0));
        CHECK(cuMemHostRegister(mine, sizeof mine, 0));
        CHECK(cuMemAllocHost(&host, 1 << 20));
        for (int n = 0; n < 5; n++) {
            const CUDA_RESOURCE_DESC what = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                             .res.array.hArray = array};
            CHECK(cuTexObjectCreate(&texture, &what, &(CUDA_TEXTURE_DESC){0}, NULL));
        }
        CHECK(cuCtxDestroy(other));
        if (differences)
            return;
    }
    SAME(free_bytes(), before);
    SAME(cuMemFree(at), CUDA_ERROR_INVALID_VALUE);
    SAME(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuArrayGetDescriptor(&got, array), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuModuleUnload(own), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, f), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuMemHostUnregister(mine), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    SAME(cuTexObjectDestroy(texture), CUDA_SUCCESS);
    /* The other context's own are as they were. */
    CHECK(cuMemFree(kept));
    CHECK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function("add")));
    CHECK(cuCtxGetCurrent(&outer));
    CHECK(cuDevicePrimaryCtxRetain(&other, device));
    CHECK(cuCtxPushCurrent(other));
    CHECK(cuMemAlloc(&at, 4096));
    CHECK(cuCtxPopCurrent(NULL));
    CHECK(cuDevicePrimaryCtxRelease(device));
    SAME(cuMemFree(at), CUDA_ERROR_INVALID_VALUE);
}

/* Without a current context: calls that name an object take the object's, others are 201. */
static void objects(void)
{
    CUcontext context, whose = NULL;
    CUdeviceptr at, bias, managed;
    CUstream stream, other_stream;
    CUevent begin, end, other_event;
    CUmodule own, same_module;
    CUfunction f = NULL;
    unsigned host = 7, type = 0, flags;
    int value;
    size_t size;
    float milliseconds;
    void *pinned;
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&begin, 0));
    CHECK(cuEventCreate(&end, 0));
    CHECK(cuMemAlloc(&at, 64));
    CHECK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    CHECK(cuMemHostAlloc(&pinned, 64, 0));
    CHECK(cuModuleLoadData(&own, text));
    CHECK(cuCtxPopCurrent(&context));
    SAME(cuMemAlloc(&bias, 64), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuStreamSynchronize(NULL), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuMemcpyHtoD(at, &host, sizeof host), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuMemcpyDtoH(&host, at, sizeof host), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuMemcpyDtoD(at + 8, at, 8), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuMemsetD32(at, 3, 16), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuModuleLoadData(&same_module, text), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuStreamCreate(&other_stream, 0), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuEventCreate(&other_event, 0), CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuModuleGetFunction(&f, own, "add"));
    CHECK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    CHECK(cuFuncGetModule(&same_module, f));
    CHECK(cuModuleGetGlobal(&bias, &size, own, "bias"));
    CHECK(cuMemsetD32Async(at, 3, 16, stream));
    CHECK(cuEventRecord(begin, stream));
    CHECK(cuLaunchKernel(f, 2, 1, 1, 1, 1, 1, 0, stream, (void *[]){&at}, NULL));
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&at}, NULL));
    CHECK(cuMemcpyDtoHAsync(&host, at, sizeof host, stream));
    SAME(host, 18);
    CHECK(cuEventRecord(end, stream));
    CHECK(cuStreamWaitEvent(stream, end, 0));
    CHECK(cuEventSynchronize(end));
    CHECK(cuEventQuery(end));
    CHECK(cuEventElapsedTime(&milliseconds, begin, end));
    CHECK(cuStreamGetFlags(stream, &flags));
    CHECK(cuStreamGetCtx(stream, &whose));
    SAME(whose, context);
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
    SAME(type, CU_MEMORYTYPE_DEVICE);
    CHECK(cuPointerGetAttribute(&whose, CU_POINTER_ATTRIBUTE_CONTEXT, at));
    SAME(whose, context);
    CHECK(cuMemGetAddressRange(&bias, &size, at + 8));
    SAME(size, 64);
    CHECK(cuMemAdvise(managed, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
    CHECK(cuMemFree(managed));
    CHECK(cuMemHostGetDevicePointer(&bias, pinned, 0));
    SAME(bias, (uintptr_t)pinned);
    CHECK(cuMemGetAddressRange(&bias, &size, (uintptr_t)pinned + 8));
    SAME(bias, (uintptr_t)pinned);
    SAME(size, 64);
    CHECK(cuMemHostGetFlags(&flags, pinned));
    CHECK(cuMemFreeHost(pinned));
    CHECK(cuMemFree(at));
    CHECK(cuModuleUnload(own));
    CHECK(cuEventDestroy(begin));
    CHECK(cuEventDestroy(end));
    CHECK(cuStreamDestroy(stream));
    CHECK(cuCtxPushCurrent(context));
}

/* Calls that name objects of two contexts: to record an event and to launch takes one; to wait does
 * not. */
static void pairs(void)
{
    CUcontext first, second;
    CUstream stream;
    CUevent event, own;
    CUfunction f;
    float milliseconds;
    CHECK(cuCtxGetCurrent(&first));
    CHECK(cuModuleGetFunction(&f, module, "add"));
    CHECK(cuEventCreate(&event, 0));
    CHECK(cuCtxCreate(&second, 0, device));
    CHECK(cuStreamCreate(&stream, 0));
    CHECK(cuEventCreate(&own, 0));
    SAME(cuEventRecord(event, stream), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuEventRecord(event, NULL), CUDA_ERROR_INVALID_HANDLE); /* of the current context */
    SAME(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&f}, NULL),
         CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuStreamWaitEvent(stream, event, 0));
    CHECK(cuStreamWaitEvent(NULL, event, 0));
    CHECK(cuEventSynchronize(event));
    CHECK(cuEventRecord(own, stream));
    CHECK(cuCtxSetCurrent(first));
    CHECK(cuEventRecord(own, stream)); /* the current context is neither's */
    CHECK(cuEventRecord(event, NULL));
    CHECK(cuEventElapsedTime(&milliseconds, event, own));
    CHECK(cuCtxDestroy(second));
    SAME(cuEventQuery(own), CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuEventDestroy(event));
    CHECK(cuCtxSetCurrent(first));
}

/* Handles that are none: numbers, freed ones, those of another kind. */
static void handles(void)
{
    static const CUDA_ARRAY_DESCRIPTOR flat = {
        .Width = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUmodule gone;
    CUfunction gone_function;
    CUstream stream;
    CUarray array;
    CHECK(cuModuleLoadData(&gone, text));
    CHECK(cuModuleGetFunction(&gone_function, gone, "add"));
    CHECK(cuModuleUnload(gone));
    CHECK(cuStreamCreate(&stream, 0));
    CHECK(cuArrayCreate(&array, &flat));
    CHECK(cuArrayDestroy(array));
    void *const bad[] = {NULL,  (void *)1, (void *)2, (void *)0xdeadbeef, gone, gone_function,
                         array, stream,    module};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CUfunction f = NULL;
        CUdeviceptr at;
        CUDA_ARRAY_DESCRIPTOR what;
        size_t size;
        int value;
        void *cubin;
        const char *name;
        CUmodule m;
        CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                              .srcArray = bad[i],
                              .dstMemoryType = CU_MEMORYTYPE_HOST,
                              .dstHost = &what,
                              .WidthInBytes = 4,
                              .Height = 1};
        const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                             .res.array.hArray = bad[i]};
        CUtexObject texture;
        SAME(cuLaunchKernel(bad[i], 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 400);
        SAME(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, bad[i]), 400);
        SAME(cuFuncSetAttribute(bad[i], CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 1),
             400);
        SAME(cuFuncGetModule(&m, bad[i]), 400);
        SAME(cuFuncGetName(&name, bad[i]), bad[i] ? 400 : 1);
        SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, bad[i], 32, 0), 400);
        SAME(cuArrayDestroy(bad[i]), 400);
        SAME(cuArrayGetDescriptor(&what, bad[i]), 400);
        SAME(cuMemcpyAtoH(&value, bad[i], 0, 4), bad[i] ? 400 : 1);
        SAME(cuMemcpy2D(&copy), 400);
        SAME(cuTexObjectCreate(&texture, &resource, &(CUDA_TEXTURE_DESC){0}, NULL), 400);
        SAME(cuLinkAddData(bad[i], CU_JIT_INPUT_PTX, (void *)text, sizeof text, "a", 0, NULL, NULL),
             400);
        SAME(cuLinkComplete(bad[i], &cubin, &size), 400);
        SAME(cuLinkDestroy(bad[i]), 400);
        SAME(cuEventQuery(bad[i]), 400);
        SAME(cuEventRecord(bad[i], NULL), 400);
        SAME(cuEventDestroy(bad[i]), 400);
        if (bad[i] && bad[i] != stream) {
            SAME(cuStreamQuery(bad[i]), bad[i] <= (void *)2 ? 0 : 400); /* 1 and 2 are streams */
            SAME(cuStreamDestroy(bad[i]), 400);
            SAME(cuMemcpyDtoHAsync(&value, 0x1000, 4, bad[i]), bad[i] <= (void *)2 ? 1 : 400);
        }
        if (bad[i] == module)
            continue;
        SAME(cuModuleGetFunction(&f, bad[i], "add"), 400);
        SAME(cuModuleGetGlobal(&at, &size, bad[i], "bias"), 400);
        SAME(cuModuleUnload(bad[i]), 400);
    }
    CHECK(cuStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"lookup", lookup},     {"functions", functions}, {"streams", streams},
                 {"pools", pools},       {"pointers", pointers},   {"fills", fills},
                 {"settings", settings}, {"libraries", libraries}, {"cooperative", cooperative},
                 {"contexts", contexts}, {"objects", objects},     {"pairs", pairs},
                 {"handles", handles}};
    CUcontext context;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoadData(&module, text));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (argc > 1 && strcmp(argv[1], parts[i].name) != 0)
            continue;
        differences = 0;
        parts[i].run();
        printf("%s %s\n", parts[i].name, differences ? "wrong" : "right");
    }
    CHECK(cuCtxDestroy(context));
    return 0;
}
