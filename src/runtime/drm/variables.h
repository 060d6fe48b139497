/* Kernels and their variables, which checks tell apart (check/names.h). */
#ifndef WT_DRM_VARIABLES_H
#define WT_DRM_VARIABLES_H

#include "check/memory.h"

struct drm_debugged;

/** Lists the kernels of a GPU for checks, if these are wanted and the list has changed. */
void drm_names_list(struct drm_debugged *debugged);
/** Finds variables of groups' memory, by the kernels' debug information; @p context is a struct
 * drm_debugged. */
wt_check_variable_fn drm_variable;

#endif
