/* A kernel of races.cl's with barriers of sub-groups, in Level Zero: sub_groups_ze FILE KERNEL,
 * where the file is SPIR-V or a native module. */
#include "ze.h"

enum { ITEMS = 32, BYTES = ITEMS * sizeof(int) };

int main(int argc, char **argv)
{
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *out;
    need(argc == 3, "reading the arguments");
    find_device(argv[1]);
    ze_kernel_handle_t kernel = own_kernel(argv[2], ITEMS);
    need(!zeMemAllocDevice(context, &on_device, BYTES, 0, device, &out), "the memory");
    zeKernelSetArgumentValue(kernel, 0, sizeof out, &out);
    run_kernel(kernel);
    return 0;
}
