/* Uploads: kernels (.vxbin), and files and bytes as they are. */
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "object/image.h"
#include "runtime/common/tally.h"
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
    *bits = image.bits;
    wt_image_free(&image);
    return same && any;
}

/* The file beside it whose name differs in the extension; the caller frees it. */
static char *find_elf(const char *path, const struct wt_segment *kernel, unsigned *bits)
{
    static const char *const ends[] = {".elf", ""};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const int stem = (int)(dot ? (size_t)(dot - path) : strlen(path));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char name[PATH_MAX];
        snprintf(name, sizeof name, "%.*s%s", stem, path, ends[i]);
        if (strcmp(name, path) != 0 && !access(name, R_OK) && is_made_of(name, kernel, bits))
            return strdup(name);
    }
    return NULL;
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
    free(path ? find_elf(path, code, &bits) : NULL);
    if ((code->addr + code->size - 1) >> 32)
        bits = 64;
    return !bits || bits == g->config.xlen
               ? VX_SUCCESS
               : call_fail(err, VX_ERR_INVALID_VALUE,
                           "the kernel is RV%u, the device RV%u: give -g vortex:xlen=%u", bits,
                           g->config.xlen, bits);
}

static void note_program(struct gpu *g, struct buffer *b, const char *path,
                         const struct wt_segment *code)
{
    static atomic_uint_fast64_t last;
    char whole[PATH_MAX];
    unsigned bits;
    struct program program = {.id = atomic_fetch_add(&last, 1) + 1, .entry = code->addr};
    if (path && realpath(path, whole)) {
        program.path = strdup(whole);
        program.elf = find_elf(whole, code, &bits);
    }
    state_lock();
    b->program = program;
    g->programs++;
    state_unlock();
    wt_gate_enter(gpu_gate());
    gpu_gate()->code++;
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

static enum vx_result upload(struct gpu *g, const char *by, const char *path, const uint8_t *bytes,
                             size_t size, vx_buffer_h *buffer, struct wt_error *err)
{
    struct wt_image image;
    struct buffer *b;
    enum vx_result result;
    const enum wt_status status =
        wt_image_parse("kernel.vxbin", bytes, size, 0, &image, err); /* whatever its name is */
    if (status)
        return refuse(by, path, call_result(status), err);
    const struct wt_segment *code = image.segment;
    if (image.format != WT_IMAGE_VXBIN)
        result = call_fail(err, VX_ERR_INVALID_VALUE, "it is no .vxbin file");
    else
        result = check_width(g, path, code, err);
    if (!result)
        result = buffer_new(g, true, code->addr, code->size, VX_MEM_READ_WRITE, by, &b, err);
    if (!result && (result = put(g, code, err)))
        buffer_end(b->handle, by, WT_IGNORED);
    if (!result) {
        *buffer = b->handle;
        note_program(g, b, path, code);
    }
    wt_image_free(&image);
    return result ? refuse(by, path, result, err) : VX_SUCCESS;
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

static enum vx_result read_file(const char *by, const char *path, uint8_t **bytes, size_t *size,
                                struct wt_error *err)
{
    const enum wt_status status = wt_file_read(path, bytes, size, err);
    return status ? refuse(by, NULL, call_result(status), err) : VX_SUCCESS;
}

API(vx_upload_kernel_bytes,
    (vx_device_h device, const void *bytes, uint64_t size, vx_buffer_h *buffer),
    (device, bytes, size, buffer), "%p, %p, %" PRIu64 ", *%p", device, bytes, size, HANDLE(buffer))
{
    struct gpu *g;
    const enum vx_result result = check(device, bytes, buffer, &g, err);
    return result ? result : upload(g, "vx_upload_kernel_bytes", NULL, bytes, size, buffer, err);
}

API(vx_upload_kernel_file, (vx_device_h device, const char *path, vx_buffer_h *buffer),
    (device, path, buffer), "%p, \"%s\", *%p", device, path ? path : "", HANDLE(buffer))
{
    struct gpu *g;
    uint8_t *bytes;
    size_t size;
    enum vx_result result;
    if ((result = check(device, path, buffer, &g, err)) ||
        (result = read_file("vx_upload_kernel_file", path, &bytes, &size, err)))
        return result;
    result = upload(g, "vx_upload_kernel_file", path, bytes, size, buffer, err);
    free(bytes);
    return result;
}

/* ---- bytes ---- */

static enum vx_result upload_bytes(struct gpu *g, const char *by, const void *bytes, uint64_t size,
                                   vx_buffer_h *buffer, struct wt_error *err)
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

API(vx_upload_bytes, (vx_device_h device, const void *bytes, uint64_t size, vx_buffer_h *buffer),
    (device, bytes, size, buffer), "%p, %p, %" PRIu64 ", *%p", device, bytes, size, HANDLE(buffer))
{
    struct gpu *g;
    const enum vx_result result = check(device, bytes, buffer, &g, err);
    return result ? result : upload_bytes(g, "vx_upload_bytes", bytes, size, buffer, err);
}

API(vx_upload_file, (vx_device_h device, const char *path, vx_buffer_h *buffer),
    (device, path, buffer), "%p, \"%s\", *%p", device, path ? path : "", HANDLE(buffer))
{
    struct gpu *g;
    uint8_t *bytes;
    size_t size;
    enum vx_result result;
    if ((result = check(device, path, buffer, &g, err)) ||
        (result = read_file("vx_upload_file", path, &bytes, &size, err)))
        return result;
    result = upload_bytes(g, "vx_upload_file", bytes, size, buffer, err);
    free(bytes);
    return result;
}
