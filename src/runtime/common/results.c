/* See results.h. Addresses do not count: an allocation is the process's first, second, … one. */
#include "runtime/common/results.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/array.h"
#include "check/objects.h"
#include "runtime/common/host_pages.h"
#include "runtime/common/own_memory.h"

static _Atomic(wt_results_read_fn *) reads;
static _Atomic uint64_t counted; /* objects up to this number */

bool wt_results_are_wanted(void)
{
    const char *path = getenv(WT_RESULTS_VARIABLE);
    return path && *path;
}

void wt_results_set_read(wt_results_read_fn *read)
{
    reads = read;
}

static bool read_memory(const void *space, uint64_t addr, uint8_t *bytes, size_t size)
{
    wt_results_read_fn *read = reads;
    return (!space && wt_own_memory_read(addr, bytes, size)) ||
           (read && read(space, addr, bytes, size));
}

/* A variable of a module of the program. Those of runtimes have names that are reserved for them;
 * names with blanks are none of variables. */
static bool is_variable(const struct wt_object *o)
{
    static const char *const others[] = {"__", "gomp_", "omp_", "GOMP_", "the "};
    bool own = *o->name && !*o->by && !o->space && !o->read_only;
    for (size_t i = 0; i < sizeof others / sizeof *others && own; i++)
        own = strncmp(o->name, others[i], strlen(others[i])) != 0;
    return own;
}

static uint64_t hash_of(const struct wt_object *o)
{
    const uint64_t is[] = {o->allocation, o->size,
                           is_variable(o) ? XXH3_64bits(o->name, strlen(o->name)) : 0};
    uint64_t hash = XXH3_64bits(is, sizeof is);
    uint8_t bytes[4096];
    for (uint64_t at = 0; at < o->size; at += sizeof bytes) {
        const size_t part = o->size - at < sizeof bytes ? (size_t)(o->size - at) : sizeof bytes;
        if (!read_memory(o->space, o->addr + at, bytes, part))
            return 0;
        hash = XXH3_64bits_withSeed(bytes, part, hash);
    }
    return hash;
}

static void add(uint64_t hash)
{
    const int fd = open(getenv(WT_RESULTS_VARIABLE), O_RDWR | O_CLOEXEC);
    uint64_t sum = 0;
    if (fd < 0 || flock(fd, LOCK_EX)) {
        if (fd >= 0)
            close(fd);
        return;
    }
    if (pread(fd, &sum, sizeof sum, 0) == (ssize_t)sizeof sum)
        hash += sum;
    hash += !hash; /* 0: nothing is known */
    (void)!pwrite(fd, &hash, sizeof hash, 0);
    close(fd);
}

static bool counts(const struct wt_object *o)
{
    return ((o->allocation && *o->by) || is_variable(o)) && o->size && o->process == getpid() &&
           o->number > counted && (!o->space || reads);
}

static void freed(const struct wt_object *o)
{
    if (counts(o))
        add(hash_of(o));
}

static __attribute__((constructor)) void begin(void)
{
    if (wt_results_are_wanted())
        wt_objects_follow_ends(freed);
}

struct results_list {
    struct wt_object *is;
    size_t count, room;
};

static bool take(void *context, const struct wt_object *o)
{
    struct results_list *l = context;
    struct wt_object *grown =
        counts(o) ? wt_array_grow(l->is, &l->room, l->count + 1, sizeof *grown) : NULL;
    if (grown) {
        l->is = grown;
        grown[l->count++] = *o;
    }
    return true;
}

void wt_results_end(void)
{
    struct results_list l = {.is = NULL};
    if (!wt_results_are_wanted())
        return;
    wt_host_pages_release();
    wt_objects_each(take, &l);
    uint64_t last = counted;
    for (size_t i = 0; i < l.count; i++)
        last = l.is[i].number > last ? l.is[i].number : last;
    counted = last;
    for (size_t i = 0; i < l.count; i++)
        add(hash_of(&l.is[i]));
    free(l.is);
}
