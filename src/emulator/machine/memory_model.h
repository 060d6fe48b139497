/*
 * What a family's memory model says that checks must know: what orders accesses, which of them code
 * does not tell from atomic ones, what barriers wait for, which caches programs keep coherent.
 */
#ifndef WT_MACHINE_MEMORY_MODEL_H
#define WT_MACHINE_MEMORY_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct wt_machine;
enum { WT_MOST_DIES = 8 };

struct wt_memory_model {
    /** That of a machine's own model; NULL: this one. */
    const struct wt_memory_model *(*of)(const struct wt_machine *m);
    bool independent; /**< lanes of a wave are not ordered by their instructions */
    bool stores_hide; /**< a store's code does not say whether it is a relaxed atomic one */
    bool places; /**< such a store races with atomic operations in a place that is a counter: what
                      is done there tells that it is none of a flag or lock */
    bool waits;  /**< a group's accesses are done in order; waiting for them is a release for the
                      device, and an acquire among the group */
    bool stores_apart; /**< with `waits`: stores are what a counter of their own counts
                            (wt_observed_event.count[3]) */
    bool hands_on; /**< what a wave has learnt is done, so that each atomic store of it publishes
                        that, without a release, too */
    bool loads_hide_too;    /**< nor does any load's, beside atomic operations in the same place */
    bool loads_hide;        /**< nor does a load's: one that waves repeat is atomic */
    bool threads_are_waves; /**< OpenMP's threads, whichever compiler it is */
    bool spawns;            /**< a wave starts others, and waits until it is alone on its core */
    bool locks; /**< the compiler makes a lock of atomic operations on a group's memory, without
                     fences: for 64-bit ones */
    bool own_is_global; /**< what is a lane's own lies in global memory, where no object is */
    bool warp_syncs;    /**< where lanes are independent, those that exchange values by relaxed
                             accesses need a barrier of the wave between, though they are no race */
    bool observes;  /**< an access (with `places`: a store) is ordered after what an atomic read, in
                         its place and ordered before it, has observed */
    bool one_order; /**< sequential fences have one order for all, so that one orders what another
                         wave of the group has released, or read, before a barrier */
    bool barriers_want_all;    /**< lanes that have ended must have reached barriers, too */
    bool barriers_count_lanes; /**< and not waves */
    /** Whether the code at @p from, of a kernel, may come to its instruction at @p to; true, too,
     * where the code cannot be read. NULL: nobody knows. */
    bool (*comes_to)(struct wt_machine *m, uint64_t from, uint64_t to);
    bool caches_go_stale; /**< a load may get what a cache held before another group's store; the
                               program has instructions that invalidate and write back */
    const char *caches_unknown; /**< … which it has, too, but its caches are not modelled: so says
                                     this sentence; NULL */
    /** The die of a wave's slot, 0 to WT_MOST_DIES - 1, each with a cache behind those of its
     * groups that only such instructions keep coherent; NULL: there is one. */
    uint32_t (*die)(struct wt_machine *m, uint32_t wave);
};

/** A machine's: that of its own model, where models differ. */
const struct wt_memory_model *wt_memory_model_of(const struct wt_machine *m);

#endif
