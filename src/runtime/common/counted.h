/*
 * Counts of what GPUs of a host program do, instruction by instruction (machine/profile.h): for
 * `exec` and `debug` with --profile; and the checks of its kernels (checked.h). Both go into the
 * file of counted_file.h.
 */
#ifndef WT_RUNTIME_COMMON_COUNTED_H
#define WT_RUNTIME_COMMON_COUNTED_H

#include "check/memory.h"
#include "runtime/common/counted_file.h"
#include "runtime/common/hosted.h"

/**
 * Before a kernel begins, and before wt_recording_before_kernel(): counts and checks from now on,
 * as far as that is wanted. @p state is another one after each change of the code that is loaded;
 * @p space: whose addresses the kernel has (check/objects.h). The GPU's lock is held.
 */
void wt_counted_before_kernel(struct wt_hosted *gpu, uint64_t state, const void *space);
/** The kernel that wt_counted_before_kernel() was told of is the runtime's own, for a command of
 * the program, or is not. */
void wt_counted_set_copies(struct wt_hosted *gpu, bool copies);
/** Its check of races, which begins if it is wanted; NULL: it is not, or without host memory.
 * @p space: as of wt_counted_before_kernel(). */
struct wt_check_race *wt_counted_race(struct wt_hosted *gpu, const void *space);
/** The checks ask @p variable for variables (check/memory.h, wt_check_memory_set_variables). */
void wt_counted_set_variables(struct wt_hosted *gpu, wt_check_variable_fn *variable, void *context);
/** Ends it, before or after the GPU's machine has ended; the counts stay. */
void wt_counted_forget(struct wt_hosted *gpu);

#endif
