/*
 * Observation: each access that the lanes of a machine make to memory, as its instruction issues,
 * and what orders accesses (barriers, fences, the begin and end of waves), handed to whoever wants
 * to know. It is not part of the machine's state: states, issue times and hits of watches are the
 * same with and without it. An access to observed memory is executed as one to watched memory
 * (watch_set.h), which is slower. Accesses to other memory, and machines without an observer, are
 * not slowed down.
 */
#ifndef WT_EMULATOR_MACHINE_OBSERVE_H
#define WT_EMULATOR_MACHINE_OBSERVE_H

#include "base/lanes.h"
#include "emulator/machine/watch.h"

struct wt_issue;
struct wt_wave_head;

enum wt_observed_space {
    WT_OBSERVED_GLOBAL,   /**< that all waves share */
    WT_OBSERVED_GROUP,    /**< a work-group's; on Vortex a core's */
    WT_OBSERVED_PRIVATE,  /**< a lane's own */
    WT_OBSERVED_CONSTANT, /**< constants and arguments of a kernel, which nobody writes */
    WT_OBSERVED_DEVICE,   /**< on-chip memory of the device (GDS) */
};

/** How an access, or a fence, orders others, as far as its instruction says. */
enum wt_observed_order {
    WT_ORDER_PLAIN,   /**< it orders nothing, and races with others; of a fence: nothing is known */
    WT_ORDER_RELAXED, /**< it orders nothing, and is no part of a race: atomics, volatile accesses
                       */
    WT_ORDER_ACQUIRE,
    WT_ORDER_RELEASE,
    WT_ORDER_BOTH,       /**< acquire and release */
    WT_ORDER_SEQUENTIAL, /**< both, and one order for all */
};

/** Between whom. */
enum wt_observed_scope {
    WT_AMONG_WAVE,
    WT_AMONG_GROUP,
    WT_AMONG_CORE,
    WT_AMONG_DEVICE,
    WT_AMONG_SYSTEM,
};

/**
 * An access of lanes of one wave by one instruction: one record for each kind, space and size,
 * and where a lane accesses several places in one way, for each of them. Lanes that make no
 * access, as those beyond the end of a buffer, are left out.
 */
struct wt_observed {
    uint64_t time;           /**< issue time: of the state before the instruction */
    uint64_t id;             /**< the wave's, wt_machine_wave_id() */
    uint32_t wave;           /**< its slot */
    uint64_t launch;         /**< launch of the wave: wt_machine_launch() */
    uint64_t group;          /**< the home of the wave's group memory; WT_HOME_NOW: it has none */
    uint64_t pc;             /**< the instruction's */
    enum wt_watch_kind kind; /**< READ, WRITE, or ACCESS: an atomic */
    enum wt_observed_space space;
    uint64_t home;  /**< GROUP: which group's memory (wt_watch.home); else WT_HOME_NOW */
    bool is_scalar; /**< the wave as a whole makes it: of `lanes` there is the lowest enabled one,
                         or lane 0 */
    bool of_wave;   /**< its lanes are places, not lanes of the program, whatever the mask is: a
                         message without mask of Gen9 */
    uint8_t owner;  /**< of_wave: the lowest lane of the program that is enabled; 0: none is */
    enum wt_observed_order order;
    enum wt_observed_scope scope; /**< scope of an access that is not PLAIN */
    unsigned size;                /**< bytes that a lane accesses, 1 to 128 */
    bool is_row; /**< the lanes are neighbours, and what each accesses lies behind what the one
                      before does; false: it may be so, too */
    wt_lanes lanes;
    /** Of each of the lanes: GLOBAL, CONSTANT: the address; PRIVATE: the offset in the lane's
     * memory; else the address as the wave has it, in an aperture where there is one. */
    uint64_t at[WT_MAX_LANES];
};

/** Takes an access. It may read the machine's state (the access may have been made or not, at the
 * latest at the end of the instruction it is) and must not change it. */
typedef void wt_observe_fn(void *context, struct wt_machine *m, const struct wt_observed *access);

/**
 * Hands accesses to @p fn from now on, in the order of the instructions: those to the ranges of a
 * list, as its watches' waves see them now (`kind` does not count), or, where @p count is 0, all of
 * them. NULL: to nobody. The list is copied. False without host memory: then to nobody. Where
 * another observer is beneath (wt_observe_beneath), @p fn has all accesses, whatever the list.
 */
