/*
 * Numbers of 16 bits with the exponent of a float (bfloat16) in CUDA C++: names and meanings are
 * those of NVIDIA's public documentation ("CUDA Math API", "Bfloat16 Precision Intrinsics"),
 * written anew. Arithmetic is done in FP32 or FP64 and rounded to nearest even, in kernels of any
 * GPU and on the host.
 */
#ifndef WAVETRAP_CUDA_BF16_H
#define WAVETRAP_CUDA_BF16_H

#include <cuda_runtime.h>

#ifdef __cplusplus

#ifdef __CUDA__
#define WAVETRAP_BF16 static inline WAVETRAP_BOTH
#define WAVETRAP_BF16_MEMBER WAVETRAP_BOTH
#else
#define WAVETRAP_BF16 static inline
#define WAVETRAP_BF16_MEMBER
#endif

typedef struct {
    unsigned short x;
} __nv_bfloat16_raw;
typedef struct {
    unsigned short x, y;
} __nv_bfloat162_raw;

namespace wavetrap_bf16
{
/* The upper half of a float, rounded to nearest even. Every NaN becomes 0x7fff. */
WAVETRAP_BF16 unsigned short narrow(float value)
{
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* By way of a float that keeps what it does not hold in its last bit, so that it is rounded once.
 */
WAVETRAP_BF16 unsigned short narrow(double value)
{
    float near = (float)value;
    unsigned bits;
    __builtin_memcpy(&bits, &near, sizeof bits);
    if ((double)near != value && (bits & 0x7fffffff) < 0x7f800000) {
        const bool away = (near < 0 ? -(double)near : near) > (value < 0 ? -value : value);
        bits = (bits - away) | 1;
        __builtin_memcpy(&near, &bits, sizeof bits);
    }
    return narrow(near);
}

/* Of whole numbers. Those above 2^53 keep in their last bit what a double does not hold. */
WAVETRAP_BF16 unsigned short narrow(unsigned long long size)
{
    return narrow((double)(size >> 53 && size & 0x7ff ? (size & ~0x7ffull) | 0x800 : size));
}
WAVETRAP_BF16 unsigned short narrow(long long value)
{
    const unsigned long long size = (unsigned long long)value;
    return value < 0 ? narrow(-size) | 0x8000 : narrow(size);
}

/* Towards 0; or, if `negative` or `positive`, numbers with that sign away from it. */
WAVETRAP_BF16 unsigned short directed(float value, bool negative, bool positive)
{
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    return (unsigned short)((bits >> 16) + (bits & 0xffff && (bits >> 31 ? negative : positive)));
}

/* A sum that is rounded to an odd last bit where it is not exact, so that narrow() rounds once. */
WAVETRAP_BF16 double odd_sum(double a, double b)
{
    double sum = a + b;
    const double part = sum - a, rest = (a - (sum - part)) + (b - part);
    unsigned long long bits;
    __builtin_memcpy(&bits, &sum, sizeof bits);
    if (rest == rest && rest != 0 && !(bits & 1)) {
        bits += (rest > 0) == (sum > 0) ? 1 : -1;
        __builtin_memcpy(&sum, &bits, sizeof bits);
    }
    return sum;
}

WAVETRAP_BF16 float widen(unsigned short number)
{
    const unsigned bits = (unsigned)number << 16;
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
} // namespace wavetrap_bf16

/* ---- types ---- */

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;
    WAVETRAP_BF16_MEMBER __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x)
    {
    }
    WAVETRAP_BF16_MEMBER operator __nv_bfloat16_raw() const
    {
        const __nv_bfloat16_raw raw = {__x};
        return raw;
    }
    WAVETRAP_BF16_MEMBER __nv_bfloat16(float value) : __x(wavetrap_bf16::narrow(value))
    {
    }
#define WAVETRAP_FROM(type)                                                                        \
    WAVETRAP_BF16_MEMBER __nv_bfloat16(type value) : __x(wavetrap_bf16::narrow((double)value))     \
    {                                                                                              \
    }
    WAVETRAP_FROM(double)
    WAVETRAP_FROM(int)
    WAVETRAP_FROM(unsigned)
    WAVETRAP_FROM(short)
    WAVETRAP_FROM(unsigned short)
#undef WAVETRAP_FROM
#define WAVETRAP_FROM(type, same)                                                                  \
    WAVETRAP_BF16_MEMBER __nv_bfloat16(type value) : __x(wavetrap_bf16::narrow((same)value))       \
    {                                                                                              \
    }
    WAVETRAP_FROM(long, long long)
    WAVETRAP_FROM(unsigned long, unsigned long long)
    WAVETRAP_FROM(long long, long long)
    WAVETRAP_FROM(unsigned long long, unsigned long long)
#undef WAVETRAP_FROM
    WAVETRAP_BF16_MEMBER operator float() const
    {
        return wavetrap_bf16::widen(__x);
    }
};
typedef __nv_bfloat16 nv_bfloat16;

struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    WAVETRAP_BF16_MEMBER __nv_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) : x(low), y(high)
    {
    }
};
typedef __nv_bfloat162 nv_bfloat162;

/* ---- conversions ---- */

WAVETRAP_BF16 __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits)
{
    const __nv_bfloat16_raw raw = {bits};
    return __nv_bfloat16(raw);
}
WAVETRAP_BF16 unsigned short __bfloat16_as_ushort(__nv_bfloat16 number)
{
    return number.__x;
}
WAVETRAP_BF16 __nv_bfloat16 __short_as_bfloat16(short bits)
{
    return __ushort_as_bfloat16((unsigned short)bits);
}
WAVETRAP_BF16 short __bfloat16_as_short(__nv_bfloat16 number)
{
    return (short)number.__x;
}
WAVETRAP_BF16 __nv_bfloat16 __float2bfloat16_rz(float value)
{
    return __ushort_as_bfloat16(wavetrap_bf16::directed(value, false, false));
}
WAVETRAP_BF16 __nv_bfloat16 __float2bfloat16_rd(float value)
{
    return __ushort_as_bfloat16(wavetrap_bf16::directed(value, true, false));
}
WAVETRAP_BF16 __nv_bfloat16 __float2bfloat16_ru(float value)
{
    return __ushort_as_bfloat16(wavetrap_bf16::directed(value, false, true));
}
WAVETRAP_BF16 __nv_bfloat16 __float2bfloat16(float value)
{
    return __nv_bfloat16(value);
}
WAVETRAP_BF16 __nv_bfloat16 __float2bfloat16_rn(float value)
{
    return __nv_bfloat16(value);
}
WAVETRAP_BF16 __nv_bfloat16 __double2bfloat16(double value)
{
    return __nv_bfloat16(value);
}
WAVETRAP_BF16 float __bfloat162float(__nv_bfloat16 number)
{
    return (float)number;
}
WAVETRAP_BF16 __nv_bfloat162 __floats2bfloat162_rn(float low, float high)
{
    return __nv_bfloat162(__nv_bfloat16(low), __nv_bfloat16(high));
}
WAVETRAP_BF16 __nv_bfloat162 __float2bfloat162_rn(float value)
{
    return __floats2bfloat162_rn(value, value);
}
WAVETRAP_BF16 __nv_bfloat162 __float22bfloat162_rn(float2 v)
{
    return __floats2bfloat162_rn(v.x, v.y);
}
WAVETRAP_BF16 float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return make_float2((float)v.x, (float)v.y);
}
WAVETRAP_BF16 __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 number)
{
    return __nv_bfloat162(number, number);
}
WAVETRAP_BF16 __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high)
{
    return __nv_bfloat162(low, high);
}

WAVETRAP_BF16 __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y)
{
    return __nv_bfloat162(x, y);
}
#define WAVETRAP_PART(name, part)                                                                  \
    WAVETRAP_BF16 __nv_bfloat16 __##name##2bfloat16(__nv_bfloat162 v)                              \
    {                                                                                              \
        return v.part;                                                                             \
    }                                                                                              \
    WAVETRAP_BF16 float __##name##2float(__nv_bfloat162 v)                                         \
    {                                                                                              \
        return (float)v.part;                                                                      \
    }                                                                                              \
    WAVETRAP_BF16 __nv_bfloat162 __##name##2bfloat162(__nv_bfloat162 v)                            \
    {                                                                                              \
        return __nv_bfloat162(v.part, v.part);                                                     \
    }
WAVETRAP_PART(low, x)
WAVETRAP_PART(high, y)
#undef WAVETRAP_PART

/* ---- arithmetic ---- */

WAVETRAP_BF16 __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return __nv_bfloat16(wavetrap_bf16::odd_sum((double)(float)a * (float)b, (float)c));
}
#define WAVETRAP_NUMBER __nv_bfloat16
#define WAVETRAP_PAIR __nv_bfloat162
#define WAVETRAP_NAME bfloat16
#define WAVETRAP_FUNCTION WAVETRAP_BF16
#define WAVETRAP_INFINITY 0x7f80
#include <wavetrap_number16.h>

#undef WAVETRAP_BF16
#undef WAVETRAP_BF16_MEMBER

#endif

#endif
