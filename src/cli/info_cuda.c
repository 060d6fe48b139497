/* `wavetrap info` of code for NVIDIA's GPUs in host programs. */
#include "cli/info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "object/cubin.h"
#include "object/cuda_contained.h"
#include "object/cuda_fatbin.h"
#include "object/ptx_object.h"

struct telling {
    unsigned count;   /* images that have a line */
    unsigned without; /* PTX without kernels: GCC puts that of its libraries into each program */
    /* PTX with kernels: clang puts it into a program as such, and in place of machine code. */
    struct told {
        char *text;
        size_t length;
        unsigned image;
    } * told;
    size_t told_count, told_room;
};

/* The image that has the same text; 0: none. Without memory a text is told again. */
static unsigned earlier_image(struct telling *t, const char *text, size_t length)
{
    for (size_t i = 0; i < t->told_count; i++)
        if (t->told[i].length == length && memcmp(t->told[i].text, text, length) == 0)
            return t->told[i].image;
    struct told *grown = wt_array_grow(t->told, &t->told_room, t->told_count + 1, sizeof *grown);
    if (!grown)
        return 0;
    t->told = grown;
    char *copy = malloc(length + 1);
    if (!copy)
        return 0;
    memcpy(copy, text, length);
    grown[t->told_count++] = (struct told){copy, length, t->count + 1};
    return 0;
}

static void free_told(struct telling *t)
{
    for (size_t i = 0; i < t->told_count; i++)
        free(t->told[i].text);
    free(t->told);
}

static void begin_image(struct telling *t)
{
    printf("  image %u: ", ++t->count);
}

static void tell_mistake(struct telling *t, const struct wt_error *err)
{
    begin_image(t);
    puts(err->text);
}

static void tell_count(size_t kernels)
{
    printf(", with %zu kernel%s\n", kernels, wt_plural(kernels));
}

static void tell_kernels(const struct ptx_module *module)
{
    for (size_t i = 0; i < module->function_count; i++) {
        const struct ptx_function *f = &module->function[i];
        char name[1024];
        if (!f->is_entry)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)f->name.length, f->name.at);
        cli_tell_kernel_name("    ", name);
    }
}

static void tell_module(struct telling *t, const struct ptx_module *module, const char *text,
                        size_t length)
{
    size_t kernels = 0;
    for (size_t i = 0; i < module->function_count; i++)
        kernels += module->function[i].is_entry;
    if (!kernels) {
        t->without++;
        return;
    }
    const unsigned earlier = earlier_image(t, text, length);
    begin_image(t);
    if (earlier) {
        printf("the PTX of image %u again\n", earlier);
        return;
    }
    printf("PTX %u.%u for %.*s", module->version / 10, module->version % 10,
           (int)module->target.length, module->target.length ? module->target.at : "");
    tell_count(kernels);
    tell_kernels(module);
}

/* The result is WT_OK after a mistake, too, so that ptx_object_each goes on. */
static enum wt_status tell_text(void *context, const char *name, const char *text, size_t length,
                                struct wt_error *err)
{
    struct telling *t = context;
    struct ptx_module module;
    if (ptx_parse("PTX", text, length, &module, err) != WT_OK) {
        tell_mistake(t, err);
        return WT_OK;
    }
    /* Behind a text in a fat binary there may be zeros. */
    tell_module(t, &module, text, strnlen(text, length));
    ptx_free(&module);
    return WT_OK;
}

static void tell_machine_code(struct telling *t, const uint8_t *bytes, size_t size)
{
    struct cubin cubin;
    struct wt_error err;
    size_t kernels = 0;
    if (cubin_parse("machine code", bytes, size, &cubin, &err) != WT_OK) {
        tell_mistake(t, &err);
        return;
    }
    for (size_t i = 0; i < cubin.function_count; i++)
        kernels += cubin.function[i].is_kernel;
    begin_image(t);
    printf("machine code for sm_%u", cubin.sm);
    tell_count(kernels);
    for (size_t i = 0; i < cubin.function_count; i++)
        if (cubin.function[i].is_kernel)
            cli_tell_kernel_name("    ", cubin.function[i].name);
    cubin_free(&cubin);
}

static void tell_elf(struct telling *t, const uint8_t *bytes, size_t size)
{
    struct wt_error err;
    size_t whole;
    if (!ptx_object_is(bytes, size, &whole))
        tell_machine_code(t, bytes, size);
    else if (ptx_object_each(bytes, size, tell_text, t, &err) != WT_OK)
        tell_mistake(t, &err);
}

static void tell_entry(struct telling *t, const struct cuda_fatbin_entry *entry)
{
    struct wt_buffer inner = {0};
    struct wt_error err;
    const enum wt_status status = cuda_fatbin_unpack(entry, &inner, &err);
    const bool is_read = status == WT_OK && inner.length;
    if (is_read && entry->kind == CUDA_FATBIN_ELF) {
        tell_elf(t, inner.bytes, inner.length);
    } else if (is_read && entry->kind == CUDA_FATBIN_PTX) {
        tell_text(t, "", (const char *)inner.bytes, inner.length, &err);
    } else {
        begin_image(t);
        printf("code for sm_%u: %s\n", entry->capability,
               status ? err.text : "it is neither PTX nor machine code");
    }
    free(inner.bytes);
}

static void tell_fatbin(struct telling *t, const struct cuda_contained *found)
{
    struct cuda_fatbin_entry entry;
    struct wt_error err;
    enum wt_status status;
    size_t at = 0;
    while ((status = cuda_fatbin_next(found->bytes, found->size, &at, &entry, &err)) == WT_OK &&
           entry.kind)
        tell_entry(t, &entry);
    if (status)
        tell_mistake(t, &err);
}

unsigned cli_tell_cuda_images(const uint8_t *bytes, size_t length, unsigned before)
{
    struct telling t = {.count = before};
    struct cuda_contained found;
    struct wt_error err;
    for (size_t at = 0; cuda_contained_next(bytes, length, &at, &found);)
        if (found.kind == CUDA_CONTAINED_FATBIN)
            tell_fatbin(&t, &found);
        else if (found.kind == CUDA_CONTAINED_ELF)
            tell_elf(&t, found.bytes, found.size);
        else
            tell_text(&t, "", (const char *)found.bytes, found.size, &err);
    free_told(&t);
    if (t.without)
        printf("  PTX without kernels: %u text%s\n", t.without, wt_plural(t.without));
    return t.count - before + t.without;
}
