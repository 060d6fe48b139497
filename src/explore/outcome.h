/* The outcomes of runs of a program under different schedules, and how many have had each. */
#ifndef WT_EXPLORE_OUTCOME_H
#define WT_EXPLORE_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** The outcome of a run. Two runs with equal members have one outcome. */
struct explore_outcome {
    int status;      /**< exit status; of a program that a signal has ended, 128 plus its number */
    uint64_t output; /**< hash of what it has written to stdout; 0: nothing */
    uint64_t memory; /**< hash of its memory; 0: not known */
    char *found;     /**< faults and findings of checks, a line each, in order; malloc'ed */
};

/** Frees the texts of an outcome. */
void explore_outcome_free(struct explore_outcome *o);

/**
 * The faults and findings in reports for programs (--report=json), a line each, without what
 * depends on the schedule alone: times, waves, lanes, counts. NULL without host memory; the caller
 * frees it.
 */
char *explore_found(const char *report);

/** An outcome, and the runs that have had it. */
struct explore_counted {
    struct explore_outcome outcome;
    uint64_t count;
    uint64_t first; /**< the run with the lowest number */
};

struct explore_outcomes {
    struct explore_counted *list;
    size_t count, capacity;
};

/** Adds run number @p run. The outcome stays the caller's. *place: which one of the list it has.
 */
enum wt_status explore_outcomes_add(struct explore_outcomes *all,
                                    const struct explore_outcome *outcome, uint64_t run,
                                    size_t *place, struct wt_error *err);
/** Sorts the list by the first run of each outcome. */
void explore_outcomes_sort(struct explore_outcomes *all);
/** Frees the list. */
void explore_outcomes_free(struct explore_outcomes *all);

#endif
