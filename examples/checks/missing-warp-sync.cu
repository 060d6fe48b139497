#include <cuda_runtime.h>

__global__ void swap(int *out)
{
    __shared__ volatile int s[32];
    s[threadIdx.x] = threadIdx.x;
    /* must wait by __syncwarp() */
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    swap<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
