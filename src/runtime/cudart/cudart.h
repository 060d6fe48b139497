/*
 * libcudart: the CUDA runtime API over libcuda's public functions, for CUDA C++ programs that clang
 * or nvcc has compiled (docs/cuda-cpp.md). The library is built once for each major version, with
 * the layouts and parameters of its CUDART_VERSION. This header declares what its files share: the
 * device of a thread, the thread's last error, the kernels and variables of the program.
 */
#ifndef WT_RUNTIME_CUDART_CUDART_H
#define WT_RUNTIME_CUDART_CUDART_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "wavetrap/cuda.h"

/* Programs find some functions here by names that no header declares. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define EXPORT __attribute__((visibility("default")))

/* ---- error.c ---- */

/** Returns @p error, which becomes the thread's last error unless it is cudaSuccess. */
cudaError_t cudart_result(cudaError_t error);
/** As cudart_result, for a result of the driver, whose numbers are the runtime's. */
cudaError_t cudart_of(CUresult result);

/* ---- device.c ---- */

/**
 * Makes a context of the thread's device current, where none is: what nearly every call does first.
 * Any other result than CUDA_SUCCESS is what the call is to return.
 */
CUresult cudart_enter(void);

/** A function of the runtime that passes its parameters on to one of the driver's. */
#define FORWARD(name, parameters, call) FORWARD_AFTER(cudart_enter(), name, parameters, call)
/** Likewise for functions of the driver that need no context. */
#define FORWARD_INIT(name, parameters, call) FORWARD_AFTER(cuInit(0), name, parameters, call)
#define FORWARD_AFTER(begin, name, parameters, call)                                               \
    EXPORT cudaError_t name parameters                                                             \
    {                                                                                              \
        const CUresult result = begin;                                                             \
        return cudart_of(result ? result : call);                                                  \
    }
/** The number of the thread's device. */
int cudart_device(void);
/** Most GPUs that there can be. */
enum { CUDART_GPUS = 16 };

/* ---- program.c ---- */

/** Finds the kernel that stands for a function of the host, on the thread's device. */
CUresult cudart_function(const void *host, CUfunction *function);
/** The function of the host that stands for a kernel; NULL: none. */
const void *cudart_host(CUfunction function);
/** Whether an address is that of a __managed__ variable. */
bool cudart_is_managed(const void *address);
/**
 * Finds the variable that stands for one of the host, on the thread's device: its address and
 * bytes.
 */
CUresult cudart_variable(const void *host, CUdeviceptr *address, size_t *bytes);

/* ---- texture.c ---- */

/** Makes the driver's description of a copy. 1: it describes none. */
cudaError_t cudart_copy(const struct cudaMemcpy3DParms *copy, CUDA_MEMCPY3D *to);

#endif
