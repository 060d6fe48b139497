/* Modules, and their kernels by name. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/vortex/queue.h"

/* ---- ends ---- */

static void free_kernels(struct module *m)
{
    for (size_t i = 0; i < m->kernels; i++)
        free(m->kernel[i].name);
    free(m->kernel);
}

/* Takes one from the holders of a module, or from those who use it; the last one frees it. */
static void module_leave(struct module *m, unsigned *count)
{
    state_lock();
    --*count;
    if (!m->refs && count == &m->refs)
        handle_end(m->handle);
    const bool last = !m->refs && !m->uses;
    state_unlock();
    if (!last)
        return;
    buffer_unuse(m->image, "vx_module_release");
    free_kernels(m);
    free(m);
}

static void kernel_leave(struct kernel *k, unsigned *count)
{
    state_lock();
    --*count;
    if (!k->refs && count == &k->refs)
        handle_end(k->handle);
    const bool last = !k->refs && !k->uses;
    state_unlock();
    if (!last)
        return;
    module_leave(k->module, &k->module->uses);
    free(k);
}

void kernel_unuse(struct kernel *k)
{
    kernel_leave(k, &k->uses);
}

/* ---- modules ---- */

static enum vx_result make(struct gpu *g, struct buffer *image, struct wt_image *file,
                           vx_module_h *module, struct wt_error *err)
{
    struct module *m = calloc(1, sizeof *m);
    if (m && !(m->handle = handle_new(HANDLE_MODULE, m))) {
        free(m);
        m = NULL;
    }
    if (!m)
        return call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
    m->gpu = g;
    m->image = image;
    m->refs = 1;
    m->kernel = file->kernel;
    m->kernels = file->kernels;
    file->kernel = NULL;
    file->kernels = 0;
    /* The program has no handle of the image. */
    handle_end(image->handle);
    image->refs = 0;
    buffer_use(image);
    *module = m->handle;
    return VX_SUCCESS;
}

static enum vx_result load_module(struct gpu *g, const char *by, const char *path,
                                  const uint8_t *bytes, size_t size, vx_module_h *module,
                                  struct wt_error *err)
{
    struct wt_image file;
    struct buffer *image;
    enum vx_result result = program_load(g, by, path, bytes, size, &file, &image, err);
    if (result)
        return result;
    state_lock();
    result = make(g, image, &file, module, err);
    state_unlock();
    if (result)
        buffer_end(image->handle, by, WT_IGNORED);
    wt_image_free(&file);
    return result;
}

API3(vx_module_load_bytes, "%p, %p, %zu, *%p", (vx_device_h, device), (const void *, bytes),
     (size_t, size), (vx_module_h *, module, HANDLE(module)))
{
    struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if (!bytes || !module)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no bytes, or no place for the handle");
    return load_module(g, "vx_module_load_bytes", NULL, bytes, size, module, err);
}

API3(vx_module_load_file, "%p, \"%s\", *%p", (vx_device_h, device),
     (const char *, path, path ? path : ""), (vx_module_h *, module, HANDLE(module)))
{
    struct gpu *g = gpu_of(device, err);
    uint8_t *bytes;
    size_t size;
    enum vx_result result;
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if (!path || !module)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no path, or no place for the handle");
    if ((result = program_read("vx_module_load_file", path, &bytes, &size, err)))
        return result;
    result = load_module(g, "vx_module_load_file", path, bytes, size, module, err);
    free(bytes);
    return result;
}

RETAINS(vx_module_retain, vx_module_h, HANDLE_MODULE, struct module, refs)

API3(vx_module_release, "%p", (vx_module_h, module))
{
    state_lock();
    struct module *m = handle_need(HANDLE_MODULE, module, err);
    state_unlock();
    if (m)
        module_leave(m, &m->refs);
    return m ? VX_SUCCESS : VX_ERR_INVALID_HANDLE;
}

/* ---- kernels ---- */

static void list_names(const struct module *m, char *text, size_t size)
{
    size_t length = 0;
    snprintf(text, size, "it has none");
    for (size_t i = 0; i < m->kernels && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "there is ",
                                   m->kernel[i].name);
}

/* A module of one kernel or of none begins with what upstream gives for "main", too. */
static bool find_kernel(const struct module *m, const char *name, uint64_t *addr)
{
    for (size_t i = 0; i < m->kernels; i++)
        if (strcmp(m->kernel[i].name, name) == 0) {
            *addr = m->kernel[i].addr;
            return true;
        }
    *addr = m->image->addr;
    return m->kernels <= 1 && strcmp(name, "main") == 0;
}

static enum vx_result get_kernel(struct module *m, const char *name, vx_kernel_h *kernel,
                                 struct wt_error *err)
{
    char names[300];
    uint64_t addr;
    if (!find_kernel(m, name, &addr)) {
        list_names(m, names, sizeof names);
        return call_fail(err, VX_ERR_INVALID_VALUE, "the module has no kernel %s: %s", name, names);
    }
    struct kernel *k = calloc(1, sizeof *k);
    if (k && !(k->handle = handle_new(HANDLE_KERNEL, k))) {
        free(k);
        k = NULL;
    }
    if (!k)
        return call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
    k->module = m;
    k->refs = 1;
    k->addr = addr;
    snprintf(k->name, sizeof k->name, "%s", name);
    m->uses++;
    *kernel = k->handle;
    return VX_SUCCESS;
}

API3(vx_module_get_kernel, "%p, \"%s\", *%p", (vx_module_h, module),
     (const char *, name, name ? name : ""), (vx_kernel_h *, kernel, HANDLE(kernel)))
{
    enum vx_result result = VX_ERR_INVALID_HANDLE;
    state_lock();
    struct module *m = handle_need(HANDLE_MODULE, module, err);
    if (m)
        result = name && kernel
                     ? get_kernel(m, name, kernel, err)
                     : call_fail(err, VX_ERR_INVALID_VALUE, "no name, or no place for the handle");
    state_unlock();
    return result;
}

RETAINS(vx_kernel_retain, vx_kernel_h, HANDLE_KERNEL, struct kernel, refs)

API3(vx_kernel_release, "%p", (vx_kernel_h, kernel))
{
    state_lock();
    struct kernel *k = handle_need(HANDLE_KERNEL, kernel, err);
    state_unlock();
    if (k)
        kernel_leave(k, &k->refs);
    return k ? VX_SUCCESS : VX_ERR_INVALID_HANDLE;
}

API3(vx_kernel_address, "%p, *0x%llx", (vx_kernel_h, kernel),
     (uint64_t *, address, RESULT(address)))
{
    state_lock();
    const struct kernel *k = handle_need(HANDLE_KERNEL, kernel, err);
    if (k && address)
        *address = k->addr;
    state_unlock();
    return !k        ? VX_ERR_INVALID_HANDLE
           : address ? VX_SUCCESS
                     : call_fail(err, VX_ERR_INVALID_VALUE, "no place for the address");
}

API3(vx_kernel_get_max_block_size, "%p, *%llu, *%llu, *%llu", (vx_kernel_h, kernel),
     (uint32_t *, x, RESULT(x)), (uint32_t *, y, RESULT(y)), (uint32_t *, z, RESULT(z)))
{
    state_lock();
    const struct kernel *k = handle_need(HANDLE_KERNEL, kernel, err);
    const struct gpu *g = k ? k->module->gpu : NULL;
    state_unlock();
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if (!x || !y || !z)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the numbers");
    *x = g->config.threads;
    *y = g->config.warps;
    *z = 1;
    return VX_SUCCESS;
}
