#include <cuda_runtime.h>

__global__ void meet(int *out)
{
    asm volatile("bar.sync 1, 128;" ::: "memory"); /* must be 64 */
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
