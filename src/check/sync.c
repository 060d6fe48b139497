/* See sync.h. */
#include "check/sync.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/race.h"
#include "check/start.h"
#include "check/sync_state.h"
#include "emulator/machine/trail.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/memory_model.h"

static const char *const on_without = "lanes continue without it",
                         *const on_without_mask = "the mask names lanes that continue without it";

/* ---- groups and waves ---- */

static void free_group(void *group)
{
    struct sync_group *g = group;
    for (size_t i = 0; i < g->waves; i++) {
        free(g->wave[i]->call);
        free(g->wave[i]);
    }
    free(g->wave);
    free(g->access);
    free(g->copy);
    free(g->count);
    wt_map_free(&g->by_place);
    free(g);
}

static void begin_anew(struct wt_check_sync *s)
{
    wt_map_free_blocks(&s->groups, free_group);
    memset(s->of, 0, s->machine->waves * sizeof(*s->of));
    memset(s->group_of, 0, s->machine->waves * sizeof(*s->group_of));
    memset(s->wait, 0, s->machine->waves * sizeof *s->wait);
    s->others.counts = 0;
}

/* Groups that are there are looked at no more. */
static void forget(void *context, uint64_t time)
{
    (void)time;
    begin_anew(context);
}

static bool is_past(struct wt_check_sync *s, uint64_t time)
{
    return wt_followed_is_past(&s->run, s->machine->resets, s->machine->known, time, forget, s);
}

static void tell_lost(struct wt_check_sync *s)
{
    struct wt_finding f = {.kind = WT_FOUND_DEADLOCK,
                           .severity = wt_finding_severity(WT_FOUND_DEADLOCK, true),
                           .space = WT_FOUND_HOST,
                           .access = WT_NO_ACCESS,
                           .text = "the host has no memory: barriers are looked at no more",
                           .times = 1};
    s->run.lost = true;
    s->found(s->context, &f);
}

static struct sync_group *group_at(const struct wt_check_sync *s, uint64_t home)
{
    const uint64_t *there = wt_map_find(&s->groups, home);
    return there ? (struct sync_group *)(uintptr_t)*there : NULL;
}

static void begin_group(struct wt_check_sync *s, const struct wt_observed_event *e)
{
    if (!wt_machine_checks(s->machine, e->launch) || group_at(s, e->home))
        return;
    struct sync_group *g = calloc(1, sizeof *g);
    uint64_t *there = g ? wt_map_add(&s->groups, e->home) : NULL;
    if (!there) {
        free(g);
        tell_lost(s);
        return;
    }
    g->home = e->home;
    g->launch = e->launch;
    *there = (uint64_t)(uintptr_t)g;
}

static void begin_wave(struct wt_check_sync *s, const struct wt_observed_event *e)
{
    struct wt_machine *m = s->machine;
    struct sync_group *g = group_at(s, e->home);
    const struct wt_wave_head *head = wt_machine_wave(m, e->wave);
    s->wait[e->wave].place.id = 0;
    s->of[e->wave] = NULL;
    s->group_of[e->wave] = NULL;
    if (!g || !head->group)
        return;
    struct sync_wave *w = calloc(1, sizeof *w);
    struct sync_wave **grown =
        w ? wt_array_grow(g->wave, &g->wave_room, g->waves + 1, sizeof(*grown)) : NULL;
    if (!grown) {
        free(w);
        tell_lost(s);
        return;
    }
    g->wave = grown;
    g->wave[g->waves++] = w;
    g->entry = m->groups.ops->entry(m, head->group);
    w->id = e->id;
    w->lanes = e->lanes;
    wt_machine_wave_name(m, e->wave, &w->name);
    s->of[e->wave] = w;
    s->group_of[e->wave] = g;
}

/* ---- calls ---- */

/* Where a lane's calls come back to, as one number. */
static uint64_t chain_of(const struct sync_wave *w, unsigned lane)
{
    uint64_t chain = 0;
    for (size_t i = 0; i < w->calls; i++)
        if (wt_has_lane(w->call[i].lanes, lane))
            chain = (chain ^ w->call[i].to) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    return chain;
}

/* Where the kernel itself is while a lane is at @p pc. */
static uint64_t site_of(const struct sync_wave *w, unsigned lane, uint64_t pc)
{
    for (size_t i = 0; i < w->calls; i++)
        if (wt_has_lane(w->call[i].lanes, lane))
            return w->call[i].to;
    return pc;
}

