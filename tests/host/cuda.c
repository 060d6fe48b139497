/* A program on the CUDA driver API: `cuda vadd` and the like; each part says what it found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetrap/cuda.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const CUresult result_ = (call);                                                           \
        const char *name_ = "?", *text_ = "?";                                                     \
        if (!result_)                                                                              \
            break;                                                                                 \
        cuGetErrorName(result_, &name_);                                                           \
        cuGetErrorString(result_, &text_);                                                         \
        printf("%s: %s (%d): %s\n", #call, name_, result_, text_);                                 \
        exit(1);                                                                                   \
    } while (0)

static const char text[] =
    ".version 8.0\n.target sm_50\n.address_size 64\n"
    ".visible .global .align 4 .u32 bias = 5;\n"
    ".extern .shared .align 4 .b8 dynamic[];\n"
    ".visible .entry squares(.param .u64 out, .param .u32 n)\n{\n"
    "  .reg .b64 %a, %b; .reg .b32 %i, %n, %c, %t; .reg .pred %q;\n"
    "  ld.param.u64 %a, [out]; ld.param.u32 %n, [n];\n"
    "  mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %i, %ntid.x; mad.lo.u32 %i, %c, %i, %t;\n"
    "  setp.ge.u32 %q, %i, %n;\n  @%q ret;\n"
    "  mul.wide.u32 %b, %i, 4; add.u64 %a, %a, %b;\n"
    "  ld.global.u32 %c, [bias]; mad.lo.u32 %c, %i, %i, %c;\n"
    "  st.global.u32 [%a], %c;\n  ret;\n}\n"
    ".visible .entry reverse(.param .u64 data)\n{\n"
    "  .reg .b64 %a, %b, %s; .reg .b32 %i, %v;\n  ld.param.u64 %a, [data]; mov.u32 %i, %tid.x;\n"
    "  mul.wide.u32 %b, %i, 4; add.u64 %a, %a, %b; mov.u64 %s, dynamic; add.u64 %s, %s, %b;\n"
    "  ld.global.u32 %v, [%a]; st.shared.u32 [%s], %v; bar.sync 0;\n"
    "  sub.u64 %s, %s, %b; sub.u64 %s, %s, %b; ld.shared.u32 %v, [%s+252]; st.global.u32 [%a], "
    "%v;\n  ret;\n}\n"
    ".visible .entry stray()\n{\n  .reg .b64 %a; mov.u64 %a, 64;\n  st.global.u32 [%a], 1;\n  "
    "ret;\n}\n"
    ".visible .entry odd()\n{\n  .reg .b64 %a; .reg .b32 %i; .reg .pred %q;\n"
    "  mov.u32 %i, %tid.x; and.b32 %i, %i, 1; setp.ne.u32 %q, %i, 0; mov.u64 %a, bias; "
    "@%q mov.u64 %a, 48;\n  st.global.u32 [%a], 1;\n  ret;\n}\n"
    ".visible .entry crooked()\n{\n  .shared .align 4 .b8 mine[64]; .reg .b32 %i, %a;\n"
    "  mov.u32 %i, %tid.x; mul.lo.u32 %i, %i, 2; mov.u32 %a, mine; add.u32 %a, %a, %i;\n"
    "  st.shared.u32 [%a], 1;\n  ret;\n}\n"
    ".visible .entry forever()\n{\nAGAIN:\n  bra AGAIN;\n}\n"
    ".visible .entry stop()\n{\n  trap;\n}\n"
    ".visible .entry breaks()\n{\n  brkpt;\n}\n"
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param "
    ".b64 s);\n.const .align 1 .b8 why[6] = {97, 32, 62, 32, 98, 0};\n"
    ".visible .entry asserts()\n{\n  .reg .b64 %a; mov.u64 %a, why; cvta.const.u64 %a, %a;\n"
    "  call __assertfail, (%a, %a, 7, %a, 1);\n  ret;\n}\n"
    ".visible .func deeper(.param .b32 n)\n{\n  .local .b8 mine[4096]; .reg .b32 %n;\n"
    "  ld.param.u32 %n, [n]; st.local.u32 [mine], %n; call deeper, (%n);\n  ret;\n}\n"
    ".visible .entry recurses()\n{\n  call deeper, (1);\n  ret;\n}\n";

static CUmodule module;

static CUfunction function(const char *name)
{
    CUfunction f;
    CHECK(cuModuleGetFunction(&f, module, name));
    return f;
}

static void squares(void)
{
    CUdeviceptr data, bias;
    unsigned out[256], n = 200, seven = 7;
    size_t size;
    void *parameters[] = {&data, &n};
    struct {
        CUdeviceptr data;
        unsigned n;
    } packed;
    CHECK(cuMemAlloc(&data, sizeof out));
    CHECK(cuMemsetD32(data, 9, 256));
    CHECK(cuLaunchKernel(function("squares"), 4, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH(out, data, sizeof out));
    for (unsigned i = 0; i < 256; i++)
        if (out[i] != (i < n ? i * i + 5 : 9))
            printf("element %u is %u\n", i, out[i]), exit(1);
    CHECK(cuModuleGetGlobal(&bias, &size, module, "bias"));
    CHECK(cuMemcpyHtoD(bias, &seven, size));
    packed.data = data;
    packed.n = 10;
    size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(function("squares"), 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
    CHECK(cuMemcpyDtoH(out, data, sizeof out));
    printf("squares %u %u %u\n", out[9], out[10], out[200]);
    CHECK(cuMemFree(data));
}

static void reverse(void)
{
    CUdeviceptr data;
    CUstream stream;
    CUevent from, to;
    float time = -1;
    unsigned out[64];
    void *parameters[] = {&data};
    for (unsigned i = 0; i < 64; i++)
        out[i] = i;
    CHECK(cuStreamCreate(&stream, 0));
    CHECK(cuEventCreate(&from, 0));
    CHECK(cuEventCreate(&to, 0));
    CHECK(cuMemAlloc(&data, sizeof out));
    CHECK(cuMemcpyHtoDAsync(data, out, sizeof out, stream));
    CHECK(cuEventRecord(from, stream));
    CHECK(cuLaunchKernel(function("reverse"), 1, 1, 1, 64, 1, 1, sizeof out, stream, parameters,
                         NULL));
    CHECK(cuEventRecord(to, stream));
    CHECK(cuMemcpyDtoHAsync(out, data, sizeof out, stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuEventElapsedTime(&time, from, to));
    CHECK(cuMemFree(data));
    printf("reverse %u %u %s\n", out[0], out[63], time >= 0 ? "timed" : "not timed");
}

static void ranges(void)
{
    CUdeviceptr data, base;
    size_t size, all, left;
    CHECK(cuMemAlloc(&data, 1000));
    CHECK(cuMemGetAddressRange(&base, &size, data + 999));
    CHECK(cuMemGetInfo(&left, &all));
    printf("range %d %zu, %zu used; beyond it %d, free inside %d\n", base == data, size, all - left,
           cuMemGetAddressRange(&base, &size, data + 1000), cuMemFree(data + 8));
    CHECK(cuMemFree(data));
    printf("twice %d, copied there %d\n", cuMemFree(data), cuMemcpyHtoD(data, text, 4));
}

static void mistakes(void)
{
    CUmodule bad;
    CUfunction f;
    char log[300] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    printf("bad %d", cuModuleLoadDataEx(
                         &bad, ".version 8.0\n.target sm_50\n.entry k()\n{\n  foo.u32 %r;\n}\n", 2,
                         options, values));
    printf(" %s; no function %d; no global %d\n", log, cuModuleGetFunction(&f, module, "none"),
           cuModuleGetGlobal(NULL, NULL, module, "none"));
}

int main(int argc, char **argv)
{
    CUcontext context;
    CUdevice device;
    char name[32];
    int count, major, minor, lanes;
    if (argc > 1 && strcmp(argv[1], "forever") == 0)
        puts("running"), fflush(stdout);
    printf("before %d", cuDeviceGetCount(&count));
    CHECK(cuInit(0));
    CHECK(cuDeviceGetCount(&count));
    CHECK(cuDeviceGet(&device, 0));
    printf(", without a context %d, devices %d, no device %d\n", cuCtxSynchronize(), count,
           cuDeviceGet(&device, 1));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetName(name, sizeof name, device));
    CHECK(cuDeviceComputeCapability(&major, &minor, device));
    CHECK(cuDeviceGetAttribute(&lanes, 10, device));
    printf("%s, %d.%d, %d lanes\n", name, major, minor, lanes);
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoadData(&module, text));
    if (argc > 1) { /* a kernel that fails, or does not end */
        CHECK(cuLaunchKernel(function(argv[1]), 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
        fflush(stdout);
        printf("then %d, again %d\n", cuCtxSynchronize(), cuCtxSynchronize());
        return 0;
    }
    squares();
    reverse();
    ranges();
    mistakes();
    CHECK(cuModuleUnload(module));
    CHECK(cuCtxDestroy(context));
    return 0;
}
