/* See token.h. */
#include "base/token.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/private_dir.h"
#include "base/text.h"

enum { DIGITS = 2 * WT_TOKEN_BYTES };

enum wt_status wt_token_path(char *path, size_t size, struct wt_error *err)
{
    const enum wt_status status = wt_private_dir(path, size, err);
    if (status)
        return status;
    const size_t used = strlen(path);
    return snprintf(path + used, size - used, "/token") < (int)(size - used)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "the path of the folder for sockets is too long");
}

bool wt_token_text(char *text, size_t size)
{
    uint8_t token[WT_TOKEN_BYTES];
    assert(size <= sizeof token);
    if (getrandom(token, size, 0) != (ssize_t)size)
        return false;
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", token[i]);
    return true;
}

static bool write_token(int fd)
{
    char text[DIGITS + 2];
    if (!wt_token_text(text, WT_TOKEN_BYTES))
        return false;
    text[DIGITS] = '\n';
    return write(fd, text, DIGITS + 1) == DIGITS + 1;
}

/* The file has its name once it is whole: two programs may make it at once. */
enum wt_status wt_token_make(const char *path, struct wt_error *err)
{
    char made[4096];
    struct stat st;
    if (lstat(path, &st) == 0)
        return WT_OK;
    if (snprintf(made, sizeof made, "%s.XXXXXX", path) >= (int)sizeof made)
        return wt_fail(err, WT_INVALID, "the path of the token's file is too long");
    const int fd = mkostemp(made, O_CLOEXEC); /* its mode is 0600 */
    if (fd < 0)
        return wt_fail(err, WT_IO, "the token's file %.300s: %s", path, strerror(errno));
    const bool good = write_token(fd) && (link(made, path) == 0 || errno == EEXIST);
    const int why = errno;
    close(fd);
    unlink(made);
    return good ? WT_OK : wt_fail(err, WT_IO, "the token's file %.300s: %s", path, strerror(why));
}

static enum wt_status check_file(const struct stat *st, const char *path, struct wt_error *err)
{
    if (!S_ISREG(st->st_mode))
        return wt_fail(err, WT_IO, "%.300s is not a file with a token", path);
    if (st->st_uid != getuid())
        return wt_fail(err, WT_IO, "the token in %.300s is not used: it belongs to user %u", path,
                       (unsigned)st->st_uid);
    if (st->st_mode & 077)
        return wt_fail(err, WT_IO,
                       "the token in %.300s is not used: other users may read it (mode %04o; "
                       "'chmod 600' makes it yours)",
                       path, (unsigned)st->st_mode & 07777);
    return WT_OK;
}

enum wt_status wt_token_read(const char *path, uint8_t token[WT_TOKEN_BYTES], struct wt_error *err)
{
    char text[DIGITS + 2];
    struct stat st;
    uint8_t *bytes = NULL;
    size_t length = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st)) {
        const int why = errno;
        if (fd >= 0)
            close(fd);
        return wt_fail(err, WT_IO, "the token's file %.300s: %s", path, strerror(why));
    }
    const enum wt_status status = check_file(&st, path, err);
    const ssize_t got = status ? 0 : read(fd, text, sizeof text);
    close(fd);
    if (status)
        return status;
    const bool whole = got == DIGITS || (got == DIGITS + 1 && text[DIGITS] == '\n');
    text[whole ? DIGITS : 0] = 0;
    if (wt_parse_bytes(text, &bytes, &length, WT_IGNORED) || length != WT_TOKEN_BYTES) {
        free(bytes);
        return wt_fail(err, WT_INVALID, "%.300s has no token: %d hexadecimal digits", path,
                       (int)DIGITS);
    }
    memcpy(token, bytes, WT_TOKEN_BYTES);
    free(bytes);
    return WT_OK;
}

bool wt_token_equal(const uint8_t one[WT_TOKEN_BYTES], const uint8_t other[WT_TOKEN_BYTES])
{
    unsigned differences = 0;
    for (unsigned i = 0; i < WT_TOKEN_BYTES; i++)
        differences |= one[i] ^ other[i];
    return !differences;
}
