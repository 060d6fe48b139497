/*
 * The allocator of kernels: functions of the code that GPUs run, which give out parts of blocks.
 * What they give out are objects. Their own accesses are not judged. A process has one list of
 * them, which any thread may use.
 */
#ifndef WT_CHECK_HEAP_H
#define WT_CHECK_HEAP_H

#include <stdbool.h>
#include <stdint.h>

enum wt_allocator { WT_NO_ALLOCATOR, WT_ALLOCATES, WT_FREES };

/** A driver has loaded a function of an allocator. */
void wt_allocator_at(const void *space, uint64_t addr, uint64_t size, enum wt_allocator what);
/** The function that an instruction is in; *begins: it is the first one. */
enum wt_allocator wt_allocator_of(const void *space, uint64_t pc, bool *begins);

#endif
