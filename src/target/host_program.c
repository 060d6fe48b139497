/* The environment of host programs. See host_program.h. */
#include "target/host_program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool wt_host_append(const char *variable, char separator, const char *name)
{
    const char *before = getenv(variable);
    char list[2 * PATH_MAX];
    const int n = before && *before ? snprintf(list, sizeof list, "%s%c%s", before, separator, name)
                                    : snprintf(list, sizeof list, "%s", name);
    return n > 0 && (size_t)n < sizeof list && !setenv(variable, list, 1);
}

bool wt_host_find_libraries_in(const char *folder)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    const bool any = before && *before;
    const size_t size = strlen(folder) + (any ? strlen(before) : 0) + 2;
    char *path = malloc(size);
    if (!path)
        return false;
    snprintf(path, size, "%s%s%s", folder, any ? ":" : "", any ? before : "");
    const bool set = !setenv("LD_LIBRARY_PATH", path, 1);
    free(path);
    return set;
}

bool wt_host_preload(const char *folder, const char *name)
{
    char path[2 * PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && (size_t)n < sizeof path && wt_host_append("LD_PRELOAD", ':', path);
}

bool wt_host_preload_calls(const char *folder, const char *name)
{
    return wt_host_preload(folder, name) &&
           !setenv("LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD", "0", 1);
}

bool wt_host_set_or_unset(const char *variable, const char *value)
{
    return !(value ? setenv(variable, value, 1) : unsetenv(variable));
}
