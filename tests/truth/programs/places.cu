/* For hosts.py: places THREADS LAUNCHES GROUPS BLOCK CALLS FACTOR CELLS. Each host thread launches a kernel some times in a stream of its
 * own. Each work-item stores values that name thread, launch, work-item and call. HIP, and CUDA. */
#ifdef __HIP__
#include <hip/hip_runtime.h>
#define cudaStream_t hipStream_t
#define cudaStreamCreate hipStreamCreate
#define cudaMalloc hipMalloc
#define cudaMemset hipMemset
#define cudaSetDevice hipSetDevice
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaStreamSynchronize hipStreamSynchronize
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int number[8];

__device__ __attribute__((noinline)) void f(int key, int value, int *to)
{
    int before = to[key];
    to[key] = value; /* store */
    before = before + 1;
}

__global__ void k(int *to, int first, int calls, int factor, int cells)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < calls; i++) {
        int key = (b * calls + i) * factor % cells;
        f(key, (first + b) * 16 + i + 1, to); /* call */
        key = key + i;
    }
}

static void *launch(void *argument)
{
    const int t = (int)(long)argument, launches = number[1], items = number[2] * number[3];
    int gpus = 1, *to;
    cudaStream_t stream;
    cudaGetDeviceCount(&gpus);
    cudaSetDevice(t % gpus);
    cudaStreamCreate(&stream);
    cudaMalloc(&to, 4 * number[6]);
    cudaMemset(to, 0, 4 * number[6]);
    for (int l = 0; l < launches; l++)
        k<<<number[2], number[3], 0, stream>>>(to, (t * launches + l) * items, number[4], number[5], number[6]);
    cudaStreamSynchronize(stream);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread[8];
    for (int i = 0; i < 7; i++)
        number[i] = i + 1 < argc ? atoi(argv[i + 1]) : 1;
    for (long t = 0; t < number[0]; t++)
        pthread_create(&thread[t], 0, launch, (void *)t);
    for (int t = 0; t < number[0]; t++)
        pthread_join(thread[t], 0);
    puts("done");
    return 0;
}
