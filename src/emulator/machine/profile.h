/*
 * Exact counts of what a machine does, instruction by instruction (docs/profile.md has the
 * definitions): an observer that stays beneath others. The counts change nothing of the machine's
 * state. They go with it: a machine that is put back to a saved state has the counts of then.
 */
#ifndef WT_EMULATOR_MACHINE_PROFILE_H
#define WT_EMULATOR_MACHINE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct wt_machine;

/** The units in which accesses to a GPU's memory are counted. */
struct wt_profile_shape {
    unsigned line;     /**< bytes of a transaction: a cache line or a sector; a power of 2 */
    unsigned banks;    /**< banks of local memory, of dwords; 0: it has none */
    unsigned together; /**< lanes of one access to local memory that the hardware issues at once */
    bool begins_alone; /**< a wave may begin with fewer lanes than it can have, and elsewhere than
                          in a kernel */
};

struct wt_profile_count {
    uint64_t pc;
    uint64_t entry;          /**< where the wave began: its kernel; 0 where waves begin alone */
    uint64_t code;           /**< code of wt_profile_code() */
    uint64_t issues;         /**< 0: nothing is counted here */
    uint64_t enabled, lanes; /**< lanes that were enabled, of those that the waves had */
    uint64_t requests, transactions, conflicts, collisions, bytes;
    uint64_t products; /**< multiplications of matrices, each with an addition */
};

enum { WT_PROFILE_BLOCK = 512 }; /* counts that are taken at once */

/** Gives WT_PROFILE_BLOCK counts of zeros, which stay where they are; NULL: there are no more. */
typedef struct wt_profile_count *wt_profile_room_fn(void *context);

struct wt_profile;

/**
 * Begins to count; nobody observes the machine, whose m->profile is set. The counts are in memory
 * that @p room gives; NULL: of the heap, and then a reset of the machine begins them anew. NULL
 * without host memory.
 */
struct wt_profile *wt_profile_begin(struct wt_machine *m, const struct wt_profile_shape *shape,
                                    wt_profile_room_fn *room, void *context);
/** Gives instructions that issue from now on counts of their own, with the number @p code, because
 * other code is loaded. The machine must not be put back to a state that was saved before. */
void wt_profile_code(struct wt_profile *p, uint64_t code);
/** Ends it, before its machine ends. The counts stay. */
void wt_profile_end(struct wt_profile *p);
/**
 * Copies the counts of each instruction that has issued, by address, to *list, which the caller
 * frees; the machine is there. WT_NO_MEMORY: also where some could not be counted.
 */
enum wt_status wt_profile_list(struct wt_profile *p, struct wt_profile_count **list, size_t *count,
                               struct wt_error *err);
/** Adds the numbers of an instruction, or of a line, to others. */
void wt_profile_add(struct wt_profile_count *to, const struct wt_profile_count *from);
/** Frees it, whether or not the machine is there. NULL is allowed. */
void wt_profile_free(struct wt_profile *p);

/* ---- for saved states (state.h) ---- */

struct wt_profile_saved;
/** Copies the counts; NULL without host memory. wt_profile_drop() frees the copy. */
struct wt_profile_saved *wt_profile_save(struct wt_profile *p);
/** Puts counts back; NULL: to nothing. */
void wt_profile_restore(struct wt_profile *p, const struct wt_profile_saved *saved);
/** Frees a copy; NULL is allowed. */
void wt_profile_drop(struct wt_profile_saved *saved);
/** Host memory of a copy; 0 for NULL. */
uint64_t wt_profile_saved_bytes(const struct wt_profile_saved *saved);

#endif
