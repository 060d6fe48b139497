/*
 * libcuda: libraries ("CUDA Driver API": 6.12), which belong to no context: an image that is a
 * module on every GPU, and kernels that stand for a function on each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "runtime/cuda/checks.h"
#include "runtime/cuda/jit_log.h"
#include "runtime/cuda/modules.h"
#include "runtime/cuda/state.h"

struct CUkern_st {
    struct CUlib_st *library;
    struct CUfunc_st *function[STATE_MOST_GPUS]; /* NULL: not asked for */
    char *name;
    struct CUkern_st *next;
};

struct CUlib_st {
    CUmodule module[STATE_MOST_GPUS]; /* NULL: the image has nothing for the GPU */
    struct CUkern_st *kernel;
    struct CUlib_st *next;
};

static struct CUlib_st *libraries; /* under the lock */

static struct CUlib_st **find(CUlibrary library)
{
    struct CUlib_st **at = &libraries;
    while (*at && *at != library)
        at = &(*at)->next;
    return at;
}

static struct CUkern_st *find_kernel(const void *handle)
{
    for (struct CUlib_st *l = libraries; l; l = l->next)
        for (struct CUkern_st *k = l->kernel; k; k = k->next)
            if (k == handle)
                return k;
    return NULL;
}

static CUresult function_of(struct CUkern_st *k, unsigned number, CUfunction *function)
{
    CUmodule module = k->library->module[number];
    if (!module)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (!k->function[number]) {
        const CUresult result = modules_function(module, k->name, &k->function[number]);
        if (result)
            return result;
    }
    *function = k->function[number];
    return CUDA_SUCCESS;
}

CUfunction state_function(CUfunction handle, const struct gpu *gpu)
{
    uint64_t owner;
    struct CUkern_st *k = find_kernel(handle);
    CUfunction function;
    if (!k)
        return modules_has(handle, &owner) ? handle : NULL;
    return function_of(k, gpu_number(gpu), &function) ? NULL : function;
}

CUresult state_enter_function(CUfunction *function, struct gpu **gpu)
{
    uint64_t owner = 0;
    CUresult result = state_lock();
    if (result)
        return result;
    if (!find_kernel(*function) && !modules_has(*function, &owner)) {
        checks_handle_missed(*function, "function's module");
        return state_leave(CUDA_ERROR_INVALID_HANDLE);
    }
    if ((result = state_enter_owner(owner, gpu)) != CUDA_SUCCESS)
        return result;
    *function = state_function(*function, *gpu);
    return *function ? CUDA_SUCCESS : state_leave(CUDA_ERROR_INVALID_HANDLE);
}

CUresult state_enter_launched(CUfunction *function, struct gpu **gpu)
{
    const CUresult result = state_enter_function(function, gpu);
    if (result != CUDA_ERROR_INVALID_HANDLE)
        return result;
    const CUresult context = state_enter(gpu);
    return context ? context : state_leave(result);
}

/* ---- loading ---- */

/* The image is read for every GPU at once: the program may free it. The error of the last one that
 * fails counts if all do. */
static CUresult load(CUlibrary *library, const struct modules_image *image)
{
    struct gpu *g;
    CUresult result = CUDA_SUCCESS;
    bool any = false;
    struct CUlib_st *l = calloc(1, sizeof *l);
    if (!l)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (CUdevice i = 0; (g = state_gpu(i)); i++) {
        const CUresult one = modules_load(g, &l->module[i], image);
        any |= !one;
        result = one ? one : result;
    }
    if (!any) {
        free(l);
        return result;
    }
    l->next = libraries;
    *library = libraries = l;
    checks_handle_made(l, sizeof *l, "cuLibraryLoadData");
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuLibraryLoadData, "*%p, %p, %p, %p, %u, %p, %p, %u",
       (CUlibrary *, library, HANDLE(library)), (const void *, image), (CUjit_option *, jit),
       (void **, jit_values), (unsigned, jits), (CUlibraryOption *, options), (void **, values),
       (unsigned, count))
{
    if (!library || !image || (count && !options) || jit_log_lacks(jits, jit, jit_values))
        return CUDA_ERROR_INVALID_VALUE;
    return load(library, &(struct modules_image){image, SIZE_MAX, jits, jit, jit_values});
}

API_IN(state_lock(), cuLibraryLoadFromFile, "*%p, \"%s\", %p, %p, %u, %p, %p, %u",
       (CUlibrary *, library, HANDLE(library)), (const char *, path, path ? path : "(null)"),
       (CUjit_option *, jit), (void **, jit_values), (unsigned, jits), (CUlibraryOption *, options),
       (void **, values), (unsigned, count))
{
    struct wt_error err;
    uint8_t *bytes;
    size_t length;
    CUresult result = CUDA_SUCCESS;
    if (!library || !path || (count && !options) || jit_log_lacks(jits, jit, jit_values))
        return CUDA_ERROR_INVALID_VALUE;
    if (wt_file_read(path, &bytes, &length, &err) != WT_OK)
        return CUDA_ERROR_FILE_NOT_FOUND;
    result = load(library, &(struct modules_image){bytes, length, jits, jit, jit_values});
    free(bytes);
    return result;
}

