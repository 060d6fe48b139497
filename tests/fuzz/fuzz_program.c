/* Fuzz target: the binary of an OpenCL program, in which its constant memory is looked for; also as
 * the debug data of a kernel. */
#include <stdlib.h>

#include "runtime/i915/kernels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { KERNEL = 0x1000 };
    static const char owner;
    volatile uint8_t sum = 0;
    size_t length = 0;
    wt_drm_kernel_is(KERNEL, "k", &owner);
    wt_drm_kernel_constants(KERNEL, data, size);
    uint8_t *constants = wt_drm_kernel_constants_copy(KERNEL, &length);
    if (constants && length > size)
        __builtin_trap();
    for (size_t i = 0; constants && i < length; i++)
        sum ^= constants[i];
    free(constants);
    wt_drm_kernel_debug(KERNEL, "k", data, size);
    free(wt_drm_kernel_elf(KERNEL, &length));
    wt_drm_kernels_forget(&owner);
    return 0;
}
