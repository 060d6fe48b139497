/* A program for the debugger: `cuda_session FILE.ptx [WORD [OTHER.ptx]]`. WORD: loop, stray, both,
 * two, wait, or linked, which links the other file, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetrap/cuda.h>

static CUresult check(CUresult result)
{
    const char *name = "?";
    if (result) {
        cuGetErrorName(result, &name);
        printf("%s\n", name);
        exit(3);
    }
    return result;
}

static CUfunction function(CUmodule module, const char *name)
{
    CUfunction f;
    check(cuModuleGetFunction(&f, module, name));
    return f;
}

static void rounds(CUmodule module, unsigned count)
{
    CUdeviceptr data;
    int out[128];
    check(cuMemAlloc(&data, sizeof out));
    for (unsigned round = 0; round < count; round++) {
        void *parameters[] = {&data, &round};
        check(
            cuLaunchKernel(function(module, "fill"), 2, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
        check(cuCtxSynchronize());
        check(cuMemcpyDtoH(out, data, sizeof out));
        printf("round %u: %d %d %d\n", round, out[0], out[1], out[127]);
    }
    check(cuMemFree(data));
}

static void one(CUmodule module, const char *name, unsigned blocks)
{
    CUdeviceptr data;
    int out[2] = {0};
    void *parameters[] = {&data};
    check(cuMemAlloc(&data, sizeof out));
    check(cuMemcpyHtoD(data, out, sizeof out));
    printf("running\n");
    fflush(stdout);
    check(
        cuLaunchKernel(function(module, name), blocks, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    const CUresult result = cuCtxSynchronize();
    printf("then %d\n", result);
    if (result) /* all that follows fails, too */
        exit(0);
    check(cuMemcpyDtoH(out, data, sizeof out));
    printf("%d %d\n", out[0], out[1]);
}

static void load(CUmodule *module, char **file, int count)
{
    CUlinkState state;
    void *image;
    size_t size;
    if (count == 1) {
        check(cuModuleLoad(module, *file));
        return;
    }
    check(cuLinkCreate(0, NULL, NULL, &state));
    for (int i = 0; i < count; i++)
        check(cuLinkAddFile(state, 1, file[i], 0, NULL, NULL)); /* PTX */
    check(cuLinkComplete(state, &image, &size));
    check(cuModuleLoadData(module, image));
    check(cuLinkDestroy(state));
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "";
    CUcontext context;
    CUmodule module;
    CUdevice device;
    check(cuInit(0));
    for (int i = 0; i < (strcmp(what, "two") == 0 ? 2 : 1); i++) {
        check(cuDeviceGet(&device, i));
        check(cuCtxCreate(&context, 0, device));
        char *files[] = {argv[1], argv[argc - 1]};
        load(&module, files, strcmp(what, "linked") == 0 ? 2 : 1);
        if (strcmp(what, "wait") == 0) {
            printf("ready\n");
            fflush(stdout);
            getchar();
        }
        if (strcmp(what, "loop") == 0)
            one(module, "spin", 1);
        else if (strcmp(what, "stray") == 0)
            one(module, "stray", 1);
        else if (strcmp(what, "both") == 0)
            one(module, "both", 2);
        else if (strcmp(what, "linked") == 0)
            one(module, "outer", 1);
        else
            rounds(module, 3);
        check(cuModuleUnload(module));
        check(cuCtxDestroy(context));
    }
    return 0;
}
