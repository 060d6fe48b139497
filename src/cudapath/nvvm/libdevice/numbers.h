/*
 * The functions of libdevice that are an instruction or a few: bits, integers, conversions,
 * arithmetic with a rounding, and approximations.
 */
typedef unsigned char byte;

#define ASM(type, name, parameters, text, ...)                                                     \
    type __nv_##name parameters                                                                    \
    {                                                                                              \
        type r;                                                                                    \
        __asm__(text : __VA_ARGS__);                                                               \
        return r;                                                                                  \
    }

/* ---- bits and integers ---- */

int __nv_abs(int a)
{
    return a < 0 ? -(unsigned)a : a;
}
long long __nv_llabs(long long a)
{
    return a < 0 ? -(unsigned long long)a : a;
}
int __nv_brev(int a)
{
    return (int)__builtin_bitreverse32((unsigned)a);
}
long long __nv_brevll(long long a)
{
    return (long long)__builtin_bitreverse64((unsigned long long)a);
}
int __nv_clz(int a)
{
    return a ? __builtin_clz((unsigned)a) : 32;
}
int __nv_clzll(long long a)
{
    return a ? __builtin_clzll((unsigned long long)a) : 64;
}
int __nv_ffs(int a)
{
    return a ? __builtin_ctz((unsigned)a) + 1 : 0;
}
int __nv_ffsll(long long a)
{
    return a ? __builtin_ctzll((unsigned long long)a) + 1 : 0;
}
int __nv_popc(int a)
{
    return __builtin_popcount((unsigned)a);
}
int __nv_popcll(long long a)
{
    return __builtin_popcountll((unsigned long long)a);
}
unsigned __nv_byte_perm(unsigned a, unsigned b, unsigned s)
{
    unsigned r;
    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s & 0x7777));
    return r;
}

#define MIN_MAX(type, prefix)                                                                      \
    type __nv_##prefix##min(type a, type b)                                                        \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    type __nv_##prefix##max(type a, type b)                                                        \
    {                                                                                              \
        return a > b ? a : b;                                                                      \
    }
MIN_MAX(int, )
MIN_MAX(unsigned, u)
MIN_MAX(long long, ll)
MIN_MAX(unsigned long long, ull)

int __nv_mulhi(int a, int b)
{
    return (int)((long long)a * b >> 32);
}
unsigned __nv_umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
long long __nv_mul64hi(long long a, long long b)
{
    return (long long)((__int128)a * b >> 64);
}
unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
int __nv_mul24(int a, int b)
{
    return (int)((unsigned)((int)((unsigned)a << 8) >> 8) *
                 (unsigned)((int)((unsigned)b << 8) >> 8));
}
unsigned __nv_umul24(unsigned a, unsigned b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
unsigned __nv_sad(int a, int b, unsigned c)
{
    return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a);
}
unsigned __nv_usad(unsigned a, unsigned b, unsigned c)
{
    return c + (a > b ? a - b : b - a);
}
int __nv_hadd(int a, int b)
{
    return (int)(((long long)a + b) >> 1);
}
int __nv_rhadd(int a, int b)
{
    return (int)(((long long)a + b + 1) >> 1);
}
unsigned __nv_uhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
unsigned __nv_urhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}

/* ---- bits of floats ---- */

#define BITS(name, from, to)                                                                       \
    to __nv_##name(from a)                                                                         \
    {                                                                                              \
        union {                                                                                    \
            from f;                                                                                \
            to t;                                                                                  \
        } u = {a};                                                                                 \
        return u.t;                                                                                \
    }
BITS(float_as_int, float, int)
BITS(float_as_uint, float, unsigned)
BITS(int_as_float, int, float)
BITS(uint_as_float, unsigned, float)
BITS(double_as_longlong, double, long long)
BITS(longlong_as_double, long long, double)

