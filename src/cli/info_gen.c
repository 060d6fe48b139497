/* `wavetrap info` of zebins for Intel GPUs. */
#include "cli/info.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/text.h"
#include "object/patchtokens.h"
#include "object/zebin.h"

static const char *image_name(unsigned kind)
{
    static const char *const names[] = {[GEN_IMAGE_OTHER] = "image of a kind that is not offered",
                                        [GEN_IMAGE_BUFFER] = "image of a buffer",
                                        [GEN_IMAGE_1D] = "1D image",
                                        [GEN_IMAGE_1D_ARRAY] = "array of 1D images",
                                        [GEN_IMAGE_2D] = "2D image",
                                        [GEN_IMAGE_2D_ARRAY] = "array of 2D images",
                                        [GEN_IMAGE_3D] = "3D image"};
    return names[kind];
}

static const char *kind_of(const struct gen_kernel *k, size_t index, uint32_t *size)
{
    const char *kind = "value";
    *size = index < k->argument_count ? k->argument_size[index] : 0;
    for (size_t i = 0; i < k->payload_count; i++) {
        const struct gen_payload_argument *a = &k->payload[i];
        if (a->index != (int32_t)index)
            continue;
        if (a->kind == GEN_ARG_BYPOINTER)
            kind = a->object == GEN_OBJECT_SAMPLER   ? "sampler"
                   : a->object == GEN_OBJECT_IMAGE   ? image_name(a->image)
                   : a->mode == GEN_ADDRESS_SLM      ? "local memory"
                   : a->mode == GEN_ADDRESS_STATEFUL ? "buffer, by binding table"
                                                     : "buffer, by address";
        else if (a->kind == GEN_ARG_BYVALUE && !*size)
            *size = a->size;
    }
    return kind;
}

static void tell_kernel(const struct gen_kernel *k)
{
    uint32_t size;
    printf("  kernel %s\n", k->name);
    printf("    SIMD%u, %llu bytes of code; local memory: %u bytes a work-group%s; private memory: "
           "%u bytes "
           "a work-item; scratch memory: %u bytes a thread\n",
           k->simd, (unsigned long long)k->code_size, k->slm_size,
           k->barriers ? ", with a barrier" : "", k->private_size, k->scratch_size);
    for (size_t i = 0; i < k->argument_count; i++) {
        const char *name = k->argument_name[i] ? k->argument_name[i] : "";
        const char *kind = kind_of(k, i, &size);
        printf("      %zu: %s%s%s, %u byte%s\n", i, name, *name ? ": " : "", kind, size,
               wt_plural(size));
    }
}

enum wt_status cli_tell_zebin(const char *path, struct wt_error *err)
{
    enum wt_status status;
    uint8_t *bytes;
    size_t length;
    struct gen_object object;
    if ((status = wt_file_read(path, &bytes, &length, err)) != WT_OK)
        return status;
    status = gen_object_parse(path, bytes, length, &object, err);
    free(bytes);
    if (status)
        return status;
    const bool tokens = gen_patchtokens_is_file(path);
    printf("%s: %s for Intel GPUs\n  version: %s\n", path,
           tokens ? "program in patch tokens" : "zebin", object.version);
    if (!tokens)
        cli_tell_debug_information(path);
    for (size_t i = 0; i < object.kernel_count; i++)
        tell_kernel(&object.kernel[i]);
    puts("  runs on: gen9");
    gen_object_free(&object);
    return WT_OK;
}
