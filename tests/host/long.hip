// A kernel that runs until the host lets it end, which it does when a line comes on its standard input. All of its 128 waves must
// be on the GPU at once: at -O0 their registers leave room for 80, and it waits for ever (-g gfx900:cu=8 has room).
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <string.h>

__global__ void waits(volatile int *end, int *arrived, int *out)
{
    __shared__ int all;
    if (threadIdx.x == 64)
        atomicAdd(arrived, 1);
    if (threadIdx.x == 5) {
        atomicAdd(arrived, 1);
        while (!*end) // lane 5 of the first wave
            __builtin_amdgcn_s_sleep(1);
        all = 1;
    }
    __syncthreads(); // the second wave waits here
    out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

int main(int argc, char **argv)
{
    char line[100];
    int *end, *arrived, *out, value = 0;
    if (hipHostMalloc(&end, sizeof *end, 0) || hipHostMalloc(&arrived, sizeof *arrived, 0) || hipMalloc(&out, 64 * 128 * sizeof *out))
        return 2;
    *end = *arrived = 0;
    if (argc > 1 && !strcmp(argv[1], "idle")) {
        if (hipDeviceSynchronize())
            return 3;
    } else {
        waits<<<64, 128>>>(end, arrived, out);
        while (*(volatile int *)arrived != 128) // both waves of all blocks
            ;
    }
    printf("running\n");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 4;
    *end = 1;
    if (hipMemcpy(&value, out + 64 * 128 - 1, sizeof value, hipMemcpyDeviceToHost))
        return 5;
    printf("value %d\n", value);
}
