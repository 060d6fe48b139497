/*
 * The order of the accesses of a machine's waves, for the check of races: barriers, fences with
 * atomic accesses, the begin and end of waves. A wave counts a clock; its accesses up to a clock
 * are ordered before whoever has learnt that clock.
 */
#ifndef WT_CHECK_RACE_ORDER_H
#define WT_CHECK_RACE_ORDER_H

#include "check/clocks.h"
#include "check/followed.h"
#include "check/memory.h"
#include "check/order.h"
#include "check/race_hint.h"
#include "check/race_shadow.h"
#include "check/values.h"
#include "emulator/machine/heads.h"
#include "emulator/machine/memory_model.h"

/** Between whom an order holds. */
enum race_scope { RACE_GROUP, RACE_DEVICE, RACE_SCOPES };

/** A launch that runs, and the operation that it is of. */
struct race_launch {
    uint64_t number;
    struct wt_order_operation *call;
};

enum { RACE_PASTS = 4 };

/** What a wave knew of others when it made stores that may be atomic ones. */
struct race_past {
    struct race_known {
        struct wt_clocks *known;
        uint32_t upto; /**< its clock when it learnt more */
    } was[RACE_PASTS]; /**< the oldest ones are forgotten */
    unsigned count;    /**< so far */
};

/** A wave, as long as accesses of it may race; or a copy or a fill, with its bytes. */
struct race_wave {
    uint64_t id, launch, home;
    uint64_t bytes, entry; /**< `entry`: its kernel's first instruction; 0: not known */
    bool ended;
    struct wt_order_operation *call; /**< it belongs to; NULL: nobody asks for the order of calls */
    struct wt_wave_name name;
    struct wt_clocks *known; /**< clocks of other waves that are known */
    struct race_past *past;  /**< NULL: it knew the same at each such store */
};

/** Up to which clock the accesses of a wave are ordered before what another one does next, in whose
 * view. */
struct race_view {
    uint64_t view; /**< 0: none */
    uint32_t wave, upto;
};
enum { RACE_VIEWS = 4096, RACE_LAST = 8 };

/** Records with lower numbers, in the memory of the group of a home, are ordered before what comes.
 */
struct race_behind {
    uint32_t number, numbering; /**< as race_shadow.numbering has it */
    uint64_t home;
};

/** What waves of a group hand on at a barrier: clocks that their fences have released, and those
 * that their atomic accesses have read and no fence has acquired yet. */
struct race_handed {
    struct wt_clocks *released[RACE_SCOPES], *read[RACE_SCOPES];
};

/** Where a wave has made an access. */
struct race_place {
    uint64_t pc, at, time;
};

/** A finding that waits (race_waiting.c). */
struct race_waiting;

/** The wave in a slot; what is asked of each access or event comes first. */
struct race_slot {
    uint64_t id; /**< 0: none */
    uint32_t number, clock;
    uint64_t view;            /**< another one whenever it learns */
    uint64_t last_at;         /**< address of its last access to global memory */
    uint32_t user;            /**< which one of its group's users it was */
    uint32_t accesses, loads; /**< so far: of the rings `last`, `load` */
    bool steps;               /**< something without code may order its lanes: wt_group_ops.step */
    enum wt_step_order order; /**< order of its last access */
    struct wt_lane_step step;
    bool used;              /**< it has made an access at this clock */
    bool stored;            /**< it has made a store that may be atomic since it learnt */
    bool among_group;       /**< it has acquired among its group alone */
    bool wrote, wrote_last; /**< global memory: ever; with its last access */
    bool settled; /**< it has waited for all, and done nothing since: waiting again changes nothing
                   */
    bool waited, fenced; /**< it may publish, by waiting or a fence for the device, what it has
                              written, and has made no access since */
    uint32_t released[RACE_SCOPES]; /**< the clock up to which a later atomic store releases */
    struct wt_clocks *known[RACE_SCOPES];  /**< what it knew of others at its last release */
    struct wt_clocks *read[RACE_SCOPES];   /**< what an acquire will order */
    struct wt_clocks *handed[RACE_SCOPES]; /**< by barriers: what others have read */
    bool in_order;         /**< fences that have one order have released some of `known` */
    struct race_hint hint; /**< the hint for what it has read */
    uint32_t floor;        /**< INDEPENDENT: of `lane`, for `floored` at least */
    wt_lanes floored;
    struct race_behind behind; /**< a barrier of: */
    wt_lanes behind_lanes;
    uint64_t behind_view; /**< `view` then */
    /** Its last accesses; `pc` 0: it is no load that others may make in its place. */
    struct race_place last[RACE_LAST];
    uint32_t lane[WT_MAX_LANES]; /**< INDEPENDENT: up to which clock others' accesses are ordered */
    struct race_place load[64];  /**< its last plain loads, of which families may use a part */
    struct race_shown {
        uint64_t time;
        wt_lanes lanes;
    } shown[8];                /**< its last volatile accesses to its group's memory */
    uint32_t shows;            /**< so far */
    uint64_t handed_on;        /**< when it has waited with a flag, or made an atomic operation */
    struct race_place swap[4]; /**< the last atomic operations that have proved guesses */
};

