/*
 * Memory that the host and GPUs see at once (managed, pinned, shared) and that neither has written.
 * Linux notes the first store to each page that it is asked to follow, the system's own stores for
 * read() and its like among them, which page protection would refuse. An older one says which pages
 * a process has to itself: stores make them so, and loads do not on most systems. A page that
 * something was stored to counts as written as a whole. See init_state.h.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "check/init_state.h"

enum { PAGE = INIT_HOST_PAGE, CHUNK = INIT_HOST_PAGES /* that are looked at together */ };
/* Of a page in the list of the system: it is there, swapped out, of a file, of this process alone.
 */
#define IS_THERE (UINT64_C(1) << 63)
#define IS_SWAPPED (UINT64_C(1) << 62)
#define IS_OF_FILE (UINT64_C(1) << 61)
#define IS_OWN (UINT64_C(1) << 56)

/* An object, and the first and the last one of its pages that are untouched. */
struct untouched_part {
    const void *space;
    uint64_t addr, end; /* the object's range */
    uint64_t first, last;
    bool followed; /* else the list has to tell */
};

static struct untouched_part *parts;
static size_t part_count, part_room;
static uint64_t looked_at; /* pages */
static pid_t process;      /* whose they are */
/* Two pages of the process: something was stored to the first one, the other was only loaded
 * from. */
static volatile unsigned char *known;
static wt_check_say_fn *say;

void init_untouched_say(wt_check_say_fn *how)
{
    say = how;
}

static void tell_blind(void)
{
    if (say)
        say("--check=init does not see what process %ld stores to memory that GPUs see, too "
            "(managed, pinned, shared): from here on such memory counts as written",
            (long)getpid());
}

/* A child of fork() has no memory of its parent's GPUs, and pages of its own. */
static void begin(void)
{
    if (process == getpid())
        return;
    process = getpid();
    part_count = 0;
    void *made = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    known = made == MAP_FAILED ? NULL : made;
    if (known) {
        madvise(made, 2 * PAGE, MADV_NOHUGEPAGE);
        known[0] = 1;
        (void)known[PAGE];
    }
}

static bool is_own(uint64_t entry)
{
    return entry & IS_SWAPPED || (entry & IS_THERE && entry & (IS_OF_FILE | IS_OWN));
}

/* Whether the list tells stores from loads now: not on each system, and not while a child of
 * fork() has the same pages. */
static bool list_tells(int *list)
{
    uint64_t entry[2];
    return known && init_pages_listed(list, (uintptr_t)known / PAGE, 2, entry) &&
           is_own(entry[0]) && !is_own(entry[1]);
}

static bool look_in_list(int *list, uint64_t first, size_t count, bool *written)
{
    uint64_t entry[CHUNK];
    unsigned char there[CHUNK];
    /* A page of a file may be in memory though this process has not accessed it at this address. */
    if (!list_tells(list) || !init_pages_listed(list, first, count, entry) || !list_tells(list) ||
        mincore((void *)(uintptr_t)(first * PAGE), count * PAGE, there))
        return false;
    for (size_t i = 0; i < count; i++)
        written[i] = is_own(entry[i]) || (!(entry[i] & IS_THERE) && there[i] & 1);
    return true;
}

/* Tells of pages of a part whether something may have been stored to them. *list: see
 * init_state.h. False: it is not known. */
static bool look(int *list, const struct untouched_part *p, uint64_t first, size_t count,
                 bool *written)
{
    return p->followed ? init_pages_stored(list, first, count, written)
                       : look_in_list(list, first, count, written);
}

static void close_list(int list)
{
    if (list >= 0)
        close(list);
}

/* Pages [first, end) have been written, as far as they are the object's. */
static void define_pages(const struct untouched_part *p, uint64_t first, uint64_t end)
{
    struct init_space *s = init_memory_of(p->space);
    const uint64_t from = first * PAGE > p->addr ? first * PAGE : p->addr,
                   to = end * PAGE < p->end ? end * PAGE : p->end;
    if (s && from < to && !init_is_defined(s, from, to - from))
        init_define_of_host(p->space, from, to - from);
}

