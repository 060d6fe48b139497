/* The contents of images. See image.h. */
#include "runtime/cuda/image.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "object/cuda_fatbin.h"
#include "object/ptx_object.h"

enum { ELF_HEADER = 64, SMALLEST = 16 };

/* Whether four bytes are these. It stops at the first other one: a text may be shorter. */
static bool begins(const uint8_t *bytes, uint32_t magic)
{
    unsigned i = 0;
    while (i < 4 && bytes[i] == (uint8_t)(magic >> 8 * i))
        i++;
    return i == 4;
}

/* "50ed55ba": a program's structure of 24 bytes points to the container (magic, version, address).
 */
static const uint8_t *container_of(const void *image)
{
    const uint8_t *bytes = image;
    uint64_t address;
    if (begins(bytes, CUDA_FATBIN_WRAPPER_MAGIC)) {
        address = wt_load_le(bytes + 8, 8);
        bytes = (const uint8_t *)(uintptr_t)address;
    }
    return bytes && begins(bytes, CUDA_FATBIN_MAGIC) ? bytes : NULL;
}

/*
 * The containers that nvlink has made a program of (nvcc -rdc=true): a structure of version 2 has
 * their addresses, and then NULL, where its container holds the linked machine code. NULL: it is
 * none.
 */
static const void *const *linked_from(const void *image)
{
    const uint8_t *bytes = image;
    enum { VERSION = 4, PARTS = 16, OF_NVLINK = 2 };
    if (!begins(bytes, CUDA_FATBIN_WRAPPER_MAGIC) || wt_load_le(bytes + VERSION, 4) != OF_NVLINK)
        return NULL;
    return (const void *const *)(uintptr_t)wt_load_le(bytes + PARTS, 8);
}

bool image_is_fat(const void *image)
{
    return container_of(image) != NULL || linked_from(image);
}

static bool is_elf(const uint8_t *bytes, size_t available)
{
    return available >= 4 && begins(bytes, 0x464c457f);
}

static bool is_object(const uint8_t *bytes, size_t available, size_t *size)
{
    const size_t header = available < ELF_HEADER ? available : ELF_HEADER;
    return is_elf(bytes, available) && ptx_object_is(bytes, header, size);
}

/* ---- texts ---- */

static enum wt_status each_of_blob(const char *at, const char *end, image_text_fn add,
                                   void *context, struct wt_error *err)
{
    enum wt_status status;
    char name[32];
    for (unsigned i = 0; at < end && *at; i++) {
        char *text;
        const unsigned long long size = strtoull(at, &text, 10);
        if (text == at || *text != '\n' || !size || size > (size_t)(end - text - 1))
            return wt_fail(err, WT_INVALID, "a linked image that is damaged");
        snprintf(name, sizeof name, "object %u", i);
        if ((status = add(context, name, text + 1, (size_t)size, err)) != WT_OK)
            return status;
        at = text + 1 + size;
    }
    return WT_OK;
}

/* PTX, or the output of our linker for several images. */
static enum wt_status each_of_text(const char *text, size_t available, const char *name,
                                   image_text_fn add, void *context, struct wt_error *err)
{
    const size_t blob = strlen(IMAGE_BLOB);
    const size_t length = available == SIZE_MAX ? strlen(text) : strnlen(text, available);
    if (length >= blob && memcmp(text, IMAGE_BLOB, blob) == 0)
        return each_of_blob(text + blob, text + length, add, context, err);
    return add(context, name, text, length, err);
}

/* ---- fat binaries ---- */

/* Whether the entry holds machine code that can run, or an object of PTX. */
static bool runs(const struct cuda_fatbin_entry *e)
{
    size_t size;
    return (e->capability >= 50 && e->capability <= 53) ||
           is_object(e->payload, e->payload_size, &size);
}

