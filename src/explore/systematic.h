/*
 * All schedules of a small program, up to the order of instructions that do not conflict: dynamic
 * partial-order reduction with source sets and sleep sets (Abdulla, Aronis, Jonsson, Sagonas,
 * POPL 2014, algorithm 1); with a bound of preemptions instead the persistent sets of bounded
 * search (Coons, Musuvathi, McKinley, OOPSLA 2013). The program is run from its beginning each
 * time.
 */
#ifndef WT_EXPLORE_SYSTEMATIC_H
#define WT_EXPLORE_SYSTEMATIC_H

#include "emulator/machine/machine.h"
#include "wavetrap/error.h"

/** How a run has ended. */
enum explore_end {
    EXPLORE_ENDED, /**< all waves have */
    EXPLORE_FAULT, /**< by the machine's fault, a deadlock at barriers too */
    EXPLORE_SPINS, /**< each wave that is left repeats instructions until another one writes */
    EXPLORE_LIMIT, /**< after so many issues as are allowed */
};

/** The program. Both functions return a status other than WT_OK to end the search. */
struct explore_subject {
    struct wt_machine *machine;
    /** Brings it to its beginning. */
    enum wt_status (*begin)(void *context, struct wt_error *err);
    /** A run has ended; the choices are valid until the function returns. */
    enum wt_status (*end)(void *context, enum explore_end end, const struct wt_choices *choices,
                          struct wt_error *err);
    void *context;
};

#define EXPLORE_UNBOUNDED UINT32_MAX

struct explore_limits {
    uint32_t preemptions; /**< of a run; EXPLORE_UNBOUNDED: any number */
    uint64_t issues;      /**< of a run */
    uint64_t runs;        /**< of the search; 0: all that there are */
};

struct explore_counts {
    uint64_t runs;    /**< that have ended, and were handed to end() */
    uint64_t stopped; /**< that were left since each continuation was known */
    bool complete;    /**< all schedules within the bound have been seen */
};

/**
 * Searches. WT_UNSUPPORTED: the program has more waves at a time than can be told apart, or does
 * not repeat itself.
 */
enum wt_status explore_systematically(const struct explore_subject *subject,
                                      const struct explore_limits *limits,
                                      struct explore_counts *counts, struct wt_error *err);

#endif
