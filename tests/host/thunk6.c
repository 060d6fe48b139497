/*
 * A program that calls the functions of libhsakmt.so.1 that ROCm 6 has beyond those of ROCm 5, as
 * its runtime does. It finds them by name, since the header of ROCm 5 lacks them. Prints a line for
 * each group of them, and stops at the first answer that is not as it should be.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <amdgpu.h>
#include <amdgpu_drm.h>
struct kfd_ioctl_dbg_trap_args; /* which that header mentions */
#include <hsakmt.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s (%s)\n", __LINE__, #condition, strerror(errno));                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { GPU = 1, SIZE = 0x10000, RING = 0x1000, QUEUE = 0x2000 };

static HSAKMT_STATUS (*wait_one)(HsaEvent *, HSAuint32, uint64_t *);
static HSAKMT_STATUS (*wait_some)(HsaEvent **, HSAuint32, bool, HSAuint32, uint64_t *);
static HSAKMT_STATUS (*available)(HSAuint32, HSAuint64 *);
static HSAKMT_STATUS (*export)(void *, HSAuint64, int *, HSAuint64 *);
static HSAKMT_STATUS (*handle_of)(HSAuint32, void **);
static HSAKMT_STATUS (*capabilities)(HSAuint32 *);
static HSAKMT_STATUS (*enable)(void **, HSAuint32 *);
static HSAKMT_STATUS (*disable)(void);
static HSAKMT_STATUS (*device_data)(void **, HSAuint32 *, HSAuint32 *);
static HSAKMT_STATUS (*queue_data)(void **, HSAuint32 *, HSAuint32 *, bool);
static HSAKMT_STATUS (*open_events)(HSAuint32, int *);
static HSAKMT_STATUS (*align)(HSAuint32, HSAuint64, HSAuint64, HsaMemFlags, void **);
static HSAKMT_STATUS (*debugging)(void), (*sampling)(void);
static HSAKMT_STATUS (*replace_page)(void *), (*return_page)(void *);

static void find(void *library, void *function, const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        puts(name);
    CHECK(found);
    memcpy(function, &found, sizeof found);
}

static void find_all(void)
{
    void *library = dlopen("libhsakmt.so.1", RTLD_NOW);
    CHECK(library);
    find(library, &wait_one, "hsaKmtWaitOnEvent_Ext");
    find(library, &wait_some, "hsaKmtWaitOnMultipleEvents_Ext");
    find(library, &available, "hsaKmtAvailableMemory");
    find(library, &export, "hsaKmtExportDMABufHandle");
    find(library, &handle_of, "hsaKmtGetAMDGPUDeviceHandle");
    find(library, &capabilities, "hsaKmtGetRuntimeCapabilities");
    find(library, &enable, "hsaKmtDbgEnable");
    find(library, &disable, "hsaKmtDbgDisable");
    find(library, &device_data, "hsaKmtDbgGetDeviceData");
    find(library, &queue_data, "hsaKmtDbgGetQueueData");
    find(library, &open_events, "hsaKmtOpenSMI");
    find(library, &replace_page, "hsaKmtReplaceAsanHeaderPage");
    find(library, &return_page, "hsaKmtReturnAsanHeaderPage");
    find(library, &align, "hsaKmtAllocMemoryAlign");
    find(library, &debugging, "hsaKmtCheckRuntimeDebugSupport");
    find(library, &sampling, "hsaKmtPcSamplingSupport");
}

static uint8_t *allocate(void)
{
    HsaMemFlags flags = {.ui32 = {.NonPaged = 1, .HostAccess = 1}};
    void *at = NULL;
    CHECK(!hsaKmtAllocMemory(GPU, SIZE, flags, &at));
    CHECK(!hsaKmtMapMemoryToGPU(at, SIZE, NULL));
    return at;
}

static void release(uint8_t *at)
{
    CHECK(!hsaKmtUnmapMemoryToGPU(at) && !hsaKmtFreeMemory(at, SIZE));
}

/* What ROCm 6 has in the bytes that ROCm 5 has reserved; the number of the GPU. */
static uint32_t see_properties(void)
{
    HsaNodeProperties node;
    uint32_t later[3];
    memset(&node, 0xff, sizeof node);
    CHECK(!hsaKmtGetNodeProperties(GPU, &node));
    memcpy(later, (char *)&node.SGPRSizePerCU + 4, sizeof later);
    CHECK(later[0] == 1 && later[1] && later[2] == AMDGPU_FAMILY_AI);
    CHECK(!hsaKmtGetNodeProperties(0, &node));
    memcpy(later, (char *)&node.SGPRSizePerCU + 4, sizeof later);
    CHECK(!later[0] && !later[1]);
    CHECK(!hsaKmtGetNodeProperties(GPU, &node));
    memcpy(later, (char *)&node.SGPRSizePerCU + 4, sizeof later);
    puts("properties");
    return later[1];
}

