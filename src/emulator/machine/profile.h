/*
 * Exact counts of what a machine does, instruction by instruction (docs/profile.md has the
 * definitions): a client of observation. It is not part of the state and changes none.
 */
#ifndef WT_EMULATOR_MACHINE_PROFILE_H
#define WT_EMULATOR_MACHINE_PROFILE_H

#include "emulator/machine/machine.h"

/** What the memory of a GPU is counted in. */
struct wt_profile_shape {
    unsigned line;     /**< bytes of a transaction: a cache line or a sector; a power of 2 */
    unsigned banks;    /**< of local memory, of dwords; 0: it has none */
    unsigned together; /**< lanes of one access to local memory that the hardware issues at once */
    bool begins_alone; /**< a wave may begin with fewer lanes than it can have */
};

struct wt_profile_count {
    uint64_t pc;
    uint64_t issues;
    uint64_t enabled, lanes; /**< lanes that were enabled, of those that the waves had */
    uint64_t requests, transactions, conflicts, collisions, bytes;
};

struct wt_profile;

/** Begins to count; the machine has no other observer meanwhile. NULL without host memory. */
struct wt_profile *wt_profile_begin(struct wt_machine *m, const struct wt_profile_shape *shape);
/** Ends it: the counts of each instruction that has issued, by address, until wt_profile_free().
 * WT_NO_MEMORY: some could not be counted. */
enum wt_status wt_profile_end(struct wt_profile *p, const struct wt_profile_count **list,
                              size_t *count, struct wt_error *err);
/** Frees it. NULL is allowed. */
void wt_profile_free(struct wt_profile *p);

#endif
