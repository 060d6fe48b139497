/* They as kernels of Vortex 3.0. */
#include "../host/vortex3_start.h"

#define NUMBER (CSR(0xcd6) * CSR(0xcd9) + CSR(0xcd3))
#include "queue_kernels.c"

struct arguments {
    uint32_t to, from, first;
};

void kernel_put(const struct arguments *args)
{
    put((int *)(uintptr_t)args->to, (int)args->first);
}
KERNEL_NAME(kernel_put);

void kernel_get(const struct arguments *args)
{
    get((int *)(uintptr_t)args->to, (const int *)(uintptr_t)args->from);
}
KERNEL_NAME(kernel_get);
