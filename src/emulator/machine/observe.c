/* Records of accesses. See observe.h. */
#include "emulator/machine/observe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/watch_set.h"

/* Takes the observer away that is not beneath others. */
static void drop_upper(struct wt_machine *m)
{
    struct wt_observer *upper = m->observer;
    if (!upper || upper->stays)
        return;
    m->observer = upper->beneath;
    free(upper);
}

bool wt_observe(struct wt_machine *m, wt_observe_fn *fn, void *context, const struct wt_watch *list,
                size_t count)
{
    assert(!m->in_turn);
    drop_upper(m);
    struct wt_observer *beneath = m->observer, *o = fn ? calloc(1, sizeof *o) : NULL;
    const bool ok =
        wt_watch_set_observe(m, o || beneath, beneath ? NULL : list, beneath ? 0 : count) &&
        (o || !fn);
    if (ok && o)
        *(m->observer = o) = (struct wt_observer){.fn = fn, .context = context, .beneath = beneath};
    else
        free(o);
    return ok;
}

/* Takes the observer of a context away. */
static void drop(struct wt_machine *m, const void *context)
{
    struct wt_observer **o = &m->observer;
    while (*o && (*o)->context != context)
        o = &(*o)->beneath;
    struct wt_observer *gone = *o;
    if (gone)
        *o = gone->beneath;
    free(gone);
}

bool wt_observe_beneath(struct wt_machine *m, wt_observe_fn *fn, wt_observe_issue_fn *before,
                        wt_observe_issue_fn *after, void *context)
{
    assert(!m->in_turn && (!m->observer || m->observer->stays));
    if (!fn) {
        drop(m, context);
        return wt_watch_set_observe(m, m->observer, NULL, 0);
    }
    if (!wt_observe(m, fn, context, NULL, 0))
        return false;
    m->observer->stays = true;
    if (after)
        wt_observe_issues(m, before, after);
    return true;
}