static void begin_call(struct wt_check_sync *s, struct sync_wave *w,
                       const struct wt_observed_event *e)
{
    struct sync_call *grown = wt_array_grow(w->call, &w->call_room, w->calls + 1, sizeof *grown);
    if (!grown) {
        tell_lost(s);
        return;
    }
    w->call = grown;
    grown[w->calls++] = (struct sync_call){e->to, e->lanes};
}

/* Lanes go where a call comes back to, from that one and those that it has made; else it is no end
 * of a call. */
static void end_call(struct sync_wave *w, const struct wt_observed_event *e)
{
    size_t n = w->calls;
    while (n > 0 && !(w->call[n - 1].to == e->to && w->call[n - 1].lanes & e->lanes))
        n--;
    for (size_t i = n ? n - 1 : w->calls; i < w->calls; i++)
        w->call[i].lanes &= ~e->lanes;
    while (w->calls && !w->call[w->calls - 1].lanes)
        w->calls--;
}

static struct sync_place place_of(struct wt_check_sync *s, const struct wt_observed_event *e,
                                  wt_lanes lanes)
{
    struct sync_place place = {
        .pc = e->pc, .time = e->time, .lanes = lanes, .wave = e->wave, .id = e->id};
    const struct sync_wave *w = s->of[e->wave];
    if (w && w->id == e->id) {
        place.name = w->name;
        place.chain = lanes ? chain_of(w, wt_lanes_lowest(lanes)) : 0;
        place.site = lanes ? site_of(w, wt_lanes_lowest(lanes), e->pc) : e->pc;
    } else {
        wt_machine_wave_name(s->machine, e->wave, &place.name);
    }
    if (lanes)
        wt_trail_of(s->machine, e->wave, wt_lanes_lowest(lanes), place.back);
    return place;
}

/* ---- who goes on without a barrier ---- */

static uint64_t key_of(uint64_t pc, uint64_t wave)
{
    return pc << 10 | (wave + 1);
}

static uint32_t number_of(const struct sync_group *g, const struct sync_wave *w)
{
    uint32_t n = 0;
    while (g->wave[n] != w)
        n++;
    return n;
}

/* The accesses of a wave at @p pc since the last barrier, which are noted. */
static struct sync_access *note_access(struct wt_check_sync *s, struct sync_group *g,
                                       struct sync_wave *w, uint64_t pc, wt_lanes lanes)
{
    unsigned *recent = &w->recent[pc / 4 % SYNC_RECENT];
    struct sync_access *one = *recent ? &g->access[*recent - 1] : NULL;
    if (!one || one->pc != pc) {
        const uint32_t number = number_of(g, w);
        uint64_t *there = wt_map_add(&g->by_place, key_of(pc, number));
        if (!there)
            return NULL;
        if (!*there) {
            struct sync_access *grown =
                wt_array_grow(g->access, &g->access_room, g->accesses + 1, sizeof *grown);
            if (!grown)
                return NULL;
            g->access = grown;
            grown[g->accesses++] = (struct sync_access){pc, site_of(w, wt_lanes_lowest(lanes), pc),
                                                        number, g->rounds, 0};
            *there = g->accesses;
        }
        *recent = (unsigned)*there;
        one = &g->access[*recent - 1];
    }
    if (one->round != g->rounds)
        one->lanes = 0;
    one->round = g->rounds;
    one->lanes |= lanes;
    return one;
}

/* Lanes @p set of a wave do not execute what is at @p place, and have gone on, or go on, elsewhere:
 * where others come by behind it, they have gone on without it. @p takes_part: lanes of each wave
 * that have executed it. */
