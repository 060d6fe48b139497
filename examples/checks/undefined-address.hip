#include <hip/hip_runtime.h>

__global__ void scatter(int *out, const int *in)
{
    out[in[threadIdx.x] & 63] = 1;
}

int main()
{
    int *in, *out, here[64];
    hipMalloc(&in, sizeof here); /* must be filled */
    hipMalloc(&out, sizeof here);
    hipMemset(out, 0, sizeof here);
    scatter<<<1, 64>>>(out, in);
    hipDeviceSynchronize();
    hipFree(in);
    hipFree(out);
}
