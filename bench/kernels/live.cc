/* A program for live.py and recording.py: LAUNCHES launches of BLOCKS blocks of THREADS threads (256),
 * whose loop has ROUNDS rounds. */
#include <cstdio>
#include <cstdlib>
#ifdef __HIP__
#include <hip/hip_runtime.h>
#define GPU(x) hip##x
#else
#define GPU(x) cuda##x
#endif

__global__ void work(unsigned *data, unsigned rounds)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = i;
    for (unsigned k = 0; k < rounds; k++)
        v = v * 1664525u + (v >> 7) + k; // step
    data[i] = v; // end
}

int main(int argc, char **argv)
{
    const unsigned blocks = atoi(argv[1]), launches = atoi(argv[2]), rounds = atoi(argv[3]);
    const unsigned threads = argc > 4 ? atoi(argv[4]) : 256;
    unsigned *data, first = 0;
    if (GPU(Malloc)((void **)&data, 4ul * blocks * threads))
        return 1;
    for (unsigned i = 0; i < launches; i++)
        work<<<blocks, threads>>>(data, rounds);
    if (GPU(DeviceSynchronize)() || GPU(Memcpy)(&first, data, 4, GPU(MemcpyDeviceToHost)))
        return 1;
    printf("%u\n", first);
    return 0;
}
