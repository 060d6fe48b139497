/* The process's memory as a debugger of its GPUs sees it. */
#ifndef WT_RUNTIME_KFD_DEBUGGER_MEMORY_H
#define WT_RUNTIME_KFD_DEBUGGER_MEMORY_H

#include "runtime/kfd/host.h"

/**
 * Copies @p size bytes of memory to @p bytes (@p out), or from there into memory; false where there
 * is none. @p addr is an address of GPUs, else of the process. All GPUs are entered.
 */
bool host_debugger_copy(struct host *host, uint64_t addr, uint8_t *bytes, size_t size, bool out);
/**
 * Copies the process's memory to @p bytes as one GPU finds it; false where there is none. The GPU
 * is entered, and its recording has no copy of the memory.
 */
bool host_gpu_copy(struct host_gpu *gpu, uint64_t addr, uint8_t *bytes, size_t size);
/**
 * host_gpu_copy() of the GPU @p gpu, a struct host_gpu, without the debugger's breakpoints: a
 * wt_final_read_fn.
 */
bool host_gpu_read_plain(void *gpu, uint64_t addr, uint8_t *bytes, size_t size);

#endif
