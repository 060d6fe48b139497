/*
 * Runs a kernel of PTX with the parameters (in, out, n) by whatever libcuda.so.1 the loader finds:
 * `nvidia FILE.ptx KERNEL THREADS N OUT`. Exits with 77 where there is no driver, or no GPU.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavetrap/cuda.h>

enum { NO_GPU = 77, BLOCK = 256 };

static void *driver;

static void *function(const char *name)
{
    void *found = dlsym(driver, name);
    if (!found) {
        fprintf(stderr, "the driver has no %s\n", name);
        exit(1);
    }
    return found;
}

#define CALL(name, ...)                                                                            \
    do {                                                                                           \
        const int result_ = ((__typeof__(&name))function(#name))(__VA_ARGS__);                     \
        if (result_) {                                                                             \
            fprintf(stderr, "%s: %d\n", #name, result_);                                           \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        exit(1);
    const long size = ftell(file);
    char *text = calloc(1, (size_t)size + 1);
    rewind(file);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
        exit(1);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr in, out;
    int gpus = 0;
    char name[64] = "";
    if (argc != 6)
        return 1;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver || ((__typeof__(&cuInit))function("cuInit"))(0) ||
        ((__typeof__(&cuDeviceGetCount))function("cuDeviceGetCount"))(&gpus) || !gpus)
        return NO_GPU;
    const unsigned threads = (unsigned)atoi(argv[3]);
    unsigned n = (unsigned)atoi(argv[4]), *data = malloc(threads * sizeof *data);
    CALL(cuDeviceGetName, name, sizeof name, 0);
    CALL(cuCtxCreate_v2, &context, 0, 0);
    CALL(cuModuleLoadData, &module, read_file(argv[1]));
    CALL(cuModuleGetFunction, &kernel, module, argv[2]);
    CALL(cuMemAlloc_v2, &in, threads * sizeof *data);
    CALL(cuMemAlloc_v2, &out, threads * sizeof *data);
    for (unsigned i = 0; i < threads; i++)
        data[i] = i;
    CALL(cuMemcpyHtoD_v2, in, data, threads * sizeof *data);
    CALL(cuMemsetD32_v2, out, 0, threads);
    void *parameters[] = {&in, &out, &n};
    CALL(cuLaunchKernel, kernel, threads / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, parameters, NULL);
    CALL(cuCtxSynchronize);
    CALL(cuMemcpyDtoH_v2, data, out, threads * sizeof *data);
    FILE *file = fopen(argv[5], "wb");
    if (!file || fwrite(data, sizeof *data, threads, file) != threads || fclose(file))
        return 1;
    puts(name);
    return 0;
}
