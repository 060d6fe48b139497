/* The state of groups and their waves for the check of synchronisation. See sync.h. */
#ifndef WT_CHECK_SYNC_STATE_H
#define WT_CHECK_SYNC_STATE_H

#include "base/map.h"
#include "check/followed.h"
#include "check/memory.h"
#include "emulator/machine/observe.h"

enum {
    SYNC_ROUNDS = 64, /* barriers of a group that are remembered */
    SYNC_RECENT = 16, /* accesses of a wave that are found without the map */
    SYNC_LEFT = 16,   /* places of a group at which lanes have gone on */
};

/** An instruction that lanes of a wave execute. */
struct sync_place {
    uint64_t pc, time;
    uint64_t site;  /**< where the kernel is: `pc`, or where its call comes back to */
    uint64_t chain; /**< where it was called from: the addresses that calls come back to, as one */
    wt_lanes lanes;
    uint32_t wave; /**< its slot */
    uint64_t id;   /**< the wave's; 0: there is no place */
    struct wt_wave_name name;
    uint64_t back[WT_TRAIL]; /**< as of a finding */
};

/** Whether two are one in the program: code that is called is another one at each place of a call.
 */
static inline bool sync_is_same(const struct sync_place *a, const struct sync_place *b)
{
    return a->pc == b->pc && a->chain == b->chain;
}

/** A call that lanes have not come back from. */
struct sync_call {
    uint64_t to;
    wt_lanes lanes;
};

/** An asynchronous copy of lanes. */
struct sync_copy {
    struct sync_place place;
    wt_lanes lanes; /**< that have not waited for it */
    unsigned size;
    bool bulk, reads;
    uint32_t commit[WT_MAX_LANES]; /**< its group's number, from 1; 0: it is in none */
    uint32_t phase[WT_MAX_LANES];  /**< wt_copies_phase() of that at whose end it is done */
    wt_lanes over;                 /**< lanes of which that is over, whether or not it was seen */
    uint64_t at[WT_MAX_LANES];
};

/** Accesses at one place since the last barrier of the group. */
struct sync_access {
    uint64_t pc, site; /**< as of a place */
    uint32_t wave, round;
    wt_lanes lanes;
};

/** A wave of a group; it is known until the group has ended. */
struct sync_wave {
    uint64_t id;
    struct wt_wave_name name;
    wt_lanes lanes;   /**< that have begun */
    wt_lanes arrived; /**< at the group's barrier, in this round */
    wt_lanes behind;  /**< have missed a barrier that others have passed */
    struct sync_place missed;
    uint32_t passed[WT_MAX_LANES];     /**< barriers of the group */
    uint32_t commits[2][WT_MAX_LANES]; /**< groups of copies; [1]: of bulk copies */
    unsigned recent[SYNC_RECENT];      /**< numbers of accesses, from 1 */
    struct sync_place absent;          /**< `lanes` have gone on without `absent_named` */
    wt_lanes absent_named, absent_mask;
    uint32_t absent_number; /**< wt_observed_event.number of what they have executed */
    wt_lanes apart;         /**< execute instructions of one mask at different places */
    wt_lanes astray;        /**< have ended, and had gone another way than to the instruction at
                                 `astray_from`, whose mask names them */
    uint64_t astray_from;
    uint64_t together[WT_MAX_LANES]; /**< the site of the last instruction that lanes do together */
    struct sync_call *call;
    size_t calls, call_room;
};

/** The barrier that lanes of a group pass as their n-th one. */
struct sync_round {
    struct sync_place place;
    uint32_t number;
    bool apart; /**< it waits for those alone that have not ended, wherever they arrive */
};

/** Lanes that have gone on at a place without what others have executed. */
struct sync_left {
    enum wt_finding_kind kind;
    uint64_t pc;
    struct sync_place place; /**< the others' place */
    struct sync_place gone;  /**< at `pc` */
    bool read;               /**< a value of theirs was */
    uint32_t round;          /**< the barrier's round */
    const char *text;
};

/** The number of waves that a barrier expects, as the first wave that has arrived says. */
struct sync_count {
    uint32_t number, core, expected;
    struct sync_place place; /**< the first one's */
};

struct sync_group {
    uint64_t home, launch, entry;
    struct sync_wave **wave; /**< by number */
    size_t waves, wave_room;
    uint32_t rounds; /**< that are complete */
    bool differs;    /**< lanes have waited at different barriers */
    bool opening;    /**< waves go on from the round that has begun */
    struct sync_round round[SYNC_ROUNDS];
    struct sync_access *access;
    size_t accesses, access_room;
    struct wt_map by_place; /**< wave and pc: number of the access */
    struct sync_left left[SYNC_LEFT];
    unsigned lefts;
    struct sync_copy *copy;
    size_t copies, copy_room;
    struct sync_count *count;
    size_t counts, count_room;
};

/** The barrier at which a wave waits. */
struct sync_wait {
    struct sync_place place;
    enum wt_observed_barrier barrier;
    uint32_t number, expected;
    uint64_t home;
};

/** Whether code comes from one place to another one. */
struct sync_way {
    uint64_t from, to;
    bool comes;
};

struct wt_check_sync {
    struct wt_machine *machine;
    struct sync_way way[256]; /**< that were asked for last */
    bool strict;              /**< as wt_memory_model.barriers_want_all */
    bool apart;               /**< lanes of a wave are independent: who ends is not waited for */
    wt_found_fn *found;
    void *context;
    struct wt_followed run;
    uint64_t deadlock;     /**< time of the one that was reported */
    struct wt_map groups;  /**< home: struct sync_group */
    struct sync_wave **of; /**< by slot: NULL: no wave of a group */
    struct sync_group **group_of;
    struct sync_wait *wait;    /**< by slot */
    struct sync_group others;  /**< counts of barriers that are no group's */
    struct sync_place copying; /**< the copy whose accesses come */
    bool copies_bulk;
};

/** Reports a mistake of lanes at a place; @p other, NULL: none: with what.
 * @p weaker: less is certain. */
void sync_report(struct wt_check_sync *s, const struct sync_group *g, enum wt_finding_kind kind,
                 bool weaker, const struct sync_place *place, const struct sync_place *other,
                 const char *text);
/** Reports a deadlock. */
void sync_report_deadlock(struct wt_check_sync *s, uint64_t time);
/** Takes COPY, COMMIT or COPIED of a wave of the group. */
void sync_copy_event(struct wt_check_sync *s, struct sync_group *g, struct sync_wave *w,
                     const struct sync_place *place, const struct wt_observed_event *e);
/** Takes an access to a group's memory. False: the host has no memory. */
bool sync_copy_access(struct wt_check_sync *s, struct sync_group *g, const struct wt_observed *a);
/** Reports copies for which the kernel of a wave at @p place never waits, as its module says. */
void sync_copies_unwaited(struct wt_check_sync *s, struct sync_group *g, struct sync_place place);
/** Reports copies that nobody has waited for: a wave has ended; @p id 0: the group. */
void sync_copies_end(struct wt_check_sync *s, struct sync_group *g, uint64_t id);

#endif
