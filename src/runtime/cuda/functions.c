/* libcuda: what functions are and may have, and how many blocks of them an SM holds ("CUDA Driver
 * API": 6.10, 6.22, 6.24). */
#include "runtime/cuda/state.h"

unsigned functions_dynamic_limit(const struct CUfunc_st *f)
{
    const uint32_t shared = f->kernel.launch.shared;
    return f->dynamic_set           ? (unsigned)f->dynamic
           : shared < SM_CTA_SHARED ? SM_CTA_SHARED - shared
                                    : 0;
}

static int attribute_of(const struct CUfunc_st *f, const struct gpu *g,
                        CUfunction_attribute attribute)
{
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        return (int)f->kernel.most_threads;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        return (int)f->kernel.launch.shared;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        return (int)f->kernel.launch.local;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        return (int)f->kernel.launch.registers;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        return (int)gpu_module_target(&f->module->module);
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        return (int)(f->kernel.launch.rows ? gpu_capability(g)
                                           : gpu_module_target(&f->module->module));
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        return (int)functions_dynamic_limit(f);
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return f->carveout_set ? f->carveout : -1;
    default:
        return 0;
    }
}

API_IN(state_enter_function(&function, &g), cuFuncGetAttribute, "*%llu, %d, %p",
       (int *, value, RESULT(value)), (CUfunction_attribute, attribute), (CUfunction, function))
{
    if (!value || attribute > CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
        return CUDA_ERROR_INVALID_VALUE;
    *value = attribute_of(function, g, attribute);
    return CUDA_SUCCESS;
}

/* Two attributes may be set. The second one is a preference, for there is no cache to take shared
 * memory from. */
API_IN(state_enter_function(&function, &g), cuFuncSetAttribute, "%p, %d, %d",
       (CUfunction, function), (CUfunction_attribute, attribute), (int, value))
{
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value >= 0 &&
        value <= (int)gpu_shared(g).cta - (int)function->kernel.launch.shared) {
        function->dynamic = value;
        function->dynamic_set = true;
        return CUDA_SUCCESS;
    }
    if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT && value >= -1 &&
        value <= 100) {
        function->carveout = value;
        function->carveout_set = true;
        return CUDA_SUCCESS;
    }
    /* There are no clusters of blocks. */
    return attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

