/* Loads code objects and unloads them again, and calls their kernels: modules FILE FILE… It prints what the kernels store.
 * The first file is read by the runtime, the others from the same memory, each where the one before was. */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        const hipError_t e = (call);                                       \
        if (e != hipSuccess) {                                             \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(e));      \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

int main(int argc, char **argv)
{
    static char bytes[1 << 20];
    int *out, host[2];
    CHECK(hipMalloc(&out, 64 * sizeof *out)); // of each work-item
    for (int i = 1; i < argc; i++) {
        hipModule_t module;
        hipFunction_t function;
        FILE *file = fopen(argv[i], "rb");
        memset(bytes, 0, sizeof bytes);
        if (!file || !fread(bytes, 1, sizeof bytes, file))
            return 2;
        fclose(file);
        CHECK(i == 1 ? hipModuleLoad(&module, argv[i]) : hipModuleLoadData(&module, bytes));
        CHECK(hipModuleGetFunction(&function, module, "store"));
        void *arguments[] = {&out};
        for (int k = 0; k < 2; k++)
            CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
        CHECK(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
        CHECK(hipModuleUnload(module));
        printf("%d\n", host[0]);
    }
    return 0;
}
