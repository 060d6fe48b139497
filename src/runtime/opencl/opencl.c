/*
 * Intercepts the program's OpenCL calls for facts that the driver cannot see: names of kernels, and
 * sizes of buffers. These functions come before OpenCL's in every program that `exec` starts, and
 * call them.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/gen/gen.h"
#include "object/gen_wire.h"
#include "runtime/common/tally.h"
#include "runtime/i915/defined.h"
#include "runtime/i915/waits.h"
#include "runtime/i915/order.h"
#include "runtime/opencl/handles.h"
#include "runtime/i915/i915.h"
#include "runtime/i915/interposed.h"
#include "runtime/i915/kernels.h"
#include "runtime/opencl/opencl.h"
#include "runtime/opencl/words.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Of CL/cl.h, and of Intel's extensions (CL_KERNEL_BINARY_GPU_ADDRESS_INTEL). */
enum {
    KERNEL_FUNCTION_NAME = 0x1190,
    KERNEL_PROGRAM = 0x1194,
    PROGRAM_BINARY_SIZES = 0x1165,
    PROGRAM_BINARIES = 0x1166,
    PROGRAM_DEBUG_INFO = 0x4100,
    PROGRAM_DEBUG_INFO_SIZES = 0x4101,
    KERNEL_GPU_ADDRESS = 0x10010,
    USE_HOST_PTR = 1 << 3,
    COPY_HOST_PTR = 1 << 5,
    KERNEL_ARG_ADDRESS_QUALIFIER = 0x1196,
    KERNEL_ARG_TYPE_NAME = 0x1198,
    ADDRESS_LOCAL = 0x119c,
    ADDRESS_PRIVATE = 0x119e,
    KERNEL_LOCAL_MEM_SIZE = 0x11b2,
    MEM_READ_ONLY = 1 << 2,
    INVALID_OPERATION = DRM_OPENCL_INVALID_OPERATION,
};

#define EXPORT __attribute__((visibility("default")))

static void *next(const char *name)
{
    return drm_next_function("libOpenCL.so.1", name);
}

/* Hands a program's binary for one device to @p take. */
static void take_binary(void *program, uint64_t address, const char *name,
                        void (*take)(uint64_t, const char *, const uint8_t *, size_t))
{
    static int (*_Atomic info)(void *, unsigned, size_t, void *, size_t *);
    size_t sizes[8] = {0}, filled = 0;
    if (!info)
        *(void *_Atomic *)&info = next("clGetProgramInfo");
    if (!info || info(program, PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &filled) ||
        filled != sizeof sizes[0])
        return;
    uint8_t *binary = sizes[0] ? malloc(sizes[0]) : NULL;
    if (binary && !info(program, PROGRAM_BINARIES, sizeof binary, &(uint8_t *[1]){binary}, NULL))
        take(address, name, binary, sizes[0]);
    free(binary);
}

/* A program's constant memory, for checks. */
static void take_constants(uint64_t address, const char *name, const uint8_t *binary, size_t size)
{
    (void)name;
    wt_drm_kernel_constants(address, binary, size);
}

/* A program's debug data, which a program has that was built with -g for one device. Whether it is
 * new. */
static bool note_debug(void *program, uint64_t address, const char *name)
{
    static int (*_Atomic info)(void *, unsigned, size_t, void *, size_t *);
    size_t sizes[8] = {0}, filled = 0;
    if (!info)
        *(void *_Atomic *)&info = next("clGetProgramInfo");
    if (!info || info(program, PROGRAM_DEBUG_INFO_SIZES, sizeof sizes, sizes, &filled) ||
        filled != sizeof sizes[0])
        return false;
    uint8_t *data = sizes[0] ? malloc(sizes[0]) : NULL;
    const bool got =
        data && !info(program, PROGRAM_DEBUG_INFO, sizeof data, &(uint8_t *[1]){data}, NULL);
    const bool is_new = wt_drm_kernel_debug(address, name, data, got ? sizes[0] : 0);
    if (is_new && wt_check_wants(WT_CHECK_MEMORY))
        take_binary(program, address, name, take_constants);
    free(data);
    return is_new;
}

