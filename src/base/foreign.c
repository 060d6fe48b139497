/* See foreign.h. */
#include "base/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* One that does not begin with "/" is a part of a path. */
static const char *const folders[] = {
    "/usr/include/",
    "/usr/lib/",              /* clang's and GCC's resource folders, ROCm's device libraries */
    "/opt/rocm",              /* any release of ROCm */
    "/usr/local/cuda",        /* … and of CUDA */
    "lib/clang/",             /* a clang of one's own */
    "cudapath/include/",      /* wavetrap's, as it is built … */
    "wavetrap/cuda/include/", /* … and installed */
    "hippath/",
};

const char *wt_foreign_folder(const struct wt_foreign *more, size_t i)
{
    const size_t known = sizeof folders / sizeof *folders;
    return i < known                         ? folders[i]
           : more && i - known < more->count ? more->folder[i - known]
                                             : NULL;
}

bool wt_is_foreign(const struct wt_foreign *more, const char *path)
{
    const char *folder;
    bool is = false;
    for (size_t i = 0; path && !is && (folder = wt_foreign_folder(more, i)); i++)
        is = folder[0] == '/' ? strncmp(path, folder, strlen(folder)) == 0
                              : strstr(path, folder) != NULL;
    return is;
}

enum wt_status wt_foreign_add(struct wt_foreign *more, const char *folder, struct wt_error *err)
{
    char **grown = wt_array_grow(more->folder, &more->capacity, more->count + 1, sizeof(char *)),
         *text;
    const size_t length = strlen(folder);
    if (grown)
        more->folder = grown;
    if (!grown ||
        asprintf(&text, "%s%s", folder, length && folder[length - 1] == '/' ? "" : "/") < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    more->folder[more->count++] = text;
    return WT_OK;
}

void wt_foreign_free(struct wt_foreign *more)
{
    for (size_t i = 0; i < more->count; i++)
        free(more->folder[i]);
    free(more->folder);
    *more = (struct wt_foreign){.count = 0};
}
