#include <cuda_runtime.h>

__global__ void stage(int *out, const int *in)
{
    __shared__ int s[32];
    const unsigned to = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
    /* must wait by cp.async.wait_all */
    out[threadIdx.x] = s[threadIdx.x];
    asm volatile("cp.async.wait_all;" ::: "memory");
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 32 * sizeof(int));
    cudaMalloc(&out, 32 * sizeof(int));
    stage<<<1, 32>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
