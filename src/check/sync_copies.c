/* The check of synchronisation: asynchronous copies. See sync_state.h. */
#include <string.h>

#include "base/array.h"
#include "check/sync_state.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/observe_copies.h"

static void commit(struct sync_group *g, struct sync_wave *w, const struct wt_observed_event *e)
{
    const bool bulk = wt_copies_bulk(e);
    const uint32_t phase = wt_copies_phase(e);
    for (wt_lanes left = phase ? 0 : e->lanes; left; left &= left - 1)
        w->commits[bulk][wt_lanes_lowest(left)]++;
    for (size_t i = 0; i < g->copies; i++) {
        struct sync_copy *c = &g->copy[i];
        const bool is_own = c->place.id == e->id && c->bulk == bulk;
        for (wt_lanes left = is_own ? e->lanes & c->lanes : 0; left; left &= left - 1) {
            const unsigned lane = wt_lanes_lowest(left);
            if (phase && !c->phase[lane])
                c->phase[lane] = phase;
            else if (!phase && !c->commit[lane])
                c->commit[lane] = w->commits[bulk][lane];
        }
    }
}

/* Phases of a barrier end in order: whether the copy's was over before this one, which has the
 * other parity. */
static bool is_earlier(const struct sync_copy *c, unsigned lane, uint32_t phase)
{
    return (c->phase[lane] ^ phase) == 1 && c->over & wt_lane_bit(lane);
}

static void note_over(struct sync_group *g, uint32_t phase)
{
    for (size_t i = 0; i < g->copies; i++)
        for (wt_lanes left = g->copy[i].lanes; left; left &= left - 1)
            if (g->copy[i].phase[wt_lanes_lowest(left)] == phase)
                g->copy[i].over |= left & -left;
}

/* Lanes of a copy that an event says to be done. */
static wt_lanes done(const struct sync_copy *c, const struct sync_wave *w,
                     const struct wt_observed_event *e)
{
    const bool bulk = wt_copies_bulk(e), is_own = c->place.id == e->id && c->bulk == bulk;
    const uint32_t phase = wt_copies_phase(e), groups = e->number & WT_COPIES_NUMBER;
    wt_lanes found = 0;
    for (wt_lanes left = phase    ? c->lanes
                         : is_own ? c->lanes & e->lanes
                                  : 0;
         left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        if (phase ? c->phase[lane] == phase || is_earlier(c, lane, phase)
                  : e->number == WT_ALL_COPIES ||
                        (c->commit[lane] && c->commit[lane] + groups <= w->commits[bulk][lane]))
            found |= wt_lane_bit(lane);
    }
    return found;
}

void sync_copy_event(struct wt_check_sync *s, struct sync_group *g, struct sync_wave *w,
                     const struct sync_place *place, const struct wt_observed_event *e)
{
    size_t kept = 0;
    if (e->kind == WT_SEEN_COPY) {
        s->copying = *place;
        s->copies_bulk = wt_copies_bulk(e);
    } else if (e->kind == WT_SEEN_COMMIT) {
        commit(g, w, e);
    } else if (wt_copies_unseen(e)) {
        note_over(g, wt_copies_phase(e));
    } else {
        for (size_t i = 0; i < g->copies; i++) {
            g->copy[i].lanes &= ~done(&g->copy[i], w, e);
            if (g->copy[i].lanes)
                g->copy[kept++] = g->copy[i];
        }
        g->copies = kept;
    }
}

/* Whether an access is the next piece of a copy. */
static bool continues(const struct sync_copy *c, const struct wt_observed *a)
{
    bool is_next = c->bulk && c->place.id == a->id && c->place.time == a->time &&
                   c->place.pc == a->pc && c->lanes == a->lanes &&
                   c->reads == (a->kind == WT_WATCH_READ);
    for (wt_lanes left = is_next ? a->lanes : 0; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        is_next = is_next && a->at[lane] == c->at[lane] + c->size;
    }
    return is_next;
}

