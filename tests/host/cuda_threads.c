/*
 * Threads of one program on the driver API. "work": four of them allocate, register, copy, launch
 * and free at once in one context. "destroyed": a thread whose context another thread destroys.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wavetrap/cuda.h"

#define SAME(a, b)                                                                                 \
    do {                                                                                           \
        const long long a_ = (long long)(a), b_ = (long long)(b);                                  \
        if (a_ != b_) {                                                                            \
            printf("%d: %s is %lld, not %lld\n", __LINE__, #a, a_, b_);                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define CHECK(call) SAME(call, CUDA_SUCCESS)

enum { THREADS = 4, TIMES = 40, COUNT = 64 };

static const char text[] = ".version 6.0\n"
                           ".target sm_50\n"
                           ".address_size 64\n"
                           ".visible .entry add(.param .u64 p) {\n"
                           "  .reg .u64 %a, %o;\n"
                           "  .reg .u32 %i, %v;\n"
                           "  ld.param.u64 %a, [p];\n"
                           "  mov.u32 %i, %tid.x;\n"
                           "  mul.wide.u32 %o, %i, 4;\n"
                           "  add.u64 %a, %a, %o;\n"
                           "  ld.global.u32 %v, [%a];\n"
                           "  add.u32 %v, %v, 1;\n"
                           "  st.global.u32 [%a], %v;\n"
                           "  ret;\n"
                           "}\n";

static CUdevice device;
static CUcontext context;
static pthread_barrier_t turn;

static void once(char *registered, unsigned number)
{
    unsigned host[COUNT], back[COUNT], type;
    CUmodule module;
    CUfunction f;
    CUstream stream;
    CUevent event;
    CUdeviceptr at;
    void *pinned;
    CHECK(cuModuleLoadData(&module, text));
    CHECK(cuModuleGetFunction(&f, module, "add"));
    CHECK(cuStreamCreate(&stream, 0));
    CHECK(cuEventCreate(&event, 0));
    CHECK(cuMemAlloc(&at, sizeof host));
    CHECK(cuMemHostAlloc(&pinned, 4096, 0));
    CHECK(cuMemHostRegister(registered, 4096, 0));
    memset(host, (int)number, sizeof host);
    CHECK(cuMemcpyHtoD(at, host, sizeof host));
    CHECK(cuLaunchKernel(f, 1, 1, 1, COUNT, 1, 1, 0, stream, (void *[]){&at}, NULL));
    CHECK(cuEventRecord(event, stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuMemcpyDtoHAsync(back, at, sizeof back, stream));
    CHECK(cuMemcpyDtoD((CUdeviceptr)(uintptr_t)pinned, at, sizeof host));
    CHECK(cuMemcpy((CUdeviceptr)(uintptr_t)registered, at, sizeof host));
    for (unsigned i = 0; i < COUNT; i++)
        SAME(back[i], host[i] + 1);
    SAME(memcmp(back, pinned, sizeof back) || memcmp(back, registered, sizeof back), 0);
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
    CHECK(cuMemHostUnregister(registered));
    CHECK(cuMemFreeHost(pinned));
    CHECK(cuMemFree(at));
    CHECK(cuEventDestroy(event));
    CHECK(cuStreamDestroy(stream));
    CHECK(cuModuleUnload(module));
}

static void *work(void *number)
{
    char *registered = aligned_alloc(4096, 4096);
    CHECK(cuCtxSetCurrent(context));
    for (unsigned i = 0; i < TIMES; i++)
        once(registered, i + *(unsigned *)number);
    free(registered);
    return NULL;
}

/* The context at the address of one that is gone is another one. */
static void *keeps_a_context(void *unused)
{
    CUdeviceptr at;
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuMemAlloc(&at, 64));
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    SAME(cuMemAlloc(&at, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    SAME(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CHECK(cuCtxPopCurrent(NULL));
    SAME(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    return unused;
}

int main(int argc, char **argv)
{
    const int works = argc > 1 && strcmp(argv[1], "work") == 0;
    unsigned number[THREADS];
    pthread_t thread[THREADS];
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    if (works) {
        for (unsigned i = 0; i < THREADS; i++) {
            number[i] = i;
            pthread_create(&thread[i], NULL, work, &number[i]);
        }
        for (unsigned i = 0; i < THREADS; i++)
            pthread_join(thread[i], NULL);
    } else {
        CUcontext next[8];
        pthread_barrier_init(&turn, NULL, 2);
        pthread_create(thread, NULL, keeps_a_context, NULL);
        pthread_barrier_wait(&turn);
        CHECK(cuCtxDestroy(context));
        for (unsigned i = 0; i < sizeof next / sizeof next[0]; i++)
            CHECK(cuCtxCreate(&next[i], 0, device));
        pthread_barrier_wait(&turn);
        pthread_join(thread[0], NULL);
    }
    printf("right\n");
    return 0;
}
