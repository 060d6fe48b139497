/*
 * Functions that stand before those of HIP and libgomp in a program that is checked (exec --check):
 * they call these, and tell a driver (host_checks.h) what the program has asked for. Each driver
 * has a library of them, which is preloaded; CALLS_DRIVER is the driver's file. It may not be
 * loaded yet, or never. A function of one library may stand before the same one of another.
 */
#ifndef WT_RUNTIME_COMMON_CALLS_H
#define WT_RUNTIME_COMMON_CALLS_H

#include <stdint.h>

#include "runtime/common/host_checks.h"

/** The driver's part; NULL: it is not loaded, or the calling function is called by another of
 * these: the runtime's own calls are no calls of the program. */
const struct wt_host_checks *calls_checks(void);
/** The function that this library stands before; NULL: there is none. */
void *calls_next(const char *name, const char *library);

/** How many of these functions the calling thread is in. */
extern _Thread_local unsigned calls_depth;

/** A pointer as an address. */
static inline uint64_t calls_address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

#endif
