/*
 * Accesses that leave the variable from whose address their code makes the address, where an
 * analysis of the function says that (machine/origin.h).
 *
 * Compilers add constants to addresses: that of b[i - 1] is made from the end of the variable
 * before b. So an access is only judged where the same instruction also accesses the variable that
 * its constant is in, before or afterwards: then one of its executions has left its variable,
 * whichever it is. What it did before it is known is not refused. And they
 * add a choice of constants for a choice of variables: an access whose address has one that is as
 * large as a variable is not judged.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "check/memory_state.h"
#include "check/rows.h"
#include "emulator/machine/engine.h"
#include "emulator/machine/heads.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/trail.h"

static size_t slot_of(const struct wt_check_memory *c, uint64_t pc, unsigned part)
{
    const uint64_t hash = (pc ^ (uint64_t)part << 60) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash >> 32) & (c->site_room - 1);
    while (c->site[at].used && (c->site[at].pc != pc || c->site[at].part != part))
        at = (at + 1) & (c->site_room - 1);
    return at;
}

static bool make_room(struct wt_check_memory *c, size_t more)
{
    struct wt_check_memory old = *c;
    size_t room = c->site_room ? c->site_room : 64;
    while (room < 2 * (c->sites + more))
        room *= 2;
    if (room == c->site_room)
        return true;
    struct site *site = calloc(room, sizeof *site);
    if (!site)
        return false;
    c->site = site;
    c->site_room = room;
    for (size_t i = 0; i < old.site_room; i++)
        if (old.site[i].used)
            c->site[slot_of(c, old.site[i].pc, old.site[i].part)] = old.site[i];
    free(old.site);
    return true;
}

void memory_free_sites(struct wt_check_memory *c)
{
    for (size_t i = 0; i < c->site_room; i++)
        free(c->site[i].left);
    free(c->site);
    c->site = NULL;
    c->sites = c->site_room = 0;
    memset(c->recent, 0, sizeof c->recent);
}

static void forget(struct wt_check_memory *c)
{
    memory_free_sites(c);
    c->names = wt_names_state();
    if (!wt_variables_extent(c->space, &c->variables_first, &c->variables_last)) {
        c->variables_first = 1;
        c->variables_last = 0;
    }
}

static void refresh(struct wt_check_memory *c)
{
    if (c->names != wt_names_state() || c->site_resets != c->machine->resets)
        forget(c);
    c->site_resets = c->machine->resets;
}

bool memory_may_have_variables(struct wt_check_memory *c, uint64_t first, uint64_t last)
{
    refresh(c);
    return first <= c->variables_last && last >= c->variables_first;
}

static bool is_in_variable(struct wt_check_memory *c, enum wt_observed_space space, uint64_t pc,
                           const struct wt_origin *o, struct wt_known_variable *v)
{
    if (o->base == WT_ORIGIN_NO_BASE && space == WT_OBSERVED_GLOBAL) {
        if (!wt_variable_of(c->space, (uint64_t)o->constant, v))
            return false;
        if (!v->shared)
            return true;
    }
    return c->variable && c->variable(c->variable_context, space, pc, o, v);
}

static struct site *add(struct wt_check_memory *c, uint64_t pc, unsigned part)
{
    struct site *s = &c->site[slot_of(c, pc, part)];
    c->sites += !s->used;
    *s = (struct site){.pc = pc, .part = part, .used = true};
    return s;
}

/* The accesses of a function are added together. */
static void analyse(struct wt_check_memory *c, const struct wt_wave_head *w, uint64_t pc)
{
    enum { ANALYSED = 15 }; /* no access has that number: it is a mark at the function's begin */
    struct wt_machine *m = c->machine;
    uint64_t first, end;
    size_t count;
    if (!wt_function_of(c->space, pc, &first, &end) || !make_room(c, 1) ||
        c->site[slot_of(c, first, ANALYSED)].used)
        return;
    add(c, first, ANALYSED);
    struct wt_origin *list = m->ops->origins(m, w->id, first, end, &count);
    if (make_room(c, count))
        for (size_t i = 0; i < count; i++)
            add(c, list[i].pc, list[i].part)->origin = list[i];
    free(list);
}

