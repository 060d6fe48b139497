/* An access that the check of races is looking at, and the accesses that it conflicts with. */
#ifndef WT_CHECK_RACE_ACCESS_H
#define WT_CHECK_RACE_ACCESS_H

#include "check/race_order.h"

/** Different other accesses of an instruction that are reported at once. */
enum { RACE_CONFLICTS = 4 };

struct race_conflict {
    struct race_record other;
    wt_lanes lanes, others;
    uint64_t at; /* of the lowest lane */
    enum wt_severity severity;
    bool same; /* both are lanes of one instruction */
};

/* An access that is taken: what is the same for all of its lanes. */
struct race_access {
    struct wt_check_race *r;
    const struct wt_observed *a;
    struct race_slot *w;
    struct race_space *space;
    struct race_record record;
    bool hides;      /* it may be atomic, where its place is polled */
    uint32_t number; /* of the record */
    bool stored;     /* a slot refers to it */
    bool synced;     /* the place has had atomic accesses: a store there is another one */
    /* Of a row of cells that are equal but for the lanes, and stand for one: lanes of the cell are
     * numbers of slots, whose lanes these are. NULL: there is none. */
    uint8_t *const *row;
    unsigned row_count;
    uint32_t ordered[8]; /* records of other waves that are known to be ordered */
    unsigned count;
    struct race_conflict *conflict; /**< RACE_CONFLICTS */
};

/** Reports a conflict, at once or at the end of the kernel. */
void race_report(struct race_access *x, const struct race_conflict *c);
/** Notes plain loads; and, of those that were noted, which an atomic operation in the same place
 * has followed: what they have loaded was a guess, as in a loop around compare-and-swap. */
void race_note_guesses(struct race_access *x);

#endif
