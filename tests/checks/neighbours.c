/* The idioms of neighbours.h, on the host, on Vortex, and as HIP and CUDA. Prints a number for
 * each. */
#include "neighbours.h"
#include <stdio.h>
#include <stdlib.h>

#if defined __HIP__ || defined __CUDA__
#ifdef __HIP__
#include <hip/hip_runtime.h>
#define API(name) hip##name
#else
#define API(name) cuda##name
#endif
#define IDIOM_FUNCTION static __device__ __attribute__((always_inline))
IDIOMS(global, static __device__)
IDIOMS(shared, __shared__)
IDIOMS(own, )

#define KERNEL(name)                                                                               \
    __global__ void run_##name(int *out, int flag, int zero)                                       \
    {                                                                                              \
        out[threadIdx.x] = name((int)threadIdx.x, flag, zero);                                     \
    }
IDIOM_NAMES(global, KERNEL)
IDIOM_NAMES(shared, KERNEL)
IDIOM_NAMES(own, KERNEL)

#define RUN(name)                                                                                  \
    for (int flag = 0; flag < 2; flag++) {                                                         \
        int out[SMALL];                                                                            \
        run_##name<<<1, SMALL>>>(there, flag, 0);                                                  \
        (void)API(Memcpy)(out, there, sizeof out, API(MemcpyDeviceToHost));                        \
        print(#name, flag, out);                                                                   \
    }
#else
#define IDIOM_FUNCTION static __attribute__((noinline))
IDIOMS(global, static)
IDIOMS(own, )

#define RUN(name)                                                                                  \
    for (int flag = 0; flag < 2; flag++) {                                                         \
        int out[SMALL];                                                                            \
        for (int me = 0; me < SMALL; me++)                                                         \
            out[me] = name(me, flag, 0);                                                           \
        print(#name, flag, out);                                                                   \
    }
#endif

static void print(const char *name, int flag, const int *out)
{
    printf("%s %d:", strchr(name, '_') + 1, flag);
    for (int i = 0; i < SMALL; i++)
        printf(" %d", out[i]);
    printf("\n");
}

#ifdef __riscv
/* What start-up code does, in a file that has variables of its own. */
extern char __bss_start[], __bss_end[];

static void all_of_bss(void)
{
    unsigned sum = 0;
    for (const volatile unsigned *p = (void *)__bss_start; p < (unsigned *)__bss_end; p++)
        sum |= *p;
    printf("bss: %d\n", sum != 0);
}
#endif

int main(void)
{
#ifdef __riscv
    all_of_bss();
#endif
#if defined __HIP__ || defined __CUDA__
    int *there;
    (void)API(Malloc)((void **)&there, SMALL * sizeof *there);
    IDIOM_NAMES(shared, RUN)
#endif
    IDIOM_NAMES(global, RUN)
    IDIOM_NAMES(own, RUN)
#if defined __HIP__ || defined __CUDA__
    (void)API(Free)(there);
#endif
    return 0;
}
