/* Kernels of Vortex 3.0 for vortex3_program.c. */
#include "vortex3_start.h"

struct arguments {
    uint32_t factor, a, b, c;
};

static inline __attribute__((always_inline)) uint32_t place(void)
{
    const uint32_t row = CSR(0xcd7) * CSR(0xcda) + CSR(0xcd4);
    const uint32_t column = CSR(0xcd6) * CSR(0xcd9) + CSR(0xcd3);
    return row * CSR(0xcdc) * CSR(0xcd9) + column;
}

/* c = a + b */
void add(const struct arguments *args)
{
    const uint32_t i = place();
    ((uint32_t *)(uintptr_t)args->c)[i] =
        ((uint32_t *)(uintptr_t)args->a)[i] + ((uint32_t *)(uintptr_t)args->b)[i];
}
KERNEL_NAME(add);

/* c = c * factor + the block's number, by way of local memory */
void kernel_main(const struct arguments *args)
{
    const uint32_t i = place();
    uint32_t *c = (uint32_t *)(uintptr_t)args->c;
    uint32_t *local = (uint32_t *)CSR(0xcdf) + CSR(0xcd4) * CSR(0xcd9) + CSR(0xcd3);
    *(volatile uint32_t *)local = c[i] * args->factor;
    c[i] = *(volatile uint32_t *)local + CSR(0xcd7) * CSR(0xcdc) + CSR(0xcd6);
}
KERNEL_NAME(kernel_main);

/* until c is not 0 */
void spin(const struct arguments *args)
{
    while (!*(volatile uint32_t *)(uintptr_t)args->c)
        continue;
}
KERNEL_NAME(spin);

void stray(const struct arguments *args)
{
    *(volatile uint32_t *)(uintptr_t)(args->c + 1) = 1; /* misaligned */
}
KERNEL_NAME(stray);

extern char _end[], __tls_block_size[];

/* c, by way of a variable of the thread's own behind the image */
void own(const struct arguments *args)
{
    const uint32_t i = place();
    volatile uint32_t *mine = (uint32_t *)(_end + CSR(0xf14) * (uintptr_t)__tls_block_size);
    *mine = i;
    ((uint32_t *)(uintptr_t)args->c)[i] = *mine;
}
KERNEL_NAME(own);

/* behind the last one */
void beyond(const struct arguments *args)
{
    const uint32_t threads = CSR(0xfc0) * CSR(0xfc1) * CSR(0xfc2);
    *(volatile uint32_t *)(_end + threads * (uintptr_t)__tls_block_size) = args->factor;
}
KERNEL_NAME(beyond);

static __attribute__((noinline)) uint32_t steps(uint32_t n)
{
    uint32_t count = 0;
    while (n != 1) {
        if (n & 1)
            n = 3 * n + 1;
        else
            n /= 2;
        count++;
    }
    return count;
}

static __attribute__((noinline)) uint32_t twice(uint32_t n)
{
    return n < 50 ? 2 * n : n + steps(3);
}

static __attribute__((noinline)) uint32_t same(uint32_t n)
{
    return n;
}

/* Lanes part: in branches, in loops, in calls by address. */
void part(const struct arguments *args)
{
    static uint32_t (*const by[])(uint32_t) = {twice, steps, same};
    const uint32_t i = place();
    uint32_t value = by[i % 3](i + 1);
    for (uint32_t k = 0; k < i % 5; k++)
        value += k & 1 ? i : steps(k + 2);
    __asm__ volatile(".insn r 0x0b, 7, 0, x0, x0, x0" ::: "memory"); /* wsync */
    ((uint32_t *)(uintptr_t)args->c)[i] = value;
}
KERNEL_NAME(part);

/* Lanes come to two instructions that are for all of them. */
void apart(const struct arguments *args)
{
    if (place() & 1)
        __asm__ volatile(".insn r 0x0b, 0, 0, x0, %0, x0" ::"r"(-1)); /* tmc */
    else
        __asm__ volatile(".insn r 0x0b, 0, 0, x0, %0, x0" ::"r"(args->factor - 4));
}
KERNEL_NAME(apart);
