/*
 * The breakpoints that a debugger has in the memory of a host process: they are taken out when it
 * goes without doing that, and are not in what it keeps of the memory (core files, the memory after
 * the end). Any thread may call these functions; the debugger's are called by one.
 */
#ifndef WT_RUNTIME_COMMON_PLANTED_H
#define WT_RUNTIME_COMMON_PLANTED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WT_PLANTED_BYTES 8

/** A breakpoint: bytes of code under a mask. */
struct wt_planted_one {
    uint64_t addr;
    uint32_t size; /**< 1 to WT_PLANTED_BYTES */
    uint8_t mask[WT_PLANTED_BYTES];
    uint8_t trap[WT_PLANTED_BYTES];     /**< under the mask */
    uint8_t original[WT_PLANTED_BYTES]; /**< under the mask */
};

/** Its members are planted.c's own. */
struct wt_planted_list {
    pthread_mutex_t lock;
    struct wt_planted_one *one;
    size_t count, capacity;
};

/** Its initial value: there are none. */
#define WT_PLANTED_NONE                                                                            \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/** Copies memory to @p bytes (@p out), or from there into memory; false where there is none. */
typedef bool wt_planted_copy_fn(void *context, uint64_t addr, uint8_t *bytes, size_t size,
                                bool out);

/** Before a debugger writes memory: forgets breakpoints that are no longer there then. */
void wt_planted_written(struct wt_planted_list *list, uint64_t addr, const uint8_t *bytes,
                        size_t size);
/** Notes a breakpoint, unless it is known; without host memory it is not noted. */
void wt_planted_add(struct wt_planted_list *list, const struct wt_planted_one *one);
/** Forgets all breakpoints, and frees the list. */
void wt_planted_forget(struct wt_planted_list *list);
/** Writes all breakpoints to memory (@p on), or takes them out, where the code is as expected. */
void wt_planted_set(struct wt_planted_list *list, bool on, wt_planted_copy_fn *copy, void *context);
/** Takes the breakpoints out of a copy of the memory at @p addr. */
void wt_planted_lift(struct wt_planted_list *list, uint64_t addr, uint8_t *bytes, size_t size);

#endif
