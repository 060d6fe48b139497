/*
 * Which descriptors are openings of our drivers. close() and dup() may be called anywhere: in
 * signal handlers, in a child of a program with several threads, beside a fork. So the table has no
 * lock: its entries are atomic, and neither they nor the openings are ever freed.
 */
#include "runtime/devfs/devfs.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CHUNK = 1024, CHUNKS = 1024 }; /* descriptors: a million, as the kernel allows by default */

/* An opening, which several descriptors may share; with no references it is free. */
struct opening {
    const struct wt_devfs_driver *driver;
    void *file;
    _Atomic unsigned references;
};

typedef _Atomic(struct opening *) entry;

/* The process has one table of descriptors, so there is one of these. */
static _Atomic(entry *) chunks[CHUNKS];

/* Openings, in blocks that are never freed: someone may still look at one that has ended. */
struct devfs_block {
    struct devfs_block *next;
    struct opening opening[CHUNK];
};
static _Atomic(struct devfs_block *) blocks;

/* A child of vfork() has its parent's memory, but descriptors of its own. */
static _Atomic pid_t owner;

static void take_over(void)
{
    owner = getpid();
}

static __attribute__((constructor)) void begin(void)
{
    take_over();
    pthread_atfork(NULL, NULL, take_over);
}

static bool is_own(void)
{
    return getpid() == owner;
}

const struct wt_devfs_driver *wt_devfs_driver_of(const char *path)
{
    for (size_t i = 0; path && wt_devfs_drivers[i]; i++)
        for (const char *const *prefix = wt_devfs_drivers[i]->prefixes; *prefix; prefix++)
            if (strncmp(path, *prefix, strlen(*prefix)) == 0)
                return wt_devfs_drivers[i];
    return NULL;
}

/* Zeros, by the system call: malloc() is not for signal handlers, and mmap() is a hook. */
static void *fresh(size_t size)
{
    const long memory =
        syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == -1 ? NULL : (void *)memory;
}

/* The entry of a descriptor, which is made if it is not there; NULL: there is no room for it. */
static entry *room_for(int fd)
{
    assert(fd >= 0);
    if (fd >= CHUNK * CHUNKS)
        return NULL;
    _Atomic(entry *) *place = &chunks[fd / CHUNK];
    entry *chunk = *place, *made = NULL;
    if (!chunk) {
        made = fresh(CHUNK * sizeof *made);
        if (made && atomic_compare_exchange_strong(place, &chunk, made))
            chunk = made;
        else if (made)
            syscall(SYS_munmap, made, CHUNK * sizeof *made);
    }
    return chunk ? &chunk[fd % CHUNK] : NULL;
}

/* The entry of a descriptor; NULL: it is no opening. */
static entry *at(int fd)
{
    entry *chunk = fd >= 0 && fd < CHUNK * CHUNKS ? chunks[fd / CHUNK] : NULL;
    return chunk && chunk[fd % CHUNK] ? &chunk[fd % CHUNK] : NULL;
}

/* An opening with one reference. */
static struct opening *new_opening(void)
{
    for (struct devfs_block *b = blocks;; b = blocks) {
        for (; b; b = b->next)
            for (size_t i = 0; i < CHUNK; i++) {
                unsigned none = 0;
                if (!b->opening[i].references &&
                    atomic_compare_exchange_strong(&b->opening[i].references, &none, 1))
                    return &b->opening[i];
            }
        struct devfs_block *made = fresh(sizeof *made);
        if (!made)
            return NULL;
        made->next = blocks;
        while (!atomic_compare_exchange_weak(&blocks, &made->next, made))
            continue;
    }
}

/* Takes one more reference; false: it has ended meanwhile. */
static bool share(struct opening *opening)
{
    unsigned references = opening->references;
    while (references &&
           !atomic_compare_exchange_weak(&opening->references, &references, references + 1))
        continue;
    return references;
}

/* A descriptor of it is gone. */
static void drop(struct opening *opening)
{
    if (!opening)
        return;
    const struct opening was = {.driver = opening->driver, .file = opening->file};
    if (atomic_fetch_sub(&opening->references, 1) == 1)
        was.driver->close(was.file);
}

bool wt_devfs_add(int fd, const struct wt_devfs_driver *driver, void *file)
{
    entry *place = room_for(fd);
    struct opening *opening = place ? new_opening() : NULL;
    if (!opening)
        return false;
    opening->driver = driver;
    opening->file = file;
    drop(atomic_exchange(place, opening)); /* one that was closed by a way that no hook saw */
    return true;
}

const struct wt_devfs_driver *wt_devfs_find(int fd, void **file)
{
    entry *place = at(fd);
    const struct opening *opening = place ? *place : NULL;
    if (!opening)
        return NULL;
    *file = opening->file;
    return opening->driver;
}

bool wt_devfs_duplicate(int fd, int copy)
{
    entry *from = at(fd), *to = at(copy);
    if (fd == copy || (!from && !to) || !is_own())
        return true;
    struct opening *opening = from ? *from : NULL;
    if (opening && !share(opening))
        opening = NULL;
    if (opening && !to && !(to = room_for(copy))) {
        drop(opening);
        return false;
    }
    if (to)
        drop(atomic_exchange(to, opening));
    return true;
}

void wt_devfs_remove(int fd)
{
    entry *place = at(fd);
    if (place && is_own())
        drop(atomic_exchange(place, NULL));
}
