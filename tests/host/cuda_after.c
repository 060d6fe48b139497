/* After a kernel has failed: its context is lost, other ones of the GPU work, there is no new one.
 */
#include <stdio.h>
#include <wavetrap/cuda.h>

static const char text[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".visible .entry stray() { .reg .u64 %a; .reg .u32 %r; bar.sync 0; mov.u64 %a, 64;\n"
    "  mov.u32 %r, 1; st.global.u32 [%a], %r; ret; }\n"
    /* one warp waits at the barrier when the other one ends the kernel */
    ".visible .entry trapped() { .reg .pred %p; .reg .u32 %r; mov.u32 %r, %tid.x;\n"
    "  setp.lt.u32 %p, %r, 32; @%p bra L; bar.sync 0; L: trap; ret; }\n"
    ".visible .entry good(.param .u64 out) { .reg .u64 %a, %b; .reg .u32 %r;\n"
    "  ld.param.u64 %a, [out]; mov.u32 %r, %tid.x; mul.wide.u32 %b, %r, 4; add.u64 %a, %a, %b;\n"
    "  bar.sync 0; st.global.u32 [%a], %r; ret; }\n";

int main(void)
{
    CUdevice device;
    cuInit(0);
    cuDeviceGet(&device, 0);
    CUcontext contexts[4], more;
    for (int i = 0; i < 4; i++)
        cuCtxCreate(&contexts[i], 0, device);
    for (int round = 0; round < 4; round++) {
        CUmodule module;
        CUfunction bad, good;
        CUdeviceptr memory;
        int value[64] = {0}, loaded;
        void *arguments[] = {&memory};
        cuCtxSetCurrent(contexts[round]);
        loaded = cuModuleLoadData(&module, text);
        cuModuleGetFunction(&bad, module, round & 1 ? "trapped" : "stray");
        cuModuleGetFunction(&good, module, "good");
        cuMemAlloc(&memory, sizeof value);
        cuLaunchKernel(good, 3, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL);
        loaded |= cuMemcpyDtoH(value, memory, sizeof value);
        cuLaunchKernel(bad, 5, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL);
        printf("%d: %d %d, then %d", loaded, value[1], value[63], cuCtxSynchronize());
        printf(" %d", cuLaunchKernel(good, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
        cuCtxDestroy(contexts[round]);
        printf(", no new context: %d\n", cuCtxCreate(&more, 0, device));
    }
    return 0;
}
