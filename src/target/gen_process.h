/* Host programs on Gen9 (OpenCL) as targets of a debugger. */
#ifndef WT_TARGET_GEN_PROCESS_H
#define WT_TARGET_GEN_PROCESS_H

#include "target/process.h"

extern const struct wt_process_ops wt_gen_process_ops;

#endif
