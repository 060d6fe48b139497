/* Sets of addresses as sorted ranges that do not touch, in several address spaces. */
#ifndef WT_EMULATOR_MACHINE_SPANS_H
#define WT_EMULATOR_MACHINE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** All addresses from first to last, both included. */
struct wt_span {
    uint64_t space;
    uint64_t first, last;
};

struct wt_spans {
    struct wt_span *span;
    size_t count, capacity;
};

/** Adds a range; false without host memory. wt_spans_sort() must follow before any look-up. */
bool wt_spans_add(struct wt_spans *spans, uint64_t space, uint64_t first, uint64_t last);

/** Sorts the ranges, and joins those that overlap or touch. */
void wt_spans_sort(struct wt_spans *spans);

/** Whether the sorted set has any address from @p first to @p last of @p space. */
bool wt_spans_meet(const struct wt_spans *spans, uint64_t space, uint64_t first, uint64_t last);

/** Frees the ranges; *spans is empty then. */
void wt_spans_free(struct wt_spans *spans);

#endif