int __nv_double2hiint(double a)
{
    return (int)(__nv_double_as_longlong(a) >> 32);
}
int __nv_double2loint(double a)
{
    return (int)__nv_double_as_longlong(a);
}
double __nv_hiloint2double(int high, int low)
{
    return __nv_longlong_as_double(
        (long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}
int __nv_signbitf(float a)
{
    return __nv_float_as_int(a) < 0;
}
int __nv_signbitd(double a)
{
    return __nv_double_as_longlong(a) < 0;
}
int __nv_isnanf(float a)
{
    return a != a;
}
int __nv_isnand(double a)
{
    return a != a;
}
int __nv_isinff(float a)
{
    return (__nv_float_as_uint(a) & 0x7fffffff) == 0x7f800000;
}
int __nv_isinfd(double a)
{
    return (__nv_double_as_longlong(a) & 0x7fffffffffffffff) == 0x7ff0000000000000;
}
int __nv_finitef(float a)
{
    return (__nv_float_as_uint(a) & 0x7f800000) != 0x7f800000;
}
int __nv_isfinited(double a)
{
    return (__nv_double_as_longlong(a) & 0x7ff0000000000000) != 0x7ff0000000000000;
}
float __nv_saturatef(float a)
{
    return a > 0 ? a < 1 ? a : 1 : 0;
}
float __nv_nanf(const byte *text)
{
    (void)text;
    return __builtin_nanf("");
}
double __nv_nan(const byte *text)
{
    (void)text;
    return __builtin_nan("");
}

/* ---- arithmetic with a rounding: to nearest, to zero, down, up ---- */

#define ROUNDINGS(M, ...)                                                                          \
    M(rn, rn, __VA_ARGS__) M(rz, rz, __VA_ARGS__) M(rd, rm, __VA_ARGS__) M(ru, rp, __VA_ARGS__)
#define BINARY(suffix, mode, op)                                                                   \
    ASM(float, f##op##_##suffix, (float a, float b), #op "." #mode ".f32 %0, %1, %2;", "=f"(r)     \
        : "f"(a), "f"(b))                                                                          \
    ASM(double, d##op##_##suffix, (double a, double b), #op "." #mode ".f64 %0, %1, %2;", "=d"(r)  \
        : "d"(a), "d"(b))
#define UNARY(suffix, mode, op)                                                                    \
    ASM(float, f##op##_##suffix, (float a), #op "." #mode ".f32 %0, %1;", "=f"(r) : "f"(a))        \
    ASM(double, d##op##_##suffix, (double a), #op "." #mode ".f64 %0, %1;", "=d"(r) : "d"(a))
#define FUSED(suffix, mode, op)                                                                    \
    ASM(float, fmaf_##suffix, (float a, float b, float c), "fma." #mode ".f32 %0, %1, %2, %3;",    \
        "=f"(r)                                                                                    \
        : "f"(a), "f"(b), "f"(c))                                                                  \
    ASM(double, fma_##suffix, (double a, double b, double c), "fma." #mode ".f64 %0, %1, %2, %3;", \
        "=d"(r)                                                                                    \
        : "d"(a), "d"(b), "d"(c))
ROUNDINGS(BINARY, add)
ROUNDINGS(BINARY, sub)
ROUNDINGS(BINARY, mul)
ROUNDINGS(BINARY, div)
ROUNDINGS(UNARY, rcp)
ROUNDINGS(UNARY, sqrt)
ROUNDINGS(FUSED, )
float __nv_frsqrt_rn(float a)
{
    return (float)(1 / __nv_dsqrt_rn(a));
}

/* ---- conversions ---- */

#define TO_INTEGER(suffix, mode, from, form, letter, to, name, integer, kind)                      \
    ASM(to, from##2##name##_##suffix, (from a), "cvt." #mode "i." #integer "." form " %0, %1;",    \
        kind(r)                                                                                    \
        : letter(a))
#define TO_INTEGERS(suffix, mode, from, form, letter)                                              \
    TO_INTEGER(suffix, mode, from, form, letter, int, int, s32, "=r")                              \
    TO_INTEGER(suffix, mode, from, form, letter, unsigned, uint, u32, "=r")                        \
    TO_INTEGER(suffix, mode, from, form, letter, long long, ll, s64, "=l")                         \
    TO_INTEGER(suffix, mode, from, form, letter, unsigned long long, ull, u64, "=l")
#define TO_FLOAT(suffix, mode, to, form, kind)                                                     \
    ASM(to, int2##to##_##suffix, (int a), "cvt." #mode "." form ".s32 %0, %1;", kind(r) : "r"(a))  \
    ASM(to, uint2##to##_##suffix, (unsigned a), "cvt." #mode "." form ".u32 %0, %1;", kind(r)      \
        : "r"(a))                                                                                  \
    ASM(to, ll2##to##_##suffix, (long long a), "cvt." #mode "." form ".s64 %0, %1;", kind(r)       \
        : "l"(a))                                                                                  \
    ASM(to, ull2##to##_##suffix, (unsigned long long a), "cvt." #mode "." form ".u64 %0, %1;",     \
        kind(r)                                                                                    \
        : "l"(a))
ROUNDINGS(TO_INTEGERS, float, "f32", "f")
ROUNDINGS(TO_INTEGERS, double, "f64", "d")
ROUNDINGS(TO_FLOAT, float, "f32", "=f")
ROUNDINGS(TO_FLOAT, double, "f64", "=d")
#define NARROW(suffix, mode, nothing)                                                              \
    ASM(float, double2float_##suffix, (double a), "cvt." #mode ".f32.f64 %0, %1;", "=f"(r) : "d"(a))
ROUNDINGS(NARROW, )
ASM(unsigned short, float2half_rn, (float a), "cvt.rn.f16.f32 %0, %1;", "=h"(r) : "f"(a))
ASM(float, half2float, (unsigned short a), "cvt.f32.f16 %0, %1;", "=f"(r) : "h"(a))

/* ---- approximations ---- */

ASM(float, fast_sinf, (float a), "sin.approx.f32 %0, %1;", "=f"(r) : "f"(a))
ASM(float, fast_cosf, (float a), "cos.approx.f32 %0, %1;", "=f"(r) : "f"(a))
ASM(float, fast_log2f, (float a), "lg2.approx.f32 %0, %1;", "=f"(r) : "f"(a))
ASM(float, fast_exp2f, (float a), "ex2.approx.f32 %0, %1;", "=f"(r) : "f"(a))
ASM(float, fast_fdividef, (float a, float b), "div.approx.f32 %0, %1, %2;", "=f"(r)
    : "f"(a), "f"(b))
float __nv_fast_tanf(float a)
{
    return __nv_fast_fdividef(__nv_fast_sinf(a), __nv_fast_cosf(a));
}
void __nv_fast_sincosf(float a, float *sine, float *cosine)
{
    *sine = __nv_fast_sinf(a);
    *cosine = __nv_fast_cosf(a);
}
float __nv_fast_expf(float a)
{
    return __nv_fast_exp2f(a * 0x1.715476p+0f); /* log2(e) */
}
float __nv_fast_exp10f(float a)
{
    return __nv_fast_exp2f(a * 0x1.a934f0p+1f);
}
float __nv_fast_logf(float a)
{
    return __nv_fast_log2f(a) * 0x1.62e430p-1f; /* ln(2) */
}
float __nv_fast_log10f(float a)
{
    return __nv_fast_log2f(a) * 0x1.344136p-2f;
}
float __nv_fast_powf(float a, float b)
{
    return __nv_fast_exp2f(b * __nv_fast_log2f(a));
}

/* ---- by the others ---- */

#define PAIR(type, s)                                                                              \
    void __nv_sincos##s(type a, type *sine, type *cosine)                                          \
    {                                                                                              \
        *sine = __nv_sin##s(a);                                                                    \
        *cosine = __nv_cos##s(a);                                                                  \
    }                                                                                              \
    type __nv_rcbrt##s(type a)                                                                     \
    {                                                                                              \
        return 1 / __nv_cbrt##s(a);                                                                \
    }                                                                                              \
    type __nv_rhypot##s(type a, type b)                                                            \
    {                                                                                              \
        return 1 / __nv_hypot##s(a, b);                                                            \
    }                                                                                              \
    type __nv_norm3d##s(type a, type b, type c)                                                    \
    {                                                                                              \
        return __nv_hypot##s(__nv_hypot##s(a, b), c);                                              \
    }                                                                                              \
    type __nv_norm4d##s(type a, type b, type c, type d)                                            \
    {                                                                                              \
        return __nv_hypot##s(__nv_norm3d##s(a, b, c), d);                                          \
    }                                                                                              \
    type __nv_nearbyint##s(type a)                                                                 \
    {                                                                                              \
        return __nv_rint##s(a);                                                                    \
    }                                                                                              \
    type __nv_modf##s(type a, type *whole)                                                         \
    {                                                                                              \
        *whole = __nv_trunc##s(a);                                                                 \
        return __nv_copysign##s(a == *whole ? 0 : a - *whole, a);                                  \
    }                                                                                              \
    type __nv_powi##s(type a, int b)                                                               \
    {                                                                                              \
        type power = 1;                                                                            \
        for (unsigned n = b < 0 ? -(unsigned)b : (unsigned)b; n; n >>= 1, a *= a)                  \
            power *= n & 1 ? a : 1;                                                                \
        return b < 0 ? 1 / power : power;                                                          \
    }                                                                                              \
    long long __nv_llrint##s(type a)                                                               \
    {                                                                                              \
        return (long long)__nv_rint##s(a);                                                         \
    }                                                                                              \
    long long __nv_llround##s(type a)                                                              \
    {                                                                                              \
        return (long long)__nv_round##s(a);                                                        \
    }
PAIR(float, f)
PAIR(double, )

/*
 * a times two to the power n, rounded once: libclc's loses NaNs of doubles, and floats that a large
 * power brings far beyond the range. A step down leaves `digits` more binary places than the least
 * normal number has; what such a step rounds is too small for the result to be anything but zero.
 */
#define SCALE(type, s, digits, most)                                                               \
    static type scale##s(type a, int n)                                                            \
    {                                                                                              \
        const type up = power_of_two##s(most), down = power_of_two##s(1 - most + digits);          \
        for (int i = 0; i < 2 && n > most; i++, n -= most)                                         \
            a *= up;                                                                               \
        for (int i = 0; i < 2 && n < 1 - most; i++, n += most - 1 - digits)                        \
            a *= down;                                                                             \
        return a * power_of_two##s(n > most ? most : n < 1 - most ? 1 - most : n);                 \
    }                                                                                              \
    type __nv_ldexp##s(type a, int b)                                                              \
    {                                                                                              \
        return scale##s(a, b);                                                                     \
    }                                                                                              \
    type __nv_scalbn##s(type a, int b)                                                             \
    {                                                                                              \
        return scale##s(a, b);                                                                     \
    }

static float power_of_twof(int n)
{
    return __builtin_bit_cast(float, (unsigned)(n + 127) << 23);
}
static double power_of_two(int n)
{
    return __builtin_bit_cast(double, (unsigned long long)(n + 1023) << 52);
}
SCALE(float, f, 24, 127)
SCALE(double, , 53, 1023)