static void note_left(struct sync_group *g, uint32_t wave, wt_lanes set, enum wt_finding_kind kind,
                      const struct sync_place *place, const char *text,
                      wt_lanes (*takes_part)(const struct sync_group *g, uint32_t wave,
                                             const struct sync_place *place))
{
    for (size_t i = 0; i < g->accesses && g->lefts < SYNC_LEFT; i++) {
        const struct sync_access *one = &g->access[i];
        bool before = false;
        const bool behind =
            one->site == place->site ? one->pc > place->pc : one->site > place->site;
        if (one->wave != wave || one->round != g->rounds || !(one->lanes & set) || !behind)
            continue;
        for (size_t k = 0; k < g->accesses && !before; k++)
            before = g->access[k].pc == one->pc && g->access[k].round == g->rounds &&
                     g->access[k].lanes & takes_part(g, g->access[k].wave, place);
        if (!before)
            g->left[g->lefts++] = (struct sync_left){.kind = kind,
                                                     .pc = one->pc,
                                                     .place = *place,
                                                     .gone = {.pc = one->pc,
                                                              .time = place->time,
                                                              .lanes = one->lanes & set,
                                                              .id = g->wave[wave]->id,
                                                              .name = g->wave[wave]->name},
                                                     .round = g->rounds,
                                                     .text = text};
    }
}

static wt_lanes have_arrived(const struct sync_group *g, uint32_t wave,
                             const struct sync_place *place)
{
    (void)place;
    return g->wave[wave]->arrived;
}

static void drop_left(struct sync_group *g, uint64_t pc, enum wt_finding_kind kind)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < g->lefts; i++)
        if (g->left[i].place.pc != pc || g->left[i].kind != kind)
            g->left[kept++] = g->left[i];
    g->lefts = kept;
}

/* Whether one of some lanes has executed what others have gone on without. */
static bool has_executed(const struct sync_left *one, const struct sync_wave *w, wt_lanes lanes)
{
    if (one->kind == WT_FOUND_SYNC_MASK)
        return one->place.id == w->id && lanes & one->place.lanes;
    lanes &= ~w->behind;
    return lanes && w->passed[wt_lanes_lowest(lanes)] > one->round;
}

/* Lanes of a wave come by where others have gone on without what these have executed. */
static void look_for_left(struct wt_check_sync *s, struct sync_group *g, const struct sync_wave *w,
                          uint64_t pc, wt_lanes lanes)
{
    for (unsigned i = 0; i < g->lefts; i++) {
        const struct sync_left *one = &g->left[i];
        if (one->pc != pc || !has_executed(one, w, lanes))
            continue;
        sync_report(s, g, one->kind, one->kind == WT_FOUND_SYNC_MASK && s->apart && !one->read,
                    &one->place, &one->gone, one->text);
        drop_left(g, one->place.pc, one->kind);
        return;
    }
}

/* ---- barriers of all of a group ---- */

static struct sync_round *round_of(struct sync_group *g, uint32_t number)
{
    return g->rounds < number + SYNC_ROUNDS ? &g->round[number % SYNC_ROUNDS] : NULL;
}

/* Of lanes that the round has been without: those that have passed the same barrier before, in a
 * loop, which they have left, or in which they have skipped it. */
static wt_lanes were_there_before(struct sync_group *g, const struct sync_wave *w, wt_lanes missing)
{
    const struct sync_round *now = &g->round[g->rounds % SYNC_ROUNDS];
    wt_lanes found = 0;
    for (wt_lanes left = missing; left; left &= left - 1) {
        uint32_t n = w->passed[wt_lanes_lowest(left)];
        const struct sync_round *before = NULL;
        while (n && (before = round_of(g, --n)) && !sync_is_same(&before->place, &now->place))
            continue;
        if (before && sync_is_same(&before->place, &now->place))
            found |= wt_lane_bit(wt_lanes_lowest(left));
    }
    return found;
}

static void judge_missing(struct wt_check_sync *s, struct sync_group *g, uint32_t number,
                          wt_lanes missing)
{
    struct sync_wave *w = g->wave[number];
    const struct sync_round *round = &g->round[g->rounds % SYNC_ROUNDS];
    struct sync_place gone = round->place;
    gone.id = w->id;
    gone.name = w->name;
    if (s->strict) {
        gone.lanes = missing;
        sync_report(s, g, WT_FOUND_MISSED_BARRIER, false, &round->place, &gone,
                    "work-items do not reach it, or have ended");
        return;
    }
    note_left(g, number, missing, WT_FOUND_MISSED_BARRIER, &round->place, on_without, have_arrived);
    gone.lanes = were_there_before(g, w, missing);
    if (gone.lanes)
        sync_report(s, g, WT_FOUND_MISSED_BARRIER, true, &round->place, &gone,
                    "lanes do not reach it again: a mistake, unless they have ended");
    w->behind |= missing;
    w->missed = round->place;
}

