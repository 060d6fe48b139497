#include <hip/hip_runtime.h>

__global__ void set(int *p)
{
    p[threadIdx.x] = 1;
}

int main()
{
    int *p;
    hipMalloc(&p, 64 * sizeof(int));
    hipFree(p);
    set<<<1, 64>>>(p);
    hipDeviceSynchronize();
}
