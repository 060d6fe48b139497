/* NVIDIA SM (sm_50) as a family of targets: a kernel of a cubin. */
#ifndef WT_TARGET_SM_H
#define WT_TARGET_SM_H

#include "target/family.h"

/** Its configuration is a struct sm_config. */
extern const struct wt_family wt_family_sm;

/** Its tables about host programs, and of tasks. */
extern const struct wt_host_driver wt_sm_host_driver;
extern const struct wt_family_task wt_sm_tasks[];

#endif
