/* Places, start and end of work-groups. See groups.h. */
#include "base/array.h"
#include "base/bits.h"
#include "base/called_place.h"
#include "emulator/machine/archive.h"
#include "emulator/machine/engine.h"
#include "emulator/machine/fill.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/trail.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t place_bit(const struct wt_groups *groups, const struct wt_group_head *g)
{
    return (uint64_t)1 << (g->place - g->core * groups->groups_per_core);
}

static uint32_t places(const struct wt_groups *groups)
{
    return groups->cores * groups->groups_per_core;
}

bool wt_groups_init(struct wt_machine *m)
{
    struct wt_groups *groups = &m->groups;
    assert(groups->waves_per_core <= WT_CORE_SLOTS && groups->groups_per_core <= WT_CORE_SLOTS);
    assert(groups->cores * groups->waves_per_core == m->waves && groups->group_bytes);
    groups->group = calloc(places(groups), groups->group_bytes);
    groups->room = calloc(groups->cores, sizeof *groups->room);
    for (uint32_t i = 0; groups->group && i < places(groups); i++)
        wt_group_at(groups, i)->place = i;
    return groups->group && groups->room;
}

void wt_groups_free(struct wt_machine *m)
{
    struct wt_groups *groups = &m->groups;
    for (uint32_t i = 0; groups->group && i < places(groups); i++)
        free(wt_group_at(groups, i)->local);
    free(groups->group);
    free(groups->room);
}

/* Makes all members of a group 0, but for its place and its memory. */
static void clear(const struct wt_groups *groups, struct wt_group_head *g)
{
    uint8_t *local = g->local;
    const uint32_t place = g->place;
    memset(g, 0, groups->group_bytes);
    g->local = local;
    g->place = place;
}

bool wt_wave_group(const struct wt_machine *m, uint32_t wave, uint32_t coordinate[3],
                   uint32_t *index)
{
    const struct wt_wave_head *w = wave < m->waves ? wt_machine_wave(m, wave) : NULL;
    if (!w || !w->active || !w->group)
        return false;
    memcpy(coordinate, w->group->coordinate, sizeof w->group->coordinate);
    *index = w->index;
    return true;
}

void wt_groups_reset(struct wt_machine *m)
{
    struct wt_groups *groups = &m->groups;
    for (uint32_t i = 0; i < places(groups); i++)
        clear(groups, wt_group_at(groups, i));
    memset(groups->room, 0, groups->cores * sizeof *groups->room);
}

/* The memory of a group's place; NULL without host memory. */
static uint8_t *local_of(struct wt_machine *m, struct wt_group_head *g)
{
    if (!g->local) /* each group clears what it has of it; from the line of a cache on */
        g->local = aligned_alloc(64, (m->groups.local_bytes + 63) & ~(size_t)63);
    return g->local;
}

void wt_groups_archive(struct wt_machine *m, struct wt_archive *a,
                       void (*members)(struct wt_archive *a, struct wt_machine *m,
                                       struct wt_group_head *g))
{
    const struct wt_groups *groups = &m->groups;
    for (uint32_t i = 0; i < places(groups) && !a->failed; i++) {
        struct wt_group_head *g = wt_group_at(groups, i);
        if (!wt_archive_slot(a, g, groups->group_bytes, &g->local, g->used)) {
            if (wt_archive_reads(a)) {
                clear(groups, g);
                g->core = i / groups->groups_per_core;
            }
            members(a, m, g);
        }
        if (!g->used)
            continue;
        if (!local_of(m, g)) {
            wt_archive_fail(a, "the host has no memory for a work-group");
            return;
        }
        if (wt_archive_reads(a) && !a->snapshot)
            memset(g->local, 0, groups->local_bytes);
        wt_archive_sparse(a, g->local, g->local_size);
    }
}

void wt_groups_count(struct wt_machine *m)
{
    struct wt_groups *groups = &m->groups;
    memset(groups->room, 0, groups->cores * sizeof *groups->room);
    for (uint32_t i = 0; i < m->waves; i++) {
        const struct wt_wave_head *w = wt_machine_wave(m, i);
        if (w->active) {
            struct wt_core_room *room = &groups->room[w->group->core];
            room->waves |= wt_group_slot_bit(groups, w, w->group->core);
            room->wave_count++;
        }
    }
    for (uint32_t i = 0; i < places(groups); i++) {
        struct wt_group_head *g = wt_group_at(groups, i);
        struct wt_core_room *room = &groups->room[i / groups->groups_per_core];
        g->home = g->used ? groups->ops->home(m, g) : 0;
        room->groups |= g->used ? place_bit(groups, g) : 0;
        room->group_count += g->used;
        room->local += g->used ? g->local_size : 0;
    }
}

