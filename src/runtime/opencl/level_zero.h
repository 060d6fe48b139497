/* Shared by level_zero.c and level_zero_lists.c. */
#ifndef WT_RUNTIME_OPENCL_LEVEL_ZERO_H
#define WT_RUNTIME_OPENCL_LEVEL_ZERO_H

#include <stdint.h>

#define DRM_ZE_LIBRARY "libze_loader.so.1"
enum { DRM_ZE_UNINITIALIZED = 0x78000001 };

/** The status of a call; a failure is reported, if that is checked. ZE_RESULT_NOT_READY is none. */
int drm_ze_returned(const char *by, int status);
/** A kernel is about to be launched, or appended to a list: notes the local memory that it asks
 * for. Returns its address; 0: memory is not checked, or it is not known. */
uint64_t drm_ze_launching(void *kernel);

#endif
