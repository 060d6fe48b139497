/* Findings of races that wait until more is known of their place, or of the wave of one of their
 * accesses. See race_access.h. */
#include <string.h>

#include "base/array.h"
#include "check/race_access.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/meaning.h"

enum { PLACES = 16 };

struct race_waiting {
    struct wt_finding finding;
    /* A plain load beside atomic operations, of this wave: 0: it is a store beside them. */
    uint32_t wave;
    uint64_t pc;
    const struct race_space *space;
    unsigned places;
    uint64_t place[PLACES]; /* the store's, or how often a load was made */
};

/* ---- which atomic operations make a flag or lock of a place ---- */

/* Whether the meaning of an atomic operation puts a value in its place that does not come of what
 * was there, always, or where that is what is expected. */
static bool replaces(const uint8_t *code)
{
    static const uint8_t compares[] = {WT_M_SELECT, WT_M_EQ, WT_M_MEMORY};
    if (!code || *code++ != WT_M_ATOMIC)
        return false;
    wt_meaning_skip(&code);
    return (*code < WT_M_LEAVES && *code != WT_M_MEMORY) ||
           wt_meaning_begins(code, compares, sizeof compares);
}

bool race_swaps(struct wt_check_race *r, uint32_t slot, uint64_t pc)
{
    enum { COUNT = sizeof r->kind / sizeof *r->kind };
    struct race_kind *kind = &r->kind[pc / 4 % COUNT];
    struct wt_insn_operands operands;
    if (kind->pc != pc)
        *kind = (struct race_kind){pc, r->machine->ops->operands(r->machine, slot, pc, &operands) &&
                                           replaces(operands.meaning)};
    return kind->is;
}

/* ---- guesses ---- */

static uint64_t key_of(uint64_t pc, uint64_t time)
{
    return (pc * UINT64_C(0x9e3779b97f4a7c15) ^ time) + 1;
}

void race_note_guesses(struct race_access *x)
{
    /* Code of a Gen9 without optimisation has many of its own memory between. */
    enum { ALL = sizeof x->w->load / sizeof *x->w->load, FEW = 4 };
    const unsigned count = x->r->rules.locks ? ALL : FEW;
    const struct wt_observed *a = x->a;
    struct race_slot *w = x->w;
    bool proves = false;
    if (a->kind == WT_WATCH_READ && !x->record.atomic)
        w->load[w->loads++ & (count - 1)] =
            (struct race_place){a->pc, a->at[wt_lanes_lowest(a->lanes)], a->time};
    if (a->kind != WT_WATCH_ACCESS)
        return;
    for (unsigned i = 0; i < count; i++)
        for (wt_lanes left = w->load[i].pc ? a->lanes : 0; left; left &= left - 1)
            if (a->at[wt_lanes_lowest(left)] == w->load[i].at) {
                uint64_t *by = wt_map_add(&x->r->guesses, w->load[i].pc);
                if (by)
                    *by = a->pc;
                wt_map_add(&x->r->proved, key_of(w->load[i].pc, w->load[i].time));
                proves = true;
                break;
            }
    enum { SWAPS = sizeof w->swap / sizeof *w->swap };
    struct race_place *swap = NULL;
    for (unsigned i = 0; i < SWAPS && !swap; i++)
        if (w->swap[i].pc == a->pc || (proves && !w->swap[i].pc))
            swap = &w->swap[i];
    if (swap)
        *swap = (struct race_place){a->pc, 0, a->time};
}

/* Whether a load was a guess: its wave has proved it; or has not come to the operation that proves
 * others of this instruction, since it did not like what it has loaded. */
static bool was_guess(const struct wt_check_race *r, const struct race_slot *w, uint64_t pc,
                      uint64_t time)
{
    const uint64_t *by = wt_map_find(&r->guesses, pc);
    if (!by || wt_map_find(&r->proved, key_of(pc, time)))
        return by;
    for (unsigned i = 0; w && i < sizeof w->swap / sizeof *w->swap; i++)
        if (w->swap[i].pc == *by && w->swap[i].time > time)
            return false;
    return true;
}

