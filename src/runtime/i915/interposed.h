/*
 * For functions of the preloaded library that stand before a runtime's functions of the same names:
 * opencl.c, level_zero.c.
 */
#ifndef WT_RUNTIME_I915_INTERPOSED_H
#define WT_RUNTIME_I915_INTERPOSED_H

#include <stdbool.h>

/**
 * The runtime's own function @p name; NULL if the program has not loaded @p library, which is a
 * file name such as "libOpenCL.so.1".
 */
void *drm_next_function(const char *library, const char *name);

/** Whether the program has called one of the functions: one that gets them from the runtime's own
 * library by dlsym() does not. */
bool drm_calls_are_seen(void);

/** Whether the program has one GPU. Several have an address space each, and the runtimes do not say
 * to which one the address of a kernel belongs. */
bool drm_has_one_gpu(void);

/** At the end of the process: reports handles that were not released (opencl/handles.c). */
void drm_handles_report(void);

#endif