/* False: the host has no memory. */
static bool begin_copy(struct wt_check_sync *s, struct sync_group *g, const struct wt_observed *a)
{
    for (size_t i = g->copies; i && i + 2 > g->copies; i--) /* its loads and its stores */
        if (continues(&g->copy[i - 1], a)) {
            g->copy[i - 1].size += a->size;
            return true;
        }
    struct sync_copy *grown = wt_array_grow(g->copy, &g->copy_room, g->copies + 1, sizeof *grown);
    if (!grown)
        return false;
    g->copy = grown;
    struct sync_copy *c = &grown[g->copies++];
    *c = (struct sync_copy){.place = s->copying,
                            .lanes = a->lanes,
                            .size = a->size,
                            .bulk = s->copies_bulk,
                            .reads = a->kind == WT_WATCH_READ};
    memcpy(c->at, a->at, s->machine->lanes * sizeof *a->at);
    return true;
}

/* The lanes of an access that must not be made before the copy is done. */
static wt_lanes copied_lanes(const struct sync_copy *c, const struct wt_observed *a)
{
    wt_lanes found = 0;
    for (wt_lanes left = c->reads && a->kind == WT_WATCH_READ ? 0 : a->lanes; left;
         left &= left - 1) {
        const uint64_t at = a->at[wt_lanes_lowest(left)];
        for (wt_lanes rest = c->lanes; rest; rest &= rest - 1) {
            const uint64_t to = c->at[wt_lanes_lowest(rest)];
            if (at < to + c->size && to < at + a->size)
                found |= wt_lane_bit(wt_lanes_lowest(left));
        }
    }
    return found;
}

static void look_for_copies(struct wt_check_sync *s, struct sync_group *g,
                            const struct wt_observed *a)
{
    for (size_t i = 0; i < g->copies; i++) {
        const struct sync_copy *c = &g->copy[i];
        const wt_lanes lanes = copied_lanes(c, a);
        if (!lanes)
            continue;
        struct sync_place place = {
            .pc = a->pc, .time = a->time, .lanes = lanes, .wave = a->wave, .id = a->id};
        wt_machine_wave_name(s->machine, a->wave, &place.name);
        sync_report(s, g, WT_FOUND_UNFINISHED_COPY, false, &place, &c->place,
                    a->kind == WT_WATCH_READ ? "a load from where a copy is under way"
                    : c->reads               ? "a store to what a copy under way reads"
                                             : "a store to where a copy is under way");
        return;
    }
}

bool sync_copy_access(struct wt_check_sync *s, struct sync_group *g, const struct wt_observed *a)
{
    const bool copies =
        s->copying.pc == a->pc && s->copying.time == a->time && s->copying.id == a->id;
    if (g->copies)
        look_for_copies(s, g, a);
    return !copies || begin_copy(s, g, a);
}

static bool has_phase(const struct sync_copy *c)
{
    for (wt_lanes left = c->lanes; left; left &= left - 1)
        if (c->phase[wt_lanes_lowest(left)])
            return true;
    return false;
}

void sync_copies_unwaited(struct wt_check_sync *s, struct sync_group *g, struct sync_place place)
{
    struct wt_machine *m = s->machine;
    const struct wt_group_head *head = wt_machine_wave(m, place.wave)->group;
    const bool asks = head && m->groups.ops->unwaited;
    for (size_t n = 0; asks && m->groups.ops->unwaited(m, head, n, &place.pc); n++)
        sync_report(s, g, WT_FOUND_UNFINISHED_COPY, false, &place, NULL,
                    "no wait_group_events() waits for the copy");
}

void sync_copies_end(struct wt_check_sync *s, struct sync_group *g, uint64_t id)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->copies; i++) {
        const struct sync_copy *c = &g->copy[i];
        if (id && (c->place.id != id || has_phase(c))) /* another wave may wait for it */
            g->copy[kept++] = *c;
        else
            sync_report(s, g, WT_FOUND_UNFINISHED_COPY, true, &c->place, NULL,
                        "nobody waits for the copy");
    }
    g->copies = kept;
}