/* Preferences only: there is no cache, and shared memory has no banks. */
API_IN(state_enter_function(&function, &g), cuFuncSetCacheConfig, "%p, %d", (CUfunction, function),
       (CUfunc_cache, config))
{
    return config <= CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(state_enter_function(&function, &g), cuFuncSetSharedMemConfig, "%p, %d",
       (CUfunction, function), (CUsharedconfig, config))
{
    return config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_SUCCESS
                                                               : CUDA_ERROR_INVALID_VALUE;
}

API_IN(state_enter_function(&function, &g), cuFuncGetModule, "*%p, %p",
       (CUmodule *, module, HANDLE(module)), (CUfunction, function))
{
    if (module)
        *module = function->module;
    return module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API(cuFuncGetName, "%p, %p", (const char **, name), (CUfunction, function))
{
    struct gpu *g;
    if (!name || !function)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = state_enter_function(&function, &g);
    if (result)
        return result;
    *name = function->kernel.name;
    return state_leave(CUDA_SUCCESS);
}

/* ---- occupancy ---- */

static unsigned resident(const struct gpu *g, const struct CUfunc_st *f, int block, size_t dynamic)
{
    if (block < 1 || (unsigned)block > f->kernel.most_threads ||
        dynamic > functions_dynamic_limit(f))
        return 0;
    const struct gpu_launch launch = {.module = &f->module->module,
                                      .kernel = &f->kernel,
                                      .grid = {1, 1, 1},
                                      .block = {(uint32_t)block, 1, 1},
                                      .shared = (uint32_t)dynamic};
    return gpu_resident(g, &launch);
}

API_IN(state_enter_launched(&function, &g), cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
       "*%llu, %p, %d, %zu, %u", (int *, blocks, RESULT(blocks)), (CUfunction, function),
       (int, block), (size_t, dynamic), (unsigned, flags))
{
    if (!blocks || block < 1 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    *blocks = (int)resident(g, function, block, dynamic);
    return CUDA_SUCCESS;
}

API(cuOccupancyMaxActiveBlocksPerMultiprocessor, "*%llu, %p, %d, %zu",
    (int *, blocks, RESULT(blocks)), (CUfunction, function), (int, block), (size_t, dynamic))
{
    return do_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block, dynamic,
                                                                   0);
}

/* The largest of the sizes, whole warps or the limit, with which an SM has most warps. The
 * program's function is called without the lock. */
API(cuOccupancyMaxPotentialBlockSizeWithFlags, "*%llu, *%llu, %p, %zu, %d, %u",
    (int *, grid, RESULT(grid)), (int *, block, RESULT(block)), (CUfunction, function),
    (CUoccupancyB2DSize, shared, ), (size_t, dynamic), (int, limit), (unsigned, flags))
{
    enum { SIZES = 32, LANES = 32 };
    size_t bytes[SIZES + 1];
    int size[SIZES + 1];
    unsigned best = 0;
    struct gpu *g;
    if (!grid || !block || limit < 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    for (int n = 1; n <= SIZES; n++)
        size[n] = limit && n * LANES > limit && (n - 1) * LANES < limit ? limit : n * LANES;
    for (int n = 1; n <= SIZES; n++)
        bytes[n] = shared ? shared(size[n]) : dynamic;
    const CUresult result = state_enter_function(&function, &g);
    if (result)
        return result;
    *block = *grid = 0;
    for (int n = SIZES; n >= 1; n--) {
        const unsigned blocks =
            limit && size[n] > limit ? 0 : resident(g, function, size[n], bytes[n]);
        if (blocks * (unsigned)n <= best)
            continue;
        best = blocks * (unsigned)n;
        *block = size[n];
        *grid = (int)(blocks * gpu_sms(g));
    }
    return state_leave(CUDA_SUCCESS);
}

API(cuOccupancyMaxPotentialBlockSize, "*%llu, *%llu, %p, %zu, %d", (int *, grid, RESULT(grid)),
    (int *, block, RESULT(block)), (CUfunction, function), (CUoccupancyB2DSize, shared, ),
    (size_t, dynamic), (int, limit))
{
    return do_cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared, dynamic,
                                                        limit, 0);
}

API_IN(state_enter_function(&function, &g), cuOccupancyAvailableDynamicSMemPerBlock,
       "*%llu, %p, %d, %d", (size_t *, dynamic, RESULT(dynamic)), (CUfunction, function),
       (int, blocks), (int, block))
{
    if (!dynamic || blocks < 1 || block < 1 || (int)resident(g, function, block, 0) < blocks)
        return CUDA_ERROR_INVALID_VALUE;
    size_t low = 0, high = (size_t)functions_dynamic_limit(function) + 1; /* high: too much */
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        *((int)resident(g, function, block, middle) >= blocks ? &low : &high) = middle;
    }
    *dynamic = low;
    return CUDA_SUCCESS;
}

/* Code is there as soon as its module is. */
API_IN(state_enter_function(&function, &g), cuFuncIsLoaded, "*%llu, %p",
       (int *, state, RESULT(state)), (CUfunction, function))
{
    enum { LOADED = 1 };
    if (state)
        *state = LOADED;
    return state ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(state_enter_function(&function, &g), cuFuncLoad, "%p", (CUfunction, function))
{
    return CUDA_SUCCESS;
}

/* A kernel of a library is the function of the GPU of the thread's context. */
static CUresult check_device(CUdevice number)
{
    const CUresult result = state_lock();
    return result ? result
                  : state_leave(state_gpu(number) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}

API(cuKernelGetAttribute, "*%llu, %d, %p, %d", (int *, value, RESULT(value)),
    (CUfunction_attribute, attribute), (CUkernel, kernel), (CUdevice, number))
{
    const CUresult result = check_device(number);
    return result ? result : do_cuFuncGetAttribute(value, attribute, (CUfunction)kernel);
}

/* Where a parameter lies, from the first one on, and its bytes. */
API_IN(state_enter_function(&function, &g), cuFuncGetParamInfo, "%p, %zu, *%llu, *%llu",
       (CUfunction, function), (size_t, number), (size_t *, offset, RESULT(offset)),
       (size_t *, size, RESULT(size)))
{
    if (!offset || number >= function->kernel.parameter_count)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = function->kernel.parameter[number].offset;
    if (size)
        *size = function->kernel.parameter[number].size;
    return CUDA_SUCCESS;
}

API(cuKernelGetParamInfo, "%p, %zu, *%llu, *%llu", (CUkernel, kernel), (size_t, number),
    (size_t *, offset, RESULT(offset)), (size_t *, size, RESULT(size)))
{
    return do_cuFuncGetParamInfo((CUfunction)kernel, number, offset, size);
}

API(cuKernelSetAttribute, "%d, %d, %p, %d", (CUfunction_attribute, attribute), (int, value),
    (CUkernel, kernel), (CUdevice, number))
{
    const CUresult result = check_device(number);
    return result ? result : do_cuFuncSetAttribute((CUfunction)kernel, attribute, value);
}

API(cuKernelSetCacheConfig, "%p, %d, %d", (CUkernel, kernel), (CUfunc_cache, config),
    (CUdevice, number))
{
    const CUresult result = check_device(number);
    return result ? result : do_cuFuncSetCacheConfig((CUfunction)kernel, config);
}