static void ask_for_memory(void)
{
    HSAuint64 before, with, after, none = 5;
    CHECK(!available(GPU, &before));
    uint8_t *m = allocate();
    CHECK(!available(GPU, &with) && with == before - SIZE);
    release(m);
    CHECK(!available(GPU, &after) && after == before);
    CHECK(available(0, &none) == HSAKMT_STATUS_ERROR && none == 5);
    CHECK(available(9, &none) == HSAKMT_STATUS_INVALID_NODE_UNIT && none == 5);
    HsaMemFlags flags = {.ui32 = {.NonPaged = 1, .HostAccess = 1}};
    void *at = NULL;
    CHECK(!align(GPU, SIZE, 64 << 20, flags, &at) && (uintptr_t)at % (64 << 20) == 0);
    CHECK(!hsaKmtFreeMemory(at, SIZE) && !available(GPU, &after) && after == before);
    at = NULL;
    CHECK(align(GPU, SIZE, 0x3000, flags, &at) == HSAKMT_STATUS_INVALID_PARAMETER && !at);
    CHECK(align(GPU, SIZE, 0x100, flags, &at) == HSAKMT_STATUS_INVALID_PARAMETER && !at);
    puts("available memory");
}

/* An event that was set before somebody waits is not missed by those who know its age. */
static void wait_with_ages(void)
{
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_SIGNAL};
    HsaEvent *event[2];
    uint64_t age = 1, ages[2] = {1, 1};
    CHECK(!hsaKmtCreateEvent(&descriptor, false, false, &event[0]));
    CHECK(!hsaKmtCreateEvent(&descriptor, false, false, &event[1]));
    CHECK(wait_one(event[0], 0, &age) == HSAKMT_STATUS_WAIT_TIMEOUT && age == 1);
    CHECK(!hsaKmtSetEvent(event[0]) && !hsaKmtSetEvent(event[0]));
    CHECK(!wait_one(event[0], 0, &age) && age == 3);
    CHECK(wait_one(event[0], 0, &age) == HSAKMT_STATUS_WAIT_TIMEOUT && age == 3);
    age = 2; /* another thread of the runtime, which the first one has left nothing */
    CHECK(!wait_one(event[0], 0, &age) && age == 3);
    age = 0; /* it knows none */
    CHECK(wait_one(event[0], 0, &age) == HSAKMT_STATUS_WAIT_TIMEOUT && age == 0);
    CHECK(wait_one(event[0], 0, NULL) == HSAKMT_STATUS_WAIT_TIMEOUT);
    /* One of two; the other one's age stays. Both: too few. */
    CHECK(!wait_some(event, 2, false, 0, ages) && ages[0] == 3 && ages[1] == 1);
    ages[0] = 1;
    CHECK(wait_some(event, 2, true, 0, ages) == HSAKMT_STATUS_WAIT_TIMEOUT && ages[0] == 1);
    CHECK(hsaKmtWaitOnEvent(event[0], 0) == HSAKMT_STATUS_WAIT_TIMEOUT);
    CHECK(!hsaKmtSetEvent(event[1]));
    CHECK(!wait_some(event, 2, true, 0, ages) && ages[0] == 3 && ages[1] == 2);
    CHECK(wait_some(NULL, 2, true, 0, ages) == HSAKMT_STATUS_INVALID_HANDLE);
    CHECK(wait_one(NULL, 0, &age) == HSAKMT_STATUS_INVALID_HANDLE);
    for (int i = 0; i < 2; i++)
        CHECK(!hsaKmtDestroyEvent(event[i]));
    puts("ages of events");
}

