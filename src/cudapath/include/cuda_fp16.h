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

/* ---- arithmetic ---- */

/* Rounded rightly by way of 53 bits. */
WAVETRAP_HALF __half __hfma(__half a, __half b, __half c)
{
    return __half((double)(float)a * (double)(float)b + (double)(float)c);
}
#define WAVETRAP_NUMBER __half
#define WAVETRAP_PAIR __half2
#define WAVETRAP_NAME half
#define WAVETRAP_FUNCTION WAVETRAP_HALF
#define WAVETRAP_INFINITY 0x7c00
#include <wavetrap_number16.h>

#endif

#endif
