/* libcuda: modules, the linker, launches ("CUDA Driver API": 6.10, 6.11, 6.22). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/array.h"
#include "object/ptx_object.h"
#include "runtime/cuda/state.h"

/* What cuLinkComplete makes: a program has no size for it, so that it says its own. */
#define BLOB "wavetrap PTX 1\n"

struct CUlinkState_st {
    struct gpu_module module; /* to find mistakes early, text by text */
    char *blob;
    size_t length, room;
    char *log; /* the program's, for errors */
    size_t log_size;
};

/* ---- logs ---- */

static void find_log(unsigned count, const int *options, void **values, char **log, size_t *size)
{
    *log = NULL;
    *size = 0;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            *log = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            *size = (size_t)(uintptr_t)values[i];
    }
}

/* A mistake in the text: to the program's log, where it has one, else for the user. */
static CUresult mistake(char *log, size_t size, const struct wt_error *err)
{
    if (log && size)
        snprintf(log, size, "%s", err->text);
    else
        fprintf(stderr, "wavetrap: libcuda: %s\n", err->text);
    return CUDA_ERROR_INVALID_PTX;
}

/* ---- modules ---- */

static enum wt_status add_image(struct gpu_module *m, const char *image, struct wt_error *err)
{
    enum wt_status status;
    size_t length;
    int header;
    unsigned long long size;
    if (strncmp(image, BLOB, strlen(BLOB)) != 0)
        return gpu_module_add(m, "PTX", image, strlen(image), err);
    image += strlen(BLOB);
    for (unsigned i = 0; sscanf(image, "%llu\n%n", &size, &header) == 1 && size; i++) {
        char name[32];
        snprintf(name, sizeof name, "object %u", i);
        length = (size_t)size;
        if ((status = gpu_module_add(m, name, image + header, length, err)) != WT_OK)
            return status;
        image += (size_t)header + length;
    }
    return WT_OK;
}

static enum wt_status add_text(void *context, const char *name, const char *text, size_t length,
                               struct wt_error *err)
{
    return gpu_module_add(context, name, text, length, err);
}

/* An object of ours (`wavetrap cuda-path`), or PTX as text. */
static enum wt_status add_any(struct gpu_module *m, const char *image, struct wt_error *err)
{
    enum { HEADER = 64 };
    size_t size;
    return strncmp(image, "\177ELF", 4) == 0 && ptx_object_is((const uint8_t *)image, HEADER, &size)
               ? ptx_object_each((const uint8_t *)image, size, add_text, m, err)
               : add_image(m, image, err);
}

static CUresult load(struct gpu *g, CUmodule *module, const char *image, char *log, size_t log_size)
{
    struct wt_error err;
    if (!module || !image)
        return CUDA_ERROR_INVALID_VALUE;
    size_t size;
    if (!*image ||
        (strncmp(image, "\177ELF", 4) == 0 && !ptx_object_is((const uint8_t *)image, 64, &size)))
        return CUDA_ERROR_INVALID_IMAGE;
    struct CUmod_st *m = calloc(1, sizeof *m);
    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (add_any(&m->module, image, &err) != WT_OK ||
        gpu_module_load(g, &m->module, &err) != WT_OK) {
        gpu_module_free(g, &m->module);
        free(m);
        return mistake(log, log_size, &err);
    }
    m->gpu = g;
    *module = m;
    return CUDA_SUCCESS;
}

API(cuModuleLoadDataEx,
    (CUmodule * module, const void *image, unsigned count, int *options, void **values),
    (module, image, count, options, values), "*%p, %p, %u, %p, %p", HANDLE(module), image, count,
    options, values)
{
    struct gpu *g;
    char *log;
    size_t size;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    find_log(count, options, values, &log, &size);
    return state_leave(load(g, module, image, log, size));
}

