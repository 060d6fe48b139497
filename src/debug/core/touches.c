/* The writes to a range of memory in a target's recorded run. See writes.h. */
#include "debug/core/writes.h"

#include <assert.h>
#include <stdlib.h>

enum wt_status wt_writes_begin(struct wt_writes *s, const struct wt_target *target,
                               const struct wt_watchpoint *range, size_t most, bool all,
                               struct wt_error *err)
{
    assert(most > 0 && target->services->history && target->services->watchpoint_hits);
    *s = (struct wt_writes){.target = target, .range = *range, .most = most, .all = all};
    s->list = calloc(most, sizeof *s->list);
    s->ring = calloc(most, sizeof *s->ring);
    if (s->list && s->ring)
        return WT_OK;
    wt_writes_free(s);
    return wt_fail(err, WT_NO_MEMORY, "out of memory for what was written");
}

void wt_writes_free(struct wt_writes *s)
{
    free(s->list);
    free(s->ring);
    *s = (struct wt_writes){0};
}

static bool writes_to(const struct wt_watchpoint *w, const struct wt_watchpoint_hit *hit)
{
    return hit->write && wt_ranges_meet(w->addr, w->size, hit->addr, hit->size);
}

/* Adds the write at which the search stands. */
static void add(struct wt_writes *s)
{
    const struct wt_watchpoint_hit *list;
    const size_t count = s->target->services->watchpoint_hits(s->target->context, &list);
    struct wt_write write = {0};
    for (size_t i = 0; i < count; i++) {
        if (!writes_to(&s->range, &list[i]) || (write.lanes && list[i].pc != write.pc))
            continue;
        write.time = list[i].time;
        write.wave = list[i].wave;
        write.pc = list[i].pc;
        write.lanes |= wt_lane_bit(list[i].lane);
        if (write.shown < WT_WRITE_LANES)
            write.lane[write.shown++] = list[i];
        write.last = list[i];
    }
    if (!write.lanes)
        return;
    if (!s->any)
        s->oldest = write.time;
    s->any = true;
    s->total++;
    s->dropped |= s->ring_count == s->most;
    s->ring_count += s->ring_count < s->most;
    s->ring[s->next] = write;
    s->next = (s->next + 1) % s->most;
}

/* Moves the window's writes to the list. The search has ended at the begin of the run (@p edge), or
 * because the list is full. */
static enum wt_history_step end_window(struct wt_writes *s, bool edge, struct wt_error *err)
{
    while (s->ring_count && s->count < s->most) {
        s->ring_count--;
        s->next = (s->next + s->most - 1) % s->most;
        s->list[s->count++] = s->ring[s->next];
    }
    s->more |= s->dropped || s->ring_count;
    if (edge || (s->count == s->most && !s->all)) {
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

enum wt_history_step wt_writes_on(struct wt_writes *s, uint64_t budget, struct wt_error *err)
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
