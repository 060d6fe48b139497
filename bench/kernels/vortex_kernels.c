/* Kernels of Vortex 3.0 for vortex_host.c, without divergent branches, with the prologue that the launch unit expects. */
#include <stdint.h>

struct arguments {
    uint32_t n, a, b, c;
};

__asm__(".section .start, \"ax\", @progbits\n"
        ".option norelax\n"
        ".option norvc\n"
        ".globl _start\n"
        "_start:\n"
        "    csrr t0, 0xf14\n"
        "    slli t0, t0, 13\n"
        "    csrr sp, 0xfc3\n"
        "    sub sp, sp, t0\n"
        "    csrr s11, 0xce1\n"
        "    csrr a0, 0x340\n"
        "    jalr ra, s11\n"
        "    .insn r 0x0b, 7, 0, x0, x0, x0\n"
        "    .insn r 0x0b, 0, 0, x0, x0, x0\n"
        ".text\n");

#define CSR(number)                                                                                \
    ({                                                                                             \
        uint32_t value_;                                                                           \
        __asm__("csrr %0, " #number : "=r"(value_));                                               \
        value_;                                                                                    \
    })
#define KERNEL(name) extern void __vx_kentry_##name(const void *) __attribute__((alias(#name)))
#define X (CSR(0xcd6) * CSR(0xcd9) + CSR(0xcd3))
#define Y (CSR(0xcd7) * CSR(0xcda) + CSR(0xcd4))

/* c = a b, of n by n */
void sgemm(const struct arguments *args)
{
    const uint32_t n = args->n, x = X, y = Y;
    const float *a = (const float *)args->a + y * n, *b = (const float *)args->b + x;
    float sum = 0;
    for (uint32_t k = 0; k < n; k++)
        sum += a[k] * b[k * n];
    ((float *)args->c)[y * n + x] = sum;
}
KERNEL(sgemm);

static inline uint32_t near(uint32_t at, int32_t by, uint32_t n)
{
    int32_t is = (int32_t)at + by;
    is &= ~(is >> 31); /* at least 0 */
    const int32_t over = is - (int32_t)(n - 1);
    return (uint32_t)(is - (over & ~(over >> 31)));
}

/* c = the means of 27 neighbours in a, of n by n by n */
void stencil3d(const struct arguments *args)
{
    const uint32_t n = args->n, x = X, y = Y;
    const float *a = (const float *)args->a;
    for (uint32_t z = 0; z < n; z++) {
        float sum = 0;
        for (int32_t dz = -1; dz <= 1; dz++)
            for (int32_t dy = -1; dy <= 1; dy++)
                for (int32_t dx = -1; dx <= 1; dx++)
                    sum += a[(near(z, dz, n) * n + near(y, dy, n)) * n + near(x, dx, n)];
        ((float *)args->c)[(z * n + y) * n + x] = sum / 27;
    }
}
KERNEL(stencil3d);

/* c = a, sorted: each of n by its rank */
void sort(const struct arguments *args)
{
    const uint32_t n = args->n, i = Y * CSR(0xcd9) * CSR(0xcdc) + X;
    const uint32_t *a = (const uint32_t *)args->a, mine = a[i];
    uint32_t rank = 0;
    for (uint32_t k = 0; k < n; k++)
        rank += (a[k] < mine) | ((a[k] == mine) & (k < i));
    ((uint32_t *)args->c)[rank] = mine;
}
KERNEL(sort);

void nothing(const struct arguments *args)
{
}
KERNEL(nothing);
