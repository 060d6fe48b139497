/* An emulated Intel GPU behind the i915 driver, in a program's own process. */
#ifndef WT_RUNTIME_I915_EMULATED_H
#define WT_RUNTIME_I915_EMULATED_H

#include "runtime/i915/debugged.h"
#include "runtime/i915/i915.h"

/** The most that a process has: as many render nodes. */
enum { WT_DRM_MOST_GPUS = GEN_WIRE_GPUS };

/** An emulated GPU with its driver. */
struct wt_drm_emulated;

/**
 * Makes the GPU of the process after @p before (NULL: the first one), which @p config describes.
 * Mistakes of programs are reported on stderr. The caller frees *gpu with wt_drm_emulated_free.
 */
enum wt_status wt_drm_emulated_new(const struct gen_config *config,
                                   const struct wt_drm_emulated *before,
                                   struct wt_drm_emulated **gpu, struct wt_error *err);
/** Frees the GPU, its driver and its device. NULL is allowed. */
void wt_drm_emulated_free(struct wt_drm_emulated *gpu);

/**
 * After fork(), which wt_i915_before_fork has prepared, in the parent or the @p child, whose GPU is
 * idle.
 */
void wt_drm_emulated_after_fork(struct wt_drm_emulated *gpu, bool child);

/** Writes lines about all that waits, of all GPUs of the process, of which @p gpu is one. */
void wt_drm_emulated_tell_waiting(struct wt_drm_emulated *gpu, FILE *out);
/** The GPU's driver, which belongs to it. */
struct wt_i915 *wt_drm_emulated_driver(struct wt_drm_emulated *gpu);
/** The GPU's state for debuggers, which belongs to it. */
struct drm_debugged *wt_drm_emulated_debugged(struct wt_drm_emulated *gpu);

#endif
