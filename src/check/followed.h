/*
 * The run that a check follows: which issues are new ones, which wave a
 * finding is about, and where a debugger stops.
 */
#ifndef WT_CHECK_FOLLOWED_H
#define WT_CHECK_FOLLOWED_H

#include "check/decisions.h"
#include "check/finding.h"

struct wt_issue;
struct wt_machine;

struct wt_followed {
    uint64_t most;   /**< the latest issue time */
    uint64_t resets; /**< the machine's, then; at first, as it is followed from now on */
    bool lost;       /**< the host had no memory: nothing is looked at */
};

/** Forgets what a check knows of issue time @p time and later; 0: of all. */
typedef void wt_forget_fn(void *context, uint64_t time);

/**
 * Whether issue time @p time is no new one: the run is repeated, or the check is lost. @p forget is
 * called before, where the machine was reset, or has gone back and takes another way. @p resets and
 * @p known are the machine's.
 */
static inline bool wt_followed_is_past(struct wt_followed *f, uint64_t resets, uint64_t known,
                                       uint64_t time, wt_forget_fn *forget, void *context)
{
    if (f->resets != resets) {
        f->resets = resets;
        f->most = 0;
        forget(context, 0);
    }
    if (time < known || f->lost)
        return true;
    if (time < f->most)
        forget(context, time);
    f->most = time;
    return false;
}

/** Fills in what a finding says of a wave that does something now, and of its lanes @p lanes. */
void wt_finding_of_wave(struct wt_finding *f, struct wt_machine *m, uint32_t slot, wt_lanes lanes);

/** Notes a finding of a wave, for debuggers that stop at mistakes in a recorded run. */
void wt_mistake_note(struct wt_decisions *all, const struct wt_machine *m,
                     const struct wt_finding *f);
/** An instruction has issued, now or in a run that is repeated: a debugger that stops at its
 * mistakes hears of them. */
void wt_mistakes_tell(const struct wt_decisions *all, struct wt_machine *m,
                      const struct wt_issue *i);

#endif
