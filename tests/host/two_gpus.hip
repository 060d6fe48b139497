/* A program with kernels on two GPUs at once, for debuggers. It prints what each has computed. */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <vector>

__global__ void mark(int *out, int device, int round)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 1000 * device + i + 10000 * round; /* store */
}

int main()
{
    const int n = 128;
    int *out[2];
    for (int round = 0; round < 2; round++) {
        for (int d = 0; d < 2; d++) {
            if (hipSetDevice(d) || (round == 0 && hipMalloc(&out[d], n * sizeof(int))))
                return 1;
            mark<<<n / 64, 64>>>(out[d], d, round);
        }
        for (int d = 0; d < 2; d++) {
            std::vector<int> got(n);
            if (hipSetDevice(d) || hipMemcpy(got.data(), out[d], n * sizeof(int), hipMemcpyDeviceToHost))
                return 1;
            printf("round %d device %d: %d %d\n", round, d, got[0], got[n - 1]);
        }
    }
    return 0;
}
