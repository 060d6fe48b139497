/* An access that the check of races is looking at, and the accesses that it conflicts with. */
#ifndef WT_CHECK_RACE_ACCESS_H
#define WT_CHECK_RACE_ACCESS_H

#include "check/race_order.h"

enum {
    RACE_CONFLICTS = 4, /**< different other accesses of an instruction that are reported at once */
};

struct race_conflict {
    struct race_record other;
    wt_lanes lanes, others;
    uint64_t at; /* of the lowest lane */
    enum wt_severity severity;
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
    uint32_t number; /* of the record */
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
/** A wave loads from a place again and again: its loads there are atomic, those before that was
 * known, too. */
void race_forget_polling(struct race_access *x, struct race_page *page, uint64_t addr);
/** A copy's or fill's access to bytes of GLOBAL memory, of which @p a is the access. */
void race_take_range(struct race_access *x, struct wt_observed *a, uint64_t addr, uint64_t size);
/** Puts into the record what a thread of a Gen9 stores to its group's memory by one channel: for
 * functions of whole groups, as work_group_any(), Intel's compiler has each thread store the same
 * value to one place. */
void race_tell_value(struct race_access *x);
/** Numbers the access as the one before, if that is of the same instruction; false without host
 * memory. */
bool race_number(struct race_access *x);
/** Whether records of waves that have ended are not lost for want of memory. */
bool race_make_room(struct wt_check_race *r);
/** Says that the host has no memory. */
void race_tell_lost(struct wt_check_race *r);
/** An access of the host, or what an operation has accessed, that the host has not waited for. */
void race_report_host(struct wt_check_race *r, const struct race_record *record, unsigned lane,
                      uint64_t addr, bool store, const struct wt_call_stack *calls);
/** Reports a conflict, at once or at the end of the kernel. */
void race_report(struct race_access *x, const struct race_conflict *c);
/** Notes plain loads; and, of those that were noted, which an atomic operation in the same place
 * has followed: what they have loaded was a guess, as in a loop around compare-and-swap. */
void race_note_guesses(struct race_access *x);

#endif