API(cuModuleLoadData, (CUmodule * module, const void *image), (module, image), "*%p, %p",
    HANDLE(module), image)
{
    return do_cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

API(cuModuleLoad, (CUmodule * module, const char *path), (module, path), "*%p, \"%s\"",
    HANDLE(module), path ? path : "(null)")
{
    struct wt_error err;
    uint8_t *bytes;
    size_t length;
    if (!path || wt_file_read(path, &bytes, &length, &err) != WT_OK)
        return CUDA_ERROR_FILE_NOT_FOUND;
    char *text = malloc(length + 1);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    if (text) {
        memcpy(text, bytes, length);
        text[length] = 0;
        result = do_cuModuleLoadData(module, text);
    }
    free(text);
    free(bytes);
    return result;
}

API(cuModuleUnload, (CUmodule module), (module), "%p", module)
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!module)
        return state_leave(CUDA_ERROR_INVALID_HANDLE);
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
    const struct sm_ptx_kernel *kernel = sm_ptx_find(module->module.image, name);
    if (!kernel)
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
    size_t count;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!module || !name)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    const struct sm_ptx_symbol *list = sm_ptx_symbols(module->module.image, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) != 0)
            continue;
        if (address)
            *address = list[i].address;
        if (bytes)
            *bytes = list[i].size;
        return state_leave(CUDA_SUCCESS);
    }
    return state_leave(CUDA_ERROR_NOT_FOUND);
}

/* ---- the linker ---- */

static bool append(CUlinkState s, const void *bytes, size_t length)
{
    char *grown = wt_array_grow(s->blob, &s->room, s->length + length + 1, 1);
    if (!grown)
        return false;
    s->blob = grown;
    memcpy(s->blob + s->length, bytes, length);
    s->length += length;
    s->blob[s->length] = 0;
    return true;
}

API(cuLinkCreate_v2, (unsigned count, int *options, void **values, CUlinkState *state),
    (count, options, values, state), "%u, %p, %p, *%p", count, options, values, HANDLE(state))
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    struct CUlinkState_st *s = state ? calloc(1, sizeof *s) : NULL;
    if (!s || !append(s, BLOB, strlen(BLOB))) {
        free(s);
        return state_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    find_log(count, options, values, &s->log, &s->log_size);
    *state = s;
    return state_leave(CUDA_SUCCESS);
}

API(cuLinkAddData_v2,
    (CUlinkState s, int type, void *data, size_t size, const char *name, unsigned count,
     int *options, void **values),
    (s, type, data, size, name, count, options, values), "%p, %d, %p, %zu, \"%s\", %u, %p, %p", s,
    type, data, size, name ? name : "(null)", count, options, values)
{
    enum { PTX = 1 };
    struct gpu *g;
    struct wt_error err;
    char header[24];
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!s || !data)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    if (type != PTX)
        return state_leave(CUDA_ERROR_INVALID_IMAGE);
    const size_t length = strnlen(data, size);
    if (gpu_module_add(&s->module, name ? name : "PTX", data, length, &err) != WT_OK)
        return state_leave(mistake(s->log, s->log_size, &err));
    snprintf(header, sizeof header, "%zu\n", length);
    return state_leave(length == 0 || (append(s, header, strlen(header)) && append(s, data, length))
                           ? CUDA_SUCCESS
                           : CUDA_ERROR_OUT_OF_MEMORY);
}

API(cuLinkComplete, (CUlinkState s, void **cubin, size_t *size), (s, cubin, size), "%p, %p, *%llu",
    s, cubin, RESULT(size))
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!s || !cubin)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    *cubin = s->blob;
    if (size)
        *size = s->length + 1;
    return state_leave(CUDA_SUCCESS);
}

API(cuLinkDestroy, (CUlinkState s), (s), "%p", s)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    if (!s)
        return state_leave(CUDA_ERROR_INVALID_HANDLE);
    gpu_module_free(NULL, &s->module); /* it was not loaded */
    free(s->blob);
    free(s);
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
    const struct sm_ptx_kernel *k = function->kernel;
    const uint32_t most = k->max_threads[0] * k->max_threads[1] * k->max_threads[2];
    const int values[] = {most && most < 1024 ? (int)most : 1024, (int)k->shared, 0, (int)k->local,
                          REGISTERS};
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
static CUresult gather(const struct sm_ptx_kernel *k, void **parameters, void **extra, uint8_t *to)
{
    const void *packed = NULL;
    size_t size = 0;
    if (parameters) {
        for (size_t i = 0; i < k->parameter_count; i++)
            memcpy(to + k->parameter[i].offset, parameters[i], k->parameter[i].size);
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
    if ((result = gather(function->kernel, parameters, extra, bytes)) != CUDA_SUCCESS)
        return state_leave(result);
    const struct gpu_launch launch = {.module = &function->module->module,
                                      .kernel = function->kernel,
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
