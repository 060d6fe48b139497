/*
 * The tree of a systematic search: nodes, each with the waves that it has tried and those that it
 * still has to; and the runs that make it grow.
 */
#ifndef WT_EXPLORE_SEARCH_H
#define WT_EXPLORE_SEARCH_H

#include "emulator/machine/schedule.h"
#include "explore/clocks.h"
#include "explore/spins.h"
#include "explore/subject.h"

/* The next step of a wave that need not be made first here: all that follows it has been seen. */
struct sleeper {
    uint32_t wave;
    const struct explore_access *access; /* access of its own node's `done`, or of one before */
    size_t count;
};

/* A wave that has been tried at a node, and the accesses of its step. */
struct tried {
    uint32_t wave;
    struct explore_access *access;
    size_t count;
};

/* A state of the run, before a step. Sets of waves are bits by their numbers. */
struct node {
    explore_waves enabled, backtrack, tried;
    uint32_t chosen, last; /* the wave of the step; of the one before, UINT32_MAX: there is none */
    uint32_t preemptions;  /* before the step */
    uint64_t serial;       /* no other node of the search has it */
    struct sleeper *sleeper;
    size_t sleepers, sleeper_capacity;
    struct tried *done;
    size_t done_count, done_capacity;
};

/* Two steps of a run that conflict, and that nothing orders: the other order is to be tried. */
struct reversal {
    size_t before;
    uint32_t wave;       /* wave of the later step */
    explore_waves first; /* waves that may be had before, if no bound is given */
};

struct search {
    const struct explore_subject *subject;
    const struct explore_limits *limits;
    struct explore_counts *counts;
    struct explore_steps steps;
    struct explore_spins spins;
    struct explore_clocks clocks;
    struct node *node;
    size_t count, capacity;
    size_t fixed; /* nodes at the beginning whose steps are repeated */
    uint64_t serial;
    /* Of the last run. */
    struct wt_choices choices;
    struct reversal *reversal;
    size_t reversals, reversal_capacity;
    bool blocked; /* it was left since each continuation was known */
};

/* "No host memory". */
enum wt_status search_no_memory(struct wt_error *err);
/* Runs the program once: repeats the fixed nodes, and goes on with new ones. */
enum wt_status search_run(struct search *s, struct wt_error *err);
/* Adds the node before the next step, and chooses its wave: the one of the step before, if it can
 * go on. *blocked: none may, since what follows has been seen. */
enum wt_status search_push(struct search *s, explore_waves enabled, bool *blocked,
                           struct wt_error *err);
/* Notes a reversal of the run; false without host memory. */
bool search_add_reversal(struct search *s, const struct reversal *of);
/* Counts the last run, and notes what it has found to be tried. @p left: what its end had left, in
 * a record; NULL: it was made here. */
enum wt_status search_commit(struct search *s, char *left, struct wt_error *err);
/* Leaves the nodes behind one, whose step is done: its next wave is chosen. False: it has none. */
enum wt_status search_next(struct search *s, size_t node, bool *more, struct wt_error *err);
/* The wave that search_next() would choose; UINT32_MAX: there is none. */
uint32_t search_choice(const struct search *s, const struct node *n);

/* Leaves the last node; all that follows it has been seen. */
void search_pop(struct search *s);
/* Begins a search; search_end() ends it in any case. False without host memory. */
bool search_begin(struct search *s);
void search_end(struct search *s);

#endif
