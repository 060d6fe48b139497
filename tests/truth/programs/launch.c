/* For launched.py: launch FILE. A host program that loads the kernel k of a file of device code,
 * and launches it once. HIP, and CUDA's driver. */
#ifdef HIP
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#define CUdeviceptr hipDeviceptr_t
#define CUfunction hipFunction_t
#define CUmodule hipModule_t
#define cuCtxSynchronize hipDeviceSynchronize
#define cuLaunchKernel hipModuleLaunchKernel
#define cuMemAlloc hipMalloc
#define cuMemcpyHtoD hipMemcpyHtoD
#define cuModuleGetFunction hipModuleGetFunction
#define cuModuleLoad hipModuleLoad
static int begin(void)
{
    return hipInit(0);
}
#else
#include <cuda.h>
static int begin(void)
{
    CUcontext context;
    return cuInit(0) || cuCtxCreate(&context, 0, 0);
}
#endif
#include <stdio.h>

enum { BLOCK = 8, ITEMS = 16 };

int main(int argc, char **argv)
{
    int in[ITEMS], zeros[ITEMS] = {0}, n = 5;
    CUdeviceptr from, to;
    CUmodule module;
    CUfunction kernel;
    void *arguments[] = {&from, &to, &n};
    for (int i = 0; i < ITEMS; i++)
        in[i] = i;
    if (argc != 2 || begin() || cuModuleLoad(&module, argv[1]) ||
        cuModuleGetFunction(&kernel, module, "k") || cuMemAlloc((void *)&from, sizeof in) ||
        cuMemAlloc((void *)&to, sizeof zeros) || cuMemcpyHtoD(from, in, sizeof in) ||
        cuMemcpyHtoD(to, zeros, sizeof zeros) ||
        cuLaunchKernel(kernel, ITEMS / BLOCK, 1, 1, BLOCK, 1, 1, 0, 0, arguments, 0) ||
        cuCtxSynchronize()) {
        puts("wrong");
        return 1;
    }
    return 0;
}
