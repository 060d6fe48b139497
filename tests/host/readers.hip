/* A program for the console's tests: each group of a kernel reads the same word. */
#include <hip/hip_runtime.h>
#include <stdio.h>

enum { GROUPS = 12, LANES = 64 };

__global__ void readers(const volatile int *in, int *out)
{
    out[blockIdx.x * LANES + threadIdx.x] = in[0] + (int)blockIdx.x;
}

int main()
{
    const int seven = 7;
    int host[GROUPS * LANES], *in, *out, sum = 0;
    if (hipMalloc(&in, sizeof seven) != hipSuccess || hipMalloc(&out, sizeof host) != hipSuccess ||
        hipMemcpy(in, &seven, sizeof seven, hipMemcpyHostToDevice) != hipSuccess)
        return 1;
    readers<<<GROUPS, LANES>>>(in, out);
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
        return 1;
    for (int i = 0; i < GROUPS * LANES; i++)
        sum += host[i];
    printf("sum %d\n", sum);
    return 0;
}
