#include <hip/hip_runtime.h>

__global__ void total(int *out, const int *in)
{
    atomicAdd(out, in[threadIdx.x]);
}

int main()
{
    int *in, *out, here[64];
    hipMalloc(&in, sizeof here); /* must be filled */
    hipMalloc(&out, sizeof here);
    hipMemset(out, 0, sizeof here);
    total<<<1, 64>>>(out, in);
    hipDeviceSynchronize();
    hipFree(in);
    hipFree(out);
}
