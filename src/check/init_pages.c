/*
 * What Linux tells of a process's pages. See init_state.h; "userfaultfd" and "pagemap, from the
 * userspace perspective" in Linux's documentation.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check/init_state.h"

enum { PAGE = INIT_HOST_PAGE, REGIONS = 64 /* that are told of at once */ };

/* Of Linux 6.7; the headers may be older. A store to a protected page makes it writable at once,
 * whoever stores, the system among them, and it counts as stored to then. */
#define WP_ASYNC (UINT64_C(1) << 15)
enum { IS_STORED = 1 << 1, ALL_MUST_BE_FOLLOWED = 1 << 1 };
struct region {
    uint64_t begin, end, is;
};
struct scan {
    uint64_t size, flags, begin, end, scanned, regions, room, most, inverted, all, any, wanted;
};
#define SCAN _IOWR('f', 16, struct scan)

bool init_pages_follow(uint64_t first, uint64_t count)
{
    /* It stays open, and belongs to the process that has opened it. */
    static int follower = -1;
    static pid_t process;
    if (process != getpid()) {
        struct uffdio_api api = {.api = UFFD_API,
                                 .features = WP_ASYNC | UFFD_FEATURE_WP_HUGETLBFS_SHMEM};
        follower = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
        process = getpid();
        if (follower >= 0 && ioctl(follower, UFFDIO_API, &api)) {
            close(follower);
            follower = -1;
        }
    }
    const struct uffdio_range range = {first * PAGE, count * PAGE};
    return follower >= 0 &&
           !ioctl(follower, UFFDIO_REGISTER,
                  &(struct uffdio_register){.range = range, .mode = UFFDIO_REGISTER_MODE_WP}) &&
           !ioctl(follower, UFFDIO_WRITEPROTECT,
                  &(struct uffdio_writeprotect){range, UFFDIO_WRITEPROTECT_MODE_WP});
}

/* The list of the process's pages, which a child of fork() has its own one of: it is opened where
 * *list is -1. */
static int open_list(int *list)
{
    if (*list < 0)
        *list = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    return *list;
}

bool init_pages_stored(int *list, uint64_t first, size_t count, bool *stored)
{
    struct region region[REGIONS];
    struct scan scan = {.size = sizeof scan,
                        .flags = ALL_MUST_BE_FOLLOWED,
                        .scanned = first * PAGE,
                        .end = (first + count) * PAGE,
                        .regions = (uintptr_t)region,
                        .room = REGIONS,
                        .all = IS_STORED,
                        .wanted = IS_STORED};
    memset(stored, 0, count * sizeof *stored);
    while (scan.scanned < scan.end) {
        scan.begin = scan.scanned;
        const int found = ioctl(open_list(list), SCAN, &scan);
        if (found < 0)
            return false;
        for (int i = 0; i < found; i++)
            memset(stored + (region[i].begin / PAGE - first), true,
                   (region[i].end - region[i].begin) / PAGE);
    }
    return true;
}

bool init_pages_listed(int *list, uint64_t first, size_t count, uint64_t *entry)
{
    const size_t bytes = count * sizeof *entry;
    return pread(open_list(list), entry, bytes, (off_t)(first * sizeof *entry)) == (ssize_t)bytes;
}
