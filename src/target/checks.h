/* The checks of memory and of uninitialised values for a program in an emulated device. */
#ifndef WT_TARGET_CHECKS_H
#define WT_TARGET_CHECKS_H

#include "check/init.h"
#include "check/memory.h"
#include "target/emulated.h"

/**
 * Checks the memory accesses of the program of @p e from now on: its objects are the buffers of the
 * kernel's arguments, or what the family says. NULL without host memory; the caller ends it by
 * wt_check_memory_end() before the device is closed.
 */
struct wt_check_memory *wt_emulated_check(struct wt_emulated *e, wt_found_fn *found, void *context);

/** Likewise: what its waves do with bits that nothing has written; wt_check_init_knows() its
 * machine. */
struct wt_check_init *wt_emulated_check_init(struct wt_emulated *e, enum wt_init_level level,
                                             wt_found_fn *found, void *context);

/** A hash of the memory that the program's results are in: the buffers of a kernel's arguments and
 * variables of its module; on Vortex the segments that the program may write. False without host
 * memory. */
bool wt_emulated_hash_results(struct wt_emulated *e, uint64_t *hash);

#endif
