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
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
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
