/* Shared by opencl.c and opencl_calls.c. */
#ifndef WT_RUNTIME_OPENCL_OPENCL_H
#define WT_RUNTIME_OPENCL_OPENCL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/opencl/handles.h"

enum {
    DRM_OPENCL_INVALID_COMMAND_QUEUE = -36,
    DRM_OPENCL_INVALID_KERNEL = -48,
    DRM_OPENCL_INVALID_OPERATION = -59,
};

/** The status of a call that has used a handle; a failure is reported, if that is checked. The
 * handle that it says is invalid was perhaps released before. */
int drm_opencl_used(const char *by, int status, const void *handle);
/** Whether a call that uses a handle of @p kind may be made; false: it was released before, which
 * is reported. */
bool drm_opencl_has(const char *by, const void *handle, enum drm_handle_kind kind);
/** The status of a call that may have made an event, at @p event (NULL: none). */
int drm_opencl_enqueued(const char *by, int status, void *event);
/** Notes an object that a call has made and the program must release, and returns it; @p size:
 * bytes of memory, 0: it is none. NULL: @p error is the status of the call, which has used
 * @p of. */
void *drm_opencl_made(const char *by, void *made, uint64_t size, const int *error, const void *of);

#endif
