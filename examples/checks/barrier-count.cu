#include <cuda_runtime.h>

__global__ void meet(int *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 96;" ::: "memory"); /* must be 64 */
    else
        asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    meet<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
