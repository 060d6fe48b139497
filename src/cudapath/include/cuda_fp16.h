/*
 * Numbers of 16 bits in CUDA C++: names and meanings are those of NVIDIA's public documentation
 * ("CUDA Math API", "Half Precision Intrinsics"), written anew. Conversions are instructions of PTX
 * on every GPU; arithmetic is done in FP32 or FP64 and rounded once, which is exact, so that it
 * needs no GPU of a certain age and works on the host, too.
 */
#ifndef WAVETRAP_CUDA_FP16_H
#define WAVETRAP_CUDA_FP16_H

#include <cuda_runtime.h>

#ifdef __cplusplus

#ifdef __CUDA__
#define WAVETRAP_HALF static inline WAVETRAP_BOTH
#define WAVETRAP_HALF_MEMBER WAVETRAP_BOTH
#define WAVETRAP_HALF_DEVICE static inline __attribute__((device))
#else
#define WAVETRAP_HALF static inline
#define WAVETRAP_HALF_MEMBER
#endif

typedef struct {
    unsigned short x;
} __half_raw;
typedef struct {
    unsigned short x, y;
} __half2_raw;

namespace wavetrap_half
{
/* The bits of a float, and back. */
WAVETRAP_HALF unsigned bits_of(float value)
{
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}
WAVETRAP_HALF float float_of(unsigned bits)
{
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

enum rounding { NEAREST, ZERO, DOWN, UP };

/* A number of 64 bits, rounded once. */
WAVETRAP_HALF unsigned short rounded(double value, rounding how)
{
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    const unsigned sign = (unsigned)(bits >> 63) << 15;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const unsigned long long fraction = bits & 0xfffffffffffffull;
    if (exponent == 1024)
        return (unsigned short)(fraction ? 0x7fff : sign | 0x7c00);
    const int least = exponent < -14 ? -14 : exponent; /* below, numbers are denormal */
    unsigned shift = 42 + (unsigned)(least - exponent);
    unsigned long long whole = exponent == -1023 ? fraction : fraction | 1ull << 52;
    if (shift > 60) { /* less than half of the least one: what matters is that it is not 0 */
        whole = whole != 0;
        shift = 60;
    }
    const unsigned long long kept = whole >> shift;
    const unsigned long long rest = whole & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    const bool up = how == NEAREST ? rest > half || (rest == half && (kept & 1))
                    : how == DOWN  ? rest && sign
                    : how == UP    ? rest && !sign
                                   : false;
    /* A carry goes from the fraction into the exponent. */
    unsigned result = (unsigned)kept + up;
    if (exponent >= -14)
        result += ((unsigned)(exponent + 15) << 10) - (1u << 10);
    if (result >= 0x7c00)
        result = how == NEAREST || (how == UP && !sign) || (how == DOWN && sign) ? 0x7c00 : 0x7bff;
    return (unsigned short)(sign | result);
}

WAVETRAP_HALF unsigned short narrow(float value)
{
#ifdef __CUDA_ARCH__
    unsigned short bits;
    __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
#else
    return rounded(value, NEAREST);
#endif
}

WAVETRAP_HALF float widen(unsigned short half)
{
#ifdef __CUDA_ARCH__
    float value;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
#else
    const unsigned sign = (unsigned)(half & 0x8000) << 16, rest = half & 0x7fff;
    if (rest >= 0x7c00)
        return float_of(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest < 0x400)
        return float_of(sign | bits_of((float)rest * 0x1p-24f));
    return float_of(sign | (rest + ((127 - 15) << 10)) << 13);
#endif
}
} // namespace wavetrap_half

/* ---- types ---- */

struct __attribute__((aligned(2))) __half {
    unsigned short __x;

