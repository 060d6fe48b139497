/*
 * The report on a program's buffer objects, for `wavetrap gem`: while the program runs through a
 * Unix socket, and as a recording of each batch in a file.
 */
#ifndef WT_RUNTIME_I915_REPORT_H
#define WT_RUNTIME_I915_REPORT_H

#include "runtime/i915/i915.h"

/** Gives the driver of GPU @p index; NULL: there is none. Called from the report's own thread. */
typedef struct wt_i915 *wt_gem_find(unsigned index);

/**
 * Starts to answer requests for the report in this process, once. Without a folder for sockets
 * nobody can ask.
 */
void wt_gem_report_start(wt_gem_find *find);

#endif