/* Defines what has been written. False: all has been, or it is not known. */
static bool look_at(int *list, struct untouched_part *p)
{
    enum { MOST = 1 << 30 }; /* a program with many launches and much untouched memory gives up */
    uint64_t low = UINT64_MAX, high = 0, run = UINT64_MAX;
    for (uint64_t at = p->first; at <= p->last; at += CHUNK) {
        const size_t count = p->last - at < CHUNK ? (size_t)(p->last - at) + 1 : CHUNK;
        bool written[CHUNK];
        looked_at += count;
        if (looked_at > MOST || !look(list, p, at, count, written)) {
            tell_blind();
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

static bool is_followed(uint64_t page)
{
    for (size_t i = 0; i < part_count; i++)
        if (parts[i].followed && parts[i].first <= page && page <= parts[i].last)
            return true;
    return false;
}

/* Follows pages of a new object; those that another one has, too, are followed already. */
static bool follow(uint64_t first, uint64_t last)
{
    const uint64_t from = first + is_followed(first), end = last + !is_followed(last);
    return from >= end || init_pages_follow(from, end - from);
}

bool init_untouched_made(struct init_space *s, const struct wt_object *object, uint32_t origin)
{
    const uint64_t first = object->addr / PAGE, last = (object->addr + object->size - 1) / PAGE;
    struct untouched_part *grown = wt_array_grow(parts, &part_room, part_count + 1, sizeof *grown);
    if (!grown)
        return false;
    parts = grown;
    begin();
    struct untouched_part *const p = &parts[part_count];
    *p = (struct untouched_part){object->space, object->addr, object->addr + object->size,
                                 first,         last,         follow(first, last)};
    /* Else it is written as a whole by the first store to 2 MiB of it, and not the process's own
     * where another page has the same bytes. */
    if (!p->followed) {
        madvise((void *)(uintptr_t)(first * PAGE), (last - first + 1) * PAGE, MADV_NOHUGEPAGE);
        madvise((void *)(uintptr_t)(first * PAGE), (last - first + 1) * PAGE, MADV_UNMERGEABLE);
    }
    init_undefine(s, object->addr, object->size, origin);
    int list = -1;
    part_count += look_at(&list, p);
    close_list(list);
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
    int list = -1;
    begin();
    for (size_t i = part_count; i-- > 0;)
        if (parts[i].space == space && parts[i].addr <= last && parts[i].end > first &&
            !look_at(&list, &parts[i]))
            drop(i);
    close_list(list);
}

/* Whether something of a page is defined already: kernels have stored there, so that it is written
 * also where the host has stored nothing. */
static bool is_partly_defined(const struct untouched_part *p, uint64_t page)
{
    struct init_space *s = init_memory_of(p->space);
    for (uint64_t at = page * PAGE; s && at < (page + 1) * PAGE; at++)
        if (at >= p->addr && at < p->end && init_is_defined(s, at, 1))
            return true;
    return false;
}

void init_untouched_loaded(const void *space, uint64_t first, uint64_t last)
{
    int list = -1;
    begin();
    for (size_t i = 0; i < part_count; i++) {
        const struct untouched_part *p = &parts[i];
        const uint64_t low = first / PAGE > p->first ? first / PAGE : p->first,
                       high = last / PAGE < p->last ? last / PAGE : p->last;
        bool written[CHUNK];
        if (p->space != space || low > high || high - low >= CHUNK)
            continue;
        if (!look(&list, p, low, (size_t)(high - low) + 1, written)) {
            tell_blind();
            define_pages(p, low, high + 1);
            continue;
        }
        for (uint64_t page = low; page <= high; page++)
            if (written[page - low] && !is_partly_defined(p, page))
                define_pages(p, page, page + 1);
    }
    close_list(list);
}
