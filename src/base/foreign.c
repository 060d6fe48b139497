/* See foreign.h. */
#include "base/foreign.h"

#include <stddef.h>
#include <string.h>

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
    NULL,
};

bool wt_is_foreign(const char *path)
{
    for (size_t i = 0; folders[i] && path; i++)
        if (folders[i][0] == '/' ? strncmp(path, folders[i], strlen(folders[i])) == 0
                                 : strstr(path, folders[i]) != NULL)
            return true;
    return false;
}
