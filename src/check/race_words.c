/* Plain accesses of many lanes to whole cells, which do not lie in a row: in most of them nothing
 * races. See race_access.h. */
#include <string.h>

#include "check/race_access.h"
#include "check/rows.h"

enum { PAGES = 32 };

/* A page that lanes access. */
struct entered {
    uint64_t base; /* its address */
    struct race_page *page;
    uint32_t *slot[RACE_SLOTS];
    uint8_t *lane[RACE_SLOTS];
    uint32_t past; /* there, records with lower numbers are ordered before */
};
#define NOWHERE UINT64_MAX

/* What is asked of each cell: it is the same for all of them. */
struct asked {
    const uint32_t *of;   /* waves of records of number `first` and behind */
    const uint64_t *home; /* of waves */
    uint64_t own_home;
    uint32_t first, number, wave;
    uint32_t past; /* records with lower numbers are ordered before */
    uint32_t
        floor; /* up to which clock accesses of the wave are ordered before those of all lanes */
    bool loads, hides;
    bool simple; /* nobody's copies */
    bool alone;  /* no access of other waves is ordered before, but for `past` */
};

struct words {
    struct race_access *x;
    struct asked is;
    /* The last cells had these, which are others' accesses, and it was decided that `to` becomes
     * the access. */
    uint32_t had[RACE_SLOTS];
    unsigned to;
    uint64_t base[PAGES]; /* of those that were entered; NOWHERE: none */
    struct entered entered[PAGES];
};

/* What becomes of a cell, beside numbers of slots. */
enum { STAYS = RACE_SLOTS, NOT_SIMPLE };

/* Whether an access is ordered before that of a lane. *by_lane becomes true where it may be
 * otherwise for another lane. */
static inline bool is_past(const struct words *f, uint32_t slot, unsigned lane, unsigned mine,
                           bool *by_lane)
{
    if (slot < f->is.past)
        return true;
    const struct wt_check_race *r = f->x->r;
    const uint32_t at = slot - f->is.first, wave = f->is.of[at] & ~RACE_LOADS;
    if (wave != f->is.wave)
        return !f->is.alone && r->shadow.record[at].clock <= race_upto(f->x->r, f->x->w, wave);
    if (f->is.floor == UINT32_MAX || r->shadow.record[at].clock <= f->is.floor)
        return true;
    *by_lane = true;
    return lane == mine || lane & RACE_WAVE || r->shadow.record[at].clock <= f->x->w->lane[mine];
}

static inline bool is_load(const struct words *f, uint32_t slot)
{
    return f->is.of[slot - f->is.first] & RACE_LOADS;
}

static inline uint64_t home_of(const struct words *f, uint32_t slot)
{
    return f->is.home[(f->is.of[slot - f->is.first] & ~RACE_LOADS) - 1];
}

/* What becomes of a cell, if nothing races there. */
static unsigned decide(struct words *f, const struct entered *e, unsigned cell, unsigned mine)
{
    const uint32_t slot[] = {e->slot[0][cell], e->slot[1][cell], e->slot[2][cell]};
    bool by_lane = false;
    unsigned to = 0;
    if (slot[0] == f->had[0] && slot[1] == f->had[1] && slot[2] == f->had[2])
        return f->to;
    if (slot[0] >= f->is.past && (slot[0] & RACE_SPLIT || slot[0] == f->is.number ||
                                  !is_past(f, slot[0], e->lane[0][cell], mine, &by_lane)))
        return NOT_SIMPLE;
    const bool first = is_past(f, slot[1], e->lane[1][cell], mine, &by_lane),
               second = is_past(f, slot[2], e->lane[2][cell], mine, &by_lane);
    if (f->is.loads ? !(first || is_load(f, slot[1])) || !(second || is_load(f, slot[2]))
                    : !(first && second))
        return NOT_SIMPLE;
    if (f->is.loads && (first || second))
        to = first ? 1 : 2;
    else if (f->is.loads) { /* of two groups, as in keep() */
        const uint64_t home = home_of(f, slot[1]);
        to = home != home_of(f, slot[2]) || home == f->is.own_home ? STAYS : 2;
    }
    if (by_lane)
        return to;
    for (unsigned k = 0; k < RACE_SLOTS; k++)
        f->had[k] = slot[k];
    return f->to = to;
}

