/* The endpoint of a host process for debuggers of its Gen9 GPU. */
#ifndef WT_DRM_ENDPOINT_H
#define WT_DRM_ENDPOINT_H

#include "runtime/drm/emulated.h"

/** Gives GPU @p index; NULL: there is none. Called from the endpoint's own thread. */
typedef struct wt_drm_emulated *wt_drm_find(unsigned index);

/**
 * Listens for debuggers in this process, once, when its first GPU has come into being: @p gpu, the
 * one that can be debugged. Without a folder for sockets no debugger can come.
 */
void wt_drm_endpoint_start(wt_drm_find *find, struct wt_drm_emulated *gpu);

/** Stops listening, so that the GPU may be freed. No walk may wait for a debugger. */
void wt_drm_endpoint_stop(void);

#endif
