/*
 * vFile: gives the program's file, read-only, to clients that have none of their own (GDB manual,
 * "Host I/O Packets"). It is the file that was loaded, even if its path names another file by now:
 * the session keeps it open.
 */
#include "frontend/rsp/session.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/rsp/hex.h"

/* errno as the protocol numbers it ("Errno Values"), and its O_RDONLY. */
enum {
    FILE_EPERM = 1,
    FILE_ENOENT = 2,
    FILE_EBADF = 9,
    FILE_EACCES = 13,
    FILE_EINVAL = 22,
    FILE_EUNKNOWN = 9999,
};
#define FILE_RDONLY 0u

/* The only file descriptor that is ever handed out. */
#define HANDLE 3u

static void fail(struct wt_rsp_session *s, unsigned number)
{
    wt_put_format(&s->out, "F-1,%x", number);
}

static void file_setfs(struct wt_rsp_session *s, const char *text, size_t length)
{
    /* All processes, of which there is one, see the same files. */
    wt_put_text(&s->out, "F0");
}

static void file_open(struct wt_rsp_session *s, const char *text, size_t length)
{
    struct wt_rsp_args args;
    char path[4096];
    if (!wt_rsp_parse("%s,%x,%x", text, length, &args) || args.arg[0].length % 2 ||
        args.arg[0].length / 2 >= sizeof path ||
        wt_hex_decode(path, args.arg[0].text, args.arg[0].length / 2) != args.arg[0].length / 2) {
        fail(s, FILE_EINVAL);
        return;
    }
    path[args.arg[0].length / 2] = 0;
    if (!s->program || strlen(path) != args.arg[0].length / 2 || strcmp(path, s->program) != 0) {
        fail(s, FILE_ENOENT);
        return;
    }
    if (args.arg[1].number != FILE_RDONLY) {
        fail(s, FILE_EACCES);
        return;
    }
    s->file_open = true;
    wt_put_format(&s->out, "F%x", HANDLE);
}

static bool is_open(struct wt_rsp_session *s, uint64_t handle)
{
    if (handle == HANDLE && s->file_open)
        return true;
    fail(s, FILE_EBADF);
    return false;
}

static void file_pread(struct wt_rsp_session *s, const char *text, size_t length)
{
    struct wt_rsp_args args;
    if (!wt_rsp_parse("%x,%x,%x", text, length, &args) || args.arg[2].number > INT64_MAX) {
        fail(s, FILE_EINVAL);
        return;
    }
    if (!is_open(s, args.arg[0].number))
        return;
    /* An escaped byte may take two. */
    size_t size = WT_PACKET_SIZE / 2 - 16;
    if (args.arg[1].number < size)
        size = (size_t)args.arg[1].number;
    ssize_t got = pread(s->file, s->scratch, size, (off_t)args.arg[2].number);
    if (got < 0) {
        fail(s, FILE_EUNKNOWN);
        return;
    }
    wt_put_format(&s->out, "F%zx;", (size_t)got);
    wt_put_binary(&s->out, s->scratch, (size_t)got);
}

static void store_be(uint8_t *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
}

static void file_fstat(struct wt_rsp_session *s, const char *text, size_t length)
{
    struct wt_rsp_args args;
    struct stat st;
    if (!wt_rsp_parse("%x", text, length, &args)) {
        fail(s, FILE_EINVAL);
        return;
    }
    if (!is_open(s, args.arg[0].number))
        return;
    if (fstat(s->file, &st)) {
        fail(s, FILE_EUNKNOWN);
        return;
    }
    /* "struct stat" of the File-I/O extension: big-endian, 64 bytes. */
    uint8_t out[64] = {0};
    store_be(out + 0, 0, 4); /* st_dev: 0 is a file */
    store_be(out + 4, (uint64_t)st.st_ino, 4);
    store_be(out + 8, 0100000 | (st.st_mode & 0777), 4);
    store_be(out + 12, 1, 4); /* st_nlink */
    store_be(out + 28, (uint64_t)st.st_size, 8);
    store_be(out + 36, 4096, 8); /* st_blksize */
    store_be(out + 44, ((uint64_t)st.st_size + 511) / 512, 8);
    store_be(out + 52, (uint64_t)st.st_atime, 4);
    store_be(out + 56, (uint64_t)st.st_mtime, 4);
    store_be(out + 60, (uint64_t)st.st_ctime, 4);
    wt_put_format(&s->out, "F%zx;", sizeof out);
    wt_put_binary(&s->out, out, sizeof out);
}

static void file_close(struct wt_rsp_session *s, const char *text, size_t length)
{
    struct wt_rsp_args args;
    if (!wt_rsp_parse("%x", text, length, &args)) {
        fail(s, FILE_EINVAL);
        return;
    }
    if (!is_open(s, args.arg[0].number))
        return;
    s->file_open = false;
    wt_put_text(&s->out, "F0");
}

static void file_readlink(struct wt_rsp_session *s, const char *text, size_t length)
{
    fail(s, FILE_EINVAL); /* readlink's error for a file that is no link */
}

static void file_forbidden(struct wt_rsp_session *s, const char *text, size_t length)
{
    fail(s, FILE_EPERM);
}

static const struct {
    const char *name;
    void (*handle)(struct wt_rsp_session *s, const char *text, size_t length);
} operations[] = {
    {"setfs", file_setfs},      {"open", file_open},        {"pread", file_pread},
    {"fstat", file_fstat},      {"close", file_close},      {"readlink", file_readlink},
    {"pwrite", file_forbidden}, {"unlink", file_forbidden},
};

void wt_rsp_vfile(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    const struct wt_rsp_arg *name = &args->arg[0], *rest = &args->arg[1];
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strlen(operations[i].name) == name->length &&
            memcmp(operations[i].name, name->text, name->length) == 0) {
            operations[i].handle(s, rest->text, rest->length);
            return;
        }
    }
    /* An unknown operation gets an empty reply. */
}
