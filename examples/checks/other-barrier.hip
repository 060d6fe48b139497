#include <hip/hip_runtime.h>

__global__ void swap(int *out)
{
    __shared__ int s[128];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 64) {
        out[threadIdx.x] = 1;
        __syncthreads();
        out[threadIdx.x] += s[threadIdx.x ^ 64];
    } else {
        __syncthreads(); /* must be that of the others */
        out[threadIdx.x] = s[threadIdx.x ^ 64];
    }
}

int main()
{
    int *out;
    hipMalloc(&out, 128 * sizeof(int));
    swap<<<1, 128>>>(out);
    hipDeviceSynchronize();
    hipFree(out);
}
