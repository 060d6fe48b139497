/* libcuda: memory of GPUs ("CUDA Driver API": 6.13). Copies are in copy.c. */
#include "runtime/cuda/checks.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/order.h"
#include "runtime/cuda/state.h"

static CUresult allocate(struct gpu *g, CUdeviceptr *address, size_t bytes, const char *by)
{
    struct wt_error err;
    uint64_t at;
    if (!address || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (gpu_allocate(g, bytes, checks_entry(by), &at, &err) != WT_OK)
        return CUDA_ERROR_OUT_OF_MEMORY;
    gpu_own(g, at, state_entered_id());
    order_made(at, bytes, WT_OF_DEVICE);
    *address = at;
    return CUDA_SUCCESS;
}

API_IN(state_enter(&g), cuMemAlloc_v2, "*0x%llx, %zu", (CUdeviceptr *, address, RESULT(address)),
       (size_t, bytes))
{
    return capture_forbids_here() ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                                  : allocate(g, address, bytes, "cuMemAlloc");
}

/* cuMemFree needs no context for address 0, nor to refuse an address that is no allocation. */
static CUresult enter_to_free(uint64_t address, struct gpu **gpu)
{
    const CUresult result = state_enter_memory(address, gpu);
    return !address && result == CUDA_ERROR_INVALID_VALUE ? state_lock()
                                                          : checks_free_fails(address, result);
}

API_IN(enter_to_free(address, &g), cuMemFree_v2, "0x%llx", (CUdeviceptr, address))
{
    order_gone(address);
    return !address || pool_free(address, "cuMemFree") ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API(cuMemAllocPitch_v2, "*0x%llx, *%llu, %zu, %zu, %u", (CUdeviceptr *, address, RESULT(address)),
    (size_t *, pitch, RESULT(pitch)), (size_t, width), (size_t, height), (unsigned, element))
{
    enum { ALIGNMENT = 512 };
    if (!pitch || !width || !height || (element != 4 && element != 8 && element != 16) ||
        width > SIZE_MAX / 2 / height)
        return CUDA_ERROR_INVALID_VALUE;
    const size_t row = (width + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const CUresult result = do_cuMemAlloc_v2(address, row * height);
    if (!result)
        *pitch = row;
    return result;
}

/* Memory of a GPU is memory of the process: all of it is managed. */
API(cuMemAllocManaged, "*0x%llx, %zu, %u", (CUdeviceptr *, address, RESULT(address)),
    (size_t, bytes), (unsigned, flags))
{
    struct gpu *g;
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = do_cuMemAlloc_v2(address, bytes);
    if (result || (result = state_enter(&g)) != CUDA_SUCCESS)
        return result;
    gpu_manage(g, *address);
    order_made(*address, bytes, WT_OF_BOTH);
    return state_leave(CUDA_SUCCESS);
}

/* ---- questions ---- */

API_IN(state_enter(&g), cuMemGetInfo_v2, "*%llu, *%llu", (size_t *, free_bytes, RESULT(free_bytes)),
       (size_t *, total_bytes, RESULT(total_bytes)))
{
    if (!free_bytes || !total_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    *free_bytes = gpu_memory(g) - gpu_in_use(g);
    *total_bytes = gpu_memory(g);
    return CUDA_SUCCESS;
}