    __half() = default;
    WAVETRAP_HALF_MEMBER __half(const __half_raw &raw) : __x(raw.x)
    {
    }
    WAVETRAP_HALF_MEMBER operator __half_raw() const
    {
        const __half_raw raw = {__x};
        return raw;
    }
    WAVETRAP_HALF_MEMBER __half(float value) : __x(wavetrap_half::narrow(value))
    {
    }
    WAVETRAP_HALF_MEMBER __half(double value)
        : __x(wavetrap_half::rounded(value, wavetrap_half::NEAREST))
    {
    }
#define WAVETRAP_FROM(type)                                                                        \
    WAVETRAP_HALF_MEMBER __half(type value)                                                        \
        : __x(wavetrap_half::rounded((double)value, wavetrap_half::NEAREST))                       \
    {                                                                                              \
    }
    WAVETRAP_FROM(int)
    WAVETRAP_FROM(unsigned)
    WAVETRAP_FROM(short)
    WAVETRAP_FROM(unsigned short)
    WAVETRAP_FROM(long)
    WAVETRAP_FROM(unsigned long)
    WAVETRAP_FROM(long long)
    WAVETRAP_FROM(unsigned long long)
#undef WAVETRAP_FROM
    WAVETRAP_HALF_MEMBER operator float() const
    {
        return wavetrap_half::widen(__x);
    }
};
typedef __half half;

struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    WAVETRAP_HALF_MEMBER __half2(__half low, __half high) : x(low), y(high)
    {
    }
};
typedef __half2 half2;

/* ---- conversions ---- */

namespace wavetrap_half
{
WAVETRAP_HALF __half of_bits(unsigned short bits)
{
    const __half_raw raw = {bits};
    return __half(raw);
}
WAVETRAP_HALF double wide(__half h)
{
    return widen(h.__x);
}
} // namespace wavetrap_half

WAVETRAP_HALF __half __float2half(float value)
{
    return __half(value);
}
WAVETRAP_HALF __half __float2half_rn(float value)
{
    return __half(value);
}
WAVETRAP_HALF __half __float2half_rz(float value)
{
    return wavetrap_half::of_bits(wavetrap_half::rounded(value, wavetrap_half::ZERO));
}
WAVETRAP_HALF __half __float2half_rd(float value)
{
    return wavetrap_half::of_bits(wavetrap_half::rounded(value, wavetrap_half::DOWN));
}
WAVETRAP_HALF __half __float2half_ru(float value)
{
    return wavetrap_half::of_bits(wavetrap_half::rounded(value, wavetrap_half::UP));
}
WAVETRAP_HALF __half __double2half(double value)
{
    return __half(value);
}
WAVETRAP_HALF float __half2float(__half h)
{
    return (float)h;
}
WAVETRAP_HALF __half2 __float2half2_rn(float value)
{
    return __half2(__half(value), __half(value));
}
WAVETRAP_HALF __half2 __floats2half2_rn(float low, float high)
{
    return __half2(__half(low), __half(high));
}
WAVETRAP_HALF __half2 __float22half2_rn(float2 v)
{
    return __half2(__half(v.x), __half(v.y));
}
WAVETRAP_HALF float2 __half22float2(__half2 h)
{
    return make_float2((float)h.x, (float)h.y);
}
WAVETRAP_HALF float __low2float(__half2 h)
{
    return (float)h.x;
}
WAVETRAP_HALF float __high2float(__half2 h)
{
    return (float)h.y;
}
WAVETRAP_HALF __half __low2half(__half2 h)
{
    return h.x;
}
WAVETRAP_HALF __half __high2half(__half2 h)
{
    return h.y;
}
WAVETRAP_HALF __half2 __low2half2(__half2 h)
{
    return __half2(h.x, h.x);
}
WAVETRAP_HALF __half2 __high2half2(__half2 h)
{
    return __half2(h.y, h.y);
}
WAVETRAP_HALF __half2 __lowhigh2highlow(__half2 h)
{
    return __half2(h.y, h.x);
}
WAVETRAP_HALF __half2 __lows2half2(__half2 a, __half2 b)
{
    return __half2(a.x, b.x);
}
WAVETRAP_HALF __half2 __highs2half2(__half2 a, __half2 b)
{
    return __half2(a.y, b.y);
}
WAVETRAP_HALF __half2 __halves2half2(__half low, __half high)
{
    return __half2(low, high);
}
WAVETRAP_HALF __half2 __half2half2(__half h)
{
    return __half2(h, h);
}
WAVETRAP_HALF __half2 make_half2(__half low, __half high)
{
    return __half2(low, high);
}
WAVETRAP_HALF short __half_as_short(__half h)
{
    return (short)h.__x;
}
WAVETRAP_HALF unsigned short __half_as_ushort(__half h)
{
    return h.__x;
}
WAVETRAP_HALF __half __short_as_half(short bits)
{
    return wavetrap_half::of_bits((unsigned short)bits);
}
WAVETRAP_HALF __half __ushort_as_half(unsigned short bits)
{
    return wavetrap_half::of_bits(bits);
}