API_IN(state_lock(), cuLibraryUnload, "%p", (CUlibrary, library))
{
    struct CUlib_st **at = find(library), *l = *at;
    if (!library || !l) {
        checks_handle_missed(library, "library");
        return CUDA_ERROR_INVALID_HANDLE;
    }
    *at = l->next;
    for (unsigned i = 0; i < STATE_MOST_GPUS; i++)
        if (l->module[i])
            modules_unload(l->module[i]);
    for (struct CUkern_st *k = l->kernel, *next; k; k = next) {
        next = k->next;
        free(k->name);
        free(k);
    }
    checks_handle_gone(l, "cuLibraryUnload");
    return CUDA_SUCCESS;
}

/* ---- what is in a library ---- */

static CUresult enter(CUlibrary library)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    return library && *find(library) ? CUDA_SUCCESS : state_leave(CUDA_ERROR_INVALID_HANDLE);
}

static bool has_kernel(const struct CUlib_st *l, const char *name)
{
    for (unsigned i = 0; i < STATE_MOST_GPUS; i++)
        if (l->module[i] && gpu_module_has_kernel(&l->module[i]->module, name))
            return true;
    return false;
}

static CUresult kernel_of(CUlibrary library, const char *name, CUkernel *kernel)
{
    struct CUkern_st *k = library->kernel;
    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    if (!k && !has_kernel(library, name))
        return CUDA_ERROR_NOT_FOUND;
    if (!k) {
        k = calloc(1, sizeof *k);
        char *copy = strdup(name);
        if (!k || !copy) {
            free(k);
            free(copy);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        *k = (struct CUkern_st){.library = library, .name = copy, .next = library->kernel};
        library->kernel = k;
    }
    *kernel = k;
    return CUDA_SUCCESS;
}

API_IN(enter(library), cuLibraryGetKernel, "*%p, %p, \"%s\"", (CUkernel *, kernel, HANDLE(kernel)),
       (CUlibrary, library), (const char *, name, name ? name : "(null)"))
{
    return kernel && name ? kernel_of(library, name, kernel) : CUDA_ERROR_INVALID_VALUE;
}

/* The GPUs have the kernels of one image: those of the first GPU that it has something for. */
static const struct gpu_module *first_module(const struct CUlib_st *l)
{
    unsigned i = 0;
    while (!l->module[i])
        i++;
    return &l->module[i]->module;
}

API_IN(enter(library), cuLibraryGetKernelCount, "*%llu, %p", (unsigned *, count, RESULT(count)),
       (CUlibrary, library))
{
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = gpu_module_kernel_count(first_module(library));
    return CUDA_SUCCESS;
}

/* As many as there is room for. */
API_IN(enter(library), cuLibraryEnumerateKernels, "%p, %u, %p", (CUkernel *, kernels),
       (unsigned, count), (CUlibrary, library))
{
    const char *name;
    CUresult result = kernels ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count && !result; i++) {
        if (!(name = gpu_module_kernel_name(first_module(library), i)))
            break;
        result = kernel_of(library, name, &kernels[i]);
    }
    return result;
}

/* Takes the lock; *module is the library's on the GPU of the thread's context. */
static CUresult enter_module(CUlibrary library, CUmodule *module)
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!library || !*find(library))
        return state_leave(CUDA_ERROR_INVALID_HANDLE);
    *module = library->module[gpu_number(g)];
    return *module ? CUDA_SUCCESS : state_leave(CUDA_ERROR_NO_BINARY_FOR_GPU);
}

API(cuLibraryGetModule, "*%p, %p", (CUmodule *, module, HANDLE(module)), (CUlibrary, library))
{
    CUmodule found;
    const CUresult result = enter_module(library, &found);
    if (result)
        return result;
    if (module)
        *module = found;
    return state_leave(module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

API(cuLibraryGetGlobal, "*0x%llx, *%llu, %p, \"%s\"", (CUdeviceptr *, address, RESULT(address)),
    (size_t *, bytes, RESULT(bytes)), (CUlibrary, library),
    (const char *, name, name ? name : "(null)"))
{
    CUmodule module;
    uint64_t at, size;
    const CUresult result = enter_module(library, &module);
    if (result)
        return result;
    if (!name || (!address && !bytes))
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    if (!gpu_module_variable(&module->module, name, &at, &size))
        return state_leave(CUDA_ERROR_NOT_FOUND);
    if (address)
        *address = at;
    if (bytes)
        *bytes = size;
    return state_leave(CUDA_SUCCESS);
}

/* ---- kernels ---- */

API_IN(state_enter(&g), cuKernelGetFunction, "*%p, %p", (CUfunction *, function, HANDLE(function)),
       (CUkernel, kernel))
{
    CUfunction found;
    CUresult result = CUDA_SUCCESS;
    if (!function || !kernel || !find_kernel(kernel))
        return function ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    if ((result = function_of(kernel, gpu_number(g), &found)) == CUDA_SUCCESS)
        *function = found;
    return result;
}

API_IN(state_lock(), cuKernelGetName, "%p, %p", (const char **, name), (CUkernel, kernel))
{
    if (!name || !kernel || !find_kernel(kernel))
        return name ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    *name = kernel->name;
    return CUDA_SUCCESS;
}
