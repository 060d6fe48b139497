#include <hip/hip_runtime.h>

__global__ void spread(int *out)
{
    int value = threadIdx.x;
    if (threadIdx.x < 16)
        value = __shfl(value, 20); /* must be below 16 */
    out[threadIdx.x] = value;
}

int main()
{
    int *out;
    hipMalloc(&out, 64 * sizeof(int));
    spread<<<1, 64>>>(out);
    hipDeviceSynchronize();
    hipFree(out);
}
