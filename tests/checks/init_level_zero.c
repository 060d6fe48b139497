/* Memory of Level Zero that both sides see: init_level_zero FILE.spv host|shared
 * bad|stored|filled|seen. In a bad run nobody writes what the kernel `compare` of init.cl branches
 * on. In the last one the kernel `add_one` takes numbers of which 40 to 47, 50 and 60 to 63 are
 * missing. */
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64, BYTES = ITEMS * sizeof(int) };

static void need(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "%s failed\n", what);
        exit(3);
    }
}

int main(int argc, char **argv)
{
    static uint8_t binary[1 << 22];
    const ze_context_desc_t of_context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_queue_desc_t synchronous = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    const int seen = argc > 3 && strcmp(argv[3], "seen") == 0;
    const ze_kernel_desc_t of_kernel = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                        .pKernelName = seen ? "add_one" : "compare"};
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    const ze_group_count_t one_group = {1, 1, 1};
    const int zero = 0;
    uint32_t one = 1;
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    int *in, *out, *missing;
    need(argc == 4, "reading the arguments");
    FILE *const file = fopen(argv[1], "rb");
    const size_t size = file ? fread(binary, 1, sizeof binary, file) : 0;
    const ze_module_desc_t of_module = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                        .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                        .inputSize = size,
                                        .pInputModule = binary};
    need(!zeInit(0) && !zeDriverGet(&one, &driver) && !zeDeviceGet(driver, &one, &device) &&
             !zeContextCreate(driver, &of_context, &context) &&
             !zeCommandListCreateImmediate(context, device, &synchronous, &list) &&
             !zeModuleCreate(context, device, &of_module, &module, NULL) &&
             !zeKernelCreate(module, &of_kernel, &kernel),
         "the set-up");
    need(!(strcmp(argv[2], "host") == 0
               ? zeMemAllocHost(context, &on_host, BYTES, 0, (void **)&in)
               : zeMemAllocShared(context, &on_device, &on_host, BYTES, 0, device, (void **)&in)) &&
             !zeMemAllocShared(context, &on_device, &on_host, BYTES, 0, device, (void **)&out),
         "the memory");
    memset(out, 0, BYTES);
    if (strcmp(argv[3], "stored") == 0)
        memset(in, 0, BYTES);
    if (strcmp(argv[3], "filled") == 0)
        need(!zeCommandListAppendMemoryFill(list, in, &zero, sizeof zero, BYTES, NULL, 0, NULL),
             "the fill");
    if (seen) {
        need(!zeMemAllocDevice(context, &on_device, BYTES, 0, device, (void **)&missing),
             "the memory");
        for (int i = 0; i < ITEMS; i++)
            if (i < 40 || (i > 47 && i < 60 && i != 50))
                need(!zeCommandListAppendMemoryCopy(list, missing + i, &zero, sizeof zero, NULL, 0,
                                                    NULL),
                     "the copy");
        out = in;
        in = missing;
    }
    zeKernelSetGroupSize(kernel, ITEMS, 1, 1);
    zeKernelSetArgumentValue(kernel, 0, sizeof out, &out);
    zeKernelSetArgumentValue(kernel, 1, sizeof in, &in);
    zeKernelSetArgumentValue(kernel, 2, sizeof zero, &zero);
    need(!zeCommandListAppendLaunchKernel(list, kernel, &one_group, NULL, 0, NULL), "the launch");
    printf("%d\n", out[0]);
    return 0;
}
