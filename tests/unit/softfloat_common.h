/* What the tests of softfloat share: operands, the host's flags, our functions by name. */
#ifndef SOFTFLOAT_COMMON_H
#define SOFTFLOAT_COMMON_H

#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "emulator/machine/softfloat.h"

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;
/* binary128, by the name that the compiler has for it. */
#if defined(__clang__) && defined(__x86_64__)
__extension__ typedef __float128 f128;
#elif defined(__clang__)
typedef long double f128;
#else
__extension__ typedef _Float128 f128;
#endif

static const int host_round[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
static const char *const round_name[] = {"rne", "rtz", "rdn", "rup", "rmm"};

/* xorshift64*: the same operands in every run. */
static uint64_t random_state = 0x9e3779b97f4a7c15u;

static inline uint64_t random64(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1du;
}

static inline unsigned host_flags(void)
{
    int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_INEXACT ? WT_FP_INEXACT : 0u) |
           (raised & FE_UNDERFLOW ? WT_FP_UNDERFLOW : 0u) |
           (raised & FE_OVERFLOW ? WT_FP_OVERFLOW : 0u) |
           (raised & FE_DIVBYZERO ? WT_FP_DIVZERO : 0u) |
           (raised & FE_INVALID ? WT_FP_INVALID : 0u);
}

static inline double f64_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

static inline float f32_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static inline uint64_t bits_of_f64(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, 8);
    return isnan(d) ? 0x7ff8000000000000u : bits; /* one NaN for all, as in RISC-V */
}

static inline uint32_t bits_of_f32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return isnan(f) ? 0x7fc00000u : bits;
}

enum operation { ADD, SUB, MUL, DIV, SQRT, FMA, OPERATIONS };
static const char *const operation_name[] = {"add", "sub", "mul", "div", "sqrt", "fma"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A fraction that is random, or has few ones, or few zeros. */
static inline uint64_t random_fraction(void)
{
    switch (random64() % 4) {
    case 0:
        return random64();
    case 1:
        return random64() << (random64() % 64);
    case 2:
        return ~(uint64_t)0 << (random64() % 64);
    default:
        return ((uint64_t)1 << (random64() % 64)) | ((uint64_t)1 << (random64() % 64));
    }
}

/* Operands whose exponents are near one another, near a limit of the format, or anything. */
static inline void random_operands(unsigned exp_bits, unsigned frac_bits, uint64_t out[3])
{
    uint64_t exps = (uint64_t)1 << exp_bits;
    uint64_t centre = random64() % exps;
    unsigned near = (unsigned)(random64() % 4);
    for (int i = 0; i < 3; i++) {
        uint64_t exp = centre;
        if (near == 0)
            exp = random64();
        else if (near == 1)
            exp += random64() % 7;
        else if (near == 2)
            exp += random64() % (2 * frac_bits + 6);
        else
            exp = random64() % 2 ? random64() % (frac_bits + 4) : exps / 2 + random64() % 4;
        uint64_t fraction = random_fraction() & (((uint64_t)1 << frac_bits) - 1);
        out[i] = (random64() & 1) << (exp_bits + frac_bits) | (exp % exps) << frac_bits | fraction;
    }
    if (random64() % 8 == 0) /* a product that nearly cancels the addend */
        out[2] = ((out[2] ^ out[0]) & ((uint64_t)1 << (exp_bits + frac_bits))) | (out[0] >> 1);
}

static inline uint64_t ours(unsigned width, enum operation op, uint64_t a, uint64_t b, uint64_t c,
                            struct wt_fp *fp)
{
    switch (op) {
#define CASE(OP, F16, F32, F64)                                                                    \
    case OP:                                                                                       \
        return width == 16 ? F16 : width == 32 ? F32 : F64;
#define TWO(OP, NAME)                                                                              \
    CASE(OP, wt_f16_##NAME((uint16_t)a, (uint16_t)b, fp),                                          \
         wt_f32_##NAME((uint32_t)a, (uint32_t)b, fp), wt_f64_##NAME(a, b, fp))
        TWO(ADD, add)
        TWO(SUB, sub)
        TWO(MUL, mul)
        TWO(DIV, div)
        CASE(SQRT, wt_f16_sqrt((uint16_t)a, fp), wt_f32_sqrt((uint32_t)a, fp), wt_f64_sqrt(a, fp))
    default:
        return width == 16   ? wt_f16_fma((uint16_t)a, (uint16_t)b, (uint16_t)c, fp)
               : width == 32 ? wt_f32_fma((uint32_t)a, (uint32_t)b, (uint32_t)c, fp)
                             : wt_f64_fma(a, b, c, fp);
    }
}

static inline void expect(unsigned width, const char *what, unsigned round, const uint64_t in[3],
                          uint64_t got, unsigned got_flags, uint64_t want, unsigned want_flags)
{
    if (got == want && got_flags == want_flags)
        return;
    fail_msg("f%u %s %s of %llx %llx %llx: got %llx flags %02x, expected %llx flags %02x", width,
             what, round_name[round], (unsigned long long)in[0], (unsigned long long)in[1],
             (unsigned long long)in[2], (unsigned long long)got, got_flags,
             (unsigned long long)want, want_flags);
}

/* x rounded to an integer by the host; binary80 holds every binary64 and every int64 exactly. */
static inline long double host_integer(long double x, unsigned mode)
{
    volatile long double v = x;
    long double r;
    if (mode == WT_RMM)
        return roundl(v);
    fesetround(host_round[mode]);
    r = rintl(v);
    fesetround(FE_TONEAREST);
    return r;
}

static inline uint64_t expected_integer(long double x, unsigned mode, long double min,
                                        long double max, unsigned *flags)
{
    *flags = WT_FP_INVALID;
    if (isnan(x))
        return (uint64_t)max;
    long double r = host_integer(x, mode);
    if (r > max)
        return (uint64_t)max;
    if (r < min)
        return min < 0 ? (uint64_t)(int64_t)min : 0;
    *flags = r != x ? WT_FP_INEXACT : 0;
    return r < 0 ? (uint64_t)(int64_t)r : (uint64_t)r;
}

#endif
