/*
 * The order of a program's threads, for --check=race (check/order.h): a library that is
 * preloaded sees the calls of POSIX threads (host_threads.c) and says them to each driver.
 */
#ifndef WT_RUNTIME_COMMON_HOST_EDGES_H
#define WT_RUNTIME_COMMON_HOST_EDGES_H

#include <stdint.h>

struct wt_order;

/** A driver's part: functions of check/order.h, of the calling thread. */
struct wt_host_edges {
    void (*leave_at)(const void *object);
    void (*take_from)(const void *object);
    void (*forget_at)(const void *object);
    void (*thread_ends)(void);
};

/** The number of the calling thread: 0 for the first one, and for threads that the program has not
 * made. */
typedef uint32_t wt_host_thread_fn(void);
/** The function of the preloaded library: says all edges to a driver from now on. */
typedef wt_host_thread_fn *wt_host_threads_fn(const struct wt_host_edges *edges);
#define WT_HOST_THREADS_NAME "wavetrap_host_threads"

/** Follows the edges of the program's threads, if the library is there. */
void wt_host_edges_follow(struct wt_order *order);
/** The calling thread's number, 0 while nobody follows. */
uint32_t wt_host_thread(void);

#endif
