/* The kernel of vortex_program.c, of Vortex 2.x: adds two arrays, or makes the mistake it is told
 * to. */
#include "vortex.h"

#include <stdio.h>

struct arguments {
    uint32_t count, mode;
    uint64_t a, b, c;
};

static void add(void *p, size_t i)
{
    const struct arguments *args = p;
    const int32_t *a = (void *)(uintptr_t)args->a, *b = (void *)(uintptr_t)args->b;
    int32_t *c = (void *)(uintptr_t)args->c;
    const int32_t x = a[i], y = b[i];
    c[i] = x + y; /* the sum */
}

static void stray(void *p, size_t i)
{
    const struct arguments *args = p;
    if (i == 5)
        *(volatile int32_t *)((uintptr_t)args->c + 1) = 1; /* misaligned */
}

static void beyond(void *p, size_t i)
{
    const struct arguments *args = p;
    ((volatile int32_t *)(uintptr_t)args->c)[args->count + i] = 1;
}

int main(void)
{
    struct arguments *args = (void *)vx_argument();
    for (volatile uint32_t forever = args->mode == 3 || args->mode == 6; forever;)
        continue;
    if (args->mode == 2)
        printf("count %u\n", (unsigned)args->count);
    vx_parallel(args->count, args->mode == 1 ? stray : args->mode == 4 ? beyond : add, args);
    return 0;
}
