/* Uploads: kernels (.vxbin), and files and bytes as they are. */
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "debug/source/modules.h"
#include "debug/source/symbols.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory.h"
#include "runtime/vortex/internal.h"

/* ---- the ELF file from which a kernel's file was made ---- */

/* Whether the bytes that a file is loaded with are those of the kernel. */
static bool is_made_of(const char *elf, const struct wt_segment *kernel, unsigned *bits)
{
    struct wt_image image;
    bool same = true, any = false;
    if (wt_image_load(elf, 0, &image, WT_IGNORED))
        return false;
    for (size_t i = 0; i < image.segments && same; i++) {
        const struct wt_segment *s = &image.segment[i];
        const uint64_t at = s->addr - kernel->addr;
        const size_t length = s->length < kernel->length - at ? s->length : kernel->length - at;
        if (at >= kernel->length)
            continue;
        any = true;
        same = !memcmp(kernel->bytes + at, s->bytes, length);
    }
    if (same && any)
        *bits = image.bits;
    wt_image_free(&image);
    return same && any;
}

/* The file beside @p path (NULL: it was no file) whose name differs in the extension, or that which
 * the user has named; the caller frees it. */
static char *find_elf(const char *path, const struct wt_segment *kernel, unsigned *bits)
{
    static const char *const ends[] = {".elf", ""};
    const char *named = getenv("WAVETRAP_SYMBOLS");
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *dot = path ? strrchr(slash ? slash : path, '.') : NULL;
    const int stem = path ? (int)(dot ? (size_t)(dot - path) : strlen(path)) : 0;
    for (size_t i = 0; path && i < sizeof ends / sizeof *ends; i++) {
        char name[PATH_MAX];
        snprintf(name, sizeof name, "%.*s%s", stem, path, ends[i]);
        if (strcmp(name, path) != 0 && !access(name, R_OK) && is_made_of(name, kernel, bits))
            return strdup(name);
    }
    return named && is_made_of(named, kernel, bits) ? strdup(named) : NULL;
}

/* ---- kernels ---- */

static enum vx_result refuse(const char *by, const char *name, enum vx_result result,
                             const struct wt_error *err)
{
    fprintf(stderr, "wavetrap: %s: %s%s%s\n", by, name ? name : "", name ? ": " : "", err->text);
    return result;
}

static enum vx_result check_width(const struct gpu *g, const char *path,
                                  const struct wt_segment *code, struct wt_error *err)
{
    unsigned bits = 0;
    free(find_elf(path, code, &bits));
    if ((code->addr + code->size - 1) >> 32)
        bits = 64;
    return !bits || bits == g->config.xlen
               ? VX_SUCCESS
               : call_fail(err, VX_ERR_INVALID_VALUE,
                           "the kernel is RV%u, the device RV%u: give -g vortex:xlen=%u", bits,
                           g->config.xlen, bits);
}

/* Kernels of 3.0 have their thread-local variables behind the image: as far as the ELF file says;
 * without one a part of the free memory there may be theirs. */
static uint64_t add_thread_variables(const struct gpu *g, const struct buffer *b, const char *elf)
{
    enum { UNKNOWN = 1 << 16 };
    const uint64_t begin = b->addr + b->size;
    uint64_t addr = begin, size = UNKNOWN, end;
    struct wt_modules *modules = elf ? wt_modules_new() : NULL;
    size_t count;
    bool known = !elf;
    if (modules && wt_modules_add_file(modules, elf, 0, 0, NULL, WT_IGNORED) == WT_OK)
        known = wt_symbols_thread_variables(wt_modules_list(modules, &count)->symbols,
                                            (uint64_t)g->machine->waves * g->machine->lanes, &addr,
                                            &size);
    wt_modules_free(modules);
    end = addr + size;
    if (!elf && b->next && b->next->addr < end)
        end = b->next->addr;
    if (!known || end <= begin)
        return 0;
    wt_object_variable(g->machine, begin, end - begin, "thread-local variables", false);
    return begin;
}

