/* Contexts of libcuda, for the files that set something for one. */
#ifndef WT_RUNTIME_CUDA_CONTEXT_H
#define WT_RUNTIME_CUDA_CONTEXT_H

#include "runtime/cuda/state.h"

struct CUctx_st {
    struct CUctx_st *next; /* of all there are */
    CUdevice device;
    unsigned flags;
    CUresult failed;      /* of a kernel */
    CUfunc_cache cache;   /* what the program prefers; there is no cache to be shared out */
    CUsharedconfig banks; /* likewise: shared memory has no banks */
    uint64_t id;          /* no other context has had it */
};

#endif