void wt_observe_free(struct wt_machine *m)
{
    while (m->observer) {
        struct wt_observer *beneath = m->observer->beneath;
        free(m->observer);
        m->observer = beneath;
    }
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

void wt_observe_events(struct wt_machine *m, wt_observe_event_fn *fn)
{
    assert(m->observer);
    m->observer->event = fn;
}

/* The issue time of the instruction that is being executed. Where debug hardware lets a wave step,
 * it is no scheduler's current one, but the turn is one issue long. */
static uint64_t event_time(const struct wt_machine *m)
{
    if (!m->in_turn || m->slice == 1)
        return m->time;
    return m->time + m->slice - wt_machine_wave(m, m->turns.current)->left - 1;
}

/* Hands over the records of the last instruction, at the end of a turn. */
static void flush(struct wt_machine *m)
{
    struct wt_observer *top = m->observer;
    for (unsigned i = 0; i < top->count; i++)
        for (const struct wt_observer *o = top; o; o = o->beneath)
            o->fn(o->context, m, &top->record[i]);
    top->count = 0;
}

void wt_observe_tell(struct wt_machine *m, struct wt_observed_event *event)
{
    bool taken = false;
    if (m->observer->count)
        flush(m);
    event->time = event_time(m);
    for (const struct wt_observer *o = m->observer; o; o = o->beneath)
        if (o->event) {
            o->event(o->context, m, event);
            taken = true;
        }
    assert(taken);
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

uint64_t wt_observe_before(struct wt_machine *m, const struct wt_issue *issue)
{
    uint64_t most = UINT64_MAX;
    unsigned asked = 0;
    m->observer->halts = NULL;
    m->observer->attends = false;
    for (struct wt_observer *o = m->observer; o; o = o->beneath) {
        o->most = 1;
        o->may = NULL;
        if (o->before)
            o->before(o->context, m, issue);
        asked += o->issue != NULL;
        if (o->issue && o->most < most)
            most = o->most;
    }
    for (const struct wt_observer *o = m->observer; o && asked == 1; o = o->beneath)
        if (o->issue && o->may) {
            m->observer->halts = o->may;
            most = UINT64_MAX;
        }
    m->observer->each = asked && most == 1;
    return most;
}

void wt_observe_skip(struct wt_machine *m, const void *context, uint64_t issues)
{
    for (struct wt_observer *o = m->observer; o; o = o->beneath)
        if (o->context == context && o->before)
            o->most = issues;
}

void wt_observe_stay(struct wt_machine *m, const void *context, const uint64_t *halts)
{
    for (struct wt_observer *o = m->observer; o; o = o->beneath)
        if (o->context == context && o->before)
            o->may = halts;
}

void wt_observe_attend(struct wt_machine *m)
{
    m->observer->attends = true;
}

bool wt_observe_called(struct wt_machine *m)
{
    if (m->observer->count)
        flush(m);
    return m->observer->attends;
}

void wt_observe_after(struct wt_machine *m, const struct wt_issue *issue, bool issued)
{
    m->observer->each = false;
    m->observer->halts = NULL;
    flush(m);
    for (const struct wt_observer *o = m->observer; issued && o; o = o->beneath)
        if (o->issue)
            o->issue(o->context, m, issue);
}

/* A record for accesses to come; its addresses are not set. */
static inline __attribute__((always_inline)) struct wt_observed *
new_record(struct wt_machine *m, const struct wt_wave_head *w, uint64_t time,
           const struct wt_lane_access *a)
{
    struct wt_observer *o = m->observer;
    if (o->count == WT_OBSERVED_RECORDS)
        flush(m);
    struct wt_observed *r = &o->record[o->count++];
    r->time = time;
    r->id = wt_machine_wave_id(m, w->id);
    r->wave = w->id;
    r->launch = wt_machine_launch_of(m, w);
    r->group = w->group ? w->group->home : WT_HOME_NOW;
    r->pc = a->pc;
    r->kind = a->kind;
    r->space = a->space;
    r->home = a->home;
    r->is_scalar = a->is_scalar;
    r->of_wave = a->of_wave;
    r->owner = a->owner;
    r->order = a->order;
    r->scope = a->scope;
    r->size = a->size;
    r->is_row = false;
    r->lanes = 0;
    return r;
}

/* Whether records are there that are of another instruction. */
static bool has_older(const struct wt_observer *o, const struct wt_wave_head *w, uint64_t time)
{
    return o->count && (o->record[0].time != time || o->record[0].wave != w->id);
}

uint64_t *wt_observe_row(struct wt_machine *m, const struct wt_wave_head *w, uint64_t time,
                         const struct wt_lane_access *a, wt_lanes lanes)
{
    assert(a->size >= 1 && a->size <= 128 && lanes && a->kind <= WT_WATCH_ACCESS);
    if (has_older(m->observer, w, time))
        flush(m);
    struct wt_observed *r = new_record(m, w, time, a);
    r->lanes = lanes;
    r->is_row = a->is_row;
    return r->at;
}

/* wt_observed.is_row */
static bool is_row(const struct wt_observed *r)
{
    const unsigned count = r->lanes + 1 ? wt_lanes_lowest(r->lanes + 1) : WT_MAX_LANES;
    const uint64_t first = r->at[0], step = r->size;
    uint64_t differ = 0;
    if (r->lanes & (r->lanes + 1) || r->at[count - 1] != first + (count - 1) * step)
        return false;
    for (unsigned i = 0; i < count; i++)
        differ |= r->at[i] ^ (first + i * step);
    return !differ;
}

void wt_observe_lanes(struct wt_machine *m, const struct wt_wave_head *w, uint64_t time,
                      const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at)
{
    memcpy(wt_observe_row(m, w, time, a, lanes), at, m->lanes * sizeof *at);
    struct wt_observed *r = &m->observer->record[m->observer->count - 1];
    r->is_row = a->is_row || is_row(r);
    wt_observe_stored(m, a->kind);
}

void wt_observe_stored(struct wt_machine *m, enum wt_watch_kind kind)
{
    if (kind == WT_WATCH_WRITE && !m->observer->each && !m->observer->halts)
        flush(m);
}

bool wt_observe_lane(struct wt_machine *m, const struct wt_wave_head *w, uint64_t time,
                     const struct wt_lane_access *a)
{
    struct wt_observer *o = m->observer;
    struct wt_observed *r = o->record;
    unsigned i = 0;
    assert(a->size >= 1 && a->size <= 128 && a->lane < m->lanes && a->kind <= WT_WATCH_ACCESS);
    if (has_older(o, w, time))
        flush(m);
    while (i < o->count &&
           (r[i].kind != a->kind || r[i].space != a->space || r[i].home != a->home ||
            r[i].size != a->size || r[i].is_scalar != a->is_scalar || r[i].order != a->order ||
            r[i].lanes >> a->lane))
        i++;
    r = i < o->count ? &o->record[i] : new_record(m, w, time, a);
    r->lanes |= wt_lane_bit(a->lane);
    r->at[a->lane] = a->at;
    return a->kind == WT_WATCH_WRITE && !o->each && !o->halts &&
           (r->of_wave || r->lanes & (r->lanes - 1));
}
