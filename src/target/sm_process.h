/* Host programs on SMs (CUDA driver API, OpenMP, OpenACC) as targets of a debugger. */
#ifndef WT_TARGET_SM_PROCESS_H
#define WT_TARGET_SM_PROCESS_H

#include "target/process.h"

extern const struct wt_process_ops wt_sm_process_ops;

#endif
