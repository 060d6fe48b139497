/* Setting waves of the device going. See resume.c. */
#ifndef WT_DEBUG_CORE_RESUME_H
#define WT_DEBUG_CORE_RESUME_H

#include "debug/core/state.h"

/** Begins a run: each thread of the list does its part. The list has been checked. */
enum wt_status dbg_begin_live(struct wt_debugger *d, const struct wt_resume *list, size_t count,
                              struct wt_error *err);

#endif
