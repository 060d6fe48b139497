// A host program: each work-item of two groups stores twice its number.
#include <hip/hip_runtime.h>
#include <stdio.h>

__global__ void twice(int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = 2 * i;
    to[i] = value;
}

int main()
{
    int *there, here[128];
    if (hipMalloc(&there, sizeof here) != hipSuccess)
        return 1;
    twice<<<2, 64>>>(there);
    if (hipMemcpy(here, there, sizeof here, hipMemcpyDeviceToHost) != hipSuccess)
        return 1;
    printf("%d\n", here[127]);
    return 0;
}
