/* Kernels and their variables, which checks tell apart (check/names.h). */
#ifndef WT_RUNTIME_I915_VARIABLES_H
#define WT_RUNTIME_I915_VARIABLES_H

#include "check/memory.h"

struct drm_debugged;
struct wt_i915_mapping;

/**
 * Before a kernel begins: lists the kernels of a GPU, and their constants, for checks, if these are
 * wanted and the lists have changed. @p kernel: the address of the one that begins, which sees @p
 * mappings.
 */
void drm_names_list(struct drm_debugged *debugged, uint64_t kernel,
                    const struct wt_i915_mapping *mappings, size_t count);
/** Finds variables of groups' memory, and constants, by the kernels' debug information; @p context
 * is a struct drm_debugged. */
wt_check_variable_fn drm_variable;

#endif
