/*
 * Accesses of a host program's kernels, for a program that uses the library: the drivers write them
 * to a pipe of the library's, one record by each write. Both ends are of one version of this
 * program: structs are sent as they lie in memory.
 */
#ifndef WT_OBJECT_OBSERVED_WIRE_H
#define WT_OBJECT_OBSERVED_WIRE_H

#include <assert.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/lanes.h"

/** The variable that names the switch and the pipe: two paths, with a blank between them. */
#define WT_OBSERVED_VARIABLE "WAVETRAP_OBSERVED"

/** The switch: a page in memory that both sides map. */
struct wt_observed_switch {
    atomic_bool on; /**< somebody wants accesses from now on */
};

/** An access (emulator/machine/observe.h), and its addresses: one for each of its lanes, the lowest
 * one's first. */
struct wt_observed_wire {
    uint64_t time, wave, pc;
    uint64_t lanes[2];
    uint8_t kind, space, scalar, size;
    uint32_t reserved; /**< 0 */
    uint64_t at[WT_MAX_LANES];
};
static_assert(sizeof(struct wt_observed_wire) <= PIPE_BUF, "a write is a whole record");

#endif