/* The slot of a wave that goes on; NULL: it has ended. */
static const struct race_slot *slot_of(const struct wt_check_race *r, uint32_t wave)
{
    for (uint32_t i = 0; !r->wave[wave - 1].ended && i < r->machine->waves; i++)
        if (r->slot[i].number == wave)
            return &r->slot[i];
    return NULL;
}

/* ---- what waits ---- */

/* Whether it is no mistake, as far as is known. */
static bool is_none(const struct wt_check_race *r, const struct race_waiting *one,
                    const struct race_slot *w, unsigned place)
{
    return one->wave ? was_guess(r, w, one->pc, one->place[place])
                     : race_is_flag(one->space, one->place[place]);
}

/* Forgets places that are none for certain. */
static void forget_some(const struct wt_check_race *r, struct race_waiting *one)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < one->places; i++) {
        const bool certain = one->wave
                                 ? wt_map_find(&r->proved, key_of(one->pc, one->place[i])) != NULL
                                 : race_is_flag(one->space, one->place[i]);
        if (!certain)
            one->place[kept++] = one->place[i];
    }
    one->places = kept;
}

static void add_place(const struct wt_check_race *r, struct race_waiting *one, uint64_t place)
{
    for (unsigned i = 0; i < one->places; i++)
        if (one->place[i] == place)
            return;
    if (one->places == PLACES)
        forget_some(r, one);
    if (one->places < PLACES)
        one->place[one->places++] = place;
}

bool race_wait_with(struct race_access *x, const struct race_conflict *c,
                    const struct wt_finding *f)
{
    struct wt_check_race *r = x->r;
    const struct race_record *a = &x->record, *o = &c->other;
    const bool beside = r->rules.places && race_is_store_beside(a, o);
    const struct race_record *load = a->kind == WT_WATCH_READ && o->kind == WT_WATCH_ACCESS ? a
                                     : a->kind == WT_WATCH_ACCESS && o->kind == WT_WATCH_READ
                                         ? o
                                         : NULL;
    if (!beside && (!load || load->atomic))
        return false;
    const uint64_t size = a->size > o->size ? a->size : o->size;
    const uint64_t place = beside ? c->at & ~(size - 1) : load->time;
    struct race_waiting one = {.finding = *f, .place = {place}, .places = 1, .space = x->space};
    if (!beside) {
        const struct race_slot *w = slot_of(r, load->wave);
        one.wave = load->wave;
        one.pc = load->pc;
        if (!w)
            return was_guess(r, NULL, load->pc, load->time);
    }
    for (size_t i = 0; i < r->waits; i++) {
        struct race_waiting *there = &r->waiting[i];
        if (there->wave == one.wave && there->pc == one.pc && there->space == one.space &&
            wt_finding_is_like(&there->finding, f)) {
            there->finding.times += f->times;
            there->finding.lanes_of += f->lanes_of;
            add_place(r, there, place);
            return true;
        }
    }
    struct race_waiting *grown =
        wt_array_grow(r->waiting, &r->wait_room, r->waits + 1, sizeof *grown);
    if (!grown)
        return false;
    r->waiting = grown;
    grown[r->waits++] = one;
    return true;
}

void race_report_waiting(struct wt_check_race *r, uint32_t wave, const struct race_space *space)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->waits; i++) {
        const struct race_waiting *one = &r->waiting[i];
        bool none = true;
        if ((wave || space) && (one->wave != wave || (space && one->space != space))) {
            r->waiting[kept++] = *one;
            continue;
        }
        const struct race_slot *w = one->wave ? slot_of(r, one->wave) : NULL;
        for (unsigned k = 0; k < one->places && none; k++)
            none = is_none(r, one, w, k);
        if (!none)
            r->found(r->context, &one->finding);
    }
    r->waits = kept;
    if (!wave && !space)
        wt_map_free(&r->proved);
}
