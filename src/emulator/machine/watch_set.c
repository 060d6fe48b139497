/* The set of what is watched on a machine. See watch_set.h. */
#include "emulator/machine/watch_set.h"

#include <stdlib.h>
#include <string.h>

/* ---- the set ---- */

static bool add_watch(struct wt_machine *m, struct wt_watch_set *set, const struct wt_watch *watch,
                      wt_watch_range_fn range)
{
    const uint64_t first = watch->addr, span = watch->size ? watch->size - 1 : 0;
    const uint64_t last = span > UINT64_MAX - first ? UINT64_MAX : first + span;
    switch (watch->kind) {
    case WT_WATCH_WRITE:
        return range(m, watch, first, last, &set->write);
    case WT_WATCH_READ:
        return range(m, watch, first, last, &set->read);
    case WT_WATCH_ACCESS:
        return range(m, watch, first, last, &set->read) &&
               range(m, watch, first, last, &set->write);
    case WT_WATCH_EXECUTE: /* fetched from global memory, whoever does it */
        return wt_spans_add(&set->execute, WT_SPACE_GLOBAL, first, last);
    case WT_WATCH_ISSUE:
        if (!set->issue)
            set->issue = calloc((m->waves + 63) / 64, sizeof *set->issue);
        if (set->issue && watch->wave < m->waves)
            set->issue[watch->wave / 64] |= (uint64_t)1 << (watch->wave % 64);
        return set->issue != NULL;
    }
    return true;
}

static void free_set(struct wt_watch_set *set)
{
    if (!set)
        return;
    wt_spans_free(&set->read);
    wt_spans_free(&set->write);
    wt_spans_free(&set->execute);
    free(set->issue);
    wt_turns_free(&set->turns);
    free(set);
}

static struct wt_watch_set *new_set(struct wt_machine *m, const struct wt_watch *list, size_t count,
                                    const struct wt_turns *turns, wt_watch_range_fn range)
{
    struct wt_watch_set *set = calloc(1, sizeof *set);
    bool ok = set != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = add_watch(m, set, &list[i], range);
    if (ok && (set->issue || set->execute.count))
        ok = set->places = wt_turns_init(&set->turns, &turns->policy, m->waves);
    if (!ok) {
        free_set(set);
        return NULL;
    }
    wt_spans_sort(&set->read);
    wt_spans_sort(&set->write);
    wt_spans_sort(&set->execute);
    return set;
}

bool wt_watch_set_replace(struct wt_machine *m, const struct wt_watch *list, size_t count,
                          const struct wt_turns *turns, wt_watch_range_fn range)
{
    free_set(m->watch);
    m->watch = NULL;
    wt_watch_set_forget(m);
    if (!count)
        return true;
    if (!m->hit)
        m->hit = calloc(WT_WATCH_HITS, sizeof *m->hit);
    m->watch = m->hit ? new_set(m, list, count, turns, range) : NULL;
    return m->watch != NULL;
}

void wt_watch_set_free(struct wt_machine *m)
{
    free_set(m->watch);
    free(m->hit);
    m->watch = NULL;
    m->hit = NULL;
}

void wt_watch_set_forget(struct wt_machine *m)
{
    m->hits = 0;
    if (m->watch)
        m->watch->told = false;
}

void wt_watch_pin(struct wt_machine *m, struct wt_watch *list, size_t count)
{
    for (size_t i = 0; m->ops->home && i < count; i++)
        if (list[i].kind <= WT_WATCH_ACCESS && list[i].home == WT_HOME_NOW)
            list[i].home = m->ops->home(m, list[i].wave, list[i].addr);
}

/* ---- what is met ---- */

/* Room for one more; NULL if there is none. */
static struct wt_watch_hit *add_hit(struct wt_machine *m, const struct wt_issue *issue,
                                    enum wt_watch_kind kind)
{
    if (m->hits == WT_WATCH_HITS)
        return NULL;
    struct wt_watch_hit *hit = &m->hit[m->hits++];
    *hit = (struct wt_watch_hit){.kind = kind,
                                 .time = issue->time,
                                 .wave = issue->wave,
                                 .mask = issue->mask,
                                 .pc = issue->pc};
    return hit;
}

void wt_watch_set_access(struct wt_machine *m, const struct wt_issue *issue,
                         enum wt_watch_kind kind, unsigned lane, uint64_t addr, unsigned size,
                         const uint8_t *before, const uint8_t *after)
{
    struct wt_watch_hit *hit = add_hit(m, issue, kind);
    if (!hit)
        return;
    hit->lane = lane;
    hit->addr = addr;
    hit->size = size;
    memcpy(hit->before, before, size);
    memcpy(hit->after, after, size);
}

static void add_place(struct wt_machine *m, const struct wt_issue *issue, enum wt_watch_kind kind)
{
    struct wt_watch_hit *hit = add_hit(m, issue, kind);
    if (!hit)
        return;
    hit->lane = issue->mask ? wt_lanes_lowest(issue->mask) : 0;
    hit->addr = issue->pc;
}

void wt_watch_set_place(struct wt_machine *m, const struct wt_issue *issue, bool wave,
                        bool instruction)
{
    if (wave)
        add_place(m, issue, WT_WATCH_ISSUE);
    if (instruction)
        add_place(m, issue, WT_WATCH_EXECUTE);
}

bool wt_watch_set_told(struct wt_watch_set *set, const struct wt_issue *issue)
{
    if (set->told && set->told_time == issue->time && set->told_wave == issue->wave &&
        set->told_pc == issue->pc)
        return true;
    set->told = true;
    set->told_time = issue->time;
    set->told_wave = issue->wave;
    set->told_pc = issue->pc;
    return false;
}

/* ---- around a run ---- */

void wt_watch_set_run(struct wt_machine *m, bool running)
{
    if (!m->watch)
        return;
    m->watch->running = running;
    if (running)
        m->hits = 0;
}

void wt_watch_set_keep_turns(struct wt_watch_set *set, const struct wt_turns *turns)
{
    wt_turns_copy(&set->turns, turns);
}

void wt_watch_set_undo_turns(const struct wt_watch_set *set, struct wt_turns *turns)
{
    wt_turns_copy(turns, &set->turns);
}
