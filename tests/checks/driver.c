/* Planted mistakes with CUDA's driver API: driver FILE.ptx bad|good [CASE]... The kernels are those
 * of memory.cu, whose lines the oracle proves there. */
#include <stdlib.h>
#include <wavetrap/cuda.h>
#include "cases.h"

enum { N = 32, INTS = N * sizeof(int) };

static CUmodule module;

static void need(int right, const char *what)
{
    if (!right) {
        printf("%s: %s failed\n", case_name ? case_name : "set-up", what);
        exit(3);
    }
}

static CUfunction function(const char *name)
{
    CUfunction f;
    need(!cuModuleGetFunction(&f, module, name), name);
    return f;
}

static CUdeviceptr memory(size_t size)
{
    char bytes[1 << 10];
    CUdeviceptr p;
    need(!cuMemAlloc(&p, size), "an allocation");
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(7 * i + 1);
    need(!cuMemcpyHtoD(p, bytes, size), "a copy");
    return p;
}

/* The first @p size bytes are the case's result. */
static void end(CUdeviceptr p, size_t size)
{
    char bytes[1 << 10];
    cuCtxSynchronize();
    cuMemcpyDtoH(bytes, p, size);
    result(bytes, size);
    cuMemFree(p);
}

static void put(CUdeviceptr p, int by)
{
    void *arguments[] = {&p, &by};
    cuLaunchKernel(function("_Z3putPii"), 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL);
}

static void global_after(int bad)
{
    CUdeviceptr p = memory(INTS);
    put(p, bad);
    end(p, INTS);
}

static void shared_asked(int bad)
{
    CUdeviceptr out = memory(INTS);
    void *arguments[] = {&out};
    cuLaunchKernel(function("_Z14shared_dynamicPi"), 1, 1, 1, N, 1, 1, INTS - 4 * bad, NULL,
                   arguments, NULL);
    end(out, INTS);
}

static void freed_store(int bad)
{
    CUdeviceptr p = memory(INTS), q = memory(INTS);
    cuMemFree(p);
    put(bad ? p : q, 0);
    end(q, INTS);
}

static void freed_twice(int bad)
{
    CUdeviceptr p = memory(INTS), q = memory(INTS);
    cuMemFree(p);
    cuMemFree(bad ? p : 0); /* BUG freed_twice */
    end(q, INTS);
}

static void freed_inside(int bad)
{
    CUdeviceptr p = memory(2 * INTS), q = memory(INTS);
    cuMemFree(p + (bad ? INTS : 0)); /* BUG freed_inside */
    if (bad)
        cuMemFree(p);
    end(q, INTS);
}

static void copy_to_device(int bad)
{
    static char from[2 * INTS];
    CUdeviceptr p = memory(INTS);
    cuMemcpyHtoD(p, from, INTS + bad); /* BUG copy_to_device */
    end(p, INTS);
}

static void copy_to_host(int bad)
{
    static char to[2 * INTS];
    CUdeviceptr p = memory(INTS);
    cuMemcpyDtoH(to, p, INTS + 4 * bad); /* BUG copy_to_host */
    end(p, INTS);
}

static void fill(int bad)
{
    CUdeviceptr p = memory(INTS);
    cuMemsetD32(p, 7, N + bad); /* BUG fill */
    end(p, INTS);
}

static void fill_variable(int bad)
{
    CUdeviceptr variable, p = memory(INTS);
    size_t size;
    need(!cuModuleGetGlobal(&variable, &size, module, "variables"), "a variable");
    cuMemsetD8(variable, 1, size + bad); /* BUG fill_variable */
    end(p, INTS);
}

static void leak_memory(int bad)
{
    CUdeviceptr p, q = memory(INTS);
    cuMemAlloc(&p, 60); /* BUG leak_memory */
    if (!bad)
        cuMemFree(p);
    end(q, INTS);
}

static void leak_stream(int bad)
{
    CUstream stream;
    CUdeviceptr q = memory(INTS);
    cuStreamCreate(&stream, 0); /* BUG leak_stream */
    if (!bad)
        cuStreamDestroy(stream);
    end(q, INTS);
}

static void leak_event(int bad)
{
    CUevent event;
    CUdeviceptr q = memory(INTS);
    cuEventCreate(&event, 0); /* BUG leak_event */
    if (!bad)
        cuEventDestroy(event);
    end(q, INTS);
}

static const char nothing[] =
    ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry nothing()\n{\n  ret;\n}\n";

static void leak_module(int bad)
{
    CUmodule other;
    CUdeviceptr q = memory(INTS);
    cuModuleLoadData(&other, nothing); /* BUG leak_module */
    if (!bad)
        cuModuleUnload(other);
    end(q, INTS);
}

static void api_module_unloaded(int bad)
{
    CUmodule other;
    CUfunction f;
    CUdeviceptr q = memory(INTS);
    cuModuleLoadData(&other, nothing);
    cuModuleGetFunction(&f, other, "nothing");
    if (bad)
        cuModuleUnload(other);
    cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL); /* BUG api_module_unloaded */
    cuCtxSynchronize();
    if (!bad)
        cuModuleUnload(other);
    end(q, INTS);
}

static void api_failed_call(int bad)
{
    CUdeviceptr q = memory(INTS);
    CUfunction f;
    cuModuleGetFunction(&f, module, bad ? "none" : "_Z3putPii"); /* BUG api_failed_call */
    end(q, INTS);
}

CASES(CASE(global_after), CASE(shared_asked), CASE(freed_store), CASE(freed_twice),
      CASE(freed_inside), CASE(copy_to_device), CASE(copy_to_host), CASE(fill), CASE(fill_variable),
      CASE(leak_memory), CASE(leak_stream), CASE(leak_event), CASE(leak_module),
      CASE(api_module_unloaded), CASE(api_failed_call))

int main(int argc, char **argv)
{
    CUcontext context;
    CUdevice device;
    need(argc > 2, "reading the arguments");
    need(!cuInit(0) && !cuDeviceGet(&device, 0) && !cuCtxCreate(&context, 0, device),
         "the context");
    need(!cuModuleLoad(&module, argv[1]), "the module");
    run_cases(argc - 1, argv + 1);
    cuModuleUnload(module);
    cuCtxDestroy(context);
    return 0;
}
