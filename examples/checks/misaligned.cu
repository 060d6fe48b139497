#include <cuda_runtime.h>

__global__ void read(int *out, const char *bytes)
{
    *out = *(const int *)(bytes + 2);
}

int main()
{
    int *out;
    char *bytes;
    cudaMalloc(&out, sizeof(int));
    cudaMalloc(&bytes, 64);
    read<<<1, 1>>>(out, bytes);
    cudaDeviceSynchronize();
    cudaFree(bytes);
    cudaFree(out);
}
