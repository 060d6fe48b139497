// Three launches: no call orders the last two, and the host reads what the last one writes.
#include <cuda_runtime.h>

__global__ void fill(int *p, int value)
{
    p[threadIdx.x] = value;
}

__global__ void sum(const int *p, int *out)
{
    atomicAdd(out, p[threadIdx.x]);
}

int main()
{
    int *p, *out;
    cudaStream_t a, b;
    cudaMalloc(&p, 256);
    cudaMalloc(&out, 4);
    cudaMemset(out, 0, 4);
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    fill<<<1, 64, 0, a>>>(p, 1);
    cudaStreamSynchronize(a);
    fill<<<1, 64, 0, a>>>(p, 2);
    sum<<<1, 64, 0, b>>>(p, out);
    cudaDeviceSynchronize();
    return 0;
}