/** A place of atomic accesses: the clocks that they have released. */
struct race_sync {
    struct wt_clocks *all;
    struct race_hints *hints; /**< NULL: none */
    bool polled;  /**< a wave has loaded it again and again, and nothing else: it is atomic */
    bool swapped; /**< it was swapped, or compared and swapped: a flag or a lock, no counter */
    struct wt_map of_group; /**< home + 1: struct wt_clocks, not NULL, of stores for the group */
};

struct race_barrier {
    enum wt_observed_barrier kind;
    uint32_t number, core;
    bool opened;
    struct race_behind behind; /**< in the group's memory, for those who go on */
    struct wt_clocks *arrived;
    struct race_handed handed;
};

/** A wave that has accessed a group's memory, at last at this clock. */
struct race_user {
    uint32_t wave, clock;
};

struct race_group {
    uint64_t home;
    struct race_space space;
    struct race_barrier *barrier;
    size_t barriers, room;
    struct race_user *user;
    size_t users, user_room;
};

/** A finding between waves of a launch that was reported: another one of the same instructions and
 * object is like it. */
/** Where the calls come back to that an access is in, the innermost first; 0: there are no more. */
struct race_calls {
    uint64_t back[WT_TRAIL];
};

struct race_told {
    uint64_t objects, names, launch; /**< numbers of what was known then */
    const struct wt_order_operation *call;
    const char *reason;
    uint16_t calls, other_calls; /**< the two records' */
    unsigned size, other_size;
    struct wt_finding finding;
};
enum { RACE_TOLD = 128 };

struct wt_check_race {
    struct wt_machine *machine;
    const void *space;
    struct wt_memory_model rules; /**< the family's, as the user has changed them */
    bool lanes_are_one;           /**< lanes store to one place in one instruction, as one thread */
    uint8_t lanes[WT_MAX_LANES];  /* 0, 1, ... */
    wt_found_fn *found;
    void *context;
    struct wt_followed run;
    struct wt_stored
        data; /* the data of the store that is looked at, where its lanes store to one place */
    uint64_t begun;    /* issue time of the newest launch */
    uint32_t repeated; /* loads from the same places since the newest store or wave's end */
    struct wt_order
        *order; /* the order of calls; NULL: each launch is ordered after those before */
    struct wt_order_operation **call; /* the calls of waves and copies that may race */
    size_t calls, call_room;
    uint32_t newest;            /* the highest number among them */
    struct race_launch *launch; /* those that run */
    size_t launches, launch_room;
    struct race_slot *copy; /* NULL until there is one */
    struct race_shadow shadow;
    struct race_space global;
    struct race_group others; /* barriers that are no group's */
    struct wt_map groups;     /* home: struct race_group */
    struct race_group *last_group[RACE_SEEN];
    struct race_slot *slot;            /* the machine's slots */
    uint64_t views;                    /* so far */
    struct race_view view[RACE_VIEWS]; /* those that were asked for last */
    struct race_wave *wave;            /* by number, from 1 */
    uint64_t *home;                    /* each slot's home */
    size_t waves, wave_room, home_room;
    uint32_t active;              /* waves that have begun */
    bool several;                 /* those recorded are of several launches or operations */
    struct wt_clocks **ended;     /* SPAWNS: of waves of each core that have ended */
    struct race_waiting *waiting; /* until their wave's or kernel's end */
    size_t waits, wait_room;
    struct wt_map
        guesses;          /* loads, by address: that of the atomic operation that has proved some */
    struct wt_map proved; /* such loads of the launches that run, by address and time */
    struct race_kind {
        uint64_t pc;
        unsigned is;
    } kind[64], loop[64];    /* the last atomic operations, and loads, that were looked at: whether
                                 they replace values; the loads' enum wt_code_loop */
    uint64_t told_pairs[16]; /* keys of pairs of places with findings */
    uint64_t told_time, told_pc, told_at; /* the last finding's */
    struct race_told told[RACE_TOLD];
    struct race_calls *trail; /**< by number - 1 */
    size_t trails, trail_room;
    struct wt_map trail_numbers; /**< hash: number */
};

/** All that was recorded is forgotten (wt_forget_fn of the check's run). */
void race_begin_anew(void *context, uint64_t time);
/** A wave in a slot begins; NULL without host memory. */
struct race_slot *race_begin_slot(struct wt_check_race *r, uint32_t slot, uint64_t id,
                                  uint64_t launch, uint64_t home);
