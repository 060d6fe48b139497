/* libcuda: streams that write values to memory, and wait for them ("CUDA Driver API": 6.20). */
#include "runtime/cuda/copy.h"
#include "runtime/cuda/order.h"

static CUresult write_value(CUstream stream, CUdeviceptr address, uint64_t value, unsigned bytes,
                            unsigned flags)
{
    struct gpu *g;
    const CUresult result = state_enter_stream(stream, &g);
    if (result)
        return result;
    if (address % bytes || flags)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    const struct copy_end to = copy_device_end(address), from = copy_host_end(&value);
    order_waits(stream); /* the value may tell the host */
    return state_leave(copy_box(&to, &from, bytes, 1, 1));
}

/* Whether the value is there that is waited for; numbers are compared as a ring. */
static bool is_there(uint64_t have, uint64_t wanted, unsigned bytes, unsigned condition)
{
    switch (condition) {
    case CU_STREAM_WAIT_VALUE_GEQ:
        return bytes == 4 ? (int32_t)((uint32_t)have - (uint32_t)wanted) >= 0
                          : (int64_t)(have - wanted) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return have == wanted;
    case CU_STREAM_WAIT_VALUE_AND:
        return have & wanted;
    default:
        return ~(have | wanted) & (bytes == 4 ? UINT32_MAX : UINT64_MAX);
    }
}

/* Work is done when it is given: one that would have to wait for what the program gives later is
 * refused, rather than that the call never returns. */
static CUresult wait_value(CUstream stream, CUdeviceptr address, uint64_t value, unsigned bytes,
                           unsigned flags)
{
    struct gpu *g;
    uint64_t have = 0;
    CUresult result = state_enter_stream(stream, &g);
    if (result)
        return result;
    if (address % bytes || flags > CU_STREAM_WAIT_VALUE_NOR)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    const struct copy_end from = copy_device_end(address), to = copy_host_end(&have);
    if ((result = copy_box(&to, &from, bytes, 1, 1)) != CUDA_SUCCESS ||
        is_there(have, value, bytes, flags)) {
        order_after_all(stream);
        return state_leave(result);
    }
    call_refused("cuStreamWaitValue: the value is not there, and work of a stream does not wait "
                 "for later calls");
    return state_leave(CUDA_ERROR_NOT_SUPPORTED);
}

#define VALUES(what, function)                                                                     \
    API(cuStream##what##Value32_v2, "%p, 0x%llx, %u, %u", (CUstream, stream),                      \
        (CUdeviceptr, address), (cuuint32_t, value), (unsigned, flags))                            \
    {                                                                                              \
        return function(stream, address, value, 4, flags);                                         \
    }                                                                                              \
    API(cuStream##what##Value64_v2, "%p, 0x%llx, %llu, %u", (CUstream, stream),                    \
        (CUdeviceptr, address), (cuuint64_t, value, (unsigned long long)value), (unsigned, flags)) \
    {                                                                                              \
        return function(stream, address, value, 8, flags);                                         \
    }
VALUES(Write, write_value)
VALUES(Wait, wait_value)
