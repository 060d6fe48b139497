/* Accesses to a range of memory in a target's recorded run. See touches.h. */
#include "debug/core/touches.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum wt_status wt_touches_begin(struct wt_touches *s, const struct wt_target *target,
                                const struct wt_watchpoint *range, const uint8_t *mask, size_t most,
                                struct wt_error *err)
{
    assert(most > 0 && target->services->history && target->services->watchpoint_hits);
    assert(range->kind == WT_WATCHPOINT_WRITE || range->kind == WT_WATCHPOINT_READ);
    *s = (struct wt_touches){.target = target, .range = *range, .most = most};
    s->list = calloc(most, sizeof *s->list);
    s->ring = calloc(most, sizeof *s->ring);
    s->mask = mask ? malloc(range->size) : NULL;
    if (s->mask)
        memcpy(s->mask, mask, range->size);
    if (s->list && s->ring && (s->mask || !mask))
        return WT_OK;
    wt_touches_free(s);
    return wt_fail(err, WT_NO_MEMORY, "out of memory for the accesses that are found");
}

void wt_touches_free(struct wt_touches *s)
{
    free(s->list);
    free(s->ring);
    free(s->mask);
    *s = (struct wt_touches){0};
}

static bool is_wanted(const struct wt_touches *s, const struct wt_watchpoint_hit *hit)
{
    const struct wt_watchpoint *w = &s->range;
    const bool reads = w->kind == WT_WATCHPOINT_READ;
    if (!(reads ? hit->read : hit->write) ||
        !wt_ranges_meet(w->addr, w->size, hit->addr, hit->size))
        return false;
    const bool changes = w->changes && !reads;
    bool wanted = !s->mask && !changes;
    for (uint64_t n = 0; !wanted && n < hit->size; n++) {
        const uint64_t b = hit->addr.offset + n - w->addr.offset;
        const uint8_t mask = b >= w->size ? 0 : s->mask ? s->mask[b] : 0xff;
        wanted = mask &&
                 (!changes || n >= sizeof hit->before || ((hit->before[n] ^ hit->after[n]) & mask));
    }
    return wanted;
}

/* Adds the access at which the search stands. */
static void add(struct wt_touches *s)
{
    const struct wt_watchpoint_hit *list;
    const size_t count = s->target->services->watchpoint_hits(s->target->context, &list);
    struct wt_touch touch = {0};
    for (size_t i = 0; i < count; i++) {
        if (!is_wanted(s, &list[i]) || (touch.lanes && list[i].pc != touch.pc))
            continue;
        touch.time = list[i].time;
        touch.wave = list[i].wave;
        touch.pc = list[i].pc;
        touch.lanes |= wt_lane_bit(list[i].lane);
        if (touch.shown < WT_TOUCH_LANES)
            touch.lane[touch.shown++] = list[i];
        touch.last = list[i];
    }
    if (!touch.lanes)
        return;
    size_t first = 0;
    while (!is_wanted(s, &list[first]) || list[first].pc != touch.pc ||
           !wt_address_equal(list[first].addr, touch.last.addr) ||
           list[first].size != touch.last.size)
        first++;
    memcpy(touch.before, list[first].before, sizeof touch.before);
    if (!s->any)
        s->oldest = touch.time;
    s->any = true;
    s->dropped |= s->ring_count == s->most;
    s->ring_count += s->ring_count < s->most;
    s->ring[s->next] = touch;
    s->next = (s->next + 1) % s->most;
}

/* Moves the window's accesses to the list. The search has ended at the begin of the run (@p edge),
 * or because the list is full. */
static enum wt_history_step end_window(struct wt_touches *s, bool edge, struct wt_error *err)
{
    while (s->ring_count && s->count < s->most) {
        s->ring_count--;
        s->next = (s->next + s->most - 1) % s->most;
        s->list[s->count++] = s->ring[s->next];
    }
    s->more |= s->dropped || s->ring_count;
    if (edge || s->count == s->most) {
        s->more |= !edge;
        return WT_HISTORY_FOUND;
    }
    s->searching = false;
    s->ring_count = s->next = 0;
    if (!s->any)
        return WT_HISTORY_ON;
    s->any = false;
    return s->target->services->history->go(s->target->context, s->oldest, err) ? WT_HISTORY_FAILED
                                                                                : WT_HISTORY_ON;
}

