/* The memory of the process after its end, for debuggers: the part that concerns all GPUs. */
#ifndef WT_RUNTIME_CUDA_FINAL_MEMORY_H
#define WT_RUNTIME_CUDA_FINAL_MEMORY_H

#include "runtime/common/final_memory.h"
#include "runtime/common/planted.h"

/** The memory that kernels leave, for after the program's end. */
struct wt_final_memory *cuda_final_memory(void);
/** The breakpoints of the debugger. */
struct wt_planted_list *cuda_planted(void);
/** Before memory is taken from a GPU. */
void cuda_final_unmap(uint64_t addr, uint64_t size);

#endif
