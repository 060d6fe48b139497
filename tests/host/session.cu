// Kernels of cuda_session.c, as clang makes PTX of them. What they store says what their variables must be.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

struct pair {
    int first;
    float second;
};

__device__ int scale = 2;

extern "C" __device__ int weigh(int value, int by)
{
    int weighed = value * by; // weigh
    return weighed + 1;
}

extern "C" __global__ void fill(int *out, int round)
{
    __shared__ int tile[64];
    int t = __nvvm_read_ptx_sreg_tid_x(); // first line of fill
    int i = __nvvm_read_ptx_sreg_ctaid_x() * 64 + t;
    struct pair mine = {10 * t, 0.5f * t};
    tile[t] = 100 * round + t;
    __syncthreads();
    int sum = tile[63 - t] + mine.first; // tile is filled
    out[i] = weigh(sum, scale);          // store
}

extern "C" __global__ void stray(int *out)
{
    out[0] = 1;
    *(int *)64 = 2; // stray store
}

extern "C" __global__ void both(int *out)
{
    if (__nvvm_read_ptx_sreg_ctaid_x() == 0)
        out[0] = 1; // of the first block
    else
        *(int *)64 = 2; // of the second block
}

extern "C" __global__ void spin(volatile int *out)
{
    while (!out[0]) // spin
        ;
    out[1] = 7;
}
