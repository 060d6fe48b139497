// One kernel on each GPU that there is, with an instruction that only some models have.
#include <cstdio>
#include <cstring>

#include <hip/hip_runtime.h>

__global__ void weigh(const int *a, const int *b, int *out, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int sum = i;
#ifdef __gfx906__
    sum = __builtin_amdgcn_sdot4(a[i], b[i], sum, false); // dot
#else
    for (int at = 0; at < 32; at += 8)
        sum += (signed char)(a[i] >> at) * (signed char)(b[i] >> at); // sum
#endif
    out[i] = sum; // store
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const int groups = strcmp(what, "many") == 0 ? 100000 : 4, count = 64 * groups - 56;
    int gpus = 0, *a, *b, *out;
    if (hipGetDeviceCount(&gpus) != hipSuccess)
        return 1;
    for (int gpu = 0; gpu < gpus; gpu++) {
        hipDeviceProp_t is;
        hipSetDevice(gpu);
        hipGetDeviceProperties(&is, gpu);
        hipMallocManaged(&a, 4 * count);
        hipMallocManaged(&b, 4 * count);
        hipMallocManaged(&out, 4 * count);
        for (int i = 0; i < count; i++)
            a[i] = i * 0x01fe03fcu, b[i] = i * 0x7f058101u + 3;
        const bool stray = strcmp(what, "stray") == 0;
        hipLaunchKernelGGL(weigh, dim3(groups), dim3(64), 0, 0, a, b, stray ? (int *)0x123456000 : out, count);
        if (hipDeviceSynchronize() != hipSuccess)
            return 1;
        int wrong = 0;
        for (int i = 0; i < count; i++) {
            int sum = i;
            for (int at = 0; at < 32; at += 8)
                sum += (signed char)(a[i] >> at) * (signed char)(b[i] >> at);
            wrong += sum != out[i];
        }
        hipFree(a), hipFree(b), hipFree(out);
        printf("%s: %d wrong\n", is.gcnArchName, wrong);
    }
    return 0;
}
