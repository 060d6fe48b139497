/*
 * What a type of 16 bits and pairs of it can do, for cuda_fp16.h and cuda_bf16.h. By way of a float
 * sums, differences, products and quotients are rounded rightly, since its 24 bits are at least
 * twice the type's 8 or 11, and two. The header that includes this one defines WAVETRAP_NUMBER, the
 * type; WAVETRAP_PAIR; WAVETRAP_NAME, what conversions call the type; WAVETRAP_INFINITY, the bits;
 * WAVETRAP_FUNCTION, what a function begins with; and __hfma().
 */
#ifndef WAVETRAP_NUMBER16_H
#define WAVETRAP_NUMBER16_H

/* From 0 to 1; NaN becomes 0. */
static inline WAVETRAP_BOTH float wavetrap_clamped(float value)
{
    return value > 0 ? value < 1 ? value : 1.0f : 0.0f;
}

/* To whole numbers: those beyond the range become its limits, NaN becomes 0. */
#define WAVETRAP_TO(name, type, least, most)                                                       \
    static inline WAVETRAP_BOTH type wavetrap_to_##name(double whole)                              \
    {                                                                                              \
        return whole != whole             ? 0                                                      \
               : whole <= (double)(least) ? (least)                                                \
               : whole >= (double)(most)  ? (most)                                                 \
                                          : (type)whole;                                            \
    }
WAVETRAP_TO(int, int, -2147483647 - 1, 2147483647)
WAVETRAP_TO(uint, unsigned, 0u, 4294967295u)
WAVETRAP_TO(short, short, (short)-32768, (short)32767)
WAVETRAP_TO(ushort, unsigned short, (unsigned short)0, (unsigned short)65535)
WAVETRAP_TO(ll, long long, -9223372036854775807ll - 1, 9223372036854775807ll)
WAVETRAP_TO(ull, unsigned long long, 0ull, 18446744073709551615ull)
#undef WAVETRAP_TO

#define WAVETRAP_JOINED(a, b, c) a##b##c
#define WAVETRAP_JOIN(a, b, c) WAVETRAP_JOINED(a, b, c)
#define WAVETRAP_OF(bits) __builtin_bit_cast(WAVETRAP_NUMBER, (unsigned short)(bits))
#define WAVETRAP_PAIR_OF(word) __builtin_bit_cast(WAVETRAP_PAIR, (unsigned)(word))
#define WAVETRAP_WORD(pair) __builtin_bit_cast(unsigned, pair)
#define WAVETRAP_DEVICE static inline __attribute__((device))

#endif

/* ---- whole numbers ---- */

