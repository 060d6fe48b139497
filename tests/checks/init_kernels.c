/* For test_init_model.py: init_kernels CODE DATA COUNT THREADS. Launches the kernels k0, k1, … of a
 * file of device code, each with two buffers that nothing has written, and one of zeros. DATA has
 * for each kernel IN bytes, and then IN bytes that say which of these the host copies to the first
 * buffer. The host then copies the second buffer back in parts: words first, which HIP reads by
 * itself, then larger ones. HIP, and CUDA's driver. */
#ifdef HIP
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#define CUdeviceptr hipDeviceptr_t
#define CUfunction hipFunction_t
#define CUmodule hipModule_t
#define cuCtxSynchronize hipDeviceSynchronize
#define cuLaunchKernel hipModuleLaunchKernel
#define cuMemAlloc hipMalloc
#define cuMemcpyDtoH hipMemcpyDtoH
#define cuMemcpyHtoD hipMemcpyHtoD
#define cuModuleGetFunction hipModuleGetFunction
#define cuModuleLoad hipModuleLoad
static int begin(void)
{
    return hipInit(0);
}
#else
#include <wavetrap/cuda.h>
static int begin(void)
{
    CUcontext context;
    return cuInit(0) || cuCtxCreate(&context, 0, 0);
}
#endif
#include <stdio.h>
#include <stdlib.h>

enum { IN = 1024, OUT = 768, SCRATCH = 256, PART = 192 };

static CUdeviceptr moved(CUdeviceptr p, size_t by)
{
    return (CUdeviceptr)((char *)p + by);
}

static int launch(CUmodule module, int number, FILE *data, unsigned threads)
{
    static const char zeros[SCRATCH];
    CUdeviceptr in, out, scratch;
    CUfunction kernel;
    char name[16], bytes[IN], written[IN];
    void *arguments[] = {&in, &out, &scratch};
    snprintf(name, sizeof name, "k%d", number);
    if (fread(bytes, IN, 1, data) != 1 || fread(written, IN, 1, data) != 1 ||
        cuModuleGetFunction(&kernel, module, name) || cuMemAlloc((void *)&in, IN) ||
        cuMemAlloc((void *)&out, OUT) || cuMemAlloc((void *)&scratch, SCRATCH) ||
        cuMemcpyHtoD(scratch, (void *)zeros, SCRATCH))
        return 1;
    for (int i = 0, end; i < IN; i = end + 1) {
        for (end = i; end < IN && written[end];)
            end++;
        if (end > i && cuMemcpyHtoD(moved(in, (size_t)i), bytes + i, (size_t)(end - i)))
            return 1;
    }
    if (cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, 0, arguments, 0) || cuCtxSynchronize())
        return 1;
    for (size_t i = 0, part; i < OUT; i += part) {
        part = i < PART ? 4 : PART;
        if (cuMemcpyDtoH(bytes, moved(out, i), part))
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    CUmodule module;
    FILE *data = argc == 5 ? fopen(argv[2], "rb") : NULL;
    if (!data || begin() || cuModuleLoad(&module, argv[1]))
        return 1;
    for (int i = 0; i < atoi(argv[3]); i++)
        if (launch(module, i, data, (unsigned)atoi(argv[4])))
            return 1;
    return 0;
}
