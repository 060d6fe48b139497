/* libcuda: memory that is filled ("CUDA Driver API": 6.13). It is filled when the call returns. */
#include <stdlib.h>
#include <string.h>

#include "runtime/cuda/copy.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/order.h"

/* Fills @p height rows of @p count units; the lock is taken. */
static CUresult fill(CUdeviceptr to, size_t pitch, const void *unit, size_t size, size_t count,
                     size_t height, CUstream stream)
{
    struct gpu *g;
    const CUresult result = state_enter_stream(stream, &g);
    if (result)
        return result;
    uint8_t *row = count <= gpu_memory(g) / size ? malloc(count * size + 1) : NULL;
    if (!row || to % size || (height > 1 && (pitch % size || pitch < count * size))) {
        free(row);
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    }
    for (size_t i = 0; i < count; i++)
        memcpy(row + i * size, unit, size);
    struct copy_end target = copy_device_end(to);
    const struct copy_end source = copy_host_end(row);
    target.pitch = pitch;
    order_begin(g, stream, "a fill of the driver");
    const CUresult done = copy_box(&target, &source, count * size, height, 1);
    free(row);
    return state_leave(done);
}

CUresult fill_node(const CUDA_MEMSET_NODE_PARAMS *what, CUstream stream)
{
    const unsigned size = what->elementSize;
    return size == 1 || size == 2 || size == 4
               ? fill(what->dst, what->pitch, &what->value, size, what->width, what->height, stream)
               : CUDA_ERROR_INVALID_VALUE;
}

/* The host waits for a fill of memory that it shares ("API synchronization behavior"). */
static CUresult fill_now(CUdeviceptr to, size_t pitch, const void *unit, size_t size, size_t count,
                         size_t height)
{
    const CUresult result = fill(to, pitch, unit, size, count, height, NULL);
    if (state_lock())
        return result;
    const struct gpu *owner = state_owner(to, NULL);
    if (owner ? gpu_is_managed(owner, to) : memory_is_seen(to))
        order_waits(NULL);
    state_leave(CUDA_SUCCESS);
    return result;
}

/* Likewise for work that is given to a stream. */
static CUresult fill_later(CUdeviceptr to, size_t pitch, unsigned value, unsigned size,
                           size_t width, size_t height, CUstream stream)
{
    CUresult result;
    const struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_MEMSET,
                                    .fill = {to, pitch, value, size, width, height}};
    return capture_takes(stream, &work, &result) || result ? result : fill_node(&work.fill, stream);
}

#define FILL(name, name_async, type)                                                               \
    API(name, "0x%llx, %u, %zu", (CUdeviceptr, to), (type, value), (size_t, count))                \
    {                                                                                              \
        return fill_now(to, 0, &value, sizeof value, count, 1);                                    \
    }                                                                                              \
    API(name_async, "0x%llx, %u, %zu, %p", (CUdeviceptr, to), (type, value), (size_t, count),      \
        (CUstream, stream))                                                                        \
    {                                                                                              \
        return fill_later(to, 0, value, sizeof value, count, 1, stream);                           \
    }
#define FILL_2D(name, name_async, type)                                                            \
    API(name, "0x%llx, %zu, %u, %zu, %zu", (CUdeviceptr, to), (size_t, pitch), (type, value),      \
        (size_t, width), (size_t, height))                                                         \
    {                                                                                              \
        return fill_now(to, pitch, &value, sizeof value, width, height);                           \
    }                                                                                              \
    API(name_async, "0x%llx, %zu, %u, %zu, %zu, %p", (CUdeviceptr, to), (size_t, pitch),           \
        (type, value), (size_t, width), (size_t, height), (CUstream, stream))                      \
    {                                                                                              \
        return fill_later(to, pitch, value, sizeof value, width, height, stream);                  \
    }

FILL(cuMemsetD8_v2, cuMemsetD8Async, unsigned char)
FILL(cuMemsetD16_v2, cuMemsetD16Async, unsigned short)
FILL(cuMemsetD32_v2, cuMemsetD32Async, unsigned)
FILL_2D(cuMemsetD2D8_v2, cuMemsetD2D8Async, unsigned char)
FILL_2D(cuMemsetD2D16_v2, cuMemsetD2D16Async, unsigned short)
FILL_2D(cuMemsetD2D32_v2, cuMemsetD2D32Async, unsigned)
