/* A program for the console's tests: each group of a kernel reads the same word, on two GPUs. */
#include <hip/hip_runtime.h>
#include <stdio.h>

enum { GROUPS = 12, LANES = 64 };

__global__ void readers(const volatile int *in, int *out)
{
    out[blockIdx.x * LANES + threadIdx.x] = in[0] + (int)blockIdx.x;
}

int main()
{
    int host[GROUPS * LANES], *in, *out[2], sum = 0;
    if (hipHostMalloc(&in, sizeof *in) != hipSuccess)
        return 1;
    in[0] = 7;
    for (int i = 0; i < 2; i++)
        if (hipSetDevice(i) != hipSuccess || hipMalloc(&out[i], sizeof host) != hipSuccess)
            return 1;
    for (int i = 0; i < 2; i++)
        if (hipSetDevice(i) == hipSuccess)
            readers<<<GROUPS, LANES>>>(in, out[i]);
    for (int i = 0; i < 2; i++) {
        if (hipSetDevice(i) != hipSuccess || hipMemcpy(host, out[i], sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
            return 1;
        for (int k = 0; k < GROUPS * LANES; k++)
            sum += host[k];
    }
    printf("sum %d\n", sum);
    return 0;
}
