/* Copies between memory of the host, of GPUs and arrays, for the functions of libcuda. */
#ifndef WT_RUNTIME_CUDA_COPY_H
#define WT_RUNTIME_CUDA_COPY_H

#include "runtime/cuda/checks.h"
#include "runtime/cuda/state.h"

/** One end of a copy: memory of the host, or of the GPU that has the address. */
struct copy_end {
    uint8_t *host;                  /**< NULL: of a GPU */
    uint64_t address, pitch, slice; /**< bytes from row to row, from slice to slice */
    bool seen; /**< memory of the host by a kernel's address: it must not be left */
};

/** Memory of the host. */
struct copy_end copy_host_end(const void *host);
/**
 * Memory by an address of the device. Memory of the host that kernels can access has the same
 * address for them. The caller holds the lock.
 */
struct copy_end copy_device_end(uint64_t address);
/**
 * Copies @p depth slices of @p height rows of @p bytes. Rows that overlap within a copy are the
 * caller's error, as with NVIDIA's driver. CUDA_ERROR_INVALID_VALUE: an end leaves its allocation;
 * CUDA_ERROR_OUT_OF_MEMORY. The caller holds the lock.
 */
CUresult copy_box(const struct copy_end *to, const struct copy_end *from, uint64_t bytes,
                  uint64_t height, uint64_t depth);
/** Does what cuMemcpy3D is documented to do; it takes the lock. */
CUresult copy_3d(const CUDA_MEMCPY3D *copy, CUstream stream);

#endif
