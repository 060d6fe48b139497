#include <hip/hip_runtime.h>

__global__ void most(int *p, int n)
{
    if ((int)threadIdx.x < n)
        atomicMax(p, (int)threadIdx.x);
}

int main()
{
    int *p;
    hipHostMalloc(&p, sizeof *p);
    *p = 0;
    most<<<1, 64>>>(p, 40);
    hipDeviceSynchronize();
    hipHostFree(p);
}
