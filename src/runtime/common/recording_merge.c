/* The copy that a recorded GPU works on and the process's memory, made the same. See
 * recording_state.h. */
#include "runtime/common/recording_state.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"

/* Looking for changes of the program's threads takes at most a part of the time. */
#define LOOK_PART 16
#define LEAST_LOOK_NS 100000u
/* Rounds of such a look, and looks that found no end of changes before one takes what it has. */
#define MOST_ROUNDS 16
#define MOST_PUT_OFF 64

/* The bits of the bytes in which two words differ. */
static uint64_t different(uint64_t a, uint64_t b)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; i += 8)
        if ((a ^ b) >> i & 0xff)
            mask |= (uint64_t)0xff << i;
    return mask;
}

void recording_put_in(struct wt_recording *r, const struct change *change)
{
    const struct wt_input input = {.kind = WT_INPUT_MEMORY,
                                   .addr = change->addr,
                                   .bytes = change->bytes,
                                   .size = change->size};
    uint8_t bytes[sizeof change->addr + RECORDING_PAGE];
    if (!r->ops->write_copy) {
        wt_timeline_input(r->timeline, &input);
        return;
    }
    memcpy(bytes, &change->addr, sizeof change->addr);
    memcpy(bytes + sizeof change->addr, change->bytes, change->size);
    const struct wt_input operation = {.kind = WT_INPUT_OPERATION,
                                       .bytes = bytes,
                                       .size = sizeof change->addr + change->size,
                                       .operation = r->ops->write_copy};
    wt_timeline_input(r->timeline, &operation);
}

void recording_forget_changes(struct wt_recording *r)
{
    while (r->change_count)
        free(r->change[--r->change_count].bytes);
}

/* Threads have changed what lies between these bytes of a page: so it is in the copy, too. */
static void take_in(struct wt_recording *r, uint64_t addr, const uint8_t *bytes, size_t size)
{
    struct change change = {
        .time = r->machine->time, .addr = addr, .bytes = malloc(size), .size = size};
    struct change *more =
        wt_array_grow(r->change, &r->change_capacity, r->change_count + 1, sizeof *more);
    if (more)
        r->change = more;
    if (!more || !change.bytes) {
        free(change.bytes);
        r->failed = true;
        return;
    }
    memcpy(change.bytes, bytes, size);
    r->change[r->change_count++] = change;
    recording_put_in(r, &change);
}

/* Copies to the process only the bytes of a page that the GPU has changed: threads may be changing
 * other bytes. */
void recording_publish(struct wt_recording *r, struct page *page)
{
    if (!recording_maps(r, page->addr))
        return; /* the program has freed it */
    const uint8_t *ours = wt_memory_page(r->machine->memory, page->addr);
    if (ours == page->same || !memcmp(ours, page->same, RECORDING_PAGE))
        return;
    uint8_t *theirs = wt_in_process_page(r->machine, page->addr), *same = recording_same(r, page);
    if (!same)
        return;
    for (unsigned i = 0; i < RECORDING_WORDS; i++) {
        const uint64_t mine = recording_word(ours, i), before = recording_word(same, i);
        const uint64_t mask = different(mine, before);
        uint64_t *at = (uint64_t *)(void *)theirs + i;
        uint64_t now = __atomic_load_n(at, __ATOMIC_ACQUIRE);
        while (mask && !__atomic_compare_exchange_n(at, &now, (now & ~mask) | (mine & mask), false,
                                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            continue;
        if (mask)
            memcpy(same + 8 * (size_t)i, &mine, sizeof mine);
    }
}

/* Pages may be added to the list meanwhile, none goes. */
void recording_publish_all(struct wt_recording *r)
{
    for (size_t i = 0; i < r->page_count; i++)
        recording_publish(r, &r->page[i]);
}

/* Whether a page of the process differs from its state at the last look; the new state is then
 * kept. */
static bool has_changed(struct wt_recording *r, struct page *page)
{
    if (!recording_maps(r, page->addr))
        return false;
    const uint8_t *theirs = wt_in_process_page(r->machine, page->addr);
    if (recording_same_page(theirs, page->now ? page->now : page->same))
        return false;
    if (!page->now && !(page->now = malloc(RECORDING_PAGE))) {
        r->failed = true;
        return false;
    }
    recording_copy_page(page->now, theirs);
    return true;
}

/* Takes in how a page was when it was looked at. */
static void take_page(struct wt_recording *r, struct page *page)
{
    uint8_t *same = recording_same(r, page), ours[RECORDING_PAGE];
    unsigned first = RECORDING_PAGE, last = 0;
    memcpy(ours, wt_memory_page(r->machine->memory, page->addr), RECORDING_PAGE);
    for (unsigned i = 0; same && i < RECORDING_WORDS; i++) {
        const uint64_t now = recording_word(page->now, i), before = recording_word(same, i);
        const uint64_t own =
            different(recording_word(ours, i), before); /* the GPU's own, not shown yet */
        const uint64_t mask = different(now, before) & ~own;
        if (!mask)
            continue;
        const uint64_t next = (recording_word(ours, i) & ~mask) | (now & mask);
        const uint64_t both = (before & ~mask) | (now & mask);
        memcpy(ours + 8 * (size_t)i, &next, sizeof next);
        memcpy(same + 8 * (size_t)i, &both, sizeof both);
        first = first < 8 * i ? first : 8 * i;
        last = 8 * i + 7;
    }
    if (first < RECORDING_PAGE && r->timeline)
        take_in(r, page->addr + first, ours + first, last - first + 1);
}

/*
 * Takes over the changes that threads have made to shared memory, or to all memory. A thread writes
 * data, and then a flag that says that the data is there: a reader that sees the flag must see the
 * data. So changes are taken over only after a whole round has found nothing new. If threads never
 * stop, they are taken over in the end, or (at_once) after some rounds.
 */
void recording_look(struct wt_recording *r, bool all, bool at_once)
{
    const uint64_t from = wt_clock_ns();
    bool more = true, any = false;
    for (unsigned round = 0; more && round < MOST_ROUNDS; round++) {
        more = false;
        for (size_t i = 0; i < r->page_count; i++)
            if (all || r->page[i].shared)
                more |= has_changed(r, &r->page[i]);
        any |= more;
    }
    const bool take = !more || at_once || r->put_off == MOST_PUT_OFF;
    r->put_off = take ? 0 : r->put_off + 1;
    for (size_t i = 0; any && i < r->page_count; i++) {
        struct page *page = &r->page[i];
        if (page->now && take)
            take_page(r, page);
        free(page->now);
        page->now = NULL;
    }
    r->looked = wt_clock_ns();
    r->look_ns = r->looked - from;
}

void recording_merge(struct wt_recording *r)
{
    recording_publish_all(r);
    recording_look(r, true, true);
}

bool recording_look_is_due(const struct wt_recording *r)
{
    const uint64_t since = wt_clock_ns() - r->looked;
    return since >= LEAST_LOOK_NS && since >= LOOK_PART * r->look_ns;
}
