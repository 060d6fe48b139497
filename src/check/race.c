/* See race.h. */
#include "check/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/race_access.h"
#include "check/rows.h"
#include "emulator/machine/engine.h"
#include "emulator/machine/groups.h"

/* ---- conflicts ---- */

static wt_lanes lanes_of(unsigned lane)
{
    return wt_lane_bit(lane & ~(unsigned)RACE_WAVE);
}

/* The lanes of a row's slot. */
static wt_lanes lanes_of_row(const struct race_access *x, unsigned slot)
{
    const uint8_t *row = x->row[slot];
    const unsigned count = x->row_count;
    wt_lanes all = 0;
    if (row[0] + count <= WT_MAX_LANES && memcmp(row, x->r->lanes + row[0], count) == 0)
        return ~(wt_lanes)0 >> (WT_MAX_LANES - count) << row[0]; /* neighbours */
    for (unsigned i = 0; i < count; i++)
        all |= lanes_of(row[i]);
    return all;
}

/* Whether atomic operations that came between may be a lock of the compiler's. */
static bool is_locked(const struct race_access *x, const struct race_record *o)
{
    return x->r->rules.locks && x->a->space == WT_OBSERVED_GROUP && !x->record.atomic &&
           !o->atomic && wt_clocks_of(x->w->hint, o->wave) >= o->clock;
}

/* Whether two threads store the same number to one place by one instruction. */
static bool is_vote(const struct race_access *x, const struct race_record *o)
{
    return x->record.told && o->told && x->record.pc == o->pc && x->record.value == o->value;
}

static void add_conflict(struct race_access *x, unsigned mine, uint64_t at,
                         const struct race_record *o, unsigned lane, enum race_same same,
                         enum wt_severity severity)
{
    unsigned i = 0;
    if (!same && is_vote(x, o))
        same = RACE_SAME_VALUE;
    if (same == RACE_SAME_VALUE ||
        (!same && (is_locked(x, o) || (o->wave == x->w->number && x->w->order))))
        severity = WT_WARNING;
    while (i < x->count &&
           (x->conflict[i].other.time != o->time || x->conflict[i].other.pc != o->pc ||
            x->conflict[i].other.wave != o->wave || x->conflict[i].other.kind != o->kind))
        i++;
    if (i == RACE_CONFLICTS)
        return;
    if (i == x->count)
        x->conflict[x->count++] =
            (struct race_conflict){.other = *o, .at = at, .severity = severity, .same = same};
    x->conflict[i].lanes |= x->row ? x->a->lanes : lanes_of(mine);
    x->conflict[i].others |= x->row ? lanes_of_row(x, lane) : lanes_of(lane);
    if (same && o->wave == x->record.wave)
        x->conflict[i].lanes |= lanes_of(lane);
    if (same > x->conflict[i].same)
        x->conflict[i].same = same;
    if (severity < x->conflict[i].severity)
        x->conflict[i].severity = severity;
}

/* What two lanes of one instruction store to the cell at @p at. Rare, so apart from what each
 * access does. */
static __attribute__((noinline)) enum race_same compare(struct race_access *x,
                                                        const struct race_cell *cell, uint64_t at,
                                                        unsigned mine, unsigned lane)
{
    const struct wt_observed *a = x->a;
    const unsigned lanes[2] = {mine, lane};
    unsigned from[2], count = cell->page ? 4 : 1;
    if (!x->looked)
        x->r->data = a->of_wave || a->is_scalar
                         ? (struct wt_stored){.kind = WT_STORED_UNTOLD}
                         : wt_stored_by(x->r->machine, a->wave, a->pc, a->size);
    x->looked = true;
    for (unsigned i = 0; i < 2; i++) {
        if (x->r->data.kind == WT_STORED_UNTOLD || !(a->lanes & lanes_of(lanes[i])) ||
            at - a->at[lanes[i]] >= a->size)
            return RACE_SAME;
        from[i] = (unsigned)(at - a->at[lanes[i]]);
        count = count < a->size - from[i] ? count : a->size - from[i];
    }
    for (unsigned i = 0; x->r->data.kind == WT_STORED_ROW && i < count; i++)
        if (wt_stored_byte(x->r->machine, a->wave, &x->r->data, mine, from[0] + i) !=
            wt_stored_byte(x->r->machine, a->wave, &x->r->data, lane, from[1] + i))
            return RACE_SAME_DIFFERENT;
    return RACE_SAME_VALUE;
}

