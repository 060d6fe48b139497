/*
 * Functions that stand before those of HIP and libgomp in a program that is checked (exec --check):
 * they call these, and tell the driver (checks.h) what the program has asked for. A library of its
 * own, which is preloaded; the driver may not be loaded yet, or never.
 */
#ifndef WT_RUNTIME_HSAKMT_CALLS_H
#define WT_RUNTIME_HSAKMT_CALLS_H

#include <stdint.h>

#include "runtime/hsakmt/checks.h"

/** The driver's part; NULL: it is not loaded, or the calling function is called by another of
 * these: the runtime's own calls are no calls of the program. */
const struct host_checks *calls_checks(void);
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
