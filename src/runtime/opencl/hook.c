/*
 * libigfxdbgxchg64.so: the functions that Intel's OpenCL runtime calls when it is debugged (version
 * 4 of the interface that compute-runtime describes in igfx_debug_interchange_types.h). See hook.h.
 */
#include "runtime/i915/hook.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, FAILURE = -1, OPTIMIZATION_DISABLED = 1 };

struct target_caps {
    uint32_t version;
    bool local_memory;
};

struct new_device {
    uint32_t version;
    void *device, *driver_device;
};

struct device_destruction {
    uint32_t version;
    void *device;
};

struct hook_option {
    uint32_t version;
    int32_t name;
    uint32_t room;
    char *value;
};

struct source_code {
    uint32_t version;
    void *device;
    const char *text;
    uint32_t size, room;
    char *name;
};

struct kernel_data {
    uint32_t version;
    void *device, *program;
    const char *name;
    const void *code;
    uint32_t code_size;
    const void *elf; /* of the virtual ISA's compiler; the addresses are those of the GPU's code */
    uint32_t elf_size;
    const void *other; /* empty on Gen9 */
    uint32_t other_size;
};

/* Set once, before the runtime is there. */
static const struct drm_hook_ops *to;

EXPORT drm_hook_take wt_drm_hook_take;
EXPORT int isDebuggerActive(void);
EXPORT int init(const struct target_caps *caps);
EXPORT int notifyNewDevice(const struct new_device *device);
EXPORT int notifyDeviceDestruction(const struct device_destruction *device);
EXPORT int getDebuggerOption(struct hook_option *option);
EXPORT int notifySourceCode(struct source_code *source);
EXPORT int notifyKernelDebugData(const struct kernel_data *kernel);

void wt_drm_hook_take(const struct drm_hook_ops *ops)
{
    to = ops;
}

int isDebuggerActive(void)
{
    return to != NULL;
}

int init(const struct target_caps *caps)
{
    return to ? SUCCESS : FAILURE;
}

int notifyNewDevice(const struct new_device *device)
{
    return SUCCESS;
}

int notifyDeviceDestruction(const struct device_destruction *device)
{
    return SUCCESS;
}

/* Programs are compiled with -cl-opt-disable, so that each variable has a place, unless the user
 * keeps their own options. That is said once: Intel's compiler has other results then, now and
 * then. */
int getDebuggerOption(struct hook_option *option)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const char *own = getenv("WAVETRAP_OPENCL_OPTIONS");
    if (option->name != OPTIMIZATION_DISABLED || option->room < 2 ||
        (own && strcmp(own, "keep") == 0))
        return 0;
    if (!atomic_flag_test_and_set(&told))
        fputs(
            "wavetrap: what is compiled of OpenCL C under the debugger has -cl-opt-disable, which "
            "may change results; 'set opencl-options keep' keeps the program's options\n",
            stderr);
    snprintf(option->value, option->room, "1");
    return 1;
}

int notifySourceCode(struct source_code *source)
{
    return to && to->source(source->text, source->size, source->name, source->room) ? SUCCESS
                                                                                    : FAILURE;
}

int notifyKernelDebugData(const struct kernel_data *kernel)
{
    if (!to)
        return FAILURE;
    to->built(kernel->name, kernel->code, kernel->code_size, kernel->elf, kernel->elf_size);
    return SUCCESS;
}
