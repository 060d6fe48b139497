/* See own_files.h. */
#include "target/own_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/host_program.h"

bool wt_own_folder(const char *const *places, const char *name, char *folder, size_t size)
{
    char self[PATH_MAX], file[3 * PATH_MAX], full[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = 0;
    *strrchr(self, '/') = 0;
    for (; *places; places++) {
        const bool absolute = **places == '/';
        snprintf(file, sizeof file, "%s%s%s", absolute ? "" : self, absolute ? "" : "/", *places);
        if (!realpath(file, full))
            continue;
        snprintf(file, sizeof file, "%s/%s", full, name);
        if (access(file, R_OK) == 0)
            return snprintf(folder, size, "%s", full) < (int)size;
    }
    return false;
}

bool wt_own_driver(const struct wt_family *family, char *folder, size_t size)
{
    /* One that programs may want behind another library of its name is in a folder of its own. */
    char own[PATH_MAX];
    snprintf(own, sizeof own, "%s/%s", WT_HOST_LIBRARY, family->name);
    const char *const places[] = {family->host ? family->host->built_in : NULL, own,
                                  WT_HOST_LIBRARY, NULL};
    return family->host && wt_own_folder(places, family->host->library, folder, size);
}
