/* See core_file.h. */
#include "runtime/drm/core_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/gen/host.h"
#include "object/gen_kernel_elf.h"
#include "runtime/common/own_memory.h"
#include "runtime/drm/code.h"
#include "runtime/drm/debugged.h"

enum { PART = 1 << 20 };

static bool read_own(void *context, uint64_t physical, uint8_t *bytes, size_t size)
{
    (void)context;
    return wt_own_memory_read(physical, bytes, size);
}

/* Pages that the GPU has come to in the recorded run are its own copies. */
static bool read_recorded(void *context, uint64_t physical, uint8_t *bytes, size_t size)
{
    const struct drm_debugged *g = context;
    for (size_t done = 0, part; done < size; done += part) {
        const uint64_t at = physical + done, offset = at % WT_PAGE_SIZE;
        part = size - done < WT_PAGE_SIZE - offset ? size - done : (size_t)(WT_PAGE_SIZE - offset);
        if (wt_recording_has_page(g->recording, at))
            memcpy(bytes + done, wt_memory_page(gen_machine(g->device)->memory, at) + offset, part);
        else if (!wt_own_memory_read(at, bytes + done, part))
            return false;
    }
    return true;
}

static void print_config(void *context, char *text, size_t size)
{
    gen_config_print(gen_device_config(((const struct drm_debugged *)context)->device), text, size);
}

/* The whole of a kernel's ELF file, or one that is made; NULL without host memory. */
static uint8_t *elf_of(const struct gen_wire_kernel *kernel, size_t *length)
{
    uint8_t *bytes = NULL;
    if (!kernel->elf_size)
        return gen_kernel_elf_make(kernel->name, kernel->code_size, &bytes, length, WT_IGNORED) ==
                       WT_OK
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

static void write_kernel(const struct gen_wire_kernel *kernel, struct wt_core_writer *w,
                         struct wt_archive *a)
{
    size_t length = 0;
    uint8_t *bytes = elf_of(kernel, &length);
    struct wt_core_module module = {.bias = kernel->address, .bytes = bytes, .length = length};
    if (!bytes)
        return;
    snprintf(module.name, sizeof module.name, "%s", kernel->name);
    wt_core_begin_section(w, "MODL");
    wt_core_module(a, &module);
    wt_core_end_section(w);
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
            write_kernel(&list[i], w, a);
    free(list);
}

static struct wt_recording *recording(void *context)
{
    return ((const struct drm_debugged *)context)->recording;
}

static bool write_state(void *context, struct wt_archive *a)
{
    const struct wt_host_archive in_host = {.read = read_own};
    return gen_archive_in_host(((struct drm_debugged *)context)->device, a, &in_host);
}

static void write_recorded(struct wt_machine *m, struct wt_archive *a)
{
    struct gen_device *device = (struct gen_device *)m;
    struct drm_debugged *g = wt_recording_gpu_of(gen_machine(device)->process.copy);
    struct wt_host_archive in_host = {.read = read_recorded, .context = g};
    if (!wt_recording_shared_pages(g->recording, &in_host.shared) ||
        !gen_archive_in_host(device, a, &in_host))
        wt_archive_fail(a, "the program has no host memory for that");
    wt_shared_pages_free(&in_host.shared);
}

const struct wt_host_core_ops drm_core_ops = {.family = "gen9",
                                              .config = print_config,
                                              .modules = write_modules,
                                              .recording = recording,
                                              .state = write_state,
                                              .recorded = write_recorded,
                                              .operations = gen_operations};
