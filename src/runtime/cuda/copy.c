/* libcuda: copies ("CUDA Driver API": 6.13). Each is done when the call returns. */
#include <stdlib.h>
#include <string.h>

#include "check/init.h"
#include "check/objects.h"
#include "runtime/cuda/array.h"
#include "runtime/cuda/copy.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/order.h"

struct copy_end copy_host_end(const void *host)
{
    return (struct copy_end){.host = (uint8_t *)(uintptr_t)host};
}

struct copy_end copy_device_end(uint64_t address)
{
    const bool seen = !state_owner(address, NULL) && memory_is_seen(address);
    return (struct copy_end){
        .host = seen ? (uint8_t *)(uintptr_t)address : NULL, .address = address, .seen = seen};
}

/* Memory by a unified address: the host's where no device has it, and the host does; else the
 * device's, which may be none. The caller holds the lock. */
static struct copy_end unified_end(uint64_t address)
{
    const bool is_host = !state_owner(address, NULL) && memory_is_mapped(address, 1);
    return is_host ? copy_host_end((const void *)(uintptr_t)address) : copy_device_end(address);
}

static bool is_inside(const struct copy_end *end, uint64_t offset, uint64_t bytes)
{
    return !end->seen || memory_is_seen((uintptr_t)end->host + offset + bytes - 1);
}

/* How many bytes of a row a copy may access at one end, as far as that is known: the host's own
 * memory is its own. */
static uint64_t allowed(const struct copy_end *end, uint64_t offset, uint64_t bytes, bool store,
                        const char *by)
{
    const uint64_t at = (end->host ? (uintptr_t)end->host : end->address) + offset;
    if (end->host && !end->seen && !memory_is_allocated(at))
        return bytes;
    return wt_checked_access(NULL, at, bytes, store ? WT_ACCESS_STORE : WT_ACCESS_LOAD, by);
}

/* Whether the checks of the copy's ends find no mistake in memory of the device; *bytes becomes
 * what the host's end has. */
static bool is_allowed(const struct copy_end *to, const struct copy_end *from, uint64_t to_offset,
                       uint64_t from_offset, uint64_t *bytes)
{
    const char *by = checks_entry("a copy of the driver");
    const uint64_t target = allowed(to, to_offset, *bytes, true, by);
    const uint64_t source = allowed(from, from_offset, *bytes, false, by);
    const bool good = (to->host || target == *bytes) && (from->host || source == *bytes);
    *bytes = target < source ? target : source;
    return good;
}

static bool copy_row(const struct copy_end *to, const struct copy_end *from, uint64_t to_offset,
                     uint64_t from_offset, uint64_t bytes, uint8_t *buffer)
{
    struct gpu *source = from->host ? NULL : state_owner(from->address + from_offset, NULL);
    struct gpu *target = to->host ? NULL : state_owner(to->address + to_offset, NULL);
    const uint8_t *row = from->host ? from->host + from_offset : buffer;
    if (wt_check_judges_memory() && !is_allowed(to, from, to_offset, from_offset, &bytes))
        return false;
    if (!bytes)
        return true;
    wt_object_copied(to->host ? (uint64_t)(uintptr_t)to->host + to_offset : to->address + to_offset,
                     from->host ? (uint64_t)(uintptr_t)row : from->address + from_offset, bytes,
                     checks_entry("a copy of the driver"));
    if ((!from->host && !source) || (!to->host && !target))
        return false;
    order_copied(to->host ? (uintptr_t)to->host + to_offset : to->address + to_offset,
                 from->host ? (uintptr_t)from->host + from_offset : from->address + from_offset,
                 bytes);
    if (!is_inside(to, to_offset, bytes) || !is_inside(from, from_offset, bytes))
        return false;
    if (source && to->host)
        return gpu_read(source, from->address + from_offset, to->host + to_offset, bytes);
    if (source && !gpu_read(source, from->address + from_offset, buffer, bytes))
        return false;
    if (target)
        return gpu_write(target, to->address + to_offset, row, bytes);
    memmove(to->host + to_offset, row, bytes);
    return true;
}

