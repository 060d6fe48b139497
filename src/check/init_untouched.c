/*
 * Memory that the host and GPUs see at once (managed, pinned, shared) and that neither has written.
 * Nobody sees a store of the host, but the system knows of each page whether something has been
 * stored there (Linux, "pagemap, from the userspace perspective"). A page that something was stored
 * to counts as written as a whole. See init_state.h.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "check/init_state.h"

enum { PAGE = 4096, CHUNK = 512 /* pages that are looked at together */ };
/* Of a page in the list of the system: it is there, swapped out, of a file, of this process alone.
 * A page that was only loaded from is the system's page of zeros, and has neither of the last two.
 */
#define IS_THERE (UINT64_C(1) << 63)
#define IS_SWAPPED (UINT64_C(1) << 62)
#define IS_OF_FILE (UINT64_C(1) << 61)
#define IS_OWN (UINT64_C(1) << 56)

/* An object, and the first and the last one of its pages that are untouched. */
struct part {
    const void *space;
    uint64_t addr, end; /* of the object */
    uint64_t first, last;
};

static struct part *parts;
static size_t part_count, part_room;
static uint64_t looked_at; /* pages */

/* Opens the list of the process's pages. A child of fork() has its own one, so that it does not
 * stay open. */
static int open_pages(void)
{
    return open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

static void close_pages(int pages)
{
    if (pages >= 0)
        close(pages);
}

/* Tells of pages whether something may have been stored to them. *pages is the list of the
 * process's pages, -1 until the first look. False: it is not known. */
static bool look(int *pages, uint64_t first, size_t count, bool *written)
{
    uint64_t entry[CHUNK];
    unsigned char there[CHUNK];
    const size_t bytes = count * sizeof *entry;
    if (*pages < 0)
        *pages = open_pages();
    const bool ok = *pages >= 0 &&
                    pread(*pages, entry, bytes, (off_t)(first * sizeof *entry)) == (ssize_t)bytes;
    /* A page of a file may be in memory though this process has not accessed it at this address. */
    if (!ok || mincore((void *)(uintptr_t)(first * PAGE), count * PAGE, there))
        return false;
    for (size_t i = 0; i < count; i++)
        written[i] = entry[i] & IS_SWAPPED ||
                     (entry[i] & IS_THERE ? entry[i] & (IS_OF_FILE | IS_OWN) : there[i] & 1);
    return true;
}

/* Pages [first, end) have been written, as far as they are the object's. */
static void define_pages(const struct part *p, uint64_t first, uint64_t end)
{
    struct init_space *s = init_memory_of(p->space);
    const uint64_t from = first * PAGE > p->addr ? first * PAGE : p->addr,
                   to = end * PAGE < p->end ? end * PAGE : p->end;
    if (s && from < to && !init_is_defined(s, from, to - from))
        init_define_of_host(p->space, from, to - from);
}

/* Defines what has been written. False: all has been, or it is not known. */
static bool look_at(int *pages, struct part *p)
{
    enum { MOST = 1 << 26 }; /* a program with many launches and much untouched memory gives up */
    uint64_t low = UINT64_MAX, high = 0, run = UINT64_MAX;
    for (uint64_t at = p->first; at <= p->last; at += CHUNK) {
        const size_t count = p->last - at < CHUNK ? (size_t)(p->last - at) + 1 : CHUNK;
        bool written[CHUNK];
        looked_at += count;
        if (looked_at > MOST || !look(pages, at, count, written)) {
            define_pages(p, p->first, p->last + 1);
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            if (written[i] && run == UINT64_MAX)
                run = at + i;
            if (written[i])
                continue;
            if (run != UINT64_MAX)
                define_pages(p, run, at + i);
            run = UINT64_MAX;
            low = at + i < low ? at + i : low;
            high = at + i;
        }
    }
    if (run != UINT64_MAX)
        define_pages(p, run, p->last + 1);
    p->first = low;
    p->last = high;
    return low <= high;
}

static void drop(size_t i)
{
    parts[i] = parts[--part_count];
}

/* Pages of a process are not its own alone behind fork(), so that nothing is known of them. */
static void give_up(void)
{
    init_lock();
    for (size_t i = 0; i < part_count; i++)
        define_pages(&parts[i], parts[i].first, parts[i].last + 1);
    part_count = 0;
    init_unlock();
}

bool init_untouched_made(struct init_space *s, const struct wt_object *object, uint32_t origin)
{
    static bool follows_forks;
    const uint64_t last = (object->addr + object->size - 1) / PAGE;
    struct part *grown = wt_array_grow(parts, &part_room, part_count + 1, sizeof *grown);
    if (!grown || (!follows_forks && pthread_atfork(give_up, NULL, NULL)))
        return false;
    follows_forks = true;
    parts = grown;
    struct part *const p = &parts[part_count];
    *p = (struct part){object->space, object->addr, object->addr + object->size,
                       object->addr / PAGE, last};
    /* Else it is written as a whole by the first store to 2 MiB of it. */
    madvise((void *)(uintptr_t)(p->first * PAGE), (last - p->first + 1) * PAGE, MADV_NOHUGEPAGE);
    init_undefine(s, object->addr, object->size, origin);
    int pages = -1;
    part_count += look_at(&pages, p);
    close_pages(pages);
    return true;
}

void init_untouched_freed(const void *space, uint64_t addr)
{
    for (size_t i = 0; i < part_count; i++)
        if (parts[i].space == space && parts[i].addr == addr) {
            drop(i);
            return;
        }
}

void init_untouched_look(const void *space, uint64_t first, uint64_t last)
{
    int pages = -1;
    for (size_t i = part_count; i-- > 0;)
        if (parts[i].space == space && parts[i].addr <= last && parts[i].end > first &&
            !look_at(&pages, &parts[i]))
            drop(i);
    close_pages(pages);
}

/* Whether something of a page is defined already: kernels have stored there, so that it is written
 * also where the host has stored nothing. */
static bool is_partly_defined(const struct part *p, uint64_t page)
{
    struct init_space *s = init_memory_of(p->space);
    for (uint64_t at = page * PAGE; s && at < (page + 1) * PAGE; at++)
        if (at >= p->addr && at < p->end && init_is_defined(s, at, 1))
            return true;
    return false;
}

void init_untouched_loaded(const void *space, uint64_t first, uint64_t last)
{
    int pages = -1;
    for (size_t i = 0; i < part_count; i++) {
        const struct part *p = &parts[i];
        const uint64_t low = first / PAGE > p->first ? first / PAGE : p->first,
                       high = last / PAGE < p->last ? last / PAGE : p->last;
        bool written[CHUNK];
        if (p->space != space || low > high || high - low >= CHUNK ||
            !look(&pages, low, (size_t)(high - low) + 1, written))
            continue;
        for (uint64_t page = low; page <= high; page++)
            if (written[page - low] && !is_partly_defined(p, page))
                define_pages(p, page, page + 1);
    }
    close_pages(pages);
}