static void note_program(struct gpu *g, struct buffer *b, const char *path,
                         const struct wt_segment *code)
{
    static atomic_uint_fast64_t last;
    char whole[PATH_MAX];
    unsigned bits;
    struct program program = {.id = atomic_fetch_add(&last, 1) + 1, .entry = code->addr};
    const bool known = path && realpath(path, whole);
    program.path = known ? strdup(whole) : NULL;
    program.elf = find_elf(known ? whole : NULL, code, &bits);
    if (g->config.profile->launch_unit)
        program.threads = add_thread_variables(g, b, program.elf);
    state_lock();
    b->program = program;
    g->programs++;
    state_unlock();
    wt_gate_enter(gpu_gate());
    gpu_gate()->code++;
    if ((gpu_gate()->followed || gpu_gate()->held) && !program.elf)
        fprintf(
            stderr,
            "wavetrap: %s: no ELF file was found for it, with names and lines for the debugger: "
            "'symbol-file FILE' before 'run', or WAVETRAP_SYMBOLS=FILE, names one\n",
            path ? path : "a kernel");
    wt_gate_leave(gpu_gate());
}

static enum vx_result put(struct gpu *g, const struct wt_segment *s, struct wt_error *err)
{
    static const uint8_t zeros[WT_PAGE_SIZE];
    gpu_enter(g);
    bool done = gpu_write(g, s->addr, s->bytes, s->length);
    for (uint64_t at = s->length; at < s->size && done; at += sizeof zeros)
        done = gpu_write(g, s->addr + at, zeros,
                         s->size - at < sizeof zeros ? s->size - at : sizeof zeros);
    gpu_leave(g);
    return done ? VX_SUCCESS : call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
}

/* ---- kernels of 3.0 ---- */

/* The symbols of Vortex 3.0's linker and vxbin.py: one for each kernel, and
 * "main" is the name of kernel_main. */
#define KERNEL_SYMBOL "__vx_kentry_"
#define CTA_ENTRY "__vx_cta_entry"

static bool add_kernel(void *context, const char *name, uint64_t addr, uint64_t size, bool code)
{
    struct wt_image *image = context;
    const size_t prefix = sizeof KERNEL_SYMBOL - 1;
    image->has_kernels |= !strcmp(name, CTA_ENTRY);
    if (strncmp(name, KERNEL_SYMBOL, prefix) != 0)
        return true;
    name = strcmp(name + prefix, "kernel_main") ? name + prefix : "main";
    struct wt_image_kernel *grown =
        realloc(image->kernel, (image->kernels + 1) * sizeof *image->kernel);
    char *copy = strdup(name);
    if (grown)
        image->kernel = grown;
    if (!grown || !copy) {
        free(copy);
        return false;
    }
    image->kernel[image->kernels++] = (struct wt_image_kernel){copy, addr};
    image->has_kernels = true;
    return true;
}

/* Takes the kernels from the ELF file beside a file without a table of them. */
static void find_kernels(const char *path, struct wt_image *image)
{
    unsigned bits;
    char *elf = path && !image->has_kernels ? find_elf(path, image->segment, &bits) : NULL;
    struct wt_modules *modules = elf ? wt_modules_new() : NULL;
    size_t count;
    if (modules && wt_modules_add_file(modules, elf, 0, 0, NULL, WT_IGNORED) == WT_OK)
        wt_symbols_each(wt_modules_list(modules, &count)->symbols, add_kernel, image);
    wt_modules_free(modules);
    free(elf);
}

static enum vx_result check_version(struct gpu *g, const struct wt_image *image,
                                    struct wt_error *err)
{
    return !image->has_kernels || gpu_become_later(g)
               ? VX_SUCCESS
               : call_fail(err, VX_ERR_INVALID_VALUE,
                           "the kernel is for Vortex 3.0, and the device has run one of 2.x: give "
                           "-g vortex:profile=v3");
}

static enum vx_result load(struct gpu *g, const char *by, const char *path, struct wt_image *image,
                           struct buffer **buffer, struct wt_error *err)
{
    const struct wt_segment *code = image->segment;
    enum vx_result result;
    if (image->format != WT_IMAGE_VXBIN)
        return call_fail(err, VX_ERR_INVALID_VALUE, "it is not a .vxbin file");
    find_kernels(path, image);
    if ((result = check_width(g, path, code, err)) || (result = check_version(g, image, err)) ||
        (result = buffer_new(g, true, code->addr, code->size, VX_MEM_READ_WRITE, by, buffer, err)))
        return result;
    if ((result = put(g, code, err)))
        buffer_end((*buffer)->handle, by, WT_IGNORED);
    else
        note_program(g, *buffer, path, code);
    return result;
}

