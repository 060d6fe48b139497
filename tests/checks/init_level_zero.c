/* Memory of Level Zero that both sides see: init_level_zero FILE.spv host|shared
 * bad|stored|filled|seen. In a bad run nobody writes what the kernel `compare` of init.cl branches
 * on. In the last one the kernel `add_one` takes numbers of which 40 to 47, 50 and 60 to 63 are
 * missing. */
#include "ze.h"

enum { ITEMS = 64, BYTES = ITEMS * sizeof(int) };

int main(int argc, char **argv)
{
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    const int seen = argc > 3 && strcmp(argv[3], "seen") == 0, zero = 0;
    int *in, *out, *missing;
    need(argc == 4, "reading the arguments");
    find_device(argv[1]);
    ze_kernel_handle_t kernel = own_kernel(seen ? "add_one" : "compare", ITEMS);
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
    zeKernelSetArgumentValue(kernel, 0, sizeof out, &out);
    zeKernelSetArgumentValue(kernel, 1, sizeof in, &in);
    zeKernelSetArgumentValue(kernel, 2, sizeof zero, &zero);
    run_kernel(kernel);
    printf("%d\n", out[0]);
    return 0;
}
