/*
 * The cache of parsed PTX. Whatever goes wrong with it, the text is parsed: a file that is damaged
 * or of another build does not fit (ptx_restore), one that cannot be written is not there.
 */
#include "runtime/cuda/ptx_cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "object/ptx_store.h"
#include "runtime/common/code_cache.h"

enum { LEAST_TEXT = 4096 }; /* a shorter one is parsed faster than a file is opened */

static void write_entry(const char *path, const struct ptx_module *module)
{
    uint8_t *bytes;
    size_t length;
    if (!ptx_store(module, &bytes, &length))
        return;
    code_cache_write(path, bytes, length);
    free(bytes);
}

static bool read_entry(const char *path, const char *text, size_t length, struct ptx_module *module)
{
    size_t size;
    const uint8_t *bytes = code_cache_map(path, &size);
    if (!bytes)
        return false;
    const bool good = ptx_restore(bytes, size, text, length, module);
    munmap((void *)bytes, size);
    code_cache_used(path, good);
    return good;
}

enum wt_status ptx_cache_parse(const char *name, const char *text, size_t length,
                               struct ptx_module *module, struct wt_error *err)
{
    enum wt_status status;
    char path[PATH_MAX];
    const char *end = memchr(text, 0, length);
    const size_t whole = end ? (size_t)(end - text) : length;
    /* No build reads what another one has written. */
    if (whole < LEAST_TEXT ||
        !code_cache_path(path, XXH3_128bits_withSeed(text, whole,
                                                     code_cache_build((const void *)ptx_cache_parse,
                                                                      ptx_store_format()))))
        return ptx_parse(name, text, whole, module, err);
    if (read_entry(path, text, whole, module))
        return WT_OK;
    if ((status = ptx_parse(name, text, whole, module, err)) == WT_OK)
        write_entry(path, module);
    return status;
}
