/*
 * Intercepts the program's OpenCL calls for checks: what it makes and releases, and calls that
 * fail. opencl.c has those of which the driver must know more.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "runtime/common/checked.h"
#include "runtime/i915/defined.h"
#include "runtime/i915/order.h"
#include "runtime/opencl/handles.h"
#include "runtime/i915/i915.h"
#include "runtime/i915/interposed.h"
#include "runtime/i915/waits.h"
#include "runtime/opencl/opencl.h"
#include "runtime/opencl/words.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define EXPORT __attribute__((visibility("default")))

/* CL/cl.h */
enum {
    INVALID_CONTEXT = -34,
    INVALID_SAMPLER = -41,
    INVALID_KERNEL_ARGS = -52, /* of a launch: an argument was not set */
};

static void *next(const char *name)
{
    return drm_next_function("libOpenCL.so.1", name);
}

/* Of CL/cl.h: the statuses -1 and below, and from -30 on. */
static const char *status_name(int status)
{
    static const char *const low[] = {"DEVICE_NOT_FOUND",
                                      "DEVICE_NOT_AVAILABLE",
                                      "COMPILER_NOT_AVAILABLE",
                                      "MEM_OBJECT_ALLOCATION_FAILURE",
                                      "OUT_OF_RESOURCES",
                                      "OUT_OF_HOST_MEMORY",
                                      "PROFILING_INFO_NOT_AVAILABLE",
                                      "MEM_COPY_OVERLAP",
                                      "IMAGE_FORMAT_MISMATCH",
                                      "IMAGE_FORMAT_NOT_SUPPORTED",
                                      "BUILD_PROGRAM_FAILURE",
                                      "MAP_FAILURE",
                                      "MISALIGNED_SUB_BUFFER_OFFSET",
                                      "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
                                      "COMPILE_PROGRAM_FAILURE",
                                      "LINKER_NOT_AVAILABLE",
                                      "LINK_PROGRAM_FAILURE",
                                      "DEVICE_PARTITION_FAILED",
                                      "KERNEL_ARG_INFO_NOT_AVAILABLE"};
    static const char *const high[] = {"INVALID_VALUE",
                                       "INVALID_DEVICE_TYPE",
                                       "INVALID_PLATFORM",
                                       "INVALID_DEVICE",
                                       "INVALID_CONTEXT",
                                       "INVALID_QUEUE_PROPERTIES",
                                       "INVALID_COMMAND_QUEUE",
                                       "INVALID_HOST_PTR",
                                       "INVALID_MEM_OBJECT",
                                       "INVALID_IMAGE_FORMAT_DESCRIPTOR",
                                       "INVALID_IMAGE_SIZE",
                                       "INVALID_SAMPLER",
                                       "INVALID_BINARY",
                                       "INVALID_BUILD_OPTIONS",
                                       "INVALID_PROGRAM",
                                       "INVALID_PROGRAM_EXECUTABLE",
                                       "INVALID_KERNEL_NAME",
                                       "INVALID_KERNEL_DEFINITION",
                                       "INVALID_KERNEL",
                                       "INVALID_ARG_INDEX",
                                       "INVALID_ARG_VALUE",
                                       "INVALID_ARG_SIZE",
                                       "INVALID_KERNEL_ARGS",
                                       "INVALID_WORK_DIMENSION",
                                       "INVALID_WORK_GROUP_SIZE",
                                       "INVALID_WORK_ITEM_SIZE",
                                       "INVALID_GLOBAL_OFFSET",
                                       "INVALID_EVENT_WAIT_LIST",
                                       "INVALID_EVENT",
                                       "INVALID_OPERATION",
                                       "INVALID_GL_OBJECT",
                                       "INVALID_BUFFER_SIZE",
                                       "INVALID_MIP_LEVEL",
                                       "INVALID_GLOBAL_WORK_SIZE",
                                       "INVALID_PROPERTY",
                                       "INVALID_IMAGE_DESCRIPTOR",
                                       "INVALID_COMPILER_OPTIONS",
                                       "INVALID_LINKER_OPTIONS",
                                       "INVALID_DEVICE_PARTITION_COUNT",
                                       "INVALID_PIPE_SIZE",
                                       "INVALID_DEVICE_QUEUE",
                                       "INVALID_SPEC_ID",
                                       "MAX_SIZE_RESTRICTION_EXCEEDED"};
    const int first = -1 - status, second = -30 - status;
    return first >= 0 && first < (int)(sizeof low / sizeof *low)       ? low[first]
           : second >= 0 && second < (int)(sizeof high / sizeof *high) ? high[second]
                                                                       : NULL;
}

