/*
 * The work that is measured: each kernel is a function of one item, compiled twice by the same
 * compiler with the same flags. On a Vortex each lane of a warp takes every LANES-th item; under
 * QEMU user mode one thread takes them all in a loop.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdint.h>

#define ITEMS 4096

extern uint32_t input[ITEMS], other[ITEMS], output[ITEMS];
extern float finput[ITEMS], foutput[ITEMS];

/* ALU-bound: rounds of an integer hash. */
static inline void item_hash(unsigned i)
{
    uint32_t x = input[i];
    for (int round = 0; round < 64; round++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x += 0x9e3779b9;
    }
    output[i] = x;
}

/* ALU-bound: a Mersenne-like modular power by multiplications. */
static inline void item_power(unsigned i)
{
    uint32_t x = input[i], r = 1;
    for (int bit = 0; bit < 32; bit++) {
        r = r * r + x;
        r = (r & 0x7fffffff) + (r >> 31);
        x = x * 5 + bit;
    }
    output[i] = r;
}

/* Floating point: a polynomial of degree 32 by Horner's rule. */
static inline void item_polynomial(unsigned i)
{
    float x = finput[i], y = 0;
    for (int k = 0; k < 32; k++)
        y = y * x + 0.25f;
    foutput[i] = y;
}

/* Memory-bound: three streams, several times over. */
static inline void item_triad(unsigned i)
{
    for (int k = 0; k < 4; k++) {
        output[i] = input[i] + 3 * other[i];
        input[i] = output[i] - other[i];
    }
}

/* Memory-bound: indexed reads. */
static inline void item_gather(unsigned i)
{
    uint32_t sum = 0;
    for (unsigned k = 0; k < 16; k++)
        sum += input[(i * 7 + k * 64) & (ITEMS - 1)];
    output[i] = sum;
}

#endif
