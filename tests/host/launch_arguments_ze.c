/*
 * A Level Zero program: one launch, on each GPU, of a kernel k(global int *, struct, int) in a
 * module that was compiled before: the file of its argument.
 */
#include <level_zero/ze_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const ze_result_t result = call;                                                           \
        if (result) {                                                                              \
            printf("%s: %x\n", #call, result);                                                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static uint8_t code[1 << 18];
static size_t code_size;

static void launch(ze_context_handle_t context, ze_device_handle_t device, int32_t number)
{
    const ze_module_desc_t description = {
        ZE_STRUCTURE_TYPE_MODULE_DESC, NULL, ZE_MODULE_FORMAT_NATIVE, code_size, code, NULL, NULL};
    const ze_kernel_desc_t named = {ZE_STRUCTURE_TYPE_KERNEL_DESC, NULL, 0, "k"};
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    const ze_device_mem_alloc_desc_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_group_count_t groups = {1, 1, 1};
    const struct {
        int32_t a;
        int64_t b;
        int16_t c;
    } structure = {5 + number, -6, 7};
    const int32_t n = 8 + number;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    void *out;
    CHECK(zeModuleCreate(context, device, &description, &module, NULL));
    CHECK(zeKernelCreate(module, &named, &kernel));
    CHECK(zeKernelSetGroupSize(kernel, 16, 1, 1));
    CHECK(zeMemAllocDevice(context, &memory, 64, 64, device, &out));
    CHECK(zeKernelSetArgumentValue(kernel, 0, sizeof out, &out));
    CHECK(zeKernelSetArgumentValue(kernel, 1, sizeof structure, &structure));
    CHECK(zeKernelSetArgumentValue(kernel, 2, sizeof n, &n));
    CHECK(zeCommandListCreateImmediate(context, device, &queue, &list));
    CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
}

int main(int argc, char **argv)
{
    const ze_context_desc_t description = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, NULL, 0};
    ze_driver_handle_t driver;
    ze_device_handle_t device[4];
    ze_context_handle_t context;
    uint32_t drivers = 1, devices = 4;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 2;
    code_size = fread(code, 1, sizeof code, file);
    CHECK(zeInit(0));
    CHECK(zeDriverGet(&drivers, &driver));
    CHECK(zeDeviceGet(driver, &devices, device));
    CHECK(zeContextCreate(driver, &description, &context));
    for (uint32_t i = 0; i < devices; i++)
        launch(context, device[i], (int32_t)i);
    return 0;
}
