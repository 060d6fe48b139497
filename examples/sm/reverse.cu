// Reverses 64 numbers through shared memory. It has a mistake, which docs/sm-tutorial.md finds.
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };
#include <__clang_cuda_builtin_vars.h>

extern "C" __global__ void reverse(int *out, const int *in)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
    out[t] = tile[63 - t];
}
