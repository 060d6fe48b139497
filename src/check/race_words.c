/* Plain accesses of many lanes to whole cells, which do not lie in a row: in most of them nothing
 * races. See race_access.h. */
#include <string.h>

#include "check/race_access.h"
#include "check/rows.h"
#include "emulator/machine/machine.h"

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

/* The question to each cell: it is the same for all of them. */
struct race_asked {
    const uint32_t *of;   /* waves of records of number `first` and behind */
    const uint64_t *home; /* home of waves */
    uint64_t own_home;
    uint32_t first, number, wave;
    uint32_t past; /* records with lower numbers are ordered before */
    uint32_t
        floor; /* up to which clock accesses of the wave are ordered before those of all lanes */
    bool loads, hides;
    bool simple; /* nobody's copies */
    bool alone;  /* no access of other waves is ordered before, but for `past` */
};

struct race_words {
    struct race_access *x;
    struct race_asked is;
    /* The last cells had these, which are others' accesses, and it was decided that `to` becomes
     * the access. */
    uint32_t had[RACE_SLOTS];
    unsigned to;
    bool ready;           /* `base` is set */
    uint64_t base[PAGES]; /* bases of the pages that were entered; NOWHERE: none */
    struct entered entered[PAGES];
};

/* The new contents of a cell, beside numbers of slots. */
enum { STAYS = RACE_SLOTS, NOT_SIMPLE };

/* Whether an access is ordered before that of a lane. *by_lane becomes true where it may be
 * otherwise for another lane. */
static inline bool is_past(const struct race_words *f, uint32_t slot, unsigned lane, unsigned mine,
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

static inline bool is_load(const struct race_words *f, uint32_t slot)
{
    return f->is.of[slot - f->is.first] & RACE_LOADS;
}

static inline uint64_t home_of(const struct race_words *f, uint32_t slot)
{
    return f->is.home[(f->is.of[slot - f->is.first] & ~RACE_LOADS) - 1];
}

/* The new contents of a cell, if nothing races there. */
static unsigned decide(struct race_words *f, const struct entered *e, unsigned cell, unsigned mine)
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
static bool enter(struct race_words *f, unsigned i, uint64_t at)
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
static inline bool is_own(const struct race_asked *is, const struct entered *e, unsigned k,
                          unsigned cell, unsigned lane)
{
    return is->floor == UINT32_MAX || e->lane[k][cell] == lane;
}

/* The slot that a load goes to; or STAYS. It is decided at once where other waves have loaded, too,
 * and nothing orders these loads. */
static inline unsigned place_load(struct race_words *f, const struct entered *e, unsigned cell,
                                  unsigned lane)
{
    const struct race_asked *is = &f->is;
    const uint32_t store = e->slot[0][cell], one = e->slot[1][cell];
    if (store >= e->past && (store >= is->number || is->of[store - is->first] != is->wave ||
                             !is_own(is, e, 0, cell, lane)))
        return decide(f, e, cell, lane);
    if (one < e->past)
        return 1;
    const uint32_t other = e->slot[2][cell], first = is->of[one - is->first];
    if (first == (is->wave | RACE_LOADS))
        return is_own(is, e, 1, cell, lane) ? 1 : decide(f, e, cell, lane);
    if (!is->alone || !(first & RACE_LOADS))
        return decide(f, e, cell, lane);
    if (other < e->past)
        return 2;
    const uint32_t second = is->of[other - is->first];
    if (second == (is->wave | RACE_LOADS) || !(second & RACE_LOADS))
        return decide(f, e, cell, lane);
    const uint64_t home = is->home[(first & ~RACE_LOADS) - 1];
    return home != is->home[(second & ~RACE_LOADS) - 1] || home == is->own_home ? STAYS : 2;
}

/* A lane's load. */
static inline bool take_load(struct race_words *f, struct entered *e, unsigned cell, unsigned lane)
{
    const unsigned to = place_load(f, e, cell, lane);
    if (to >= STAYS)
        return to == STAYS;
    if (to == 2 && !e->page->plane[to]) {
        if (!race_own(e->page, to))
            return false;
        see_slots(e);
    }
    e->slot[to][cell] = f->is.number;
    e->lane[to][cell] = (uint8_t)lane;
    return true;
}

/* Lanes that load one cell each of a page, up to the first one that is no simple case, or of
 * another page; returns those that are left. What most cells need is asked first, and is kept in
 * registers. */
static inline uint64_t take_loads(struct race_words *f, struct entered *e, const uint64_t *addr,
                                  unsigned first, uint64_t left)
{
    const uint32_t *store = e->slot[0], *of = f->is.of, begin = f->is.first;
    uint32_t *one = e->slot[1], *other = e->page->plane[2] ? e->slot[2] : NULL;
    uint8_t *one_lane = e->lane[1], *other_lane = e->lane[2];
    const uint32_t past = e->past, number = f->is.number, mine = f->is.wave | RACE_LOADS;
    const bool is_one = f->is.floor == UINT32_MAX, alone = f->is.alone;
    const uint64_t base = e->base;
    for (; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t from = addr[lane] - base;
        const unsigned cell = (unsigned)from / 4;
        if (from & ~(uint64_t)(RACE_PAGE - 4))
            break;
        const uint32_t there = one[cell], wave = there < past ? 0 : of[there - begin];
        if (store[cell] < past && (!wave || (is_one && wave == mine))) {
            one[cell] = number;
            one_lane[cell] = (uint8_t)(first + lane);
        } else if (store[cell] < past && alone && wave & RACE_LOADS && wave != mine && other &&
                   other[cell] < past) {
            other[cell] = number;
            other_lane[cell] = (uint8_t)(first + lane);
        } else if (!take_load(f, e, cell, first + lane)) {
            break;
        } else {
            other = e->page->plane[2] ? e->slot[2] : NULL;
            other_lane = e->lane[2];
        }
    }
    return left;
}

static inline bool take_store(struct race_words *f, struct entered *e, unsigned cell, unsigned lane)
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

static void begin(struct race_words *f, struct race_access *x)
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
    f->ready = false;
}

