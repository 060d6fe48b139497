/* The memory of a host process after its end, which the process gives out before it goes
 * (object/final_wire.h). The same for all families. */
#ifndef WT_DEBUG_PROCESS_FINAL_MEMORY_H
#define WT_DEBUG_PROCESS_FINAL_MEMORY_H

#include "debug/process/connection.h"

/** Takes over @p bytes of memory, which are malloc'ed; NULL: all @p size are zero. False: no more
 * is wanted. */
typedef bool wt_process_piece_fn(void *context, uint64_t addr, uint8_t *bytes, uint64_t size);

/**
 * After the process has said that it ends: gives the memory of GPU @p device to @p found, in the
 * order of addresses. Nothing is found of a process that was told of no debugger's interest, or was
 * killed.
 */
void wt_process_final_memory(const struct wt_connection *connection, uint32_t device,
                             wt_process_piece_fn *found, void *context);

#endif
