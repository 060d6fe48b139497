/* See advice.h. */
#include "check/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "check/followed.h"
#include "check/lane_count.h"
#include "check/start.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/observe.h"

enum { PAGE = 4096, CELLS = PAGE / 4, FENCES = 8 };

/* An access of a lane. */
struct advice_access {
    uint64_t time;
    uint32_t wave; /* its number; 0: there is none */
    uint8_t lane;
    bool atomic;
};

/* The history of 4 bytes: the last store, and the last loads by two different lanes. */
struct advice_cell {
    struct advice_access store, load[2];
};

/* A space of memory: pages by their number + 1. */
struct space {
    struct wt_map pages;
};

/* A barrier or a fence in the code, with what is said of it. */
struct advice_site {
    struct wt_finding finding;
    bool needed;
};

/* A wave, as long as a launch is there. */
struct advice_wave {
    uint64_t home;
    uint64_t opened[2];        /* when it went on from its last barrier, and the one before */
    uint32_t arrived, barrier; /* sites + 1: where it waits; of opened[0] */
    uint32_t fence[FENCES];    /* sites + 1 */
    uint64_t fenced[FENCES];   /* when it executed them last */
};

struct wt_check_advice {
    struct wt_machine *machine;
    wt_found_fn *found;
    void *context;
    struct wt_followed run;
    struct wt_lane_count *counted;
    struct wt_map spaces; /* home + 2, or 1 of global memory: struct space */
    struct wt_map at;     /* pc + 1 -> site + 1 */
    struct advice_site *site;
    size_t sites, site_room;
    struct advice_wave *wave; /* by number, from 1 */
    size_t waves, wave_room;
    uint64_t *id;     /* the id of the wave in each slot */
    uint32_t *number; /* its number */
    uint32_t launches;
};

/* ---- memory ---- */

static void free_space(void *space)
{
    struct space *s = space;
    wt_map_free_blocks(&s->pages, free);
    free(s);
}

/* Forgets all accesses; keeps which barriers and fences were needed. */
static void forget_accesses(struct wt_check_advice *c)
{
    wt_map_free_blocks(&c->spaces, free_space);
    c->waves = 0;
    c->launches = 0;
    wt_lane_count_forget(c->counted);
    memset(c->id, 0, c->machine->waves * sizeof *c->id);
}

static void forget(void *context, uint64_t time)
{
    (void)time;
    forget_accesses(context);
}

static uint32_t number_of(struct wt_check_advice *c, uint32_t slot, uint64_t id, uint64_t home)
{
    if (c->id[slot] == id && id)
        return c->number[slot];
    struct advice_wave *grown = wt_array_grow(c->wave, &c->wave_room, c->waves + 1, sizeof *grown);
    if (!grown) {
        c->run.lost = true;
        return 0;
    }
    c->wave = grown;
    grown[c->waves] = (struct advice_wave){.home = home};
    c->id[slot] = id;
    return c->number[slot] = (uint32_t)++c->waves;
}

/* ---- sites ---- */

/* The number + 1 of the site of an event, which is executed; 0: without host memory. */
static uint32_t site_of(struct wt_check_advice *c, const struct wt_observed_event *e)
{
    uint64_t *there = wt_map_add(&c->at, e->pc + 1);
    struct advice_site *grown =
        there ? wt_array_grow(c->site, &c->site_room, c->sites + 1, sizeof *grown) : NULL;
    if (!grown) {
        c->run.lost = true;
        return 0;
    }
    c->site = grown;
    if (!*there) {
        const enum wt_finding_kind kind =
            e->kind == WT_SEEN_FENCE ? WT_FOUND_IDLE_FENCE : WT_FOUND_IDLE_BARRIER;
        struct wt_finding f = {.kind = kind,
                               .severity = wt_finding_severity(kind, false),
                               .access = WT_NO_ACCESS,
                               .other.access = WT_NO_ACCESS,
                               .pc = e->pc,
                               .time = e->time};
        wt_finding_of_wave(&f, c->machine, e->wave, e->lanes);
        grown[c->sites] = (struct advice_site){.finding = f};
        *there = ++c->sites;
    }
    grown[*there - 1].finding.times++;
    return (uint32_t)*there;
}