/* No page has been entered. */
static void make_ready(struct race_words *f)
{
    for (unsigned i = 0; i < PAGES && !f->ready; i++)
        f->base[i] = NOWHERE;
    f->ready = true;
}

/* The page of an address; NULL where its accesses are no simple ones. */
static struct entered *page_at(struct race_words *f, uint64_t at)
{
    const unsigned i = race_seen_at(at / RACE_PAGE) % PAGES;
    return f->base[i] == at - at % RACE_PAGE || enter(f, i, at) ? &f->entered[i] : NULL;
}

/* The access of one lane; false where that is no simple case. */
static bool take_lane(struct race_words *f, unsigned lane, uint64_t at, unsigned size)
{
    struct entered *e = at % 4 ? NULL : page_at(f, at);
    unsigned cell = at % RACE_PAGE / 4;
    const unsigned end = cell + size / 4;
    while (e && cell < end && cell < RACE_CELLS &&
           (f->is.loads ? take_load(f, e, cell, lane) : take_store(f, e, cell, lane)))
        cell++;
    return e && cell == end;
}

/* Lanes that access one cell each, up to the first one that is no simple case; returns those that
 * are left. */
static inline uint64_t take_some(struct race_words *f, const uint64_t *addr, unsigned first,
                                 uint64_t left, bool loads)
{
    struct entered *e = NULL;
    for (; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t at = addr[lane];
        if ((!e || at - e->base >= RACE_PAGE) && !(e = page_at(f, at)))
            break;
        const unsigned cell = at % RACE_PAGE / 4;
        if (at % 4 ||
            !(loads ? take_load(f, e, cell, first + lane) : take_store(f, e, cell, first + lane)))
            break;
    }
    return left;
}

/* Lanes that access one cell each, in pages that only their wave has accessed, whose lanes are one:
 * all that is there is past, but what this access has left. Ends and returns as take_some(). */
static inline __attribute__((always_inline)) uint64_t take_own(const struct race_words *f,
                                                               const uint64_t *addr, unsigned first,
                                                               uint64_t left, bool loads)
{
    struct race_page *const *seen = f->x->space->seen;
    const uint32_t number = f->is.number, wave = f->is.wave;
    const struct race_page *page = NULL;
    uint32_t *slot = NULL, *one = NULL, *other = NULL; /* of a load `one` is the store's */
    uint8_t *lanes = NULL;
    uint64_t base = 0;
    for (; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t at = addr[lane];
        if (!page || at - base >= RACE_PAGE) {
            page = seen[race_seen_at(at / RACE_PAGE)];
            if (!page || page->number != at / RACE_PAGE || page->owner != wave || page->per != 1 ||
                !page->plane[loads] || (page->syncs && f->is.hides))
                break;
            base = at - at % RACE_PAGE;
            slot = page->slot[loads];
            lanes = page->lane[loads];
            one = loads            ? page->is_split ? page->slot[0] : NULL
                  : page->plane[1] ? page->slot[1]
                                   : NULL;
            other = page->plane[2] ? page->slot[2] : NULL;
        }
        const unsigned cell = at % RACE_PAGE / 4;
        if (at % 4 || (loads ? one && one[cell] & RACE_SPLIT : slot[cell] >= number))
            break;
        slot[cell] = number;
        lanes[cell] = (uint8_t)(first + lane);
        if (!loads && one)
            one[cell] = 0;
        if (!loads && other)
            other[cell] = 0;
    }
    return left;
}

