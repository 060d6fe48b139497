/* Adds two vectors by the CUDA driver API: `vectors FILE.ptx`, with the kernel of vectors.cu. */
#include <stdio.h>
#include <stdlib.h>
#include <cuda.h>

enum { COUNT = 100 };

static void check(CUresult result)
{
    const char *text = "unknown error";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "vectors: %s\n", text);
    exit(1);
}

int main(int argc, char **argv)
{
    float a[COUNT], b[COUNT], sum[COUNT];
    CUdeviceptr on_gpu[3];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction add;
    int count = COUNT;
    for (int i = 0; i < COUNT; i++) {
        a[i] = (float)i;
        b[i] = (float)(2 * i);
    }
    check(cuInit(0));
    check(cuDeviceGet(&device, 0));
    check(cuCtxCreate(&context, 0, device));
    check(cuModuleLoad(&module, argc > 1 ? argv[1] : "vectors.ptx"));
    check(cuModuleGetFunction(&add, module, "add"));
    for (int i = 0; i < 3; i++)
        check(cuMemAlloc(&on_gpu[i], sizeof sum));
    check(cuMemcpyHtoD(on_gpu[1], a, sizeof a));
    check(cuMemcpyHtoD(on_gpu[2], b, sizeof b));
    void *arguments[] = {&on_gpu[0], &on_gpu[1], &on_gpu[2], &count};
    check(cuLaunchKernel(add, 2, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    check(cuMemcpyDtoH(sum, on_gpu[0], sizeof sum));
    printf("%g + %g = %g\n", a[COUNT - 1], b[COUNT - 1], sum[COUNT - 1]);
    check(cuCtxDestroy(context));
    return 0;
}
