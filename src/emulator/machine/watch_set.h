/*
 * The set of what is watched on a machine (watch.h): what of it is the same in every family. A
 * family adds where a range lies (wt_watch_range_fn), sees to it that what is watched comes by
 * where it is looked for, and notes what was met.
 */
#ifndef WT_EMULATOR_MACHINE_WATCH_SET_H
#define WT_EMULATOR_MACHINE_WATCH_SET_H

#include "emulator/machine/machine.h"
#include "emulator/machine/schedule.h"
#include "emulator/machine/spans.h"

/** The memory that all waves share; other spaces are numbered by the family. */
#define WT_SPACE_GLOBAL 0

struct wt_watch_set {
    struct wt_spans read, write, execute;
    uint64_t *issue;       /**< waves, as a bit set; NULL: none */
    struct wt_turns turns; /**< before the scheduler's choice, which may be taken back */
    bool places;           /**< waves or instructions are watched */
    bool running;          /**< within a run: hits add up */
    /** The wave that was told of, and when: it issues next time. */
    bool told;
    uint32_t told_wave;
    uint64_t told_time, told_pc;
};

/** Adds [first, last], as the watch's wave sees it, to @p spans; false without host memory. */
typedef bool (*wt_watch_range_fn)(struct wt_machine *m, const struct wt_watch *watch,
                                  uint64_t first, uint64_t last, struct wt_spans *spans);

/**
 * Makes m->watch a set of these watches, NULL for none, and forgets what was met. False without
 * host memory: then none is watched.
 */
bool wt_watch_set_replace(struct wt_machine *m, const struct wt_watch *list, size_t count,
                          const struct wt_turns *turns, wt_watch_range_fn range);
void wt_watch_set_free(struct wt_machine *m);
/** Forgets what was met and told: the machine is in another state now. */
void wt_watch_set_forget(struct wt_machine *m);

/** Whether the set has a byte of [first, last] for reads, or for writes; NULL has none. */
static inline bool wt_watch_set_reads(const struct wt_watch_set *set, uint64_t space,
                                      uint64_t first, uint64_t last)
{
    return set && wt_spans_meet(&set->read, space, first, last);
}

static inline bool wt_watch_set_writes(const struct wt_watch_set *set, uint64_t space,
                                       uint64_t first, uint64_t last)
{
    return set && wt_spans_meet(&set->write, space, first, last);
}

/** Whether an access of this kind to [first, last] is watched. */
static inline bool wt_watch_set_meets(const struct wt_watch_set *set, enum wt_watch_kind kind,
                                      uint64_t space, uint64_t first, uint64_t last)
{
    return (kind != WT_WATCH_WRITE && wt_watch_set_reads(set, space, first, last)) ||
           (kind != WT_WATCH_READ && wt_watch_set_writes(set, space, first, last));
}

/** Whether the instruction at pc is watched. */
static inline bool wt_watch_set_executes(const struct wt_watch_set *set, uint64_t pc)
{
    return set && wt_spans_meet(&set->execute, WT_SPACE_GLOBAL, pc, pc);
}

/** Whether a wave is watched for any issue. */
static inline bool wt_watch_set_issues(const struct wt_watch_set *set, uint32_t wave)
{
    return set && set->issue && (set->issue[wave / 64] >> (wave % 64) & 1);
}

/** An issue: which wave, when, where, and with which lanes enabled. */
struct wt_issue {
    uint64_t time, pc;
    uint32_t wave;
    wt_lanes mask;
};

/** Notes an access of 1 to 16 bytes that is watched. */
void wt_watch_set_access(struct wt_machine *m, const struct wt_issue *issue,
                         enum wt_watch_kind kind, unsigned lane, uint64_t addr, unsigned size,
                         const uint8_t *before, const uint8_t *after);
/** Notes what of an issue is watched: its wave, its instruction. */
void wt_watch_set_place(struct wt_machine *m, const struct wt_issue *issue, bool wave,
                        bool instruction);
/** Whether an issue was told; if not, it is now. */
bool wt_watch_set_told(struct wt_watch_set *set, const struct wt_issue *issue);

/** A run begins, or ends. */
void wt_watch_set_run(struct wt_machine *m, bool running);
/** Keeps what the scheduler is about to change, and puts it back. */
void wt_watch_set_keep_turns(struct wt_watch_set *set, const struct wt_turns *turns);
void wt_watch_set_undo_turns(const struct wt_watch_set *set, struct wt_turns *turns);

#endif
