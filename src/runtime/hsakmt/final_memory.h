/*
 * The memory that a program's kernels leave, for a debugger that shows it after the program's end:
 * what GPUs may use when the program ends, and what it has freed since its latest kernel began,
 * since most programs free all that they have.
 */
#ifndef WT_RUNTIME_HSAKMT_FINAL_MEMORY_H
#define WT_RUNTIME_HSAKMT_FINAL_MEMORY_H

#include "runtime/hsakmt/host.h"

/** A debugger wants it; false without host memory. All GPUs are entered. */
bool host_final_want(struct host *host);
/** Nobody does. All GPUs are entered, or are no more. */
void host_final_forget(struct host *host);
/** [addr, addr + size) is about to be taken from the GPU, which is entered. */
void host_final_unmap(struct host_gpu *gpu, uint64_t addr, uint64_t size);
/** A kernel begins on the GPU, which is entered: what was freed before is not kept any longer. */
void host_final_kernel(struct host_gpu *gpu);

/** A piece of it. */
struct host_final_piece {
    uint64_t addr, length;
    size_t size; /**< of the bytes: `length`, or 0: all are zero */
};

/**
 * The first piece at or behind @p from; false if there is none. Its bytes, @p most at most (a
 * multiple of HOST_PAGE), come to @p bytes. Pieces are asked for from 0 on. All GPUs are entered.
 */
bool host_final_next(struct host *host, uint64_t from, uint8_t *bytes, size_t most,
                     struct host_final_piece *piece);

#endif
