/* See race.h. */
#include "check/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/race_access.h"
#include "check/start.h"
#include "emulator/machine/trail.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/memory_model.h"

/* ---- many lanes ---- */

/* The bytes of one lane's access. */
static void take_lane(struct race_access *x, unsigned lane, uint64_t addr, unsigned size)
{
    struct race_shadow *s = &x->r->shadow;
    struct race_page *page = NULL;
    const bool polled = x->hides && race_was_polled(x->space, addr);
    x->synced = false;
    if (x->record.atomic || polled || (x->record.maybe_atomic && x->space->syncs.count)) {
        struct race_cell list[4];
        page = race_page(x->space, addr, true);
        const unsigned cell = addr % RACE_PAGE / 4;
        x->synced = page && page->sync[cell / 64] >> cell % 64 & 1;
        if (page && (x->record.atomic || polled || x->synced) &&
            race_cells(s, page, cell, false, list))
            race_synchronise(x->r, x->w, x->a, lane, x->space, addr,
                             race_record(s, *list[0].slot[0]));
    }
    if (polled) {
        race_forget_polling(x, page, addr);
        return;
    }
    for (uint64_t at = addr, end = addr + size; at < end;) {
        struct race_cell list[4];
        const uint64_t next = (at | 3) + 1 < end ? (at | 3) + 1 : end;
        const bool apart = at % 4 || next - at < 4;
        if (!page || page->number != at / RACE_PAGE)
            page = race_page(x->space, at, true);
        if (page)
            race_page_used(page, x->w->number);
        const unsigned cells = page ? race_cells(s, page, at % RACE_PAGE / 4, apart, list) : 0;
        if (cells == 1)
            race_take_cell(x, list, lane, at);
        for (uint64_t byte = at; cells == 4 && byte < next; byte++)
            race_take_cell(x, &list[byte % 4], lane, byte);
        x->r->run.lost |= !cells;
        at = next;
    }
}

/* Whether all lanes load from one place. */
static bool is_broadcast(const struct wt_observed *a)
{
    const uint64_t at = a->at[wt_lanes_lowest(a->lanes)];
    if (a->kind != WT_WATCH_READ || !(a->lanes & (a->lanes - 1)))
        return false;
    for (wt_lanes left = a->lanes; left; left &= left - 1)
        if (a->at[wt_lanes_lowest(left)] != at)
            return false;
    return true;
}

static void take_lanes(struct race_access *x)
{
    const struct wt_observed *a = x->a;
    const bool of_wave = a->is_scalar || a->of_wave;
    wt_lanes left = a->lanes;
    if (a->size % 4 == 0 && !x->record.atomic && !x->polls && !of_wave) {
        while ((left = race_take_words(x, left))) {
            const unsigned lane = wt_lanes_lowest(left);
            take_lane(x, lane, a->at[lane], a->size);
            race_see_past(x);
            left &= left - 1;
        }
        return;
    }
    if (is_broadcast(a) && (of_wave || !x->r->rules.independent))
        left &= -left;
    for (; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        take_lane(x, a->of_wave ? a->owner : lane | (a->is_scalar ? RACE_WAVE : 0), a->at[lane],
                  a->size);
    }
}

static bool is_aligned(const struct wt_observed *a)
{
    const wt_lanes behind = ~a->lanes & (a->lanes + 1); /* the first lane that is not there */
    const unsigned row = behind ? wt_lanes_lowest(behind) : WT_MAX_LANES;
    uint64_t bits = 0;
    if (a->size > 8)
        return false;
    if (a->is_row && !(a->size & (a->size - 1)))
        return !(a->at[wt_lanes_lowest(a->lanes)] & (a->size - 1));
    for (unsigned lane = 0; lane < row; lane++)
        bits |= a->at[lane];
    for (wt_lanes left = behind ? a->lanes & ~(behind - 1) : 0; left; left &= left - 1)
        bits |= a->at[wt_lanes_lowest(left)];
    return !(bits & (a->size - 1));
}

