/*
 * Counts of the kernels of a host program, over all its processes: for `exec` with --stats,
 * --require-launches, --fault-exit or --timeout. `exec` makes the tally; the drivers in the program
 * and in its children count in it.
 */
#ifndef WT_RUNTIME_COMMON_TALLY_H
#define WT_RUNTIME_COMMON_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "emulator/machine/near.h"
#include "object/process_wire.h"
#include "base/error.h"

/** The variable that `exec` sets: the file that all processes of the program map. */
#define WT_TALLY_VARIABLE "WAVETRAP_TALLY"

enum { WT_TALLY_TEXT = 240 };

/** The name of an instruction; `whole` when it has been written. */
struct wt_tally_near {
    atomic_bool whole;
    char name[WT_NEAR_NAME];
};

/** Counts of one family. */
struct wt_tally_gpu {
    _Atomic uint64_t launches;  /**< kernels of the program that began */
    _Atomic uint64_t own;       /**< kernels of the GPU's runtime: copies, fills, constructors */
    _Atomic uint64_t issues;    /**< instructions that waves executed */
    _Atomic uint64_t blocks;    /**< blocks of instructions that were translated */
    _Atomic uint64_t in_blocks; /**< issues in them */
    _Atomic uint64_t dealt;     /**< kernels that were dealt out to processes (apart.h) */
    _Atomic uint64_t undone;    /**< kernels whose processes' work was thrown away */
    _Atomic uint64_t refused;   /**< launches that were refused */
    _Atomic uint64_t faults;    /**< kernels that a fault ended */
    atomic_bool has_reason;     /**< `reason` is taken by a process */
    atomic_bool reason_whole;   /**< and is written */
    char reason[WT_TALLY_TEXT]; /**< reason of the first launch that was refused */
    atomic_bool has_models;     /**< `models` is taken by a process */
    char models[40];            /**< names of its GPUs' models; "": the driver's name stands */
    _Atomic uint32_t nears;     /**< how many of `near` processes have taken; more are not kept */
    /** Instructions executed whose results may differ from hardware's; one may be there twice. */
    struct wt_tally_near near[WT_NEAR_MOST];
};

struct wt_tally {
    struct wt_tally_gpu gpu[WT_WIRE_FAMILIES]; /**< wt_tally_place() */
    atomic_bool over; /**< the program's time is over: who runs a kernel reports and ends */
};

/** The place in a tally of a family, by its number: WT_WIRE_FAMILY(n). */
static inline unsigned wt_tally_place(uint32_t family)
{
    return family / WT_WIRE_FAMILY(1) - 1;
}

/**
 * Makes a tally and sets WT_TALLY_VARIABLE for the programs that this process starts. Only this
 * process keeps its file: the tally goes with the last process that has it mapped. NULL: see *err.
 */
struct wt_tally *wt_tally_create(struct wt_error *err);

/** In a driver: the counts of a family (WT_WIRE_FAMILY()); NULL if nobody counts. The first call
 * reads the variable.
 */
struct wt_tally_gpu *wt_tally_of(uint32_t family);
/** In a driver: counts kernels that began, and issues of waves. */
void wt_tally_add(uint32_t family, uint64_t launches, uint64_t issues);
struct wt_rows_totals;
/** In a driver: counts what a GPU has translated, and issues in it, since @p counted, which becomes
 * @p now. */
void wt_tally_translated(uint32_t family, struct wt_rows_totals now,
                         struct wt_rows_totals *counted);
/** In a driver: a launch was refused; @p why says of which kernel, and why. */
void wt_tally_refused(uint32_t family, const char *why);
/** In a driver: the names of its GPUs' models; those of the first process are told. */
void wt_tally_models(uint32_t family, const char *models);
/** In a driver: instructions that its device has executed (machine/near.h). */
void wt_tally_near(uint32_t family, const struct wt_near *near);
/** In a driver: a fault has ended a kernel. */
void wt_tally_fault(uint32_t family);
/** In a driver: whether the program's time is over. */
bool wt_tally_over(void);

#endif
