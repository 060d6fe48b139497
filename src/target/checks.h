/* The checks for a program in an emulated device. */
#ifndef WT_TARGET_CHECKS_H
#define WT_TARGET_CHECKS_H

#include "check/set.h"
#include "target/emulated.h"

/**
 * wt_check_set_begin() for the program of @p e: its objects are the buffers of the kernel's
 * arguments, or what the family says. The caller ends the checks before the device is closed.
 */
bool wt_emulated_check(struct wt_emulated *e, struct wt_check_set *set,
                       const struct wt_check_start *start, unsigned checks, wt_check_say_fn *say);

/** A hash of the memory that the program's results are in: the buffers of a kernel's arguments and
 * variables of its module; on Vortex the segments that the program may write. False without host
 * memory. */
bool wt_emulated_hash_results(struct wt_emulated *e, uint64_t *hash);

#endif
