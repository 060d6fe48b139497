/* The host's monotonic clock, for time limits. Emulated devices have issue time instead. */
#ifndef WT_BASE_CLOCK_H
#define WT_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Nanoseconds since an arbitrary moment; never goes back. */
static inline uint64_t wt_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/** Milliseconds of the same clock. */
static inline int64_t wt_clock_ms(void)
{
    return (int64_t)(wt_clock_ns() / 1000000u);
}

#endif