/** The slot of a wave, which begins if it is not known. NULL without host memory. */
static inline struct race_slot *race_slot_of(struct wt_check_race *r, uint32_t slot, uint64_t id,
                                             uint64_t launch, uint64_t home)
{
    struct race_slot *w = &r->slot[slot];
    return w->id == id && id ? w : race_begin_slot(r, slot, id, launch, home);
}
/** Forgets what the host has waited for meanwhile. */
void race_forget_ordered(struct wt_check_race *r);
/** The slot of a copy or fill that begins; NULL without host memory. */
struct race_slot *race_copy(struct wt_check_race *r, uint64_t bytes);
/** The group of a home, which is made; NULL without host memory. */
struct race_group *race_group_of(struct wt_check_race *r, uint64_t home);
/** A wave accesses the memory of a group. False without host memory. */
bool race_group_used(struct race_group *g, struct race_slot *w);
/** The next accesses of a wave have another clock than those so far. */
static inline void race_tick(struct race_slot *w)
{
    w->clock += w->used;
    w->used = false;
}
/** Whether a fence ever takes what a barrier has handed on. */
static inline bool race_barriers_hand_on(const struct wt_memory_model *rules)
{
    return rules->one_order || rules->hands_on;
}
/** A wave comes to a barrier: adds what it hands on. False without host memory. */
bool race_hand_on(struct race_handed *barrier, const struct race_slot *w);
/** A wave goes on behind it: takes what others have handed on. False without host memory. */
bool race_take(struct race_slot *w, const struct race_handed *barrier);
/** Drops all that was handed on. */
void race_handed_drop(struct race_handed *handed);
/** Takes an event (wt_observe_event_fn). */
void race_event(void *context, struct wt_machine *m, const struct wt_observed_event *event);
/**
 * An atomic access of a lane at @p addr, or a store that may be one: learns from it what others
 * have released there, and releases.
 */
void race_synchronise(struct wt_check_race *r, struct race_slot *w, const struct wt_observed *a,
                      unsigned lane, struct race_space *space, uint64_t addr,
                      const struct race_record *last);
/** A wave has loaded from @p addr again and again, and nothing else. */
void race_is_polled(struct wt_check_race *r, struct race_space *space, uint64_t addr);
/** Notes what a wave knows of another one, and returns race_upto(). */
uint32_t race_look(struct wt_check_race *r, const struct race_slot *w, uint32_t wave,
                   struct race_view *view);
/** Up to which clock the accesses of another wave are ordered before the next one of a wave;
 * UINT32_MAX: all are. */
static inline uint32_t race_upto(struct wt_check_race *r, const struct race_slot *w, uint32_t wave)
{
    struct race_view *view = &r->view[(w->view * 61 + wave) % RACE_VIEWS];
    return view->view == w->view && view->wave == wave ? view->upto : race_look(r, w, wave, view);
}
/** Whether accesses of a record by lane @p lane are ordered before the next one of lane @p mine of
 * a wave. */
static inline bool race_ordered(struct wt_check_race *r, const struct race_slot *w, unsigned mine,
                                const struct race_record *record, unsigned lane)
{
    if (record->wave != w->number)
        return record->clock <= race_upto(r, w, record->wave);
    const struct wt_order_operation *call = r->wave[w->number - 1].call;
    return !r->rules.independent || (lane | mine) & RACE_WAVE || lane == mine ||
           record->clock <= w->lane[mine] || (call && call->copies);
}
/** Reports what has waited for the end of a wave, or of the group that has a space. Neither: of all
 * kernels. */
void race_report_waiting(struct wt_check_race *r, uint32_t wave, const struct race_space *space);
/** Whether an atomic operation makes a flag or lock of its place: it swaps, or compares and swaps.
 */
bool race_swaps(struct wt_check_race *r, uint32_t slot, uint64_t pc);
/** The place, if it is known; else NULL. */
static inline const struct race_sync *race_find_sync(const struct race_space *space, uint64_t addr)
{
    const uint64_t *there = space->syncs.count ? wt_map_find(&space->syncs, addr / 4 + 1) : NULL;
    return there ? (const struct race_sync *)(uintptr_t)*there : NULL;
}
/** Whether a wave has loaded from a place again and again, and nothing else. */
static inline bool race_was_polled(const struct race_space *space, uint64_t addr)
{
    const struct race_sync *sync = race_find_sync(space, addr);
    return sync && sync->polled;
}
/** Whether a place has been swapped, or is one that waves wait with: a flag or a lock. */
static inline bool race_is_flag(const struct race_space *space, uint64_t addr)
{
    const struct race_sync *sync = race_find_sync(space, addr);
    return sync && (sync->polled || sync->swapped);
}
/** Frees what was recorded. */
void race_free_all(struct wt_check_race *r);

#endif