/* The entry for the GPU, unpacked. */
static enum wt_status unpack(const struct gpu *g, const uint8_t *container, size_t available,
                             bool (*can_run)(const struct cuda_fatbin_entry *entry),
                             struct wt_buffer *out, struct wt_error *err)
{
    enum wt_status status;
    struct cuda_fatbin_entry entry;
    const uint64_t whole = cuda_fatbin_size(container);
    const size_t size = available < whole ? available : (size_t)whole;
    if ((status = cuda_fatbin_choose(container, size, gpu_capability(g), can_run, &entry, err)) !=
        WT_OK)
        return status;
    return cuda_fatbin_unpack(&entry, out, err);
}

enum wt_status image_each_text(const struct gpu *g, const void *image, size_t available,
                               const char *name, image_text_fn add, void *context,
                               struct wt_error *err)
{
    enum wt_status status;
    size_t size;
    if (available >= SMALLEST && image_is_fat(image)) {
        struct wt_buffer inner = {0};
        const uint8_t *container = container_of(image);
        if (!container)
            return wt_fail(err, WT_INVALID, "a fat binary of linked machine code alone");
        status = unpack(g, container, container == image ? available : SIZE_MAX, runs, &inner, err);
        if (!status)
            status = image_each_text(g, inner.bytes, inner.length, name, add, context, err);
        free(inner.bytes);
        return status;
    }
    if (is_object(image, available, &size))
        return ptx_object_each(image, size < available ? size : available, add, context, err);
    if (is_elf(image, available))
        return wt_fail(err, WT_UNSUPPORTED,
                       "machine code, which the linker does not link here: give it PTX");
    return each_of_text(image, available, name, add, context, err);
}

/* ---- modules ---- */

bool image_is_too_new(const char *name, const char *text, size_t length, struct wt_error *err)
{
    const unsigned version = ptx_version_of((const uint8_t *)text, length), newest = 90;
    if (version <= newest)
        return false;
    wt_fail(err, WT_INVALID, "%s: PTX %u.%u; the driver takes PTX up to %u.%u", name, version / 10,
            version % 10, newest / 10, newest % 10);
    return true;
}

struct adding {
    struct gpu_module *module;
    bool is_too_new;
};

static enum wt_status add_text(void *context, const char *name, const char *text, size_t length,
                               struct wt_error *err)
{
    struct adding *a = context;
    a->is_too_new = image_is_too_new(name, text, length, err);
    return a->is_too_new ? WT_INVALID : gpu_module_add(a->module, name, text, length, err);
}

static CUresult result_of(enum wt_status status, CUresult invalid, CUresult unsupported)
{
    return status == WT_OK            ? CUDA_SUCCESS
           : status == WT_NO_MEMORY   ? CUDA_ERROR_OUT_OF_MEMORY
           : status == WT_UNSUPPORTED ? unsupported
                                      : invalid;
}

