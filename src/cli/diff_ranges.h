/* The places that two runs of `wavetrap diff` have in common: the arguments of their kernels, and
 * variables of the same name. */
#ifndef WT_CLI_DIFF_RANGES_H
#define WT_CLI_DIFF_RANGES_H

#include "explore/trail.h"
#include "target/emulated.h"

/** Finds them; *list is freed by the caller. WT_UNSUPPORTED: an argument has another size, or one
 * of the runs is none of a kernel. */
enum wt_status cli_diff_ranges(struct wt_emulated *const device[2], struct explore_range **list,
                               size_t *count, struct wt_error *err);

#endif