static void need(struct wt_check_advice *c, uint32_t site)
{
    if (site)
        c->site[site - 1].needed = true;
}

/* ---- conflicts ---- */

static void need_fences(struct wt_check_advice *c, const struct advice_wave *w, uint64_t since)
{
    for (unsigned i = 0; i < FENCES; i++)
        if (w->fenced[i] >= since)
            need(c, w->fence[i]);
}

/* An access that conflicts with an earlier one: what lies between them is needed. Of several
 * barriers between, each alone would do, so that none is. */
static void conflict(struct wt_check_advice *c, const struct advice_access *now,
                     const struct advice_access *then)
{
    struct advice_wave *mine = &c->wave[now->wave - 1], *theirs = &c->wave[then->wave - 1];
    if (mine->home == theirs->home && then->time >= mine->opened[1] &&
        then->time < mine->opened[0]) {
        need(c, mine->barrier);
        need(c, theirs->barrier);
    }
    if (now->wave == then->wave || (now->atomic && then->atomic))
        return;
    need_fences(c, mine, then->time);
    need_fences(c, theirs, then->time);
}

static bool is_other(const struct advice_access *a, const struct advice_access *b)
{
    return a->wave && (a->wave != b->wave || a->lane != b->lane);
}

static void take_cell(struct wt_check_advice *c, struct advice_cell *cell,
                      const struct advice_access *now, bool loads, bool stores)
{
    if (is_other(&cell->store, now))
        conflict(c, now, &cell->store);
    for (unsigned i = 0; stores && i < 2; i++)
        if (is_other(&cell->load[i], now))
            conflict(c, now, &cell->load[i]);
    if (stores) {
        cell->store = *now;
        cell->load[0].wave = cell->load[1].wave = 0;
    } else if (loads) {
        if (is_other(&cell->load[0], now))
            cell->load[1] = cell->load[0];
        cell->load[0] = *now;
    }
}

static void take(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_check_advice *c = context;
    if (a->space == WT_OBSERVED_PRIVATE || a->space <= WT_OBSERVED_GROUP)
        wt_lane_count_access(c->counted, a);
    if ((a->space != WT_OBSERVED_GLOBAL && a->space != WT_OBSERVED_GROUP) ||
        wt_followed_is_past(&c->run, m->resets, m->known, a->time, forget, c) ||
        !wt_machine_checks(m, a->launch))
        return;
    struct space *space = wt_map_block(&c->spaces, a->space == WT_OBSERVED_GROUP ? a->home + 2 : 1,
                                       sizeof(struct space));
    struct advice_access now = {.time = a->time,
                                .wave = number_of(c, a->wave, a->id, a->group),
                                .atomic = a->kind == WT_WATCH_ACCESS || a->order != WT_ORDER_PLAIN};
    for (wt_lanes left = a->lanes; left && space && now.wave; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        const uint64_t first = a->at[lane] & ~UINT64_C(3);
        now.lane = (uint8_t)lane;
        for (uint64_t at = first; at < a->at[lane] + a->size; at += 4) {
            struct advice_cell *page =
                wt_map_block(&space->pages, at / PAGE + 1, CELLS * sizeof *page);
            if (page)
                take_cell(c, &page[at % PAGE / 4], &now, a->kind == WT_WATCH_READ,
                          a->kind != WT_WATCH_READ);
            c->run.lost |= !page;
        }
    }
    c->run.lost |= !space;
}

static void before(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct wt_check_advice *c = context;
    if (!wt_followed_is_past(&c->run, m->resets, m->known, i->time, forget, c) &&
        wt_machine_checks(m, wt_machine_launch_of(m, wt_machine_wave(m, i->wave))))
        wt_lane_count_issue(c->counted, i);
}