/* Whether its code does not say whether it is atomic. */
static bool hides_order(const struct wt_check_race *r, const struct wt_observed *a)
{
    return a->kind == WT_WATCH_WRITE ? r->rules.stores_hide : r->rules.loads_hide_too;
}

void race_take_range(struct race_access *x, struct wt_observed *a, uint64_t addr, uint64_t size)
{
    enum { MOST = WT_MAX_LANES * 4 };
    uint8_t mine[MOST * 4]; /* or those of bytes */
    memset(mine, RACE_WAVE, sizeof mine);
    for (uint64_t bytes; size; addr += bytes, size -= bytes) {
        struct race_page *page = race_page(x->space, addr, true);
        const unsigned first = addr % RACE_PAGE / 4;
        const unsigned room = RACE_CELLS - first < MOST ? RACE_CELLS - first : MOST;
        const unsigned cells = size / 4 < room ? (unsigned)(size / 4) : room;
        const bool whole = addr % 4 == 0 && cells && page;
        if (page)
            race_page_used(page, x->w->number);
        bytes = whole ? cells * 4 : size < 4 - addr % 4 ? size : 4 - addr % 4;
        a->at[0] = addr;
        if (!whole || !race_take_cells(x, page, first, cells, mine))
            take_lane(x, RACE_WAVE, addr, (unsigned)bytes);
    }
}

bool race_collect_all(struct wt_check_race *r)
{
    struct race_space **spaces = NULL;
    size_t count = 0;
    spaces = calloc(r->groups.count + 1, sizeof *spaces);
    if (!spaces)
        return false;
    spaces[count++] = &r->global;
    for (size_t i = 0; i < r->groups.room; i++)
        if (r->groups.entry[i].key)
            spaces[count++] = &((struct race_group *)(uintptr_t)r->groups.entry[i].value)->space;
    const bool good = race_collect(&r->shadow, spaces, count);
    free(spaces);
    return good;
}

void race_tell_lost(struct wt_check_race *r)
{
    struct wt_finding f = {.kind = WT_FOUND_RACE,
                           .severity = wt_finding_severity(WT_FOUND_RACE, true),
                           .space = WT_FOUND_HOST,
                           .access = WT_NO_ACCESS,
                           .times = 1};
    snprintf(f.text, sizeof f.text,
             "the host has no memory: races from here on are not looked for");
    r->found(r->context, &f);
}

/* A store behind a release may be a flag for the host, where its code does not say whether it is
 * atomic. */
static void note_flags(struct race_access *x)
{
    const struct wt_observed *a = x->a;
    struct race_slot *w = x->w;
    const bool global = a->space == WT_OBSERVED_GLOBAL;
    wt_lanes left =
        global && (w->waited || w->fenced) && x->record.maybe_atomic && a->kind == WT_WATCH_WRITE
            ? a->lanes
            : 0;
    for (; left; left &= left - 1) {
        struct race_page *page = race_page(x->space, a->at[wt_lanes_lowest(left)], true);
        if (page)
            page->tells = true;
    }
    w->waited = w->fenced = false;
    w->wrote_last = global && a->kind != WT_WATCH_READ;
    w->wrote |= w->wrote_last;
}

/* A load may be of a signal, which orders what comes behind it. */
static void note_signal(struct race_access *x)
{
    const struct wt_observed *a = x->a;
    const struct wt_order *order = x->r->order;
    struct wt_order_operation *call = x->r->wave[x->w->number - 1].call;
    if (!order->sees || !call || a->space != WT_OBSERVED_GLOBAL || a->kind == WT_WATCH_WRITE)
        return;
    const struct wt_clocks *before = call->before;
    const uint32_t calm = call->calm;
    order->sees(a->at[wt_lanes_lowest(a->lanes)], call);
    if (call->before != before || call->calm != calm)
        memset(x->r->view, 0, sizeof x->r->view);
}

