/*
 * The launch of a kernel as options describe it: what is the same in each family whose programs
 * are kernels.
 */
#ifndef WT_TARGET_LAUNCH_H
#define WT_TARGET_LAUNCH_H

#include "runtime/common/value.h"
#include "target/emulated.h"

/**
 * Work-items of the grid (--grid) and of a work-group (--block; without it 64 in a row), a group no
 * larger than the grid. WT_INVALID without --grid.
 */
enum wt_status wt_launch_shape(const struct wt_kernel_options *options, uint32_t grid[3],
                               uint32_t block[3], struct wt_error *err);

/** An argument as the program describes it. */
struct wt_launch_argument {
    const char *name; /**< "" if it is not known */
    enum wt_value_kind kind;
    size_t size; /**< bytes that it has among the kernel's arguments */
};

/** Describes argument @p index of a kernel of the family. */
typedef struct wt_launch_argument (*wt_launch_argument_fn)(const void *kernel, size_t index);

/**
 * Parses --arg for the @p count arguments of a kernel, which is called @p name in messages.
 * WT_INVALID lists what the kernel takes if other than @p count are given. The caller frees *value,
 * which has *value_count of them, with wt_launch_free_values, also on failure.
 */
enum wt_status wt_launch_read_values(const struct wt_emulated_options *options, const char *name,
                                     const void *kernel, size_t count,
                                     wt_launch_argument_fn argument, struct wt_value **value,
                                     size_t *value_count, struct wt_error *err);

/** Frees values; NULL and 0 are none. */
void wt_launch_free_values(struct wt_value *value, size_t count);

/**
 * The coordinates in the grid of work-item @p number of a group, which counts along x, then y, then
 * z. The last groups of a row may be smaller than @p block.
 */
void wt_launch_work_item(const uint32_t grid[3], const uint32_t block[3], const uint32_t group[3],
                         uint32_t number, uint64_t item[3]);

#endif
