// Maxima in memory of the host that its threads may change, too: of the system's scope, which LLVM 17 makes of compare-and-swap, and of the GPU's.
#include <cstdio>

#include <hip/hip_runtime.h>

__global__ void most(int *p)
{
#ifdef __gfx942__
    asm volatile("global_atomic_smax %0, %1, off sc1\n s_waitcnt vmcnt(0)" ::"v"(p), "v"((int)threadIdx.x) : "memory"); // of the system
#endif
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
