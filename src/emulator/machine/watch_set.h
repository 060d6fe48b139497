/*
 * The set of what is watched on a machine (watch.h): the bookkeeping that all families share. A
 * family maps ranges to address spaces (wt_watch_range_fn), routes watched accesses through its
 * slow path, puts a watching handler into the records of watched instructions, and notes the hits.
 */
#ifndef WT_EMULATOR_MACHINE_WATCH_SET_H
#define WT_EMULATOR_MACHINE_WATCH_SET_H

#include "emulator/machine/machine.h"
#include "emulator/machine/run.h"
#include "emulator/machine/schedule.h"
#include "emulator/machine/spans.h"

/** The memory that all waves share; the family numbers the other spaces. */
#define WT_SPACE_GLOBAL 0
/** On-chip memory of the device. */
#define WT_SPACE_DEVICE UINT64_MAX

/** Watched instructions: those that begin in [first, last]. */
struct wt_watch_code {
    uint64_t first, last;
    wt_watch_holds_fn holds; /**< NULL: for all enabled lanes */
    void *context;
};

/** The accesses to watched memory that count. */
struct wt_watch_memory {
    enum wt_watch_kind kind;
    uint64_t first, last;
    uint64_t home, owner; /**< struct wt_watch */
    bool everywhere; /**< hits have the addresses of the watch: [first, last] is what it concerns */
    bool changes;
    wt_watch_holds_fn holds; /**< NULL: every access */
    void *context;
};

struct wt_watch_set {
    struct wt_spans read, write;
    struct wt_watch *observed_list; /**< what is observed (observe.h); NULL: nothing, or all */
    size_t observed_count;
    bool observes; /**< something is */
    bool observes_all;
    bool rows; /**< all is observed, and nothing watched by its value: families need not go lane by
                    lane (wt_observes_rows) */
    struct wt_spans observed; /**< else these */
    struct wt_watch_memory *memory;
    size_t memory_count;
    bool judges;                /**< some accesses to watched memory do not count */
    uint64_t mistakes;          /**< bits of the kinds that count */
    struct wt_watch_code *code; /**< sorted by first */
    size_t code_count;
    uint64_t *issue;       /**< waves, as a bit set; NULL: none */
    struct wt_turns turns; /**< before the scheduler's choice, which may be taken back */
    bool places;           /**< waves or instructions are watched */
    bool running;          /**< within a run: hits add up */
    /** The last EXECUTE or ISSUE hit that was reported: the next run issues that instruction
     * instead of reporting it again. */
    bool told;
    uint32_t told_wave;
    uint64_t told_time, told_pc;
};

/** Adds [first, last], as the watch's wave sees it, to @p spans; false without host memory. */
typedef bool (*wt_watch_range_fn)(struct wt_machine *m, const struct wt_watch *watch,
                                  uint64_t first, uint64_t last, struct wt_spans *spans);

/** The operation watch_range of a family with an address map (mapped.h): adds the range in parts
 * that no bound lies within. */
WT_MACHINE_FN(watch_range) wt_watch_set_add_parts;

/** Makes the set, or changes it, so that a list of ranges is observed, which is copied: all memory
 * where @p count is 0, nothing without @p on. False without host memory: nothing is observed. */
bool wt_watch_set_observe(struct wt_machine *m, bool on, const struct wt_watch *list, size_t count);

/** Frees the watches and the hits of a machine. */
void wt_watch_set_free(struct wt_machine *m);
/** Forgets all hits, and which one was reported: for a machine that was put into another state. */
void wt_watch_set_forget(struct wt_machine *m);

/** Whether a byte of [first, last] is observed. */
static inline bool wt_watch_set_observes(const struct wt_watch_set *set, uint64_t space,
                                         uint64_t first, uint64_t last)
{
    return set->observes_all || wt_spans_meet(&set->observed, space, first, last);
}

/** Whether a byte of [first, last] is watched for reads, or observed. @p set may be NULL: no
 * watches. */
static inline bool wt_watch_set_reads(const struct wt_watch_set *set, uint64_t space,
                                      uint64_t first, uint64_t last)
{
    return set && (wt_watch_set_observes(set, space, first, last) ||
                   wt_spans_meet(&set->read, space, first, last));
}

