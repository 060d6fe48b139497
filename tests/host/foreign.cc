// An atomic of a runtime's header, of a value that nothing has written: compiled as CUDA and as HIP.
#ifdef __HIP__
#include <hip/hip_runtime.h>
#define cudaMalloc hipMalloc
#define cudaFree hipFree
#define cudaDeviceSynchronize hipDeviceSynchronize
#else
#include <cuda_runtime.h>
#endif
static __device__ void bump(int *of, int by)
{
    atomicAdd(of, by); /* here */
}
__global__ void count(int *out, int n)
{
    __shared__ int mine[64];
    if ((int)threadIdx.x < n)
        mine[threadIdx.x] = 0; /* the others are not cleared */
    __syncthreads();
    bump(out + threadIdx.x, mine[threadIdx.x]);
}
int main()
{
    int *out;
    cudaMalloc((void **)&out, 256);
    count<<<1, 64>>>(out, 63);
    (void)cudaDeviceSynchronize();
    (void)cudaFree(out);
    return 0;
}
