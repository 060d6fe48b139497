/*
 * What the kernels of a host program did, counted over all its processes: for `exec` with --stats,
 * --require-launches, --fault-exit or --timeout. `exec` makes the tally; the drivers in the program
 * and in its children count in it.
 */
#ifndef WT_RUNTIME_COMMON_TALLY_H
#define WT_RUNTIME_COMMON_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wavetrap/error.h"

/** The variable that `exec` sets: the file that all processes of the program map. */
#define WT_TALLY_VARIABLE "WAVETRAP_TALLY"

/** The families whose kernels host programs launch, in the order of their drivers in `exec`. */
enum wt_tally_family { WT_TALLY_GFX900, WT_TALLY_GEN9, WT_TALLY_SM, WT_TALLY_FAMILIES };

enum { WT_TALLY_TEXT = 240 };

/** Counts of one family. */
struct wt_tally_gpu {
    _Atomic uint64_t launches;  /**< kernels of the program that began */
    _Atomic uint64_t own;       /**< kernels of the GPU's runtime: copies, fills, constructors */
    _Atomic uint64_t issues;    /**< instructions that waves executed */
    _Atomic uint64_t refused;   /**< launches that were refused */
    _Atomic uint64_t faults;    /**< kernels that a fault ended */
    atomic_bool has_reason;     /**< `reason` is taken by a process */
    atomic_bool reason_whole;   /**< and is written */
    char reason[WT_TALLY_TEXT]; /**< of the first launch that was refused */
};

struct wt_tally {
    struct wt_tally_gpu gpu[WT_TALLY_FAMILIES];
    atomic_bool over; /**< the program's time is over: who runs a kernel reports and ends */
};

/**
 * Makes a tally and sets WT_TALLY_VARIABLE for the programs that this process starts. Only this
 * process keeps its file: the tally goes with the last process that has it mapped. NULL: see *err.
 */
struct wt_tally *wt_tally_create(struct wt_error *err);

/** In a driver: the counts of a family; NULL if nobody counts. The first call reads the variable.
 */
struct wt_tally_gpu *wt_tally_of(enum wt_tally_family family);
/** In a driver: a launch was refused; @p why says of which kernel, and why. */
void wt_tally_refused(enum wt_tally_family family, const char *why);
/** In a driver: a fault has ended a kernel. */
void wt_tally_fault(enum wt_tally_family family);
/** In a driver: whether the program's time is over. */
bool wt_tally_over(void);

#endif
