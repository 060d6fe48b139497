/* See final_memory.h. */
#include "runtime/common/final_memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "object/final_wire.h"

/* The most bytes of freed memory that are kept. */
#define MOST_KEPT ((uint64_t)512 << 20)
#define PAGE ((size_t)4096)
#define READ_BYTES (64 * PAGE)

/* A range that was freed: whole pages. */
struct wt_final_freed {
    uint64_t addr, size;
    uint8_t *bytes; /* a mapping of its own; no host memory is taken for pages of zeros */
};

static void forget_freed(struct wt_final_memory *f)
{
    for (size_t i = 0; i < f->freed_count; i++)
        munmap(f->freed[i].bytes, f->freed[i].size);
    free(f->freed);
    f->freed = NULL;
    f->freed_count = f->freed_capacity = 0;
    f->kept = 0;
}

void wt_final_want(struct wt_final_memory *f, bool want)
{
    pthread_mutex_lock(&f->lock);
    forget_freed(f);
    atomic_store(&f->wanted, want);
    pthread_mutex_unlock(&f->lock);
}

bool wt_final_wanted(struct wt_final_memory *f)
{
    return atomic_load(&f->wanted);
}

void wt_final_kernel(struct wt_final_memory *f)
{
    if (!wt_final_wanted(f))
        return;
    pthread_mutex_lock(&f->lock);
    forget_freed(f);
    pthread_mutex_unlock(&f->lock);
}

/* ---- what was freed ---- */

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* The length of the run of pages at the beginning that are zero, or are not. */
static size_t run_of(const uint8_t *bytes, size_t size, bool *zero)
{
    size_t length = PAGE;
    *zero = is_zero(bytes, PAGE);
    while (length < size && is_zero(bytes + length, PAGE) == *zero)
        length += PAGE;
    return length;
}

/* The bytes of the pages that are not zero. */
static uint64_t filled(const uint8_t *bytes, uint64_t size)
{
    uint64_t sum = 0;
    for (uint64_t at = 0; at < size; at += PAGE)
        sum += is_zero(bytes + at, PAGE) ? 0 : PAGE;
    return sum;
}

/* The index of the first range that ends above an address. */
static size_t ending_above(const struct wt_final_memory *f, uint64_t addr)
{
    WT_BISECT(low, f->freed_count, f->freed[middle].addr + f->freed[middle].size <= addr);
    return low;
}

/* Takes over the bytes. False: there is no host memory; they are not kept. */
static bool insert(struct wt_final_memory *f, size_t at, struct wt_final_freed freed)
{
    struct wt_final_freed *more =
        wt_array_grow(f->freed, &f->freed_capacity, f->freed_count + 1, sizeof *more);
    if (!more) {
        munmap(freed.bytes, freed.size);
        return false;
    }
    f->freed = more;
    memmove(&more[at + 1], &more[at], (f->freed_count++ - at) * sizeof *more);
    more[at] = freed;
    return true;
}

/* Drops what was freed at addresses that are in use again. */
static void cut(struct wt_final_memory *f, uint64_t addr, uint64_t size)
{
    size_t i = ending_above(f, addr);
    while (i < f->freed_count && f->freed[i].addr < addr + size) {
        const struct wt_final_freed whole = f->freed[i];
        const uint64_t first = addr > whole.addr ? addr - whole.addr : 0;
        const uint64_t last =
            addr + size < whole.addr + whole.size ? addr + size - whole.addr : whole.size;
        const struct wt_final_freed rest = {whole.addr + last, whole.size - last,
                                            whole.bytes + last};
        f->kept -= filled(whole.bytes + first, last - first);
        munmap(whole.bytes + first, last - first);
        f->freed[i].size = first;
        if (first)
            i++;
        else
            memmove(&f->freed[i], &f->freed[i + 1], (--f->freed_count - i) * sizeof whole);
        if (rest.size) {
            insert(f, i, rest);
            return;
        }
    }
}

/* Copies pages, and leaves those of zeros out. False: that would be more than is kept. */
static bool copy_pages(struct wt_final_memory *f, uint8_t *to, const uint8_t *from, size_t size)
{
    for (size_t at = 0; at < size; at += PAGE) {
        if (is_zero(from + at, PAGE))
            continue;
        if (f->kept + PAGE > MOST_KEPT)
            return false;
        memcpy(to + at, from + at, PAGE);
        f->kept += PAGE;
    }
    return true;
}

