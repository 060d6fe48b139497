/* See final_memory.h. */
#include "runtime/common/final_memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/final_wire.h"

/* The most bytes of freed memory that are kept. */
#define MOST_KEPT ((uint64_t)512 << 20)
#define PAGE ((size_t)4096)
#define READ_BYTES (64 * PAGE)

/* Memory that was freed: whole pages. */
struct wt_final_freed {
    uint64_t addr, size;
    uint8_t *bytes; /* NULL: all are zero */
};

static void forget_freed(struct wt_final_memory *f)
{
    for (size_t i = 0; i < f->freed_count; i++)
        free(f->freed[i].bytes);
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

/* Takes over the bytes. Without host memory they are not kept. */
static void add(struct wt_final_memory *f, uint64_t addr, uint64_t size, uint8_t *bytes)
{
    struct wt_final_freed *more =
        wt_array_grow(f->freed, &f->freed_capacity, f->freed_count + 1, sizeof *more);
    if (!more) {
        free(bytes);
        return;
    }
    f->freed = more;
    f->freed[f->freed_count++] = (struct wt_final_freed){addr, size, bytes};
    f->kept += bytes ? size : 0;
}

/* The part of a freed piece that lies in [addr, end), as one of its own. */
static void keep_part(struct wt_final_memory *f, const struct wt_final_freed *whole, uint64_t addr,
                      uint64_t end)
{
    uint8_t *bytes = NULL;
    if (addr >= end)
        return;
    if (whole->bytes) {
        if (!(bytes = malloc(end - addr)))
            return;
        memcpy(bytes, whole->bytes + (addr - whole->addr), end - addr);
    }
    add(f, addr, end - addr, bytes);
}

/* Drops what was freed at addresses that are in use again. */
static void cut(struct wt_final_memory *f, uint64_t addr, uint64_t size)
{
    const uint64_t end = addr + size;
    for (size_t i = 0; i < f->freed_count;) {
        const struct wt_final_freed whole = f->freed[i];
        if (whole.addr >= end || whole.addr + whole.size <= addr) {
            i++;
            continue;
        }
        f->freed[i] = f->freed[--f->freed_count];
        f->kept -= whole.bytes ? whole.size : 0;
        /* Both parts lie outside [addr, end): the loop skips them when it reaches them. */
        keep_part(f, &whole, whole.addr, addr < whole.addr ? whole.addr : addr);
        keep_part(f, &whole, end > whole.addr + whole.size ? whole.addr + whole.size : end,
                  whole.addr + whole.size);
        free(whole.bytes);
    }
}

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

static void keep(struct wt_final_memory *f, uint64_t addr, uint64_t size, wt_final_read_fn *read,
                 void *context)
{
    uint8_t *bytes = malloc(READ_BYTES);
    for (uint64_t done = 0, part; bytes && done < size; done += part) {
        bool zero;
        part = size - done < READ_BYTES ? size - done : READ_BYTES;
        if (!read(context, addr + done, bytes, (size_t)part) &&
            !read(context, addr + done, bytes, (size_t)(part = PAGE)))
            continue;
        part = run_of(bytes, (size_t)part, &zero);
        if (!zero && f->kept + part > MOST_KEPT)
            break;
        uint8_t *own = zero ? NULL : malloc((size_t)part);
        if (own)
            memcpy(own, bytes, (size_t)part);
        if (zero || own)
            add(f, addr + done, part, own);
    }
    free(bytes);
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
    const struct wt_final_freed *best = NULL;
    for (size_t i = 0; i < f->freed_count; i++)
        if (f->freed[i].addr + f->freed[i].size > from && (!best || f->freed[i].addr < best->addr))
            best = &f->freed[i];
    return best;
}

/* A piece that is found, and where its bytes go. */
struct final_found {
    struct wt_final_wire_piece piece;
    uint8_t *bytes;
    size_t room; /* a multiple of pages */
    size_t size; /* size of the bytes; 0: all are zero */
};

/* False: the program has taken the page away behind the driver's back. */
static bool used_piece(const struct wt_final_ops *ops, void *context, uint64_t addr, uint64_t end,
                       struct final_found *found)
{
    size_t size = end - addr < found->room ? (size_t)(end - addr) : found->room;
    bool zero;
    if (!ops->read(context, addr, found->bytes, size) &&
        !ops->read(context, addr, found->bytes, size = PAGE))
        return false;
    const size_t length = run_of(found->bytes, size, &zero);
    found->piece = (struct wt_final_wire_piece){addr, length};
    found->size = zero ? 0 : length;
    return true;
}

static void freed_piece(const struct wt_final_freed *freed, uint64_t from,
                        struct final_found *found)
{
    const uint64_t at = freed->addr < from ? from : freed->addr;
    const uint64_t left = freed->addr + freed->size - at;
    const uint64_t length = freed->bytes && left > found->room ? found->room : left;
    found->piece = (struct wt_final_wire_piece){at, length};
    found->size = freed->bytes ? (size_t)length : 0;
    if (freed->bytes)
        memcpy(found->bytes, freed->bytes + (at - freed->addr), (size_t)length);
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