/* All have gone on that waited: the round is complete. */
static void settle(struct wt_check_sync *s, struct sync_group *g)
{
    const struct sync_round *round = &g->round[g->rounds % SYNC_ROUNDS];
    const bool any = round->place.id;
    g->opening = false;
    for (size_t i = 0; any && !round->apart && !g->differs && i < g->waves; i++)
        if (g->wave[i]->lanes & ~g->wave[i]->arrived & ~g->wave[i]->behind)
            judge_missing(s, g, (uint32_t)i,
                          g->wave[i]->lanes & ~g->wave[i]->arrived & ~g->wave[i]->behind);
    for (size_t i = 0; i < g->waves; i++) {
        struct sync_wave *w = g->wave[i];
        for (wt_lanes left = w->arrived; left; left &= left - 1)
            w->passed[wt_lanes_lowest(left)]++;
        w->arrived = 0;
    }
    g->rounds += any;
}

static void be_in_step(struct sync_group *g, struct sync_wave *w, wt_lanes lanes)
{
    w->behind &= ~lanes;
    for (; lanes; lanes &= lanes - 1)
        w->passed[wt_lanes_lowest(lanes)] = g->rounds;
}

/* Lanes arrive whose next barrier is the n-th of the group: it should be the one that others have
 * there. */
static void arrive_as(struct wt_check_sync *s, struct sync_group *g, struct sync_wave *w,
                      uint32_t n, wt_lanes lanes, const struct wt_observed_event *e)
{
    struct sync_round *round = n <= g->rounds ? round_of(g, n) : NULL;
    const struct sync_place place = place_of(s, e, lanes);
    if (!round)
        return;
    if (!round->place.id) {
        *round = (struct sync_round){place, e->number, e->apart};
        g->round[(n + 1) % SYNC_ROUNDS].place.id = 0;
        return;
    }
    if ((sync_is_same(&round->place, &place) || e->apart) && round->number == e->number)
        return;
    sync_report(s, g, WT_FOUND_OTHER_BARRIER, false, &place, &round->place,
                n == g->rounds ? "others wait at another one" : "others have passed another one");
    if (n < g->rounds)
        be_in_step(g, w, lanes);
    g->differs = true; /* which lanes have missed one is not known any more */
}

static void arrive_together(struct wt_check_sync *s, struct sync_group *g, struct sync_wave *w,
                            const struct wt_observed_event *e)
{
    for (wt_lanes left = e->lanes & w->lanes, same; left; left &= ~same) {
        const uint32_t n =
            w->passed[wt_lanes_lowest(left)] + wt_has_lane(w->arrived, wt_lanes_lowest(left));
        same = 0;
        for (wt_lanes rest = left; rest; rest &= rest - 1) {
            const unsigned lane = wt_lanes_lowest(rest);
            if (w->passed[lane] + wt_has_lane(w->arrived, lane) == n &&
                (!w->calls || chain_of(w, lane) == chain_of(w, wt_lanes_lowest(left))))
                same |= wt_lane_bit(lane);
        }
        arrive_as(s, g, w, n, same, e);
    }
    w->arrived |= e->lanes & w->lanes;
}

/* ---- how many a barrier waits for ---- */

/* The counts of a barrier; NULL: it has none that are compared. */
static struct sync_group *counts_of(struct wt_check_sync *s, const struct wt_observed_event *e)
{
    return e->barrier == WT_BARRIER_GROUP  ? s->group_of[e->wave]
           : e->barrier == WT_BARRIER_CORE ? &s->others
                                           : NULL;
}

static struct sync_count *count_of(struct wt_check_sync *s, struct sync_group *g,
                                   const struct wt_observed_event *e)
{
    const uint32_t core = g == &s->others ? e->wave / s->machine->groups.waves_per_core : 0;
    for (size_t i = 0; i < g->counts; i++)
        if (g->count[i].number == e->number && g->count[i].core == core)
            return &g->count[i];
    struct sync_count *grown =
        wt_array_grow(g->count, &g->count_room, g->counts + 1, sizeof *grown);
    if (!grown)
        return NULL;
    g->count = grown;
    grown[g->counts] = (struct sync_count){.number = e->number, .core = core};
    return &grown[g->counts++];
}