static void after(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct wt_check_advice *c = context;
    (void)m;
    (void)i;
    wt_lane_count_issued(c->counted);
}

/* ---- what orders ---- */

static void fence(struct wt_check_advice *c, struct advice_wave *w,
                  const struct wt_observed_event *e)
{
    const uint32_t site = site_of(c, e);
    unsigned oldest = 0;
    for (unsigned i = 0; i < FENCES; i++) {
        if (w->fence[i] == site || !w->fence[i]) {
            oldest = i;
            break;
        }
        oldest = w->fenced[i] < w->fenced[oldest] ? i : oldest;
    }
    if (w->fence[oldest] && w->fence[oldest] != site)
        need(c, w->fence[oldest]); /* it is not followed any more */
    w->fence[oldest] = site;
    w->fenced[oldest] = e->time;
}

static void event(void *context, struct wt_machine *m, const struct wt_observed_event *e)
{
    struct wt_check_advice *c = context;
    if (wt_followed_is_past(&c->run, m->resets, m->known, e->time, forget, c))
        return;
    wt_lane_count_event(c->counted, e);
    if (e->kind == WT_SEEN_LAUNCH)
        c->launches++;
    if (e->kind == WT_SEEN_LAUNCH_END && c->launches && !--c->launches)
        forget_accesses(c);
    if (e->kind != WT_SEEN_FENCE && e->kind != WT_SEEN_ARRIVE && e->kind != WT_SEEN_RELEASE)
        return;
    const uint32_t number = number_of(c, e->wave, e->id, e->home);
    if (!number || e->barrier == WT_BARRIER_LANES || !wt_machine_checks(m, e->launch))
        return;
    struct advice_wave *w = &c->wave[number - 1];
    if (e->kind == WT_SEEN_FENCE) {
        fence(c, w, e);
    } else if (e->kind == WT_SEEN_ARRIVE) {
        w->arrived = site_of(c, e);
    } else {
        w->opened[1] = w->opened[0];
        w->opened[0] = e->time;
        w->barrier = w->arrived;
    }
}

/* ---- beginning and end ---- */

void wt_check_advice_tell(struct wt_check_advice *c)
{
    for (size_t i = 0; !c->run.lost && i < c->sites; i++) {
        struct wt_finding *f = &c->site[i].finding;
        if (c->site[i].needed)
            continue;
        snprintf(f->text, sizeof f->text,
                 f->kind == WT_FOUND_IDLE_FENCE
                     ? "no other wave has accessed what it orders, in this run"
                     : "no lane has accessed what another one has right before it, in this run");
        c->found(c->context, f);
    }
    if (!c->run.lost)
        wt_lane_count_tell(c->counted);
    c->run.lost = true;
}

struct wt_check_advice *wt_check_advice_begin(const struct wt_check_start *start)
{
    struct wt_machine *m = start->machine;
    struct wt_check_advice *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct wt_check_advice){
        .machine = m, .found = start->found, .context = start->context, .run.resets = m->resets};
    c->id = calloc(m->waves, sizeof *c->id);
    c->number = calloc(m->waves, sizeof *c->number);
    c->counted = wt_lane_count_begin(start);
    if (c->id && c->number && c->counted && wt_observe_beneath(m, take, before, after, c)) {
        wt_groups_observe(m, event);
        return c;
    }
    wt_check_advice_free(c);
    return NULL;
}

void wt_check_advice_free(struct wt_check_advice *c)
{
    if (!c)
        return;
    if (c->id && c->counted)
        forget_accesses(c);
    wt_lane_count_free(c->counted);
    wt_map_free(&c->at);
    free(c->site);
    free(c->wave);
    free(c->id);
    free(c->number);
    free(c);
}

void wt_check_advice_end(struct wt_check_advice *c)
{
    if (c) {
        wt_check_advice_tell(c);
        wt_observe_beneath(c->machine, NULL, NULL, NULL, c);
    }
    wt_check_advice_free(c);
}