/* To whole numbers: those beyond the range become its limits, NaN becomes 0. */
#define WAVETRAP_TO(name, type, least, most)                                                       \
    WAVETRAP_HALF type wavetrap_to_##name(double whole)                                            \
    {                                                                                              \
        return whole != whole             ? 0                                                      \
               : whole <= (double)(least) ? (least)                                                \
               : whole >= (double)(most)  ? (most)                                                 \
                                          : (type)whole;                                            \
    }                                                                                              \
    WAVETRAP_HALF type __half2##name##_rn(__half h)                                                \
    {                                                                                              \
        return wavetrap_to_##name(__builtin_rint((double)(float)h));                               \
    }                                                                                              \
    WAVETRAP_HALF type __half2##name##_rz(__half h)                                                \
    {                                                                                              \
        return wavetrap_to_##name(__builtin_trunc((double)(float)h));                              \
    }                                                                                              \
    WAVETRAP_HALF type __half2##name##_rd(__half h)                                                \
    {                                                                                              \
        return wavetrap_to_##name(__builtin_floor((double)(float)h));                              \
    }                                                                                              \
    WAVETRAP_HALF type __half2##name##_ru(__half h)                                                \
    {                                                                                              \
        return wavetrap_to_##name(__builtin_ceil((double)(float)h));                               \
    }                                                                                              \
    WAVETRAP_HALF __half __##name##2half_rn(type value)                                            \
    {                                                                                              \
        return __half((double)value);                                                              \
    }
WAVETRAP_TO(int, int, -2147483647 - 1, 2147483647)
WAVETRAP_TO(uint, unsigned, 0u, 4294967295u)
WAVETRAP_TO(short, short, (short)-32768, (short)32767)
WAVETRAP_TO(ushort, unsigned short, (unsigned short)0, (unsigned short)65535)
#undef WAVETRAP_TO

/* ---- arithmetic ---- */

#define WAVETRAP_NUMBER __half
#define WAVETRAP_PAIR __half2
#define WAVETRAP_FUNCTION WAVETRAP_HALF
#include <wavetrap_number16.h>
WAVETRAP_HALF __half2 __h2div(__half2 a, __half2 b)
{
    return __hdiv2(a, b);
}

/* From 0 to 1; NaN becomes 0. */
WAVETRAP_HALF __half wavetrap_saturated(float value)
{
    return __half(value > 0 ? value < 1 ? value : 1.0f : 0.0f);
}
#define WAVETRAP_SATURATED(name, op)                                                               \
    WAVETRAP_HALF __half __h##name##_sat(__half a, __half b)                                       \
    {                                                                                              \
        return wavetrap_saturated((float)a op(float) b);                                           \
    }                                                                                              \
    WAVETRAP_HALF __half2 __h##name##2_sat(__half2 a, __half2 b)                                   \
    {                                                                                              \
        return __half2(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y));                      \
    }
