/* libcuda: modules, launches ("CUDA Driver API": 6.10, 6.22). The linker is in linker.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "runtime/cuda/image.h"
#include "runtime/cuda/jit_log.h"
#include "runtime/cuda/state.h"

/* ---- modules ---- */

static struct CUmod_st *modules; /* those that are loaded; under the lock */

/* What a call says about the image that it loads. */
struct options {
    struct jit_log log;
    struct image_symbols symbols;
};

static bool is_placed(const struct CUmod_st *m, uint64_t address)
{
    size_t count = 0;
    const struct sm_ptx_placed *p = m->module.image ? sm_ptx_placed(m->module.image, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        if (p[i].address == address)
            return true;
    return false;
}

/* Variables at addresses of the program's get their initial values, but for those that a loaded
 * module has there already, on this GPU or another one. */
static CUresult fill_placed(struct gpu *g, const struct CUmod_st *m, struct wt_error *err)
{
    size_t count = 0;
    const struct sm_ptx_placed *p = m->module.image ? sm_ptx_placed(m->module.image, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        const struct CUmod_st *other = modules;
        while (other && !is_placed(other, p[i].address))
            other = other->next;
        if (other || !p[i].size || gpu_write_seen(g, p[i].address, p[i].bytes, p[i].size))
            continue;
        wt_fail(
            err, WT_INVALID,
            "a variable of %llu bytes is to be at 0x%llx, which kernels cannot access: register "
            "the memory first (cuMemHostRegister)",
            (unsigned long long)p[i].size, (unsigned long long)p[i].address);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

static CUresult load(struct gpu *g, CUmodule *module, const void *image, size_t available,
                     struct options *options)
{
    struct wt_error err;
    if (!module || !image)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUmod_st *m = calloc(1, sizeof *m);
    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    jit_log_begin(&options->log);
    const struct gpu_module *linked = linker_module(image);
    CUresult result;
    if (linked)
        result =
            gpu_module_share(&m->module, linked, &err) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    else
        result = image_add(g, &m->module, image, available, &err);
    if (!result && !m->module.count && !m->module.cubin.function_count) {
        wt_fail(&err, WT_INVALID, "an image that has nothing in it");
        result = CUDA_ERROR_INVALID_IMAGE;
    }
    if (!result) {
        const enum wt_status status = image_add_symbols(&m->module, &options->symbols, &err);
        result = !status                    ? CUDA_SUCCESS
                 : status == WT_NO_MEMORY   ? CUDA_ERROR_OUT_OF_MEMORY
                 : status == WT_UNSUPPORTED ? CUDA_ERROR_NOT_SUPPORTED
                                            : CUDA_ERROR_INVALID_VALUE;
    }
    if (!result) {
        const enum wt_status status = gpu_module_load(g, &m->module, &err);
        result = !status                  ? CUDA_SUCCESS
                 : status == WT_NO_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY
                                          : CUDA_ERROR_INVALID_PTX;
    }
    if (!result)
        result = fill_placed(g, m, &err);
    jit_log_end(&options->log);
    if (result) {
        gpu_module_free(g, &m->module);
        free(m);
        return jit_log_mistake(&options->log, result, &err);
    }
    if (m->module.image)
        jit_log_kernels(&options->log, m->module.image);
    m->gpu = g;
    m->next = modules;
    *module = modules = m;
    return CUDA_SUCCESS;
}

static CUresult load_unsized(CUmodule *module, const void *image, struct options *options)
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    return result ? result : state_leave(load(g, module, image, SIZE_MAX, options));
}

API(cuModuleLoadDataEx,
    (CUmodule * module, const void *image, unsigned count, int *options, void **values),
    (module, image, count, options, values), "*%p, %p, %u, %p, %p", HANDLE(module), image, count,
    options, values)
{
    struct options said;
    jit_log_find(count, options, values, &said.log);
    image_find_symbols(count, options, values, &said.symbols);
    return load_unsized(module, image, &said);
}

API(cuModuleLoadData, (CUmodule * module, const void *image), (module, image), "*%p, %p",
    HANDLE(module), image)
{
    return load_unsized(module, image, &(struct options){0});
}

/* A pointer to a fat binary, or to the structure that points to one. */
API(cuModuleLoadFatBinary, (CUmodule * module, const void *image), (module, image), "*%p, %p",
    HANDLE(module), image)
{
    if (image && !image_is_fat(image))
        return CUDA_ERROR_INVALID_IMAGE;
    return load_unsized(module, image, &(struct options){0});
}

API(cuModuleLoad, (CUmodule * module, const char *path), (module, path), "*%p, \"%s\"",
    HANDLE(module), path ? path : "(null)")
{
    struct wt_error err;
    struct gpu *g;
    uint8_t *bytes;
    size_t length;
    CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!path || wt_file_read(path, &bytes, &length, &err) != WT_OK)
        return state_leave(CUDA_ERROR_FILE_NOT_FOUND);
    result = load(g, module, bytes, length, &(struct options){0});
    free(bytes);
    return state_leave(result);
}

API(cuModuleUnload, (CUmodule module), (module), "%p", module)
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!module)
        return state_leave(CUDA_ERROR_INVALID_HANDLE);
    struct CUmod_st **at = &modules;
    while (*at != module)
        at = &(*at)->next;
    *at = module->next;
    gpu_module_free(module->gpu, &module->module);
    for (struct CUfunc_st *f = module->function, *next; f; f = next) {
        next = f->next;
        free(f);
    }
    free(module);
    return state_leave(CUDA_SUCCESS);
}