static void export_memory(amdgpu_device_handle device)
{
    uint8_t *m = allocate();
    int fd = -1;
    HSAuint64 offset = 0;
    HSAuint32 node = GPU;
    HsaGraphicsResourceInfo info;
    amdgpu_bo_handle object;
    struct amdgpu_bo_import_result imported;
    m[0x1000] = 10, m[0x1fff] = 11, m[0] = 12;
    CHECK(export(m + 0x1000, SIZE, &fd, &offset) == HSAKMT_STATUS_INVALID_PARAMETER && fd == -1);
    CHECK(export(&fd, 1, &fd, &offset) == HSAKMT_STATUS_INVALID_PARAMETER && fd == -1);
    CHECK(!export(m + 0x1000, 0x1000, &fd, &offset) && fd >= 0 && offset == 0x1000);
    uint8_t *page = mmap(NULL, 0x1000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    CHECK(page != MAP_FAILED && page[0] == 10 && page[0xfff] == 11 && m[0] == 12);
    m[0x1001] = 20;
    page[2] = 21;
    CHECK(page[1] == 20 && m[0x1002] == 21);
    /* By the runtime's other way in, and by libdrm. */
    CHECK(hsaKmtRegisterGraphicsHandleToNodes(0, &info, 1, &node) == HSAKMT_STATUS_ERROR);
    CHECK(!hsaKmtRegisterGraphicsHandleToNodes((HSAuint64)fd, &info, 1, &node));
    CHECK(info.SizeInBytes == SIZE && ((uint8_t *)info.MemoryAddress)[0x1001] == 20);
    CHECK(!hsaKmtMapMemoryToGPU(info.MemoryAddress, SIZE, NULL));
    CHECK(!amdgpu_bo_import(device, amdgpu_bo_handle_type_dma_buf_fd, (uint32_t)fd, &imported));
    object = imported.buf_handle;
    CHECK(imported.alloc_size == SIZE && !amdgpu_bo_free(object));
    release(m); /* the file has the memory still */
    CHECK(page[0] == 10 && ((uint8_t *)info.MemoryAddress)[0x1002] == 21);
    CHECK(!hsaKmtUnmapMemoryToGPU(info.MemoryAddress));
    CHECK(!hsaKmtDeregisterMemory(info.MemoryAddress));
    CHECK(!close(fd) && page[0] == 10 && !munmap(page, 0x1000));
    puts("exported memory");
}

static amdgpu_device_handle see_handle(void)
{
    void *handle = NULL, *again = NULL, *none = NULL;
    struct amdgpu_gpu_info info;
    CHECK(!handle_of(GPU, &handle) && handle);
    CHECK(!handle_of(GPU, &again) && again == handle);
    CHECK(!amdgpu_query_gpu_info(handle, &info) && info.family_id == AMDGPU_FAMILY_AI);
    CHECK(handle_of(0, &none) == HSAKMT_STATUS_INVALID_NODE_UNIT);
    CHECK(handle_of(9, &none) == HSAKMT_STATUS_INVALID_NODE_UNIT && !none);
    puts("libdrm's handle");
    return handle;
}

/* What the runtime writes into a core file of the GPUs: kernel structures of linux 6.5. */
static void take_snapshots(uint32_t gpu_id)
{
    uint8_t *m = allocate();
    HsaQueueResource queue = {.Queue_read_ptr_aql = (HSAuint64 *)(m + QUEUE + 128),
                              .Queue_write_ptr_aql = (HSAuint64 *)(m + QUEUE + 56)};
    HSAuint32 size = 0, count = 0, mask = 1;
    void *data = NULL;
    for (unsigned i = 0; i < RING; i += 64)
        m[i] = 1; /* invalid packets */
    CHECK(!hsaKmtCreateQueue(GPU, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, m, RING,
                             NULL, &queue));
    CHECK(!capabilities(&mask) && mask == 0 && !debugging());
    CHECK(disable() == HSAKMT_STATUS_ERROR);
    CHECK(device_data(&data, &count, &size) == HSAKMT_STATUS_ERROR && !data);
    CHECK(queue_data(&data, &count, &size, false) == HSAKMT_STATUS_ERROR && !data);
    int mark;
    CHECK(!hsaKmtRuntimeEnable(&mark, true));
    CHECK(!enable(&data, &size) && size == 16);
    CHECK(*(void **)data == &mark && ((uint32_t *)data)[2] == 1 && ((uint32_t *)data)[3] == 1);
    free(data);
    CHECK(enable(&data, &size) == HSAKMT_STATUS_ERROR);
    CHECK(!device_data(&data, &count, &size) && count == 1 && size == 120);
    CHECK(((uint32_t *)data)[14] == gpu_id && ((uint32_t *)data)[22] == 90000);
    free(data);
    for (int suspend = 0; suspend < 2; suspend++) {
        CHECK(!queue_data(&data, &count, &size, suspend) && count == 1 && size == 64);
        CHECK(((uint64_t *)data)[1] == (uintptr_t)m && ((uint32_t *)data)[11] == gpu_id);
        free(data);
    }
    CHECK(!disable() && disable() == HSAKMT_STATUS_ERROR);
    CHECK(!hsaKmtRuntimeDisable() && !hsaKmtDestroyQueue(queue.QueueId));
    release(m);
    puts("snapshots");
}

static void see_refusals(void)
{
    int fd = 7;
    CHECK(open_events(GPU, &fd) == HSAKMT_STATUS_ERROR && fd == 7);
    CHECK(open_events(9, &fd) == HSAKMT_STATUS_INVALID_NODE_UNIT);
    CHECK(replace_page(&fd) == HSAKMT_STATUS_NOT_SUPPORTED);
    CHECK(return_page(&fd) == HSAKMT_STATUS_NOT_SUPPORTED);
    CHECK(sampling() == HSAKMT_STATUS_NOT_SUPPORTED);
    puts("refusals");
}

int main(void)
{
    HSAuint64 bytes;
    HsaSystemProperties system;
    find_all();
    CHECK(available(GPU, &bytes) == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
    for (int round = 0; round < 2; round++) { /* it closes, though the handle holds it open */
        CHECK(!hsaKmtOpenKFD() && !hsaKmtAcquireSystemProperties(&system) && system.NumNodes == 2);
        const uint32_t gpu_id = see_properties();
        ask_for_memory();
        wait_with_ages();
        export_memory(see_handle());
        take_snapshots(gpu_id);
        see_refusals();
        CHECK(!hsaKmtCloseKFD());
        CHECK(available(GPU, &bytes) == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
        puts("closed");
    }
    return 0;
}
