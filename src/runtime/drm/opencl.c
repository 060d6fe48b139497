/*
 * Intercepts the program's OpenCL calls for facts that the driver cannot see: names of kernels, and
 * sizes of buffers. These functions come before OpenCL's in every program that `exec` starts, and
 * call them.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "object/gen_wire.h"
#include "runtime/common/tally.h"
#include "runtime/drm/i915.h"
#include "runtime/drm/interposed.h"
#include "runtime/drm/kernels.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Of CL/cl.h, and of Intel's extensions (CL_KERNEL_BINARY_GPU_ADDRESS_INTEL). */
enum {
    KERNEL_FUNCTION_NAME = 0x1190,
    KERNEL_PROGRAM = 0x1194,
    PROGRAM_DEBUG_INFO = 0x4100,
    PROGRAM_DEBUG_INFO_SIZES = 0x4101,
    KERNEL_GPU_ADDRESS = 0x10010,
    USE_HOST_PTR = 1 << 3,
    INVALID_OPERATION = -59,
};

#define EXPORT __attribute__((visibility("default")))

static void *next(const char *name)
{
    return drm_next_function("libOpenCL.so.1", name);
}

/* A program's debug data, which a program has that was built with -g for one device. */
static void note_debug(void *program, uint64_t address, const char *name)
{
    static int (*_Atomic info)(void *, unsigned, size_t, void *, size_t *);
    size_t sizes[8] = {0}, filled = 0;
    if (!info)
        *(void *_Atomic *)&info = next("clGetProgramInfo");
    if (!info || info(program, PROGRAM_DEBUG_INFO_SIZES, sizeof sizes, sizes, &filled) ||
        filled != sizeof sizes[0])
        return;
    uint8_t *data = sizes[0] ? malloc(sizes[0]) : NULL;
    const bool got =
        data && !info(program, PROGRAM_DEBUG_INFO, sizeof data, &(uint8_t *[1]){data}, NULL);
    wt_drm_kernel_debug(address, name, data, got ? sizes[0] : 0);
    free(data);
}

static void note_kernel(void *kernel)
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
        return;
    if (!info(kernel, KERNEL_PROGRAM, sizeof program, &program, NULL))
        note_debug(program, address, name);
}

/* Many programs never look at the result: exec's tally counts it. */
static int counted(int result)
{
    char why[WT_TALLY_TEXT];
    snprintf(why, sizeof why, "OpenCL's error %d", result);
    if (result)
        wt_tally_refused(GEN_WIRE_FAMILY, why);
    return result;
}

EXPORT int clEnqueueNDRangeKernel(void *queue, void *kernel, unsigned dimensions,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  unsigned events, const void *list, void *event)
{
    static int (*_Atomic enqueue)(void *, void *, unsigned, const size_t *, const size_t *,
                                  const size_t *, unsigned, const void *, void *);
    if (!enqueue)
        *(void *_Atomic *)&enqueue = next("clEnqueueNDRangeKernel");
    if (!enqueue)
        return INVALID_OPERATION;
    note_kernel(kernel);
    return counted(enqueue(queue, kernel, dimensions, offset, global, local, events, list, event));
}

EXPORT int clEnqueueTask(void *queue, void *kernel, unsigned events, const void *list, void *event)
{
    static int (*_Atomic enqueue)(void *, void *, unsigned, const void *, void *);
    if (!enqueue)
        *(void *_Atomic *)&enqueue = next("clEnqueueTask");
    if (!enqueue)
        return INVALID_OPERATION;
    note_kernel(kernel);
    return counted(enqueue(queue, kernel, events, list, event));
}

/* A buffer in the program's own memory begins anywhere in its first page. */
static void ask(uint64_t flags, size_t size)
{
    wt_i915_ask(flags & USE_HOST_PTR ? 0 : size);
}

EXPORT void *clCreateBuffer(void *context, uint64_t flags, size_t size, void *host, int *error)
{
    static void *(*_Atomic create)(void *, uint64_t, size_t, void *, int *);
    if (!create)
        *(void *_Atomic *)&create = next("clCreateBuffer");
    if (!create) {
        if (error)
            *error = INVALID_OPERATION;
        return NULL;
    }
    ask(flags, size);
    void *buffer = create(context, flags, size, host, error);
    wt_i915_ask(0);
    return buffer;
}

EXPORT void *clSVMAlloc(void *context, uint64_t flags, size_t size, unsigned alignment)
{
    static void *(*_Atomic allocate)(void *, uint64_t, size_t, unsigned);
    if (!allocate)
        *(void *_Atomic *)&allocate = next("clSVMAlloc");
    if (!allocate)
        return NULL;
    ask(0, size);
    void *memory = allocate(context, flags, size, alignment);
    wt_i915_ask(0);
    return memory;
}
