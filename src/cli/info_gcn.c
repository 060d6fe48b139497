/* `wavetrap info` for code objects of AMD GPUs, and for host programs that contain code objects. */
#include "cli/info.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/text.h"
#include "emulator/gcn/models.h"
#include "object/code_object.h"
#include "object/contained.h"
#include "object/fatbin.h"
#include "object/image.h"

/* The model that runs a file's code: the newest model that runs any, else the family's default. */
static const struct gcn_target *target_of(const uint8_t *bytes, size_t length, char *all,
                                          size_t size)
{
    const struct gcn_model *model = gcn_model_of_code(bytes, length, all, size);
    return &(model ? model : gcn_models)->target;
}

/* The numbers of registers of a wave, from COMPUTE_PGM_RSRC1 of the descriptor (LLVM, "User Guide
 * for AMDGPU Backend", kernel descriptor). */
static void tell_registers(const struct gcn_object *object, const struct gcn_kernel *k)
{
    const uint8_t *descriptor = gcn_object_bytes(object, k->descriptor, 64);
    if (!descriptor)
        return;
    const uint32_t rsrc1 = (uint32_t)wt_load_le(descriptor + 48, 4);
    printf("    %u vector registers, %u scalar registers\n", ((rsrc1 & 63) + 1) * 4,
           ((rsrc1 >> 6 & 15) / 2 + 1) * 16);
}

static void tell_kernel(const struct gcn_object *object, const struct gcn_kernel *k)
{
    static const char *const kinds[] = {
        [GCN_ARG_VALUE] = "value",
        [GCN_ARG_BUFFER] = "buffer",
        [GCN_ARG_LOCAL] = "LDS",
        [GCN_ARG_OTHER] = "image, sampler or queue: not offered",
    };
    cli_tell_kernel_name("  ", k->name);
    printf("    work-groups of up to %u work-items; LDS: %u bytes a work-group; private memory: %u "
           "bytes a work-item\n",
           k->most_items, k->group_size, k->private_size);
    tell_registers(object, k);
    printf("    arguments: %u bytes\n", k->kernarg_size);
    for (size_t i = 0; i < k->explicit_arguments; i++) {
        const struct gcn_argument *a = &k->argument[i];
        printf("      %zu: %s%s%s, %u byte%s at %u\n", i, a->name, *a->name ? ": " : "",
               kinds[a->kind], a->size, wt_plural(a->size), a->offset);
    }
    if (k->arguments > k->explicit_arguments)
        printf("      and %zu that the runtime fills, from %u on\n",
               k->arguments - k->explicit_arguments, k->argument[k->explicit_arguments].offset);
}

/* "…of version 4, with 2 kernels", and their names. */
static void tell_kernels(const char *path, const uint8_t *bytes, size_t size,
                         const struct gcn_target *target, const char *what)
{
    struct gcn_object object;
    struct wt_error err;
    if (gcn_object_parse(path, bytes, size, target, &object, &err) != WT_OK) {
        printf("; %s cannot be read: %s\n", what, err.text);
        return;
    }
    printf("; %s is of version %u, with %zu kernel%s\n", what, object.version, object.kernels,
           wt_plural(object.kernels));
    for (size_t i = 0; i < object.kernels; i++)
        cli_tell_kernel_name("    ", object.kernel[i].name);
    gcn_object_free(&object);
}

/* Prints the code objects of one bundle. */
static void tell_bundle(const char *path, unsigned number, const struct gcn_fatbin_bundle *b,
                        const struct gcn_target *target)
{
    printf("  bundle %u: ", number);
    switch (b->verdict) {
    case GCN_FATBIN_COMPRESSED:
        puts("compressed, and cannot be unpacked: which GPUs it has code for cannot be seen");
        return;
    case GCN_FATBIN_OTHER:
    case GCN_FATBIN_XNACK:
        printf("code for %s: not for %s, which is emulated\n", b->targets, target->name);
        return;
    case GCN_FATBIN_GOOD:
        break;
    }
    printf("code for %s", b->targets);
    char which[40];
    snprintf(which, sizeof which, "that for %s", target->name);
    tell_kernels(path, b->object, b->object_size, target, which);
}

/* Prints all bundles in a range of bytes, `count` after others; what compressed ones stand for is
 * @p unpacked. Returns how many there are. */
static unsigned tell_bundles(const char *path, const uint8_t *bytes, size_t size,
                             const struct gcn_target *target, unsigned count, bool unpacked)
{
    struct gcn_fatbin fatbin = {.bytes = bytes, .size = size, .target = target};
    struct gcn_fatbin_bundle bundle;
    while (gcn_fatbin_next(&fatbin, &bundle))
        if (!unpacked || bundle.verdict != GCN_FATBIN_COMPRESSED)
            tell_bundle(path, ++count, &bundle, target);
    return count;
}

