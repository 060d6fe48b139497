// Atomic operations on memory of the host that its threads may change, too: of the system's scope, and of the GPU's.
#include <cstdio>

#include <hip/hip_runtime.h>

__global__ void most(int *p)
{
    atomicMax_system(p, threadIdx.x); // of the system
    atomicMax(p + 1, threadIdx.x);
    atomicAdd_system(p + 2, threadIdx.x);
}

int main()
{
    int *p;
    if (hipHostMalloc(&p, 12, hipHostMallocCoherent) != hipSuccess)
        return 1;
    p[0] = p[1] = p[2] = 5;
    most<<<1, 64>>>(p);
    if (hipDeviceSynchronize() != hipSuccess)
        return 1;
    printf("%d %d %d\n", p[0], p[1], p[2]);
    return 0;
}
