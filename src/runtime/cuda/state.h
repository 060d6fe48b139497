/* What the functions of libcuda share: one lock, one device, contexts, the error that stays. */
#ifndef WT_RUNTIME_CUDA_STATE_H
#define WT_RUNTIME_CUDA_STATE_H

#include <stdbool.h>

#include "runtime/cuda/gpu.h"

#define EXPORT __attribute__((visibility("default")))

struct CUmod_st {
    struct gpu_module module;
    struct CUfunc_st *function; /* those that were asked for */
};

struct CUfunc_st {
    struct CUmod_st *module;
    const struct sm_ptx_kernel *kernel;
    struct CUfunc_st *next;
};

/**
 * Takes the lock for a call that needs a device and, where @p context says so, a context of the
 * thread's. On any other result than CUDA_SUCCESS the lock is not taken: 3 before cuInit, 201
 * without a context, the error of an earlier kernel that has failed.
 */
CUresult state_enter(bool context, struct gpu **gpu);
/** Gives the lock back; the result is what the call returns. */
CUresult state_leave(CUresult result);
/** A kernel has failed: each call that needs the context gives this from now on. Under the lock. */
CUresult state_fail(CUresult result);

#endif
