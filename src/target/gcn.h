/* AMD's GPUs as a family of targets: a kernel of a code object. */
#ifndef WT_TARGET_GCN_H
#define WT_TARGET_GCN_H

#include "target/family.h"

/** Its configuration is a struct gcn_config. */
extern const struct wt_family wt_family_gcn;

/** Its tables about host programs, and of tasks. */
extern const struct wt_host_driver wt_gcn_host_driver;
extern const struct wt_family_task wt_gcn_tasks[];

/** The device of an opened target of this family. */
struct gcn_device *wt_gcn_device(const struct wt_emulated *e);

/** The debug hardware's registers of the model of a target version (90000); NULL: there is none. */
const struct wt_hw_table *wt_gcn_registers(uint32_t version);

#endif