bool wt_observe(struct wt_machine *m, wt_observe_fn *fn, void *context, const struct wt_watch *list,
                size_t count);

/** Takes an issue. */
typedef void wt_observe_issue_fn(void *context, struct wt_machine *m, const struct wt_issue *issue);
/**
 * Hands each issue to @p after, too, with the observer's context, as long as there is an observer.
 * The observer has the accesses of the issue before @p after is called. @p before (NULL: none) is
 * called before the instruction is executed; the instruction may turn out not to issue.
 */
void wt_observe_issues(struct wt_machine *m, wt_observe_issue_fn *before,
                       wt_observe_issue_fn *after);

/**
 * Adds an observer that stays while others come and go by wt_observe(): it has all accesses and
 * issues (as wt_observe_issues() says; @p after NULL: none), after them. There may be several, and
 * none that comes and goes at that moment. @p fn NULL: the one of @p context goes. False without
 * host memory.
 */
bool wt_observe_beneath(struct wt_machine *m, wt_observe_fn *fn, wt_observe_issue_fn *before,
                        wt_observe_issue_fn *after, void *context);

/**
 * From `before` of an observer: it need not be told of the next @p issues of that wave, 1 or more,
 * that which is about to come among them. Of those others hear as without this one. It has their
 * accesses and events.
 */
void wt_observe_skip(struct wt_machine *m, const void *context, uint64_t issues);

enum { WT_PIECE = 256 };
/** Instructions of translated code for observers, which goes from one of them to another one, and
 * ends where others follow (wt_machine_ops.piece). */
struct wt_observed_piece {
    unsigned count;
    uint64_t pc[WT_PIECE];          /**< 0: the piece ends before it */
    uint64_t called[WT_PIECE / 64]; /**< a bit for each that its handler executes: all that have
                                       accesses or events */
};

/**
 * From `before` of an observer: it need not be told of issues as long as the wave stays in the
 * piece at its pc, and does not come to an instruction that is called and has a bit in @p halts,
 * which stay till the turn ends; the wave's next one has none. That holds if nobody else is told of
 * issues. The observer has each access as soon as its instruction has been executed, before
 * another one is.
 */
void wt_observe_stay(struct wt_machine *m, const void *context, const uint64_t *halts);
/** From an observer, when it has an access of such an instruction: it is told of the next issue. */
void wt_observe_attend(struct wt_machine *m);

/** Takes a change from outside: bytes from @p addr on of memory that all waves share. */
typedef void wt_observe_change_fn(void *context, struct wt_machine *m, uint64_t addr,
                                  uint64_t size);
/** Hands each change of observed memory, or of any, by the host or a debugger to @p fn, too, before
 * it is made. */
void wt_observe_changes(struct wt_machine *m, wt_observe_change_fn *fn);

enum wt_observed_event_kind {
    WT_SEEN_LAUNCH,  /**< a kernel's first group begins; a family without groups: a run begins */
    WT_SEEN_GROUP,   /**< a group has its place */
    WT_SEEN_WAVE,    /**< a wave has its slot; `lanes` begin */
    WT_SEEN_ARRIVE,  /**< `lanes` of a wave arrive at a barrier */
    WT_SEEN_RELEASE, /**< `lanes` of a wave that waited, or came last, go on from a barrier */
    WT_SEEN_FENCE,   /**< `lanes` of a wave execute a fence of `order` and `scope` */
    WT_SEEN_WAIT,    /**< a wave waits until no more than `count` accesses are outstanding */
    WT_SEEN_CACHE,   /**< a wave has its core's scalar cache do what `number` says (gcn) */
    WT_SEEN_ALONE, /**< a wave goes on that has waited for the end of the core's others (Vortex) */
    WT_SEEN_TOGETHER, /**< `lanes` of a wave execute an instruction which `named` should execute
                           together; `present` of the `live` lanes do */
    WT_SEEN_EXCHANGE, /**< `lanes` of a wave take values of lanes `named`, which do not take part */
    WT_SEEN_COPY,     /**< `lanes` of a wave begin to copy; the instruction's stores are the copies,
                           which are done when the lanes have waited for them */
    WT_SEEN_COMMIT,   /**< copies that `lanes` have begun are a group */
    WT_SEEN_COPIED,   /**< `lanes` have waited for copies until no more than `number` groups are
                           outstanding; WT_ALL_COPIES: also those in no group */
    WT_SEEN_CALL,     /**< `lanes` of a wave call a function, from which they come back to `to` */
    WT_SEEN_RETURN,   /**< `lanes` of a wave go to `to`, which may be the end of a call */
    WT_SEEN_DEADLOCK, /**< each wave waits for another one */
    WT_SEEN_WAVE_END,
    WT_SEEN_GROUP_END,
    WT_SEEN_LAUNCH_END,
};

