/* Whole files. See file.h. */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum wt_status wt_file_read(const char *path, uint8_t **bytes, size_t *length, struct wt_error *err)
{
    *bytes = NULL;
    *length = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return wt_fail(err, WT_IO, "%s: cannot open: %s", path, strerror(errno));
    enum wt_status status = WT_OK;
    size_t room = 65536, have = 0;
    uint8_t *buffer = malloc(room);
    errno = 0;
    while (buffer) {
        have += fread(buffer + have, 1, room - have, file);
        if (have < room)
            break;
        room *= 2;
        uint8_t *grown = room <= WT_FILE_MAX ? realloc(buffer, room) : NULL;
        if (!grown)
            free(buffer);
        buffer = grown;
    }
    if (!buffer)
        status = wt_fail(err, WT_NO_MEMORY, "%s: too large (it must be below 1 GiB)", path);
    else if (ferror(file))
        status = wt_fail(err, WT_IO, "%s: cannot read: %s", path, strerror(errno ? errno : EIO));
    fclose(file);
    if (status) {
        free(buffer);
        return status;
    }
    *bytes = buffer;
    *length = have;
    return WT_OK;
}