static void compare_counts(struct wt_check_sync *s, struct sync_group *g,
                           const struct wt_observed_event *e)
{
    struct sync_count *count = count_of(s, g, e);
    const struct sync_place place = place_of(s, e, e->lanes);
    if (!count) {
        tell_lost(s);
    } else if (!count->place.id) {
        count->place = place;
        count->expected = e->expected;
    } else if (count->expected != e->expected) {
        sync_report(s, g, WT_FOUND_BARRIER_COUNT, false, &place, &count->place,
                    "others say another number of what it waits for");
    }
}

static void arrive(struct wt_check_sync *s, const struct wt_observed_event *e)
{
    struct sync_group *g = s->group_of[e->wave], *counts = counts_of(s, e);
    if (e->barrier == WT_BARRIER_LANES)
        return;
    s->wait[e->wave] = (struct sync_wait){.place = place_of(s, e, e->lanes),
                                          .barrier = e->barrier,
                                          .number = e->number,
                                          .expected = e->expected,
                                          .home = e->home};
    if (counts)
        compare_counts(s, counts, e);
    if (g && e->barrier == WT_BARRIER_GROUP && !e->expected)
        arrive_together(s, g, s->of[e->wave], e);
}

static void release(struct wt_check_sync *s, const struct wt_observed_event *e)
{
    struct sync_group *g = s->group_of[e->wave], *counts = counts_of(s, e);
    struct sync_count *count = counts ? count_of(s, counts, e) : NULL;
    s->wait[e->wave].place.id = 0;
    if (g && e->barrier == WT_BARRIER_GROUP && count && !count->expected)
        g->opening = true;
    if (count)
        count->place.id = 0;
}

/* ---- lanes that do something together ---- */

/* Lanes have not come that a mask names: they wait elsewhere. From 7.0 on they may wait at another
 * instruction of the kind, with the same mask. */
static void end_absence(struct wt_check_sync *s, struct sync_group *g, struct sync_wave *w,
                        const struct wt_observed_event *e)
{
    const wt_lanes come = e->lanes & w->absent_named;
    const bool there = e->kind == WT_SEEN_TOGETHER && e->named == w->absent_mask &&
                       e->number == w->absent_number && come;
    if (there) {
        const struct sync_place place = place_of(s, e, come);
        sync_report(s, g, WT_FOUND_SYNC_MASK, s->apart, &w->absent, &place,
                    "the mask names lanes that are elsewhere, as is allowed from 7.0 on alone");
        w->apart |= w->absent.lanes | come;
    } else if (come || e->kind == WT_SEEN_WAVE_END) {
        sync_report(s, g, WT_FOUND_SYNC_MASK, !come && s->apart, &w->absent, NULL,
                    "the mask names lanes that do not execute it");
    } else {
        return;
    }
    w->absent.id = 0;
}

/* Whether the kernel's code may come from one place to another one. */
static bool comes_to(struct wt_check_sync *s, uint64_t from, uint64_t to)
{
    struct wt_machine *m = s->machine;
    struct sync_way *way = &s->way[(from * 31 + to) / 8 % (sizeof s->way / sizeof *s->way)];
    if (!wt_memory_model_of(m)->comes_to)
        return true;
    if (way->from != from || way->to != to)
        *way = (struct sync_way){from, to, wt_memory_model_of(m)->comes_to(m, from, to)};
    return way->comes;
}

/* Lanes have ended that a mask names: those that had gone another way before, as what they have
 * done there shows, from which the code does not come to the instruction. Who has returned before
 * it has done nothing such. */
static void look_for_astray(struct wt_check_sync *s, struct sync_group *g, struct sync_wave *w,
                            const struct sync_place *place, wt_lanes ended)
{
    const uint32_t number = number_of(g, w);
    struct sync_place gone = {.time = place->time, .id = w->id, .name = w->name};
    w->astray = 0;
    w->astray_from = place->pc;
    for (wt_lanes left = ended; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        if (!w->together[lane] || comes_to(s, w->together[lane], place->site))
            continue;
        gone.pc = w->together[lane];
        gone.lanes |= wt_lane_bit(lane);
    }
    if (gone.lanes)
        sync_report(
            s, g, WT_FOUND_SYNC_MASK, false, place, &gone,
            "the mask names lanes that have executed another such instruction in its place");
    w->astray = gone.lanes;
    for (size_t i = 0; i < g->accesses; i++) {
        const struct sync_access *one = &g->access[i];
        if (one->wave != number || one->round != g->rounds || !(one->lanes & ended & ~w->astray) ||
            comes_to(s, one->site, place->site))
            continue;
        gone.pc = one->pc;
        gone.lanes = one->lanes & ended & ~w->astray;
        w->astray |= gone.lanes;
        sync_report(s, g, WT_FOUND_SYNC_MASK, s->apart, place, &gone, on_without_mask);
    }
}

