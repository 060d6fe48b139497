/* Records of accesses. See observe.h. */
#include "emulator/machine/observe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/watch_set.h"

bool wt_observe(struct wt_machine *m, wt_observe_fn *fn, void *context, const struct wt_watch *list,
                size_t count)
{
    assert(!m->in_turn);
    free(m->observer);
    m->observer = fn ? calloc(1, sizeof *m->observer) : NULL;
    const bool ok = wt_watch_set_observe(m, m->observer, list, count) && (m->observer || !fn);
    if (ok && fn)
        *m->observer = (struct wt_observer){.fn = fn, .context = context};
    if (ok)
        return true;
    free(m->observer);
    m->observer = NULL;
    return false;
}

void wt_observe_issues(struct wt_machine *m, wt_observe_issue_fn *before,
                       wt_observe_issue_fn *after)
{
    assert(m->observer && after);
    m->observer->before = before;
    m->observer->issue = after;
}

void wt_observe_changes(struct wt_machine *m, wt_observe_change_fn *fn)
{
    assert(m->observer);
    m->observer->change = fn;
}

void wt_observe_change(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                       const void *bytes, size_t size)
{
    enum { PART = 256 };
    const struct wt_observer *o = m->observer;
    const uint8_t *new = bytes;
    uint8_t old[PART];
    if (!o || !o->change || m->ops->home(m, wave, addr) != WT_HOME_NOW)
        return;
    for (size_t at = 0; at < size; at += PART) {
        const size_t part = size - at < PART ? size - at : PART;
        if (!m->ops->read_memory(m, wave, lane, addr + at, old, part))
            return; /* no memory there: it cannot be written either */
        for (size_t i = 0, end; i < part; i = end + 1) {
            for (end = i; end < part && old[end] != new[at + end]; end++)
                continue;
            if (end > i)
                o->change(o->context, m, addr + at + i, end - i);
        }
    }
}

void wt_observe_flush(struct wt_machine *m)
{
    struct wt_observer *o = m->observer;
    for (unsigned i = 0; i < o->count; i++)
        o->fn(o->context, m, &o->record[i]);
    o->count = 0;
}

void wt_observe_lane(struct wt_machine *m, const struct wt_wave_head *w, uint64_t time,
                     const struct wt_lane_access *a)
{
    struct wt_observer *o = m->observer;
    struct wt_observed *r = o->record;
    unsigned i = 0;
    assert(a->size >= 1 && a->size <= 128 && a->lane < m->lanes && a->kind <= WT_WATCH_ACCESS);
    if (o->count && (r->time != time || r->wave != w->id))
        wt_observe_flush(m);
    while (i < o->count &&
           (r[i].kind != a->kind || r[i].space != a->space || r[i].home != a->home ||
            r[i].size != a->size || r[i].is_scalar != a->is_scalar || r[i].lanes >> a->lane))
        i++;
    if (i == WT_OBSERVED_RECORDS) {
        wt_observe_flush(m);
        i = 0;
    }
    if (i == o->count) {
        o->count++;
        r[i].time = time;
        r[i].id = wt_machine_wave_id(m, w->id);
        r[i].wave = w->id;
        r[i].pc = a->pc;
        r[i].kind = a->kind;
        r[i].space = a->space;
        r[i].home = a->home;
        r[i].is_scalar = a->is_scalar;
        r[i].size = a->size;
        r[i].lanes = 0;
    }
    r[i].lanes |= wt_lane_bit(a->lane);
    r[i].at[a->lane] = a->at;
}