void wt_groups_check(const struct wt_machine *m)
{
    const struct wt_groups *groups = &m->groups;
    uint32_t active = 0, of_groups = 0;
    for (uint32_t i = 0; i < m->waves; i++) {
        const struct wt_wave_head *w = wt_machine_wave(m, i);
        const struct wt_core_room *room = &groups->room[i / groups->waves_per_core];
        assert(room->wave_count == wt_count_ones(room->waves));
        assert((room->waves >> i % groups->waves_per_core & 1) == w->active);
        assert(w->active == (w->group != NULL));
        assert(!w->group || (w->group->used && w->group->core == i / groups->waves_per_core));
        active += w->active;
    }
    for (uint32_t i = 0; i < groups->cores; i++) {
        uint32_t local = 0;
        for (uint32_t k = 0; k < groups->groups_per_core; k++) {
            const struct wt_group_head *g = wt_group_at(groups, i * groups->groups_per_core + k);
            assert((groups->room[i].groups >> k & 1) == g->used);
            assert(g->place == i * groups->groups_per_core + k);
            if (!g->used)
                continue;
            uint32_t waves = 0;
            for (uint32_t n = 0; n < groups->waves_per_core; n++)
                waves += wt_machine_wave(m, i * groups->waves_per_core + n)->group == g;
            assert(g->waves == waves && waves && g->core == i && g->local);
            assert(g->local_size <= groups->local_bytes);
            of_groups += waves;
            local += g->local_size;
        }
        assert(local == groups->room[i].local);
        assert(groups->room[i].group_count == wt_count_ones(groups->room[i].groups));
    }
    assert(active == m->active && active == of_groups);
}

/* ---- what an observer is told ---- */

static void tell(struct wt_machine *m, const struct wt_group_head *g, const struct wt_wave_head *w,
                 struct wt_observed_event *event)
{
    if (!wt_observes_events(m))
        return;
    event->launch = g ? m->groups.ops->launch(m, g) : wt_machine_launch(m, 0);
    event->home = g ? g->home : WT_HOME_NOW;
    event->wave = w ? w->id : 0;
    event->id = w ? wt_machine_wave_id(m, w->id) : 0;
    wt_observe_tell(m, event);
}

void wt_group_tell(struct wt_machine *m, const struct wt_group_head *g,
                   enum wt_observed_event_kind kind)
{
    if (wt_observes_events(m))
        tell(m, g, NULL, &(struct wt_observed_event){.kind = kind});
}

void wt_wave_tell(struct wt_machine *m, const struct wt_wave_head *w,
                  struct wt_observed_event *event)
{
    tell(m, w->group, w, event);
}

void wt_wave_tell_begin(struct wt_machine *m, const struct wt_wave_head *w)
{
    if (!wt_observes_events(m))
        return;
    const wt_lanes lanes = m->engine->issue_at(w, w->pc, m->time).mask;
    wt_wave_tell(m, w, &(struct wt_observed_event){.kind = WT_SEEN_WAVE, .lanes = lanes});
}

void wt_wave_tell_end(struct wt_machine *m, const struct wt_wave_head *w)
{
    wt_wave_tell(m, w, &(struct wt_observed_event){.kind = WT_SEEN_WAVE_END});
}

void wt_wave_tell_observed_fence(struct wt_machine *m, const struct wt_wave_head *w, uint64_t pc,
                                 wt_lanes lanes, enum wt_observed_order order,
                                 enum wt_observed_scope scope)
{
    wt_wave_tell(
        m, w,
        &(struct wt_observed_event){
            .kind = WT_SEEN_FENCE, .pc = pc, .lanes = lanes, .order = order, .scope = scope});
}

void wt_wave_tell_observed_barrier(struct wt_machine *m, const struct wt_wave_head *w,
                                   enum wt_observed_event_kind kind, uint64_t pc, wt_lanes lanes,
                                   uint32_t number)
{
    wt_wave_tell(
        m, w,
        &(struct wt_observed_event){.kind = kind, .pc = pc, .lanes = lanes, .number = number});
}

/* ---- calls of waves: trail.h ---- */

enum { MOST_CALLS = 1 << 16 };

/* Lanes go where a call comes back to, from that one and those that it has made; else it is no end
 * of a call. */
