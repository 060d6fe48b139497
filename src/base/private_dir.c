/* The folder of the user's own for sockets. See private_dir.h. */
#include "base/private_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum wt_status wt_private_dir(char *path, size_t size, struct wt_error *err)
{
    const char *given = getenv("WAVETRAP_SOCKETS"), *runtime = getenv("XDG_RUNTIME_DIR");
    struct stat st;
    int length;
    if (given && *given)
        length = snprintf(path, size, "%s", given);
    else if (runtime && *runtime)
        length = snprintf(path, size, "%s/wavetrap", runtime);
    else
        length = snprintf(path, size, "/tmp/wavetrap-%u", (unsigned)getuid());
    if (length < 0 || (size_t)length >= size)
        return wt_fail(err, WT_INVALID, "the path of the folder for sockets is too long");
    if (mkdir(path, 0700) && errno != EEXIST)
        return wt_fail(err, WT_IO, "cannot make the folder for sockets, %s: %s", path,
                       strerror(errno));
    if (lstat(path, &st) || !S_ISDIR(st.st_mode) || st.st_uid != getuid() || st.st_mode & 077)
        return wt_fail(err, WT_IO, "%s is not a folder of yours alone (mode 0700)", path);
    return WT_OK;
}

enum wt_status wt_private_socket(char *path, size_t size, int pid, const char *kind,
                                 struct wt_error *err)
{
    enum wt_status status;
    if ((status = wt_private_dir(path, size, err)) != WT_OK)
        return status;
    const size_t used = strlen(path);
    const int length = snprintf(path + used, size - used, "/%d.%s", pid, kind);
    if (length < 0 || (size_t)length >= size - used)
        return wt_fail(err, WT_INVALID, "the path of the folder for sockets is too long");
    return WT_OK;
}