/* A place that two lanes of one instruction store to. */
static __attribute__((noinline)) void add_of_one(struct race_access *x,
                                                 const struct race_cell *cell, uint64_t at,
                                                 const struct race_record *o, unsigned mine,
                                                 unsigned lane)
{
    const enum race_same same = compare(x, cell, at, mine, lane);
    const bool differs = same == RACE_SAME_DIFFERENT;
    add_conflict(x, mine, at, o, lane, same,
                 differs && !x->record.maybe_atomic ? WT_ERROR : WT_WARNING);
}

/* ---- rules ---- */

static bool is_store(const struct race_record *one)
{
    return one->kind != WT_WATCH_READ;
}

/* Whether two accesses to one byte are a race where nothing orders them, and how bad. */
static bool may_race(const struct race_record *a, const struct race_record *b,
                     enum wt_severity *severity)
{
    const bool stores = a->kind == WT_WATCH_WRITE && b->kind == WT_WATCH_WRITE;
    *severity =
        stores && a->maybe_atomic && b->maybe_atomic && a->size == b->size ? WT_WARNING : WT_ERROR;
    return (is_store(a) || is_store(b)) && !(a->atomic && b->atomic) &&
           !(a->atomic && b->maybe_atomic) && !(a->maybe_atomic && b->atomic);
}

static bool is_ordered(const struct race_access *x, unsigned mine, const struct race_record *o,
                       unsigned lane)
{
    return race_ordered(x->r, x->w, mine, o, lane);
}

/* ---- one cell ---- */

static void put(struct race_access *x, struct race_cell *cell, unsigned slot, uint32_t number,
                unsigned lane)
{
    if (!race_own_slot(cell, slot)) {
        x->r->run.lost = true;
        return;
    }
    *cell->slot[slot] = number;
    memset(cell->lane[slot], (uint8_t)lane, cell->page ? cell->page->per : 1);
    x->stored |= number == x->number;
}

static uint64_t home_of(const struct race_access *x, const struct race_record *one)
{
    return x->r->wave[one->wave - 1].home;
}

/* Whether an access need not be kept: a later one, which is ordered behind it, stands for it. */
static bool may_go(const struct race_access *x, const struct race_record *o, unsigned mine,
                   unsigned lane, const struct race_record *by)
{
    return !o || (is_ordered(x, mine, o, lane) && (o->atomic || !by->atomic));
}

/* Keeps an access that is no plain store beside others that nothing orders with it: of two groups,
 * if there are. */
static void keep(struct race_access *x, struct race_cell *cell, const struct race_record *one,
                 uint32_t number, unsigned lane, bool own)
{
    const struct race_shadow *s = &x->r->shadow;
    const struct race_record *first = race_record(s, *cell->slot[1]),
                             *second = race_record(s, *cell->slot[2]);
    unsigned slot = 0;
    if (own && first && first->wave == one->wave && first->clock == one->clock &&
        first->kind == one->kind && *cell->lane[1] == lane)
        return;
    if (may_go(x, first, lane, *cell->lane[1], one) && own)
        slot = 1;
    else if (!first)
        slot = 1;
    else if (!second || (own && may_go(x, second, lane, *cell->lane[2], one)) ||
             (home_of(x, first) == home_of(x, second) && home_of(x, one) != home_of(x, first)))
        slot = 2;
    if (slot)
        put(x, cell, slot, number, lane);
}

static void take_cell(struct race_access *x, struct race_cell *cell, unsigned lane, uint64_t at)
{
    const struct race_shadow *s = &x->r->shadow;
    const bool compatible = x->record.atomic || x->record.maybe_atomic;
    enum wt_severity severity;
    bool keeps[RACE_SLOTS] = {false};
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        const struct race_record *o = race_record(s, *cell->slot[k]);
        const unsigned other = *cell->lane[k];
        if (!o)
            continue;
        if (*cell->slot[k] == x->number) {
            if (other != lane && x->record.kind == WT_WATCH_WRITE && !x->record.atomic &&
                !x->r->rules.lanes_are_one)
                add_of_one(x, cell, at, o, lane, other);
            continue;
        }
        if (is_ordered(x, lane, o, other)) {
            keeps[k] = x->record.atomic && !o->atomic; /* atomic ones of others race with it */
            continue;
        }
        if (may_race(&x->record, o, &severity) && !(severity == WT_WARNING && x->synced))
            add_conflict(x, lane, at, o, other, RACE_APART, severity);
        else
            keeps[k] = true;
    }
    if (x->record.kind == WT_WATCH_READ) {
        keep(x, cell, &x->record, x->number, lane, true);
        return;
    }
    const uint32_t before = *cell->slot[0];
    const uint8_t before_lane = *cell->lane[0];
    for (unsigned k = 1; k < RACE_SLOTS; k++)
        if (*cell->slot[k] && !(keeps[k] && compatible))
            *cell->slot[k] = 0;
    put(x, cell, 0, x->number, lane);
    if (keeps[0] && compatible) {
        const struct race_record *o = race_record(s, before);
        keep(x, cell, o, before, before_lane, false);
    }
}

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
            take_cell(x, list, lane, at);
        for (uint64_t byte = at; cells == 4 && byte < next; byte++)
            take_cell(x, &list[byte % 4], lane, byte);
        x->r->run.lost |= !cells;
        at = next;
    }
}

