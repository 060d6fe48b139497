/* libcuda: modules ("CUDA Driver API": 6.10). The linker is in linker.c, launches are in launch.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "object/sm_wire.h"
#include "runtime/common/tally.h"
#include "runtime/cuda/checks.h"
#include "runtime/cuda/call.h"
#include "runtime/cuda/image.h"
#include "runtime/cuda/jit_log.h"
#include "runtime/cuda/modules.h"

/* ---- modules ---- */

static struct CUmod_st *modules; /* those that are loaded; under the lock */

/* The options of a call that loads an image. */
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

/* A program whose modules cannot be loaded launches nothing: exec's tally counts it. */
static void tally_refused(CUresult result, const struct wt_error *err)
{
    char why[WT_TALLY_TEXT];
    const char *text;
    call_error_name(result, &text);
    snprintf(why, sizeof why, "a module cannot be loaded: %s: %.160s", text, err->text);
    wt_tally_refused(SM_WIRE_FAMILY, why);
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
        tally_refused(result, &err);
        return jit_log_mistake(&options->log, result, &err);
    }
    if (m->module.image)
        jit_log_kernels(&options->log, m->module.image);
    compiler_module_came();
    m->gpu = g;
    m->next = modules;
    *module = modules = m;
    return CUDA_SUCCESS;
}

/* As load(): the module belongs to the context of the call. */
static CUresult load_own(struct gpu *g, CUmodule *module, const void *image, size_t available,
                         struct options *options)
{
    const CUresult result = load(g, module, image, available, options);
    if (!result) {
        (*module)->owner = state_entered_id();
        checks_module_made(*module);
    }
    return result;
}

static CUresult load_unsized(CUmodule *module, const void *image, struct options *options)
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    return result ? result : state_leave(load_own(g, module, image, SIZE_MAX, options));
}

API(cuModuleLoadDataEx, "*%p, %p, %u, %p, %p", (CUmodule *, module, HANDLE(module)),
    (const void *, image), (unsigned, count), (CUjit_option *, options), (void **, values))
{
    struct options said;
    if (jit_log_lacks(count, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    jit_log_find(count, options, values, &said.log);
    image_find_symbols(count, options, values, &said.symbols);
    return load_unsized(module, image, &said);
}

API(cuModuleLoadData, "*%p, %p", (CUmodule *, module, HANDLE(module)), (const void *, image))
{
    return load_unsized(module, image, &(struct options){0});
}

/* A pointer to a fat binary, or to the structure that points to one. */
API(cuModuleLoadFatBinary, "*%p, %p", (CUmodule *, module, HANDLE(module)), (const void *, image))
{
    if (module && image && !image_is_fat(image))
        return CUDA_ERROR_INVALID_IMAGE;
    return load_unsized(module, image, &(struct options){0});
}

API_IN(state_enter(&g), cuModuleLoad, "*%p, \"%s\"", (CUmodule *, module, HANDLE(module)),
       (const char *, path, path ? path : "(null)"))
{
    struct wt_error err;
    uint8_t *bytes;
    size_t length;
    CUresult result = CUDA_SUCCESS;
    if (!module || !path)
        return CUDA_ERROR_INVALID_VALUE;
    if (wt_file_read(path, &bytes, &length, &err) != WT_OK)
        return CUDA_ERROR_FILE_NOT_FOUND;
    result = load_own(g, module, bytes, length, &(struct options){0});
    free(bytes);
    return result;
}

CUresult modules_load(struct gpu *gpu, CUmodule *module, const struct modules_image *image)
{
    struct options said;
    jit_log_find(image->count, image->options, image->values, &said.log);
    image_find_symbols(image->count, image->options, image->values, &said.symbols);
    return load(gpu, module, image->bytes, image->available, &said);
}

void modules_unload(CUmodule module)
{
    struct CUmod_st **at = &modules;
    while (*at != module)
        at = &(*at)->next;
    *at = module->next;
    gpu_module_free(module->gpu, &module->module);
    for (struct CUfunc_st *f = module->function, *next; f; f = next) {
        next = f->next;
        free(f->kernel.parameter);
        checks_handle_made(f, sizeof *f, "cuModuleGetFunction");
        checks_handle_gone(f, "cuModuleUnload");
    }
    checks_handle_gone(module, "cuModuleUnload");
}

void modules_drop(uint64_t owner)
{
    for (struct CUmod_st *m = modules, *next; m; m = next) {
        next = m->next;
        if (m->owner != owner)
            continue;
        checks_handle_lost(m);
        modules_unload(m);
    }
}

bool modules_has(CUfunction function, uint64_t *owner)
{
    for (const struct CUmod_st *m = modules; m; m = m->next)
        for (const struct CUfunc_st *f = m->function; f; f = f->next)
            if (f == function) {
                *owner = m->owner;
                return true;
            }
    return false;
}

/* Takes the lock for a call that names a module. */
static CUresult enter(CUmodule module)
{
    struct gpu *g;
    const CUresult result = state_lock();
    if (result)
        return result;
    const struct CUmod_st *m = modules;
    while (m && m != module)
        m = m->next;
    if (m)
        return state_enter_owner(m->owner, &g);
    checks_handle_missed(module, "module");
    return state_leave(CUDA_ERROR_INVALID_HANDLE);
}

API_IN(checks_free_fails((uintptr_t)module, enter(module)), cuModuleUnload, "%p",
       (CUmodule, module))
{
    modules_unload(module);
    return CUDA_SUCCESS;
}

CUresult modules_function(CUmodule module, const char *name, CUfunction *function)
{
    struct CUfunc_st *f = calloc(1, sizeof *f);
    if (!f)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult result = gpu_module_kernel(&module->module, name, &f->kernel);
    if (result) {
        free(f);
        return result;
    }
    f->module = module;
    f->next = module->function;
    *function = module->function = f;
    return CUDA_SUCCESS;
}

API_IN(enter(module), cuModuleGetFunction, "*%p, %p, \"%s\"",
       (CUfunction *, function, HANDLE(function)), (CUmodule, module),
       (const char *, name, name ? name : "(null)"))
{
    return function && name ? modules_function(module, name, function) : CUDA_ERROR_INVALID_VALUE;
}

API_IN(enter(module), cuModuleGetFunctionCount, "*%llu, %p", (unsigned *, count, RESULT(count)),
       (CUmodule, module))
{
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = gpu_module_kernel_count(&module->module);
    return CUDA_SUCCESS;
}

/* As many as there is room for. */
API_IN(enter(module), cuModuleEnumerateFunctions, "%p, %u, %p", (CUfunction *, functions),
       (unsigned, count), (CUmodule, module))
{
    const char *name;
    CUresult result = functions ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count && !result; i++) {
        if (!(name = gpu_module_kernel_name(&module->module, i)))
            break;
        result = modules_function(module, name, &functions[i]);
    }
    return result;
}

API_IN(enter(module), cuModuleGetGlobal_v2, "*0x%llx, *%llu, %p, \"%s\"",
       (CUdeviceptr *, address, RESULT(address)), (size_t *, bytes, RESULT(bytes)),
       (CUmodule, module), (const char *, name, name ? name : "(null)"))
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t at, size;
    if (!gpu_module_variable(&module->module, name, &at, &size))
        return CUDA_ERROR_NOT_FOUND;
    if (!address && !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (address)
        *address = at;
    if (bytes)
        *bytes = size;
    return CUDA_SUCCESS;
}
