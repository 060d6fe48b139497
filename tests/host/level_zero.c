/*
 * A Level Zero program: device memory, copies, fills, events with time stamps, command lists that
 * are submitted and immediate ones, queues that wait for each other and for the host. Arguments:
 * the SPIR-V file of a kernel k(global int *a, int b): a[i] = 2 * a[i] + b; then nothing, or
 * "stray": the kernel has more work-items than its memory has elements.
 */
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const ze_result_t result = call;                                                           \
        if (result) {                                                                              \
            printf("%s: %x\n", #call, result);                                                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { N = 64, BYTES = N * sizeof(int), EVENTS = 8 };

static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_kernel_handle_t kernel;
static ze_event_handle_t event[EVENTS];

static void open_device(void)
{
    ze_driver_handle_t driver;
    ze_device_properties_t properties = {ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    const ze_context_desc_t description = {ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint32_t drivers = 1, devices = 1;
    CHECK(zeInit(0));
    CHECK(zeDriverGet(&drivers, &driver));
    CHECK(zeDeviceGet(driver, &devices, &device));
    CHECK(zeDeviceGetProperties(device, &properties));
    printf("%s\n", properties.name);
    CHECK(zeContextCreate(driver, &description, &context));
}

static void build(const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    ze_module_handle_t module;
    const ze_module_desc_t description = {ZE_STRUCTURE_TYPE_MODULE_DESC, NULL,
                                          ZE_MODULE_FORMAT_IL_SPIRV,
                                          file ? fread(bytes, 1, sizeof bytes, file) : 0, bytes};
    const ze_kernel_desc_t named = {ZE_STRUCTURE_TYPE_KERNEL_DESC, NULL, 0, "k"};
    CHECK(zeModuleCreate(context, device, &description, &module, NULL));
    CHECK(zeKernelCreate(module, &named, &kernel));
    CHECK(zeKernelSetGroupSize(kernel, 16, 1, 1));
}

static void make_events(void)
{
    const ze_event_pool_desc_t description = {
        ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, NULL,
        ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, EVENTS};
    ze_event_pool_handle_t pool;
    CHECK(zeEventPoolCreate(context, &description, 1, &device, &pool));
    for (uint32_t i = 0; i < EVENTS; i++) {
        const ze_event_desc_t one = {ZE_STRUCTURE_TYPE_EVENT_DESC, NULL, i,
                                     ZE_EVENT_SCOPE_FLAG_HOST, ZE_EVENT_SCOPE_FLAG_HOST};
        CHECK(zeEventCreate(pool, &one, &event[i]));
    }
}

/* A kernel's launch, whose event is @p signals, after the event @p waits (NULL: at once). */
static void launch(ze_command_list_handle_t list, int *memory, int b, ze_event_handle_t signals,
                   ze_event_handle_t waits)
{
    const ze_group_count_t groups = {N / 16, 1, 1};
    CHECK(zeKernelSetArgumentValue(kernel, 0, sizeof memory, &memory));
    CHECK(zeKernelSetArgumentValue(kernel, 1, sizeof b, &b));
    CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, signals, waits != NULL, &waits));
}

static void run_queues(int *shared)
{
    const ze_command_queue_desc_t asynchronous = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                  .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const ze_command_list_desc_t description = {ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_queue_handle_t queue[2];
    ze_command_list_handle_t list[2];
    for (int i = 0; i < 2; i++) {
        CHECK(zeCommandQueueCreate(context, device, &asynchronous, &queue[i]));
        CHECK(zeCommandListCreate(context, device, &description, &list[i]));
    }
    launch(list[0], shared, 3, event[0], event[2]); /* after the host's event */
    launch(list[1], shared, 1, event[1], event[0]); /* after the first queue's */
    for (int i = 0; i < 2; i++) {
        CHECK(zeCommandListClose(list[i]));
        CHECK(zeCommandQueueExecuteCommandLists(queue[i], 1, &list[i], NULL));
    }
    printf("waits: %d\n", zeEventQueryStatus(event[1]) == ZE_RESULT_NOT_READY);
    CHECK(zeEventHostSignal(event[2]));
    for (int i = 0; i < 2; i++)
        CHECK(zeCommandQueueSynchronize(queue[i], UINT64_MAX));
    printf("queues: %d %d %d\n", shared[0], shared[1], shared[N - 1]);
}

static void run_immediately(int *local, int *host)
{
    const ze_command_queue_desc_t asynchronous = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                  .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const int pattern = 0x77;
    ze_command_list_handle_t list;
    ze_kernel_timestamp_result_t times;
    CHECK(zeCommandListCreateImmediate(context, device, &asynchronous, &list));
    CHECK(zeCommandListAppendMemoryCopy(list, local, host, BYTES, event[3], 0, NULL));
    launch(list, local, 5, event[4], event[3]);
    CHECK(zeCommandListAppendMemoryCopy(list, host + N, local, BYTES, event[5], 1, &event[4]));
    CHECK(zeCommandListAppendMemoryFill(list, host + 2 * N, &pattern, sizeof pattern, BYTES,
                                        event[6], 1, &event[5]));
    CHECK(zeEventHostSynchronize(event[6], UINT64_MAX));
    CHECK(zeEventQueryKernelTimestamp(event[4], &times));
    printf("immediate: %d %d %d %x, time %d\n", host[N], host[N + 1], host[2 * N - 1],
           host[3 * N - 1], times.global.kernelEnd >= times.global.kernelStart);
}

/* Memory of 200 bytes, and work-items for many pages. */
static void stray(void *memory)
{
    const ze_group_count_t groups = {1 << 12, 1, 1};
    const ze_command_queue_desc_t synchronous = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    const int b = 1;
    ze_command_list_handle_t list;
    CHECK(zeCommandListCreateImmediate(context, device, &synchronous, &list));
    CHECK(zeKernelSetArgumentValue(kernel, 0, sizeof memory, &memory));
    CHECK(zeKernelSetArgumentValue(kernel, 1, sizeof b, &b));
    CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
}

int main(int argc, char **argv)
{
    const ze_device_mem_alloc_desc_t on_device = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t on_host = {ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *shared, *local, *host;
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_device();
    build(argc > 1 ? argv[1] : "");
    if (argc > 2 && strcmp(argv[2], "stray") == 0) {
        CHECK(zeMemAllocDevice(context, &on_device, 200, 64, device, &local));
        stray(local);
        return 0;
    }
    make_events();
    CHECK(zeMemAllocShared(context, &on_device, &on_host, BYTES, 64, device, &shared));
    CHECK(zeMemAllocDevice(context, &on_device, BYTES, 64, device, &local));
    CHECK(zeMemAllocHost(context, &on_host, 3 * BYTES, 64, &host));
    for (int i = 0; i < N; i++)
        ((int *)shared)[i] = ((int *)host)[i] = i;
    run_queues(shared);
    run_immediately(local, host);
    return 0;
}
