/*
 * The end of a host program, for reports of what it has left.
 */
#ifndef WT_RUNTIME_COMMON_AT_END_H
#define WT_RUNTIME_COMMON_AT_END_H

#include <stddef.h>

/* Of the C++ ABI, which no header of libc declares. */
int __cxa_atexit(void (*function)(void *), void *argument, void *library);

/**
 * Calls @p function after the destructors of all libraries, which may free what it looks at; to be
 * called by a constructor of a preloaded library. Destructors run at the loader's end, and a
 * function that is registered before the program begins runs after that.
 */
static inline void wt_at_end(void (*function)(void *))
{
    __cxa_atexit(function, NULL, NULL);
}

#endif