/* The lanes of cells of a page. */
static uint8_t *lanes_at(const struct race_page *page, unsigned slot, unsigned cell)
{
    return &page->lane[slot][cell * page->per];
}

/* A row of cells gets one record, and lanes; number 0: none, where one is. */
static void fill(struct race_access *x, struct race_page *page, unsigned slot, unsigned first,
                 unsigned count, uint32_t number, const uint8_t *lanes)
{
    if (!race_own(page, slot)) {
        x->r->run.lost = true;
        return;
    }
    uint32_t *to = &page->slot[slot][first];
    for (unsigned i = 0; i < count; i++)
        to[i] = number;
    if (number)
        memcpy(lanes_at(page, slot, first), lanes, count * page->per);
    x->stored |= number == x->number;
}

/* Cells of a page one behind the other. */
struct row {
    unsigned first, count;
    bool equal[RACE_SLOTS];      /* all have the same number in the slot, and are not split */
    uint32_t number[RACE_SLOTS]; /* of the first one */
    const uint8_t *mine;         /* lanes of the access: race_page.per of each cell */
};

static void see_row(const struct race_page *page, struct row *row)
{
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        const uint32_t *slot = &page->slot[k][row->first];
        row->number[k] = page->plane[k] ? *slot : 0;
        row->equal[k] =
            !page->plane[k] || (!(*slot & RACE_SPLIT) && race_are_equal(slot, row->count));
    }
}

/* Whether the lanes in one slot are those of the access. */
static bool has_lanes(const struct race_page *page, unsigned k, const struct row *row)
{
    return memcmp(lanes_at(page, k, row->first), row->mine, row->count * page->per) == 0;
}

/* Whether nothing races that is in one slot of a row of cells, and nothing need be kept of it. */
static bool is_over(const struct race_access *x, const struct race_page *page, unsigned k,
                    const struct row *row)
{
    const struct race_record *o = race_record(&x->r->shadow, row->number[k]);
    if (!row->equal[k] || !o)
        return row->equal[k];
    if (o->wave == x->w->number)
        return !x->r->rules.independent || has_lanes(page, k, row);
    return !(x->alone && row->number[k] >= x->past) && is_ordered(x, 0, o, 0);
}

/* Whether all that is in one slot of a row of cells is ordered before the access, as numbers say.
 */
static bool are_past(const struct race_access *x, const struct race_page *page, unsigned k,
                     const struct row *row)
{
    const uint32_t *slot = &page->slot[k][row->first];
    const uint32_t past =
        page->owner == x->w->number && !x->r->rules.independent ? x->number : x->past;
    const unsigned count = !page->plane[k] ? 0 : row->equal[k] ? 1 : row->count;
    uint32_t later = 0;
    for (unsigned i = 0; i < count; i++)
        later |= slot[i] >= past;
    return !later && page->per == 1;
}

/* A row of whole cells, one behind the other, which plain accesses are made to: false, and nothing
 * is done, where it is no simple case. */
static bool take_row(struct race_access *x, struct race_page *page, const struct row *row)
{
    const struct race_record *read = race_record(&x->r->shadow, row->number[1]);
    if (!are_past(x, page, 0, row) && !is_over(x, page, 0, row))
        return false;
    const bool over = is_over(x, page, 1, row);
    if (!over && !are_past(x, page, 1, row))
        return false;
    if (x->record.kind == WT_WATCH_READ) {
        if (over && read && read->atomic == x->record.atomic && read->wave == x->w->number &&
            read->clock == x->w->clock)
            return true; /* an earlier load stands for it */
        fill(x, page, 1, row->first, row->count, x->number, row->mine);
        return true;
    }
    if (!are_past(x, page, 2, row) && !is_over(x, page, 2, row))
        return false;
    fill(x, page, 0, row->first, row->count, x->number, row->mine);
    for (unsigned k = 1; k < RACE_SLOTS; k++)
        if (!row->equal[k] || row->number[k])
            fill(x, page, k, row->first, row->count, 0, NULL);
    return true;
}

