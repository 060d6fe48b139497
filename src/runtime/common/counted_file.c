/* See counted_file.h. */
#include "runtime/common/counted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/common/environment.h"

int wt_counted_create(bool counts, struct wt_error *err)
{
    char path[64];
    const struct wt_counted_head head = {.end = WT_COUNTED_PAGE, .counts = counts};
    const int fd = memfd_create("wavetrap-profile", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), fd);
    if (fd >= 0 && !ftruncate(fd, (off_t)WT_COUNTED_PAGE) &&
        pwrite(fd, &head, sizeof head, 0) == sizeof head && !setenv(WT_COUNTED_VARIABLE, path, 1))
        return fd;
    wt_fail(err, WT_NO_MEMORY, "no memory for counts and findings: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* ---- blocks ---- */

static const char *path; /* path of the file; NULL: nobody counts */
static bool counts;      /* counts of instructions are wanted */

static void read_variable(void)
{
    path = getenv(WT_COUNTED_VARIABLE);
    struct wt_counted_head head;
    const int fd = path && *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    counts = fd >= 0 && pread(fd, &head, sizeof head, 0) == sizeof head && head.counts;
    if (fd >= 0)
        close(fd);
}

bool wt_counted_is_wanted(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_variable);
    return path && *path;
}

bool wt_counted_counts(void)
{
    return wt_counted_is_wanted() && counts;
}

static void *map(int fd, uint64_t place, uint64_t size)
{
    void *at = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)place);
    return at == MAP_FAILED ? NULL : at;
}

/* Adds a block to the file, which the file's other writers may do at the same time. */
static struct wt_counted_block *add_in(int fd, uint64_t size, uint64_t *place)
{
    struct wt_counted_head *head = map(fd, 0, WT_COUNTED_PAGE);
    struct wt_counted_block *block = NULL;
    if (!head)
        return NULL;
    *place = atomic_fetch_add(&head->end, size);
    if (!fallocate(fd, 0, (off_t)*place, (off_t)size))
        block = map(fd, *place, size);
    if (!block)
        atomic_store(&head->lost, true);
    munmap(head, WT_COUNTED_PAGE);
    return block;
}

struct wt_counted_block *wt_counted_add_block(enum wt_counted_kind kind, uint64_t length,
                                              uint64_t *place)
{
    const uint64_t size = (sizeof(struct wt_counted_block) + length + WT_COUNTED_PAGE - 1) /
                          WT_COUNTED_PAGE * WT_COUNTED_PAGE;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    struct wt_counted_block *b = fd >= 0 ? add_in(fd, size, place) : NULL;
    if (!b)
        wt_say_once("the kernels of process %ld are not counted or checked: %s: %s", (long)getpid(),
                    path, strerror(errno));
    if (fd >= 0)
        close(fd);
    if (!b)
        return NULL;
    b->size = size;
    b->length = length;
    b->process = getpid();
    b->kind = kind;
    return b;
}

void wt_counted_complete(struct wt_counted_block *b)
{
    atomic_store(&b->magic, WT_COUNTED_MAGIC);
}

uint64_t wt_counted_add_bytes(enum wt_counted_kind kind, const char *gpu, uint32_t device,
                              const void *bytes, uint64_t length)
{
    uint64_t place = 0;
    struct wt_counted_block *b = wt_counted_add_block(kind, length, &place);
    if (!b)
        return 0;
    b->device = device;
    snprintf(b->gpu, sizeof b->gpu, "%s", gpu);
    if (length)
        memcpy(b + 1, bytes, length);
    wt_counted_complete(b);
    munmap(b, b->size);
    return place;
}

struct wt_counted_head *wt_counted_open_head(void)
{
    const int fd = wt_counted_is_wanted() ? open(path, O_RDWR | O_CLOEXEC) : -1;
    struct wt_counted_head *head = fd >= 0 ? map(fd, 0, WT_COUNTED_PAGE) : NULL;
    if (fd >= 0)
        close(fd);
    return head;
}

void wt_counted_opened(void)
{
    struct wt_counted_head *head = wt_counted_open_head();
    if (!head)
        return;
    atomic_store(&head->opened, true);
    munmap(head, WT_COUNTED_PAGE);
}