enum vx_result program_load(struct gpu *g, const char *by, const char *path, const uint8_t *bytes,
                            size_t size, struct wt_image *image, struct buffer **buffer,
                            struct wt_error *err)
{
    struct wt_image own;
    if (!image)
        image = &own;
    const enum wt_status status =
        wt_image_parse("kernel.vxbin", bytes, size, 0, image, err); /* whatever its name is */
    if (status)
        return refuse(by, path, call_result(status), err);
    const enum vx_result result = load(g, by, path, image, buffer, err);
    if (result || image == &own)
        wt_image_free(image);
    return result ? refuse(by, path, result, err) : VX_SUCCESS;
}

static enum vx_result upload(struct gpu *g, const char *by, const char *path, const uint8_t *bytes,
                             size_t size, vx_buffer_h *buffer, struct wt_error *err)
{
    struct buffer *b;
    const enum vx_result result = program_load(g, by, path, bytes, size, NULL, &b, err);
    if (!result)
        *buffer = b->handle;
    return result;
}

static enum vx_result check(const void *device, const void *from, const void *buffer,
                            struct gpu **g, struct wt_error *err)
{
    if (!(*g = gpu_of(device, err)))
        return VX_ERR_INVALID_HANDLE;
    return from && buffer ? VX_SUCCESS
                          : call_fail(err, VX_ERR_INVALID_VALUE,
                                      from ? "no place for the handle" : "nothing to upload");
}

enum vx_result program_read(const char *by, const char *path, uint8_t **bytes, size_t *size,
                            struct wt_error *err)
{
    const enum wt_status status = wt_file_read(path, bytes, size, err);
    return status ? refuse(by, NULL, call_result(status), err) : VX_SUCCESS;
}

API(vx_upload_kernel_bytes, "%p, %p, %" PRIu64 ", *%p", (vx_device_h, device),
    (const void *, bytes), (uint64_t, size), (vx_buffer_h *, buffer, HANDLE(buffer)))
{
    struct gpu *g;
    const enum vx_result result = check(device, bytes, buffer, &g, err);
    return result ? result : upload(g, "vx_upload_kernel_bytes", NULL, bytes, size, buffer, err);
}

/* ---- bytes ---- */

static enum vx_result upload_bytes(struct gpu *g, const char *by, const char *path,
                                   const void *bytes, uint64_t size, vx_buffer_h *buffer,
                                   struct wt_error *err)
{
    struct buffer *b;
    enum vx_result result = buffer_new(g, false, 0, size, VX_MEM_READ, by, &b, err);
    if (result)
        return result;
    gpu_enter(g);
    if (!gpu_write(g, b->addr, bytes, size))
        result = call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
    gpu_leave(g);
    if (result)
        buffer_end(b->handle, by, WT_IGNORED);
    else
        *buffer = b->handle;
    return result;
}

API(vx_upload_bytes, "%p, %p, %" PRIu64 ", *%p", (vx_device_h, device), (const void *, bytes),
    (uint64_t, size), (vx_buffer_h *, buffer, HANDLE(buffer)))
{
    struct gpu *g;
    const enum vx_result result = check(device, bytes, buffer, &g, err);
    return result ? result : upload_bytes(g, "vx_upload_bytes", NULL, bytes, size, buffer, err);
}

/* ---- files ---- */

#define FILE_CALL(name, uploads)                                                                   \
    API(name, "%p, \"%s\", *%p", (vx_device_h, device), (const char *, path, path ? path : ""),    \
        (vx_buffer_h *, buffer, HANDLE(buffer)))                                                   \
    {                                                                                              \
        struct gpu *g;                                                                             \
        uint8_t *bytes;                                                                            \
        size_t size;                                                                               \
        enum vx_result result;                                                                     \
        if ((result = check(device, path, buffer, &g, err)) ||                                     \
            (result = program_read(#name, path, &bytes, &size, err)))                              \
            return result;                                                                         \
        result = uploads(g, #name, path, bytes, size, buffer, err);                                \
        free(bytes);                                                                               \
        return result;                                                                             \
    }
FILE_CALL(vx_upload_kernel_file, upload)
FILE_CALL(vx_upload_file, upload_bytes)