/* Whether lanes from *first on access what fills whole cells one behind the other, of one page;
 * *count: how many lanes. */
static bool is_row(const struct wt_observed *a, unsigned *first, unsigned *count)
{
    return a->size <= 16 && wt_is_row(a, a->size, first, count) && a->at[*first] % 4 == 0 &&
           *count * a->size % 4 == 0 &&
           a->at[*first] % RACE_PAGE + (uint64_t)*count * a->size <= RACE_PAGE;
}

/* A row whose cells are equal but for the lanes: they are taken as one. False, and nothing is done,
 * where they are not. */
static bool take_equal_cells(struct race_access *x, struct race_page *page, const struct row *row)
{
    uint8_t *lanes[RACE_SLOTS];
    uint32_t slot[RACE_SLOTS];
    uint8_t number[RACE_SLOTS] = {0, 1, 2};
    struct race_cell cell;
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        const struct race_record *o = race_record(&x->r->shadow, row->number[k]);
        if (!row->equal[k] || row->number[k] == x->number ||
            (o && o->wave == x->w->number && x->r->rules.independent && !has_lanes(page, k, row)))
            return false;
        lanes[k] = lanes_at(page, k, row->first);
        slot[k] = row->number[k];
        cell.slot[k] = &slot[k];
        cell.lane[k] = &number[k];
    }
    cell.page = NULL;
    x->row = lanes;
    x->row_count = row->count * page->per;
    take_cell(x, &cell, RACE_WAVE, x->a->at[wt_lanes_lowest(x->a->lanes)]);
    x->row = NULL;
    for (unsigned k = RACE_SLOTS; k-- > 0;) /* slot 0, whose lanes others may get, comes last */
        if (slot[k] != row->number[k])
            fill(x, page, k, row->first, row->count, slot[k],
                 slot[k] == x->number ? row->mine : lanes[number[k]]);
    return true;
}

/* Whether a load's cells have two loads of others, as keep() leaves them. */
static bool all_stay(const struct race_access *x, const struct row *row)
{
    const struct race_shadow *s = &x->r->shadow;
    const struct race_record *o[RACE_SLOTS];
    if (x->record.kind != WT_WATCH_READ || !x->alone || !row->equal[0] || row->number[0] >= x->past)
        return false;
    for (unsigned k = 1; k < RACE_SLOTS; k++) {
        o[k] = race_record(s, row->number[k]);
        if (!row->equal[k] || row->number[k] < x->past || !o[k] || is_store(o[k]) ||
            o[k]->wave == x->w->number)
            return false;
    }
    return home_of(x, o[1]) != home_of(x, o[2]) || home_of(x, &x->record) == home_of(x, o[1]);
}

/* A row as one, in one of the ways. */
static bool take_cells(struct race_access *x, struct race_page *page, unsigned first,
                       unsigned count, const uint8_t *mine)
{
    struct row row;
    row.first = first;
    row.count = count;
    row.mine = mine;
    see_row(page, &row);
    return all_stay(x, &row) || take_row(x, page, &row) || take_equal_cells(x, page, &row);
}

static bool take_whole(struct race_access *x)
{
    uint8_t list[WT_MAX_LANES * 16];
    const uint8_t *mine = list;
    unsigned lane, lanes;
    if (x->record.atomic || x->polls || !is_row(x->a, &lane, &lanes))
        return false;
    const uint64_t at = x->a->at[lane];
    struct race_page *page = race_page(x->space, at, true);
    if (!page || (page->syncs && (x->record.maybe_atomic || x->hides)) ||
        (x->a->size % 4 && !race_own_bytes(page)))
        return false;
    race_page_used(page, x->w->number);
    const unsigned cells = lanes * x->a->size / 4, each = x->a->size * page->per / 4;
    if (x->a->of_wave)
        memset(list, x->a->owner, cells * page->per);
    else if (each == 1)
        mine = x->r->lanes + lane;
    else
        for (unsigned i = 0; i < cells * page->per; lane++)
            for (const unsigned end = i + each; i < end; i++)
                list[i] = (uint8_t)lane;
    const unsigned first = at % RACE_PAGE / 4;
    return take_cells(x, page, first, cells, mine);
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
    if (take_whole(x))
        return;
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
        if (!whole || !take_cells(x, page, first, cells, mine))
            take_lane(x, RACE_WAVE, addr, (unsigned)bytes);
    }
}