static void see_slots(struct entered *e)
{
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        e->slot[k] = e->page->slot[k];
        e->lane[k] = e->page->lane[k];
    }
}

/* Goes to the page of an address; false where its accesses are no simple ones. */
static bool enter(struct words *f, unsigned i, uint64_t at)
{
    struct race_page *page = race_page(f->x->space, at, true);
    struct entered *e = &f->entered[i];
    f->base[i] = NOWHERE;
    if (!page || page->per != 1 || (page->syncs && f->is.hides) || !race_own(page, f->is.loads))
        return false;
    race_page_used(page, f->is.wave);
    f->base[i] = e->base = at - at % RACE_PAGE;
    e->page = page;
    e->past = page->owner == f->is.wave && f->is.floor == UINT32_MAX ? f->is.number : f->is.past;
    see_slots(e);
    return true;
}

/* Whether what a slot has, of which wave, is the lane's own. */
static inline bool is_own(const struct asked *is, const struct entered *e, unsigned k,
                          unsigned cell, unsigned lane)
{
    return is->floor == UINT32_MAX || e->lane[k][cell] == lane;
}

/* The slot that a load goes to; or STAYS. It is decided at once where other waves have loaded, too,
 * and nothing orders these loads. @p is and @p e are copies of those of @p f and of @p in, which
 * the compiler may keep in registers. */
static inline unsigned place_load(struct words *f, const struct asked *is, const struct entered *e,
                                  const struct entered *in, unsigned cell, unsigned lane)
{
    const uint32_t store = e->slot[0][cell], one = e->slot[1][cell];
    if (store >= e->past && (store >= is->number || is->of[store - is->first] != is->wave ||
                             !is_own(is, e, 0, cell, lane)))
        return decide(f, in, cell, lane);
    if (one < e->past)
        return 1;
    const uint32_t other = e->slot[2][cell], first = is->of[one - is->first];
    if (first == (is->wave | RACE_LOADS))
        return is_own(is, e, 1, cell, lane) ? 1 : decide(f, in, cell, lane);
    if (!is->alone || !(first & RACE_LOADS))
        return decide(f, in, cell, lane);
    if (other < e->past)
        return 2;
    const uint32_t second = is->of[other - is->first];
    if (second == (is->wave | RACE_LOADS) || !(second & RACE_LOADS))
        return decide(f, in, cell, lane);
    const uint64_t home = is->home[(first & ~RACE_LOADS) - 1];
    return home != is->home[(second & ~RACE_LOADS) - 1] || home == is->own_home ? STAYS : 2;
}

/* A lane's load; *e is a copy of *in. */
static inline bool take_load(struct words *f, const struct asked *is, struct entered *e,
                             struct entered *in, unsigned cell, unsigned lane)
{
    const unsigned to = place_load(f, is, e, in, cell, lane);
    if (to >= STAYS)
        return to == STAYS;
    if (to == 2 && !e->page->plane[to]) {
        if (!race_own(e->page, to))
            return false;
        see_slots(in);
        *e = *in;
    }
    e->slot[to][cell] = is->number;
    e->lane[to][cell] = (uint8_t)lane;
    return true;
}

static inline bool take_store(struct words *f, struct entered *e, unsigned cell, unsigned lane)
{
    const uint32_t first = e->slot[1][cell], second = e->slot[2][cell];
    if ((e->slot[0][cell] >= e->past || first >= e->past || second >= e->past) &&
        decide(f, e, cell, lane) != 0)
        return false;
    e->slot[0][cell] = f->is.number;
    e->lane[0][cell] = (uint8_t)lane;
    if (first)
        e->slot[1][cell] = 0;
    if (second)
        e->slot[2][cell] = 0;
    return true;
}

