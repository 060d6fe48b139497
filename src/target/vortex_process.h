/* Host programs on Vortex, for debuggers. */
#ifndef WT_TARGET_VORTEX_PROCESS_H
#define WT_TARGET_VORTEX_PROCESS_H

#include "target/process.h"

/** The family's part of a struct wt_process, which begins with its connection. */
struct wt_vortex_process {
    struct wt_process_link link; /**< first */
    struct wt_fault fault;       /**< as last told */
    struct wt_watchpoint_hit *hit;
};

extern const struct wt_process_ops wt_vortex_process;

#endif
