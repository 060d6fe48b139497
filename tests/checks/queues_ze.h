/* Queues of Level Zero (queues.h): immediate command lists. In one with an order a barrier is
 * behind each command. */
#ifndef QUEUES_ZE_H
#define QUEUES_ZE_H
#include <level_zero/ze_api.h>

typedef struct one_queue {
    ze_command_list_handle_t list;
    int in_order;
} * queue_t;
typedef int *buffer_t;
typedef ze_event_handle_t event_t;
#define NONE NULL
static ze_context_handle_t context;
static ze_device_handle_t device;
static ze_event_pool_handle_t pool;
static ze_kernel_handle_t put_kernel, get_kernel;

static void works(ze_result_t result)
{
    if (result) {
        printf("a call gives 0x%x\n", (unsigned)result);
        exit(3);
    }
}
static ze_kernel_handle_t kernel_of(const char *path, const char *name)
{
    static uint8_t binary[1 << 16];
    char file_name[1000];
    ze_module_desc_t description = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                    .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                    .pInputModule = binary,
                                    .pBuildFlags = getenv("CHECK_OPTIONS")};
    const ze_kernel_desc_t of = {ZE_STRUCTURE_TYPE_KERNEL_DESC, NULL, 0, name};
    ze_module_handle_t module;
    ze_kernel_handle_t made;
    snprintf(file_name, sizeof file_name, "%s%s.spv", path, name);
    FILE *file = fopen(file_name, "rb");
    works(!file || !(description.inputSize = fread(binary, 1, sizeof binary, file)));
    fclose(file);
    works(zeModuleCreate(context, device, &description, &module, NULL));
    works(zeKernelCreate(module, &of, &made));
    works(zeKernelSetGroupSize(made, 4, 1, 1));
    return made;
}
CALLED void set_up(const char *path)
{
    const ze_context_desc_t description = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_event_pool_desc_t of_events = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                            .count = 1000};
    ze_driver_handle_t driver;
    uint32_t one = 1;
    works(zeInit(0));
    works(zeDriverGet(&one, &driver));
    works(zeDeviceGet(driver, &one, &device));
    works(zeContextCreate(driver, &description, &context));
    works(zeEventPoolCreate(context, &of_events, 1, &device, &pool));
    put_kernel = kernel_of(path, "put");
    get_kernel = kernel_of(path, "get");
}
CALLED queue_t queue_of(int in_order)
{
    const ze_command_queue_desc_t description = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    queue_t made = malloc(sizeof *made);
    made->in_order = in_order;
    works(zeCommandListCreateImmediate(context, device, &description, &made->list));
    return made;
}
CALLED queue_t new_queue(void)
{
    return queue_of(1);
}
CALLED queue_t new_loose_queue(void)
{
    return queue_of(0);
}
CALLED buffer_t new_buffer(void)
{
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *made;
    works(zeMemAllocDevice(context, &on_device, BYTES, 1, device, &made));
    return made;
}
CALLED void free_buffer(buffer_t b)
{
    works(zeMemFree(context, b));
}
CALLED event_t own_event(void)
{
    static uint32_t used;
    const ze_event_desc_t description = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                         .index = used++,
                                         .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                         .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    event_t made;
    works(zeEventCreate(pool, &description, &made));
    return made;
}
CALLED void barrier(queue_t q)
{
    works(zeCommandListAppendBarrier(q->list, NULL, 0, NULL));
}
/* A command of which `call` is the call, whose event is `done`. */
#define ENQUEUE(call)                                                                              \
    const event_t done = own_event();                                                              \
    works(call);                                                                                   \
    if (on->in_order)                                                                              \
        barrier(on);                                                                               \
    return done
#define WAITS done, wait != NONE, wait != NONE ? &wait : NULL
CALLED event_t put(queue_t on, buffer_t to, int first, int count, event_t wait)
{
    const ze_group_count_t groups = {(uint32_t)count / 4, 1, 1};
    works(zeKernelSetArgumentValue(put_kernel, 0, sizeof to, &to));
    works(zeKernelSetArgumentValue(put_kernel, 1, sizeof first, &first));
    ENQUEUE(zeCommandListAppendLaunchKernel(on->list, put_kernel, &groups, WAITS));
}
CALLED event_t get(queue_t on, buffer_t to, buffer_t from, int count, event_t wait)
{
    const ze_group_count_t groups = {(uint32_t)count / 4, 1, 1};
    works(zeKernelSetArgumentValue(get_kernel, 0, sizeof to, &to));
    works(zeKernelSetArgumentValue(get_kernel, 1, sizeof from, &from));
    ENQUEUE(zeCommandListAppendLaunchKernel(on->list, get_kernel, &groups, WAITS));
}
CALLED event_t copy(queue_t on, buffer_t to, buffer_t from, event_t wait)
{
    ENQUEUE(zeCommandListAppendMemoryCopy(on->list, to, from, BYTES, WAITS));
}
CALLED event_t copy_in(queue_t on, buffer_t to, const int *from, event_t wait)
{
    ENQUEUE(zeCommandListAppendMemoryCopy(on->list, to, from, BYTES, WAITS));
}
CALLED event_t copy_out(queue_t on, int *to, buffer_t from, event_t wait)
{
    ENQUEUE(zeCommandListAppendMemoryCopy(on->list, to, from, BYTES, WAITS));
}
CALLED event_t fill(queue_t on, buffer_t to, int value, event_t wait)
{
    ENQUEUE(zeCommandListAppendMemoryFill(on->list, to, &value, sizeof value, BYTES, WAITS));
}
CALLED void wait_for(event_t e)
{
    works(zeEventHostSynchronize(e, UINT64_MAX));
}
CALLED void see_done(event_t e)
{
    while (zeEventQueryStatus(e) == ZE_RESULT_NOT_READY)
        continue;
}
/* An immediate list has no call that waits for it. */
CALLED void finish(queue_t q)
{
    const event_t end = own_event();
    works(zeCommandListAppendBarrier(q->list, end, 0, NULL));
    wait_for(end);
}
CALLED void raise_event(event_t e)
{
    works(zeEventHostSignal(e));
}
#endif