void race_see_past(struct race_access *x)
{
    const struct wt_check_race *r = x->r;
    const struct race_slot *w = x->w;
    const struct race_behind *behind = &w->behind;
    const bool barrier = x->a->space == WT_OBSERVED_GROUP && behind->home == x->a->home &&
                         behind->numbering == r->shadow.numbering &&
                         behind->number > r->shadow.first &&
                         (!r->rules.independent || !(x->a->lanes & ~w->behind_lanes));
    x->past = barrier ? behind->number : r->shadow.first;
    x->alone = barrier ? w->view == w->behind_view : !r->several && !r->wave[w->number - 1].known;
}

static void begin(struct words *f, struct race_access *x)
{
    const struct wt_check_race *r = x->r;
    const struct race_slot *w = x->w;
    f->x = x;
    f->is.of = r->shadow.wave;
    f->is.first = r->shadow.first;
    f->is.past = x->past;
    f->is.number = x->number;
    f->is.wave = w->number;
    f->is.floor = !r->rules.independent ? UINT32_MAX : x->a->lanes & ~w->floored ? 0 : w->floor;
    f->is.home = r->home;
    f->is.own_home = r->home[w->number - 1];
    f->is.alone = x->alone;
    f->is.loads = x->record.kind == WT_WATCH_READ;
    f->is.hides = x->record.maybe_atomic || x->hides;
    f->had[0] = UINT32_MAX; /* which is no number */
    for (unsigned i = 0; i < PAGES; i++)
        f->base[i] = NOWHERE;
}

/* The page of an address; NULL where its accesses are no simple ones. */
static struct entered *page_at(struct words *f, uint64_t at)
{
    const unsigned i = race_seen_at(at / RACE_PAGE) % PAGES;
    return f->base[i] == at - at % RACE_PAGE || enter(f, i, at) ? &f->entered[i] : NULL;
}

/* The access of one lane; false where that is no simple case. */
static bool take_lane(struct words *f, unsigned lane, uint64_t at, unsigned size)
{
    struct entered *e = at % 4 ? NULL : page_at(f, at);
    unsigned cell = at % RACE_PAGE / 4;
    const unsigned end = cell + size / 4;
    while (e && cell < end && cell < RACE_CELLS &&
           (f->is.loads ? take_load(f, &f->is, e, e, cell, lane) : take_store(f, e, cell, lane)))
        cell++;
    return e && cell == end;
}

/* Lanes that access one cell each, up to the first one that is no simple case; returns those that
 * are left. @p copies: what does not change is copied, which pays where they stay in a page. */
static inline uint64_t take_some(struct words *f, const uint64_t *addr, unsigned first,
                                 uint64_t left, bool loads, bool copies)
{
    const struct asked is = f->is;
    struct entered *in = NULL, here, *e = NULL;
    for (; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t at = addr[lane];
        if (!in || at - e->base >= RACE_PAGE) {
            if (!(in = page_at(f, at)))
                break;
            if (copies)
                here = *in;
            e = copies ? &here : in;
        }
        const unsigned cell = at % RACE_PAGE / 4;
        if (at % 4 || !(loads ? take_load(f, copies ? &is : &f->is, e, in, cell, first + lane)
                              : take_store(f, in, cell, first + lane)))
            break;
    }
    return left;
}

/* Lanes that access one cell each, in pages that only their wave has accessed, whose lanes are one:
 * all that is there is past, but what this access has left. Ends and returns as take_some(). */
