#include <hip/hip_runtime.h>

__global__ void copy(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x];
}

int main()
{
    int *in, *out, here[64];
    hipMalloc(&in, sizeof here); /* must be filled */
    hipMalloc(&out, sizeof here);
    hipMemset(out, 0, sizeof here);
    copy<<<1, 64>>>(out, in);
    hipDeviceSynchronize();
    hipFree(in);
    hipFree(out);
}
