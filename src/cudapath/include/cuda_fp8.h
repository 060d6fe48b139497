/*
 * Numbers of 8 bits in CUDA C++: 4 bits of exponent and 3 of fraction (e4m3), or 5 and 2 (e5m2).
 * Names and meanings are those of NVIDIA's public documentation ("CUDA Math API", "FP8
 * Intrinsics"), written anew, for kernels of any GPU and the host. e4m3 has no infinity; its NaN
 * is 0x7f. A conversion rounds once, to nearest even; with __NV_SATFINITE what is too large, and
 * infinity, becomes the largest number; without it infinity, or NaN in e4m3.
 */
#ifndef WAVETRAP_CUDA_FP8_H
#define WAVETRAP_CUDA_FP8_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#ifdef __cplusplus

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

#define WAVETRAP_FP8 static inline WAVETRAP_BOTH

WAVETRAP_FP8 __nv_fp8_storage_t __nv_cvt_double_to_fp8(double value, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind)
{
    const int fraction = kind == __NV_E4M3 ? 3 : 2, least = kind == __NV_E4M3 ? -6 : -14;
    const unsigned largest = kind == __NV_E4M3 ? 0x7e : 0x7b;
    const unsigned beyond = saturate == __NV_SATFINITE ? largest : kind == __NV_E4M3 ? 0x7f : 0x7c;
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    const unsigned sign = (unsigned)(bits >> 63) << 7;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const unsigned long long significand = (bits & 0xfffffffffffffull) | 1ull << 52;
    if (value != value)
        return 0x7f;
    if (exponent > 15)
        return sign | beyond;
    if (exponent < least - fraction - 1)
        return sign;
    /* The bits below the last one that stays. */
    const int drop = 52 - fraction + (exponent < least ? least - exponent : 0);
    const unsigned long long half = 1ull << (drop - 1), rest = significand & (2 * half - 1);
    unsigned number = (unsigned)(significand >> drop);
    number += rest > half || (rest == half && number & 1);
    if (exponent >= least)
        number += (unsigned)(exponent - least) << fraction;
    return sign | (number > largest ? beyond : number);
}
WAVETRAP_FP8 __nv_fp8_storage_t __nv_cvt_float_to_fp8(float value, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_double_to_fp8(value, saturate, kind);
}
WAVETRAP_FP8 __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw value,
                                                        __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_double_to_fp8(__half2float(__half(value)), saturate, kind);
}
WAVETRAP_FP8 __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw value,
                                                            __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_double_to_fp8((float)__nv_bfloat16(value), saturate, kind);
}
WAVETRAP_FP8 __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 value, __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(value.x, saturate, kind) |
                                  __nv_cvt_float_to_fp8(value.y, saturate, kind) << 8);
}
/* Exact: a half has more exponent and fraction than either kind. */
WAVETRAP_FP8 __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t bits,
                                                __nv_fp8_interpretation_t kind)
{
    __half_raw raw;
    if (kind == __NV_E5M2) {
        raw.x = (unsigned short)((bits & 0x7f) > 0x7c ? 0x7fff : bits << 8);
        return raw;
    }
    const unsigned sign = (bits & 0x80u) << 8, exponent = bits >> 3 & 15, fraction = bits & 7;
    if ((bits & 0x7f) == 0x7f) {
        raw.x = 0x7fff;
    } else if (exponent) {
        raw.x = (unsigned short)(sign | (exponent + 8) << 10 | fraction << 7);
    } else { /* fraction * 2^-9: a half has it as a normal number */
        const unsigned top = fraction >= 4 ? 2 : fraction >= 2 ? 1 : 0;
        raw.x =
            (unsigned short)(fraction ? sign | (top + 6) << 10 | ((fraction << (10 - top)) & 0x3ff)
                                      : sign);
    }
    return raw;
}
WAVETRAP_FP8 __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t bits,
                                                    __nv_fp8_interpretation_t kind)
{
    __half2_raw raw;
    raw.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)bits, kind).x;
    raw.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(bits >> 8), kind).x;
    return raw;
}