/* Lanes from @p first on, up to the first one that is no simple case; returns those that are left.
 */
static uint64_t take_lanes(struct race_words *f, unsigned first, uint64_t left)
{
    const uint64_t *addr = &f->x->a->at[first];
    const unsigned size = f->x->a->size;
    if (!f->is.simple)
        return left;
    if (size == 4 && f->is.floor == UINT32_MAX)
        left = f->is.loads ? take_own(f, addr, first, left, true)
                           : take_own(f, addr, first, left, false);
    if (!left)
        return 0;
    make_ready(f);
    if (size == 4 && f->is.loads && f->x->a->space == WT_OBSERVED_GROUP) {
        struct entered *e = page_at(f, addr[__builtin_ctzll(left)]);
        left = e ? take_loads(f, e, addr, first, left) : left;
    }
    if (size == 4)
        return f->is.loads ? take_some(f, addr, first, left, true)
                           : take_some(f, addr, first, left, false);
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
static bool all_stay(struct race_words *f)
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
    make_ready(f);
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
    return place_load(f, e, cell, lane) == STAYS;
}

/* Whether the wave alone has accessed the first lane's page: no loads of others are there. */
static bool is_own_page(const struct race_words *f)
{
    const struct wt_observed *a = f->x->a;
    const uint64_t number = a->at[wt_lanes_lowest(a->lanes)] / RACE_PAGE;
    const struct race_page *page = f->x->space->seen[race_seen_at(number)];
    return page && page->number == number && page->owner == f->is.wave;
}

