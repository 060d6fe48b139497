/* The process's memory as a debugger of its GPUs sees it. */
#ifndef WT_RUNTIME_HSAKMT_DEBUGGER_MEMORY_H
#define WT_RUNTIME_HSAKMT_DEBUGGER_MEMORY_H

#include "runtime/hsakmt/host.h"

/** Copies memory out to @p bytes, or in from there; false where there is none. An address is one
 * of GPUs, else of the process. All GPUs are entered. */
bool host_debugger_copy(struct host *host, uint64_t addr, uint8_t *bytes, size_t size, bool out);
/** Copies the process's memory as one GPU finds it, which is entered, and whose recording has no
 * copy of it. */
bool host_gpu_copy(struct host_gpu *gpu, uint64_t addr, uint8_t *bytes, size_t size);

#endif