API(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name),
    (function, module, name), "*%p, %p, \"%s\"", HANDLE(function), module, name ? name : "(null)")
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!function || !module || !name)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    struct gpu_kernel kernel;
    if (!gpu_module_kernel(&module->module, name, &kernel))
        return state_leave(CUDA_ERROR_NOT_FOUND);
    struct CUfunc_st *f = calloc(1, sizeof *f);
    if (!f)
        return state_leave(CUDA_ERROR_OUT_OF_MEMORY);
    *f = (struct CUfunc_st){.module = module, .kernel = kernel, .next = module->function};
    *function = module->function = f;
    return state_leave(CUDA_SUCCESS);
}

API(cuModuleGetGlobal_v2, (CUdeviceptr * address, size_t *bytes, CUmodule module, const char *name),
    (address, bytes, module, name), "*0x%llx, *%llu, %p, \"%s\"", RESULT(address), RESULT(bytes),
    module, name ? name : "(null)")
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!module || !name)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    uint64_t at, size;
    if (!gpu_module_variable(&module->module, name, &at, &size))
        return state_leave(CUDA_ERROR_NOT_FOUND);
    if (address)
        *address = at;
    if (bytes)
        *bytes = size;
    return state_leave(CUDA_SUCCESS);
}

/* ---- launches ---- */

enum { REGISTERS = 32 }; /* that programs are told a thread has: PTX has as many as it likes */

API(cuFuncGetAttribute, (int *value, int attribute, CUfunction function),
    (value, attribute, function), "*%llu, %d, %p", RESULT(value), attribute, function)
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!value || !function)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    const struct gpu_kernel *k = &function->kernel;
    const uint32_t most = k->max_threads[0] * k->max_threads[1] * k->max_threads[2];
    const int values[] = {most && most < 1024 ? (int)most : 1024, (int)k->shared, 0, (int)k->local,
                          k->registers ? (int)k->registers : REGISTERS};
    *value = attribute >= 0 && attribute < 5 ? values[attribute] : 0;
    return state_leave(CUDA_SUCCESS);
}

API(cuOccupancyMaxPotentialBlockSize,
    (int *grid, int *block, CUfunction function, size_t (*shared)(int), size_t dynamic, int limit),
    (grid, block, function, shared, dynamic, limit), "*%llu, *%llu, %p, %zu, %d", RESULT(grid),
    RESULT(block), function, dynamic, limit)
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    *block = limit > 0 && limit < 1024 ? limit : 1024;
    *grid = (int)gpu_sms(g) * 2048 / *block;
    return state_leave(CUDA_SUCCESS);
}

/* The parameters' bytes: from a pointer to each, or packed as `extra` says. */
static CUresult gather(const struct gpu_kernel *k, void **parameters, void **extra, uint8_t *to)
{
    const void *packed = NULL;
    size_t size = 0;
    if (parameters) {
        for (size_t i = 0; i < k->parameter_count; i++) {
            uint32_t offset, bytes;
            gpu_kernel_parameter(k, i, &offset, &bytes);
            memcpy(to + offset, parameters[i], bytes);
        }
        return CUDA_SUCCESS;
    }
    for (; extra && extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            packed = extra[1];
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = *(size_t *)extra[1];
    }
    if (k->parameter_bytes > size || (k->parameter_bytes && !packed))
        return CUDA_ERROR_INVALID_VALUE;
    if (packed)
        memcpy(to, packed, k->parameter_bytes);
    return CUDA_SUCCESS;
}

API(cuLaunchKernel,
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
     unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **parameters,
     void **extra),
    (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters,
     extra),
    "%p, %u, %u, %u, %u, %u, %u, %u, %p, %p, %p", function, grid_x, grid_y, grid_z, block_x,
    block_y, block_z, shared, stream, parameters, extra)
{
    struct gpu *g;
    uint8_t bytes[4352] = {0};
    CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!function || (uint64_t)block_x * block_y * block_z > 1024 || !grid_x || !grid_y ||
        !grid_z || !block_x || !block_y || !block_z)
        return state_leave(function ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    if ((result = gather(&function->kernel, parameters, extra, bytes)) != CUDA_SUCCESS)
        return state_leave(result);
    const struct gpu_launch launch = {.module = &function->module->module,
                                      .kernel = &function->kernel,
                                      .grid = {grid_x, grid_y, grid_z},
                                      .block = {block_x, block_y, block_z},
                                      .shared = shared,
                                      .parameters = bytes};
    if (function->module->gpu != g)
        return state_leave(CUDA_ERROR_INVALID_HANDLE); /* of another device */
    result = gpu_run(g, &launch);
    if (result == CUDA_ERROR_OUT_OF_MEMORY || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        return state_leave(result);
    /* What goes wrong in a kernel is told by the calls that follow. */
    if (result)
        state_fail(result);
    return state_leave(CUDA_SUCCESS);
}
