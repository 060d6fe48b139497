/*
 * Functions of two numbers, in plain C: each is compiled for the CPU and, as a kernel over arrays,
 * by both compilers for NVPTX (elements.c). The list is in elements.def.
 */
#include <stdint.h>

#ifndef FUNCTION
#define FUNCTION static inline
#endif

struct pair {
    uint32_t low, high;
    uint16_t half[4];
};

/* By a pointer: GCC 12 fails to compile the return of a structure for NVPTX. */
FUNCTION void swap(struct pair *p)
{
    const struct pair q = {p->high, p->low, {p->half[3], p->half[2], p->half[1], p->half[0]}};
    *p = q;
}

FUNCTION uint32_t through_structure(uint32_t a, uint32_t b)
{
    struct pair p = {a, b, {(uint16_t)a, (uint16_t)(a >> 16), (uint16_t)b, (uint16_t)(b >> 16)}};
    swap(&p);
    return p.low * 3 + p.high + p.half[a & 3];
}

FUNCTION uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b) {
        const uint32_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

FUNCTION uint32_t crc(uint32_t a, uint32_t b)
{
    uint32_t c = a;
    for (int i = 0; i < 32; i++)
        c = c >> 1 ^ (((c ^ b >> i) & 1) ? 0xedb88320u : 0);
    return c;
}

FUNCTION uint32_t root(uint32_t a)
{
    uint32_t r = 0;
    for (uint32_t bit = 1u << 15; bit; bit >>= 1)
        if ((uint64_t)(r | bit) * (r | bit) <= a)
            r |= bit;
    return r;
}

FUNCTION uint32_t collatz(uint32_t a)
{
    uint32_t n = 0;
    for (uint64_t x = (a & 0xffff) + 1; x != 1 && n < 400; n++)
        x = x & 1 ? 3 * x + 1 : x / 2;
    return n;
}

FUNCTION uint32_t sorted(uint32_t a, uint32_t b)
{
    uint8_t v[8];
    for (int i = 0; i < 4; i++) {
        v[i] = (uint8_t)(a >> 8 * i);
        v[i + 4] = (uint8_t)(b >> 8 * i);
    }
    for (int i = 1; i < 8; i++)
        for (int k = i; k > 0 && v[k - 1] > v[k]; k--) {
            const uint8_t t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
    return v[0] | (uint32_t)v[3] << 8 | (uint32_t)v[4] << 16 | (uint32_t)v[7] << 24;
}

FUNCTION uint32_t chosen(uint32_t a, uint32_t b)
{
    switch (a % 11) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a * b;
    case 3:
        return a ^ b;
    case 4:
        return a & ~b;
    case 5:
        return b ? a / b : 7;
    case 6:
        return a << (b & 31);
    case 7:
        return (uint32_t)((int32_t)a >> (b & 31));
    case 8:
        return a > b ? a : b;
    default:
        return a % 11 * b;
    }
}

FUNCTION uint32_t early(uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < 64; i++) {
        if ((a >> (i & 31) & 3) == 3)
            return i;
        if (i % 5 == 4)
            continue;
        a += b ^ i;
        if (a == b)
            break;
    }
    return a;
}

FUNCTION float polynomial(float x)
{
    float y = 0.5f;
    for (int i = 0; i < 6; i++)
        y = y * x + 0.125f * (float)i;
    return y;
}

#include "elements.def"
