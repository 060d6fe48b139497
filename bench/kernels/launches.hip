/* `launches KERNELS ROUNDS`: so many launches of a kernel, one after the other, each with a loop of so many rounds. */
#include <cstdlib>
#include <hip/hip_runtime.h>

__global__ void work(unsigned *data, unsigned rounds)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = data[i];
    for (unsigned k = 0; k < rounds; k++)
        value = value * 1664525 + (value >> 7) + k;
    data[i] = value;
}

int main(int argc, char **argv)
{
    unsigned *data;
    if (argc != 3 || hipMalloc(&data, 4096 * 4) != hipSuccess || hipMemset(data, 0, 4096 * 4) != hipSuccess)
        return 1;
    for (int i = 0; i < atoi(argv[1]); i++) {
        work<<<16, 256>>>(data, (unsigned)atoi(argv[2]));
        if (hipDeviceSynchronize() != hipSuccess)
            return 1;
    }
    return 0;
}
