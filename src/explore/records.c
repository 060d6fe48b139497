/* See records.h. */
#include "explore/records.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#define FIRST "wavetrap search 2 %016" PRIx64 "\n"
enum { FIRST_BYTES = 35, SAME_BYTES = 18 };

/* Before each record. */
struct head {
    uint64_t length, hash;
};

static enum wt_status failed(const struct explore_records *r, const char *what,
                             struct wt_error *err)
{
    return wt_fail(err, WT_IO, "%s: cannot %s: %s", r->path, what,
                   errno ? strerror(errno) : "the disk is full");
}

static enum wt_status begin(struct explore_records *r, uint64_t command, struct wt_error *err)
{
    char first[FIRST_BYTES + 1], there[FIRST_BYTES];
    snprintf(first, sizeof first, FIRST, command);
    const ssize_t got = pread(r->fd, there, FIRST_BYTES, 0);
    if (got < 0)
        return failed(r, "read", err);
    if (memcmp(there, first, (size_t)got) != 0)
        return wt_fail(err, WT_INVALID, "%s: it is %s", r->path,
                       got >= SAME_BYTES && memcmp(there, first, SAME_BYTES) == 0
                           ? "the state of another command, or of another program: give another "
                             "file, or remove it"
                           : "no state file of 'wavetrap explore --systematic'");
    errno = 0;
    if (got < FIRST_BYTES &&
        (ftruncate(r->fd, 0) || pwrite(r->fd, first, FIRST_BYTES, 0) != FIRST_BYTES))
        return failed(r, "write", err);
    r->at = FIRST_BYTES;
    return WT_OK;
}

enum wt_status explore_records_open(struct explore_records *r, const char *path, uint64_t command,
                                    struct wt_error *err)
{
    *r = (struct explore_records){open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666), path, 0};
    if (r->fd < 0)
        return failed(r, "open", err);
    enum wt_status status = WT_OK;
    /* A lock of this process alone, not of children that outlive it for a moment. */
    if (fcntl(r->fd, F_SETLK, &(struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET}))
        status = wt_fail(err, WT_INVALID, "%s: another process uses it", path);
    if (!status)
        status = begin(r, command, err);
    if (status)
        explore_records_close(r);
    return status;
}

enum wt_status explore_records_next(struct explore_records *r, struct explore_record *record,
                                    struct wt_error *err)
{
    struct head head;
    *record = (struct explore_record){NULL, 0};
    const off_t size = lseek(r->fd, 0, SEEK_END);
    if (size < 0 || (uint64_t)size < r->at)
        return failed(r, "read", err);
    const uint64_t left = (uint64_t)size - r->at;
    const bool whole = left >= sizeof head &&
                       pread(r->fd, &head, sizeof head, (off_t)r->at) == (ssize_t)sizeof head &&
                       head.length <= left - sizeof head;
    if (!whole)
        return ftruncate(r->fd, (off_t)r->at) ? failed(r, "write", err) : WT_OK;
    uint8_t *bytes = malloc(head.length ? head.length : 1);
    if (!bytes)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (pread(r->fd, bytes, head.length, (off_t)(r->at + sizeof head)) != (ssize_t)head.length ||
        XXH3_64bits(bytes, head.length) != head.hash) {
        free(bytes);
        return wt_fail(err, WT_INVALID, "%s: the record at byte %" PRIu64 " is damaged", r->path,
                       r->at);
    }
    *record = (struct explore_record){bytes, head.length};
    r->at += sizeof head + head.length;
    return WT_OK;
}

enum wt_status explore_records_add(struct explore_records *r, const struct explore_record *record,
                                   struct wt_error *err)
{
    const struct head head = {record->length, XXH3_64bits(record->bytes, record->length)};
    const size_t size = sizeof head + record->length;
    uint8_t *whole = malloc(size);
    if (!whole)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    memcpy(whole, &head, sizeof head);
    memcpy(whole + sizeof head, record->bytes, record->length);
    errno = 0;
    const ssize_t done = pwrite(r->fd, whole, size, (off_t)r->at);
    free(whole);
    if (done != (ssize_t)size)
        return failed(r, "write", err);
    r->at += size;
    return WT_OK;
}

void explore_records_close(struct explore_records *r)
{
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
}
