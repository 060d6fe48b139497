#include <hip/hip_runtime.h>

__global__ void swap(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 48) /* must not be here */
        __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}

int main()
{
    int *out;
    hipMalloc(&out, 64 * sizeof(int));
    swap<<<1, 64>>>(out);
    hipDeviceSynchronize();
    hipFree(out);
}
