/* Host programs on Vortex, for debuggers. */
#ifndef WT_TARGET_VORTEX_PROCESS_H
#define WT_TARGET_VORTEX_PROCESS_H

#include "debug/vortex/vortex.h"
#include "target/process.h"

/** The family's part of a struct wt_process, which begins with its connection. */
struct wt_vortex_process {
    struct wt_process_link link; /**< first */
    struct wt_fault fault;       /**< as last told */
    struct wt_watchpoint_hit *hit;
};

struct vortex_work;

/** A warp's work, for the probe. */
struct wt_vortex_work wt_vortex_work_of(const struct vortex_work *work);

extern const struct wt_process_ops wt_vortex_process;

#endif
