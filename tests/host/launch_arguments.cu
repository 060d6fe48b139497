// One launch on each GPU, whose arguments tell the GPU; for HIP, too.
#ifdef __HIP__
#include <hip/hip_runtime.h>
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaSetDevice hipSetDevice
#define cudaMalloc hipMalloc
#define cudaDeviceSynchronize hipDeviceSynchronize
#else
#include <cuda_runtime.h>
#endif

struct P {
    int a;
    float b;
    long c;
    short d[3];
};

__global__ void k(int *out, P p, int n, char small)
{
    __shared__ int rest[32];
    int i = threadIdx.x;
    rest[i] = n + i; // store
    n *= 3;
    __syncthreads();
    out[i] = p.a + n + small + rest[0] + p.d[1];
}

int main()
{
    int count = 0, *out;
    cudaGetDeviceCount(&count);
    for (int d = 0; d < count; d++) {
        cudaSetDevice(d);
        cudaMalloc((void **)&out, 128);
        P p = {5 + d, 6, -6, {1, 2, -3}};
        k<<<1, 32>>>(out, p, 7 + d, -3);
        if (cudaDeviceSynchronize())
            return 1;
    }
}
