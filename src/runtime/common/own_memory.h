/* This process's memory, accessed through the kernel: memory that is not there, or that the program
 * gives back meanwhile, is a failure and no signal. */
#ifndef WT_RUNTIME_COMMON_OWN_MEMORY_H
#define WT_RUNTIME_COMMON_OWN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Copies memory at @p addr to @p bytes (@p out), or from there into memory. Returns how many bytes
 * were copied, from the first one on.
 */
size_t wt_own_memory_copy(uint64_t addr, uint8_t *bytes, size_t size, bool out);
/** Copies all of @p size bytes to @p bytes; false where some of them are not there. */
bool wt_own_memory_read(uint64_t addr, uint8_t *bytes, size_t size);

#endif
