/* Loads an image and runs its kernel vadd: `cuda_images file|data|fat|wrapper|link PATH`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetrap/cuda.h>

static void check(CUresult result, const char *what)
{
    if (!result)
        return;
    printf("%s %d\n", what, result);
    exit(1);
}

static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    *size = fread(bytes, 1, *size, file);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

static CUresult link_and_load(CUmodule *module, void *bytes, size_t size)
{
    enum { FATBINARY = 2 };
    char log[300] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log}, *linked;
    CUlinkState state;
    check(cuLinkCreate(2, options, values, &state), "create");
    CUresult result = cuLinkAddData(state, FATBINARY, bytes, size, "image", 0, NULL, NULL);
    if (*log)
        printf("log: %s\n", log);
    if (!result && !(result = cuLinkComplete(state, &linked, NULL)))
        result = cuModuleLoadData(module, linked);
    check(cuLinkDestroy(state), "destroy");
    return result;
}

static CUresult load(CUmodule *module, const char *how, const char *path)
{
    size_t size;
    if (strcmp(how, "file") == 0)
        return cuModuleLoad(module, path);
    void *bytes = read_file(path, &size);
    struct {
        unsigned magic, version;
        void *data, *more;
    } wrapper = {0x466243b1, 1, bytes, NULL};
    if (strcmp(how, "data") == 0)
        return cuModuleLoadData(module, bytes);
    if (strcmp(how, "fat") == 0)
        return cuModuleLoadFatBinary(module, bytes);
    if (strcmp(how, "wrapper") == 0)
        return cuModuleLoadFatBinary(module, &wrapper);
    return link_and_load(module, bytes, size);
}

/* Variables of a cubin by name: their addresses, bytes, and that kernels see the same ones. */
static void variables(const char *path)
{
    CUmodule module, other;
    CUfunction function;
    CUdeviceptr at, out, again;
    size_t bytes;
    int value[2], table[4], scale[2], pointer[2], zero = -1;
    void *arguments[] = {&out};
    check(cuModuleLoad(&module, path), "load");
    check(cuModuleLoad(&other, path), "load");
    check(cuModuleGetFunction(&function, module, "k"), "function");
    check(cuMemAlloc(&out, 8), "memory");
    check(cuModuleGetGlobal(&at, &bytes, module, "scale"), "scale");
    check(cuMemcpyDtoH(scale, at, bytes), "copy");
    printf("scale %zu: %d %d", bytes, scale[0], scale[1]);
    scale[0] = 10;
    check(cuMemcpyHtoD(at, scale, sizeof scale), "copy");
    check(cuModuleGetGlobal(&at, &bytes, module, "table"), "table");
    check(cuMemcpyDtoH(table, at, bytes), "copy");
    printf(", table %zu: %d %d %d %d", bytes, table[0], table[1], table[2], table[3]);
    table[2] = 100;
    check(cuMemcpyHtoD(at, table, sizeof table), "copy");
    check(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL), "launch");
    check(cuMemcpyDtoH(value, out, 8), "copy");
    check(cuModuleGetGlobal(&at, &bytes, module, "scratch"), "scratch");
    check(cuMemcpyDtoH(&zero, at + 4, 4), "copy");
    check(cuMemcpyDtoH(&scale, at + bytes - 4, 4), "copy");
    check(cuModuleGetGlobal(&at, NULL, module, "counter"), "counter");
    check(cuModuleGetGlobal(&again, NULL, other, "counter"), "counter");
    check(cuMemcpyDtoH(table, at, 4), "copy");
    check(cuMemcpyDtoH(table + 1, again, 4), "copy");
    check(cuModuleGetGlobal(&again, NULL, module, "link"), "link");
    check(cuMemcpyDtoH(pointer, again, sizeof pointer), "copy");
    printf("\nkernel %d %d, scratch %zu: %d and %d, counter %d, of the other module %d, link %d\n",
           value[0], value[1], bytes, zero, scale[0], table[0], table[1],
           memcmp(pointer, &at, sizeof pointer) == 0);
    printf("none %d", cuModuleGetGlobal(&at, &bytes, module, "k"));
    check(cuModuleUnload(module), "unload");
    check(cuModuleUnload(other), "unload");
    printf(", gone %d\n", cuMemcpyDtoH(table, again, 4));
}

int main(int argc, char **argv)
{
    enum { N = 100, ROOM = 128 };
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr a, b, c;
    int value[ROOM], registers, parameters = N, wrong = 0;
    void *arguments[] = {&c, &a, &b, &parameters};
    check(cuInit(0), "init");
    check(cuCtxCreate(&context, 0, 0), "context");
    if (strcmp(argv[1], "variables") == 0) {
        variables(argv[2]);
        return 0;
    }
    for (int again = 0; again < 3; again++) { /* rooms are given back */
        check(load(&module, argv[1], argv[2]), "load");
        check(cuModuleGetFunction(&function, module, "vadd"), "function");
        check(cuFuncGetAttribute(&registers, 4, function), "attribute");
        check(cuMemAlloc(&a, sizeof value), "memory");
        check(cuMemAlloc(&b, sizeof value), "memory");
        check(cuMemAlloc(&c, sizeof value), "memory");
        for (int i = 0; i < ROOM; i++)
            value[i] = 3 * i + again;
        check(cuMemcpyHtoD(a, value, sizeof value), "copy");
        check(cuMemsetD32(b, 1000, ROOM), "set");
        check(cuMemsetD32(c, 7, ROOM), "set");
        check(cuLaunchKernel(function, ROOM / 32, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL),
              "launch");
        check(cuCtxSynchronize(), "synchronize");
        check(cuMemcpyDtoH(value, c, sizeof value), "copy");
        for (int i = 0; i < ROOM; i++)
            wrong += value[i] != (i < N ? 3 * i + again + 1000 : 7);
        check(cuModuleUnload(module), "unload");
    }
    printf("wrong %d, registers %d, no function %d\n", wrong, registers,
           cuModuleLoadFatBinary(&module, "nothing of the kind"));
    return 0;
}
