#include <hip/hip_runtime.h>

__global__ void fill(int *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) /* must be i < n */
        p[i] = i;
}

int main()
{
    int *p;
    hipMalloc(&p, 100 * sizeof(int));
    fill<<<2, 64>>>(p, 100);
    hipDeviceSynchronize();
    hipFree(p);
}
