/* For leaving.py, as HIP and as CUDA C++: launches a kernel until it is told to end by a line on its input, or the input's
 * end. It prints "ready", and at the end how many launches there were and how many of their results were not the host's. */
#ifdef __HIP__
#include <hip/hip_runtime.h>
#define API(name) hip##name
#define LINGERS 1
#else
#include <cuda_runtime.h>
#define API(name) cuda##name
#define LINGERS 0
#endif
#include <poll.h>
#include <stdio.h>
#include <vector>

enum { N = 512, GROUP = 128 };

__host__ __device__ __attribute__((noinline)) int weigh(int value, int by)
{
    int weighed = value * by + 70001;
    return weighed ^ (value & 0x12345);
}

__host__ __device__ int later(int sum, int turns)
{
    for (int k = 0; k < turns; k++)
        sum = weigh(sum, k + 3); // turn
    return sum;
}

__global__ void busy(int *out, int round)
{
    __shared__ int tile[GROUP];
    const int t = threadIdx.x, i = blockIdx.x * GROUP + t; // first
    tile[t] = weigh(i, round); // fill
    __syncthreads();
    int sum = tile[GROUP - 1 - t]; // sum
    sum = later(sum, (t & 3) + 2); // later
    out[i] = sum; // store
}

/* Waves that are there while debuggers come and go: they wait for the host. */
__global__ void linger(volatile int *go, int *out)
{
    int turns = 0;
    go[1] = 1;
    while (!*go)
        turns = weigh(turns, 3) | 1;
    out[threadIdx.x] = turns ? (int)threadIdx.x + 7 : 0;
}

int main()
{
    std::vector<int> host(N);
    int *out, *go, *late, wrong = 0, round = 0;
    API(Stream_t) stream;
    if (API(Malloc)((void **)&out, N * sizeof *out) || API(Malloc)((void **)&late, 64 * sizeof *late) ||
        API(HostAlloc)((void **)&go, 2 * sizeof *go, 0) || API(StreamCreateWithFlags)(&stream, 1))
        return 1;
    go[0] = go[1] = 0;
    if (LINGERS)
        linger<<<1, 64, 0, stream>>>(go, late);
    while (LINGERS && !((volatile int *)go)[1])
        ;
    for (;; round++) {
        busy<<<N / GROUP, GROUP>>>(out, round);
        if (int error = API(Memcpy)(host.data(), out, N * sizeof *out, API(MemcpyDeviceToHost))) {
            printf("launch %d: error %d\n", round, error);
            return 2;
        }
        for (int i = 0; i < N; i++) {
            const int t = i % GROUP;
            wrong += host[i] != later(weigh(i - t + GROUP - 1 - t, round), (t & 3) + 2);
        }
        if (round == 0)
            printf("ready\n"), fflush(stdout);
        pollfd in = {0, POLLIN, 0};
        if (poll(&in, 1, 1) > 0)
            break;
    }
    *go = 1;
    int seen[64];
    if (LINGERS && (API(StreamSynchronize)(stream) || API(Memcpy)(seen, late, sizeof seen, API(MemcpyDeviceToHost))))
        return 3;
    for (int i = 0; i < 64 && LINGERS; i++)
        wrong += seen[i] != i + 7;
    printf("%d launches, %d wrong\n", round + 1, wrong);
    return 0;
}
