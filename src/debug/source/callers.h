/* The calls of lanes, for searches of the recorded run. See frames.c. */
#ifndef WT_DEBUG_SOURCE_CALLERS_H
#define WT_DEBUG_SOURCE_CALLERS_H

#include "debug/core/touches.h"

struct wt_modules;

/** Who finds calls by the frames of a lane, of code that is not the user's or has no line. The
 * modules must outlive it. */
struct wt_callers wt_callers_by_frames(const struct wt_modules *modules);

#endif
