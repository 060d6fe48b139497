/* An access that the check of races is looking at, and the accesses that it conflicts with. */
#ifndef WT_CHECK_RACE_ACCESS_H
#define WT_CHECK_RACE_ACCESS_H

#include "check/race.h"
#include "check/race_order.h"

enum {
    RACE_CONFLICTS = 4, /**< different other accesses of an instruction that are reported at once */
};

struct race_conflict {
    struct race_record other;
    wt_lanes lanes, others;
    uint64_t at;  /* the lowest lane's address */
    bool weaker;  /* less is certain: the kind's weaker severity (kinds.def) */
    bool in_step; /**< race_counts_on_step() */
    /* Both are lanes of one instruction, which store … */
    enum race_same {
        RACE_APART,
        RACE_SAME, /**< to one place; it is not known what */
        RACE_SAME_VALUE,
        RACE_SAME_DIFFERENT, /**< different values */
    } same;
};

/* An access that is taken: what is the same for all of its lanes. */
struct race_access {
    struct wt_check_race *r;
    const struct wt_observed *a;
    struct race_slot *w;
    struct race_space *space;
    struct race_record record;
    bool hides;      /* it may be atomic, where its place is polled */
    bool polls;      /* it does so */
    uint32_t number; /* number of the record */
    uint32_t past;   /* records in this memory with lower numbers are ordered before all lanes, */
    bool alone;      /* and of other waves no others are */
    bool stored;     /* a slot refers to it */
    bool looked;     /* what it stores has been looked for: r->data */
    bool synced;     /* the place has had atomic accesses: a store there is another one */
    /* Of a row of cells that are equal but for the lanes, and stand for one: lanes of the cell are
     * numbers of slots, whose lanes these are. NULL: there is none. */
    uint8_t *const *row;
    unsigned row_count;
    unsigned count;
    struct race_conflict *conflict; /**< RACE_CONFLICTS */
};

/** Finds `past` and `alone`. */
void race_see_past(struct race_access *x);
/** Plain accesses of lanes, each of whole cells where it is aligned, up to the first one that is no
 * simple case; returns the lanes that are left. */
wt_lanes race_take_words(struct race_access *x, wt_lanes lanes);
/** Notes a load that the wave has just done in the same place, which nothing but its loop wants: it
 * waits for a store. */
void race_note_polling(struct race_access *x);
/** Whether conflicts are of loads that, as the code says, wait for a store to their places (a flag
 * that is raised when it is first looked at, or before it is a second time), or acquire what such
 * a store releases: these are polled from now on, and the access must be taken again. */
bool race_knows_polling(struct race_access *x);
/** Whether a load and a store that access one place are atomic ones, as the code says: that of a
 * loop that waits, or fences beside both. */
bool race_is_of_flag(const struct race_access *x, uint64_t load, uint64_t store);
/** A wave loads from a place again and again: its loads there are atomic, those before that was
 * known, too. */
void race_forget_polling(struct race_access *x, struct race_page *page, uint64_t addr);
/** Records a volatile access to the group's memory in the slot's `shown`, and the time of an atomic
 * read-modify-write, by which lanes hand values on, in `handed_on`. */
void race_note_shown(struct race_access *x);
/** Whether a relaxed access to the group's memory, and one of another lane of its wave, count on
 * lanes that run in step. */
bool race_counts_on_step(const struct race_access *x, const struct race_record *o);
/** A copy's or fill's access to bytes of GLOBAL memory, of which @p a is the access. */
void race_take_range(struct race_access *x, struct wt_observed *a, uint64_t addr, uint64_t size);
/** Puts into the record what a thread of a Gen9 stores to its group's memory by one channel: for
 * functions of whole groups, as work_group_any(), Intel's compiler has each thread store the same
 * value to one place. */
void race_tell_value(struct race_access *x);
/** Numbers the access as the one before, if that is of the same instruction: then a slot may refer
 * to it already. False without host memory. */
static inline bool race_number(struct race_access *x)
{
    struct race_shadow *s = &x->r->shadow;
    const struct race_record *last = s->count ? &s->record[s->count - 1] : NULL;
    if (last && last->time == x->record.time && last->wave == x->record.wave &&
        last->kind == x->record.kind && last->clock == x->record.clock &&
        last->atomic == x->record.atomic && last->of_group == x->record.of_group &&
        last->size == x->record.size) {
        x->number = s->first + (uint32_t)s->count - 1;
        x->stored = true;
        return true;
    }
    return (x->number = race_add_record(s, &x->record));
}
/** Numbers it, and finds `past` and `alone`, if nobody has. False without host memory. */
static inline bool race_number_once(struct race_access *x)
{
    if (x->number)
        return true;
    race_see_past(x);
    return race_number(x);
}
/** Forgets records that nobody needs. False without host memory. */
bool race_collect_all(struct wt_check_race *r);
/** Makes room for a record. False without host memory. */
static inline bool race_make_room(struct wt_check_race *r)
{
    return !race_is_full(&r->shadow) || race_collect_all(r);
}
/** The home of the group of the wave of a record. */
static inline uint64_t race_home_of(const struct race_access *x, const struct race_record *one)
{
    return x->r->wave[one->wave - 1].home;
}
/** One cell that a lane accesses, at @p at. */
void race_take_cell(struct race_access *x, struct race_cell *cell, unsigned lane, uint64_t at);
/** A row of cells of a page, of which the lanes are @p mine. False, and nothing is done, where they
 * are no simple case. */
bool race_take_cells(struct race_access *x, struct race_page *page, unsigned first, unsigned count,
                     const uint8_t *mine);
/** A plain access of lanes to a row of whole cells, which it numbers where it need be. False, and
 * nothing else is done, where it is none, or no simple case. */
bool race_take_row(struct race_access *x);
/** Likewise of words, in no row, where no object is, which is a lane's own memory unless a copy's
 * kernel accesses the runtime's: of that nothing is reported, and stores are noted, which may be
 * found to be atomic ones. */
bool race_take_nobodys(struct race_access *x);
/** Says that the host has no memory. */
void race_tell_lost(struct wt_check_race *r);
/** An access of the host, or what an operation has accessed, that the host has not waited for. */
void race_report_host(struct wt_check_race *r, const struct race_record *record, unsigned lane,
                      uint64_t addr, const struct wt_host_access *by);
/** Reports a conflict, at once or at the end of the kernel. */
void race_report(struct race_access *x, const struct race_conflict *c);
/** Whether one of two accesses is a store that may be atomic, and the other one is: it is judged by
 * what else is done in their place. */
static inline bool race_is_store_beside(const struct race_record *a, const struct race_record *b)
{
    return (a->atomic && b->maybe_atomic && b->kind == WT_WATCH_WRITE) ||
           (b->atomic && a->maybe_atomic && a->kind == WT_WATCH_WRITE);
}
/** Whether a finding of a conflict waits until more is known: a plain load may be a guess, the
 * place of a store beside atomic accesses a flag or lock. It is reported then. */
bool race_wait_with(struct race_access *x, const struct race_conflict *c,
                    const struct wt_finding *f);
/** Notes plain loads; and, of those that were noted, which an atomic operation of the same wave in
 * the same place has followed: what they have loaded was a guess, as in a loop around
 * compare-and-swap. */
void race_note_guesses(struct race_access *x);

#endif
