/*
 * A program that unmaps registered memory while a kernel uses it. Arguments: whether the kernel
 * reads or writes ("read", "write").
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <wavetrap/cuda.h>

enum { SIZE = 1 << 20, TRIES = 60000 };

static const char text[] =
    ".version 8.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry uses(.param .u64 data, .param .u64 state, .param .u32 writes)\n{\n"
    "  .reg .b64 %d, %s, %a; .reg .b32 %i, %v, %w; .reg .pred %p, %q;\n"
    "  ld.param.u64 %d, [data]; ld.param.u64 %s, [state]; ld.param.u32 %w, [writes];\n"
    "  setp.ne.u32 %p, %w, 0; mov.u32 %i, %tid.x;\n"
    "AGAIN:\n"
    "  add.u32 %i, %i, 32; and.b32 %i, %i, 262143; mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %d;\n"
    "  @%p bra WRITES;\n"
    "  ld.global.u32 %v, [%a];\n"
    "  bra NEXT;\n"
    "WRITES:\n"
    "  st.global.u32 [%a], %i;\n"
    "NEXT:\n"
    "  st.volatile.global.u32 [%s], 1; ld.volatile.global.u32 %v, [%s+4];\n"
    "  setp.eq.u32 %q, %v, 0;\n"
    "  @%q bra AGAIN;\n"
    "  ret;\n}\n";

static volatile int state[1024] __attribute__((aligned(4096)));
static void *memory;

/* Unmaps the memory once the kernel runs; a minute at most. */
static void *unmap(void *unused)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    (void)unused;
    for (int i = 0; !state[0]; i++) {
        if (i == TRIES) {
            puts("the kernel has not begun");
            exit(2);
        }
        nanosleep(&moment, NULL);
    }
    munmap(memory, SIZE);
    return NULL;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction uses;
    pthread_t thread;
    int writes = argc > 1 && strcmp(argv[1], "write") == 0;
    void *other = (void *)state;
    void *parameters[] = {&memory, &other, &writes};
    memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, 0, device) ||
        cuModuleLoadData(&module, text) || cuModuleGetFunction(&uses, module, "uses") ||
        cuMemHostRegister(memory, SIZE, 0) || cuMemHostRegister(other, sizeof state, 0))
        return 1;
    pthread_create(&thread, NULL, unmap, NULL);
    const CUresult launched = cuLaunchKernel(uses, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL);
    printf("launched %d, then %d\n", launched, cuCtxSynchronize());
    pthread_join(thread, NULL);
    return 0;
}