static void end_call(struct wt_trail *t, wt_lanes lanes, uint64_t to)
{
    size_t n = t->count;
    while (n > 0 && !(t->call[n - 1].back == to && t->call[n - 1].lanes & lanes))
        n--;
    for (size_t i = n ? n - 1 : t->count; i < t->count; i++)
        t->call[i].lanes &= ~lanes;
    while (t->count && !t->call[t->count - 1].lanes)
        t->count--;
}

/* Lanes of a wave call a function, from which they come back to `to`; or (`is_return`) they go to
 * `to`, which may be the end of a call. */
static void note_call(struct wt_machine *m, uint32_t wave, bool is_return, wt_lanes lanes,
                      uint64_t to)
{
    const uint64_t id = wt_machine_wave_id(m, wave);
    if (!m->trail && (is_return || !(m->trail = calloc(m->waves, sizeof *m->trail))))
        return;
    struct wt_trail *t = &m->trail[wave];
    if (t->id != id)
        t->count = 0;
    t->id = id;
    if (is_return) {
        end_call(t, lanes, to);
        return;
    }
    if (t->count == MOST_CALLS) { /* code that calls and never returns: the outer half goes */
        t->count /= 2;
        memmove(t->call, t->call + t->count, t->count * sizeof *t->call);
    }
    struct wt_trail_call *grown = wt_array_grow(t->call, &t->room, t->count + 1, sizeof *grown);
    if (!grown) {
        t->count = 0;
        return;
    }
    t->call = grown;
    grown[t->count++] =
        (struct wt_trail_call){to, m->ops->frame(m, wave, wt_lanes_lowest(lanes)), lanes};
}

void wt_wave_tell_call(struct wt_machine *m, const struct wt_wave_head *w,
                       enum wt_observed_event_kind kind, uint64_t pc, wt_lanes lanes, uint64_t to)
{
    note_call(m, w->id, kind == WT_SEEN_RETURN, lanes, to);
    if (wt_observes_events(m))
        wt_wave_tell(m, w,
                     &(struct wt_observed_event){.kind = kind, .pc = pc, .lanes = lanes, .to = to});
}

unsigned wt_trail_of(const struct wt_machine *m, uint32_t wave, unsigned lane,
                     uint64_t back[WT_TRAIL])
{
    const struct wt_trail *t = m->trail ? &m->trail[wave] : NULL;
    unsigned count = 0;
    if (!t || !t->count || t->id != wt_machine_wave_id(m, wave))
        return 0;
    for (size_t i = t->count; i-- > 0 && count < WT_TRAIL;)
        if (wt_has_lane(t->call[i].lanes, lane))
            back[count++] = t->call[i].back;
    return count;
}

struct wt_called_place wt_trail_place(const struct wt_machine *m, uint32_t wave, wt_lanes lanes,
                                      uint64_t pc, uint64_t back[WT_TRAIL])
{
    const unsigned depth = lanes ? wt_trail_of(m, wave, wt_lanes_lowest(lanes), back) : 0;
    return (struct wt_called_place){.pc = pc, .back = back, .depth = depth};
}

void wt_trail_forget(struct wt_machine *m)
{
    for (uint32_t i = 0; m->trail && i < m->waves; i++)
        m->trail[i].count = 0;
}

void wt_trail_free(struct wt_machine *m)
{
    for (uint32_t i = 0; m->trail && i < m->waves; i++)
        free(m->trail[i].call);
    free(m->trail);
    m->trail = NULL;
}

/* ---- who observes ---- */

/* Whether a launch has a group in a place before @p n. */
static bool has_earlier(const struct wt_groups *groups, uint32_t n)
{
    bool found = false;
    for (uint32_t i = 0; i < n; i++)
        found |= wt_group_at(groups, i)->used &&
                 wt_group_at(groups, i)->launch == wt_group_at(groups, n)->launch;
    return found;
}

void wt_groups_observe(struct wt_machine *m, wt_observe_event_fn *fn)
{
    const struct wt_groups *groups = &m->groups;
    struct wt_observer *beneath = m->observer->beneath;
    wt_observe_events(m, fn);
    m->observer->beneath = NULL; /* the others know of what is there */
    if (!groups->ops && m->active)
        wt_group_tell(m, NULL, WT_SEEN_LAUNCH);
    for (uint32_t i = 0; groups->ops && i < places(groups); i++) {
        const struct wt_group_head *g = wt_group_at(groups, i);
        if (g->used && !has_earlier(groups, i))
            wt_group_tell(m, g, WT_SEEN_LAUNCH);
        if (g->used)
            wt_group_tell(m, g, WT_SEEN_GROUP);
    }
    for (uint32_t i = 0; i < m->waves; i++)
        if (wt_machine_wave(m, i)->active)
            wt_wave_tell_begin(m, wt_machine_wave(m, i));
    m->observer->beneath = beneath;
}