static void keep(struct wt_final_memory *f, uint64_t addr, uint64_t size, wt_final_read_fn *read,
                 void *context)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint8_t *buffer = malloc(READ_BYTES);
    uint8_t *bytes = buffer ? mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0) : MAP_FAILED;
    bool more = bytes != MAP_FAILED &&
                insert(f, ending_above(f, addr), (struct wt_final_freed){addr, size, bytes});
    for (uint64_t done = 0, part; more && done < size; done += part) {
        part = size - done < READ_BYTES ? size - done : READ_BYTES;
        if (!read(context, addr + done, buffer, (size_t)part) &&
            !read(context, addr + done, buffer, (size_t)(part = PAGE)))
            cut(f, addr + done, PAGE);
        else if (!(more = copy_pages(f, bytes + done, buffer, (size_t)part)))
            cut(f, addr + done, size - done);
    }
    free(buffer);
}

void wt_final_unmap(struct wt_final_memory *f, uint64_t addr, uint64_t size, wt_final_read_fn *read,
                    void *context)
{
    if (!wt_final_wanted(f))
        return;
    const uint64_t first = addr & ~(uint64_t)(PAGE - 1);
    const uint64_t whole = (addr + size - first + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    pthread_mutex_lock(&f->lock);
    cut(f, first, whole);
    keep(f, first, whole, read, context);
    pthread_mutex_unlock(&f->lock);
}

/* ---- all that there is ---- */

static const struct wt_final_freed *next_freed(const struct wt_final_memory *f, uint64_t from)
{
    const size_t i = ending_above(f, from);
    return i < f->freed_count ? &f->freed[i] : NULL;
}

/* A piece that is found, and where its bytes go. */
struct final_found {
    struct wt_final_wire_piece piece;
    uint8_t *bytes;
    size_t room; /* a multiple of pages */
    size_t size; /* size of the bytes; 0: all are zero */
};

/* Reads at most so much at once for a run of pages, which may be short. */
#define STEP (16 * PAGE)

/* False: the program has taken the page away behind the driver's back. */
static bool used_piece(const struct wt_final_ops *ops, void *context, uint64_t addr, uint64_t end,
                       struct final_found *found)
{
    const size_t size = end - addr < found->room ? (size_t)(end - addr) : found->room;
    size_t length = 0, part, run;
    bool zero = false;
    do {
        uint8_t *at = found->bytes + length;
        bool same;
        part = size - length < STEP ? size - length : STEP;
        if (!ops->read(context, addr + length, at, part) &&
            (length || !ops->read(context, addr, at, part = PAGE)))
            break;
        run = run_of(at, part, &same);
        if (length && same != zero)
            break;
        zero = same;
        length += run;
    } while (run == part && length < size);
    found->piece = (struct wt_final_wire_piece){addr, length};
    found->size = zero ? 0 : length;
    return length;
}

static void freed_piece(const struct wt_final_freed *freed, uint64_t from,
                        struct final_found *found)
{
    const uint64_t at = freed->addr < from ? from : freed->addr;
    const uint64_t left = freed->addr + freed->size - at;
    const uint8_t *bytes = freed->bytes + (at - freed->addr);
    bool zero;
    const size_t length = run_of(bytes, left < found->room ? (size_t)left : found->room, &zero);
    found->piece = (struct wt_final_wire_piece){at, length};
    found->size = zero ? 0 : length;
    memcpy(found->bytes, bytes, found->size);
}

/* The first range of any GPU at or behind @p from. */
static bool next_used(const struct wt_final_ops *ops, void *context, uint64_t from, uint64_t *addr,
                      uint64_t *end)
{
    bool any = false;
    for (unsigned i = 0; i < ops->gpus; i++) {
        uint64_t start, size;
        if (!ops->next(context, i, from, &start, &size) || (any && start >= *addr))
            continue;
        *addr = start;
        *end = start + size;
        any = true;
    }
    return any;
}

static void find(struct wt_final_memory *f, const struct wt_final_ops *ops, void *context,
                 uint64_t from, struct final_found *found)
{
    uint64_t addr = 0, end = 0;
    if (from == 0)
        for (uint64_t at = 0; next_used(ops, context, at, &addr, &end); at = end)
            cut(f, addr, end - addr);
    for (;; from = addr + PAGE) {
        const bool used = next_used(ops, context, from, &addr, &end);
        const struct wt_final_freed *freed = next_freed(f, from);
        if (freed && (!used || freed->addr < addr)) {
            freed_piece(freed, from, found);
            return;
        }
        if (!used || used_piece(ops, context, addr, end, found))
            return;
    }
}

size_t wt_final_next(struct wt_final_memory *f, const struct wt_final_ops *ops, void *context,
                     uint64_t from, uint8_t *bytes, size_t room)
{
    struct final_found found = {.bytes = bytes + sizeof found.piece};
    assert(room >= 2 * PAGE);
    found.room = (room - sizeof found.piece) / PAGE * PAGE;
    pthread_mutex_lock(&f->lock);
    if (wt_final_wanted(f))
        find(f, ops, context, from & ~(uint64_t)(PAGE - 1), &found);
    pthread_mutex_unlock(&f->lock);
    memcpy(bytes, &found.piece, sizeof found.piece);
    return sizeof found.piece + found.size;
}
