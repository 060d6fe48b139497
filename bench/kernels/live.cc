/* A program for live.py: LAUNCHES launches of BLOCKS blocks of 256 threads, whose loop has ROUNDS
 * rounds. */
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
    unsigned *data, first = 0;
    if (GPU(Malloc)((void **)&data, blocks * 1024))
        return 1;
    for (unsigned i = 0; i < launches; i++)
        work<<<blocks, 256>>>(data, rounds);
    if (GPU(DeviceSynchronize)() || GPU(Memcpy)(&first, data, 4, GPU(MemcpyDeviceToHost)))
        return 1;
    printf("%u\n", first);
    return 0;
}
