/* `wavetrap info` of PTX text. */
#include "cli/info.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/text.h"
#include "target/sm_ptx.h"

static void tell_kernel(const struct sm_ptx_kernel *k)
{
    printf("  kernel %s\n", k->name);
    printf("    shared memory: %u bytes a block, local memory: %u bytes a thread\n", k->shared,
           k->local);
    if (k->max_threads[0])
        printf("    threads of a block: %u x %u x %u at most\n", k->max_threads[0],
               k->max_threads[1], k->max_threads[2]);
    if (k->parameter_count)
        printf("    parameters: %u bytes\n", k->parameter_bytes);
    for (size_t i = 0; i < k->parameter_count; i++) {
        const struct sm_ptx_parameter *p = &k->parameter[i];
        printf("      %zu: %s: %u byte%s at %u%s%s\n", i, p->name, p->size, wt_plural(p->size),
               p->offset, p->is_pointer ? ", a pointer" : "",
               p->space == PTX_SPACE_SHARED ? " to shared memory" : "");
    }
}

static void tell(const char *path, const struct wt_sm_ptx *p)
{
    const struct ptx_module *text = p->module[0].text;
    size_t count, functions = 0;
    const struct sm_ptx_kernel *list = sm_ptx_kernels(p->image, &count);
    printf("%s: PTX %u.%u for %.*s\n", path, text->version / 10, text->version % 10,
           (int)text->target.length, text->target.length ? text->target.at : "");
    for (size_t i = 0; i < count; i++) {
        if (list[i].is_kernel)
            tell_kernel(&list[i]);
        functions += !list[i].is_kernel;
    }
    if (functions)
        printf("  functions: %zu\n", functions);
    const struct sm_ptx_symbol *variable = sm_ptx_symbols(p->image, &count);
    for (size_t i = 0; i < count; i++)
        printf("  variable %s: %llu bytes%s\n", variable[i].name,
               (unsigned long long)variable[i].size, variable[i].is_constant ? ", constant" : "");
    puts("  runs on: sm");
}

enum wt_status cli_tell_ptx(const char *path, struct wt_error *err)
{
    enum wt_status status;
    struct wt_sm_ptx p = {0};
    uint8_t *bytes;
    size_t length;
    if ((status = wt_file_read(path, &bytes, &length, err)) != WT_OK)
        return status;
    status = wt_sm_ptx_add(&p, path, (const char *)bytes, length, err);
    free(bytes);
    if (!status)
        status = wt_sm_ptx_link(&p, UINT64_C(0x100000000), UINT64_C(0x180000000), err);
    if (!status)
        tell(path, &p);
    wt_sm_ptx_free(&p);
    return status;
}
