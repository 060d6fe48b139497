/* Host programs on gfx900 (HIP, OpenMP, OpenACC) as targets of a debugger. */
#ifndef WT_TARGET_GCN_PROCESS_H
#define WT_TARGET_GCN_PROCESS_H

#include "target/process.h"

extern const struct wt_process_ops wt_gcn_process_ops;

/** The operation connect_none of it. */
enum wt_status wt_gcn_connect_none(struct wt_process *process, const char *program,
                                   struct wt_error *err);

#endif
