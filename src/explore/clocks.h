/* The order of the steps of a run that conflicts, barriers and births of waves give: vector clocks.
 */
#ifndef WT_EXPLORE_CLOCKS_H
#define WT_EXPLORE_CLOCKS_H

#include "base/map.h"
#include "explore/steps.h"

/** Of each wave, by its number: its last step, counted from 1, that comes before; 0: none. */
struct explore_clock {
    uint32_t last[EXPLORE_WAVES];
};

struct explore_clocks {
    struct explore_clock now[EXPLORE_WAVES]; /**< now of the next step of each wave */
    struct explore_clock *step;              /**< step of each step, which it contains itself */
    size_t capacity;
    explore_waves
        ready; /**< the waves that can issue before the next step, which the caller sets */
    struct explore_clock ended; /**< clock of waves that have ended */
    struct wt_map barrier;      /**< 1 and more: place in `arrived`, by the barrier */
    struct explore_clock *arrived;
    size_t barriers, arrived_capacity;
};

/** A run begins. So many waves have had numbers so far. */
void explore_clocks_clear(struct explore_clocks *c, uint32_t waves);
/** Frees all. */
void explore_clocks_free(struct explore_clocks *c);
/**
 * Takes the step that was made last. @p race: the steps that conflict with it, and that nothing
 * else orders before it, at most one of each wave. False without host memory.
 */
bool explore_clocks_step(struct explore_clocks *c, struct explore_steps *steps,
                         size_t race[EXPLORE_WAVES], size_t *races);
/** The last step has let waves go on that waited for it. */
void explore_clocks_wake(struct explore_clocks *c, const struct explore_steps *steps,
                         explore_waves waves);
/** Whether step @p b is before step @p a in each order of the run that is like this one. */
bool explore_follows(const struct explore_clocks *c, const struct explore_steps *steps, size_t a,
                     size_t b);

#endif