static wt_lanes execute_now(const struct sync_group *g, uint32_t wave,
                            const struct sync_place *place)
{
    return g->wave[wave]->id == place->id ? place->lanes : 0;
}

static void together(struct wt_check_sync *s, struct sync_group *g, struct sync_wave *w,
                     const struct wt_observed_event *e)
{
    const wt_lanes out = e->lanes & ~e->named, absent = e->named & e->live & ~e->present,
                   others = e->named & e->present & ~e->lanes,
                   ended = e->named & w->lanes & ~e->live & ~w->apart;
    const struct sync_place place = place_of(s, e, out ? out : e->lanes);
    if (out)
        sync_report(s, g, WT_FOUND_SYNC_MASK, false, &place, NULL,
                    "the mask does not name the lanes that execute it");
    else if (others)
        sync_report(s, g, WT_FOUND_SYNC_MASK, false, &place, NULL,
                    "the mask names lanes that execute it with another mask");
    if (absent && !w->absent.id && (absent | e->lanes) & ~w->apart) {
        w->absent = place;
        w->absent_named = absent;
        w->absent_mask = e->named;
        w->absent_number = e->number;
    }
    if (ended) {
        look_for_astray(s, g, w, &place, ended);
        if (ended & ~w->astray)
            note_left(g, number_of(g, w), ended & ~w->astray, WT_FOUND_SYNC_MASK, &place,
                      on_without_mask, execute_now);
    }
    for (wt_lanes left = e->lanes; left; left &= left - 1)
        w->together[wt_lanes_lowest(left)] = site_of(w, wt_lanes_lowest(left), e->pc);
}

static void exchange(struct wt_check_sync *s, struct sync_group *g, const struct sync_wave *w,
                     const struct wt_observed_event *e)
{
    const struct sync_place place = place_of(s, e, e->lanes);
    for (unsigned i = 0; !e->shifts && i < g->lefts; i++)
        g->left[i].read |= g->left[i].kind == WT_FOUND_SYNC_MASK && g->left[i].place.pc == e->pc &&
                           g->left[i].gone.id == e->id && g->left[i].gone.lanes & e->named;
    if (!e->shifts && w->astray_from == e->pc && w->astray & e->named)
        sync_report(s, g, WT_FOUND_SYNC_MASK, false, &place, NULL,
                    "the mask names a lane that continues without it, and whose value is taken");
    /* Sums over lanes shift, and do not use what comes from behind the last one. */
    sync_report(s, g, WT_FOUND_INACTIVE_LANE, e->shifts, &place, NULL,
                "the value is one of a lane that does not take part");
}

/* ---- accesses and events ---- */

static void take(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_check_sync *s = context;
    struct sync_wave *w = s->of[a->wave];
    struct sync_group *g = s->group_of[a->wave];
    (void)m;
    if (!g || w->id != a->id || a->is_scalar || is_past(s, a->time) ||
        (a->space != WT_OBSERVED_GLOBAL && a->space != WT_OBSERVED_GROUP))
        return;
    if (g->opening)
        settle(s, g);
    s->wait[a->wave].place.id = 0; /* it has not waited */
    if (a->space == WT_OBSERVED_GROUP && !sync_copy_access(s, g, a))
        tell_lost(s);
    if (g->lefts)
        look_for_left(s, g, w, a->pc, a->lanes);
    if (!g->differs && w->behind && a->lanes & w->behind && a->lanes & ~w->behind) {
        const struct sync_place gone = {.pc = a->pc,
                                        .time = a->time,
                                        .lanes = a->lanes & w->behind,
                                        .id = a->id,
                                        .name = w->name};
        sync_report(s, g, WT_FOUND_MISSED_BARRIER, false, &w->missed, &gone, on_without);
        be_in_step(g, w, a->lanes & w->behind);
    }
    if (!note_access(s, g, w, a->pc, a->lanes))
        tell_lost(s);
}