static CUresult add_elf(const struct gpu *g, struct gpu_module *m, const uint8_t *bytes,
                        size_t available, struct wt_error *err)
{
    size_t size;
    struct adding a = {.module = m};
    if (is_object(bytes, available, &size)) {
        const enum wt_status status =
            ptx_object_each(bytes, size < available ? size : available, add_text, &a, err);
        return a.is_too_new ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION
                            : result_of(status, CUDA_ERROR_INVALID_PTX, CUDA_ERROR_INVALID_PTX);
    }
    if (!cubin_extent(bytes, available, &size)) {
        wt_fail(err, WT_INVALID,
                cubin_is(bytes, available) ? "a cubin that is cut short"
                                           : "an ELF file that is not a cubin");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    return result_of(gpu_module_take(g, m, bytes, size, err), CUDA_ERROR_INVALID_IMAGE,
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
}

static CUresult add_fat(const struct gpu *g, struct gpu_module *m, const uint8_t *container,
                        size_t available, bool (*can_run)(const struct cuda_fatbin_entry *entry),
                        struct wt_error *err)
{
    struct wt_buffer inner = {0};
    CUresult result = result_of(unpack(g, container, available, can_run, &inner, err),
                                CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_NO_BINARY_FOR_GPU);
    if (!result)
        result = image_add(g, m, inner.bytes, inner.length, err);
    free(inner.bytes);
    return result;
}

/* The PTX of all containers that a program was linked from; without PTX its machine code. */
static CUresult add_linked(const struct gpu *g, struct gpu_module *m, const void *image,
                           struct wt_error *err)
{
    CUresult result = CUDA_SUCCESS;
    const uint8_t *container = container_of(image);
    for (const void *const *part = linked_from(image); *part && !result; part++)
        result = image_is_fat(*part)
                     ? add_fat(g, m, *part, SIZE_MAX, NULL, err)
                     : result_of(wt_fail(err, WT_INVALID, "no fat binary"),
                                 CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_INVALID_IMAGE);
    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU && container)
        result = add_fat(g, m, container, SIZE_MAX, runs, err);
    return result;
}

CUresult image_add(const struct gpu *g, struct gpu_module *m, const void *image, size_t available,
                   struct wt_error *err)
{
    if (!available || !*(const char *)image) {
        wt_fail(err, WT_INVALID, "an image that is empty");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    if (is_elf(image, available))
        return add_elf(g, m, image, available, err);
    if (available >= SMALLEST && linked_from(image))
        return add_linked(g, m, image, err);
    if (available >= SMALLEST && image_is_fat(image)) {
        const uint8_t *container = container_of(image);
        return add_fat(g, m, container, container == image ? available : SIZE_MAX, runs, err);
    }
    const bool is_text = ptx_is_text(image, strnlen(image, available));
    struct adding a = {.module = m};
    const enum wt_status status = each_of_text(image, available, "PTX", add_text, &a, err);
    return a.is_too_new
               ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION
               : result_of(status, is_text ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_INVALID_IMAGE,
                           CUDA_ERROR_INVALID_PTX);
}

/* ---- variables at addresses of the program's ---- */

void image_find_symbols(unsigned count, const CUjit_option *options, void **values,
                        struct image_symbols *symbols)
{
    *symbols = (struct image_symbols){0};
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == CU_JIT_GLOBAL_SYMBOL_NAMES)
            symbols->name = values[i];
        if (options[i] == CU_JIT_GLOBAL_SYMBOL_ADDRESSES)
            symbols->address = values[i];
        if (options[i] == CU_JIT_GLOBAL_SYMBOL_COUNT)
            symbols->count = (unsigned)(uintptr_t)values[i];
    }
    if (!symbols->name || !symbols->address)
        symbols->count = 0;
}

static bool is_name(const char *name)
{
    return *name && !isdigit((unsigned char)*name) &&
           name[strspn(name,
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%")] == 0;
}

static enum wt_status declare(struct wt_buffer *text, const struct gpu_module *m, const char *name,
                              const void *address, struct wt_error *err)
{
    char line[64];
    if (!is_name(name))
        return wt_fail(err, WT_INVALID,
                       "'%.80s', which is not a name of a variable, for an address", name);
    if (!address)
        return wt_fail(err, WT_INVALID, "no address for the variable '%.80s'", name);
    if (cubin_find_variable(&m->cubin, name))
        return wt_fail(err, WT_UNSUPPORTED,
                       "the variable '%.80s' of machine code cannot be at an address of the host: "
                       "give the driver PTX",
                       name);
    const int length =
        snprintf(line, sizeof line, ".extern .global .attribute(.wavetrap_at(%" PRIuPTR ")) .b8 ",
                 (uintptr_t)address);
    wt_buffer_append(text, line, (size_t)length);
    wt_buffer_append(text, name, strlen(name));
    wt_buffer_append(text, "[];\n", 4);
    return WT_OK;
}

enum wt_status image_add_symbols(struct gpu_module *m, const struct image_symbols *symbols,
                                 struct wt_error *err)
{
    static const char begin[] = ".version 8.0\n.target sm_50\n.address_size 64\n";
    enum wt_status status = WT_OK;
    struct wt_buffer text = {0};
    wt_buffer_append(&text, begin, strlen(begin));
    for (unsigned i = 0; i < symbols->count && !status; i++)
        status = declare(&text, m, symbols->name[i], symbols->address[i], err);
    if (!status && text.failed)
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (!status && symbols->count && !m->cubin.function_count)
        status =
            gpu_module_add(m, "addresses of the host", (const char *)text.bytes, text.length, err);
    free(text.bytes);
    return status;
}
