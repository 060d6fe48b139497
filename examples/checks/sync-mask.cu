#include <cuda_runtime.h>

__global__ void vote(int *out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __any_sync(0xffffffff, threadIdx.x == 3); /* must be 0xffff */
    out[threadIdx.x] += 1;
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    vote<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
