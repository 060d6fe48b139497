// Pi, summed up on the GPU: a row of numbers in each thread, one sum in each block.
#include <cuda_runtime.h>
#include <stdio.h>

constexpr int N = 100000, THREADS = 64;

__global__ void sum(float *to)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    float mine = 0;
    for (int i = blockIdx.x * THREADS + t; i < N; i += gridDim.x * THREADS) {
        float x = (i + 0.5f) / N;
        mine += 4 / (1 + x * x);
    }
    part[t] = mine;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        to[blockIdx.x] = part[0];
}

int main()
{
    constexpr int BLOCKS = 16;
    float *sums, all = 0;
    cudaMallocManaged(&sums, BLOCKS * sizeof(float));
    sum<<<BLOCKS, THREADS>>>(sums);
    cudaError_t error = cudaDeviceSynchronize();
    for (int block = 0; block < BLOCKS; block++)
        all += sums[block];
    printf("%.4f (%s)\n", all / N, cudaGetErrorString(error));
    cudaFree(sums);
    return error != cudaSuccess;
}
