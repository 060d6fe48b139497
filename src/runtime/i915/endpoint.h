/* The endpoint of a host process for debuggers of its Gen9 GPUs. */
#ifndef WT_RUNTIME_I915_ENDPOINT_H
#define WT_RUNTIME_I915_ENDPOINT_H

#include "runtime/i915/emulated.h"

/**
 * Listens for debuggers in this process, once, when its GPUs have come into being: @p count of
 * them, which @p gpus lists, 1 to WT_DRM_MOST_GPUS. Without a folder for sockets no debugger can
 * come.
 */
void wt_drm_endpoint_start(struct wt_drm_emulated *const *gpus, unsigned count);

#endif
