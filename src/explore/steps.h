/*
 * The steps of one run of a machine, taken from its observation records. A step is one issue of a
 * wave, with the accesses that it makes to shared memory and the steps that it orders.
 */
#ifndef WT_EXPLORE_STEPS_H
#define WT_EXPLORE_STEPS_H

#include "emulator/machine/observe.h"
#include "emulator/machine/run.h"
#include "explore/waves.h"

/** A range of memory that an issue accesses. */
struct explore_access {
    enum wt_observed_space space; /**< GLOBAL, GROUP or DEVICE */
    uint64_t home;                /**< GROUP: whose */
    uint64_t first, last;
    bool write;    /**< a store, or an atomic */
    unsigned lane; /**< one that accesses the first byte */
};

/** An event of a step that orders it and steps of others. */
struct explore_event {
    enum wt_observed_event_kind kind; /**< ARRIVE, RELEASE, WAVE, WAVE_END, ALONE */
    uint32_t wave;                    /**< its number */
    uint64_t barrier;                 /**< which one, of ARRIVE and RELEASE */
};

struct explore_step {
    uint32_t wave;             /**< its number */
    uint64_t time;             /**< issue time before it */
    size_t access, access_end; /**< in explore_steps.access */
    bool writes_private;       /**< it stores to memory of its lanes alone */
    bool is_private;           /**< it accesses that */
};

/** Of one machine. Waves have numbers from 0 on, by their slots, which stay from run to run. */
struct explore_steps {
    struct wt_machine *machine;
    uint32_t *number; /**< number of each slot; UINT32_MAX: it has none yet */
    uint32_t slot[EXPLORE_WAVES];
    uint32_t waves;   /**< numbers that are in use */
    bool too_many;    /**< more waves have been seen than there are numbers */
    bool late_groups; /**< groups begin while others run: where waves end matters to them */
    struct explore_step *step;
    size_t count, capacity;
    struct explore_access *access;
    size_t access_count, access_capacity;
    struct explore_event *event; /**< event of the last step */
    size_t event_count, event_capacity;
    size_t begun; /**< accesses before the step under way */
    bool writes_private, is_private;
    uint32_t issued; /**< the slot whose instruction was issued last; UINT32_MAX: none */
    bool failed;     /**< the host has no memory left */
};

/** Observes a machine from now on; false without host memory. The caller ends it in any case. */
bool explore_steps_begin(struct explore_steps *s, struct wt_machine *m);
/** Ends the observation, and frees the steps. */
void explore_steps_end(struct explore_steps *s);
/** A run begins: there are no steps. */
void explore_steps_clear(struct explore_steps *s);
/** The waves that can issue now, as bits by their numbers. */
explore_waves explore_ready(struct explore_steps *s);

/**
 * Lets a wave issue once, and adds the step; false: it has not issued. *result: why the machine
 * came back.
 */
bool explore_steps_issue(struct explore_steps *s, uint32_t wave, enum wt_run *result);

/** Drops the steps from one on. */
void explore_steps_cut(struct explore_steps *s, size_t first);
/** Adds a step that was made elsewhere; false without host memory. */
bool explore_steps_put(struct explore_steps *s, uint32_t wave, const void *accesses, size_t count);
/** Takes the numbers of waves that another search has; false: they are not those that are given
 * here already. @p slots: a uint32_t for each, of any alignment. */
bool explore_steps_adopt(struct explore_steps *s, const void *slots, uint32_t waves,
                         bool late_groups);

/** Whether accesses of two lists share a byte and one of them is a write. */
bool explore_lists_conflict(const struct explore_access *a, size_t a_count,
                            const struct explore_access *b, size_t b_count);

#endif
