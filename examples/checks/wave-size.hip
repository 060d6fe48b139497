#include <hip/hip_runtime.h>

__global__ void rotate(int *out, const int *in)
{
    int mine = in[threadIdx.x];
    out[threadIdx.x] = __shfl(mine, (threadIdx.x + 1) & 31); /* 32 lanes? A gfx900's waves have 64 */
}

int main()
{
    int *in, *out, here[64] = {1};
    hipMalloc(&in, sizeof here);
    hipMalloc(&out, sizeof here);
    hipMemcpy(in, here, sizeof here, hipMemcpyHostToDevice);
    rotate<<<1, 64>>>(out, in);
    hipMemcpy(here, out, sizeof here, hipMemcpyDeviceToHost);
    hipFree(in);
    hipFree(out);
}