CUresult copy_box(const struct copy_end *to, const struct copy_end *from, uint64_t bytes,
                  uint64_t height, uint64_t depth)
{
    uint8_t *buffer = from->host ? NULL : malloc(bytes + 1);
    const bool gets = wt_check_wants(WT_CHECK_INIT) && to->host && !from->host;
    struct wt_init_read read = {.size = 0};
    bool good = true;
    if (!from->host && !buffer)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (gets)
        wt_check_init_read_begins(&read);
    for (uint64_t z = 0; z < depth && good; z++)
        for (uint64_t y = 0; y < height && good; y++) {
            const uint64_t row = z * from->slice + y * from->pitch;
            if (gets)
                wt_check_init_read_row(&read, from->address + row, bytes);
            good = copy_row(to, from, z * to->slice + y * to->pitch, row, bytes, buffer);
        }
    if (gets)
        wt_check_init_read_ended(&read);
    free(buffer);
    return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Whether the host waits for a copy that is given to a stream: one from a device to memory that is
 * not pinned ("API synchronization behavior"). */
static bool waits(const struct copy_end *to, const struct copy_end *from)
{
    return to->host && !from->host && !memory_is_seen((uintptr_t)to->host);
}

/* The host waits, but for a copy within devices. */
static CUresult copy_bytes(struct gpu *g, struct copy_end to, struct copy_end from, size_t bytes)
{
    order_begin(g, NULL, "a copy of the driver");
    const CUresult result = copy_box(&to, &from, bytes, 1, 1);
    if (to.host || from.host)
        order_waits(NULL);
    return result;
}

/* ---- of one dimension ---- */

API_IN(state_enter(&g), cuMemcpyHtoD_v2, "0x%llx, %p, %zu", (CUdeviceptr, to), (const void *, from),
       (size_t, bytes))
{
    return copy_bytes(g, copy_device_end(to), copy_host_end(from), bytes);
}

API_IN(state_enter(&g), cuMemcpyDtoH_v2, "%p, 0x%llx, %zu", (void *, to), (CUdeviceptr, from),
       (size_t, bytes))
{
    return copy_bytes(g, copy_host_end(to), copy_device_end(from), bytes);
}

API_IN(state_enter(&g), cuMemcpyDtoD_v2, "0x%llx, 0x%llx, %zu", (CUdeviceptr, to),
       (CUdeviceptr, from), (size_t, bytes))
{
    return copy_bytes(g, copy_device_end(to), copy_device_end(from), bytes);
}

API_IN(state_enter(&g), cuMemcpy, "0x%llx, 0x%llx, %zu", (CUdeviceptr, to), (CUdeviceptr, from),
       (size_t, bytes))
{
    return copy_bytes(g, unified_end(to), unified_end(from), bytes);
}

/* Copies that are given to a stream. */
static CUresult copy_later(CUmemorytype to_type, CUdeviceptr to, CUmemorytype from_type,
                           CUdeviceptr from, size_t bytes, CUstream stream);

API(cuMemcpyAsync, "0x%llx, 0x%llx, %zu, %p", (CUdeviceptr, to), (CUdeviceptr, from),
    (size_t, bytes), (CUstream, stream))
{
    return copy_later(CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes, stream);
}

API(cuMemcpyHtoDAsync_v2, "0x%llx, %p, %zu, %p", (CUdeviceptr, to), (const void *, from),
    (size_t, bytes), (CUstream, stream))
{
    return copy_later(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, (uintptr_t)from, bytes, stream);
}

API(cuMemcpyDtoHAsync_v2, "%p, 0x%llx, %zu, %p", (void *, to), (CUdeviceptr, from), (size_t, bytes),
    (CUstream, stream))
{
    return copy_later(CU_MEMORYTYPE_HOST, (uintptr_t)to, CU_MEMORYTYPE_DEVICE, from, bytes, stream);
}

API(cuMemcpyDtoDAsync_v2, "0x%llx, 0x%llx, %zu, %p", (CUdeviceptr, to), (CUdeviceptr, from),
    (size_t, bytes), (CUstream, stream))
{
    return copy_later(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes, stream);
}

/* Whose memory it is, its addresses say. */
static CUresult check_contexts(CUcontext one, CUcontext other)
{
    const CUresult result = state_check_context(one);
    return result ? result : state_check_context(other);
}

API(cuMemcpyPeer, "0x%llx, %p, 0x%llx, %p, %zu", (CUdeviceptr, to), (CUcontext, to_context),
    (CUdeviceptr, from), (CUcontext, from_context), (size_t, bytes))
{
    const CUresult result = check_contexts(to_context, from_context);
    return result ? result : do_cuMemcpyDtoD_v2(to, from, bytes);
}

API(cuMemcpyPeerAsync, "0x%llx, %p, 0x%llx, %p, %zu, %p", (CUdeviceptr, to),
    (CUcontext, to_context), (CUdeviceptr, from), (CUcontext, from_context), (size_t, bytes),
    (CUstream, stream))
{
    const CUresult result = check_contexts(to_context, from_context);
    return result ? result
                  : copy_later(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes, stream);
}

/* ---- of two and three dimensions ---- */

/* The fields of CUDA_MEMCPY3D that describe either end. */
struct copy_place {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
};

/* 400: an array that is none; 1: it is too small, or the kind of memory is not known. */
static CUresult end_of(const struct copy_place *p, const CUDA_MEMCPY3D *c, struct copy_end *end)
{
    switch (p->type) {
    case CU_MEMORYTYPE_HOST:
        *end = copy_host_end(p->host);
        break;
    case CU_MEMORYTYPE_DEVICE:
        *end = copy_device_end(p->device);
        break;
    case CU_MEMORYTYPE_UNIFIED:
        *end = unified_end(p->device);
        break;
    case CU_MEMORYTYPE_ARRAY: {
        const struct CUarray_st *a = p->array;
        if (!array_is(p->array))
            return CUDA_ERROR_INVALID_HANDLE;
        const size_t row = a->what.Width * array_format_bytes(a->what.Format) * a->what.NumChannels;
        const size_t height = a->what.Height ? a->what.Height : 1;
        const size_t depth = a->what.Depth ? a->what.Depth : 1;
        *end = (struct copy_end){.address = a->address, .pitch = a->pitch, .slice = a->slice};
        end->address += p->z * a->slice + p->y * a->pitch + p->x;
        return p->x <= row && c->WidthInBytes <= row - p->x && p->y <= height &&
                       c->Height <= height - p->y && p->z <= depth && c->Depth <= depth - p->z
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    }
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (p->pitch && p->x && p->x + c->WidthInBytes > p->pitch)
        return CUDA_ERROR_INVALID_VALUE;
    end->pitch = p->pitch ? p->pitch : c->WidthInBytes;
    end->slice = end->pitch * (p->height ? p->height : c->Height);
    const uint64_t offset = p->z * end->slice + p->y * end->pitch + p->x;
    if (end->host)
        end->host += offset;
    else
        end->address += offset;
    return (c->Height <= 1 && c->Depth <= 1) || end->pitch >= c->WidthInBytes
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult copy_3d(const CUDA_MEMCPY3D *c, CUstream stream)
{
    struct gpu *g;
    struct copy_end to, from;
    CUresult result = state_enter_stream(stream, &g);
    if (result)
        return result;
    const struct copy_place source = {c->srcMemoryType, c->srcHost,     c->srcDevice,
                                      c->srcArray,      c->srcXInBytes, c->srcY,
                                      c->srcZ,          c->srcPitch,    c->srcHeight};
    const struct copy_place target = {c->dstMemoryType, c->dstHost,     c->dstDevice,
                                      c->dstArray,      c->dstXInBytes, c->dstY,
                                      c->dstZ,          c->dstPitch,    c->dstHeight};
    if ((result = end_of(&source, c, &from)) != CUDA_SUCCESS ||
        (result = end_of(&target, c, &to)) != CUDA_SUCCESS)
        return state_leave(result);
    order_begin(g, stream, "a copy of the driver");
    result = copy_box(&to, &from, c->WidthInBytes, c->Height, c->Depth);
    if (waits(&to, &from))
        order_waits(stream);
    return state_leave(result);
}

/* As copy_3d, for work that is given to a stream. */
static CUresult copy_3d_later(const CUDA_MEMCPY3D *c, CUstream stream)
{
    CUresult result;
    const struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_MEMCPY, .copy = *c};
    return capture_takes(stream, &work, &result) || result ? result : copy_3d(c, stream);
}

static CUresult copy_later(CUmemorytype to_type, CUdeviceptr to, CUmemorytype from_type,
                           CUdeviceptr from, size_t bytes, CUstream stream)
{
    const CUDA_MEMCPY3D copy = {.srcMemoryType = from_type,
                                .srcHost = (const void *)(uintptr_t)from,
                                .srcDevice = from,
                                .dstMemoryType = to_type,
                                .dstHost = (void *)(uintptr_t)to,
                                .dstDevice = to,
                                .WidthInBytes = bytes,
                                .Height = 1,
                                .Depth = 1};
    return copy_3d_later(&copy, stream);
}

/* Waits where a call that has given a copy to the default stream does. */
static CUresult waited(CUresult result)
{
    order_wait(NULL);
    return result;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, CUstream stream)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D whole = {.srcXInBytes = c->srcXInBytes,
                                 .srcY = c->srcY,
                                 .srcMemoryType = c->srcMemoryType,
                                 .srcHost = c->srcHost,
                                 .srcDevice = c->srcDevice,
                                 .srcArray = c->srcArray,
                                 .srcPitch = c->srcPitch,
                                 .dstXInBytes = c->dstXInBytes,
                                 .dstY = c->dstY,
                                 .dstMemoryType = c->dstMemoryType,
                                 .dstHost = c->dstHost,
                                 .dstDevice = c->dstDevice,
                                 .dstArray = c->dstArray,
                                 .dstPitch = c->dstPitch,
                                 .WidthInBytes = c->WidthInBytes,
                                 .Height = c->Height,
                                 .Depth = 1};
    return copy_3d_later(&whole, stream);
}

API(cuMemcpy2D_v2, "%p: %zu x %zu",
    (const CUDA_MEMCPY2D *, copy, copy, copy ? copy->WidthInBytes : 0, copy ? copy->Height : 0))
{
    return waited(copy_2d(copy, NULL));
}

API(cuMemcpy2DUnaligned_v2, "%p: %zu x %zu",
    (const CUDA_MEMCPY2D *, copy, copy, copy ? copy->WidthInBytes : 0, copy ? copy->Height : 0))
{
    return waited(copy_2d(copy, NULL));
}

API(cuMemcpy2DAsync_v2, "%p: %zu x %zu, %p",
    (const CUDA_MEMCPY2D *, copy, copy, copy ? copy->WidthInBytes : 0, copy ? copy->Height : 0),
    (CUstream, stream))
{
    return copy_2d(copy, stream);
}

API(cuMemcpy3D_v2, "%p: %zu x %zu x %zu",
    (const CUDA_MEMCPY3D *, copy, copy, copy ? copy->WidthInBytes : 0, copy ? copy->Height : 0,
     copy ? copy->Depth : 0))
{
    return copy ? waited(copy_3d(copy, NULL)) : CUDA_ERROR_INVALID_VALUE;
}

API(cuMemcpy3DAsync_v2, "%p: %zu x %zu x %zu, %p",
    (const CUDA_MEMCPY3D *, copy, copy, copy ? copy->WidthInBytes : 0, copy ? copy->Height : 0,
     copy ? copy->Depth : 0),
    (CUstream, stream))
{
    return copy ? copy_3d_later(copy, stream) : CUDA_ERROR_INVALID_VALUE;
}
