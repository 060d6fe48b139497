/*
 * The writes to a range of memory in a target's recorded run, found by searching it backwards. The
 * search needs the history service and the watchpoint_hits service, and no probe.
 */
#ifndef WT_DEBUG_CORE_WRITES_H
#define WT_DEBUG_CORE_WRITES_H

#include "debug/core/debugger.h"

/** A search. The caller may read the first group of members at any time. */
struct wt_writes {
    struct wt_write *list; /**< the latest write first */
    size_t count;          /**< of list, at most `most` */
    uint64_t total;        /**< writes that were found, those beyond `most` included */
    bool more;             /**< once the search has ended: there are, or may be, more than the list
                                has */

    const struct wt_target *target;
    struct wt_watchpoint range;
    size_t most;
    bool all;              /**< the search goes on to the begin of the run */
    bool searching;        /**< a window is being searched */
    struct wt_write *ring; /**< the newest writes of the window */
    size_t ring_count, next;
    bool dropped;    /**< the ring has lost a write */
    bool any;        /**< the window has a write */
    uint64_t oldest; /**< issue time of the window's first write */
};

/**
 * Begins a search from where the device is for the last @p most (1 or more) writes to @p range;
 * with @p all it goes on to the begin of the run, which makes `total` the count of all writes. The
 * target must outlive the search. On failure nothing is left to free.
 */
enum wt_status wt_writes_begin(struct wt_writes *s, const struct wt_target *target,
                               const struct wt_watchpoint *range, size_t most, bool all,
                               struct wt_error *err);

/**
 * Searches on for about @p budget issues. WT_HISTORY_ON: call again. WT_HISTORY_FOUND: the search
 * has ended, the list may be empty, and the device stands somewhere in the past. WT_HISTORY_FAILED:
 * *err says why.
 */
enum wt_history_step wt_writes_on(struct wt_writes *s, uint64_t budget, struct wt_error *err);

/** Frees the list and the rest. */
void wt_writes_free(struct wt_writes *s);

#endif
