/* libcuda: copies of bytes to and from arrays of one dimension, and between contexts ("CUDA Driver
 * API": 6.13). */
#include "runtime/cuda/array.h"
#include "runtime/cuda/copy.h"

/* Copies one row of an array, as @p copy says: an array of more dimensions is refused. */
static CUresult row(CUDA_MEMCPY3D copy, CUstream stream)
{
    struct gpu *g;
    const CUresult result = state_enter_stream(stream, &g);
    const bool to_array = copy.dstMemoryType == CU_MEMORYTYPE_ARRAY,
               from_array = copy.srcMemoryType == CU_MEMORYTYPE_ARRAY;
    const CUarray arrays[] = {to_array ? copy.dstArray : copy.srcArray,
                              from_array ? copy.srcArray : copy.dstArray};
    copy.Height = copy.Depth = 1;
    if (result)
        return result;
    for (unsigned i = 0; i < 2; i++)
        if (!array_is(arrays[i]) || arrays[i]->what.Height)
            return state_leave(arrays[i] && !array_is(arrays[i]) ? CUDA_ERROR_INVALID_HANDLE
                                                                 : CUDA_ERROR_INVALID_VALUE);
    state_leave(CUDA_SUCCESS);
    return copy_3d(&copy, stream);
}

API(cuMemcpyDtoA_v2, "%p, %zu, 0x%llx, %zu", (CUarray, to), (size_t, offset), (CUdeviceptr, from),
    (size_t, bytes))
{
    return row((CUDA_MEMCPY3D){.dstMemoryType = CU_MEMORYTYPE_ARRAY,
                               .dstArray = to,
                               .dstXInBytes = offset,
                               .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                               .srcDevice = from,
                               .WidthInBytes = bytes},
               NULL);
}

API(cuMemcpyAtoD_v2, "0x%llx, %p, %zu, %zu", (CUdeviceptr, to), (CUarray, from), (size_t, offset),
    (size_t, bytes))
{
    return row((CUDA_MEMCPY3D){.dstMemoryType = CU_MEMORYTYPE_DEVICE,
                               .dstDevice = to,
                               .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                               .srcArray = from,
                               .srcXInBytes = offset,
                               .WidthInBytes = bytes},
               NULL);
}

API(cuMemcpyHtoAAsync_v2, "%p, %zu, %p, %zu, %p", (CUarray, to), (size_t, offset),
    (const void *, from), (size_t, bytes), (CUstream, stream))
{
    return row((CUDA_MEMCPY3D){.dstMemoryType = CU_MEMORYTYPE_ARRAY,
                               .dstArray = to,
                               .dstXInBytes = offset,
                               .srcMemoryType = CU_MEMORYTYPE_HOST,
                               .srcHost = from,
                               .WidthInBytes = bytes},
               stream);
}

API(cuMemcpyHtoA_v2, "%p, %zu, %p, %zu", (CUarray, to), (size_t, offset), (const void *, from),
    (size_t, bytes))
{
    return do_cuMemcpyHtoAAsync_v2(to, offset, from, bytes, NULL);
}

API(cuMemcpyAtoHAsync_v2, "%p, %p, %zu, %zu, %p", (void *, to), (CUarray, from), (size_t, offset),
    (size_t, bytes), (CUstream, stream))
{
    return row((CUDA_MEMCPY3D){.dstMemoryType = CU_MEMORYTYPE_HOST,
                               .dstHost = to,
                               .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                               .srcArray = from,
                               .srcXInBytes = offset,
                               .WidthInBytes = bytes},
               stream);
}

API(cuMemcpyAtoH_v2, "%p, %p, %zu, %zu", (void *, to), (CUarray, from), (size_t, offset),
    (size_t, bytes))
{
    return do_cuMemcpyAtoHAsync_v2(to, from, offset, bytes, NULL);
}

API(cuMemcpyAtoA_v2, "%p, %zu, %p, %zu, %zu", (CUarray, to), (size_t, to_offset), (CUarray, from),
    (size_t, from_offset), (size_t, bytes))
{
    return row((CUDA_MEMCPY3D){.dstMemoryType = CU_MEMORYTYPE_ARRAY,
                               .dstArray = to,
                               .dstXInBytes = to_offset,
                               .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                               .srcArray = from,
                               .srcXInBytes = from_offset,
                               .WidthInBytes = bytes},
               NULL);
}

/* ---- between contexts ---- */

/* Addresses and arrays say which GPU they are of, so that the contexts add nothing. */
static CUresult copy_peer(const CUDA_MEMCPY3D_PEER *copy, CUstream stream)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D plain = {.srcXInBytes = copy->srcXInBytes,
                                 .srcY = copy->srcY,
                                 .srcZ = copy->srcZ,
                                 .srcMemoryType = copy->srcMemoryType,
                                 .srcHost = copy->srcHost,
                                 .srcDevice = copy->srcDevice,
                                 .srcArray = copy->srcArray,
                                 .srcPitch = copy->srcPitch,
                                 .srcHeight = copy->srcHeight,
                                 .dstXInBytes = copy->dstXInBytes,
                                 .dstY = copy->dstY,
                                 .dstZ = copy->dstZ,
                                 .dstMemoryType = copy->dstMemoryType,
                                 .dstHost = copy->dstHost,
                                 .dstDevice = copy->dstDevice,
                                 .dstArray = copy->dstArray,
                                 .dstPitch = copy->dstPitch,
                                 .dstHeight = copy->dstHeight,
                                 .WidthInBytes = copy->WidthInBytes,
                                 .Height = copy->Height,
                                 .Depth = copy->Depth};
    return copy_3d(&plain, stream);
}

API(cuMemcpy3DPeer, "%p", (const CUDA_MEMCPY3D_PEER *, copy))
{
    return copy_peer(copy, NULL);
}

API(cuMemcpy3DPeerAsync, "%p, %p", (const CUDA_MEMCPY3D_PEER *, copy), (CUstream, stream))
{
    return copy_peer(copy, stream);
}
