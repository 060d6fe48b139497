/* A device of Level Zero, with an immediate and synchronous list, and kernels of a file. */
#ifndef ZE_H
#define ZE_H
#include <level_zero/ze_api.h>
#include <stdlib.h>
#include "cases.h"

static ze_context_handle_t context;
static ze_device_handle_t device;
static ze_command_list_handle_t list;
static uint8_t binary[1 << 22];
static size_t binary_size;

static void need(int right, const char *what)
{
    if (!right) {
        printf("%s: %s failed\n", case_name ? case_name : "set-up", what);
        exit(3);
    }
}

static void find_device(const char *path)
{
    const ze_context_desc_t description = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_queue_desc_t synchronous = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_driver_handle_t driver;
    uint32_t one = 1;
    FILE *file = fopen(path, "rb");
    need(file && (binary_size = fread(binary, 1, sizeof binary, file)), "reading the kernels");
    fclose(file);
    need(!zeInit(0) && !zeDriverGet(&one, &driver) && !zeDeviceGet(driver, &one, &device),
         "finding the device");
    need(!zeContextCreate(driver, &description, &context), "the context");
    need(!zeCommandListCreateImmediate(context, device, &synchronous, &list), "the list");
}

static ze_module_desc_t module_of_file(void)
{
    return (ze_module_desc_t){.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                              .format = memcmp(binary, "\177ELF", 4) ? ZE_MODULE_FORMAT_IL_SPIRV
                                                                     : ZE_MODULE_FORMAT_NATIVE,
                              .inputSize = binary_size,
                              .pInputModule = binary,
                              .pBuildFlags = getenv("CHECK_OPTIONS")};
}

/* A kernel of a program's only module, for groups of @p items. */
static ze_kernel_handle_t own_kernel(const char *name, uint32_t items)
{
    static ze_module_handle_t module;
    const ze_module_desc_t of_file = module_of_file();
    const ze_kernel_desc_t of_kernel = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                        .pKernelName = name};
    ze_kernel_handle_t made;
    need(module || !zeModuleCreate(context, device, &of_file, &module, NULL), "the module");
    need(!zeKernelCreate(module, &of_kernel, &made), "the kernel");
    zeKernelSetGroupSize(made, items, 1, 1);
    return made;
}

/* Runs a kernel of one group, whose arguments are set. */
static void run_kernel(ze_kernel_handle_t kernel)
{
    const ze_group_count_t one_group = {1, 1, 1};
    need(!zeCommandListAppendLaunchKernel(list, kernel, &one_group, NULL, 0, NULL), "the launch");
}
#endif
