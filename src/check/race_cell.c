/* Decides for one cell, or for a row of equal cells as one, what an access races with, and which
 * accesses the cell keeps. See race_access.h. */
#include <string.h>

#include "check/race_access.h"
#include "emulator/machine/machine.h"

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
           !o->atomic && race_hint_of(&x->w->hint, o->wave) >= o->clock;
}

/* Whether two threads store the same number to one place by one instruction. */
static bool is_vote(const struct race_access *x, const struct race_record *o)
{
    return x->record.told && o->told && x->record.pc == o->pc && x->record.value == o->value;
}

static void add_conflict(struct race_access *x, unsigned mine, uint64_t at,
                         const struct race_record *o, unsigned lane, enum race_same same,
                         bool weaker)
{
    unsigned i = 0;
    if (!same && is_vote(x, o))
        same = RACE_SAME_VALUE;
    if (same == RACE_SAME_VALUE ||
        (!same && (is_locked(x, o) || (o->wave == x->w->number && x->w->order))))
        weaker = true;
    while (i < x->count &&
           (x->conflict[i].other.time != o->time || x->conflict[i].other.pc != o->pc ||
            x->conflict[i].other.wave != o->wave || x->conflict[i].other.kind != o->kind))
        i++;
    if (i == RACE_CONFLICTS)
        return;
    if (i == x->count)
        x->conflict[x->count++] =
            (struct race_conflict){.other = *o, .at = at, .weaker = weaker, .same = same};
    x->conflict[i].lanes |= x->row ? x->a->lanes : lanes_of(mine);
    x->conflict[i].others |= x->row ? lanes_of_row(x, lane) : lanes_of(lane);
    if (same && o->wave == x->record.wave)
        x->conflict[i].lanes |= lanes_of(lane);
    if (same > x->conflict[i].same)
        x->conflict[i].same = same;
    x->conflict[i].in_step = x->record.atomic && o->atomic && weaker;
    x->conflict[i].weaker &= weaker;
}

/* The stores of two lanes of one instruction to the cell at @p at. Rare, so apart from what each
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
    add_conflict(x, mine, at, o, lane, same, !differs || x->record.maybe_atomic);
}

/* ---- rules ---- */

static bool is_store(const struct race_record *one)
{
    return one->kind != WT_WATCH_READ;
}

/* Whether two atomic accesses are so to each other. */
static bool are_within_scope(const struct race_access *x, const struct race_record *a,
                             const struct race_record *b)
{
    return !(a->of_group || b->of_group) || race_home_of(x, a) == race_home_of(x, b);
}

/* Whether what this access, or one before it in its place, ordered before it, has read there was of
 * an atomic access, or of one that came later there: it is ordered after that (PTX ISA, "Causality
 * order": an observation, then the order of the program in one place). */
static bool has_observed(const struct race_access *x, const struct race_cell *cell, unsigned lane,
                         const struct race_record *o)
{
    const struct race_record *a = &x->record;
    const bool may = x->r->rules.observes && !a->atomic && (is_store(a) || !x->r->rules.places);
    if (!may || !is_store(o) || !(o->atomic || o->maybe_atomic))
        return false;
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        const struct race_record *z = race_record(&x->r->shadow, *cell->slot[k]);
        if (z && z->atomic && z->kind != WT_WATCH_WRITE && z->time > o->time &&
            are_within_scope(x, z, o) && race_ordered(x->r, x->w, lane, z, *cell->lane[k]))
            return true;
    }
    return false;
}

/* Whether this access, to the byte at @p at, and another one are a race where nothing orders them,
 * and whether that is certain. */
static bool may_race(const struct race_access *x, uint64_t at, const struct race_record *o,
                     bool *weaker)
{
    const struct race_record *a = &x->record;
    const bool stores = a->kind == WT_WATCH_WRITE && o->kind == WT_WATCH_WRITE;
    *weaker = false;
    if (!is_store(a) && !is_store(o))
        return false;
    if (a->atomic && o->atomic && are_within_scope(x, a, o)) {
        *weaker = true;
        return race_counts_on_step(x, o);
    }
    if (a->atomic && o->atomic)
        return true;
    if (x->r->rules.places && race_is_store_beside(a, o)) {
        const struct race_record *atomic = a->atomic ? a : o;
        const uint64_t size = a->size > o->size ? a->size : o->size;
        if (x->a->space != WT_OBSERVED_GROUP || atomic->kind == WT_WATCH_READ)
            *weaker = true;
        return !race_is_flag(x->space, at & ~(size - 1)) &&
               !(atomic->kind == WT_WATCH_READ &&
                 race_is_of_flag(x, atomic->pc, atomic == a ? o->pc : a->pc));
    }
    if (stores && a->maybe_atomic && o->maybe_atomic && a->size == o->size) {
        *weaker = true;
        return !x->synced; /* else they are atomic ones */
    }
    return !(a->atomic && o->maybe_atomic) && !(a->maybe_atomic && o->atomic);
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

/* Whether an access need not be kept: a later one, which is ordered behind it, stands for it. */
static bool may_go(const struct race_access *x, const struct race_record *o, unsigned mine,
                   unsigned lane, const struct race_record *by)
{
    return !o || (race_ordered(x->r, x->w, mine, o, lane) && (o->atomic || !by->atomic));
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
             (race_home_of(x, first) == race_home_of(x, second) &&
              race_home_of(x, one) != race_home_of(x, first)))
        slot = 2;
    if (slot)
        put(x, cell, slot, number, lane);
}

void race_take_cell(struct race_access *x, struct race_cell *cell, unsigned lane, uint64_t at)
{
    const struct race_shadow *s = &x->r->shadow;
    const bool compatible = x->record.atomic || x->record.maybe_atomic;
    bool weaker;
    bool keeps[RACE_SLOTS] = {false};
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        const struct race_record *o = race_record(s, *cell->slot[k]);
        const unsigned other = *cell->lane[k];
        if (!o)
            continue;
        if (*cell->slot[k] == x->number) {
            if (other != lane && x->record.kind == WT_WATCH_WRITE && !x->record.atomic &&
                !x->r->lanes_are_one)
                add_of_one(x, cell, at, o, lane, other);
            continue;
        }
        if (race_ordered(x->r, x->w, lane, o, other)) {
            keeps[k] = x->record.atomic && !o->atomic; /* atomic ones of others race with it */
            continue;
        }
        if (has_observed(x, cell, lane, o))
            continue;
        if (may_race(x, at, o, &weaker)) {
            add_conflict(x, lane, at, o, other, RACE_APART, weaker);
            keeps[k] = race_is_store_beside(&x->record, o) || (x->record.atomic && o->atomic);
        } else {
            keeps[k] = true;
        }
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