/* ---- local memory that a kernel asks for, for checks ---- */

static void note_asked(void *kernel, uint64_t address)
{
    static int (*_Atomic info)(void *, void *, unsigned, size_t, void *, size_t *);
    uint64_t bytes = 0;
    if (!info)
        *(void *_Atomic *)&info = next("clGetKernelWorkGroupInfo");
    if (!wt_check_wants(WT_CHECK_MEMORY) || !info ||
        info(kernel, NULL, KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL))
        return;
    bytes = drm_local_bytes(kernel, bytes);
    if (bytes && bytes <= GEN_SLM_BYTES)
        wt_drm_kernel_local(address, (uint32_t)bytes);
}

/* A size without a value is that of a local argument, or that of a pointer that is null. */
static bool is_local(void *kernel, unsigned index, size_t size)
{
    static int (*_Atomic info)(void *, unsigned, unsigned, size_t, void *, size_t *);
    unsigned qualifier = ADDRESS_LOCAL;
    if (!info)
        *(void *_Atomic *)&info = next("clGetKernelArgInfo");
    if (info && size == sizeof(void *))
        info(kernel, index, KERNEL_ARG_ADDRESS_QUALIFIER, sizeof qualifier, &qualifier, NULL);
    return qualifier == ADDRESS_LOCAL;
}

/* The bytes of an argument of a type that OpenCL C defines, by its name; 0: of another one. */
static size_t size_of_type(const char *name)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"half", 2},  {"int", 4},
                 {"uint", 4}, {"float", 4}, {"long", 8},  {"ulong", 8},  {"double", 8}};
    const size_t length = strcspn(name, "0123456789");
    char *end = NULL;
    const unsigned long count = name[length] ? strtoul(name + length, &end, 10) : 1;
    if (end && *end)
        return 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && !strncmp(types[i].name, name, length))
            return types[i].size * (count == 3 ? 4 : count);
    return 0;
}

/* OpenCL refuses an argument that has not the size of its type; Intel's runtime takes it. */
static void check_size(void *kernel, unsigned index, size_t size)
{
    static int (*_Atomic info)(void *, unsigned, unsigned, size_t, void *, size_t *);
    unsigned qualifier = 0;
    char type[80];
    if (!info)
        *(void *_Atomic *)&info = next("clGetKernelArgInfo");
    if (!info ||
        info(kernel, index, KERNEL_ARG_ADDRESS_QUALIFIER, sizeof qualifier, &qualifier, NULL) ||
        qualifier != ADDRESS_PRIVATE ||
        info(kernel, index, KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL))
        return;
    const size_t right = size_of_type(type);
    if (right && right != size)
        wt_checked_call(WT_FOUND_ARGUMENT_SIZE, NULL,
                        "clSetKernelArg: argument %u is %s, of %zu bytes, and gets %zu", index,
                        type, right, size);
}

EXPORT int clSetKernelArg(void *kernel, unsigned index, size_t size, const void *value)
{
    IS_CALL
    static int (*_Atomic set)(void *, unsigned, size_t, const void *);
    if (!set)
        *(void *_Atomic *)&set = next("clSetKernelArg");
    if (!set)
        return INVALID_OPERATION;
    if (!drm_opencl_has("clSetKernelArg", kernel, DRM_KERNEL))
        return DRM_OPENCL_INVALID_KERNEL;
    void *handle = NULL;
    if (value && size == sizeof handle)
        memcpy(&handle, value, sizeof handle);
    const int status = drm_opencl_used("clSetKernelArg", set(kernel, index, size, value), handle);
    if (!status && value && wt_check_wants(WT_CHECK_API))
        check_size(kernel, index, size);
    if (!status && !value && wt_check_wants(WT_CHECK_MEMORY))
        drm_local_argument(kernel, index, is_local(kernel, index, size) ? size : 0);
    return status;
}

