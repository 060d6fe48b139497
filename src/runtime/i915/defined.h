/*
 * Bytes that the host writes to buffers and gets from them, for --check=init (check/init.h).
 * Intel's runtimes copy by kernels, which the check follows, and by the host. Each function does
 * nothing where uninitialised values are not looked for.
 */
#ifndef WT_RUNTIME_I915_DEFINED_H
#define WT_RUNTIME_I915_DEFINED_H

#include "runtime/i915/buffers.h"

struct wt_call_stack;

/** All @p size bytes of a new buffer have the values that the program gave. */
void drm_defined_buffer(const void *buffer, uint64_t size);
/** Object @p number of @p file has an address from now on; 0: it has none. */
void drm_defined_placed(const void *file, uint32_t number, uint64_t address);
/** A command has been enqueued by function @p by; @p calls have made it, NULL: the caller. What it
 * stores without loading is written; what it loads without storing the host gets: now, if the call
 * has waited (@p waits), or when the program waits next. */
void drm_defined_command(const struct drm_part *from, const struct drm_part *to, const char *by,
                         const struct wt_call_stack *calls, bool waits);
/** The program has waited for commands. */
void drm_defined_waited(void);

#endif