/* The site of an access: what the analysis of its function has found. NULL without host memory. */
static struct site *site_of(struct wt_check_memory *c, const struct wt_wave_head *w,
                            const struct wt_lane_access *a)
{
    struct site *s = c->site_room ? &c->site[slot_of(c, a->pc, a->part)] : NULL;
    if (s && s->used)
        return s;
    analyse(c, w, a->pc);
    if (!make_room(c, 1))
        return NULL;
    s = &c->site[slot_of(c, a->pc, a->part)];
    return s->used ? s : add(c, a->pc, a->part);
}

/* Whether the constants of which one is added are all in the variable. */
static bool stays(const struct wt_origin *o, const struct wt_known_variable *v)
{
    const uint64_t at = (uint64_t)o->constant - v->first;
    return o->apart <= at && o->apart < v->size - at;
}

/* Whether the access is judged, and by which variable, is decided when it is executed first: then
 * its memory is known. */
static bool is_judged(struct wt_check_memory *c, const struct wt_lane_access *a, struct site *s)
{
    const struct wt_origin *o = &s->origin;
    if (o->known && !s->judged)
        s->judged = o->index && is_in_variable(c, a->space, a->pc, o, &s->variable) &&
                    o->step < s->variable.size && stays(o, &s->variable);
    if (o->known) {
        s->space = a->space;
        s->by_stack = c->on_stack && a->kind == WT_WATCH_WRITE && o->base == c->stacks.pointer;
    }
    s->origin.known = false;
    return s->judged && s->space == a->space;
}

/* Whether another variable is there, as far away as a number that is 0 or 1 may lead: then it may
 * say which of the two is accessed. What adds no more than two elements is an index. */
static bool may_be_chosen(struct wt_check_memory *c, const struct wt_lane_access *a,
                          const struct site *s, uint64_t at)
{
    struct wt_known_variable there;
    const uint64_t first = s->variable.first;
    if (a->space != WT_OBSERVED_GLOBAL || s->origin.base != WT_ORIGIN_NO_BASE ||
        !wt_variable_of(c->space, at, &there))
        return false;
    const uint64_t apart = there.first > first ? there.first - first : first - there.first;
    return apart <= s->origin.step && apart > 2 * (uint64_t)a->size;
}

/* Where the variable begins in each lane. False: that is not known. */
static bool begins(struct wt_check_memory *c, const struct wt_wave_head *w, const struct site *s,
                   wt_lanes lanes, uint64_t *first)
{
    struct wt_machine *m = c->machine;
    const struct wt_origin *o = &s->origin;
    struct wt_register_shape reg = {0};
    uint8_t row[8 * WT_MAX_LANES];
    const bool moves = o->base != WT_ORIGIN_NO_BASE;
    if (moves && (!m->ops->describe_register(m, o->base, &reg) || reg.bytes > 8 || !reg.per_lane ||
                  !m->ops->read_row(m, w->id, o->base, row)))
        return false;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = wt_lanes_lowest(lanes);
        first[lane] = s->variable.first;
        if (moves)
            first[lane] += wt_load_le(row + lane * reg.bytes, reg.bytes) - (uint64_t)o->moved;
        if (moves && reg.bytes == 4)
            first[lane] &= UINT32_MAX;
    }
    return true;
}

static bool is_inside(const struct wt_lane_access *a, uint64_t size, uint64_t at, uint64_t first)
{
    return at - first < size && a->size <= size - (at - first);
}

/* Lanes that begin to store below their stacks, into one of another thread, or as far below the
 * last one. A program may switch to stacks of its own: a lane counts that has just used its stack.
 */
