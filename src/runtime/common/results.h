/*
 * What a program's allocations on GPUs hold when they are freed, or at the program's end, as a
 * number for `explore`: a sum over all allocations, which a file has that all processes of the
 * program change.
 */
#ifndef WT_RUNTIME_COMMON_RESULTS_H
#define WT_RUNTIME_COMMON_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The file's path; not set: nobody asks. */
#define WT_RESULTS_VARIABLE "WAVETRAP_RESULTS"

/** Whether somebody asks. */
bool wt_results_are_wanted(void);
/** Reads memory of a space (objects.h); false where some of it is not there. */
typedef bool wt_results_read_fn(const void *space, uint64_t addr, uint8_t *bytes, size_t size);
/** How memory is read of spaces other than the process's own. */
void wt_results_set_read(wt_results_read_fn *read);
/** Counts the allocations that are there, each once: the program ends, or closes its GPUs and may
 * open them again. */
void wt_results_end(void);

#endif