EXPORT void *clCreateKernel(void *program, const char *name, int *error)
{
    IS_CALL
    static void *(*_Atomic create)(void *, const char *, int *);
    int status = INVALID_OPERATION;
    if (!error)
        error = &status;
    if (!create)
        *(void *_Atomic *)&create = next("clCreateKernel");
    if (!create)
        *error = INVALID_OPERATION;
    void *kernel = create ? create(program, name, error) : NULL;
    drm_local_forget(kernel);
    return drm_opencl_made("clCreateKernel", kernel, 0, error, program);
}

/* ---- kernels ---- */

/* Returns its address; 0: it is not known. */
static uint64_t note_kernel(void *kernel)
{
    static int (*_Atomic info)(void *, unsigned, size_t, void *, size_t *);
    char name[200];
    uint64_t address = 0;
    void *program = NULL;
    if (!info)
        *(void *_Atomic *)&info = next("clGetKernelInfo");
    if (info && drm_has_one_gpu() &&
        !info(kernel, KERNEL_GPU_ADDRESS, sizeof address, &address, NULL) &&
        !info(kernel, KERNEL_FUNCTION_NAME, sizeof name, name, NULL))
        wt_drm_kernel_is(address, name, NULL);
    else
        return 0;
    note_asked(kernel, address);
    if (info(kernel, KERNEL_PROGRAM, sizeof program, &program, NULL))
        return address;
    const bool is_new = note_debug(program, address, name);
    if (is_new || !wt_drm_kernel_knows_private(address))
        take_binary(program, address, name, wt_drm_kernel_program);
    return address;
}

/* Whether a launch has groups of one size: others are several walks. */
static bool is_one_walk(unsigned dimensions, const size_t *items, const size_t *group)
{
    bool whole = true;
    for (unsigned i = 0; i < dimensions && items && group; i++)
        whole &= group[i] && items[i] % group[i] == 0;
    return whole;
}

/* Many programs never look at the result: exec's tally counts it. */
static int counted(const char *by, int result, void *event)
{
    char why[WT_TALLY_TEXT];
    snprintf(why, sizeof why, "OpenCL's error %d", result);
    if (result)
        wt_tally_refused(GEN_WIRE_FAMILY, why);
    return drm_opencl_enqueued(by, result, event);
}