enum wt_observed_barrier {
    WT_BARRIER_GROUP,  /**< group of a group: `number` */
    WT_BARRIER_LANES,  /**< lanes of lanes of one wave */
    WT_BARRIER_CORE,   /**< waves of a core: `number` */
    WT_BARRIER_CORES,  /**< waves of several cores: `number` */
    WT_BARRIER_DEVICE, /**< waves of the device: `number` */
};

/** Of WT_SEEN_CACHE, bits: what it holds is forgotten; what was stored to it goes to memory. */
enum { WT_CACHE_FORGETS = 1 << 0, WT_CACHE_WRITES = 1 << 1 };

/** Of WT_SEEN_COPIED. */
#define WT_ALL_COPIES UINT32_MAX
/** Counts of WT_SEEN_WAIT that do not count. */
#define WT_NO_COUNT 0xff
enum { WT_COUNTS = 4 };

/**
 * An event that orders accesses. All RELEASE of one barrier that opens come one behind the
 * other, with the time of the instruction that opened it; an ARRIVE without a RELEASE of the
 * same lanes behind it is that of lanes that do not wait. A wave whose context the host saves
 * ends; it begins anew, with another id, when that is restored.
 */
struct wt_observed_event {
    enum wt_observed_event_kind kind;
    uint64_t time;   /**< issue time of the instruction that does it, or, between instructions, of
                          the next one */
    uint64_t pc;     /**< the instruction's, but of RELEASE, begins and ends, which have 0 */
    uint64_t id;     /**< id of the wave whose event it is, wt_machine_wave_id(); 0: it is none's */
    uint32_t wave;   /**< its slot */
    uint64_t launch; /**< launch of LAUNCH, GROUP, WAVE, their ends: wt_machine_launch() */
    uint64_t home;   /**< home of the wave's group: wt_observed.home; WT_HOME_NOW: it has none */
    wt_lanes lanes;
    enum wt_observed_barrier barrier; /**< barrier of ARRIVE, RELEASE */
    uint32_t number;
    uint32_t
        expected; /**< of ARRIVE: how many waves, or lanes, are to arrive; 0: all of the group */
    bool apart;   /**< ARRIVE: lanes may arrive by different instructions */
    bool shifts;  /**< EXCHANGE: each lane takes the value of one that is so many lanes before it */
    wt_lanes named, present, live; /**< TOGETHER has all three; EXCHANGE: `named` */
    enum wt_observed_order order;  /**< order of FENCE */
    enum wt_observed_scope scope;
    uint64_t to;              /**< CALL, RETURN: where to */
    uint8_t count[WT_COUNTS]; /**< of WAIT, WT_NO_COUNT: of any; loads and stores of vectors;
                                   exports; LDS, GDS, scalar loads and messages (gcn); stores of
                                   vectors, where loads alone are the first (gfx1030) */
};

/** Takes an event, before or after what it tells has happened in the machine's state, which it must
 * not change. */
typedef void wt_observe_event_fn(void *context, struct wt_machine *m,
                                 const struct wt_observed_event *event);
/** Hands events to @p fn, too, in the order of the instructions, as long as there is an observer,
 * which has had the accesses of instructions before. wt_groups_observe() (groups.h) begins with
 * what is there. */
void wt_observe_events(struct wt_machine *m, wt_observe_event_fn *fn);

/* ---- for the engine and the families ---- */

/** Tells the observer, which is there and takes events, of one: its `time` is filled in here.
 * Families call wt_group_tell() and wt_wave_tell() (groups.h). */