static wt_lanes judge_stack(struct wt_check_memory *c, const struct wt_wave_head *w,
                            const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at)
{
    const struct wt_machine *m = c->machine;
    const uint64_t size = c->stacks.size,
                   lowest = c->stacks.top - ((uint64_t)m->waves * m->lanes + 1) * size;
    wt_lanes *on = &c->on_stack[w->id];
    struct mistake bad = {.kind = WT_FOUND_OUT_OF_BOUNDS};
    const uint64_t own = c->stacks.top - ((uint64_t)w->id * m->lanes + 1) * size;
    bool leaves = false;
    WT_EACH_LANE(lane, lanes)
    leaves |= at[lane] - (own - lane * size) >= size;
    if (!leaves) {
        *on |= lanes;
        return 0;
    }
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = wt_lanes_lowest(lanes);
        const wt_lanes bit = wt_lane_bit(lane);
        const uint64_t first = own - lane * size;
        if (at[lane] - first < size)
            *on |= bit;
        if (at[lane] >= first || at[lane] < lowest || !(*on & bit))
            continue;
        if (!bad.lanes) {
            bad.at = at[lane];
            bad.object = (struct wt_object){
                .addr = first, .size = size, .by = "", .name = "the thread's stack"};
        }
        bad.lanes |= bit;
    }
    *on &= ~bad.lanes; /* one report tells of the functions that are called there, too */
    if (bad.lanes)
        memory_report(c, w, a, &bad, WT_FOUND_GLOBAL);
    return bad.lanes;
}

static struct recent *recent_of(struct wt_check_memory *c, const struct wt_lane_access *a)
{
    return &c->recent[(a->pc / 2 ^ a->pc / 16) % RECENT];
}

static bool is_recent(const struct recent *r, const struct wt_lane_access *a, uint64_t low,
                      uint64_t high)
{
    return r->pc == a->pc && r->part == a->part && low >= r->first && high <= r->last;
}

static bool is_valid(const struct wt_check_memory *c, const struct wt_wave_head *w,
                     const struct recent *r)
{
    return wt_issue_time(c->machine, w->left) >= r->since && c->names == wt_names_state() &&
           c->site_resets == c->machine->resets;
}

bool memory_is_recent(struct wt_check_memory *c, const struct wt_wave_head *w,
                      const struct wt_lane_access *a, uint64_t low, uint64_t high)
{
    const struct recent *r = recent_of(c, a);
    return is_recent(r, a, low, high) && r->good == wt_objects_state() && is_valid(c, w, r);
}

bool memory_uses_no_variable(struct wt_check_memory *c, const struct wt_wave_head *w,
                             const struct wt_lane_access *a)
{
    const struct recent *r = recent_of(c, a);
    return is_recent(r, a, 0, UINT64_MAX) && is_valid(c, w, r);
}

void memory_note_good(struct wt_check_memory *c, const struct wt_lane_access *a, uint64_t low,
                      uint64_t high)
{
    struct recent *r = recent_of(c, a);
    if (is_recent(r, a, low, high) && r->last != UINT64_MAX)
        r->good = wt_objects_state();
}

/* Lanes that leave the variable of a site. */
static wt_lanes judge_variable(struct wt_check_memory *c, const struct wt_wave_head *w,
                               const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at,
                               struct site *s, const struct variable_of_lanes *v)
{
    const uint64_t now = wt_issue_time(c->machine, w->left);
    wt_lanes outside = 0;
    bool met = s->met && s->met_at <= now;
    for (wt_lanes left = lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        if (is_inside(a, v->size, at[lane], v->first[lane]))
            met = true;
        else if (!may_be_chosen(c, a, s, at[lane]))
            outside |= wt_lane_bit(lane);
    }
    if (met && !(s->met && s->met_at <= now))
        s->met_at = now;
    s->met = met;
    if (s->left && (met || s->left->time > now)) {
        if (s->left->time <= now)
            c->found(c->context, s->left);
        free(s->left);
        s->left = NULL;
    }
    if (!outside || (!met && s->left))
        return 0;
    enum wt_finding_space space;
    const struct mistake bad = memory_beside(c, w, a, outside, at, v, &space);
    if (!bad.lanes)
        return 0;
    if (met) {
        memory_report(c, w, a, &bad, space);
        return bad.lanes;
    }
    if ((s->left = malloc(sizeof *s->left)))
        *s->left = memory_finding(c, w, a, &bad, space);
    return 0;
}

/* The variable of a frame, that of the function that a wave executes or of one that has called it,
 * which begins at an offset in private memory. */