/* Types: conversions to them saturate. */
#define WAVETRAP_FP8_TYPE(kind, KIND)                                                              \
    struct __nv_fp8_##kind {                                                                       \
        __nv_fp8_storage_t __x;                                                                    \
        __nv_fp8_##kind() = default;                                                               \
        template <class T>                                                                         \
        WAVETRAP_BOTH explicit __nv_fp8_##kind(T value)                                            \
            : __x(__nv_cvt_double_to_fp8((double)value, __NV_SATFINITE, KIND))                     \
        {                                                                                          \
        }                                                                                          \
        WAVETRAP_BOTH explicit __nv_fp8_##kind(__half value)                                       \
            : __x(__nv_cvt_float_to_fp8(__half2float(value), __NV_SATFINITE, KIND))                \
        {                                                                                          \
        }                                                                                          \
        WAVETRAP_BOTH explicit __nv_fp8_##kind(__nv_bfloat16 value)                                \
            : __x(__nv_cvt_float_to_fp8((float)value, __NV_SATFINITE, KIND))                       \
        {                                                                                          \
        }                                                                                          \
        WAVETRAP_BOTH explicit operator float() const                                              \
        {                                                                                          \
            return __half2float(__half(__nv_cvt_fp8_to_halfraw(__x, KIND)));                       \
        }                                                                                          \
        WAVETRAP_BOTH explicit operator double() const                                             \
        {                                                                                          \
            return (float)*this;                                                                   \
        }                                                                                          \
        WAVETRAP_BOTH explicit operator __half() const                                             \
        {                                                                                          \
            return __half(__nv_cvt_fp8_to_halfraw(__x, KIND));                                     \
        }                                                                                          \
        WAVETRAP_BOTH explicit operator __nv_bfloat16() const                                      \
        {                                                                                          \
            return __nv_bfloat16((float)*this);                                                    \
        }                                                                                          \
        WAVETRAP_BOTH explicit operator bool() const                                               \
        {                                                                                          \
            return __x & 0x7f;                                                                     \
        }                                                                                          \
    };                                                                                             \
    struct __attribute__((aligned(2))) __nv_fp8x2_##kind {                                         \
        __nv_fp8x2_storage_t __x;                                                                  \
        __nv_fp8x2_##kind() = default;                                                             \
        WAVETRAP_BOTH explicit __nv_fp8x2_##kind(float2 value)                                     \
            : __x(__nv_cvt_float2_to_fp8x2(value, __NV_SATFINITE, KIND))                           \
        {                                                                                          \
        }                                                                                          \
        WAVETRAP_BOTH explicit __nv_fp8x2_##kind(double2 v)                                        \
            : __x((__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(v.x, __NV_SATFINITE, KIND) |       \
                                         __nv_cvt_double_to_fp8(v.y, __NV_SATFINITE, KIND) << 8))  \
        {                                                                                          \
        }                                                                                          \
        WAVETRAP_BOTH explicit __nv_fp8x2_##kind(__half2 v)                                        \
            : __nv_fp8x2_##kind(make_float2((float)v.x, (float)v.y))                               \
        {                                                                                          \
        }                                                                                          \
        WAVETRAP_BOTH explicit __nv_fp8x2_##kind(__nv_bfloat162 v)                                 \
            : __nv_fp8x2_##kind(make_float2((float)v.x, (float)v.y))                               \
        {                                                                                          \
        }                                                                                          \
        WAVETRAP_BOTH explicit operator float2() const                                             \
        {                                                                                          \
            const __half2_raw raw = __nv_cvt_fp8x2_to_halfraw2(__x, KIND);                         \
            const __half_raw x = {raw.x}, y = {raw.y};                                             \
            return make_float2(__half2float(__half(x)), __half2float(__half(y)));                  \
        }                                                                                          \
    };                                                                                             \
    struct __attribute__((aligned(4))) __nv_fp8x4_##kind {                                         \
        __nv_fp8x4_storage_t __x;                                                                  \
        __nv_fp8x4_##kind() = default;                                                             \
        WAVETRAP_BOTH explicit __nv_fp8x4_##kind(float4 v)                                         \
            : __x(__nv_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __NV_SATFINITE, KIND) |          \
                  (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(v.z, v.w), __NV_SATFINITE, KIND)  \
                      << 16)                                                                       \
        {                                                                                          \
        }                                                                                          \
        WAVETRAP_BOTH explicit __nv_fp8x4_##kind(double4 v)                                        \
            : __x(__nv_fp8x2_##kind(make_double2(v.x, v.y)).__x |                                  \
                  (unsigned)__nv_fp8x2_##kind(make_double2(v.z, v.w)).__x << 16)                   \
        {                                                                                          \
        }                                                                                          \
        WAVETRAP_BOTH __nv_fp8x4_##kind(__half2 low, __half2 high)                                 \
            : __x(__nv_fp8x2_##kind(low).__x | (unsigned)__nv_fp8x2_##kind(high).__x << 16)        \
        {                                                                                          \
        }                                                                                          \
        WAVETRAP_BOTH __nv_fp8x4_##kind(__nv_bfloat162 low, __nv_bfloat162 high)                   \
            : __x(__nv_fp8x2_##kind(low).__x | (unsigned)__nv_fp8x2_##kind(high).__x << 16)        \
        {                                                                                          \
        }                                                                                          \
        WAVETRAP_BOTH explicit operator float4() const                                             \
        {                                                                                          \
            __nv_fp8x2_##kind low, high;                                                           \
            low.__x = (__nv_fp8x2_storage_t)__x;                                                   \
            high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                          \
            const float2 a = (float2)low, b = (float2)high;                                        \
            return make_float4(a.x, a.y, b.x, b.y);                                                \
        }                                                                                          \
    };
WAVETRAP_FP8_TYPE(e4m3, __NV_E4M3)
WAVETRAP_FP8_TYPE(e5m2, __NV_E5M2)
#undef WAVETRAP_FP8_TYPE
#undef WAVETRAP_FP8

#endif

#endif
