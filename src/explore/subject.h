/* The input of a systematic search: the program, its limits; and its reports. */
#ifndef WT_EXPLORE_SUBJECT_H
#define WT_EXPLORE_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/** How a run has ended. */
enum explore_end {
    EXPLORE_ENDED, /**< all waves have */
    EXPLORE_FAULT, /**< by the machine's fault, a deadlock at barriers too */
    EXPLORE_SPINS, /**< each wave that is left repeats instructions until another one writes */
    EXPLORE_LIMIT, /**< after so many issues as are allowed */
};

struct explore_records;
struct wt_choices;
struct wt_machine;

/** The program. Its functions return a status other than WT_OK to end the search. */
struct explore_subject {
    struct wt_machine *machine;
    /** Brings it to its beginning. */
    enum wt_status (*begin)(void *context, struct wt_error *err);
    /** A run has ended: finds out what it has left; the choices are valid until it returns. */
    enum wt_status (*end)(void *context, enum explore_end end, const struct wt_choices *choices,
                          struct wt_error *err);
    /** Its text: malloc'ed; NULL without host memory. */
    char *(*write)(void *context);
    /** Takes what a run has left: such a text of another process, which it may change, or NULL:
     * what end() has found last. Called for each run, in the order of the search. */
    enum wt_status (*take)(void *context, char *left, const struct wt_choices *choices,
                           struct wt_error *err);
    void *context;
};

#define EXPLORE_UNBOUNDED UINT32_MAX

struct explore_limits {
    uint32_t preemptions;            /**< preemptions of a run; EXPLORE_UNBOUNDED: any number */
    uint64_t issues;                 /**< issues of a run */
    uint64_t runs;                   /**< runs of the search; 0: all that there are */
    unsigned jobs;                   /**< processes at a time */
    struct explore_records *records; /**< the runs that have ended are there, and new ones are
                                        added; NULL: there are none */
};

struct explore_counts {
    uint64_t runs;    /**< that have ended, and were handed to take() */
    uint64_t stopped; /**< that were left since each continuation was known */
    bool complete;    /**< all schedules within the bound have been seen */
};

#endif