void wt_observe_tell(struct wt_machine *m, struct wt_observed_event *event);

/** Tells the observer, if any, that @p bytes are about to be written as a lane of a wave sees
 * memory, from outside. Bytes that stay as they are, and memory that not all waves share, do not
 * count. */
void wt_observe_change(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                       const void *bytes, size_t size);

enum { WT_OBSERVED_RECORDS = 16 }; /* records of one instruction, before the first is handed over */

struct wt_observer {
    wt_observe_fn *fn;
    wt_observe_issue_fn *before, *issue; /**< NULL: nobody asks */
    wt_observe_change_fn *change;        /**< likewise */
    wt_observe_event_fn *event;          /**< likewise */
    void *context;
    struct wt_observer *beneath; /**< has all of it, too; NULL: nobody */
    bool stays;                  /**< wt_observe_beneath() has added it */
    uint64_t most;               /**< issues that may come before it is told of one again */
    const uint64_t *may;         /**< what it has said by wt_observe_stay(), or NULL */
    bool each;                   /**< the topmost observer is told of the turn's issue */
    const uint64_t *halts;       /**< `may` of the topmost observer, where that holds; else NULL */
    bool attends;                /**< the topmost observer is told of ends */
    unsigned count;
    struct wt_observed record[WT_OBSERVED_RECORDS]; /**< record of the instruction being executed */
};

/** Hands over what the instruction has accessed that a piece has called; whether the turn ends
 * behind it. */
bool wt_observe_called(struct wt_machine *m);

struct wt_judged_variable;

/** An access of a lane, which is part of a record. */
struct wt_lane_access {
    uint64_t pc;
    enum wt_watch_kind kind;
    enum wt_observed_space space;
    uint64_t home; /**< home of GROUP */
    bool is_scalar, of_wave;
    uint8_t owner; /**< of_wave: the lowest enabled lane */
    enum wt_observed_order order;
    enum wt_observed_scope scope;
    unsigned lane, size;
    bool is_row; /**< it is from wt_observe_row() */
    /* for a judge */
    unsigned align; /**< what the machine demands of the address; 0: nothing */
    unsigned unit;  /**< a power of 2: compilers that widen a load stay in aligned units of so many
                         bytes that the program loads from; 0: in its pages */
    unsigned spare; /**< spare of a load: so many bytes at its end that compilers may have added */
    unsigned lost;  /**< hardware drops an atomic in memory of this grain (regions.h) or a
                         finer one; 0: in none */
    unsigned part;  /**< part of an instruction with several accesses: which one (origin.h) */
    const struct wt_judged_variable *variable; /**< whose address the lanes use; NULL: not known */
    uint64_t at;
};

/** Notes an access of wave @p w by the instruction that issues at @p time (wt_engine_observe).
 * True: the turn must end after it, so that observers have the stores of several lanes, and those
 * of a wave, while the registers are as they were. */
bool wt_observe_lane(struct wt_machine *m, const struct wt_wave_head *w, uint64_t time,
                     const struct wt_lane_access *access);

/** Notes accesses of some lanes, 1 or more, of the wave whose instruction issues at @p time; `lane`
 * and `at` of @p access do not count. The caller fills in the addresses, lane by lane, at once. */
uint64_t *wt_observe_row(struct wt_machine *m, const struct wt_wave_head *w, uint64_t time,
                         const struct wt_lane_access *access, wt_lanes lanes);
/** The addresses are filled in: hands stores over, while the registers are as they were. */
void wt_observe_stored(struct wt_machine *m, enum wt_watch_kind kind);
/** Likewise, with the addresses. */
void wt_observe_lanes(struct wt_machine *m, const struct wt_wave_head *w, uint64_t time,
                      const struct wt_lane_access *access, wt_lanes lanes, const uint64_t *at);
/** Frees the observers of a machine that ends. */
void wt_observe_free(struct wt_machine *m);
/** Tells the observers of the next issue, before its instruction is executed. Returns how many may
 * come before they are told of one again. */
uint64_t wt_observe_before(struct wt_machine *m, const struct wt_issue *issue);
/** Hands over the records, and the issue where it has @p issued. */
void wt_observe_after(struct wt_machine *m, const struct wt_issue *issue, bool issued);

#endif
