#include <hip/hip_runtime.h>

__global__ void mark(int *out, const int *in)
{
    if (in[threadIdx.x] > 3)
        out[threadIdx.x] = 1;
}

int main()
{
    int *in, *out, here[64];
    hipMalloc(&in, sizeof here); /* must be filled */
    hipMalloc(&out, sizeof here);
    hipMemset(out, 0, sizeof here);
    mark<<<1, 64>>>(out, in);
    hipDeviceSynchronize();
    hipFree(in);
    hipFree(out);
}
