/*
 * The launch of a kernel as options describe it: what is the same in each family whose programs
 * are kernels.
 */
#ifndef WT_TARGET_LAUNCH_H
#define WT_TARGET_LAUNCH_H

#include "runtime/common/value.h"
#include "target/emulated.h"

/** An argument as the program describes it. */
struct wt_launch_argument {
    const char *name; /**< "" if it is not known */
    enum wt_value_kind kind;
    size_t size; /**< bytes that it has among the kernel's arguments */
};

/** Describes argument @p index of a kernel of the family. */
typedef struct wt_launch_argument (*wt_launch_argument_fn)(const void *kernel, size_t index);

/**
 * Fills in e->launch by the options: its shape, and the values of --arg for the @p count arguments
 * of a kernel, which is called @p name in messages. WT_INVALID lists what the kernel takes if other
 * than @p count are given. wt_launch_free() frees what it is given, also on failure.
 */
enum wt_status wt_launch_describe(const struct wt_emulated *e, const char *name, const void *kernel,
                                  size_t count, wt_launch_argument_fn argument,
                                  struct wt_error *err);

/** Frees the values and the handlers of a launch. */
void wt_launch_free(struct wt_kernel_launch *launch);

#endif
