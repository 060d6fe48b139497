/* Waves of many groups write one word, each its own value, at the same time. */
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void writers(volatile int *out)
{
    if (threadIdx.x == 5)
        out[1] = blockIdx.x + 1;
}

int main()
{
    int *out, last;
    if (hipMalloc((void **)&out, 256) != hipSuccess || hipMemset(out, 0, 256) != hipSuccess)
        return 1;
    writers<<<12, 64>>>(out);
    if (hipMemcpy(&last, out + 1, sizeof last, hipMemcpyDeviceToHost) != hipSuccess)
        return 1;
    printf("%s\n", last > 0 && last <= 12 ? "written" : "not written");
    return 0;
}