static void take_all(struct race_access *x)
{
    if (!race_take_row(x)) {
        if (!race_number_once(x)) {
            x->r->run.lost = true;
            return;
        }
        take_lanes(x);
    }
    while (x->count && race_knows_polling(x)) {
        x->count = 0;
        take_lanes(x);
    }
    if (!x->stored && x->number)
        x->r->shadow.count--;
}

static void note(struct race_access *x)
{
    race_note_polling(x);
    race_note_guesses(x);
    race_note_shown(x);
    if (x->r->order) {
        note_flags(x);
        note_signal(x);
    }
}

/* A wave between whose accesses something without code may order lanes makes an access: after all
 * of its accesses so far, if it does. Intel's compiler leaves barriers out where it knows that a
 * group is one thread. */
static void step(const struct wt_check_race *r, struct race_slot *w, const struct wt_observed *a)
{
    const struct wt_group_head *g = wt_machine_wave(r->machine, a->wave)->group;
    const enum wt_step_order order = r->machine->groups.ops->step(r->machine, g, &w->step, a);
    w->order = order;
    if (order != WT_STEP_ORDERED)
        return;
    race_tick(w);
    w->floored = ~(wt_lanes)0;
    w->floor = w->clock - 1;
    for (unsigned lane = 0; lane < WT_MAX_LANES; lane++)
        w->lane[lane] = w->floor;
}