static void end_wave(struct wt_check_sync *s, const struct wt_observed_event *e)
{
    struct sync_group *g = s->group_of[e->wave];
    if (g && s->of[e->wave])
        sync_copies_unwaited(s, g, place_of(s, e, s->of[e->wave]->lanes));
    s->wait[e->wave].place.id = 0;
    s->of[e->wave] = NULL;
    s->group_of[e->wave] = NULL;
    if (g && g->copies)
        sync_copies_end(s, g, e->id);
}

static void end_group(struct wt_check_sync *s, uint64_t home)
{
    struct sync_group *g = group_at(s, home);
    if (!g)
        return;
    if (g->opening)
        settle(s, g);
    sync_copies_end(s, g, 0);
    for (uint32_t i = 0; i < s->machine->waves; i++)
        if (s->group_of[i] == g)
            s->group_of[i] = NULL, s->of[i] = NULL;
    wt_map_remove(&s->groups, home);
    free_group(g);
}

static void take_of_group(struct wt_check_sync *s, struct sync_group *g,
                          const struct wt_observed_event *e)
{
    struct sync_wave *w = s->of[e->wave];
    const struct sync_place place = place_of(s, e, e->lanes);
    if (w->absent.id && e->kind != WT_SEEN_CALL && e->kind != WT_SEEN_RETURN)
        end_absence(s, g, w, e);
    if (e->kind == WT_SEEN_TOGETHER)
        together(s, g, w, e);
    else if (e->kind == WT_SEEN_EXCHANGE)
        exchange(s, g, w, e);
    else if (e->kind == WT_SEEN_CALL)
        begin_call(s, w, e);
    else if (e->kind == WT_SEEN_RETURN)
        end_call(w, e);
    else if (e->kind == WT_SEEN_COPY || e->kind == WT_SEEN_COMMIT || e->kind == WT_SEEN_COPIED)
        sync_copy_event(s, g, w, &place, e);
}

static void take_event(void *context, struct wt_machine *m, const struct wt_observed_event *e)
{
    struct wt_check_sync *s = context;
    struct sync_group *g = e->id ? s->group_of[e->wave] : NULL;
    (void)m;
    if (is_past(s, e->time))
        return;
    if (g && s->of[e->wave]->id != e->id)
        g = NULL;
    if (g && g->opening && e->kind != WT_SEEN_RELEASE)
        settle(s, g);
    if (e->kind == WT_SEEN_GROUP)
        begin_group(s, e);
    else if (e->kind == WT_SEEN_GROUP_END)
        end_group(s, e->home);
    else if (e->kind == WT_SEEN_WAVE)
        begin_wave(s, e);
    else if (e->kind == WT_SEEN_DEADLOCK)
        sync_report_deadlock(s, e->time);
    else if (e->kind == WT_SEEN_ARRIVE)
        arrive(s, e);
    else if (e->kind == WT_SEEN_RELEASE)
        release(s, e);
    if (g)
        take_of_group(s, g, e);
    if (e->kind == WT_SEEN_WAVE_END)
        end_wave(s, e);
}

/* ---- beginning and end ---- */

struct wt_check_sync *wt_check_sync_begin(const struct wt_check_start *start)
{
    struct wt_machine *m = start->machine;
    struct wt_check_sync *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (struct wt_check_sync){.machine = m,
                                .strict = wt_memory_model_of(m)->barriers_want_all,
                                .apart = start->lanes == WT_LANES_INDEPENDENT,
                                .found = start->found,
                                .context = start->context,
                                .run.resets = m->resets};
    s->of = calloc(m->waves, sizeof(*s->of));
    s->group_of = calloc(m->waves, sizeof(*s->group_of));
    s->wait = calloc(m->waves, sizeof *s->wait);
    if (s->of && s->group_of && s->wait && wt_observe_beneath(m, take, NULL, NULL, s)) {
        wt_groups_observe(m, take_event);
        return s;
    }
    wt_check_sync_free(s);
    return NULL;
}

void wt_check_sync_free(struct wt_check_sync *s)
{
    if (!s)
        return;
    wt_map_free_blocks(&s->groups, free_group);
    free(s->others.count);
    free(s->of);
    free(s->group_of);
    free(s->wait);
    free(s);
}

void wt_check_sync_end(struct wt_check_sync *s)
{
    if (s)
        wt_observe_beneath(s->machine, NULL, NULL, NULL, s);
    wt_check_sync_free(s);
}
