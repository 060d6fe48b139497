// Prints the order in which work-groups come to an atomic.
#include <hip/hip_runtime.h>
#include <cstdio>

enum { GROUPS = 24 };

__global__ void come(int *next, int *order)
{
    if (threadIdx.x == 0)
        order[atomicAdd(next, 1)] = blockIdx.x;
}

__global__ void nothing() { }

int main()
{
    int *device, order[1 + GROUPS];
    hipMalloc(&device, sizeof order);
    for (int turn = 0; turn < 2; turn++) {
        hipMemset(device, 0, sizeof order);
        nothing<<<1, 64>>>(); // the turns of the next kernel do not go on behind it
        hipDeviceSynchronize();
        come<<<GROUPS, 64>>>(device, device + 1);
        hipMemcpy(order, device, sizeof order, hipMemcpyDeviceToHost);
        for (int i = 1; i <= GROUPS; i++)
            std::printf("%d ", order[i]);
    }
    hipFree(device);
    std::puts("");
}