wt_lanes race_take_words(struct race_access *x, wt_lanes lanes)
{
    const struct wt_order_operation *call = x->r->wave[x->w->number - 1].call;
    struct race_words f;
    f.is.simple = !(call && call->copies);
    begin(&f, x);
    if (lanes == x->a->lanes && !is_own_page(&f) && all_stay(&f))
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

/* The state of a page where no object may be, in this state of the objects. */
static __attribute__((noinline)) bool look_for_objects(const struct wt_check_race *r,
                                                       struct race_page *page, uint64_t state)
{
    const uint64_t at = page->number * RACE_PAGE;
    page->objects = state;
    page->is_nobodys = !wt_objects_have(r->space, at, at + RACE_PAGE - 1);
    return page->is_nobodys;
}

static inline bool is_nobodys(const struct wt_check_race *r, struct race_page *page)
{
    const uint64_t state = wt_objects_state();
    return page->objects == state ? page->is_nobodys : look_for_objects(r, page, state);
}

/* Whether plain accesses of all lanes are to whole words where no object is. */
static bool are_nobodys(const struct race_access *x)
{
    const struct wt_observed *a = x->a;
    const bool loads = a->kind == WT_WATCH_READ;
    struct race_page *page = NULL;
    WT_EACH_LANE(lane, a->lanes)
    {
        const uint64_t at = a->at[lane];
        if (!page || page->number != at / RACE_PAGE) {
            page = race_page(x->space, at, true);
            if (!page || !is_nobodys(x->r, page) || page->syncs || page->is_split ||
                page->per != 1 || !(loads || race_own(page, 0)))
                return false;
            race_page_used(page, x->w->number);
        }
        if (at % 4 || at % RACE_PAGE + a->size > RACE_PAGE)
            return false;
    }
    return true;
}

bool race_take_nobodys(struct race_access *x)
{
    const struct wt_observed *a = x->a;
    if (x->record.atomic || x->polls || a->space != WT_OBSERVED_GLOBAL || a->of_wave || a->size % 4)
        return false;
    struct race_page *first = race_page(x->space, a->at[wt_lanes_lowest(a->lanes)], true);
    if (!first || !is_nobodys(x->r, first) || !are_nobodys(x))
        return false;
    if (a->kind == WT_WATCH_READ || !race_number(x))
        return a->kind == WT_WATCH_READ;
    WT_EACH_LANE(lane, a->lanes)
    {
        const unsigned cell = a->at[lane] % RACE_PAGE / 4;
        const struct race_page *page = race_page(x->space, a->at[lane], true);
        for (unsigned i = 0; i < a->size / 4; i++) {
            page->slot[0][cell + i] = x->number;
            page->lane[0][cell + i] = (uint8_t)lane;
        }
    }
    x->stored = true;
    return true;
}

/* Whether the accesses that a wave has made behind the load @p back accesses ago are to its own
 * stack, as a loop has them between the loads that it waits with where it was compiled without
 * optimisation. */
static __attribute__((noinline)) bool are_aside(struct race_access *x, unsigned back, uint64_t at)
{
    const struct race_slot *w = x->w;
    for (unsigned i = 1; i < back; i++) {
        const uint64_t aside = w->last[(w->accesses - i) % RACE_LAST].at;
        const struct race_page *page = race_page(x->space, aside, false);
        if (aside == at || !page || page->owner != w->number)
            return false;
    }
    return true;
}

static enum wt_code_loop loop_of(const struct race_access *x, uint64_t load)
{
    struct wt_check_race *r = x->r;
    enum { COUNT = sizeof r->loop / sizeof *r->loop };
    struct race_kind *loop = &r->loop[load / 4 % COUNT];
    if (loop->pc != load)
        *loop = (struct race_kind){load, r->machine->ops->loop(r->machine, x->a->wave, load)};
    return loop->is;
}

bool race_is_of_flag(const struct race_access *x, uint64_t load, uint64_t store)
{
    struct wt_machine *m = x->r->machine;
    return loop_of(x, load) == WT_LOOP_WAITS || m->ops->fenced(m, x->a->wave, load, store);
}

void race_note_polling(struct race_access *x)
{
    enum { MOST = 4 }; /* accesses aside, of a bare program */
    const struct wt_observed *a = x->a;
    struct race_slot *w = x->w;
    const uint64_t at = a->at[wt_lanes_lowest(a->lanes)];
    /* An atomic access in any case. */
    const bool tells = (x->r->rules.places || x->r->rules.warp_syncs) && x->record.atomic;
    const bool loads = (x->hides || tells) && a->kind == WT_WATCH_READ;
    const unsigned most = !loads ? 0 : x->r->rules.spawns ? MOST + 1 : 1;
    bool polls = false;
    for (unsigned i = 1; i <= most && !polls; i++) {
        const struct race_place *last = &w->last[(w->accesses - i) % RACE_LAST];
        polls = last->pc == a->pc && last->at == at && are_aside(x, i, at);
    }
    polls = polls && loop_of(x, a->pc) != WT_LOOP_COUNTS;
    if (polls) {
        race_is_polled(x->r, x->space, at);
        w->handed_on = a->time;
    }
    x->polls = polls && !tells;
    w->last[w->accesses++ % RACE_LAST] = (struct race_place){loads ? a->pc : 0, at, a->time};
}

void race_note_shown(struct race_access *x)
{
    const struct wt_observed *a = x->a;
    struct race_slot *w = x->w;
    if (!x->r->rules.warp_syncs || !x->record.atomic)
        return;
    if (a->kind == WT_WATCH_ACCESS)
        w->handed_on = a->time;
    else if (a->space == WT_OBSERVED_GROUP)
        w->shown[w->shows++ % (sizeof w->shown / sizeof *w->shown)] =
            (struct race_shown){a->time, a->lanes};
}

/* Lanes of two branches, one of which waits for the other one, have no instruction in common. */
bool race_counts_on_step(const struct race_access *x, const struct race_record *o)
{
    const struct race_slot *w = x->w;
    if (!x->r->rules.warp_syncs || x->a->space != WT_OBSERVED_GROUP || o->wave != w->number ||
        x->record.kind == WT_WATCH_ACCESS || o->kind == WT_WATCH_ACCESS || w->handed_on >= o->time)
        return false;
    for (unsigned i = 0; i < sizeof w->shown / sizeof *w->shown; i++)
        if (w->shown[i].time == o->time && w->shown[i].lanes & x->a->lanes)
            return x->a->lanes & (x->a->lanes - 1);
    return false;
}

bool race_knows_polling(struct race_access *x)
{
    const bool loads = x->a->kind == WT_WATCH_READ;
    bool found = false;
    for (unsigned i = 0; i < x->count && x->hides; i++) {
        const struct race_conflict *c = &x->conflict[i];
        const struct race_record *load = loads ? &x->record : &c->other,
                                 *store = loads ? &c->other : &x->record;
        if (!store->maybe_atomic || load->kind != WT_WATCH_READ || load->atomic ||
            race_was_polled(x->space, c->at) || !race_is_of_flag(x, load->pc, store->pc))
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
    x->record.value = hash >> 14;
}
