/* See core_file.h. */
#include "runtime/i915/core_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/gen/host.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory.h"
#include "object/gen_kernel_elf.h"
#include "runtime/common/checked.h"
#include "runtime/common/own_memory.h"
#include "runtime/i915/code.h"
#include "runtime/i915/debugged.h"
#include "runtime/i915/kernels.h"

enum { PART = 1 << 20 };

static bool read_own(void *context, uint64_t physical, uint8_t *bytes, size_t size)
{
    return wt_own_memory_read(physical, bytes, size);
}

/* A page that the GPU has come to in the recorded run is its own copy. */
static bool read_page(struct wt_machine *m, uint64_t physical, uint8_t *bytes, size_t size)
{
    memcpy(bytes, wt_memory_page(m->memory, physical) + physical % WT_PAGE_SIZE, size);
    return true;
}

/* The code of a kernel, of which findings show instructions; NULL: it is not wanted, or not there.
 */
static const uint8_t *code_of(const struct drm_debugged *g, const struct gen_wire_kernel *kernel)
{
    if (!wt_check_wants((enum wt_check)WT_CHECK_ALL))
        return NULL;
    for (size_t i = 0; i < g->mapping_count; i++) {
        const struct wt_i915_mapping *m = &g->mappings[i];
        const uint64_t offset = kernel->address - m->address;
        if (offset < m->size && kernel->code_size <= m->size - offset)
            return m->host + offset;
    }
    return NULL;
}

uint8_t *drm_kernel_elf(const struct drm_debugged *g, const struct gen_wire_kernel *kernel,
                        size_t *length)
{
    uint8_t *bytes = NULL;
    if (!kernel->elf_size && wt_check_wants((enum wt_check)WT_CHECK_ALL) &&
        (bytes = wt_drm_kernel_elf(kernel->address, length))) {
        gen_kernel_elf_correct(bytes, *length, kernel->code_size);
        return bytes;
    }
    if (!kernel->elf_size)
        return gen_kernel_elf_make(kernel->name, code_of(g, kernel), kernel->code_size, &bytes,
                                   length, WT_IGNORED) == WT_OK
                   ? bytes
                   : NULL;
    if (!(bytes = malloc(kernel->elf_size)))
        return NULL;
    *length = 0;
    for (uint32_t part = 1; part && *length < kernel->elf_size; *length += part) {
        const size_t left = kernel->elf_size - *length;
        part = drm_code_elf(kernel->number, *length, bytes + *length,
                            left < PART ? (uint32_t)left : PART);
    }
    gen_kernel_elf_correct(bytes, *length, kernel->code_size);
    return bytes;
}

static void write_kernel(const struct drm_debugged *g, const struct gen_wire_kernel *kernel,
                         struct wt_core_writer *w, struct wt_archive *a)
{
    size_t length = 0;
    uint8_t *bytes = drm_kernel_elf(g, kernel, &length);
    if (bytes)
        wt_host_core_module(w, a, kernel->name, kernel->address, bytes, length);
    free(bytes);
}

/* A source text of the program; false: there is none of that number. */
static bool write_text(uint32_t number, struct wt_core_writer *w, struct wt_archive *a)
{
    uint8_t *bytes = NULL;
    size_t length = 0, capacity = 0;
    int32_t part;
    struct wt_core_text text = {.length = 0};
    do {
        uint8_t *grown = wt_array_grow(bytes, &capacity, length + PART, 1);
        part = grown ? drm_code_text(number, length, grown + length, PART) : -1;
        bytes = grown ? grown : bytes;
        length += part > 0 ? (size_t)part : 0;
    } while (part == PART);
    if (part >= 0) {
        snprintf(text.name, sizeof text.name, GEN_WIRE_SOURCE_PATH, number);
        text.text = bytes;
        text.length = length;
        wt_core_begin_section(w, "TEXT");
        wt_core_text(a, &text);
        wt_core_end_section(w);
    }
    free(bytes);
    return part >= 0;
}

static void write_modules(void *context, struct wt_core_writer *w, struct wt_archive *a)
{
    const uint32_t room = WT_WIRE_MOST / sizeof(struct gen_wire_kernel);
    struct gen_wire_kernel *list = calloc(room, sizeof *list);
    const uint32_t count = list ? drm_code_list(list, room) : 0;
    for (uint32_t i = 1; write_text(i, w, a); i++)
        continue;
    for (uint32_t i = 0; i < count; i++)
        if (list[i].device == ((const struct drm_debugged *)context)->number)
            write_kernel(context, &list[i], w, a);
    free(list);
}

const struct wt_host_core_ops drm_core_ops = {.family = "gen9",
                                              .profile = GEN_PROFILE,
                                              .table = &gen_config_table,
                                              .modules = write_modules,
                                              .read = read_own,
                                              .read_page = read_page,
                                              .archive = gen_archive_in_host,
                                              .operations = gen_operations};