#define WAVETRAP_TO(name, type)                                                                    \
    WAVETRAP_FUNCTION type WAVETRAP_JOIN(__, WAVETRAP_NAME, 2##name##_rn)(WAVETRAP_NUMBER h)       \
    {                                                                                              \
        return wavetrap_to_##name(__builtin_rint((double)(float)h));                               \
    }                                                                                              \
    WAVETRAP_FUNCTION type WAVETRAP_JOIN(__, WAVETRAP_NAME, 2##name##_rz)(WAVETRAP_NUMBER h)       \
    {                                                                                              \
        return wavetrap_to_##name(__builtin_trunc((double)(float)h));                              \
    }                                                                                              \
    WAVETRAP_FUNCTION type WAVETRAP_JOIN(__, WAVETRAP_NAME, 2##name##_rd)(WAVETRAP_NUMBER h)       \
    {                                                                                              \
        return wavetrap_to_##name(__builtin_floor((double)(float)h));                              \
    }                                                                                              \
    WAVETRAP_FUNCTION type WAVETRAP_JOIN(__, WAVETRAP_NAME, 2##name##_ru)(WAVETRAP_NUMBER h)       \
    {                                                                                              \
        return wavetrap_to_##name(__builtin_ceil((double)(float)h));                               \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_NUMBER WAVETRAP_JOIN(__##name##2, WAVETRAP_NAME, _rn)(type value)   \
    {                                                                                              \
        return WAVETRAP_NUMBER(value);                                                             \
    }
WAVETRAP_TO(int, int)
WAVETRAP_TO(uint, unsigned)
WAVETRAP_TO(short, short)
WAVETRAP_TO(ushort, unsigned short)
WAVETRAP_TO(ll, long long)
WAVETRAP_TO(ull, unsigned long long)
#undef WAVETRAP_TO

/* ---- arithmetic ---- */

#define WAVETRAP_BINARY(name, op)                                                                  \
    WAVETRAP_FUNCTION WAVETRAP_NUMBER __h##name(WAVETRAP_NUMBER a, WAVETRAP_NUMBER b)              \
    {                                                                                              \
        return WAVETRAP_NUMBER((float)a op(float) b);                                              \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_PAIR __h##name##2(WAVETRAP_PAIR a, WAVETRAP_PAIR b)                 \
    {                                                                                              \
        return WAVETRAP_PAIR(__h##name(a.x, b.x), __h##name(a.y, b.y));                            \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_NUMBER operator op(const WAVETRAP_NUMBER &a,                        \
                                                  const WAVETRAP_NUMBER &b)                        \
    {                                                                                              \
        return __h##name(a, b);                                                                    \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_NUMBER &operator op##=(WAVETRAP_NUMBER &a,                          \
                                                      const WAVETRAP_NUMBER &b)                    \
    {                                                                                              \
        return a = __h##name(a, b);                                                                \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_PAIR operator op(const WAVETRAP_PAIR &a, const WAVETRAP_PAIR &b)    \
    {                                                                                              \
        return __h##name##2(a, b);                                                                 \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_PAIR &operator op##=(WAVETRAP_PAIR &a, const WAVETRAP_PAIR &b)      \
    {                                                                                              \
        return a = __h##name##2(a, b);                                                             \
    }
WAVETRAP_BINARY(add, +)
WAVETRAP_BINARY(sub, -)
WAVETRAP_BINARY(mul, *)
WAVETRAP_BINARY(div, /)
#undef WAVETRAP_BINARY
WAVETRAP_FUNCTION WAVETRAP_PAIR __h2div(WAVETRAP_PAIR a, WAVETRAP_PAIR b)
{
    return __hdiv2(a, b);
}

/* From 0 to 1; NaN becomes 0. */
#define WAVETRAP_SATURATED(name, op)                                                               \
    WAVETRAP_FUNCTION WAVETRAP_NUMBER __h##name##_sat(WAVETRAP_NUMBER a, WAVETRAP_NUMBER b)        \
    {                                                                                              \
        return WAVETRAP_NUMBER(wavetrap_clamped((float)a op(float) b));                            \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_PAIR __h##name##2_sat(WAVETRAP_PAIR a, WAVETRAP_PAIR b)             \
    {                                                                                              \
        return WAVETRAP_PAIR(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y));                \
    }
WAVETRAP_SATURATED(add, +)
WAVETRAP_SATURATED(sub, -)
WAVETRAP_SATURATED(mul, *)
#undef WAVETRAP_SATURATED

WAVETRAP_FUNCTION WAVETRAP_NUMBER __hfma_sat(WAVETRAP_NUMBER a, WAVETRAP_NUMBER b,
                                             WAVETRAP_NUMBER c)
{
    return WAVETRAP_NUMBER(wavetrap_clamped((float)__hfma(a, b, c)));
}
WAVETRAP_FUNCTION WAVETRAP_NUMBER __hfma_relu(WAVETRAP_NUMBER a, WAVETRAP_NUMBER b,
                                              WAVETRAP_NUMBER c)
{
    const WAVETRAP_NUMBER h = __hfma(a, b, c);
    return (float)h < 0 ? WAVETRAP_NUMBER(0.0f) : h;
}
WAVETRAP_FUNCTION WAVETRAP_PAIR __hfma2(WAVETRAP_PAIR a, WAVETRAP_PAIR b, WAVETRAP_PAIR c)
{
    return WAVETRAP_PAIR(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
WAVETRAP_FUNCTION WAVETRAP_PAIR __hfma2_relu(WAVETRAP_PAIR a, WAVETRAP_PAIR b, WAVETRAP_PAIR c)
{
    return WAVETRAP_PAIR(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
WAVETRAP_FUNCTION WAVETRAP_PAIR __hfma2_sat(WAVETRAP_PAIR a, WAVETRAP_PAIR b, WAVETRAP_PAIR c)
{
    return WAVETRAP_PAIR(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
WAVETRAP_FUNCTION WAVETRAP_NUMBER __hneg(WAVETRAP_NUMBER a)
{
    return WAVETRAP_OF(a.__x ^ 0x8000);
}
WAVETRAP_FUNCTION WAVETRAP_NUMBER __habs(WAVETRAP_NUMBER a)
{
    return WAVETRAP_OF(a.__x & 0x7fff);
}
WAVETRAP_FUNCTION WAVETRAP_PAIR __hneg2(WAVETRAP_PAIR a)
{
    return WAVETRAP_PAIR(__hneg(a.x), __hneg(a.y));
}
WAVETRAP_FUNCTION WAVETRAP_PAIR __habs2(WAVETRAP_PAIR a)
{
    return WAVETRAP_PAIR(__habs(a.x), __habs(a.y));
}
WAVETRAP_FUNCTION WAVETRAP_NUMBER operator-(const WAVETRAP_NUMBER &a)
{
    return __hneg(a);
}
WAVETRAP_FUNCTION WAVETRAP_NUMBER operator+(const WAVETRAP_NUMBER &a)
{
    return a;
}
WAVETRAP_FUNCTION WAVETRAP_PAIR operator-(const WAVETRAP_PAIR &a)
{
    return __hneg2(a);
}
WAVETRAP_FUNCTION WAVETRAP_NUMBER &operator++(WAVETRAP_NUMBER &a)
{
    return a = WAVETRAP_NUMBER((float)a + 1);
}
WAVETRAP_FUNCTION WAVETRAP_NUMBER &operator--(WAVETRAP_NUMBER &a)
{
    return a = WAVETRAP_NUMBER((float)a - 1);
}

/* ---- comparisons ---- */

WAVETRAP_FUNCTION bool __hisnan(WAVETRAP_NUMBER a)
{
    return (a.__x & 0x7fff) > WAVETRAP_INFINITY;
}
WAVETRAP_FUNCTION int __hisinf(WAVETRAP_NUMBER a)
{
    return (a.__x & 0x7fff) != WAVETRAP_INFINITY ? 0 : a.__x & 0x8000 ? -1 : 1;
}

/* Ordered ones do not hold for NaN, those that end in u do. */
#define WAVETRAP_COMPARE(name, op)                                                                 \
    WAVETRAP_FUNCTION bool __h##name(WAVETRAP_NUMBER a, WAVETRAP_NUMBER b)                         \
    {                                                                                              \
        return !__hisnan(a) && !__hisnan(b) && (float)a op(float) b;                               \
    }                                                                                              \
    WAVETRAP_FUNCTION bool __h##name##u(WAVETRAP_NUMBER a, WAVETRAP_NUMBER b)                      \
    {                                                                                              \
        return __hisnan(a) || __hisnan(b) || (float)a op(float) b;                                 \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_PAIR __h##name##2(WAVETRAP_PAIR a, WAVETRAP_PAIR b)                 \
    {                                                                                              \
        return WAVETRAP_PAIR(WAVETRAP_NUMBER(__h##name(a.x, b.x) ? 1.0f : 0.0f),                   \
                             WAVETRAP_NUMBER(__h##name(a.y, b.y) ? 1.0f : 0.0f));                  \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_PAIR __h##name##u2(WAVETRAP_PAIR a, WAVETRAP_PAIR b)                \
    {                                                                                              \
        return WAVETRAP_PAIR(WAVETRAP_NUMBER(__h##name##u(a.x, b.x) ? 1.0f : 0.0f),                \
                             WAVETRAP_NUMBER(__h##name##u(a.y, b.y) ? 1.0f : 0.0f));               \
    }                                                                                              \
    WAVETRAP_FUNCTION bool __hb##name##u2(WAVETRAP_PAIR a, WAVETRAP_PAIR b)                        \
    {                                                                                              \
        return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                   \
    }                                                                                              \
    WAVETRAP_FUNCTION bool __hb##name##2(WAVETRAP_PAIR a, WAVETRAP_PAIR b)                         \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    WAVETRAP_FUNCTION bool operator op(const WAVETRAP_NUMBER &a, const WAVETRAP_NUMBER &b)         \
    {                                                                                              \
        return (float)a op(float) b;                                                               \
    }                                                                                              \
    WAVETRAP_FUNCTION bool operator op(const WAVETRAP_PAIR &a, const WAVETRAP_PAIR &b)             \
    {                                                                                              \
        return (float)a.x op(float) b.x && (float)a.y op(float) b.y;                               \
    }
WAVETRAP_COMPARE(eq, ==)
WAVETRAP_COMPARE(ne, !=)
WAVETRAP_COMPARE(lt, <)
WAVETRAP_COMPARE(le, <=)
WAVETRAP_COMPARE(gt, >)
WAVETRAP_COMPARE(ge, >=)
#undef WAVETRAP_COMPARE

/* The other number where one is NaN; -0 is less than 0. */
WAVETRAP_FUNCTION WAVETRAP_NUMBER __hmax(WAVETRAP_NUMBER a, WAVETRAP_NUMBER b)
{
    if (__hisnan(a) || __hisnan(b))
        return __hisnan(a) ? __hisnan(b) ? WAVETRAP_OF(0x7fff) : b : a;
    return (float)a == (float)b ? WAVETRAP_OF(a.__x & b.__x) : (float)a < (float)b ? b : a;
}
WAVETRAP_FUNCTION WAVETRAP_NUMBER __hmin(WAVETRAP_NUMBER a, WAVETRAP_NUMBER b)
{
    if (__hisnan(a) || __hisnan(b))
        return __hisnan(a) ? __hisnan(b) ? WAVETRAP_OF(0x7fff) : b : a;
    return (float)a == (float)b ? WAVETRAP_OF(a.__x | b.__x) : (float)a < (float)b ? a : b;
}
WAVETRAP_FUNCTION WAVETRAP_PAIR __hmax2(WAVETRAP_PAIR a, WAVETRAP_PAIR b)
{
    return WAVETRAP_PAIR(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
WAVETRAP_FUNCTION WAVETRAP_PAIR __hmin2(WAVETRAP_PAIR a, WAVETRAP_PAIR b)
{
    return WAVETRAP_PAIR(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

/* NaN where one is. */
WAVETRAP_FUNCTION WAVETRAP_NUMBER __hmax_nan(WAVETRAP_NUMBER a, WAVETRAP_NUMBER b)
{
    return __hisnan(a) || __hisnan(b) ? WAVETRAP_OF(0x7fff) : __hmax(a, b);
}
WAVETRAP_FUNCTION WAVETRAP_NUMBER __hmin_nan(WAVETRAP_NUMBER a, WAVETRAP_NUMBER b)
{
    return __hisnan(a) || __hisnan(b) ? WAVETRAP_OF(0x7fff) : __hmin(a, b);
}
WAVETRAP_FUNCTION WAVETRAP_PAIR __hmax2_nan(WAVETRAP_PAIR a, WAVETRAP_PAIR b)
{
    return WAVETRAP_PAIR(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y));
}
WAVETRAP_FUNCTION WAVETRAP_PAIR __hmin2_nan(WAVETRAP_PAIR a, WAVETRAP_PAIR b)
{
    return WAVETRAP_PAIR(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y));
}
WAVETRAP_FUNCTION WAVETRAP_PAIR __hisnan2(WAVETRAP_PAIR a)
{
    return WAVETRAP_PAIR(WAVETRAP_NUMBER(__hisnan(a.x) ? 1.0f : 0.0f),
                         WAVETRAP_NUMBER(__hisnan(a.y) ? 1.0f : 0.0f));
}

/* ---- what only kernels have ---- */

#ifdef __CUDA__
#define WAVETRAP_MATHS(name, expression)                                                           \
    WAVETRAP_DEVICE WAVETRAP_NUMBER h##name(WAVETRAP_NUMBER h)                                     \
    {                                                                                              \
        const float x = (float)h;                                                                  \
        return WAVETRAP_NUMBER(expression);                                                        \
    }                                                                                              \
    WAVETRAP_DEVICE WAVETRAP_PAIR h2##name(WAVETRAP_PAIR h)                                        \
    {                                                                                              \
        return WAVETRAP_PAIR(h##name(h.x), h##name(h.y));                                          \
    }
WAVETRAP_MATHS(sqrt, __builtin_sqrtf(x))
WAVETRAP_MATHS(rsqrt, 1 / __nv_sqrt((double)x))
WAVETRAP_MATHS(rcp, 1 / x)
WAVETRAP_MATHS(exp, __nv_expf(x))
WAVETRAP_MATHS(exp2, __nv_exp2f(x))
WAVETRAP_MATHS(exp10, __nv_exp10f(x))
WAVETRAP_MATHS(log, __nv_logf(x))
WAVETRAP_MATHS(log2, __nv_log2f(x))
WAVETRAP_MATHS(log10, __nv_log10f(x))
WAVETRAP_MATHS(sin, __nv_sinf(x))
WAVETRAP_MATHS(cos, __nv_cosf(x))
WAVETRAP_MATHS(tanh, __nv_tanhf(x))
WAVETRAP_MATHS(floor, __builtin_floorf(x))
WAVETRAP_MATHS(ceil, __builtin_ceilf(x))
WAVETRAP_MATHS(trunc, __builtin_truncf(x))
WAVETRAP_MATHS(rint, __builtin_rintf(x))
#undef WAVETRAP_MATHS

#define WAVETRAP_SHUFFLE(name, operand)                                                            \
    WAVETRAP_DEVICE WAVETRAP_NUMBER name(unsigned mask, WAVETRAP_NUMBER h, operand other,          \
                                         int width = 32)                                           \
    {                                                                                              \
        return WAVETRAP_OF((unsigned short)name(mask, (unsigned)h.__x, other, width));             \
    }                                                                                              \
    WAVETRAP_DEVICE WAVETRAP_PAIR name(unsigned mask, WAVETRAP_PAIR h, operand other,              \
                                       int width = 32)                                             \
    {                                                                                              \
        return WAVETRAP_PAIR_OF(name(mask, WAVETRAP_WORD(h), other, width));                       \
    }
WAVETRAP_SHUFFLE(__shfl_sync, int)
WAVETRAP_SHUFFLE(__shfl_up_sync, unsigned)
WAVETRAP_SHUFFLE(__shfl_down_sync, unsigned)
WAVETRAP_SHUFFLE(__shfl_xor_sync, int)
#undef WAVETRAP_SHUFFLE

WAVETRAP_DEVICE WAVETRAP_NUMBER __ldg(const WAVETRAP_NUMBER *at)
{
    return WAVETRAP_OF(__ldg((const unsigned short *)at));
}
WAVETRAP_DEVICE WAVETRAP_PAIR __ldg(const WAVETRAP_PAIR *at)
{
    return WAVETRAP_PAIR_OF(__ldg((const unsigned *)at));
}

/* By the word that the number is in. */
WAVETRAP_DEVICE WAVETRAP_PAIR atomicAdd(WAVETRAP_PAIR *at, WAVETRAP_PAIR value)
{
    unsigned *word = (unsigned *)at, old = *(volatile unsigned *)word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, WAVETRAP_WORD(__hadd2(WAVETRAP_PAIR_OF(seen), value)));
    } while (old != seen);
    return WAVETRAP_PAIR_OF(old);
}
WAVETRAP_DEVICE WAVETRAP_NUMBER atomicAdd(WAVETRAP_NUMBER *at, WAVETRAP_NUMBER value)
{
    const bool upper = (unsigned long long)at & 2;
    unsigned *word = (unsigned *)((unsigned long long)at & ~3ull), old = *(volatile unsigned *)word;
    unsigned seen;
    do {
        WAVETRAP_PAIR both = WAVETRAP_PAIR_OF(seen = old);
        (upper ? both.y : both.x) = __hadd(upper ? both.y : both.x, value);
        old = atomicCAS(word, seen, WAVETRAP_WORD(both));
    } while (old != seen);
    return upper ? WAVETRAP_PAIR_OF(old).y : WAVETRAP_PAIR_OF(old).x;
}
#endif

#undef WAVETRAP_NUMBER
#undef WAVETRAP_PAIR
#undef WAVETRAP_NAME
#undef WAVETRAP_INFINITY
#undef WAVETRAP_FUNCTION
