/* launches DEVICES COUNT [stray] [late] [child] [many]: COUNT launches, one after the other, over the devices in turn. The last is
 * of the kernel `last`, the others are of `mark`. Each stores its number; with "stray" the last one stores where no memory is. With
 * "late" it waits for a line before the last launch. With "child" a child does it all, and the parent nothing but wait for it. With
 * "many" the launches before the last have 600 groups: more than there are at a time. */
#ifdef __HIP__
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>
#define hipSetDevice cudaSetDevice
#define hipMalloc cudaMalloc
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipSuccess cudaSuccess
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void mark(int *out, int number)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = number; /* store of mark */
    if (blockIdx.x == 590)
        out[0] = number; /* the group is late */
}

__global__ void last(int *out, int number)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x == 2)
        out[i] = number; /* store of last */
}

static bool is_asked(int argc, char **argv, const char *word)
{
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    const int devices = atoi(argv[1]), count = atoi(argv[2]);
    const int groups = is_asked(argc, argv, "many") ? 600 : 4;
    int *out[16], status = 0;
    if (is_asked(argc, argv, "child") && fork())
        return wait(&status) < 0 || !WIFEXITED(status) ? 1 : WEXITSTATUS(status);
    for (int d = 0; d < devices; d++)
        if (hipSetDevice(d) != hipSuccess || hipMalloc(&out[d], 64 * sizeof(int) * groups) != hipSuccess)
            return 1;
    for (int number = 1; number <= count; number++) {
        const int d = (number - 1) % devices;
        if (hipSetDevice(d) != hipSuccess)
            return 1;
        if (number < count) {
            mark<<<groups, 64>>>(out[d], number);
        } else {
            if (is_asked(argc, argv, "late"))
                printf("ready %d\n", (int)getpid()), fflush(stdout), getchar();
            last<<<4, 64>>>(is_asked(argc, argv, "stray") ? nullptr : out[d], number);
        }
        if (hipDeviceSynchronize() != hipSuccess)
            return 2;
    }
    printf("%d launches\n", count);
    return 0;
}
