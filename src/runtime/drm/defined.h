/*
 * What the host writes to buffers and gets from them, for --check=init (check/init.h). Intel's
 * runtimes copy by kernels, which the check follows, and by the host. Each function does nothing
 * where uninitialised values are not looked for.
 */
#ifndef WT_DRM_DEFINED_H
#define WT_DRM_DEFINED_H

#include "runtime/drm/order.h"

/** All @p size bytes of a new buffer have the values that the program gave. */
void drm_defined_buffer(const void *buffer, uint64_t size);
/** Object @p number of @p file has been given an address. */
void drm_defined_placed(const void *file, uint32_t number, uint64_t address);
/** A command has been enqueued. What it stores without loading is written; what it loads without
 * storing the host gets: now, if the call has waited (@p waits), or when the program waits next. */
void drm_defined_command(const struct drm_order_command *command, bool waits);
/** The program has waited for commands. */
void drm_defined_waited(void);

#endif