/** Whether a byte of [first, last] is watched for writes, or observed. @p set may be NULL: no
 * watches. */
static inline bool wt_watch_set_writes(const struct wt_watch_set *set, uint64_t space,
                                       uint64_t first, uint64_t last)
{
    return set && (wt_watch_set_observes(set, space, first, last) ||
                   wt_spans_meet(&set->write, space, first, last));
}

/** Whether an access of @p kind (WRITE, READ or ACCESS) to [first, last] is a hit. */
static inline bool wt_watch_set_hits(const struct wt_watch_set *set, enum wt_watch_kind kind,
                                     uint64_t space, uint64_t first, uint64_t last)
{
    return set && ((kind != WT_WATCH_WRITE && wt_spans_meet(&set->read, space, first, last)) ||
                   (kind != WT_WATCH_READ && wt_spans_meet(&set->write, space, first, last)));
}

/** Whether an access of @p kind (WRITE, READ or ACCESS) to [first, last] is watched or observed. */
static inline bool wt_watch_set_meets(const struct wt_watch_set *set, enum wt_watch_kind kind,
                                      uint64_t space, uint64_t first, uint64_t last)
{
    return (kind != WT_WATCH_WRITE && wt_watch_set_reads(set, space, first, last)) ||
           (kind != WT_WATCH_READ && wt_watch_set_writes(set, space, first, last));
}

/** The first watch of the instruction at @p pc; NULL if it is not watched. */
const struct wt_watch_code *wt_watch_set_code(const struct wt_watch_set *set, uint64_t pc);

/**
 * Evaluates the watches of the instruction at @p pc, @p code being the first one, for a wave that
 * is about to issue it at issue time @p time with the lanes @p mask enabled. True where it is a
 * hit; *lanes becomes the lanes for which it is.
 */
bool wt_watch_set_holds(struct wt_machine *m, const struct wt_watch_code *code, uint32_t wave,
                        uint64_t pc, wt_lanes mask, uint64_t time, wt_lanes *lanes);

/** Whether a wave is watched for any issue. */
static inline bool wt_watch_set_issues(const struct wt_watch_set *set, uint32_t wave)
{
    return set && set->issue && (set->issue[wave / 64] >> (wave % 64) & 1);
}

/**
 * Notes an access to watched memory of a space, of 1 to 16 bytes, as a hit. Hits beyond
 * WT_WATCH_HITS are dropped.
 */
void wt_watch_set_access(struct wt_machine *m, const struct wt_issue *issue,
                         enum wt_watch_kind kind, unsigned lane, uint64_t space, uint64_t addr,
                         unsigned size, const uint8_t *before, const uint8_t *after);
/** Notes that a judge refuses accesses of @p lanes, 1 or more, for a mistake of @p kind, which
 * counts; @p addr: of the lowest lane. */
void wt_watch_set_mistake(struct wt_machine *m, const struct wt_issue *issue, unsigned kind,
                          wt_lanes lanes, uint64_t addr, unsigned size);
/**
 * Notes the EXECUTE and ISSUE hits of the next issue. True: the run must return before it. False
 * where there is none, or it was reported already and issues now.
 */
bool wt_watch_set_before(struct wt_machine *m, const struct wt_issue *issue);
/**
 * Notes the EXECUTE and ISSUE hits of an issue that the debug hardware does in any case: it counts
 * as reported.
 */
void wt_watch_set_step(struct wt_machine *m, const struct wt_issue *issue);

/**
 * Whether the hits of a turn end the run: not if they are accesses that do not count for any watch
 * (`changes`, `holds`), which are forgotten. @p next is the next issue of the wave that made them.
 */
bool wt_watch_set_counts(struct wt_machine *m, const struct wt_issue *next);

/** Tells that a run begins, which forgets the hits of the last one, or ends. */
void wt_watch_set_run(struct wt_machine *m, bool running);
/** Saves the scheduling state before the scheduler's choice, for wt_watch_set_undo_turns. */
void wt_watch_set_keep_turns(struct wt_watch_set *set, const struct wt_turns *turns);
/** Takes the scheduler's choice back: restores what wt_watch_set_keep_turns has saved. */
void wt_watch_set_undo_turns(const struct wt_watch_set *set, struct wt_turns *turns);

#endif
