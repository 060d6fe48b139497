/* The scheduling policy of a host program's GPUs (exec --schedule). */
#ifndef WT_RUNTIME_COMMON_POLICY_H
#define WT_RUNTIME_COMMON_POLICY_H

#include "emulator/machine/schedule.h"

/** The variable that `exec` sets. */
#define WT_SCHEDULE_VARIABLE "WAVETRAP_SCHEDULE"

/** The policy of the variable; the default where it is not set. */
enum wt_status wt_policy_of_environment(struct wt_schedule *schedule, struct wt_error *err);

#endif
