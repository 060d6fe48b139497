#include <cuda_runtime.h>

__global__ void reverse(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    /* must wait by __syncthreads() */
    out[threadIdx.x] = s[63 - threadIdx.x];
}

int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    reverse<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
