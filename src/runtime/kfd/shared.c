/* Memory that several processes have. See shared.h. */
#include "runtime/kfd/shared.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC 0x4d535457u /* "WTSM" */
enum { PAGE = 4096, PIECE = 1 << 16 };

static bool is_zero(const uint8_t *bytes, uint64_t size)
{
    return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

/* Parts that were never written stay holes. */
static bool fill(int fd, const uint8_t *from, uint64_t size)
{
    for (uint64_t at = 0, part; at < size; at += part) {
        part = size - at < PIECE ? size - at : PIECE;
        if (is_zero(from + at, part))
            continue;
        for (uint64_t done = 0; done < part;) {
            const ssize_t put = pwrite(fd, from + at + done, part - done, (off_t)(at + done));
            if (put <= 0)
                return false;
            done += (uint64_t)put;
        }
    }
    return true;
}

int host_share(void *at, uint64_t size, const char *name)
{
    const int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    if (!ftruncate(fd, (off_t)size) && fill(fd, at, size) &&
        mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED)
        return fd;
    close(fd);
    return -1;
}

bool host_shared_describe(int fd, uint64_t size, struct host_shared_handle *handle)
{
    struct stat s;
    if (fstat(fd, &s) || size / PAGE > UINT32_MAX)
        return false;
    *handle = (struct host_shared_handle){.magic = MAGIC,
                                          .pid = (uint32_t)getpid(),
                                          .fd = (uint32_t)fd,
                                          .pages = (uint32_t)(size / PAGE),
                                          .inode = (uint64_t)s.st_ino};
    return true;
}

int host_shared_open(const struct host_shared_handle *handle)
{
    char path[64];
    struct stat s;
    if (handle->magic != MAGIC)
        return -1;
    snprintf(path, sizeof path, "/proc/%u/fd/%u", handle->pid, handle->fd);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -1;
    /* The number may have become another file's. */
    if (!fstat(fd, &s) && (uint64_t)s.st_ino == handle->inode &&
        (uint64_t)s.st_size == (uint64_t)handle->pages * PAGE)
        return fd;
    close(fd);
    return -1;
}