WAVETRAP_SATURATED(add, +)
WAVETRAP_SATURATED(sub, -)
WAVETRAP_SATURATED(mul, *)
#undef WAVETRAP_SATURATED

/* Rounded rightly by way of 53 bits. */
WAVETRAP_HALF __half __hfma(__half a, __half b, __half c)
{
    return __half((double)(float)a * (double)(float)b + (double)(float)c);
}
WAVETRAP_HALF __half __hfma_sat(__half a, __half b, __half c)
{
    return wavetrap_saturated((float)__hfma(a, b, c));
}
WAVETRAP_HALF __half __hfma_relu(__half a, __half b, __half c)
{
    const __half h = __hfma(a, b, c);
    return (float)h < 0 ? __half(0.0f) : h;
}
WAVETRAP_HALF __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
WAVETRAP_HALF __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c)
{
    return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
WAVETRAP_HALF __half __hneg(__half a)
{
    return wavetrap_half::of_bits(a.__x ^ 0x8000);
}
WAVETRAP_HALF __half __habs(__half a)
{
    return wavetrap_half::of_bits(a.__x & 0x7fff);
}
WAVETRAP_HALF __half2 __hneg2(__half2 a)
{
    return __half2(__hneg(a.x), __hneg(a.y));
}
WAVETRAP_HALF __half2 __habs2(__half2 a)
{
    return __half2(__habs(a.x), __habs(a.y));
}
WAVETRAP_HALF __half operator-(const __half &a)
{
    return __hneg(a);
}
WAVETRAP_HALF __half operator+(const __half &a)
{
    return a;
}
WAVETRAP_HALF __half2 operator-(const __half2 &a)
{
    return __hneg2(a);
}
WAVETRAP_HALF __half &operator++(__half &a)
{
    return a = __half((float)a + 1);
}
WAVETRAP_HALF __half &operator--(__half &a)
{
    return a = __half((float)a - 1);
}

/* ---- comparisons ---- */

WAVETRAP_HALF bool __hisnan(__half a)
{
    return (a.__x & 0x7fff) > 0x7c00;
}
WAVETRAP_HALF int __hisinf(__half a)
{
    return (a.__x & 0x7fff) != 0x7c00 ? 0 : a.__x & 0x8000 ? -1 : 1;
}

/* Ordered ones do not hold for NaN, those that end in u do. */
#define WAVETRAP_COMPARE(name, op)                                                                 \
    WAVETRAP_HALF bool __h##name(__half a, __half b)                                               \
    {                                                                                              \
        return !__hisnan(a) && !__hisnan(b) && (float)a op(float) b;                               \
    }                                                                                              \
    WAVETRAP_HALF bool __h##name##u(__half a, __half b)                                            \
    {                                                                                              \
        return __hisnan(a) || __hisnan(b) || (float)a op(float) b;                                 \
    }                                                                                              \
    WAVETRAP_HALF __half2 __h##name##2(__half2 a, __half2 b)                                       \
    {                                                                                              \
        return __half2(__half(__h##name(a.x, b.x) ? 1.0f : 0.0f),                                  \
                       __half(__h##name(a.y, b.y) ? 1.0f : 0.0f));                                 \
    }                                                                                              \
    WAVETRAP_HALF bool __hb##name##2(__half2 a, __half2 b)                                         \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    WAVETRAP_HALF bool operator op(const __half &a, const __half &b)                               \
    {                                                                                              \
        return (float)a op(float) b;                                                               \
    }                                                                                              \
    WAVETRAP_HALF bool operator op(const __half2 &a, const __half2 &b)                             \
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
WAVETRAP_HALF __half __hmax(__half a, __half b)
{
    if (__hisnan(a) || __hisnan(b))
        return __hisnan(a) ? __hisnan(b) ? wavetrap_half::of_bits(0x7fff) : b : a;
    return (float)a == (float)b  ? wavetrap_half::of_bits(a.__x & b.__x)
           : (float)a < (float)b ? b
                                 : a;
}
WAVETRAP_HALF __half __hmin(__half a, __half b)
{
    if (__hisnan(a) || __hisnan(b))
        return __hisnan(a) ? __hisnan(b) ? wavetrap_half::of_bits(0x7fff) : b : a;
    return (float)a == (float)b  ? wavetrap_half::of_bits(a.__x | b.__x)
           : (float)a < (float)b ? a
                                 : b;
}
WAVETRAP_HALF __half2 __hmax2(__half2 a, __half2 b)
{
    return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
WAVETRAP_HALF __half2 __hmin2(__half2 a, __half2 b)
{
    return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

/* ---- what only kernels have ---- */

#ifdef __CUDA__
#define WAVETRAP_MATHS(name, expression)                                                           \
    WAVETRAP_HALF_DEVICE __half h##name(__half h)                                                  \
    {                                                                                              \
        const float x = (float)h;                                                                  \
        return __half(expression);                                                                 \
    }                                                                                              \
    WAVETRAP_HALF_DEVICE __half2 h2##name(__half2 h)                                               \
    {                                                                                              \
        return __half2(h##name(h.x), h##name(h.y));                                                \
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

WAVETRAP_HALF_DEVICE unsigned wavetrap_word(__half2 h)
{
    return (unsigned)h.y.__x << 16 | h.x.__x;
}
WAVETRAP_HALF_DEVICE __half2 wavetrap_half2(unsigned word)
{
    return __half2(wavetrap_half::of_bits((unsigned short)word),
                   wavetrap_half::of_bits((unsigned short)(word >> 16)));
}

#define WAVETRAP_SHUFFLE(name, operand)                                                            \
    WAVETRAP_HALF_DEVICE __half name(unsigned mask, __half h, operand other, int width = 32)       \
    {                                                                                              \
        return wavetrap_half::of_bits((unsigned short)name(mask, (unsigned)h.__x, other, width));  \
    }                                                                                              \
    WAVETRAP_HALF_DEVICE __half2 name(unsigned mask, __half2 h, operand other, int width = 32)     \
    {                                                                                              \
        return wavetrap_half2(name(mask, wavetrap_word(h), other, width));                         \
    }
WAVETRAP_SHUFFLE(__shfl_sync, int)
WAVETRAP_SHUFFLE(__shfl_up_sync, unsigned)
WAVETRAP_SHUFFLE(__shfl_down_sync, unsigned)
WAVETRAP_SHUFFLE(__shfl_xor_sync, int)
#undef WAVETRAP_SHUFFLE

WAVETRAP_HALF_DEVICE __half __ldg(const __half *at)
{
    return wavetrap_half::of_bits(__ldg((const unsigned short *)at));
}
WAVETRAP_HALF_DEVICE __half2 __ldg(const __half2 *at)
{
    return wavetrap_half2(__ldg((const unsigned *)at));
}

/* By the word that the number is in. */
WAVETRAP_HALF_DEVICE __half2 atomicAdd(__half2 *at, __half2 value)
{
    unsigned *word = (unsigned *)at, old = *(volatile unsigned *)word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, wavetrap_word(__hadd2(wavetrap_half2(seen), value)));
    } while (old != seen);
    return wavetrap_half2(old);
}
WAVETRAP_HALF_DEVICE __half atomicAdd(__half *at, __half value)
{
    const bool upper = (unsigned long long)at & 2;
    unsigned *word = (unsigned *)((unsigned long long)at & ~3ull), old = *(volatile unsigned *)word;
    unsigned seen;
    do {
        __half2 both = wavetrap_half2(seen = old);
        (upper ? both.y : both.x) = __hadd(upper ? both.y : both.x, value);
        old = atomicCAS(word, seen, wavetrap_word(both));
    } while (old != seen);
    return upper ? wavetrap_half2(old).y : wavetrap_half2(old).x;
}
#endif

#endif

#endif
