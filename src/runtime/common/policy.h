/* The options of `exec` for all GPUs of a host program: --schedule, --fill. */
#ifndef WT_RUNTIME_COMMON_POLICY_H
#define WT_RUNTIME_COMMON_POLICY_H

#include "base/error.h"

struct wt_device_config;

/** The variables that `exec` sets. */
#define WT_SCHEDULE_VARIABLE "WAVETRAP_SCHEDULE"
#define WT_FILL_VARIABLE "WAVETRAP_FILL"

/**
 * Parses the policy of WT_SCHEDULE_VARIABLE, the default where it is not set, and WT_FILL_VARIABLE;
 * the fill stays as it is where that is not set. WT_INVALID where one of them makes no sense.
 */
enum wt_status wt_policy_of_environment(struct wt_device_config *config, struct wt_error *err);

struct wt_machine;
/** After a run of a program's kernels: tells on stderr, once, where the machine could not follow a
 * list of choices. */
void wt_policy_report(const struct wt_machine *m);

#endif
