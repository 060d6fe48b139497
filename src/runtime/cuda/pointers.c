/* libcuda: what an address is, and advice about memory ("CUDA Driver API": 6.13, 6.17). */
#include <string.h>

#include "runtime/cuda/context.h"

/* As state_enter_owner(), with the lock, for a call that names memory by an address. */
static CUresult enter_address(uint64_t address, struct gpu **gpu)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    const struct gpu *g = state_owner(address, NULL);
    return state_enter_owner(g ? gpu_range_owner(g, address) : memory_owner(address), gpu);
}

CUresult state_enter_memory(uint64_t address, struct gpu **gpu)
{
    CUresult result = enter_address(address, gpu);
    if (result != CUDA_ERROR_INVALID_CONTEXT || state_lock())
        return result;
    uint64_t base, size;
    const struct gpu *g = state_owner(address, NULL);
    if (g ? !gpu_range(g, address, &base, &size) : !memory_owner(address))
        result = CUDA_ERROR_INVALID_VALUE;
    return state_leave(result);
}

/* The memory behind an address. */
struct pointer_place {
    const struct gpu *gpu; /* NULL: memory of the host that kernels can access */
    CUdevice number;
    uint64_t base, size, id;
};

/* False: neither a GPU nor the driver has the address. */
static bool find(uint64_t address, struct pointer_place *p)
{
    *p = (struct pointer_place){.gpu = state_owner(address, &p->number)};
    if (p->gpu)
        return gpu_range(p->gpu, address, &p->base, &p->size) && state_owner(address, &p->number);
    p->number = state_entered()->device;
    return memory_seen(address, &p->base, &p->size);
}

static void put(void *to, uint64_t value, size_t bytes)
{
    memcpy(to, &value, bytes); /* of a machine that is little-endian */
}

/* Zero where nothing is known of the address, as cuPointerGetAttributes has it. */
static CUresult attribute_of(CUpointer_attribute attribute, uint64_t address,
                             const struct pointer_place *p, void *to)
{
    const bool known = p->size != 0;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
        /* Memory that no context owns (variables of libraries, memory of pools) is the calling
         * thread's context's. */
        const uint64_t owner = p->gpu ? gpu_range_owner(p->gpu, address) : memory_owner(address);
        const CUcontext own = owner ? state_context_of(owner) : state_entered();
        put(to, known && own && own->device == p->number ? (uintptr_t)own : 0, sizeof own);
        return CUDA_SUCCESS;
    }
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        put(to, !known ? 0 : p->gpu ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST, 4);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        put(to, p->gpu ? (uintptr_t)pool_of_memory(p->base) : 0, 8);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: /* none: handles for other processes */
        put(to, 0, 8);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        put(to, known ? address : 0, 8);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: /* all of them are synchronous */
    case CU_POINTER_ATTRIBUTE_MAPPED:
        put(to, known, 1);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        put(to, p->gpu ? gpu_range_id(p->gpu, address) : 0, 8);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        put(to, p->gpu && gpu_is_managed(p->gpu, address), 4);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        put(to, known ? (uint32_t)p->number : (uint32_t)-2, 4);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        put(to, p->base, 8);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        put(to, p->size, 8);
        return CUDA_SUCCESS;
    default:
        return attribute >= CU_POINTER_ATTRIBUTE_CONTEXT &&
                       attribute <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE
                   ? call_refused("cuPointerGetAttribute: this attribute")
                   : CUDA_ERROR_INVALID_VALUE;
    }
}

API_IN(state_enter_memory(address, &g), cuPointerGetAttribute, "%p, %d, 0x%llx", (void *, value),
       (CUpointer_attribute, attribute), (CUdeviceptr, address))
{
    struct pointer_place p;
    if (!value || !find(address, &p))
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER && p.gpu && !gpu_is_managed(p.gpu, address))
        return CUDA_ERROR_INVALID_VALUE;
    return attribute_of(attribute, address, &p, value);
}

/* Unlike the function for one, this one knows an answer for any address. */
API_IN(enter_address(address, &g), cuPointerGetAttributes, "%u, %p, %p, 0x%llx", (unsigned, count),
       (CUpointer_attribute *, attributes), (void **, data), (CUdeviceptr, address))
{
    struct pointer_place p;
    CUresult result = CUDA_SUCCESS;
    if (!attributes || !data || !count)
        return CUDA_ERROR_INVALID_VALUE;
    if (!find(address, &p))
        p = (struct pointer_place){0};
    for (unsigned i = 0; i < count && !result; i++)
        result =
            data[i] ? attribute_of(attributes[i], address, &p, data[i]) : CUDA_ERROR_INVALID_VALUE;
    return result;
}

API_IN(enter_address(address, &g), cuPointerSetAttribute, "%p, %d, 0x%llx", (const void *, value),
       (CUpointer_attribute, attribute), (CUdeviceptr, address))
{
    struct pointer_place p;
    return value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS && find(address, &p)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

API_IN(enter_address(address, &g), cuMemGetAddressRange_v2, "*0x%llx, *%llu, 0x%llx",
       (CUdeviceptr *, base, RESULT(base)), (size_t *, size, RESULT(size)), (CUdeviceptr, address))
{
    struct pointer_place p;
    if (!find(address, &p)) /* memory of the host that is mapped has a range, too */
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = p.base;
    if (size)
        *size = p.size;
    return CUDA_SUCCESS;
}

/* ---- managed memory: it does not move, whatever is advised ---- */

static bool is_managed(CUdeviceptr address, size_t bytes)
{
    uint64_t base, size;
    const struct gpu *owner = state_owner(address, NULL);
    return bytes && owner && gpu_is_managed(owner, address) &&
           gpu_range(owner, address, &base, &size) && bytes <= size - (address - base);
}

static bool is_place(CUdevice device)
{
    return device == CU_DEVICE_CPU || state_gpu(device);
}

API_IN(state_enter_stream(stream, &g), cuMemPrefetchAsync, "0x%llx, %zu, %d, %p",
       (CUdeviceptr, address), (size_t, bytes), (CUdevice, device), (CUstream, stream))
{
    if (!is_place(device))
        return CUDA_ERROR_INVALID_DEVICE;
    return is_managed(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(enter_address(address, &g), cuMemAdvise, "0x%llx, %zu, %d, %d", (CUdeviceptr, address),
       (size_t, bytes), (CUmem_advise, advice), (CUdevice, device))
{
    if (advice >= CU_MEM_ADVISE_SET_PREFERRED_LOCATION &&
        advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY &&
        advice != CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION && !is_place(device))
        return CUDA_ERROR_INVALID_DEVICE;
    return advice >= CU_MEM_ADVISE_SET_READ_MOSTLY && advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY &&
                   is_managed(address, bytes)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

/* The number of the device that a location names; all other locations are in the host. */
static CUdevice device_of(CUmemLocation place)
{
    return place.type == CU_MEM_LOCATION_TYPE_DEVICE ? place.id : CU_DEVICE_CPU;
}

API(cuMemPrefetchAsync_v2, "0x%llx, %zu, {%d, %d}, %u, %p", (CUdeviceptr, address), (size_t, bytes),
    (CUmemLocation, place, (int)place.type, place.id), (unsigned, flags), (CUstream, stream))
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    return do_cuMemPrefetchAsync(address, bytes, device_of(place), stream);
}

API(cuMemAdvise_v2, "0x%llx, %zu, %d, {%d, %d}", (CUdeviceptr, address), (size_t, bytes),
    (CUmem_advise, advice), (CUmemLocation, place, (int)place.type, place.id))
{
    return do_cuMemAdvise(address, bytes, advice, device_of(place));
}
