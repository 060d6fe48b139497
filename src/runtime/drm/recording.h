/* The recording of a Gen9 GPU (runtime/common/recording.h), as this driver does it. */
#ifndef WT_DRM_RECORDING_H
#define WT_DRM_RECORDING_H

#include "runtime/drm/debugged.h"

/** The operations of a recording whose GPU is a struct drm_debugged. */
extern const struct wt_recording_ops drm_recording_ops;

#endif
