/* attach [STATUS [fork]]: launches a kernel until it is told to end, by a line on its input, or the input's end. It prints
 * "ready" and where the results are, and at the end how many launches there were and how many of their results were wrong.
 * It ends with STATUS. With "fork" it has a child, which outlives it. */
#include <hip/hip_runtime.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vector>

__device__ __attribute__((noinline)) int twice_and(int a, int b)
{
    return a * 2 + b;
}

__global__ void busy(int *out, int round)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = twice_and(i, round);
}

int main(int argc, char **argv)
{
    const int n = 256;
    std::vector<int> host(n);
    int *out, wrong = 0, round = 0;
    if (hipMalloc(&out, n * sizeof *out) != hipSuccess)
        return 1;
    for (;; round++) {
        busy<<<n / 64, 64>>>(out, round);
        if (hipMemcpy(host.data(), out, n * sizeof *out, hipMemcpyDeviceToHost) != hipSuccess)
            return 1;
        for (int i = 0; i < n; i++)
            wrong += host[i] != i * 2 + round;
        if (round == 0 && argc > 2 && strcmp(argv[2], "fork") == 0 && fork() == 0)
            sleep(5), _exit(0);
        if (round == 0)
            printf("ready %p\n", (void *)out), fflush(stdout);
        pollfd in = {0, POLLIN, 0};
        if (poll(&in, 1, 1) > 0)
            break;
    }
    printf("%d launches, %d wrong\n", round + 1, wrong);
    return argc > 1 ? atoi(argv[1]) : 0;
}
