/* Contexts of libcuda, for the files that set something for one. */
#ifndef WT_RUNTIME_CUDA_CONTEXT_H
#define WT_RUNTIME_CUDA_CONTEXT_H

#include "runtime/cuda/state.h"

/** The flags that a context may have. */
#define CONTEXT_FLAGS 0xffu

struct CUctx_st {
    struct CUctx_st *next; /* next of all there are */
    CUdevice device;
    unsigned flags;
    CUresult failed;    /* failed of a kernel */
    CUfunc_cache cache; /* what the program prefers; there is no cache to be shared out */
    uint64_t id;        /* no other context has had it */
};

/** A new context of a device; NULL without host memory. The caller holds the lock, as below. */
struct CUctx_st *context_new(CUdevice number, unsigned flags);
/** The error of a kernel after which a device has no new context; CUDA_SUCCESS: it may have one. */
CUresult context_refused(CUdevice number);
/** Devices have new contexts again. For tests that stand for several programs in one process. */
void context_forget_failures(void);
/** Ends a context from which all was taken that is its own; the thread's may be the next one. Its
 * handle is no other's later. */
void context_free(struct CUctx_st *context);

#endif
