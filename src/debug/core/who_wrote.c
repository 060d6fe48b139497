/*
 * Who wrote there? The writes to a range of memory in the recorded run, found by searching it
 * backwards; the device stands after it where it stood before.
 */
#include "debug/core/internal.h"

#include <stdlib.h>

/* Issues between two looks at what the search has found. */
#define SLICE ((uint64_t)1 << 20)

/* The writes of a part of the run, the newest ones of them, in a ring. */
struct found {
    struct wt_write *write;
    size_t most, count, next;
    bool dropped;
};

static struct wt_write *at(const struct found *f, size_t i)
{
    return &f->write[(f->next + f->most - f->count + i) % f->most];
}

static bool writes_to(const struct wt_watchpoint *w, const struct wt_watchpoint_hit *hit)
{
    return hit->write && hit->addr <= w->addr + (w->size - 1) &&
           w->addr <= hit->addr + (hit->size - 1);
}

/* What the device has just come upon. */
static void note(struct wt_debugger *d, const struct wt_watchpoint *range, struct found *f)
{
    const struct wt_watchpoint_hit *list;
    const size_t count = d->target->services->watch_hits(d->target->context, &list);
    struct wt_write write = {0};
    uint32_t wave = 0;
    for (size_t i = 0; i < count; i++) {
        if (!writes_to(range, &list[i]) || (write.lanes && list[i].pc != write.pc))
            continue;
        write.time = list[i].time;
        wave = list[i].wave;
        write.pc = list[i].pc;
        write.lanes |= wt_lane_bit(list[i].lane);
        if (write.shown < WT_WRITE_LANES)
            write.lane[write.shown++] = list[i];
        write.last = list[i];
    }
    if (!write.lanes)
        return;
    d->ops->describe_wave(d->probe, wave, &write.wave);
    f->dropped |= f->count == f->most;
    f->count += f->count < f->most;
    f->write[f->next] = write;
    f->next = (f->next + 1) % f->most;
}

/* One search backwards from where the device is: the nearest writes, the last ones of a part of the
 * run. *edge: nothing is left before it. */
static enum wt_status search(struct wt_debugger *d, const struct wt_watchpoint *range,
                             struct found *f, bool *edge, struct wt_error *err)
{
    const struct wt_history_services *h = d->target->services->history;
    const struct wt_history_query query = {
        .backwards = true, .wave = WT_NO_HANDLE, .watchpoint = range, .watchpoints = 1};
    struct wt_history_place place;
    f->count = f->next = 0;
    *edge = false;
    enum wt_status status = h->search(d->target->context, &query, err);
    while (!status) {
        switch (h->search_on(d->target->context, SLICE, &place, err)) {
        case WT_HISTORY_ON:
            break;
        case WT_HISTORY_PLACE:
            note(d, range, f);
            h->accept(d->target->context, false);
            break;
        case WT_HISTORY_FOUND:
            return WT_OK;
        case WT_HISTORY_EDGE:
            *edge = true;
            return WT_OK;
        case WT_HISTORY_FAILED:
            return err->status;
        }
    }
    return status;
}

/* Collects the newest writes, the latest first, into list. */
static enum wt_status collect(struct wt_debugger *d, const struct wt_watchpoint *range, size_t most,
                              struct wt_write *list, size_t *count, bool *more,
                              struct wt_error *err)
{
    struct found f = {.most = most, .write = calloc(most, sizeof *f.write)};
    bool edge = false;
    enum wt_status status = WT_OK;
    if (!f.write)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for what was written");
    while (!status && !edge && *count < most) {
        status = search(d, range, &f, &edge, err);
        size_t i = f.count;
        while (!status && i && *count < most)
            list[(*count)++] = *at(&f, --i);
        *more |= f.dropped || i;
        if (!status && !edge && *count && *count < most)
            status =
                d->target->services->history->go(d->target->context, list[*count - 1].time, err);
    }
    *more |= !edge;
    free(f.write);
    return status;
}

enum wt_status wt_debugger_who_wrote(struct wt_debugger *d,
                                     const struct wt_watchpoint_request *where, size_t most,
                                     struct wt_write **list, size_t *count, bool *more,
                                     struct wt_error *err)
{
    struct wt_watchpoint range;
    struct wt_watchpoint_request request = *where;
    *list = NULL;
    *count = 0;
    *more = false;
    request.kind = WT_WATCHPOINT_WRITE;
    enum wt_status status = dbg_need_history(d, err);
    if (!status)
        status = dbg_place_watchpoint(d, &request, &range, err);
    if (status)
        return status;
    /* What is known of where the device is now: it will be there again. */
    const uint64_t now = d->target->services->time(d->target->context);
    const bool in_past = d->in_past;
    const size_t size = d->topology->waves * sizeof *d->wave;
    struct wave *waves = malloc(size);
    const wt_thread current = d->current;
    *list = calloc(most ? most : 1, sizeof **list);
    if (!waves || !*list) {
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for what was written");
    } else {
        memcpy(waves, d->wave, size);
        status = dbg_leave_present(d, err);
        if (!status)
            status = collect(d, &range, most ? most : 1, *list, count, more, err);
        const enum wt_status back =
            in_past ? dbg_go(d, now, status ? NULL : err) : dbg_to_present(d, status ? NULL : err);
        status = status ? status : back;
        for (uint32_t w = 0; !back && w < d->topology->waves; w++) {
            d->wave[w].has_met = waves[w].has_met;
            d->wave[w].met = waves[w].met;
            d->wave[w].met_trap = waves[w].met_trap;
            d->wave[w].focus = waves[w].focus;
        }
        d->current = current;
    }
    free(waves);
    if (status) {
        free(*list);
        *list = NULL;
        *count = 0;
    }
    return status;
}