/* Prints the bundles of a part of a file, and then those that were compressed in the file, which
 * come after its `own` bytes. Returns how many. */
static unsigned tell_all_bundles(const char *path, const uint8_t *part, size_t size,
                                 const struct gcn_target *target, const uint8_t *bytes, size_t own,
                                 size_t length)
{
    const unsigned count = tell_bundles(path, part, size, target, 0, length > own);
    const size_t from = (own + 4095) & ~(size_t)4095;
    return from < length ? tell_bundles(path, bytes + from, length - from, target, count, false)
                         : count;
}

/* Prints code objects that are in no bundle: the images of OpenMP and OpenACC. Returns how many. */
static unsigned tell_images(const char *path, const uint8_t *bytes, size_t length, size_t own,
                            const struct gcn_target *target, const uint8_t *bundles,
                            size_t bundles_size)
{
    struct gcn_contained found;
    unsigned count = 0;
    for (size_t at = 0; gcn_contained_next(bytes, length, target, &at, &found);) {
        if ((bundles && found.bytes >= bundles && found.bytes < bundles + bundles_size) ||
            found.bytes >= bytes + own)
            continue;
        printf("  image %u: code for %s", ++count, found.target);
        if (found.usable)
            tell_kernels(path, found.bytes, found.size, target, "it");
        else
            printf(": not for %s, which is emulated\n", target->name);
    }
    return count;
}

/* Section .hip_fatbin in the file's bytes; NULL if there is none. */
static const uint8_t *fatbin_section(const uint8_t *bytes, size_t length, size_t *size)
{
    const uint8_t *found = NULL;
    size_t names;
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory((char *)(uintptr_t)bytes, length);
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    if (elf && elf_getshdrstrndx(elf, &names) == 0)
        while (!found && (section = elf_nextscn(elf, section))) {
            const char *name =
                gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
            if (name && strcmp(name, ".hip_fatbin") == 0 && header.sh_offset <= length &&
                header.sh_size <= length - header.sh_offset) {
                found = bytes + header.sh_offset;
                *size = header.sh_size;
            }
        }
    elf_end(elf);
    return found;
}

enum wt_status cli_tell_host_program(const char *path, unsigned machine, struct wt_error *err)
{
    uint8_t *bytes;
    size_t length, own, size = 0;
    const enum wt_status status = gcn_fatbin_read(path, &bytes, &length, &own, err);
    if (status != WT_OK)
        return status;
    printf("%s: program or library for the host (%s)\n", path, wt_image_machine_name(machine));
    cli_tell_debug_information(path);
    char all[80];
    const struct gcn_target *target = target_of(bytes, length, all, sizeof all);
    const uint8_t *section = fatbin_section(bytes, own, &size);
    unsigned count =
        section ? tell_all_bundles(path, section, size, target, bytes, own, length) : 0;
    const unsigned images = tell_images(path, bytes, length, own, target, section, size);
    count += images + cli_tell_cuda_images(bytes, own, images);
    free(bytes);
    puts(count ? "  runs on: the host; by 'wavetrap exec' with emulated GPUs"
               : "  runs on: the host; it brings no code for GPUs along");
    return WT_OK;
}

enum wt_status cli_tell_bundle_file(const char *path, struct wt_error *err)
{
    uint8_t *bytes;
    size_t length, own;
    char all[80];
    const enum wt_status status = gcn_fatbin_read(path, &bytes, &length, &own, err);
    if (status != WT_OK)
        return status;
    const struct gcn_target *target = target_of(bytes, length, all, sizeof all);
    printf("%s: bundle of code objects (clang-offload-bundler)\n", path);
    tell_all_bundles(path, bytes, own, target, bytes, own, length);
    printf("  runs on: %s\n", *all ? all : "no GPU that is emulated");
    free(bytes);
    return WT_OK;
}

enum wt_status cli_tell_code_object(const char *path, struct wt_error *err)
{
    enum wt_status status;
    uint8_t *bytes;
    size_t length;
    struct gcn_object object;
    char all[80];
    if ((status = wt_file_read(path, &bytes, &length, err)) != WT_OK)
        return status;
    const struct gcn_target *target = target_of(bytes, length, all, sizeof all);
    status = gcn_object_parse(path, bytes, length, target, &object, err);
    free(bytes);
    if (status)
        return status;
    printf("%s: AMD GPU code object\n  version: %u\n", path, object.version);
    cli_tell_debug_information(path);
    for (size_t i = 0; i < object.kernels; i++)
        tell_kernel(&object, &object.kernel[i]);
    printf("  runs on: %s\n", all);
    gcn_object_free(&object);
    return WT_OK;
}
