/* Reading whole files. See file.h. */
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"

enum wt_status wt_file_read_fd(int fd, const char *path, uint8_t **bytes, size_t *length,
                               struct wt_error *err)
{
    enum { FIRST = 65536 };
    uint8_t *buffer = NULL;
    size_t capacity = 0, have = 0;
    enum wt_status status = WT_OK;
    for (;;) {
        uint8_t *grown = wt_array_grow(buffer, &capacity, have ? have + 1 : FIRST, 1);
        if (!grown) {
            status = wt_fail(err, WT_NO_MEMORY, "%s: no host memory for the file", path);
            break;
        }
        buffer = grown;
        const ssize_t got = read(fd, buffer + have, capacity - have);
        if (got == 0)
            break;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            status = wt_fail(err, WT_IO, "%s: cannot read: %s", path, strerror(errno));
            break;
        }
        have += (size_t)got;
        if (have > WT_FILE_MAX_BYTES) {
            status = wt_fail(err, WT_INVALID, "%s: the file has more than 1 GiB", path);
            break;
        }
    }
    if (status) {
        free(buffer);
        return status;
    }
    assert(have < capacity); /* there was room for more when the end was reached */
    buffer[have] = 0;
    *bytes = buffer;
    *length = have;
    return WT_OK;
}

enum wt_status wt_file_read(const char *path, uint8_t **bytes, size_t *length, struct wt_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return wt_fail(err, WT_IO, "%s: cannot open: %s", path, strerror(errno));
    const enum wt_status status = wt_file_read_fd(fd, path, bytes, length, err);
    close(fd);
    return status;
}

size_t wt_file_begin(const char *path, void *bytes, size_t size)
{
    struct stat info;
    if (stat(path, &info) || !S_ISREG(info.st_mode))
        return 0;
    FILE *file = fopen(path, "rb");
    const size_t length = file ? fread(bytes, 1, size, file) : 0;
    if (file)
        fclose(file);
    return length;
}

enum wt_status wt_file_name(const char *pattern, unsigned number, char *name, size_t size,
                            struct wt_error *err)
{
    return wt_file_name_of(pattern, (long)getpid(), number, name, size, err);
}

bool wt_file_in_folders(const char *folders, const char *name, int mode, char *path, size_t size)
{
    while (folders && *folders) {
        const size_t length = strcspn(folders, ":");
        if (length && snprintf(path, size, "%.*s/%s", (int)length, folders, name) < (int)size &&
            access(path, mode) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

enum wt_status wt_file_name_of(const char *pattern, long process, unsigned number, char *name,
                               size_t size, struct wt_error *err)
{
    struct wt_text text = {name, size};
    for (const char *p = pattern; *p && text.left > 1; p++) {
        if (*p != '%' || p[1] == '%')
            wt_text_add(&text, "%c", *p);
        else if (p[1] == 'p')
            wt_text_add(&text, "%ld", process);
        else if (p[1] == 'n')
            wt_text_add(&text, "%u", number);
        else
            return wt_fail(err, WT_INVALID,
                           "%.200s: '%%%.1s' in a file's name: %%p is the process's id, %%n the "
                           "number of the file, %%%% a '%%'",
                           pattern, p + 1);
        p += *p == '%';
    }
    return text.left > 1 ? WT_OK
                         : wt_fail(err, WT_INVALID, "%.200s: the name is too long", pattern);
}

enum wt_status wt_file_whole_name(const char *value, char whole[PATH_MAX], char name[PATH_MAX],
                                  struct wt_error *err)
{
    char folder[PATH_MAX] = "";
    if (!*value)
        return wt_fail(err, WT_INVALID, "it takes the name of a file");
    if (*value != '/' && !getcwd(folder, sizeof folder))
        return wt_fail(err, WT_IO, "the folder of %.200s: %s", value, strerror(errno));
    if (snprintf(whole, PATH_MAX, "%s%s%s", folder, *folder ? "/" : "", value) >= PATH_MAX)
        return wt_fail(err, WT_INVALID, "%.200s: the name is too long", value);
    return wt_file_name(whole, 1, name, PATH_MAX, err);
}

enum wt_status wt_file_make(const char *value, char whole[PATH_MAX], struct wt_error *err)
{
    char name[PATH_MAX];
    struct stat st;
    const enum wt_status status = wt_file_whole_name(value, whole, name, err);
    if (status || (!stat(name, &st) && S_ISFIFO(st.st_mode)))
        return status;
    FILE *file = fopen(name, "we");
    if (!file || fclose(file))
        return wt_fail(err, WT_IO, "%.400s: cannot be written: %s", value, strerror(errno));
    if (strcmp(whole, name) != 0)
        unlink(name);
    return WT_OK;
}