/* ---- starting ---- */

void wt_group_take(struct wt_machine *m, struct wt_group_head *g)
{
    struct wt_core_room *room = &m->groups.room[g->core];
    assert(!g->used && g->local);
    g->used = true;
    room->groups |= place_bit(&m->groups, g);
    room->group_count++;
    room->local += g->local_size;
}

void wt_group_release(struct wt_machine *m, struct wt_group_head *g)
{
    struct wt_core_room *room = &m->groups.room[g->core];
    assert(g->used && room->local >= g->local_size);
    wt_group_tell(m, g, WT_SEEN_GROUP_END);
    g->used = false;
    room->groups &= ~place_bit(&m->groups, g);
    room->group_count--;
    room->local -= g->local_size;
}

void wt_groups_abandon(struct wt_machine *m, uint32_t number)
{
    struct wt_observed_event end = {.kind = WT_SEEN_LAUNCH_END};
    for (uint32_t i = 0; i < places(&m->groups); i++) {
        struct wt_group_head *g = wt_group_at(&m->groups, i);
        if (!g->used || g->launch != number)
            continue;
        end.launch = m->groups.ops->launch(m, g);
        end.home = g->home;
        wt_group_release(m, g);
    }
    if (end.launch && wt_observes_events(m))
        wt_observe_tell(m, &end);
}

static bool start(struct wt_machine *m, uint32_t core, const struct wt_group_plan *plan)
{
    const struct wt_groups *groups = &m->groups;
    const unsigned place = (unsigned)__builtin_ctzll(~groups->room[core].groups);
    assert(place < groups->groups_per_core && plan->launch->next < plan->launch->total);
    struct wt_group_head *g = wt_group_at(groups, core * groups->groups_per_core + place);
    clear(groups, g);
    if (!local_of(m, g))
        return false;
    wt_fill_bytes(
        &((const struct wt_device_config *)m->config)->fill,
        wt_fill_place(WT_FILLED_LOCAL, wt_watch_home(m, plan->number, plan->launch->next)),
        g->local, plan->local_size);
    g->local_size = plan->local_size;
    g->core = core;
    g->launch = plan->number;
    memcpy(g->coordinate, plan->coordinate, sizeof g->coordinate);
    wt_group_take(m, g);
    groups->ops->begin(m, g, plan);
    g->home = groups->ops->home(m, g);
    if (!plan->launch->next++)
        wt_group_tell(m, g, WT_SEEN_LAUNCH);
    wt_group_tell(m, g, WT_SEEN_GROUP);
    for (uint32_t i = 0; i < plan->waves; i++) {
        const uint32_t wave = core * groups->waves_per_core + plan->slot[i];
        if (!groups->ops->start_wave(m, wave, g, i))
            return false;
        wt_wave_tell_begin(m, wt_machine_wave(m, wave));
    }
    return true;
}

uint64_t wt_group_local_size(const struct wt_machine *m, const struct wt_group_head *g)
{
    return g->local_size;
}

void wt_groups_pump(struct wt_machine *m)
{
    const struct wt_groups *groups = &m->groups;
    struct wt_group_plan plan;
    bool waiting = groups->ops->waiting(m);
    /* Round and round, until each core in turn has refused. A full one is not asked. */
    for (uint32_t core = 0, refused = 0; waiting && refused < groups->cores;
         core = core + 1 < groups->cores ? core + 1 : 0) {
        refused++;
        if (groups->room[core].wave_count == groups->waves_per_core ||
            !groups->ops->plan(m, core, &plan) ||
            (groups->stop && plan.launch->next >= groups->stop))
            continue;
        if (!start(m, core, &plan)) {
            m->fault = (struct wt_fault){.kind = WT_FAULT_HOST, .time = m->time};
            snprintf(m->fault.text, sizeof m->fault.text, "%s", groups->ops->refusal);
            return;
        }
        refused = 0;
        waiting = groups->ops->waiting(m);
    }
}

/* ---- the end ---- */

bool wt_launch_done(struct wt_machine *m, struct wt_launch_head *launch,
                    const struct wt_group_head *g)
{
    launch->active = ++launch->done < launch->total;
    if (!launch->active)
        wt_group_tell(m, g, WT_SEEN_LAUNCH_END);
    return !launch->active;
}
