/* The scheduling policy of a host program's GPUs (exec --schedule). */
#ifndef WT_RUNTIME_COMMON_POLICY_H
#define WT_RUNTIME_COMMON_POLICY_H

#include "emulator/machine/schedule.h"

/** The variable that `exec` sets. */
#define WT_SCHEDULE_VARIABLE "WAVETRAP_SCHEDULE"

/**
 * Parses the policy of WT_SCHEDULE_VARIABLE; the default where it is not set. WT_INVALID where it
 * is no policy.
 */
enum wt_status wt_policy_of_environment(struct wt_schedule *schedule, struct wt_error *err);

#endif
