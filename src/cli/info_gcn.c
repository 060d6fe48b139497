/* `wavetrap info` of code objects for AMD GPUs. */
#include "cli/info.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/file.h"
#include "object/code_object.h"

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
