/* `wavetrap info` of code objects for AMD GPUs, and of host programs that hold some. */
#include "cli/info.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "object/code_object.h"
#include "object/fatbin.h"
#include "object/image.h"

/* The registers that a wave gets, by COMPUTE_PGM_RSRC1 of the descriptor (LLVM, "User Guide for
 * AMDGPU Backend", kernel descriptor). */
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
    printf("  kernel %s\n", k->name);
    printf("    work-groups of up to %u work-items; LDS: %u bytes a work-group; private memory: %u "
           "bytes a work-item\n",
           k->most_items, k->group_size, k->private_size);
    tell_registers(object, k);
    printf("    arguments: %u bytes\n", k->kernarg_size);
    for (size_t i = 0; i < k->explicit_arguments; i++) {
        const struct gcn_argument *a = &k->argument[i];
        printf("      %zu: %s%s%s, %u byte%s at %u\n", i, a->name, *a->name ? ": " : "",
               kinds[a->kind], a->size, a->size == 1 ? "" : "s", a->offset);
    }
    if (k->arguments > k->explicit_arguments)
        printf("      and %zu that the runtime fills, from %u on\n",
               k->arguments - k->explicit_arguments, k->argument[k->explicit_arguments].offset);
}

/* The code objects of one bundle of a host program. */
static void tell_bundle(const char *path, unsigned number, const struct gcn_fatbin_bundle *b)
{
    struct gcn_object object;
    struct wt_error err;
    printf("  bundle %u: ", number);
    switch (b->verdict) {
    case GCN_FATBIN_COMPRESSED:
        puts("compressed: which GPUs it has code for cannot be seen");
        return;
    case GCN_FATBIN_OTHER:
    case GCN_FATBIN_XNACK:
        printf("code for %s: not for gfx900, which is emulated\n", b->targets);
        return;
    case GCN_FATBIN_GOOD:
        break;
    }
    printf("code for %s", b->targets);
    if (gcn_object_parse(path, b->object, b->object_size, &object, &err) != WT_OK) {
        printf("; that for gfx900 cannot be read: %s\n", err.text);
        return;
    }
    printf("; that for gfx900 is of version %u, with %zu kernel%s\n", object.version,
           object.kernels, object.kernels == 1 ? "" : "s");
    for (size_t i = 0; i < object.kernels; i++)
        printf("    kernel %s\n", object.kernel[i].name);
    gcn_object_free(&object);
}

enum wt_status cli_tell_host_program(const char *path, unsigned machine, struct wt_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return wt_fail(err, WT_IO, "%s: cannot open: %s", path, strerror(errno));
    printf("%s: program or library for the host (%s)\n", path, wt_image_machine_name(machine));
    cli_tell_debug_information(path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    unsigned bundles = 0;
    size_t names;
    if (elf && elf_getshdrstrndx(elf, &names) == 0) {
        for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
            GElf_Shdr header;
            const char *name =
                gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
            const Elf_Data *data =
                name && strcmp(name, ".hip_fatbin") == 0 ? elf_rawdata(section, NULL) : NULL;
            struct gcn_fatbin fatbin = {.bytes = data ? data->d_buf : NULL,
                                        .size = data && data->d_buf ? data->d_size : 0};
            struct gcn_fatbin_bundle bundle;
            while (gcn_fatbin_next(&fatbin, &bundle))
                tell_bundle(path, ++bundles, &bundle);
        }
    }
    elf_end(elf);
    close(fd);
    puts(bundles ? "  runs on: the host; by 'wavetrap exec' with emulated GPUs"
                 : "  runs on: the host; it brings no code for GPUs along");
    return WT_OK;
}

enum wt_status cli_tell_code_object(const char *path, struct wt_error *err)
{
    enum wt_status status;
    uint8_t *bytes;
    size_t length;
    struct gcn_object object;
    if ((status = wt_file_read(path, &bytes, &length, err)) != WT_OK)
        return status;
    status = gcn_object_parse(path, bytes, length, &object, err);
    free(bytes);
    if (status)
        return status;
    printf("%s: AMD GPU code object\n  version: %u\n", path, object.version);
    cli_tell_debug_information(path);
    for (size_t i = 0; i < object.kernels; i++)
        tell_kernel(&object, &object.kernel[i]);
    puts("  runs on: gfx900");
    gcn_object_free(&object);
    return WT_OK;
}