static inline uint64_t take_own(const struct words *f, const uint64_t *addr, unsigned first,
                                uint64_t left, bool loads)
{
    struct race_page *const *seen = f->x->space->seen;
    struct race_page *page = NULL;
    uint64_t base = 0;
    for (; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t at = addr[lane];
        if (!page || at - base >= RACE_PAGE) {
            page = seen[race_seen_at(at / RACE_PAGE)];
            if (!page || page->number != at / RACE_PAGE || page->owner != f->is.wave ||
                page->per != 1 || !page->plane[loads] || (page->syncs && f->is.hides))
                break;
            base = at - at % RACE_PAGE;
        }
        const unsigned cell = at % RACE_PAGE / 4;
        const uint32_t store = page->slot[0][cell], one = page->slot[1][cell],
                       other = page->slot[2][cell];
        if (at % 4 || store >= f->is.number ||
            (loads ? one > f->is.number : one >= f->is.number || other >= f->is.number))
            break;
        page->slot[loads][cell] = f->is.number;
        page->lane[loads][cell] = (uint8_t)(first + lane);
        if (!loads && one)
            page->slot[1][cell] = 0;
        if (!loads && other)
            page->slot[2][cell] = 0;
    }
    return left;
}

/* Lanes from @p first on, up to the first one that is no simple case; returns those that are left.
 */
static uint64_t take_lanes(struct words *f, unsigned first, uint64_t left)
{
    const uint64_t *addr = &f->x->a->at[first];
    const unsigned size = f->x->a->size;
    if (!f->is.simple)
        return left;
    if (size == 4 && f->is.floor == UINT32_MAX)
        left = f->is.loads ? take_own(f, addr, first, left, true)
                           : take_own(f, addr, first, left, false);
    if (size == 4 && f->is.loads)
        return f->x->a->space == WT_OBSERVED_GROUP ? take_some(f, addr, first, left, true, true)
                                                   : take_some(f, addr, first, left, true, false);
    if (size == 4)
        return take_some(f, addr, first, left, false, false);
    for (; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if (!take_lane(f, first + lane, addr[lane], size))
            break;
    }
    return left;
}

/* Whether cells have the same number in each slot. */
static bool are_equal(const struct entered *e, unsigned first, unsigned count)
{
    for (unsigned k = 0; k < RACE_SLOTS; k++)
        if (e->page->plane[k] && !race_are_equal(&e->slot[k][first], count))
            return false;
    return true;
}

/* Whether nothing becomes of loads from a few cells, in whichever order: all of these have the same
 * loads of others, which stay. */
static bool all_stay(struct words *f)
{
    enum { MOST = 2 * WT_MAX_LANES }; /* cells */
    const struct wt_observed *a = f->x->a;
    const unsigned lane = wt_lanes_lowest(a->lanes);
    const uint64_t at = a->at[lane];
    uint64_t differ = 0;
    unsigned first, lanes;
    if (!f->is.loads || !f->is.alone || !f->is.simple || a->size != 4 || at % 4 ||
        !wt_are_neighbours(a->lanes, &first, &lanes))
        return false;
    for (unsigned i = 0; i < lanes; i++)
        differ |= a->at[first + i] ^ at;
    if (differ % 4 || !differ || differ >= (uint64_t)4 * MOST)
        return false;
    const uint64_t bytes = UINT64_C(2) << (63 - __builtin_clzll(differ));
    const struct entered *e = page_at(f, at);
    const unsigned cell = at % RACE_PAGE / (unsigned)bytes * (unsigned)(bytes / 4);
    if (!e || !are_equal(e, cell, (unsigned)bytes / 4) || e->slot[0][cell] >= e->past)
        return false;
    for (unsigned k = 1; k < RACE_SLOTS; k++) {
        const uint32_t slot = e->slot[k][cell];
        if (slot < e->past || !is_load(f, slot) ||
            (f->is.of[slot - f->is.first] & ~RACE_LOADS) == f->is.wave)
            return false;
    }
    return place_load(f, &f->is, e, e, cell, lane) == STAYS;
}

