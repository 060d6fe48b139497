/*
 * The memory that a program's kernels leave, for a debugger that shows it after the program's end:
 * memory that GPUs may use then, and memory that was freed since the latest kernel began (most
 * programs free all that they have).
 */
#ifndef WT_RUNTIME_HSAKMT_FINAL_MEMORY_H
#define WT_RUNTIME_HSAKMT_FINAL_MEMORY_H

#include "runtime/hsakmt/host.h"

/**
 * Begins to keep memory that is freed, for a debugger; false without host memory. All GPUs are
 * entered.
 */
bool host_final_want(struct host *host);
/** Frees what is kept, and keeps nothing more. All GPUs are entered, or do not exist any more. */
void host_final_forget(struct host *host);
/**
 * Keeps the contents of [addr, addr + size), which is about to be taken from the GPU. The GPU is
 * entered.
 */
void host_final_unmap(struct host_gpu *gpu, uint64_t addr, uint64_t size);
/** Drops the memory that was freed before a kernel that begins on the GPU. The GPU is entered. */
void host_final_kernel(struct host_gpu *gpu);

/** A piece of it. */
struct host_final_piece {
    uint64_t addr, length;
    size_t size; /**< of the bytes: `length`, or 0: all are zero */
};

/**
 * Finds the first piece at or behind @p from; false if there is none. Its bytes, at most @p most (a
 * multiple of HOST_PAGE), are copied to @p bytes. Pieces are asked for in order, from 0 on. All
 * GPUs are entered.
 */
bool host_final_next(struct host *host, uint64_t from, uint8_t *bytes, size_t most,
                     struct host_final_piece *piece);

#endif
