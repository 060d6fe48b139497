/* The words by which CUDA C++ says where code and data are. */
#ifndef WAVETRAP_HOST_DEFINES_H
#define WAVETRAP_HOST_DEFINES_H
/* By this one Thrust knows that the words are there. */
#define __HOST_DEFINES_H__

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
/* clang 19 has the attribute `managed` for HIP only. A __device__ variable is two: one of the
 * host's, one of each GPU's. By the section, which PTX does not have, libcudart knows the host's
 * that the GPUs are to use, too. */
#define __managed__ __attribute__((device)) __attribute__((section("cuda_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
/* A parameter that is constant has one value for all threads in any case. */
#define __grid_constant__
#else
#define __host__
#define __device__
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define CUDART_CB

#endif