/* The status that a call has returned; a failure is reported, if that is checked. */
static int report_status(const char *by, int status)
{
    char name[80];
    const char *text = status < 0 ? status_name(status) : NULL;
    if (text)
        snprintf(name, sizeof name, "CL_%s", text);
    if (status == INVALID_KERNEL_ARGS)
        wt_checked_call(WT_FOUND_UNSET_ARGUMENT, NULL, "%s: %s (%d)", by, name, status);
    else if (status < 0)
        drm_call_failed(by, text ? name : NULL, status);
    return status;
}

int drm_opencl_used(const char *by, int status, const void *handle)
{
    enum { MEM_OBJECT = -38, PROGRAM = -44, EVENT = -58 };
    const bool releases = strncmp(by, "clRelease", 9) == 0;
    const enum wt_finding_kind kind =
        releases && status == MEM_OBJECT ? WT_FOUND_DOUBLE_FREE : WT_FOUND_USE_AFTER_DESTROY;
    const bool invalid = status == INVALID_CONTEXT || status == MEM_OBJECT ||
                         status == INVALID_SAMPLER || status == PROGRAM ||
                         status == DRM_OPENCL_INVALID_KERNEL || status == EVENT;
    if (!invalid || !wt_check_wants(wt_finding_check(kind)) || !drm_handle_gone(handle, DRM_ANY))
        return report_status(by, status);
    wt_checked_call(kind, NULL, "%s: it was released before", by);
    return status;
}

bool drm_opencl_has(const char *by, const void *handle, enum drm_handle_kind kind)
{
    static const char *const names[] = {
        [DRM_QUEUE] = "queue", [DRM_KERNEL] = "kernel", [DRM_SHARED] = "object"};
    if (!wt_check_wants(WT_CHECK_API) || !drm_handle_gone(handle, kind))
        return true;
    wt_checked_call(WT_FOUND_USE_AFTER_DESTROY, NULL, "%s: the %s was released before", by,
                    names[kind]);
    return false;
}

int drm_opencl_enqueued(const char *by, int status, void *event)
{
    void *made = NULL;
    if (!status && event)
        memcpy(&made, event, sizeof made);
    drm_handle_made(made, 0, by);
    return report_status(by, status);
}

void *drm_opencl_made(const char *by, void *made, uint64_t size, const int *error, const void *of)
{
    drm_handle_made(made, size, by);
    if (!made && error)
        drm_opencl_used(by, *error, of);
    return made;
}

/* ---- calls with a status ---- */