bool race_number(struct race_access *x)
{
    struct race_shadow *s = &x->r->shadow;
    const struct race_record *last = s->count ? &s->record[s->count - 1] : NULL;
    if (last && last->time == x->record.time && last->wave == x->record.wave &&
        last->kind == x->record.kind && last->clock == x->record.clock &&
        last->atomic == x->record.atomic && last->size == x->record.size) {
        x->number = s->first + (uint32_t)s->count - 1;
        x->stored = true;
        return true;
    }
    return (x->number = race_add_record(s, &x->record));
}

bool race_make_room(struct wt_check_race *r)
{
    struct race_space **spaces = NULL;
    size_t count = 0;
    if (!race_is_full(&r->shadow))
        return true;
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
                           .severity = WT_WARNING,
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

static void take(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_check_race *r = context;
    if ((a->space != WT_OBSERVED_GLOBAL && a->space != WT_OBSERVED_GROUP) ||
        race_is_past(r, a->time) || !wt_machine_checks(m, a->launch))
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
    if (x.w->steps)
        race_step(r, x.w, a);
    x.record = (struct race_record){.time = a->time,
                                    .pc = a->pc,
                                    .wave = x.w->number,
                                    .clock = x.w->clock,
                                    .released = x.w->released[RACE_DEVICE],
                                    .kind = a->kind,
                                    .size = a->size,
                                    .atomic = atomic,
                                    .maybe_atomic = !atomic && hides_order(r, a) && is_aligned(a)};
    if (r->rules.locks)
        race_tell_value(&x);
    x.w->used = true;
    x.hides = r->rules.loads_hide && !atomic && (!r->rules.waits || g);
    race_note_polling(&x);
    race_note_guesses(&x);
    if (r->order) {
        note_flags(&x);
        note_signal(&x);
    }
    if (race_number(&x)) {
        race_see_past(&x);
        do {
            x.count = 0;
            take_lanes(&x);
        } while (x.count && race_knows_polling(&x));
    } else {
        r->run.lost = true;
    }
    if (!x.stored && x.number)
        r->shadow.count--;
    if (x.record.maybe_atomic && a->kind == WT_WATCH_WRITE && !r->rules.lanes_are_one) {
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

static const struct race_rules rules[] = {
    /* Lanes of a wave execute one instruction after the other for all of them. LLVM, "User Guide
       for AMDGPU Backend", "Memory Model gfx6-gfx9": relaxed atomic stores are plain ones. */
    {.family = "gfx900",
     .stores_hide = true,
     .loads_hide = true,
     .waits = true,
     .hands_on = true, /* in the L2 cache */
     .threads_are_waves = true},
    /* CUDA C++ Programming Guide, "Independent Thread Scheduling": from 7.0 on, as who begins the
       check says. */
    {.family = "sm", .one_order = true},
    /* OpenCL C, "Memory Ordering Rules": work-items are independent. */
    {.family = "gen9", .independent = true, .loads_hide = true, .locks = true},
    /* Atomic loads and stores are plain ones beside fences (RISC-V, "A"); warps start others by
       wspawn, and wait by it until they have ended. */
    {.family = "vortex",
     .stores_hide = true,
     .loads_hide_too = true,
     .loads_hide = true,
     .hands_on = true, /* RVWMO: each store is seen by all others at once */
     .spawns = true},
};

static const struct race_rules *rules_of(const struct wt_machine *m)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].family, m->ops->family) == 0)
            return &rules[i];
    return NULL;
}

bool wt_check_race_knows_openmp(const struct wt_machine *m)
{
    const struct race_rules *own = rules_of(m);
    return own && own->threads_are_waves;
}

struct wt_check_race *wt_check_race_begin(struct wt_machine *m, const void *space,
                                          enum wt_check_lanes lanes, wt_found_fn *found,
                                          void *context)
{
    struct wt_check_race *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (struct wt_check_race){.machine = m,
                                .space = space,
                                .found = found,
                                .context = context,
                                .run = wt_follow(m),
                                .shadow.first = 1};
    const struct race_rules *own = rules_of(m);
    if (own)
        r->rules = *own;
    if (lanes != WT_LANES_BY_FAMILY)
        r->rules.independent = lanes == WT_LANES_INDEPENDENT;
    if (lanes == WT_LANES_AS_ONE) { /* GCC makes plain loads and stores of atomic ones */
        r->rules.lanes_are_one = r->rules.stores_hide = true;
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
        free(r->waiting);
        free(r->slot);
        free(r->ended);
    }
    free(r);
}

void wt_check_race_end(struct wt_check_race *r)
{
    if (r) {
        race_report_waiting(r);
        wt_observe_beneath(r->machine, NULL, NULL, NULL, r);
    }
    wt_check_race_free(r);
}
