// The kernel of vectors.c.
#define __global__ __attribute__((global))
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };
#include <__clang_cuda_builtin_vars.h>

extern "C" __global__ void add(float *sum, const float *a, const float *b, int n)
{
    int block = blockIdx.x, thread = threadIdx.x;
    int i = block * 64 + thread;
    if (i < n)
        sum[i] = a[i] + b[i];
}
