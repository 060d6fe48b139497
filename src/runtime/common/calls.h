/*
 * Functions that stand before those of HIP and libgomp in a program that is checked (exec --check):
 * they call these, and tell a driver (host_checks.h) what the program has asked for. Each driver
 * has a library of them, which is preloaded; CALLS_DRIVER is the driver's file. It may not be
 * loaded yet, or never. A function of one library may stand before the same one of another.
 */
#ifndef WT_RUNTIME_COMMON_CALLS_H
#define WT_RUNTIME_COMMON_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/common/host_checks.h"

/** The driver's part; NULL: it is not loaded, or the calling function is called by another of
 * these: the runtime's own calls are no calls of the program. */
const struct wt_host_checks *calls_checks(void);
/** Looks up *function, unless that was done: the function @p name that this library stands before,
 * of the library whose file is @p library. False: there is none. */
bool calls_look_up(void *_Atomic *function, const char *name, const char *library);
/** Likewise, for a pointer to a function. */
#define CALLS_LOOK_UP(function, name, library)                                                     \
    calls_look_up((void *_Atomic *)&(function), name, library)

/** How many of @p size bytes at @p p the function @p by may access; mistakes are reported. Memory
 * of the host alone is not judged. */
size_t calls_judged(const void *p, size_t size, enum wt_access access, const char *by);
/** How many bytes it may copy, likewise. */
size_t calls_copied(const void *to, const void *from, size_t size, const char *by);

/** How many of these functions the calling thread is in. */
extern _Thread_local unsigned calls_depth;

/** A pointer as an address. */
static inline uint64_t calls_address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

#endif