#define STATUS(count, name)                                                                        \
    EXPORT int name(WORDS##count)                                                                  \
    {                                                                                              \
        OWN(int, count, name)                                                                      \
        return own ? drm_opencl_used(#name, own(NAMES##count), (void *)a)                          \
                   : DRM_OPENCL_INVALID_OPERATION;                                                 \
    }
STATUS(6, clBuildProgram)
STATUS(9, clCompileProgram)
STATUS(4, clSetProgramSpecializationConstant)

/* how many, a list */
EXPORT int clWaitForEvents(WORDS2)
{
    OWN(int, 2, clWaitForEvents)
    DRM_WAITS("clWaitForEvents", a && b ? *(void **)b : NULL);
    const int status = own ? own(a, b) : DRM_OPENCL_INVALID_OPERATION;
    if (!status)
        drm_order_waited((unsigned)a, (void *)b);
    return drm_opencl_used("clWaitForEvents", status, (void *)a);
}

/* An event that has failed is over, too. */
EXPORT int clSetUserEventStatus(WORDS2)
{
    OWN(int, 2, clSetUserEventStatus)
    drm_order_set((void *)a);
    drm_waits_set((void *)a, true);
    return drm_opencl_used("clSetUserEventStatus", own ? own(a, b) : DRM_OPENCL_INVALID_OPERATION,
                           (void *)a);
}

/* event, what, size, value, size of it */
EXPORT int clGetEventInfo(WORDS5)
{
    enum { COMMAND_EXECUTION_STATUS = 0x11d3 };
    OWN(int, 5, clGetEventInfo)
    const int status = own ? own(NAMES5) : DRM_OPENCL_INVALID_OPERATION;
    if (!status && b == COMMAND_EXECUTION_STATUS && d && *(const int *)d <= 0)
        drm_order_waited(1, &(void *){(void *)a});
    return drm_opencl_used("clGetEventInfo", status, (void *)a);
}

#define OF(count, name, kind, refused)                                                             \
    EXPORT int name(WORDS##count)                                                                  \
    {                                                                                              \
        OWN(int, count, name)                                                                      \
        if (!drm_opencl_has(#name, (void *)a, kind))                                               \
            return refused;                                                                        \
        return own ? report_status(#name, own(NAMES##count)) : DRM_OPENCL_INVALID_OPERATION;       \
    }
#define OF_KERNEL(count, name) OF(count, name, DRM_KERNEL, DRM_OPENCL_INVALID_KERNEL)
OF_KERNEL(3, clSetKernelArgSVMPointer)
OF_KERNEL(4, clSetKernelExecInfo)
OF_KERNEL(5, clGetKernelInfo)
OF_KERNEL(6, clGetKernelWorkGroupInfo)

/* program, room, kernels, how many there are */
EXPORT int clCreateKernelsInProgram(WORDS4)
{
    unsigned count = 0;
    OWN(int, 4, clCreateKernelsInProgram)
    d = d ? d : (word)&count;
    const int status = own ? own(NAMES4) : DRM_OPENCL_INVALID_OPERATION;
    for (unsigned i = 0; !status && c && i < *(const unsigned *)d; i++)
        drm_handle_made(((void *const *)c)[i], 0, "clCreateKernelsInProgram");
    return drm_opencl_used("clCreateKernelsInProgram", status, (void *)a);
}

/* ---- calls to a queue, which the runtime looks into ---- */

#define CALL(count, name) OF(count, name, DRM_QUEUE, DRM_OPENCL_INVALID_COMMAND_QUEUE)
CALL(1, clFlush)

EXPORT int clFinish(WORDS1)
{
    OWN(int, 1, clFinish)
    if (!drm_opencl_has("clFinish", (void *)a, DRM_QUEUE))
        return DRM_OPENCL_INVALID_COMMAND_QUEUE;
    DRM_WAITS("clFinish", (void *)a);
    const int status = own ? own(a) : DRM_OPENCL_INVALID_OPERATION;
    if (!status)
        drm_order_finished((void *)a);
    return report_status("clFinish", status);
}

/* The order of a command whose call is made by `call`; what kind of command it is, by members. */
#define ORDERED(name, event_at, waits, call, ...)                                                  \
    struct drm_order_command command = {.queue = (void *)a, .by = #name, __VA_ARGS__};             \
    DRM_WAITS((waits) ? #name : NULL, (void *)a);                                                  \
    drm_order_enqueue(&command);                                                                   \
    drm_waits_command(&command, __builtin_return_address(0));                                      \
    const int result = (call);                                                                     \
    if (result)                                                                                    \
        drm_waits_failed(&command, __builtin_return_address(0));                                   \
    drm_order_enqueued(&command, !result, (void *)(event_at), waits)
#define EVENTS(number, list) .count = (unsigned)(number), .events = (void *)(list)

#define BARRIER(count, name, ...)                                                                  \
    EXPORT int name(WORDS##count)                                                                  \
    {                                                                                              \
        OWN(int, count, name)                                                                      \
        if (!drm_opencl_has(#name, (void *)a, DRM_QUEUE))                                          \
            return DRM_OPENCL_INVALID_COMMAND_QUEUE;                                               \
        ORDERED(name, 0, false, own ? own(NAMES##count) : DRM_OPENCL_INVALID_OPERATION,            \
                .barrier = true, __VA_ARGS__);                                                     \
        return report_status(#name, result);                                                       \
    }
BARRIER(3, clEnqueueWaitForEvents, EVENTS(b, c))
BARRIER(1, clEnqueueBarrier, .all = true)

/* They may give an event, by their last argument. */

#define ENQUEUE(count, name, number, list, event, waits, ...)                                      \
    EXPORT int name(WORDS##count)                                                                  \
    {                                                                                              \
        OWN(int, count, name)                                                                      \
        if (!drm_opencl_has(#name, (void *)a, DRM_QUEUE))                                          \
            return DRM_OPENCL_INVALID_COMMAND_QUEUE;                                               \
        ORDERED(name, event, waits, own ? own(NAMES##count) : DRM_OPENCL_INVALID_OPERATION,        \
                EVENTS(number, list), ##__VA_ARGS__);                                              \
        return drm_opencl_enqueued(#name, result, (void *)event);                                  \
    }
ENQUEUE(2, clEnqueueMarker, 0, 0, b, false, .all = true)
ENQUEUE(4, clEnqueueMarkerWithWaitList, b, c, d, false, .all = true)
ENQUEUE(4, clEnqueueBarrierWithWaitList, b, c, d, false, .all = true, .barrier = true)
ENQUEUE(5, clEnqueueSVMUnmap, c, d, e, false, .to = drm_buffer_unmapped((void *)b))
ENQUEUE(6, clEnqueueUnmapMemObject, d, e, f, false, .to = drm_buffer_unmapped((void *)c))
ENQUEUE(7, clEnqueueMigrateMemObjects, e, f, g, false)
ENQUEUE(8, clEnqueueFillImage, f, g, h, false, .to = drm_image_part((void *)b))
ENQUEUE(8, clEnqueueSVMMigrateMem, f, g, h, false)
ENQUEUE(9, clEnqueueCopyImage, g, h, i, false, .from = drm_image_part((void *)b),
        .to = drm_image_part((void *)c))
ENQUEUE(9, clEnqueueCopyImageToBuffer, g, h, i, false, .from = drm_image_part((void *)b))
ENQUEUE(9, clEnqueueCopyBufferToImage, g, h, i, false, .to = drm_image_part((void *)c))
ENQUEUE(10, clEnqueueNativeKernel, h, i, j, false)
ENQUEUE(11, clEnqueueReadImage, i, j, k, c, .from = drm_image_part((void *)b))
ENQUEUE(11, clEnqueueWriteImage, i, j, k, c, .to = drm_image_part((void *)b))

/* queue, blocking, to, from, size, … */
ENQUEUE(8, clEnqueueSVMMemcpy, f, g, h, b, .to = drm_memory_part((void *)c, e),
        .from = drm_memory_part((void *)d, e))
/* queue, to, pattern, size of it, size, … */
ENQUEUE(8, clEnqueueSVMMemFill, f, g, h, false, .to = drm_memory_part((void *)b, e))

/* ---- boxes ---- */

/* Of OpenCL's origin and region, whose first numbers are bytes; a pitch of 0 is the least one. */
static struct drm_part box_of(word buffer, word origin_at, word region_at, size_t row, size_t slice)
{
    const size_t *origin = (const size_t *)origin_at, *region = (const size_t *)region_at;
    if (!origin || !region)
        return (struct drm_part){.size = 0};
    row = row ? row : region[0];
    slice = slice ? slice : row * region[1];
    return (struct drm_part){.buffer = (void *)buffer,
                             .offset = origin[0] + origin[1] * row + origin[2] * slice,
                             .size = region[0],
                             .rows = region[1],
                             .row_pitch = row,
                             .slices = region[2],
                             .slice_pitch = slice};
}

/* queue, from, to, origin in both, region, pitches of row and slice in both, … */
ENQUEUE(13, clEnqueueCopyBufferRect, k, l, m, false, .from = box_of(b, d, f, g, h),
        .to = box_of(c, e, f, i, j))
/* queue, buffer, blocking, origin in buffer and memory, region, pitches in both, memory, … */
ENQUEUE(14, clEnqueueReadBufferRect, l, m, n, c, .from = box_of(b, d, f, g, h))
ENQUEUE(14, clEnqueueWriteBufferRect, l, m, n, c, .to = box_of(b, d, f, g, h))

/* How many of @p size bytes at @p offset of a buffer a command may access; more are reported. */
static size_t part_of(const char *by, word buffer, size_t offset, size_t size)
{
    struct wt_object object;
    if (!wt_check_wants(WT_CHECK_MEMORY) || !drm_handle_find((void *)buffer, &object) ||
        (offset <= object.size && size <= object.size - offset))
        return size;
    wt_checked_call(WT_FOUND_OUT_OF_BOUNDS, &object,
                    "%s: %zu bytes from byte %zu on of a buffer of %" PRIu64 " bytes", by, size,
                    offset, object.size);
    return offset < object.size ? object.size - offset : 0;
}

/* queue, buffer, blocking, offset, size, pointer, … */
#define TRANSFER(name, side)                                                                       \
    EXPORT int name(WORDS9)                                                                        \
    {                                                                                              \
        OWN(int, 9, name)                                                                          \
        if (!drm_opencl_has(#name, (void *)a, DRM_QUEUE))                                          \
            return DRM_OPENCL_INVALID_COMMAND_QUEUE;                                               \
        e = part_of(#name, b, d, e);                                                               \
        ORDERED(name, i, c, own ? own(NAMES9) : DRM_OPENCL_INVALID_OPERATION, EVENTS(g, h),        \
                .side = {.buffer = (void *)b, .offset = d, .size = e});                            \
        return drm_opencl_enqueued(#name, result, (void *)i);                                      \
    }
TRANSFER(clEnqueueReadBuffer, from)
TRANSFER(clEnqueueWriteBuffer, to)

/* queue, buffer, pattern, size of it, offset, size, … */
EXPORT int clEnqueueFillBuffer(WORDS9)
{
    OWN(int, 9, clEnqueueFillBuffer)
    if (!drm_opencl_has("clEnqueueFillBuffer", (void *)a, DRM_QUEUE))
        return DRM_OPENCL_INVALID_COMMAND_QUEUE;
    const size_t part = part_of("clEnqueueFillBuffer", b, e, f);
    f = part < f && d ? part / d * d : f;
    ORDERED(clEnqueueFillBuffer, i, false, own ? own(NAMES9) : DRM_OPENCL_INVALID_OPERATION,
            EVENTS(g, h), .to = {.buffer = (void *)b, .offset = e, .size = f});
    return drm_opencl_enqueued("clEnqueueFillBuffer", result, (void *)i);
}

/* queue, from, to, offset in both, size, …; Intel's runtime copies what overlaps. */
EXPORT int clEnqueueCopyBuffer(WORDS9)
{
    enum { MEM_COPY_OVERLAP = -8 };
    OWN(int, 9, clEnqueueCopyBuffer)
    if (!drm_opencl_has("clEnqueueCopyBuffer", (void *)a, DRM_QUEUE))
        return DRM_OPENCL_INVALID_COMMAND_QUEUE;
    ORDERED(clEnqueueCopyBuffer, i, false, own ? own(NAMES9) : DRM_OPENCL_INVALID_OPERATION,
            EVENTS(g, h), .from = {.buffer = (void *)b, .offset = d, .size = f},
            .to = {.buffer = (void *)c, .offset = e, .size = f});
    if (!result && b == c && d < e + f && e < d + f)
        report_status("clEnqueueCopyBuffer", MEM_COPY_OVERLAP);
    return drm_opencl_enqueued("clEnqueueCopyBuffer", result, (void *)i);
}

/* ---- maps ---- */

enum { MAP_WRITE = 1 << 1, MAP_WRITE_INVALIDATE = 1 << 2 };

/* The bytes that a map loads, which its end stores if the program may have stored it. */
static struct drm_part loaded(struct drm_part all, word flags)
{
    all.size = flags & MAP_WRITE_INVALIDATE ? 0 : all.size;
    all.is_image &= all.size != 0;
    return all;
}

static void note_map(word at, const struct drm_part *all, word flags)
{
    drm_buffer_mapped((void *)at, all, flags & (MAP_WRITE | MAP_WRITE_INVALIDATE));
}

/* From now on the program may use a buffer at its address. */
static void note_buffer(const void *buffer, uint64_t at)
{
    struct wt_object object;
    if (drm_handle_find(buffer, &object) && object.size)
        drm_order_shared(at, object.size, true);
}

/* Likewise of the memory that an image in tiles is copied to while it is mapped. */
static void note_map_of_image(word at, const size_t *region, const size_t *row, const size_t *slice)
{
    const uint64_t rows = region[1] * *row;
    if (region[2] > 1 && slice)
        drm_order_shared(at, (region[2] - 1) * *slice + rows, false);
    else if (region[2] == 1)
        drm_order_shared(at, rows, false);
}

#define MAP(count, name, number, list, event, error, ...)                                          \
    EXPORT void *name(WORDS##count)                                                                \
    {                                                                                              \
        OWN(void *, count, name)                                                                   \
        int status = DRM_OPENCL_INVALID_OPERATION;                                                 \
        void *there = NULL;                                                                        \
        error = error ? error : (word)&status;                                                     \
        *(int *)error = status;                                                                    \
        const struct drm_part all = __VA_ARGS__;                                                   \
        ORDERED(name, event, c, (there = own ? own(NAMES##count) : NULL, *(int *)error),           \
                EVENTS(number, list), .from = loaded(all, d));                                     \
        if (own)                                                                                   \
            drm_opencl_enqueued(#name, result, (void *)event);                                     \
        if (there && all.size)                                                                     \
            note_map((word)there, &all, d);                                                        \
        if (there && all.size && !all.is_image)                                                    \
            note_buffer((void *)b, (word)there - all.offset);                                      \
        if (there && all.size && all.is_image)                                                     \
            note_map_of_image((word)there, (const size_t *)f, (const size_t *)g,                   \
                              (const size_t *)h);                                                  \
        return there;                                                                              \
    }
/* queue, buffer, blocking, flags, offset, size, … */
MAP(10, clEnqueueMapBuffer, g, h, i, j, {.buffer = (void *)b, .offset = e, .size = f})
MAP(12, clEnqueueMapImage, i, j, k, l,
    drm_image_box((void *)b, (const size_t *)e, (const size_t *)f))

/* queue, blocking, flags, memory, size, … */
EXPORT int clEnqueueSVMMap(WORDS8)
{
    OWN(int, 8, clEnqueueSVMMap)
    if (!drm_opencl_has("clEnqueueSVMMap", (void *)a, DRM_QUEUE))
        return DRM_OPENCL_INVALID_COMMAND_QUEUE;
    const struct drm_part all = drm_memory_part((void *)d, e);
    ORDERED(clEnqueueSVMMap, h, b, own ? own(NAMES8) : DRM_OPENCL_INVALID_OPERATION, EVENTS(f, g),
            .from = loaded(all, c));
    if (!result)
        note_map(d, &all, c);
    return drm_opencl_enqueued("clEnqueueSVMMap", result, (void *)h);
}

static void forget_memory(const void *memory)
{
    drm_handle_released(memory, "clEnqueueSVMFree");
    drm_order_unshared((uintptr_t)memory);
}

EXPORT int clEnqueueSVMFree(WORDS8)
{
    OWN(int, 8, clEnqueueSVMFree)
    void *const *const memory = (void *const *)c;
    for (unsigned at = 0; own && memory && at < (unsigned)b; at++)
        forget_memory(memory[at]);
    ORDERED(clEnqueueSVMFree, h, false, own ? own(NAMES8) : DRM_OPENCL_INVALID_OPERATION,
            EVENTS(f, g));
    return drm_opencl_enqueued("clEnqueueSVMFree", result, (void *)h);
}

/* ---- calls that make something, whose last argument gets the status ---- */

#define MAKE(count, name, size, error)                                                             \
    EXPORT void *name(WORDS##count)                                                                \
    {                                                                                              \
        OWN(void *, count, name)                                                                   \
        int status = DRM_OPENCL_INVALID_OPERATION;                                                 \
        error = error ? error : (word)&status;                                                     \
        if (!own)                                                                                  \
            *(int *)error = status;                                                                \
        return own ? drm_opencl_made(#name, own(NAMES##count), size, (int *)error, (void *)a)      \
                   : NULL;                                                                         \
    }
MAKE(2, clCloneKernel, 0, b)
MAKE(3, clCreateSamplerWithProperties, 0, c)
MAKE(4, clCreateProgramWithIL, 0, d)
MAKE(5, clCreateProgramWithSource, 0, e)
MAKE(5, clCreateProgramWithBuiltInKernels, 0, e)
MAKE(5, clCreateContextFromType, 0, e)
MAKE(5, clCreateSampler, 0, e)
MAKE(6, clCreateContext, 0, f)
MAKE(6, clCreatePipe, 0, f)
MAKE(7, clCreateProgramWithBinary, 0, g)
MAKE(9, clLinkProgram, 0, i)

/* ---- images ---- */

/* A size of an image: CL_IMAGE_…; 0: it has none. */
static size_t image_size(void *image, unsigned which)
{
    int (*info)(void *, unsigned, size_t, void *, size_t *);
    size_t size = 0;
    *(void **)&info = next("clGetImageInfo");
    return info && !info(image, which, sizeof size, &size, NULL) ? size : 0;
}

/* How the texels of an image without tiles lie in memory, of @p of's or its own. Of the latter
 * OpenCL tells other pitches: rows begin at 64 bytes, and lines of an array at 64 texels. */
static struct drm_rows rows_of(void *image, const void *of)
{
    enum { ELEMENT = 0x1111, ROW, WIDTH = 0x1114, HEIGHT, DEPTH, LAYERS, UNIT = 64 };
    struct drm_rows rows = {.texel = image_size(image, ELEMENT), .row = image_size(image, ROW)};
    const size_t width = image_size(image, WIDTH), height = image_size(image, HEIGHT),
                 layers = image_size(image, LAYERS);
    if (!of && height && (layers || image_size(image, DEPTH)))
        return (struct drm_rows){.texel = 0}; /* it is not known */
    if (!of && height)
        rows.row = (rows.row + UNIT - 1) / UNIT * UNIT;
    if (!of && layers)
        rows.row = (width + UNIT - 1) / UNIT * UNIT * rows.texel;
    rows.size = rows.row * (height ? height : layers ? layers : 1);
    return rows;
}

enum { USE_HOST_PTR = 1 << 3, COPY_HOST_PTR = 1 << 5 };

/* @p of: the buffer or image whose memory it has; NULL: its own. @p memory: the program's. */
static void *note_image(const char *by, void *image, const void *of, const void *memory, word flags)
{
    enum wt_i915_texels kind = WT_I915_NO_TEXELS;
    uint64_t lead = 0;
    if (!image || !wt_checks_wanted())
        return image;
    struct drm_rows rows = rows_of(image, of);
    if (of)
        drm_buffer_part(image, of, 0);
    else if ((kind = wt_i915_image_made(by, (uintptr_t)memory, &rows.size, &lead)))
        drm_buffer_made(image, wt_i915_asked_of(), wt_i915_asked_object(), lead);
    else
        drm_buffer_made(image, NULL, 0, 0); /* the handle may have been another one's */
    if (of || kind)
        drm_buffer_is_image(image, kind == WT_I915_TILED ? NULL : &rows);
    if (kind && flags & (USE_HOST_PTR | COPY_HOST_PTR))
        drm_defined_buffer(image, rows.size);
    return image;
}

struct image_desc { /* cl_image_desc */
    unsigned type;
    size_t width, height, depth, layers, row_pitch, slice_pitch;
    unsigned levels, samples;
    void *memory;
};

#define IMAGE(count, name, flags, of, host, error)                                                 \
    EXPORT void *name(WORDS##count)                                                                \
    {                                                                                              \
        OWN(void *, count, name)                                                                   \
        int status = DRM_OPENCL_INVALID_OPERATION;                                                 \
        error = error ? error : (word)&status;                                                     \
        if (!own) {                                                                                \
            *(int *)error = status;                                                                \
            return NULL;                                                                           \
        }                                                                                          \
        wt_i915_ask(0);                                                                            \
        return drm_opencl_made(#name,                                                              \
                               note_image(#name, own(NAMES##count), of,                            \
                                          (flags)&USE_HOST_PTR ? (void *)(host) : NULL, flags),    \
                               0, (int *)error, (void *)a);                                        \
    }
#define MEMORY_OF(description)                                                                     \
    ((description) ? ((const struct image_desc *)(description))->memory : NULL)
IMAGE(6, clCreateImage, b, MEMORY_OF(d), e, f)
IMAGE(7, clCreateImageWithProperties, c, MEMORY_OF(e), f, g)
IMAGE(8, clCreateImage2D, b, NULL, g, h)
IMAGE(10, clCreateImage3D, b, NULL, i, j)

/* buffer, flags, type, {offset, size}, error */
EXPORT void *clCreateSubBuffer(WORDS5)
{
    OWN(void *, 5, clCreateSubBuffer)
    const size_t *part = (const size_t *)d;
    int status = DRM_OPENCL_INVALID_OPERATION;
    e = e ? e : (word)&status;
    if (!own)
        *(int *)e = status;
    void *const made = own ? own(NAMES5) : NULL;
    if (made)
        drm_buffer_part(made, (void *)a, part[0]);
    return own ? drm_opencl_made("clCreateSubBuffer", made, part ? part[1] : 0, (int *)e, (void *)a)
               : NULL;
}

/* context, error */
EXPORT void *clCreateUserEvent(WORDS2)
{
    OWN(void *, 2, clCreateUserEvent)
    int status = DRM_OPENCL_INVALID_OPERATION;
    b = b ? b : (word)&status;
    void *const event = own ? own(a, b) : NULL;
    drm_order_event(event);
    drm_waits_made(event, DRM_WAITS_CALL("clCreateUserEvent"));
    return drm_opencl_made("clCreateUserEvent", event, 0, (int *)b, (void *)a);
}

enum { OUT_OF_ORDER = 1 };

/* context, device, properties, error */
EXPORT void *clCreateCommandQueue(WORDS4)
{
    OWN(void *, 4, clCreateCommandQueue)
    int status = DRM_OPENCL_INVALID_OPERATION;
    d = d ? d : (word)&status;
    void *const queue = own ? own(NAMES4) : NULL;
    drm_order_queue(queue, c & OUT_OF_ORDER ? DRM_NO_ORDER : DRM_IN_ORDER);
    return drm_opencl_made("clCreateCommandQueue", queue, 0, (int *)d, (void *)a);
}

/* context, device, list of names and values, error */
EXPORT void *clCreateCommandQueueWithProperties(WORDS4)
{
    enum { QUEUE_PROPERTIES = 0x1093 };
    OWN(void *, 4, clCreateCommandQueueWithProperties)
    int status = DRM_OPENCL_INVALID_OPERATION;
    enum drm_queue_order order = DRM_IN_ORDER;
    d = d ? d : (word)&status;
    for (const uint64_t *p = (void *)c; p && *p; p += 2)
        if (*p == QUEUE_PROPERTIES)
            order = p[1] & OUT_OF_ORDER ? DRM_NO_ORDER : DRM_IN_ORDER;
    void *const queue = own ? own(NAMES4) : NULL;
    drm_order_queue(queue, order);
    return drm_opencl_made("clCreateCommandQueueWithProperties", queue, 0, (int *)d, (void *)a);
}

/* ---- references ---- */

/* The program must not release an object to which it has no reference; a queue and a kernel it must
 * not retain either. */
#define REFERENCES(type, kind, invalid)                                                            \
    EXPORT int clRetain##type(WORDS1)                                                              \
    {                                                                                              \
        OWN(int, 1, clRetain##type)                                                                \
        if ((kind == DRM_QUEUE || kind == DRM_KERNEL) &&                                           \
            !drm_opencl_has("clRetain" #type, (void *)a, kind))                                    \
            return invalid;                                                                        \
        const int status = own ? own(a) : DRM_OPENCL_INVALID_OPERATION;                            \
        if (!status)                                                                               \
            drm_handle_retained((void *)a);                                                        \
        return drm_opencl_used("clRetain" #type, status, (void *)a);                               \
    }                                                                                              \
    EXPORT int clRelease##type(WORDS1)                                                             \
    {                                                                                              \
        OWN(int, 1, clRelease##type)                                                               \
        if (kind != DRM_OBJECT && !drm_opencl_has("clRelease" #type, (void *)a, kind))             \
            return invalid;                                                                        \
        drm_handle_released((void *)a, "clRelease" #type);                                         \
        return drm_opencl_used("clRelease" #type, own ? own(a) : DRM_OPENCL_INVALID_OPERATION,     \
                               (void *)a);                                                         \
    }
REFERENCES(MemObject, DRM_OBJECT, 0)
REFERENCES(CommandQueue, DRM_QUEUE, DRM_OPENCL_INVALID_COMMAND_QUEUE)
REFERENCES(Event, DRM_OBJECT, 0)
REFERENCES(Program, DRM_OBJECT, 0)
REFERENCES(Kernel, DRM_KERNEL, DRM_OPENCL_INVALID_KERNEL)
REFERENCES(Sampler, DRM_SHARED, INVALID_SAMPLER)
REFERENCES(Context, DRM_SHARED, INVALID_CONTEXT)
