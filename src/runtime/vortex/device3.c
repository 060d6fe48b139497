/* The functions of 3.0 for devices and buffers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "runtime/vortex/queue.h"

EXPORT const char *vx_result_string(vx_result_t result)
{
    return call_result_name(result);
}

API3(vx_device_count, "*%llu", (uint32_t *, count, RESULT(count)))
{
    if (!count)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the number");
    const enum vx_result result = gpus_open(err);
    *count = gpu_count();
    return result;
}

API3(vx_device_open, "%u, *%p", (uint32_t, index), (vx_device_h *, device, HANDLE(device)))
{
    return device_open(index, device, err);
}

RETAINS(vx_device_retain, vx_device_h, HANDLE_DEVICE, struct gpu, opened)

API3(vx_device_release, "%p", (vx_device_h, device))
{
    return device_close(device, err);
}

API3(vx_device_query, "%p, 0x%x, *0x%llx", (vx_device_h, device), (uint32_t, id),
     (uint64_t *, value, RESULT(value)))
{
    return device_caps(device, id, value, err);
}

API3(vx_device_memory_info, "%p, *%llu, *%llu", (vx_device_h, device),
     (uint64_t *, free, RESULT(free)), (uint64_t *, used, RESULT(used)))
{
    return device_memory(device, free, used, err);
}

API3(vx_device_mpm_query, "%p, %u, 0x%x, %u, *%llu", (vx_device_h, device), (uint32_t, class),
     (uint32_t, address), (uint32_t, core), (uint64_t *, value, RESULT(value)))
{
    return device_counter(device, address, core, value, err);
}

API3(vx_device_dump_perf, "%p, %p", (vx_device_h, device), (FILE *, out))
{
    return device_perf(device, out, err);
}

API3(vx_device_max_occupancy_grid, "%p, %u", (vx_device_h, device), (uint32_t, ndim),
     (const uint32_t *, global_dim, ), (uint32_t *, grid_dim, ), (uint32_t *, block_dim, ))
{
    return device_grid(device, ndim, global_dim, grid_dim, block_dim, err);
}

/* ---- buffers ---- */

API3(vx_buffer_create, "%p, %" PRIu64 ", 0x%x, *%p", (vx_device_h, device), (uint64_t, size),
     (uint32_t, flags), (vx_buffer_h *, buffer, HANDLE(buffer)))
{
    return device_allocate(device, false, 0, size, (int)flags, "vx_buffer_create", buffer, err);
}

API3(vx_buffer_reserve, "%p, 0x%" PRIx64 ", %" PRIu64 ", 0x%x, *%p", (vx_device_h, device),
     (uint64_t, address), (uint64_t, size), (uint32_t, flags),
     (vx_buffer_h *, buffer, HANDLE(buffer)))
{
    return device_allocate(device, true, address, size, (int)flags, "vx_buffer_reserve", buffer,
                           err);
}

RETAINS(vx_buffer_retain, vx_buffer_h, HANDLE_BUFFER, struct buffer, refs)

API3(vx_buffer_release, "%p", (vx_buffer_h, buffer))
{
    return buffer_end(buffer, "vx_buffer_release", err);
}

API3(vx_buffer_address, "%p, *0x%llx", (vx_buffer_h, buffer),
     (uint64_t *, address, RESULT(address)))
{
    return buffer_where(buffer, address, err);
}

API3(vx_buffer_access, "%p, %" PRIu64 ", %" PRIu64 ", 0x%x", (vx_buffer_h, buffer),
     (uint64_t, offset), (uint64_t, size), (uint32_t, flags))
{
    return device_access(buffer, offset, size, (int)flags, err);
}

/* ---- maps ---- */

enum vx_result map_begin(struct buffer *b, uint64_t offset, uint64_t size, uint32_t flags,
                         struct wt_error *err)
{
    enum vx_result result = part_check(b, offset, size, err);
    if (result)
        return result;
    if (!size || flags & ~(uint32_t)VX_MEM_READ_WRITE)
        return call_fail(err, VX_ERR_INVALID_VALUE, "%" PRIu64 " bytes with flags 0x%x", size,
                         flags);
    if (b->mapped)
        return call_fail(err, VX_ERR_NOT_SUPPORTED, "the buffer is mapped at %p already",
                         b->mapped);
    b->mapped = calloc(1, size);
    if (!b->mapped)
        return call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory for %" PRIu64 " bytes",
                         size);
    b->mapped_offset = offset;
    b->mapped_size = size;
    b->mapped_flags = flags;
    return VX_SUCCESS;
}

enum vx_result map_read(struct buffer *b, struct wt_error *err)
{
    gpu_enter(b->gpu);
    if (b->mapped && b->mapped_flags & VX_MEM_READ)
        order_copied(b->gpu, b->addr + b->mapped_offset, b->mapped_size, WT_ACCESS_LOAD);
    const bool done = !b->mapped || !(b->mapped_flags & VX_MEM_READ) ||
                      gpu_read(b->gpu, b->addr + b->mapped_offset, b->mapped, b->mapped_size);
    gpu_leave(b->gpu);
    return done ? VX_SUCCESS : call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
}

enum vx_result map_end(struct buffer *b, const void *host, struct wt_error *err)
{
    state_lock();
    const bool is = host && b->mapped == host;
    state_unlock();
    if (!is)
        return call_fail(err, VX_ERR_INVALID_VALUE, "the buffer is not mapped at %p", host);
    gpu_enter(b->gpu);
    if (b->mapped_flags & VX_MEM_WRITE)
        order_copied(b->gpu, b->addr + b->mapped_offset, b->mapped_size, WT_ACCESS_STORE);
    const bool done = !(b->mapped_flags & VX_MEM_WRITE) ||
                      gpu_write(b->gpu, b->addr + b->mapped_offset, b->mapped, b->mapped_size);
    gpu_leave(b->gpu);
    state_lock();
    void *mapped = b->mapped;
    b->mapped = NULL;
    state_unlock();
    free(mapped);
    return done ? VX_SUCCESS : call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
}

/* A buffer by its handle, which stays until buffer_unuse. */
static struct buffer *hold(const void *handle, struct wt_error *err)
{
    state_lock();
    struct buffer *b = handle_need(HANDLE_BUFFER, handle, err);
    if (b)
        buffer_use(b);
    state_unlock();
    return b;
}

API3(vx_buffer_map, "%p, %" PRIu64 ", %" PRIu64 ", 0x%x, *%p", (vx_buffer_h, buffer),
     (uint64_t, offset), (uint64_t, size), (uint32_t, flags), (void **, host, HANDLE(host)))
{
    struct buffer *b = hold(buffer, err);
    if (!b)
        return VX_ERR_INVALID_HANDLE;
    state_lock();
    enum vx_result result = host ? map_begin(b, offset, size, flags, err)
                                 : call_fail(err, VX_ERR_INVALID_VALUE, "no place for the address");
    if (!result)
        *host = b->mapped;
    state_unlock();
    if (!result)
        order_host_copies("vx_buffer_map");
    if (!result)
        result = map_read(b, err);
    buffer_unuse(b, "vx_buffer_map");
    return result;
}

API3(vx_buffer_unmap, "%p, %p", (vx_buffer_h, buffer), (void *, host))
{
    struct buffer *b = hold(buffer, err);
    if (!b)
        return VX_ERR_INVALID_HANDLE;
    order_host_copies("vx_buffer_unmap");
    const enum vx_result result = map_end(b, host, err);
    buffer_unuse(b, "vx_buffer_unmap");
    return result;
}
