/* Files that get their name once they are whole. See whole_file.h. */
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/private_dir.h"

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISBLK(mode)  ? "a disk"
                            : "a device";
}

static enum wt_status no_file(const char *path, mode_t mode, struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "%s: cannot create: %s is there, and only a file is replaced",
                   path, kind_of(mode));
}

/* Finds out what is at the path. */
static enum wt_status look(struct wt_whole_file *file, const char *path, struct wt_error *err)
{
    struct stat there;
    char *real = NULL;
    file->device = -1;
    if (strlen(path) >= sizeof file->path)
        return wt_fail(err, WT_INVALID, "the file's path is too long");
    strcpy(file->path, path);
    if (stat(path, &there) != 0) {
        if (lstat(path, &there) == 0)
            return wt_fail(err, WT_INVALID, "%s: cannot create: it is a link to nothing", path);
        return errno == ENOENT
                   ? WT_OK
                   : wt_fail(err, WT_IO, "%s: cannot create: %s", path, strerror(errno));
    }
    if (S_ISREG(there.st_mode)) {
        real = realpath(path, NULL);
        if (!real)
            return wt_fail(err, WT_IO, "%s: cannot create: %s", path, strerror(errno));
        snprintf(file->path, sizeof file->path, "%s", real);
        free(real);
        return WT_OK;
    }
    if (!S_ISCHR(there.st_mode))
        return no_file(path, there.st_mode, err);
    file->device = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    return file->device < 0 ? wt_fail(err, WT_IO, "%s: cannot write: %s", path, strerror(errno))
                            : WT_OK;
}

enum wt_status wt_whole_file_begin(struct wt_whole_file *file, const char *path,
                                   struct wt_error *err)
{
    const char *folder = wt_temporary_folder();
    enum wt_status status = look(file, path, err);
    if (status)
        return status;
    if (file->device >= 0)
        snprintf(file->part, sizeof file->part, "%s/wavetrap-XXXXXX",
                 strlen(folder) < PATH_MAX - 16 ? folder : "/tmp");
    else
        snprintf(file->part, sizeof file->part, "%s.XXXXXX", file->path);
    file->fd = mkostemp(file->part, O_CLOEXEC);
    if (file->fd < 0) {
        const int why = errno;
        if (file->device >= 0)
            close(file->device);
        return wt_fail(err, WT_IO, "%s: cannot create: %s", path, strerror(why));
    }
    fchmod(file->fd, 0600);
    return WT_OK;
}

/* Writes all of the file to the device. */
static bool copy(const struct wt_whole_file *file)
{
    char bytes[1 << 16];
    ssize_t got;
    off_t at = 0;
    while ((got = pread(file->fd, bytes, sizeof bytes, at)) > 0) {
        for (ssize_t sent = 0, put; sent < got; sent += put) {
            put = write(file->device, bytes + sent, (size_t)(got - sent));
            if (put < 0 && errno == EINTR)
                put = 0;
            if (put < 0)
                return false;
        }
        at += got;
    }
    return got == 0;
}

enum wt_status wt_whole_file_finish(struct wt_whole_file *file, struct wt_error *err)
{
    struct stat there;
    enum wt_status status = WT_OK;
    if (file->device >= 0) {
        if (!copy(file))
            status = wt_fail(err, WT_IO, "%s: cannot write: %s", file->path, strerror(errno));
        wt_whole_file_give_up(file);
        return status;
    }
    if (close(file->fd) != 0)
        status = wt_fail(err, WT_IO, "%s: cannot write: %s", file->path, strerror(errno));
    /* Something else may have come there meanwhile. */
    else if (lstat(file->path, &there) == 0 && !S_ISREG(there.st_mode))
        status = no_file(file->path, there.st_mode, err);
    else if (rename(file->part, file->path) != 0)
        status = wt_fail(err, WT_IO, "%s: cannot create: %s", file->path, strerror(errno));
    if (status)
        unlink(file->part);
    return status;
}

void wt_whole_file_give_up(struct wt_whole_file *file)
{
    close(file->fd);
    unlink(file->part);
    if (file->device >= 0)
        close(file->device);
    file->device = -1;
}
