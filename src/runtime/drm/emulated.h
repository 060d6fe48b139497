/* An emulated Intel GPU behind the i915 driver, in a program's own process. */
#ifndef WT_DRM_EMULATED_H
#define WT_DRM_EMULATED_H

#include "runtime/drm/debugged.h"
#include "runtime/drm/i915.h"

/** The most that a process has: as many render nodes. */
enum { WT_DRM_MOST_GPUS = 8 };

/**
 * A device for the GPU that @p config describes. What programs do wrong is told on stderr. The
 * caller frees it with wt_drm_emulated_free.
 */
struct wt_drm_emulated;
enum wt_status wt_drm_emulated_new(const struct gen_config *config, struct wt_drm_emulated **gpu,
                                   struct wt_error *err);
void wt_drm_emulated_free(struct wt_drm_emulated *gpu);

/** After fork(), for which wt_i915_before_fork prepared: the child's GPU is idle. */
void wt_drm_emulated_after_fork(struct wt_drm_emulated *gpu, bool child);

/** Its driver. */
struct wt_i915 *wt_drm_emulated_driver(struct wt_drm_emulated *gpu);
/** Its side of debuggers. */
struct drm_debugged *wt_drm_emulated_debugged(struct wt_drm_emulated *gpu);

#endif
