/* What kernels in CUDA C++ need of a header, for clang without NVIDIA's. */
#ifndef PTX_TEST_CUDA_H
#define PTX_TEST_CUDA_H

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
};
#include <__clang_cuda_builtin_vars.h>

#define __syncthreads() __nvvm_barrier0()
#define FULL 0xffffffffu

#endif
