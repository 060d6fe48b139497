/*
 * Functions of two numbers, in plain C: each is compiled for the CPU and, as a kernel over arrays,
 * by both compilers for NVPTX (elements.c). F(name, type of the result, type of a and b, expression)
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
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a ^ b;
    case 4: return a & ~b;
    case 5: return b ? a / b : 7;
    case 6: return a << (b & 31);
    case 7: return (uint32_t)((int32_t)a >> (b & 31));
    case 8: return a > b ? a : b;
    default: return a % 11 * b;
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

F(add, uint32_t, uint32_t, a + b)
F(subtract, uint32_t, uint32_t, a - b)
F(multiply, uint32_t, uint32_t, a * b)
F(multiply_high, uint32_t, uint32_t, (uint32_t)((uint64_t)a * b >> 32))
F(multiply_high_signed, int32_t, int32_t, (int32_t)((int64_t)a * b >> 32))
F(divide, uint32_t, uint32_t, b ? a / b : 1)
F(divide_signed, int32_t, int32_t, b > 0 ? a / b : 1)
F(remainder_signed, int32_t, int32_t, b > 0 ? a % b : 1)
F(divide_wide, uint64_t, uint64_t, b ? a / b : 1)
F(remainder_wide, int64_t, int64_t, b > 0 ? a % b : 1)
F(logic, uint32_t, uint32_t, (a & b) ^ (a | ~b))
F(shift, uint32_t, uint32_t, a << (b & 31) | a >> (31 & ~b))
F(shift_signed, int32_t, int32_t, a >> (b & 31))
F(shift_wide, int64_t, int64_t, a >> (b & 63))
F(rotate, uint32_t, uint32_t, a << (b & 31) | a >> (-b & 31))
F(leading_zeros, uint32_t, uint32_t, a ? (uint32_t)__builtin_clz(a) : 32)
F(trailing_zeros, uint32_t, uint32_t, a ? (uint32_t)__builtin_ctz(a) : 32)
F(population, uint32_t, uint32_t, (uint32_t)__builtin_popcount(a & b))
F(population_wide, uint32_t, uint64_t, (uint32_t)__builtin_popcountll(a ^ b))
F(byte_swap, uint32_t, uint32_t, a << 24 | (a & 0xff00) << 8 | (a >> 8 & 0xff00) | a >> 24)
F(absolute, int32_t, int32_t, (a < 0 ? (int32_t)-(uint32_t)a : a) ^ b)
F(minimum, int32_t, int32_t, a < b ? a : b)
F(maximum_unsigned, uint32_t, uint32_t, a > b ? a : b)
F(compare, uint32_t, int32_t, (a < b) | (a <= b) << 1 | (a == b) << 2 | (a > b) << 3)
F(compare_unsigned, uint32_t, uint32_t, (a < b) | (a <= b) << 1 | (a != b) << 2 | (a >= b) << 3)
F(narrow, int32_t, int32_t, (int8_t)a * (int16_t)b + (uint8_t)(a >> 8))
F(bytes, uint8_t, uint8_t, (uint8_t)(a * 7 + (b >> 3)))
F(shorts, int16_t, int16_t, (int16_t)(a / (b | 1) + (b >> 2)))
F(wide, uint64_t, uint64_t, a * b + (a >> 7 ^ b << 13))
F(widening, int64_t, int32_t, (int64_t)a * b + (uint32_t)a)
F(structure, uint32_t, uint32_t, through_structure(a, b))
F(greatest_divisor, uint32_t, uint32_t, gcd(a & 0xffff, b & 0xffff))
F(checksum, uint32_t, uint32_t, crc(a, b))
F(square_root, uint32_t, uint32_t, root(a) + b)
F(steps, uint32_t, uint32_t, collatz(a))
F(sort_bytes, uint32_t, uint32_t, sorted(a, b))
F(choose, uint32_t, uint32_t, chosen(a, b))
F(leave_early, uint32_t, uint32_t, early(a, b))
F(add_float, float, float, a + b)
F(multiply_float, float, float, a * b)
F(divide_float, float, float, a / b)
F(root_float, float, float, __builtin_sqrtf(a < 0 ? -a : a) + b)
F(fused_float, float, float, __builtin_fmaf(a, b, a))
F(compare_float, uint32_t, float, (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | !(a > b) << 4)
F(select_float, float, float, a < b ? a : -b)
F(horner_float, float, float, polynomial(a) - b)
F(add_double, double, double, a + b)
F(multiply_double, double, double, a * b)
F(divide_double, double, double, a / b)
F(root_double, double, double, __builtin_sqrt(a < 0 ? -a : a) * b)
F(fused_double, double, double, __builtin_fma(a, b, b))
F(compare_double, uint32_t, double, (a < b) | (a >= b) << 1 | (a == b) << 2 | __builtin_isunordered(a, b) << 3)
F(to_int, int32_t, float, a > -1e9f && a < 1e9f ? (int32_t)a : 5)
F(to_long, int64_t, double, a > -1e18 && a < 1e18 ? (int64_t)a : 5)
F(to_unsigned, uint32_t, float, a >= 0 && a < 4e9f ? (uint32_t)a : 5)
F(from_int, float, int32_t, (float)a + (float)(uint32_t)b)
F(from_long, double, int64_t, (double)a - (double)(uint64_t)b)
F(from_wide, float, uint64_t, (float)a + (float)(int64_t)b)
F(to_float, float, double, (float)a)
F(to_double, double, float, (double)a * b)
