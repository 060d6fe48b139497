/* Arrays of libcuda: rows of texels in device memory. */
#ifndef WT_RUNTIME_CUDA_ARRAY_H
#define WT_RUNTIME_CUDA_ARRAY_H

#include "runtime/cuda/state.h"

struct CUarray_st {
    struct gpu *gpu;
    uint64_t owner; /* id of its context */
    struct CUarray_st *next;
    CUDA_ARRAY3D_DESCRIPTOR what;
    uint64_t address, pitch, slice; /* bytes from row to row, from slice or layer to the next */
    bool is_level;                  /* it is a level of a mipmapped array, which owns the memory */
};

/** Whether a handle is an array that there is. The caller holds the lock. */
bool array_is(CUarray array);
/** Bytes of a component of a format; 0: there is no such format. */
unsigned array_format_bytes(CUarray_format format);

#endif
