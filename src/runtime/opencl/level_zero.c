/*
 * Intercepts the program's Level Zero calls for facts that the driver cannot see: names of kernels,
 * their debug data, and sizes of memory. These functions come before those of Level Zero's loader
 * in every program that `exec` starts, and call them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/gen/gen.h"
#include "runtime/opencl/handles.h"
#include "runtime/i915/i915.h"
#include "runtime/i915/interposed.h"
#include "runtime/i915/kernels.h"
#include "runtime/opencl/level_zero.h"
#include "runtime/opencl/spirv.h"
#include "runtime/opencl/words.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Of level_zero/ze_api.h, zet_api.h and loader/ze_loader.h. */
enum {
    HANDLE_KERNEL = 11,
    INVALID_ARGUMENT = 0x78000004,
    DEBUG_INFO_ELF_DWARF = 0,
    KERNEL_PROPERTIES = 30,
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
    return drm_next_function(DRM_ZE_LIBRARY, name);
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

/* For init: where the arrays of work-items lie; for race: whether groups have one size. */
static void note_program(void *module, uint64_t address, const char *name)
{
    int (*binary_of)(void *, size_t *, uint8_t *);
    size_t size = 0;
    *(void **)&binary_of = next("zeModuleGetNativeBinary");
    if (!binary_of || binary_of(module, &size, NULL))
        return;
    uint8_t *binary = size ? malloc(size) : NULL;
    if (binary && !binary_of(module, &size, binary))
        wt_drm_kernel_program(address, name, binary, size);
    free(binary);
}

/* The name of a status where programs meet it; NULL: it has none here. */
static const char *status_name(int status)
{
    switch ((unsigned)status) {
#define NAME(number, name)                                                                         \
    case number:                                                                                   \
        return "ZE_RESULT_ERROR_" name;
        NAME(0x70000001, "DEVICE_LOST")
        NAME(0x70000002, "OUT_OF_HOST_MEMORY")
        NAME(0x70000003, "OUT_OF_DEVICE_MEMORY")
        NAME(0x70000004, "MODULE_BUILD_FAILURE")
        NAME(0x78000001, "UNINITIALIZED")
        NAME(0x78000003, "UNSUPPORTED_FEATURE")
        NAME(0x78000004, "INVALID_ARGUMENT")
        NAME(0x78000005, "INVALID_NULL_HANDLE")
        NAME(0x78000006, "HANDLE_OBJECT_IN_USE")
        NAME(0x78000007, "INVALID_NULL_POINTER")
        NAME(0x78000008, "INVALID_SIZE")
        NAME(0x78000009, "UNSUPPORTED_SIZE")
        NAME(0x7800000a, "UNSUPPORTED_ALIGNMENT")
        NAME(0x7800000c, "INVALID_ENUMERATION")
        NAME(0x7800000f, "INVALID_NATIVE_BINARY")
        NAME(0x78000011, "INVALID_KERNEL_NAME")
        NAME(0x78000013, "INVALID_GROUP_SIZE_DIMENSION")
        NAME(0x78000014, "INVALID_GLOBAL_WIDTH_DIMENSION")
        NAME(0x78000015, "INVALID_KERNEL_ARGUMENT_INDEX")
        NAME(0x78000016, "INVALID_KERNEL_ARGUMENT_SIZE")
        NAME(0x7ffffffe, "UNKNOWN")
#undef NAME
    default:
        return NULL;
    }
}

int drm_ze_returned(const char *by, int status)
{
    if ((unsigned)status >= 0x70000000u)
        drm_call_failed(by, status_name(status), status);
    return status;
}

/* ---- arguments of kernels, for checks ---- */

struct module_desc {
    int type;
    const void *next;
    int format; /* 0: SPIR-V */
    size_t size;
    const uint8_t *bytes;
};

/* A module of SPIR-V, or a kernel of one. */
struct ze_described {
    const void *handle;
    uint32_t *words; /* words of a module; the sizes of a kernel's arguments */
    size_t count;
};

static struct {
    pthread_mutex_t lock;
    struct ze_described *list;
    size_t count, room;
} described = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The lock is held. */
static struct ze_described *find_described(const void *handle)
{
    for (size_t i = 0; i < described.count; i++)
        if (described.list[i].handle == handle)
            return &described.list[i];
    return NULL;
}

static void forget(const void *handle)
{
    pthread_mutex_lock(&described.lock);
    struct ze_described *d = find_described(handle);
    if (d) {
        free(d->words);
        *d = described.list[--described.count];
    }
    pthread_mutex_unlock(&described.lock);
}

/* Takes @p words. Without host memory less is known. */
static void describe(const void *handle, uint32_t *words, size_t count)
{
    forget(handle);
    pthread_mutex_lock(&described.lock);
    struct ze_described *grown =
        wt_array_grow(described.list, &described.room, described.count + 1, sizeof *described.list);
    if (grown) {
        described.list = grown;
        grown[described.count++] = (struct ze_described){handle, words, count};
    } else {
        free(words);
    }
    pthread_mutex_unlock(&described.lock);
}

static void note_module(const void *module, const struct module_desc *d)
{
    const bool wanted = wt_check_wants(WT_CHECK_API) || wt_check_wants(WT_CHECK_RACE) ||
                        wt_check_wants(WT_CHECK_SYNC);
    uint32_t *words = wanted && d && !d->format && d->bytes && d->size ? malloc(d->size) : NULL;
    if (words)
        describe(module, memcpy(words, d->bytes, d->size), d->size / sizeof *words);
}

static void note_kernel(const void *kernel, const void *module, const char *name)
{
    enum { MOST = 256 };
    uint32_t *sizes = wt_check_wants(WT_CHECK_API) ? calloc(MOST, sizeof *sizes) : NULL;
    size_t count = 0;
    pthread_mutex_lock(&described.lock);
    const struct ze_described *m = find_described(module);
    if (sizes && m)
        count = drm_spirv_arguments(m->words, m->count, name, sizes, MOST);
    pthread_mutex_unlock(&described.lock);
    if (count)
        describe(kernel, sizes, count);
    else
        free(sizes);
}

/* Native binaries have no SPIR-V. */
static void note_barriers(const void *module, uint64_t address, const char *name)
{
    pthread_mutex_lock(&described.lock);
    const struct ze_described *m = find_described(module);
    if (m && (wt_check_wants(WT_CHECK_RACE) || wt_check_wants(WT_CHECK_SYNC)))
        wt_drm_kernel_module(address, name, (const uint8_t *)m->words, m->count * sizeof *m->words);
    pthread_mutex_unlock(&described.lock);
}

/* Intel's runtime takes every size. */
static void check_size(const void *kernel, uint32_t index, size_t size)
{
    pthread_mutex_lock(&described.lock);
    const struct ze_described *k = find_described(kernel);
    const uint32_t right = k && index < k->count ? k->words[index] : 0;
    pthread_mutex_unlock(&described.lock);
    if (right && right != size)
        wt_checked_call(WT_FOUND_ARGUMENT_SIZE, NULL,
                        "zeKernelSetArgumentValue: argument %u has %u bytes, and gets %zu", index,
                        right, size);
}

/* ---- kernels ---- */

/* module, description, kernel */
EXPORT int zeKernelCreate(WORDS3)
{
    OWN(int, 3, zeKernelCreate)
    int (*get_address)(void *, uint64_t *);
    uint64_t address = 0;
    const int result = own ? drm_ze_returned("zeKernelCreate", own(NAMES3)) : DRM_ZE_UNINITIALIZED;
    if (result)
        return result;
    const char *name = ((const struct kernel_desc *)b)->name;
    void *const module = (void *)a, *const kernel = *(void **)c;
    drm_local_forget(kernel);
    note_kernel(kernel, module, name);
    if (!drm_has_one_gpu() || !(get_address = base_address_function()) ||
        get_address(driver_handle(kernel), &address))
        return 0;
    wt_drm_kernel_is(address, name, module);
    note_debug(module, address, name);
    note_program(module, address, name);
    note_barriers(module, address, name);
    return 0;
}

EXPORT int zeModuleCreate(WORDS5)
{
    OWN(int, 5, zeModuleCreate)
    const int result = own ? drm_ze_returned("zeModuleCreate", own(NAMES5)) : DRM_ZE_UNINITIALIZED;
    if (!result) {
        drm_handle_made(*(void **)d, 0, "zeModuleCreate");
        note_module(*(void **)d, (const struct module_desc *)c);
    }
    return result;
}

EXPORT int zeModuleDestroy(WORDS1)
{
    OWN(int, 1, zeModuleDestroy)
    /* Another thread's module may get the handle and the addresses as soon as they are free. */
    wt_drm_kernels_forget((void *)a);
    forget((void *)a);
    drm_handle_released((void *)a, "zeModuleDestroy");
    return own ? drm_ze_returned("zeModuleDestroy", own(NAMES1)) : DRM_ZE_UNINITIALIZED;
}

/* A size without a value is that of a local argument, or that of a pointer that is null. */
EXPORT int zeKernelSetArgumentValue(WORDS4)
{
    OWN(int, 4, zeKernelSetArgumentValue)
    const int result =
        own ? drm_ze_returned("zeKernelSetArgumentValue", own(NAMES4)) : DRM_ZE_UNINITIALIZED;
    if (!result && wt_check_wants(WT_CHECK_MEMORY))
        drm_local_argument((void *)a, (unsigned)b, d ? 0 : c);
    if (!result && d)
        check_size((void *)a, (uint32_t)b, c);
    return result;
}

EXPORT int zeKernelDestroy(WORDS1)
{
    OWN(int, 1, zeKernelDestroy)
    forget((void *)a);
    return own ? drm_ze_returned("zeKernelDestroy", own(NAMES1)) : DRM_ZE_UNINITIALIZED;
}

uint64_t drm_ze_launching(void *kernel)
{
    struct { /* ze_kernel_properties_t */
        int type;
        const void *next;
        uint32_t before[8], local, behind[30];
    } properties = {.type = KERNEL_PROPERTIES};
    int (*info)(void *, void *);
    int (*get_address)(void *, uint64_t *) = base_address_function();
    uint64_t address, bytes;
    *(void **)&info = next("zeKernelGetProperties");
    if (!wt_check_wants(WT_CHECK_MEMORY) || !drm_has_one_gpu() || !info || !get_address ||
        info(kernel, &properties) || get_address(driver_handle(kernel), &address))
        return 0;
    bytes = drm_local_bytes(kernel, properties.local);
    if (bytes && bytes <= GEN_SLM_BYTES)
        wt_drm_kernel_local(address, (uint32_t)bytes);
    return address;
}

/* ---- memory ---- */

#define ALLOCATES(count, name, size, memory, of_host)                                              \
    EXPORT int name(WORDS##count)                                                                  \
    {                                                                                              \
        OWN(int, count, name)                                                                      \
        if (!own)                                                                                  \
            return DRM_ZE_UNINITIALIZED;                                                           \
        const word bytes = size;                                                                   \
        wt_i915_ask(size);                                                                         \
        size = drm_memory_asked(size, of_host);                                                    \
        const int result = own(NAMES##count);                                                      \
        wt_i915_ask(0);                                                                            \
        if (!result)                                                                               \
            drm_memory_made(*(void **)memory, bytes, #name, of_host);                              \
        return drm_ze_returned(#name, result);                                                     \
    }
ALLOCATES(6, zeMemAllocDevice, c, f, false)
ALLOCATES(5, zeMemAllocHost, c, e, true)
ALLOCATES(7, zeMemAllocShared, d, g, true)

/* The memory of a context goes with it: it stays while some is kept. */
static atomic_bool keeps;

static void release(void *context, uint64_t memory)
{
    int (*free_memory)(void *, void *);
    *(void **)&free_memory = next("zeMemFree");
    free_memory(context, drm_memory_at(memory));
}

EXPORT int zeMemFree(WORDS2)
{
    OWN(int, 2, zeMemFree)
    if (!own)
        return DRM_ZE_UNINITIALIZED;
    switch (drm_memory_freed((void *)b, "zeMemFree")) {
    case DRM_MISTAKE:
        return INVALID_ARGUMENT;
    case DRM_KEEP:
        atomic_store(&keeps, true);
        drm_memory_keep((void *)b, release, (void *)a);
        return 0;
    default:
        return drm_ze_returned("zeMemFree", own(NAMES2));
    }
}

EXPORT int zeContextDestroy(WORDS1)
{
    OWN(int, 1, zeContextDestroy)
    if (!own)
        return DRM_ZE_UNINITIALIZED;
    return atomic_load(&keeps) ? 0 : drm_ze_returned("zeContextDestroy", own(NAMES1));
}

/* ---- calls that make something, and its end ---- */

#define MAKE(count, name, made)                                                                    \
    EXPORT int name(WORDS##count)                                                                  \
    {                                                                                              \
        OWN(int, count, name)                                                                      \
        const int result = own ? drm_ze_returned(#name, own(NAMES##count)) : DRM_ZE_UNINITIALIZED; \
        if (!result)                                                                               \
            drm_handle_made(*(void **)made, 0, #name);                                             \
        return result;                                                                             \
    }
MAKE(5, zeEventPoolCreate, e)

EXPORT int zeEventPoolDestroy(WORDS1)
{
    OWN(int, 1, zeEventPoolDestroy)
    drm_handle_released((void *)a, "zeEventPoolDestroy");
    return own ? drm_ze_returned("zeEventPoolDestroy", own(NAMES1)) : DRM_ZE_UNINITIALIZED;
}

/* How many bytes an image has that has no tiles: one of lines. 0: it may have tiles, or nobody
 * knows. */
static uint64_t bytes_of_lines(const void *description, void *image)
{
    enum { TYPE_1D, TYPE_1D_ARRAY, MEMORY = 0x20007 };
    const struct { /* ze_image_desc_t */
        int type;
        const void *next;
        uint32_t flags;
        int kind, format[6];
        uint64_t width;
        uint32_t height, depth, layers;
    } *d = description;
    struct { /* ze_image_memory_properties_exp_t */
        int type;
        const void *next;
        uint64_t size, row, slice;
    } memory = {.type = MEMORY};
    int (*properties)(void *, void *);
    *(void **)&properties = next("zeImageGetMemoryPropertiesExp");
    if (d->kind > TYPE_1D_ARRAY || !properties || properties(image, &memory))
        return 0;
    return memory.row * (d->kind == TYPE_1D_ARRAY && d->layers ? d->layers : 1);
}

/* context, device, description, image */
EXPORT int zeImageCreate(WORDS4)
{
    static const char name[] = "zeImageCreate";
    uint64_t size, lead;
    OWN(int, 4, zeImageCreate)
    wt_i915_ask(0);
    const int result = own ? drm_ze_returned(name, own(NAMES4)) : DRM_ZE_UNINITIALIZED;
    if (result)
        return result;
    size = wt_checks_wanted() ? bytes_of_lines((void *)c, *(void **)d) : 0;
    if (wt_i915_image_made(name, 0, &size, &lead))
        drm_buffer_made(*(void **)d, wt_i915_asked_of(), wt_i915_asked_object(), lead);
    else
        drm_buffer_made(*(void **)d, NULL, 0, 0); /* the handle may have been another one's */
    return 0;
}

/* ---- calls with a status ---- */

#define STATUS(count, name)                                                                        \
    EXPORT int name(WORDS##count)                                                                  \
    {                                                                                              \
        OWN(int, count, name)                                                                      \
        return own ? drm_ze_returned(#name, own(NAMES##count)) : DRM_ZE_UNINITIALIZED;             \
    }
STATUS(4, zeKernelSetGroupSize)
