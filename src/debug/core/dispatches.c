/*
 * Dispatches and groups come and go with their waves: each scan shows which are there. A dispatch
 * keeps its id where time travel leads back to it; after a restart the numbers of launches begin
 * anew, and the ids go on.
 */
#include "debug/core/dispatches.h"

#include <stdlib.h>

#include "base/array.h"
#include "debug/core/events.h"

static void tell(struct wt_debugger *d, enum wt_probe_event_kind kind, uint64_t dispatch)
{
    dbg_push_news(d, &(struct wt_probe_event){.kind = kind, .dispatch = dispatch});
}

const struct wt_dispatch *wt_debugger_dispatch(const struct wt_debugger *d, uint64_t id)
{
    const struct dispatches *all = &d->dispatches;
    return id > all->before && id - all->before <= all->count ? &all->list[id - all->before - 1].is
                                                              : NULL;
}

void dbg_begin_dispatches(struct wt_debugger *d)
{
    d->dispatches.scan++;
}

static bool is_of(const struct wt_dispatch *dispatch, const struct wt_wave *wave)
{
    return dispatch->number == wave->dispatch && dispatch->device == wave->device;
}

/* The entry of a wave's dispatch, 1 + its index; 0: without host memory. */
static uint32_t find_dispatch(struct wt_debugger *d, const struct wt_wave *wave)
{
    struct dispatches *all = &d->dispatches;
    /* Launches are numbered in ascending order: most that are not known are beyond the last one. */
    for (size_t i = wave->dispatch > all->last ? 0 : all->count; i-- > 0;)
        if (is_of(&all->list[i].is, wave))
            return (uint32_t)i + 1;
    struct seen_dispatch *more =
        wt_array_grow(all->list, &all->capacity, all->count + 1, sizeof *more);
    if (more)
        all->list = more;
    uint32_t *there =
        wt_array_grow(all->there, &all->there_capacity, all->count + 1, sizeof *there);
    if (there)
        all->there = there;
    if (!more || !there) {
        dbg_lose_news(d);
        return 0;
    }
    all->last = wave->dispatch > all->last ? wave->dispatch : all->last;
    more[all->count].scan = 0;
    more[all->count].is = (struct wt_dispatch){.id = all->before + all->count + 1,
                                               .number = wave->dispatch,
                                               .device = wave->device,
                                               .has_queue = wave->has_queue,
                                               .from = {wave->device, wave->queue}};
    for (unsigned i = 0; i < 3; i++) {
        more[all->count].is.block[i] = wave->block[i];
        more[all->count].is.groups[i] =
            wave->block[i] ? (wave->grid[i] + wave->block[i] - 1) / wave->block[i] : 0;
    }
    return (uint32_t)++all->count;
}

void dbg_see_dispatch(struct wt_debugger *d, struct wave *w)
{
    struct dispatches *all = &d->dispatches;
    if (!w->self.has_work || (!w->dispatch && !(w->dispatch = find_dispatch(d, &w->self))))
        return;
    struct seen_dispatch *seen = &all->list[w->dispatch - 1];
    if (!seen->is.wave_count) {
        all->there[all->there_count++] = w->dispatch - 1;
        tell(d, WT_PROBE_DISPATCH_BEGAN, seen->is.id);
    }
    if (seen->scan != all->scan)
        seen->is.wave_count = 0;
    seen->scan = all->scan;
    seen->is.wave_count++;
}

uint64_t dbg_dispatch_of(const struct wt_debugger *d, const struct wave *w)
{
    return w->dispatch ? d->dispatches.before + w->dispatch : 0;
}

void dbg_end_dispatches(struct wt_debugger *d)
{
    struct dispatches *all = &d->dispatches;
    size_t kept = 0;
    for (size_t i = 0; i < all->there_count; i++) {
        struct seen_dispatch *seen = &all->list[all->there[i]];
        if (seen->scan == all->scan) {
            all->there[kept++] = all->there[i];
            continue;
        }
        seen->is.wave_count = 0;
        tell(d, WT_PROBE_DISPATCH_ENDED, seen->is.id);
    }
    all->there_count = kept;
}

void dbg_forget_dispatches(struct wt_debugger *d)
{
    dbg_begin_dispatches(d);
    dbg_end_dispatches(d);
    for (uint32_t w = 0; w < d->topology->waves; w++)
        d->wave[w].dispatch = 0;
    d->dispatches.before += d->dispatches.count;
    d->dispatches.count = d->dispatches.last = 0;
}

/* ---- waves and groups, for clients that want them ---- */

static bool is_same_group(const struct told_wave *a, const struct told_wave *b)
{
    return a->dispatch == b->dispatch && memcmp(a->group, b->group, sizeof a->group) == 0;
}

/* Tells of a wave, and of its group if no other wave of it is told. */
static void tell_wave(struct wt_debugger *d, const struct told_wave *wave, bool began)
{
    struct wt_probe_event event = {.kind = began ? WT_PROBE_GROUP_BEGAN : WT_PROBE_GROUP_ENDED,
                                   .dispatch = wave->dispatch,
                                   .wave = wave->id};
    bool alone = wave->dispatch != 0;
    memcpy(event.group, wave->group, sizeof event.group);
    for (uint32_t w = 0; w < d->topology->waves && alone; w++)
        alone = d->news.there[w].id == WT_NO_WAVE || !is_same_group(&d->news.there[w], wave);
    if (alone && began)
        dbg_push_news(d, &event);
    event.kind = began ? WT_PROBE_WAVE_BEGAN : WT_PROBE_WAVE_ENDED;
    dbg_push_news(d, &event);
    event.kind = WT_PROBE_GROUP_ENDED;
    if (alone && !began)
        dbg_push_news(d, &event);
}

void dbg_tell_waves(struct wt_debugger *d)
{
    for (uint32_t w = 0; w < d->topology->waves && d->news.there; w++) {
        const bool active = wt_wave_set_has(&d->sets.active, w);
        const struct told_wave before = d->news.there[w];
        if (before.id == (active ? d->wave[w].self.id : WT_NO_WAVE))
            continue;
        d->news.there[w] = (struct told_wave){.id = WT_NO_WAVE};
        if (before.id != WT_NO_WAVE)
            tell_wave(d, &before, false);
        if (!active)
            continue;
        struct told_wave now = {d->wave[w].self.id, dbg_dispatch_of(d, &d->wave[w]), {0}};
        memcpy(now.group, d->wave[w].self.group, sizeof now.group);
        tell_wave(d, &now, true);
        d->news.there[w] = now;
    }
}