wt_lanes race_take_words(struct race_access *x, wt_lanes lanes)
{
    const struct wt_order_operation *call = x->r->wave[x->w->number - 1].call;
    struct words f;
    f.is.simple = !(call && call->copies);
    begin(&f, x);
    if (lanes == x->a->lanes && all_stay(&f))
        return 0;
    x->stored = true;
    for (unsigned half = 0; half < WT_MAX_LANES; half += 64) {
        const uint64_t here = (uint64_t)(lanes >> half);
        const uint64_t left = here ? take_lanes(&f, half, here) : 0;
        if (left)
            return (half ? 0 : lanes >> 64 << 64) | (wt_lanes)left << half;
    }
    return 0;
}

/* Whether an access is one of the few to a bare program's own stack that a loop without
 * optimisation has between the loads that it waits with. */
static bool is_aside(struct race_access *x, uint64_t at)
{
    enum { MOST = 4 };
    const bool may_be =
        x->r->rules.spawns && x->w->last_pc && x->w->last_at != at && x->w->aside < MOST;
    const struct race_page *page = may_be ? race_page(x->space, at, false) : NULL;
    return page && page->owner == x->w->number && ++x->w->aside;
}

void race_note_polling(struct race_access *x)
{
    const struct wt_observed *a = x->a;
    const uint64_t at = a->at[wt_lanes_lowest(a->lanes)];
    const bool loads = x->hides && a->kind == WT_WATCH_READ;
    x->polls = loads && x->w->last_pc == a->pc && x->w->last_at == at;
    if (!x->polls && is_aside(x, at))
        return;
    if (x->polls)
        race_is_polled(x->r, x->space, at);
    x->w->last_pc = loads ? a->pc : 0;
    x->w->last_at = at;
    x->w->aside = 0;
}

bool race_knows_polling(struct race_access *x)
{
    struct wt_machine *m = x->r->machine;
    const bool loads = x->a->kind == WT_WATCH_READ;
    bool found = false;
    for (unsigned i = 0; i < x->count && x->hides; i++) {
        const struct race_conflict *c = &x->conflict[i];
        const struct race_record *load = loads ? &x->record : &c->other,
                                 *store = loads ? &c->other : &x->record;
        if (!store->maybe_atomic || load->kind != WT_WATCH_READ || load->atomic ||
            race_was_polled(x->space, c->at) ||
            !m->ops->of_flag(m, x->a->wave, load->pc, store->pc))
            continue;
        race_is_polled(x->r, x->space, c->at);
        found = true;
    }
    x->polls |= found;
    return found;
}

void race_forget_polling(struct race_access *x, struct race_page *page, uint64_t addr)
{
    struct race_cell list[4];
    unsigned i = page ? race_cells(&x->r->shadow, page, addr % RACE_PAGE / 4, false, list) : 0;
    while (i-- > 0)
        for (unsigned k = 1; k < RACE_SLOTS; k++) {
            const struct race_record *o = race_record(&x->r->shadow, *list[i].slot[k]);
            if (o && o->wave == x->w->number && o->pc == x->a->pc && race_own_slot(&list[i], k))
                *list[i].slot[k] = 0;
        }
}

void race_tell_value(struct race_access *x)
{
    const struct wt_observed *a = x->a;
    struct wt_machine *m = x->r->machine;
    if (a->space != WT_OBSERVED_GROUP || a->kind != WT_WATCH_WRITE || !a->of_wave ||
        a->lanes & (a->lanes - 1))
        return;
    const struct wt_stored data = wt_stored_by(m, a->wave, a->pc, a->size);
    uint32_t hash = 0;
    for (unsigned i = 0; data.kind != WT_STORED_UNTOLD && i < a->size; i++)
        hash = (hash ^ wt_stored_byte(m, a->wave, &data, wt_lanes_lowest(a->lanes), i)) * 16777619;
    x->record.told = data.kind != WT_STORED_UNTOLD;
    x->record.value = hash >> 13;
}