/* The number of the calls that an access is in; 0: in none, or they are not known. */
static uint16_t calls_of(struct wt_check_race *r, uint32_t slot, wt_lanes lanes)
{
    struct race_calls calls = {{0}};
    uint64_t hash = 0;
    if (!lanes || !wt_trail_of(r->machine, slot, wt_lanes_lowest(lanes), calls.back))
        return 0;
    for (unsigned i = 0; i < WT_TRAIL; i++)
        hash = (hash ^ calls.back[i]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    uint64_t *number = wt_map_add(&r->trail_numbers, hash);
    if (!number || *number || r->trails == UINT16_MAX)
        return number ? (uint16_t)*number : 0;
    struct race_calls *grown =
        wt_array_grow(r->trail, &r->trail_room, r->trails + 1, sizeof *grown);
    if (!grown)
        return 0;
    r->trail = grown;
    grown[r->trails] = calls;
    return (uint16_t)(*number = ++r->trails);
}

/* Counts what a wave that waits does, for wt_check_race_idles(). */
static void note_repeated(struct wt_check_race *r, struct race_slot *w, const struct wt_observed *a,
                          bool atomic)
{
    const uint64_t at = a->at[wt_lanes_lowest(a->lanes)];
    if (a->space != WT_OBSERVED_GLOBAL)
        return;
    if (a->kind == WT_WATCH_WRITE && !atomic)
        r->repeated = 0;
    else if (w->last_at == at)
        r->repeated++;
    w->last_at = at;
}

static void take(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_check_race *r = context;
    if ((a->space != WT_OBSERVED_GLOBAL && a->space != WT_OBSERVED_GROUP) ||
        wt_followed_is_past(&r->run, m->resets, m->known, a->time, race_begin_anew, r) ||
        !wt_machine_checks(m, a->launch))
        return;
    struct race_conflict conflict[RACE_CONFLICTS];
    struct race_access x = {.r = r, .a = a, .conflict = conflict};
    struct race_group *g = a->space == WT_OBSERVED_GROUP ? race_group_of(r, a->home) : NULL;
    x.w = race_slot_of(r, a->wave, a->id, a->launch, a->group);
    x.space = g ? &g->space : &r->global;
    if (!x.w || (a->space == WT_OBSERVED_GROUP && (!g || !race_group_used(g, x.w))) ||
        !race_make_room(r)) {
        race_tell_lost(r);
        r->run.lost = true;
        return;
    }
    const struct wt_order_operation *call = r->wave[x.w->number - 1].call;
    if (call && call->copies && !(call->by_kernels && a->space == WT_OBSERVED_GLOBAL))
        return;
    const bool atomic = a->kind == WT_WATCH_ACCESS || a->order != WT_ORDER_PLAIN;
    note_repeated(r, x.w, a, atomic);
    if (x.w->steps)
        step(r, x.w, a);
    x.record = (struct race_record){.time = a->time,
                                    .pc = a->pc,
                                    .wave = x.w->number,
                                    .clock = x.w->clock,
                                    .released = x.w->released[RACE_DEVICE],
                                    .kind = a->kind,
                                    .size = a->size,
                                    .atomic = atomic,
                                    .maybe_atomic = !atomic && hides_order(r, a) && is_aligned(a),
                                    .of_group = atomic && a->scope <= WT_AMONG_GROUP};
    x.record.calls = calls_of(r, a->wave, a->lanes);
    if (r->rules.locks)
        race_tell_value(&x);
    x.w->used = true;
    x.w->settled = false;
    x.hides = r->rules.loads_hide && !atomic && (!r->rules.waits || g);
    note(&x);
    if (!r->rules.own_is_global || (call && call->copies) || !race_take_nobodys(&x))
        take_all(&x);
    if (x.record.maybe_atomic && a->kind == WT_WATCH_WRITE && !r->lanes_are_one) {
        x.w->stored = true;
        race_tick(x.w); /* it may publish what is before it, and not what comes behind */
    }
    for (unsigned i = 0; i < x.count; i++)
        race_report(&x, &x.conflict[i]);
    if (x.count) {
        r->told_time = a->time;
        r->told_pc = a->pc;
        r->told_at = x.conflict[0].at;
    }
    if (r->run.lost)
        race_tell_lost(r);
}

/* ---- beginning and end ---- */

bool wt_check_race_knows_openmp(const struct wt_machine *m)
{
    return wt_memory_model_of(m)->threads_are_waves;
}

struct wt_check_race *wt_check_race_begin(const struct wt_check_start *start)
{
    struct wt_machine *m = start->machine;
    struct wt_check_race *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (struct wt_check_race){.machine = m,
                                .space = start->space,
                                .found = start->found,
                                .context = start->context,
                                .run.resets = m->resets,
                                .rules = *wt_memory_model_of(m),
                                .shadow.first = 1};
    if (start->lanes != WT_LANES_BY_FAMILY)
        r->rules.independent = start->lanes == WT_LANES_INDEPENDENT;
    if (start->lanes == WT_LANES_AS_ONE) { /* GCC makes plain loads and stores of atomic ones */
        r->lanes_are_one = r->rules.stores_hide = true;
        r->rules.places = r->rules.warp_syncs = false;
        r->rules.loads_hide = r->rules.loads_hide_too = true;
    }
    for (unsigned lane = 0; lane < WT_MAX_LANES; lane++)
        r->lanes[lane] = (uint8_t)lane;
    r->slot = calloc(m->waves, sizeof *r->slot);
    r->ended = calloc(m->waves, sizeof(*r->ended));
    if (r->slot && r->ended && wt_observe_beneath(m, take, NULL, NULL, r)) {
        wt_groups_observe(m, race_event);
        return r;
    }
    wt_check_race_free(r);
    return NULL;
}

void wt_check_race_set_space(struct wt_check_race *r, const void *space)
{
    r->space = space;
}

void wt_check_race_free(struct wt_check_race *r)
{
    if (r && r->slot && r->ended)
        race_free_all(r);
    if (r) {
        wt_map_free(&r->guesses);
        wt_map_free(&r->trail_numbers);
        free(r->trail);
        wt_map_free(&r->proved);
        free(r->waiting);
        free(r->slot);
        free(r->ended);
    }
    free(r);
}

void wt_check_race_end(struct wt_check_race *r)
{
    if (r) {
        race_report_waiting(r, 0, NULL);
        wt_observe_beneath(r->machine, NULL, NULL, NULL, r);
    }
    wt_check_race_free(r);
}
