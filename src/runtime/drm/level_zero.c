/*
 * Intercepts the program's Level Zero calls for facts that the driver cannot see: names of kernels,
 * their debug data, and sizes of memory. These functions come before those of Level Zero's loader
 * in every program that `exec` starts, and call them.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/drm/i915.h"
#include "runtime/drm/interposed.h"
#include "runtime/drm/kernels.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Of level_zero/ze_api.h, zet_api.h and loader/ze_loader.h. */
enum {
    UNINITIALIZED = 0x78000001,
    HANDLE_KERNEL = 11,
    DEBUG_INFO_ELF_DWARF = 0,
};

struct kernel_desc {
    int type;
    const void *next;
    uint32_t flags;
    const char *name;
};

#define EXPORT __attribute__((visibility("default")))

static void *next(const char *name)
{
    return drm_next_function("libze_loader.so.1", name);
}

/* Intel's own extension (zexKernelGetBaseAddress), which the loader passes through. */
static int (*base_address_function(void))(void *kernel, uint64_t *address)
{
    static int (*_Atomic function)(void *, uint64_t *);
    int (*get_driver)(uint32_t *, void **);
    int (*get_function)(void *, const char *, void **);
    uint32_t count = 1;
    void *driver = NULL, *found = NULL;
    if (function)
        return function;
    *(void **)&get_driver = next("zeDriverGet");
    *(void **)&get_function = next("zeDriverGetExtensionFunctionAddress");
    if (get_driver && get_function && !get_driver(&count, &driver) &&
        !get_function(driver, "zexKernelGetBaseAddress", &found))
        *(void *_Atomic *)&function = found;
    return function;
}

/* The extension takes the driver's handle; the loader may have wrapped it in one of its own. */
static void *driver_handle(void *kernel)
{
    int (*translate)(int, void *, void **);
    void *inner = NULL;
    *(void **)&translate = next("zelLoaderTranslateHandle");
    return translate && !translate(HANDLE_KERNEL, kernel, &inner) && inner ? inner : kernel;
}

/* The debug data of a module, which it has if it was built with -g. */
static void note_debug(void *module, uint64_t address, const char *name)
{
    int (*info)(void *, int, size_t *, uint8_t *);
    size_t size = 0;
    *(void **)&info = next("zetModuleGetDebugInfo");
    if (!info || info(module, DEBUG_INFO_ELF_DWARF, &size, NULL))
        return;
    uint8_t *data = size ? malloc(size) : NULL;
    const bool got = data && !info(module, DEBUG_INFO_ELF_DWARF, &size, data);
    wt_drm_kernel_debug(address, name, data, got ? size : 0);
    free(data);
}

EXPORT int zeKernelCreate(void *module, const struct kernel_desc *description, void **kernel)
{
    static int (*_Atomic create)(void *, const struct kernel_desc *, void **);
    int (*get_address)(void *, uint64_t *);
    uint64_t address = 0;
    if (!create)
        *(void *_Atomic *)&create = next("zeKernelCreate");
    if (!create)
        return UNINITIALIZED;
    const int result = create(module, description, kernel);
    if (result || !drm_has_one_gpu() || !(get_address = base_address_function()) ||
        get_address(driver_handle(*kernel), &address))
        return result;
    wt_drm_kernel_is(address, description->name, module);
    note_debug(module, address, description->name);
    return result;
}

EXPORT int zeModuleDestroy(void *module)
{
    static int (*_Atomic destroy)(void *);
    if (!destroy)
        *(void *_Atomic *)&destroy = next("zeModuleDestroy");
    if (!destroy)
        return UNINITIALIZED;
    /* Another thread's module may get the handle and the addresses as soon as they are free. */
    wt_drm_kernels_forget(module);
    return destroy(module);
}

EXPORT int zeMemAllocDevice(void *context, const void *description, size_t size, size_t alignment,
                            void *device, void **memory)
{
    static int (*_Atomic allocate)(void *, const void *, size_t, size_t, void *, void **);
    if (!allocate)
        *(void *_Atomic *)&allocate = next("zeMemAllocDevice");
    if (!allocate)
        return UNINITIALIZED;
    wt_i915_ask(size);
    const int result = allocate(context, description, size, alignment, device, memory);
    wt_i915_ask(0);
    return result;
}

EXPORT int zeMemAllocHost(void *context, const void *description, size_t size, size_t alignment,
                          void **memory)
{
    static int (*_Atomic allocate)(void *, const void *, size_t, size_t, void **);
    if (!allocate)
        *(void *_Atomic *)&allocate = next("zeMemAllocHost");
    if (!allocate)
        return UNINITIALIZED;
    wt_i915_ask(size);
    const int result = allocate(context, description, size, alignment, memory);
    wt_i915_ask(0);
    return result;
}

EXPORT int zeMemAllocShared(void *context, const void *on_device, const void *on_host, size_t size,
                            size_t alignment, void *device, void **memory)
{
    static int (*_Atomic allocate)(void *, const void *, const void *, size_t, size_t, void *,
                                   void **);
    if (!allocate)
        *(void *_Atomic *)&allocate = next("zeMemAllocShared");
    if (!allocate)
        return UNINITIALIZED;
    wt_i915_ask(size);
    const int result = allocate(context, on_device, on_host, size, alignment, device, memory);
    wt_i915_ask(0);
    return result;
}
