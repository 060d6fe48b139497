/* The stores of waves to memory that the program's threads use, too. See recording_state.h. */
#include "runtime/common/recording_state.h"

#include <assert.h>

#include "base/array.h"

void recording_stored(void *context, uint64_t addr, const void *bytes, size_t size)
{
    struct wt_recording *r = context;
    const uint64_t first = addr & ~(uint64_t)(RECORDING_PAGE - 1);
    const uint64_t last = (addr + size - 1) & ~(uint64_t)(RECORDING_PAGE - 1);
    r->told_last = recording_shared(r, first) || recording_shared(r, last);
    if (!r->told_last || !r->live)
        return;
    struct store *more =
        wt_array_grow(r->store, &r->store_capacity, r->store_count + 1, sizeof *more);
    if (more)
        r->store = more;
    if (!more || size > sizeof more->bytes) {
        r->failed = true;
        r->told_last = false;
        return;
    }
    struct store *s = &r->store[r->store_count++];
    *s = (struct store){.addr = addr, .size = (uint8_t)size};
    memcpy(s->bytes, bytes, size);
}

/* Threads may do atomics, too: this one has happened when their memory has taken it. Its store was
 * not told where memory is not shared: then the latest store is another one. */
bool recording_was_atomic(void *context, uint64_t addr)
{
    struct wt_recording *r = context;
    if (!r->told_last || !recording_shared(r, addr & ~(uint64_t)(RECORDING_PAGE - 1)))
        return false;
    if (r->live) {
        assert(r->store_count && r->store[r->store_count - 1].addr == addr);
        r->store[r->store_count - 1].atomic = true;
    }
    return true;
}

/* The part of a store that lies in one page. */
struct recording_part {
    struct page *page;
    uint8_t *at;     /* in the process */
    unsigned offset; /* in the page */
    const uint8_t *bytes;
    size_t size;
};

static bool part_of(struct wt_recording *r, const struct store *s, size_t done,
                    struct recording_part *part)
{
    const uint64_t addr = s->addr + done, page = addr & ~(uint64_t)(RECORDING_PAGE - 1);
    const size_t left = s->size - done, room = (size_t)(page + RECORDING_PAGE - addr);
    *part = (struct recording_part){.offset = (unsigned)(addr - page),
                                    .bytes = s->bytes + done,
                                    .size = left < room ? left : room};
    if (!recording_maps(r, page))
        return false;
    uint8_t *host = wt_in_process_page(r->machine, page);
    part->at = host + part->offset;
    part->page = recording_page(r, page, host);
    return part->page && part->page->shared;
}

/* Writes it as one access if possible: threads look at flags and pointers. */
static void show_bytes(uint8_t *at, const uint8_t *bytes, size_t size)
{
    const uintptr_t low = (uintptr_t)at | size;
    if (size >= 8 && low % 8 == 0) {
        for (size_t i = 0; i < size; i += 8)
            __atomic_store_n((uint64_t *)(void *)(at + i), recording_word(bytes + i, 0),
                             __ATOMIC_RELEASE);
    } else if (low % 4 == 0) {
        for (size_t i = 0; i < size; i += 4) {
            uint32_t word;
            memcpy(&word, bytes + i, sizeof word);
            __atomic_store_n((uint32_t *)(void *)(at + i), word, __ATOMIC_RELEASE);
        }
    } else {
        for (size_t i = 0; i < size; i++)
            __atomic_store_n(at + i, bytes[i], __ATOMIC_RELEASE);
    }
}

static void show_store(struct wt_recording *r, const struct store *s)
{
    struct recording_part p;
    for (size_t done = 0; done < s->size; done += p.size) {
        uint8_t *same;
        if (!part_of(r, s, done, &p) || !(same = recording_same(r, p.page)))
            continue;
        show_bytes(p.at, p.bytes, p.size);
        memcpy(same + p.offset, p.bytes, p.size);
    }
}

/* False: a thread has changed the bytes on which the atomic was done. */
static bool show_atomic(struct wt_recording *r, const struct store *s)
{
    uint64_t before = 0, after = 0;
    struct recording_part p;
    uint8_t *same;
    bool done;
    if (!part_of(r, s, 0, &p) || !(same = recording_same(r, p.page)))
        return true;
    memcpy(&before, same + p.offset, s->size);
    memcpy(&after, s->bytes, s->size);
    if (s->size == 8) {
        done = __atomic_compare_exchange_n((uint64_t *)(void *)p.at, &before, after, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    } else {
        uint32_t was = (uint32_t)before;
        done = __atomic_compare_exchange_n((uint32_t *)(void *)p.at, &was, (uint32_t)after, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
    if (done)
        memcpy(same + p.offset, s->bytes, s->size);
    return done;
}

/* Lanes of one instruction may do atomics on the same bytes: the last lane's result counts. */
static bool is_last(const struct wt_recording *r, size_t i)
{
    for (size_t k = i + 1; k < r->store_count; k++)
        if (r->store[k].addr == r->store[i].addr)
            return false;
    return true;
}

/* The program sees what waves have stored to shared memory. False: a thread was faster than an
 * atomic, the first of its instruction; the stores before it have been seen. */
bool recording_show_stores(struct wt_recording *r)
{
    bool any = r->undone == RECORDING_MOST_UNDONE;
    for (size_t i = 0; i < r->store_count; i++) {
        const struct store *s = &r->store[i];
        if (s->atomic && !is_last(r, i))
            continue;
        if (s->atomic && show_atomic(r, s)) {
            any = true;
            continue;
        }
        if (s->atomic && !any)
            return false;
        show_store(r, s);
    }
    r->store_count = 0;
    return true;
}
