#include <cuda_runtime.h>
#include <cstdio>

__global__ void fill(int *p)
{
    p[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *p;
    cudaMallocManaged(&p, 64 * sizeof(int));
    fill<<<1, 64>>>(p);
    /* must wait by cudaDeviceSynchronize() */
    printf("%d\n", p[63]);
    cudaFree(p);
}
