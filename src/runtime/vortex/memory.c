/* Buffers: allocations of device memory, by address. */
#include <inttypes.h>
#include <stdlib.h>

#include "check/objects.h"
#include "emulator/machine/machine.h"
#include "runtime/common/exits.h"
#include "runtime/common/checked.h"
#include "runtime/common/counted.h"
#include "runtime/common/results.h"
#include "runtime/vortex/internal.h"

/* The bytes from a buffer's address to where the next one may begin. */
static uint64_t whole(uint64_t size)
{
    size += wt_check_redzone();
    return (size + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

static enum vx_result find_room(const struct gpu *g, uint64_t size, uint64_t *at,
                                struct wt_error *err)
{
    const uint64_t end = gpu_memory_end(g);
    *at = MEMORY_FIRST;
    for (const struct buffer *b = g->buffers; b; b = b->next) {
        if (b->addr >= *at && b->addr - *at >= whole(size))
            return VX_SUCCESS;
        /* A program may have reserved memory below the first address. */
        const uint64_t next =
            (b->addr + whole(b->size) + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
        if (next > *at)
            *at = next;
    }
    if (*at <= end && whole(size) <= end - *at)
        return VX_SUCCESS;
    return call_fail(err, VX_ERR_OUT_OF_DEVICE_MEMORY,
                     "no room for 0x%" PRIx64 " bytes: the device has memory up to 0x%" PRIx64
                     ", 0x%" PRIx64 " bytes of it are in use",
                     size, end, g->in_use);
}

static enum vx_result check_fixed(const struct gpu *g, uint64_t addr, uint64_t size,
                                  struct wt_error *err)
{
    const uint64_t end = gpu_memory_end(g);
    if (addr >= end || size > end - addr)
        return call_fail(err, VX_ERR_INVALID_VALUE,
                         "0x%" PRIx64 " bytes at 0x%" PRIx64
                         " reach beyond the memory for buffers, which ends at 0x%" PRIx64,
                         size, addr, end);
    for (const struct buffer *b = g->buffers; b; b = b->next)
        if (addr < b->addr + b->size && b->addr < addr + size)
            return call_fail(err, VX_ERR_INVALID_VALUE,
                             "0x%" PRIx64 " bytes at 0x%" PRIx64 ": a buffer of 0x%" PRIx64
                             " bytes at 0x%" PRIx64 " is there",
                             size, addr, b->size, b->addr);
    return VX_SUCCESS;
}

static enum vx_result make(struct gpu *g, bool fixed, uint64_t addr, uint64_t size,
                           struct buffer **buffer, struct wt_error *err)
{
    enum vx_result result;
    if (!size)
        return call_fail(err, VX_ERR_INVALID_VALUE, "a buffer of no bytes");
    if (size >> 48)
        return call_fail(err, VX_ERR_OUT_OF_DEVICE_MEMORY, "a buffer of 0x%" PRIx64 " bytes", size);
    if ((result = fixed ? check_fixed(g, addr, size, err) : find_room(g, size, &addr, err)))
        return result;
    struct buffer *b = calloc(1, sizeof *b);
    if (!b || !(b->handle = handle_new(HANDLE_BUFFER, b))) {
        free(b);
        return call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
    }
    *b = (struct buffer){.gpu = g, .handle = b->handle, .refs = 1, .addr = addr, .size = size};
    struct buffer **at = &g->buffers;
    while (*at && (*at)->addr < addr)
        at = &(*at)->next;
    b->next = *at;
    *at = b;
    g->in_use += size;
    *buffer = b;
    return VX_SUCCESS;
}

/* Of a GPU (wt_results_read_fn). */
static bool read_results(const void *machine, uint64_t addr, uint8_t *bytes, size_t size)
{
    struct wt_machine *m = (struct wt_machine *)(uintptr_t)machine;
    return m->ops->read_memory(m, UINT32_MAX, 0, addr, bytes, size);
}

/* Memory that a worker or nobody frees. */
static __attribute__((destructor)) void count_results(void)
{
    state_lock();
    wt_results_end();
    state_unlock();
}

static void exits_count(void)
{
    count_results();
}

enum vx_result buffer_new(struct gpu *g, bool fixed, uint64_t addr, uint64_t size, int flags,
                          const char *by, struct buffer **buffer, struct wt_error *err)
{
    if (flags & ~MEMORY_FLAGS)
        return call_fail(err, VX_ERR_INVALID_VALUE, "flags 0x%x: there are no such", flags);
    state_lock();
    const enum vx_result result = make(g, fixed, addr, size, buffer, err);
    state_unlock();
    if (result)
        return result;
    wt_results_set_read(read_results);
    wt_object_made(g->machine, (*buffer)->addr, size, by);
    if ((flags & VX_MEM_READ_WRITE) == VX_MEM_READ)
        wt_object_set_read_only(g->machine, (*buffer)->addr, true);
    return VX_SUCCESS;
}

static bool read_buffer(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    return gpu_read(context, addr, bytes, size);
}

/* Locked. */
static void free_buffer(struct buffer *b)
{
    struct buffer **at = &b->gpu->buffers;
    while (*at != b)
        at = &(*at)->next;
    *at = b->next;
    wt_final_unmap(gpu_final(), b->addr, b->size, read_buffer, b->gpu);
    b->gpu->in_use -= b->staged ? 0 : b->size;
    b->gpu->programs += b->program.id != 0;
    if (b->refs)
        handle_end(b->handle);
    free(b->mapped);
    free(b->program.path);
    free(b->program.elf);
    free(b);
}

/* Frees a buffer that nobody has any longer; the GPU is entered. */
static void free_unused(struct buffer *b, const char *by)
{
    struct wt_check_race *races = wt_counted_race(&b->gpu->hosted, b->gpu->machine);
    wt_check_race_renewed(races, b->addr, b->size);
    wt_object_freed(b->gpu->machine, b->addr, by);
    if (b->program.threads)
        wt_object_freed(b->gpu->machine, b->program.threads, by);
    gpu_gate()->code += b->program.id != 0;
    free_buffer(b);
}

enum vx_result buffer_end(const void *handle, const char *by, struct wt_error *err)
{
    struct part part = {.gpu = NULL};
    const enum vx_result result = buffer_part(handle, 0, 0, &part, err);
    if (result)
        return result;
    /* A kernel that was started may use it. */
    gpu_enter(part.gpu);
    state_lock();
    struct buffer *b = handle_get(HANDLE_BUFFER, handle);
    if (b && b->refs == 1) {
        if (!b->uses) {
            free_unused(b, by);
        } else {
            b->refs = 0;
            handle_end(handle);
        }
    } else if (b) {
        b->refs--;
    }
    state_unlock();
    gpu_leave(part.gpu);
    return b ? VX_SUCCESS
             : call_fail(err, VX_ERR_INVALID_HANDLE, "another thread has freed %p", handle);
}

void buffer_use(struct buffer *b)
{
    b->uses++;
}

void buffer_unuse(struct buffer *b, const char *by)
{
    struct gpu *g = b->gpu;
    state_lock();
    const bool last = b->uses == 1 && !b->refs;
    if (!last)
        b->uses--;
    state_unlock();
    if (!last)
        return;
    gpu_enter(g);
    state_lock();
    free_unused(b, by);
    state_unlock();
    gpu_leave(g);
}

enum vx_result buffer_stage(struct gpu *g, uint64_t size, struct buffer **buffer,
                            struct wt_error *err)
{
    const uint64_t end = gpu_memory_end(g);
    if (size > end - MEMORY_FIRST)
        return call_fail(err, VX_ERR_OUT_OF_DEVICE_MEMORY, "arguments of 0x%" PRIx64 " bytes",
                         size);
    const uint64_t addr = (end - size) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    enum vx_result result =
        buffer_new(g, true, addr, size, VX_MEM_READ, "vx_enqueue_launch", buffer, err);
    if (result)
        return result;
    state_lock();
    struct buffer *b = *buffer;
    handle_end(b->handle);
    b->refs = 0;
    b->uses = 1;
    b->staged = true;
    g->in_use -= size;
    state_unlock();
    return VX_SUCCESS;
}

enum vx_result part_check(const struct buffer *b, uint64_t offset, uint64_t size,
                          struct wt_error *err)
{
    return offset <= b->size && size <= b->size - offset
               ? VX_SUCCESS
               : call_fail(err, VX_ERR_INVALID_VALUE,
                           "0x%" PRIx64 " bytes at offset 0x%" PRIx64 " of a buffer of 0x%" PRIx64
                           " bytes",
                           size, offset, b->size);
}

enum vx_result buffer_part(const void *handle, uint64_t offset, uint64_t size, struct part *part,
                           struct wt_error *err)
{
    enum vx_result result = VX_ERR_INVALID_HANDLE;
    state_lock();
    const struct buffer *b = handle_need(HANDLE_BUFFER, handle, err);
    if (b)
        *part = (struct part){b->gpu, b->addr + offset, size, b->size};
    if (b)
        result = part_check(b, offset, size, err);
    state_unlock();
    return result;
}

void buffers_end(struct gpu *g)
{
    state_lock();
    for (struct buffer *b = g->buffers, *next; b; b = next) {
        struct wt_object found;
        next = b->next;
        if (!b->refs)
            continue; /* a command or a module frees it */
        if (wt_check_wants(WT_CHECK_LEAK) &&
            wt_object_find(g->machine, b->addr, &found, NULL, NULL) && !found.freed)
            wt_checked_leak(&found);
        if (b->uses) {
            handle_end(b->handle);
            b->refs = 0;
            continue;
        }
        wt_object_freed(g->machine, b->addr, "vx_dev_close");
        free_buffer(b);
    }
    state_unlock();
}