#define LAUNCH(words, name, one_walk, number, list, event)                                         \
    EXPORT int name(WORDS##words)                                                                  \
    {                                                                                              \
        OWN(int, words, name)                                                                      \
        if (!own)                                                                                  \
            return INVALID_OPERATION;                                                              \
        if (!drm_opencl_has(#name, (void *)a, DRM_QUEUE))                                          \
            return DRM_OPENCL_INVALID_COMMAND_QUEUE;                                               \
        if (!drm_opencl_has(#name, (void *)b, DRM_KERNEL))                                         \
            return DRM_OPENCL_INVALID_KERNEL;                                                      \
        const uint64_t kernel = note_kernel((void *)b);                                            \
        struct drm_order_command command = {.queue = (void *)a,                                    \
                                            .by = #name,                                           \
                                            .kernel = (one_walk) ? kernel : 0,                     \
                                            .count = (unsigned)(number),                           \
                                            .events = (void *)(list)};                             \
        drm_order_enqueue(&command);                                                               \
        drm_waits_command(&command, __builtin_return_address(0));                                  \
        const int result = counted(#name, own(NAMES##words), (void *)event);                       \
        if (result)                                                                                \
            drm_waits_failed(&command, __builtin_return_address(0));                               \
        drm_order_enqueued(&command, !result, (void *)event, false);                               \
        return result;                                                                             \
    }
LAUNCH(9, clEnqueueNDRangeKernel, is_one_walk((unsigned)c, (const size_t *)e, (const size_t *)f), g,
       h, i)
LAUNCH(5, clEnqueueTask, true, c, d, e)

/* A buffer in the program's own memory begins anywhere in its first page. The runtime's own kernels
 * fill read-only buffers: they are told apart where there is one GPU. */
static void ask_buffer(uint64_t flags, size_t size, uint64_t own, const char *by)
{
    const bool read_only = flags & MEM_READ_ONLY && drm_has_one_gpu();
    wt_i915_ask(own ? 0 : size);
    if (wt_check_wants(WT_CHECK_MEMORY) && own)
        wt_i915_ask_own(own, size, by, read_only);
    else if (wt_check_wants(WT_CHECK_MEMORY))
        wt_i915_ask_object(by, read_only);
}

static void note_buffer(const void *buffer, size_t size, uint64_t flags, uint64_t own)
{
    enum { PAGE = 4096 };
    drm_buffer_made(buffer, wt_i915_asked_of(), wt_i915_asked_object(), own % PAGE);
    wt_i915_ask(0);
    if (buffer && flags & (USE_HOST_PTR | COPY_HOST_PTR))
        drm_defined_buffer(buffer, size);
    if (buffer && own)
        drm_order_shared(own, size, false);
}

#define BUFFER(count, name, flags, size, host, error)                                              \
    EXPORT void *name(WORDS##count)                                                                \
    {                                                                                              \
        OWN(void *, count, name)                                                                   \
        int status = INVALID_OPERATION;                                                            \
        error = error ? error : (word)&status;                                                     \
        if (!own) {                                                                                \
            *(int *)error = status;                                                                \
            return NULL;                                                                           \
        }                                                                                          \
        const word memory = flags & USE_HOST_PTR ? host : 0;                                       \
        ask_buffer(flags, size, memory, #name);                                                    \
        void *const buffer = own(NAMES##count);                                                    \
        note_buffer(buffer, size, flags, memory);                                                  \
        return drm_opencl_made(#name, buffer, size, (int *)error, (void *)a);                      \
    }
BUFFER(5, clCreateBuffer, b, c, d, e)
BUFFER(6, clCreateBufferWithProperties, c, d, e, f)

EXPORT void *clSVMAlloc(void *context, uint64_t flags, size_t size, unsigned alignment)
{
    IS_CALL
    static void *(*_Atomic allocate)(void *, uint64_t, size_t, unsigned);
    if (!allocate)
        *(void *_Atomic *)&allocate = next("clSVMAlloc");
    if (!allocate)
        return NULL;
    wt_i915_ask(size);
    void *memory = allocate(context, flags, drm_memory_asked(size, true), alignment);
    wt_i915_ask(0);
    drm_memory_made(memory, size, "clSVMAlloc", true);
    return memory;
}

/* The context stays meanwhile. */
static void release(void *context, uint64_t memory)
{
    void (*free_memory)(void *, void *);
    int (*release_context)(void *);
    *(void **)&free_memory = next("clSVMFree");
    *(void **)&release_context = next("clReleaseContext");
    free_memory(context, drm_memory_at(memory));
    release_context(context);
}

EXPORT void clSVMFree(void *context, void *memory)
{
    IS_CALL
    static void (*_Atomic free_memory)(void *, void *);
    if (!free_memory)
        *(void *_Atomic *)&free_memory = next("clSVMFree");
    if (!free_memory)
        return;
    int (*retain)(void *);
    const enum drm_freed freed = drm_memory_freed(memory, "clSVMFree");
    *(void **)&retain = freed == DRM_KEEP ? next("clRetainContext") : NULL;
    if (freed == DRM_KEEP && retain && !retain(context))
        drm_memory_keep(memory, release, context);
    else if (freed != DRM_MISTAKE)
        free_memory(context, memory);
}
