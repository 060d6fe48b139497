#include <cuda_runtime.h>

__global__ void neighbour(int *out, int i)
{
    __shared__ int one[32], two[32];
    one[threadIdx.x] = two[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = one[threadIdx.x + i] + two[threadIdx.x];
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    neighbour<<<1, 32>>>(out, 1); /* lane 31 reads two[0] */
    cudaDeviceSynchronize();
    cudaFree(out);
}