enum wt_history_step wt_touches_on(struct wt_touches *s, uint64_t budget, struct wt_error *err)
{
    const struct wt_history_services *h = s->target->services->history;
    struct wt_history_match match;
    if (!s->searching) {
        const struct wt_history_query query = {
            .backwards = true, .wave = WT_NO_HANDLE, .watchpoint = &s->range, .watchpoints = 1};
        s->searching = true;
        return h->search(s->target->context, &query, err) ? WT_HISTORY_FAILED : WT_HISTORY_ON;
    }
    const enum wt_history_step step = h->search_on(s->target->context, budget, &match, err);
    switch (step) {
    case WT_HISTORY_MATCH:
        add(s);
        h->accept(s->target->context, false);
        return WT_HISTORY_ON;
    case WT_HISTORY_FOUND:
    case WT_HISTORY_EDGE:
        return end_window(s, step == WT_HISTORY_EDGE, err);
    default:
        return step;
    }
}

/* The bytes that a write made new, as bits: nothing later wrote them. The write may begin before
 * the range. */
static uint64_t add_bytes(uint8_t *written, uint64_t size, uint64_t first,
                          const struct wt_watchpoint_hit *hit, uint8_t *stored)
{
    uint64_t made = 0;
    for (uint64_t n = 0; n < hit->size; n++) {
        const uint64_t b = first + n;
        if (b >= size || written[b] > 1) /* by a later instruction */
            continue;
        written[b] = 1;
        made |= UINT64_C(1) << (n < 63 ? n : 63);
        if (stored && n < sizeof hit->after)
            stored[b] = hit->after[n];
    }
    return made;
}

/* Of the values that an instruction stores those bytes are asked for that it made new, where they
 * lie side by side and are the same in all lanes; else all. */
static void choose_bytes(struct wt_slice_seed *s, uint64_t made, uint64_t size)
{
    if (!made || (size < 64 && made == (UINT64_C(1) << size) - 1))
        return;
    const unsigned first = (unsigned)__builtin_ctzll(made);
    const uint64_t rest = made >> first;
    if (rest & (rest + 1))
        return;
    s->from = first;
    s->bytes = (uint32_t)__builtin_popcountll(made);
}

enum wt_status wt_touch_seeds(const struct wt_touch *list, size_t count, struct wt_address addr,
                              uint64_t size, const uint8_t *mask, struct wt_slice_seed *seed,
                              size_t *seeds, uint64_t *unwritten, uint8_t *stored,
                              struct wt_error *err)
{
    uint8_t *written = calloc(size ? size : 1, 1);
    *seeds = 0;
    *unwritten = 0;
    if (!written)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the search");
    for (uint64_t b = 0; mask && b < size; b++)
        written[b] = mask[b] ? 0 : 2;
    for (size_t i = 0; i < count; i++) {
        struct wt_slice_seed s = {.id = list[i].last.id, .time = list[i].time};
        uint64_t bytes = 0;
        bool alike = true;
        for (unsigned k = 0; k < list[i].shown; k++) {
            const struct wt_watchpoint_hit *hit = &list[i].lane[k];
            const uint64_t made =
                add_bytes(written, size, hit->addr.offset - addr.offset, hit, stored);
            if (!made)
                continue;
            alike = alike && (!s.lanes || made == bytes);
            bytes = made;
            s.lanes |= wt_lane_bit(hit->lane);
        }
        if (alike)
            choose_bytes(&s, bytes, list[i].last.size);
        for (uint64_t b = 0; b < size; b++)
            written[b] = written[b] ? 2 : 0;
        if (s.lanes)
            seed[(*seeds)++] = s;
    }
    for (uint64_t b = 0; b < size; b++)
        *unwritten += !written[b];
    free(written);
    return WT_OK;
}
