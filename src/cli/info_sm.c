/* `wavetrap info` of cubins for NVIDIA's GPUs. */
#include "cli/info.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/text.h"
#include "object/cubin.h"

static void tell_function(const struct cubin_function *f)
{
    printf("  %s %s: %llu bytes of code\n", f->is_kernel ? "kernel" : "function", f->name,
           (unsigned long long)f->size);
    printf("    %u registers, shared memory: %u bytes a block, local memory: %u bytes a thread\n",
           f->registers, f->shared, f->local);
    if (f->parameter_count)
        printf("    parameters: %u bytes\n", f->parameter_bytes);
    for (size_t i = 0; i < f->parameter_count; i++)
        printf("      %zu: %u byte%s at c[0x0][0x%x]\n", i, f->parameter[i].size,
               wt_plural(f->parameter[i].size), CUBIN_PARAMETERS + f->parameter[i].offset);
    for (unsigned b = 1; b < CUBIN_BANKS; b++)
        if (f->bank_size[b])
            printf("    constant bank %u: %u bytes\n", b, f->bank_size[b]);
}

enum wt_status cli_tell_cubin(const char *path, struct wt_error *err)
{
    enum wt_status status;
    struct cubin cubin;
    uint8_t *bytes;
    size_t length;
    if ((status = wt_file_read(path, &bytes, &length, err)) != WT_OK)
        return status;
    status = cubin_parse(path, bytes, length, &cubin, err);
    free(bytes);
    if (status)
        return status;
    printf("%s: cubin for sm_%u\n", path, cubin.sm);
    cli_tell_debug_information(path);
    for (size_t i = 0; i < cubin.function_count; i++)
        tell_function(&cubin.function[i]);
    puts("  runs on: sm");
    cubin_free(&cubin);
    return WT_OK;
}