static bool find_in_frames(struct wt_check_memory *c, const struct wt_wave_head *w, uint64_t pc,
                           unsigned lane, uint64_t at, struct site *s)
{
    struct wt_machine *m = c->machine;
    const struct wt_trail *t = m->trail ? &m->trail[w->id] : NULL;
    size_t n = t && t->id == wt_machine_wave_id(m, w->id) ? t->count : 0;
    struct wt_origin o = {.known = true,
                          .scaled = true,
                          .base = WT_ORIGIN_FRAME,
                          .constant = (int64_t)at,
                          .moved = (int64_t)m->ops->frame(m, w->id, lane)};
    const uint64_t from[] = {at, (uint64_t)o.moved, n ? t->call[n - 1].back : 1};
    if (memcmp(s->from, from, sizeof from) == 0)
        return s->variable.size;
    memcpy(s->from, from, sizeof from);
    s->variable.size = 0;
    while (!c->variable(c->variable_context, WT_OBSERVED_PRIVATE, pc, &o, &s->variable)) {
        while (n && !wt_has_lane(t->call[n - 1].lanes, lane))
            n--;
        if (!n--)
            return false;
        pc = t->call[n].back - 1;
        o.moved = (int64_t)t->call[n].frame;
    }
    return true;
}

/* Lanes that count elements from the begin of a variable of a frame, and leave it. */
static wt_lanes judge_array(struct wt_check_memory *c, const struct wt_wave_head *w,
                            const struct wt_lane_access *a, struct site *s, wt_lanes lanes,
                            const uint64_t *at)
{
    struct wt_machine *m = c->machine;
    uint64_t base[WT_MAX_LANES], first = 0, end;
    wt_lanes refused = 0, same;
    WT_EACH_LANE(lane, lanes)
    base[lane] = at[lane];
    wt_function_of(c->space, a->pc, &first, &end);
    if (!m->ops->array(m, w->id, first, a->pc, &s->array, lanes, base))
        return 0;
    for (; lanes; lanes &= ~same) {
        const unsigned lane = wt_lanes_lowest(lanes);
        same = 0;
        WT_EACH_LANE(i, lanes)
        same |= base[i] == base[lane] ? wt_lane_bit(i) : 0;
        if (find_in_frames(c, w, a->pc, lane, base[lane], s))
            refused |= judge_variable(
                c, w, a, same, at, s,
                &(struct variable_of_lanes){s->variable.name, base, s->variable.size});
    }
    return refused;
}

wt_lanes memory_judge_origin(struct wt_check_memory *c, const struct wt_wave_head *w,
                             const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at,
                             uint64_t low, uint64_t high)
{
    uint64_t first[WT_MAX_LANES];
    refresh(c);
    if (a->space == WT_OBSERVED_GLOBAL ? c->variables_first > c->variables_last : !c->variable)
        return 0;
    const uint64_t now = wt_issue_time(c->machine, w->left);
    struct recent *r = recent_of(c, a);
    if (is_recent(r, a, low, high) && now >= r->since)
        return 0;
    struct site *s = site_of(c, w, a);
    if (!s)
        return 0;
    const bool judged = is_judged(c, a, s);
    const wt_lanes below = s->by_stack ? judge_stack(c, w, a, lanes, at) : 0;
    if (below)
        return below;
    if (!judged && a->space == WT_OBSERVED_PRIVATE && s->array.how != WT_ARRAY_NONE)
        return judge_array(c, w, a, s, lanes, at);
    if (!judged) {
        if (!s->judged && !s->by_stack)
            *r = (struct recent){.pc = a->pc, .part = a->part, .last = UINT64_MAX};
        return 0;
    }
    bool met = s->met && s->met_at <= now;
    if (met && s->origin.base == WT_ORIGIN_NO_BASE &&
        is_inside(a, s->variable.size, high, s->variable.first) && low >= s->variable.first) {
        *r = (struct recent){.pc = a->pc,
                             .part = a->part,
                             .first = s->variable.first,
                             .last = s->variable.first + s->variable.size - a->size,
                             .since = s->met_at};
        return 0;
    }
    if (!begins(c, w, s, lanes, first))
        return 0;
    const struct variable_of_lanes v = {s->variable.name, first, s->variable.size};
    return judge_variable(c, w, a, lanes, at, s, &v);
}
