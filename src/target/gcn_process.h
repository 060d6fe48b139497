/* Host programs on AMD's GPUs (HIP, OpenMP, OpenACC) as targets of a debugger. */
#ifndef WT_TARGET_GCN_PROCESS_H
#define WT_TARGET_GCN_PROCESS_H

#include "target/process.h"

extern const struct wt_process_ops wt_gcn_process_ops;

/** The operation show_file of it. */
enum wt_status wt_gcn_show_file(struct wt_process *process, const char *program,
                                struct wt_error *err);
/** The operation answer_none of it. */
uint32_t wt_gcn_answer_none(const void *of_file, const struct wt_wire_request *request,
                            const void *more, void *out);

#endif
