#include <hip/hip_runtime.h>

__global__ void add_one(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

int main()
{
    int *in, *out, here[64];
    hipMalloc(&in, sizeof here); /* must be filled */
    hipMalloc(&out, sizeof here);
    hipMemset(out, 0, sizeof here);
    add_one<<<1, 64>>>(out, in);
    hipMemcpy(here, out, sizeof here, hipMemcpyDeviceToHost);
    hipFree(in);
    hipFree(out);
}
