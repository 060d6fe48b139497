/*
 * Softfloat's binary32 and binary64 against the host's floating point unit, results and flags, in
 * its four rounding modes (x86-64 detects tininess after rounding too). Ties away from zero: from
 * the host's results to both sides, an exact test in binary128 says whether they are equally near.
 */
#include "softfloat_common.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* ---- operands ---- */

static const uint64_t corners64[] = {
    0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x0000000000000003,
    0x0008000000000000, 0x000ffffffffffffe, 0x000fffffffffffff, 0x0010000000000000,
    0x0010000000000001, 0x001fffffffffffff, 0x0020000000000000, 0x1ff0000000000000,
    0x1ff0000000000001, 0x1fffffffffffffff, 0x2000000000000000, 0x3680000000000000,
    0x380fffffffffffff, 0x3810000000000000, 0x380fffffe0000000, 0x36a0000000000001,
    0x3690000000000000, 0x3690000000000001, 0x3ca0000000000000, 0x3cb0000000000000,
    0x3cafffffffffffff, 0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fe0000000000001,
    0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000,
    0x3fffffffffffffff, 0x4000000000000000, 0x4004000000000000, 0x41dfffffffc00000,
    0x41dfffffffe00000, 0x41e0000000000000, 0x41e0000000200000, 0x41efffffffe00000,
    0x41efffffffffffff, 0x41f0000000000000, 0x4330000000000001, 0x43dfffffffffffff,
    0x43e0000000000000, 0x43e0000000000001, 0x43efffffffffffff, 0x43f0000000000000,
    0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x47f0000000000000,
    0x5fe0000000000000, 0x5fefffffffffffff, 0x7fdfffffffffffff, 0x7fe0000000000000,
    0x7feffffffffffffe, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001,
    0x7ff4000000000000, 0x7ff8000000000000, 0x7ff8000000000001, 0x7fffffffffffffff,
};

static const uint32_t corners32[] = {
    0x00000000, 0x00000001, 0x00000002, 0x00000003, 0x00400000, 0x007ffffe, 0x007fffff, 0x00800000,
    0x00800001, 0x00ffffff, 0x01000000, 0x1f800000, 0x1f800001, 0x1fffffff, 0x20000000, 0x32800000,
    0x33000000, 0x33000001, 0x33800000, 0x337fffff, 0x387fc000, 0x387fe000, 0x38800000, 0x3effffff,
    0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x3fffffff, 0x40000000,
    0x40200000, 0x477fe000, 0x477fefff, 0x477ff000, 0x47800000, 0x4b000001, 0x4effffff, 0x4f000000,
    0x4f000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f7fffff, 0x5f800000, 0x7e7fffff,
    0x7e800000, 0x7efffffe, 0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fa00000,
    0x7fc00000, 0x7fc00001, 0x7fffffff,
};

/* ---- the host's arithmetic ---- */

#define HOST(NAME, T, SQRT_FN, FMA_FN)                                                             \
    static T NAME(enum operation op, T a_in, T b_in, T c_in)                                       \
    {                                                                                              \
        volatile T a = a_in, b = b_in, c = c_in, r = 0;                                            \
        switch (op) {                                                                              \
        case ADD:                                                                                  \
            r = a + b;                                                                             \
            break;                                                                                 \
        case SUB:                                                                                  \
            r = a - b;                                                                             \
            break;                                                                                 \
        case MUL:                                                                                  \
            r = a * b;                                                                             \
            break;                                                                                 \
        case DIV:                                                                                  \
            r = a / b;                                                                             \
            break;                                                                                 \
        case SQRT:                                                                                 \
            r = SQRT_FN(a);                                                                        \
            break;                                                                                 \
        default:                                                                                   \
            r = FMA_FN(a, b, c);                                                                   \
        }                                                                                          \
        return r;                                                                                  \
    }
HOST(host32, float, sqrtf, fmaf)
HOST(host64, double, sqrt, fma)

static uint64_t theirs(unsigned width, enum operation op, uint64_t a, uint64_t b, uint64_t c,
                       int round, unsigned *flags)
{
    uint64_t r;
    fesetround(round);
    feclearexcept(FE_ALL_EXCEPT);
    if (width == 32)
        r = bits_of_f32(host32(op, f32_of((uint32_t)a), f32_of((uint32_t)b), f32_of((uint32_t)c)));
    else
        r = bits_of_f64(host64(op, f64_of(a), f64_of(b), f64_of(c)));
    *flags = host_flags();
    fesetround(FE_TONEAREST);
    return r;
}

static bool is_nan_bits(unsigned width, uint64_t bits)
{
    return width == 32 ? isnan(f32_of((uint32_t)bits)) : isnan(f64_of(bits));
}

static bool is_inf_bits(unsigned width, uint64_t bits)
{
    return width == 32 ? isinf(f32_of((uint32_t)bits)) : isinf(f64_of(bits));
}

/* A finite value of either format; an infinity stands for the power of two after the largest. */
static f128 wide(unsigned width, uint64_t bits)
{
    if (is_inf_bits(width, bits)) {
        f128 end = width == 32 ? (f128)0x1p127 * 2 : (f128)0x1p1023 * 2;
        return bits >> (width - 1) ? -end : end;
    }
    return width == 32 ? (f128)f32_of((uint32_t)bits) : (f128)f64_of(bits);
}

/* True when x + y is exactly m. What binary128 rounds has more bits than a midpoint. */
static bool sum_is(f128 x, f128 y, f128 m)
{
    f128 s = x + y;
    f128 large = (x < 0 ? -x : x) > (y < 0 ? -y : y) ? x : y;
    f128 small = large == x ? y : x;
    return s == m && s - large == small;
}

/* True when the exact result is midway between the neighbours low and high. */
static bool is_tie(unsigned width, enum operation op, const uint64_t in[3], uint64_t low,
                   uint64_t high)
{
    f128 m = (wide(width, low) + wide(width, high)) / 2;
    f128 a = wide(width, in[0]), b = wide(width, in[1]), c = wide(width, in[2]);
    switch (op) {
    case ADD:
        return sum_is(a, b, m);
    case SUB:
        return sum_is(a, -b, m);
    case MUL:
        return a * b == m;
    case DIV:
        return m * b == a;
    case SQRT:
        return m * m == a;
    default:
        return sum_is(a * b, c, m);
    }
}

static void compare_with_host(unsigned width, const uint64_t in[3])
{
    for (enum operation op = ADD; op < OPERATIONS; op++) {
        uint64_t host[4];
        unsigned flags[4];
        struct wt_fp fp;
        for (unsigned mode = WT_RNE; mode <= WT_RUP; mode++) {
            host[mode] = theirs(width, op, in[0], in[1], in[2], host_round[mode], &flags[mode]);
            fp = (struct wt_fp){.round = (uint8_t)mode};
            uint64_t got = ours(width, op, in[0], in[1], in[2], &fp);
            /* Whether infinity * 0 + NaN is invalid, IEEE 754 leaves open; RISC-V says yes. */
            if (op == FMA && is_nan_bits(width, in[2]))
                flags[mode] |= fp.flags & WT_FP_INVALID;
            expect(width, operation_name[op], mode, in, got, fp.flags, host[mode], flags[mode]);
        }
        uint64_t away = host[WT_RTZ] == host[WT_RDN] ? host[WT_RUP] : host[WT_RDN];
        uint64_t want = host[WT_RNE];
        if (host[WT_RNE] == host[WT_RTZ] && away != host[WT_RTZ] &&
            (flags[WT_RNE] & WT_FP_INEXACT) && is_tie(width, op, in, host[WT_RTZ], away))
            want = away;
        fp = (struct wt_fp){.round = WT_RMM};
        uint64_t got = ours(width, op, in[0], in[1], in[2], &fp);
        if (!(flags[WT_RNE] & WT_FP_INEXACT) && host[WT_RNE] != host[WT_RTZ])
            fail_msg("the host's rounding modes are not set");
        expect(width, operation_name[op], WT_RMM, in, got, fp.flags, want, flags[WT_RNE]);
    }
}

static void corner_values_as_on_the_host_32(void **state)
{
    const uint32_t addends[] = {0x00000001, 0x80000000, 0xbf800000, 0x7f7fffff,
                                0xff800000, 0x7f800001, 0x7fc00000, 0x33000000};
    for (size_t i = 0; i < 2 * COUNT(corners32); i++)
        for (size_t j = 0; j < 2 * COUNT(corners32); j++) {
            uint64_t in[3] = {corners32[i / 2] ^ (i & 1) << 31, corners32[j / 2] ^ (j & 1) << 31,
                              addends[(i + j) % COUNT(addends)]};
            compare_with_host(32, in);
        }
}

static void corner_values_as_on_the_host_64(void **state)
{
    const uint64_t addends[] = {0x0000000000000001, 0x8000000000000000, 0xbff0000000000000,
                                0x7fefffffffffffff, 0xfff0000000000000, 0x7ff0000000000001,
                                0x7ff8000000000000, 0x3ca0000000000000};
    for (size_t i = 0; i < 2 * COUNT(corners64); i++)
        for (size_t j = 0; j < 2 * COUNT(corners64); j++) {
            uint64_t in[3] = {corners64[i / 2] ^ (uint64_t)(i & 1) << 63,
                              corners64[j / 2] ^ (uint64_t)(j & 1) << 63,
                              addends[(i + j) % COUNT(addends)]};
            compare_with_host(64, in);
        }
}

static void random_values_as_on_the_host(void **state)
{
    uint64_t in[3];
    for (int i = 0; i < 60000; i++) {
        random_operands(8, 23, in);
        compare_with_host(32, in);
        random_operands(11, 52, in);
        compare_with_host(64, in);
    }
}

/* ---- comparisons, minimum, maximum, class ---- */

static void compare_order(unsigned width, uint64_t a, uint64_t b)
{
    const uint64_t in[3] = {a, b, 0};
    volatile double x = width == 32 ? (double)0 : f64_of(a), y = width == 32 ? 0 : f64_of(b);
    volatile float xf = f32_of((uint32_t)a), yf = f32_of((uint32_t)b);
    for (int which = 0; which < 3; which++) {
        volatile bool want;
        feclearexcept(FE_ALL_EXCEPT);
        if (which == 0)
            want = width == 32 ? xf == yf : x == y;
        else if (which == 1)
            want = width == 32 ? xf < yf : x < y;
        else
            want = width == 32 ? xf <= yf : x <= y;
        unsigned flags = host_flags();
        struct wt_fp fp = {0};
        bool got;
        if (width == 32)
            got = which == 0   ? wt_f32_eq((uint32_t)a, (uint32_t)b, &fp)
                  : which == 1 ? wt_f32_lt((uint32_t)a, (uint32_t)b, &fp)
                               : wt_f32_le((uint32_t)a, (uint32_t)b, &fp);
        else
            got = which == 0   ? wt_f64_eq(a, b, &fp)
                  : which == 1 ? wt_f64_lt(a, b, &fp)
                               : wt_f64_le(a, b, &fp);
        expect(width,
               which == 0   ? "eq"
               : which == 1 ? "lt"
                            : "le",
               0, in, got, fp.flags, want, flags);
    }

    /* minimumNumber and maximumNumber from the host's order. */
    bool a_nan = is_nan_bits(width, a), b_nan = is_nan_bits(width, b);
    bool less = width == 32 ? xf < yf : x < y;
    bool same = width == 32 ? xf == yf : x == y;
    bool a_first = less || (same && a >> (width - 1));
    uint64_t quiet = width == 32 ? 0x00400000u : 0x0008000000000000u;
    uint64_t nan = width == 32 ? 0x7fc00000u : 0x7ff8000000000000u;
    unsigned flags = (a_nan && !(a & quiet)) || (b_nan && !(b & quiet)) ? WT_FP_INVALID : 0;
    uint64_t min = a_nan && b_nan ? nan : a_nan ? b : b_nan ? a : a_first ? a : b;
    uint64_t max = a_nan && b_nan ? nan : a_nan ? b : b_nan ? a : a_first ? b : a;
    struct wt_fp fp = {0};
    uint64_t got = width == 32 ? wt_f32_min((uint32_t)a, (uint32_t)b, &fp) : wt_f64_min(a, b, &fp);
    expect(width, "min", 0, in, got, fp.flags, min, flags);
    fp.flags = 0;
    got = width == 32 ? wt_f32_max((uint32_t)a, (uint32_t)b, &fp) : wt_f64_max(a, b, &fp);
    expect(width, "max", 0, in, got, fp.flags, max, flags);
}

static void order_is_the_hosts(void **state)
{
    for (size_t i = 0; i < 2 * COUNT(corners32); i++)
        for (size_t j = 0; j < 2 * COUNT(corners32); j++)
            compare_order(32, corners32[i / 2] ^ (i & 1) << 31, corners32[j / 2] ^ (j & 1) << 31);
    for (size_t i = 0; i < 2 * COUNT(corners64); i++)
        for (size_t j = 0; j < 2 * COUNT(corners64); j++)
            compare_order(64, corners64[i / 2] ^ (uint64_t)(i & 1) << 63,
                          corners64[j / 2] ^ (uint64_t)(j & 1) << 63);
    for (int i = 0; i < 20000; i++) {
        uint64_t in[3];
        random_operands(8, 23, in);
        compare_order(32, in[0], in[1]);
        random_operands(11, 52, in);
        compare_order(64, in[0], in[1]);
    }
}

static unsigned class_by_host(int kind, bool negative, bool quiet)
{
    switch (kind) {
    case FP_INFINITE:
        return negative ? 1 : 1 << 7;
    case FP_NORMAL:
        return negative ? 1 << 1 : 1 << 6;
    case FP_SUBNORMAL:
        return negative ? 1 << 2 : 1 << 5;
    case FP_ZERO:
        return negative ? 1 << 3 : 1 << 4;
    default:
        return quiet ? 1 << 9 : 1 << 8;
    }
}

static void class_is_the_hosts(void **state)
{
    for (size_t i = 0; i < 2 * COUNT(corners32); i++) {
        uint32_t a = corners32[i / 2] ^ (uint32_t)(i & 1) << 31;
        assert_int_equal(wt_f32_class(a),
                         class_by_host(fpclassify(f32_of(a)), a >> 31, a & 0x00400000));
    }
    for (size_t i = 0; i < 2 * COUNT(corners64); i++) {
        uint64_t a = corners64[i / 2] ^ (uint64_t)(i & 1) << 63;
        assert_int_equal(wt_f64_class(a), class_by_host(fpclassify(f64_of(a)), a >> 63,
                                                        (a & 0x0008000000000000) != 0));
    }
    assert_int_equal(wt_f16_class(0xfc00), 1 << 0);
    assert_int_equal(wt_f16_class(0x8400), 1 << 1);
    assert_int_equal(wt_f16_class(0x83ff), 1 << 2);
    assert_int_equal(wt_f16_class(0x8000), 1 << 3);
    assert_int_equal(wt_f16_class(0x0000), 1 << 4);
    assert_int_equal(wt_f16_class(0x0001), 1 << 5);
    assert_int_equal(wt_f16_class(0x7bff), 1 << 6);
    assert_int_equal(wt_f16_class(0x7c00), 1 << 7);
    assert_int_equal(wt_f16_class(0xfdff), 1 << 8);
    assert_int_equal(wt_f16_class(0x7e00), 1 << 9);
}

/* ---- integers ---- */

static void compare_to_integer(unsigned width, uint64_t a)
{
    const uint64_t in[3] = {a, 0, 0};
    long double x = width == 32 ? (long double)f32_of((uint32_t)a) : (long double)f64_of(a);
    uint32_t a32 = (uint32_t)a;
    for (unsigned mode = WT_RNE; mode <= WT_RMM; mode++) {
        unsigned flags;
        struct wt_fp fp = {.round = (uint8_t)mode};
        uint64_t want = expected_integer(x, mode, INT32_MIN, INT32_MAX, &flags);
        uint64_t got =
            (uint64_t)(int64_t)(width == 32 ? wt_f32_to_i32(a32, &fp) : wt_f64_to_i32(a, &fp));
        expect(width, "to_i32", mode, in, got, fp.flags, want, flags);
        fp.flags = 0;
        want = expected_integer(x, mode, 0, UINT32_MAX, &flags);
        got = width == 32 ? wt_f32_to_u32(a32, &fp) : wt_f64_to_u32(a, &fp);
        expect(width, "to_u32", mode, in, got, fp.flags, want, flags);
        fp.flags = 0;
        want = expected_integer(x, mode, INT64_MIN, INT64_MAX, &flags);
        got = (uint64_t)(width == 32 ? wt_f32_to_i64(a32, &fp) : wt_f64_to_i64(a, &fp));
        expect(width, "to_i64", mode, in, got, fp.flags, want, flags);
        fp.flags = 0;
        want = expected_integer(x, mode, 0, UINT64_MAX, &flags);
        got = width == 32 ? wt_f32_to_u64(a32, &fp) : wt_f64_to_u64(a, &fp);
        expect(width, "to_u64", mode, in, got, fp.flags, want, flags);
    }
}

static void to_integers_as_on_the_host(void **state)
{
    for (size_t i = 0; i < 2 * COUNT(corners32); i++)
        compare_to_integer(32, corners32[i / 2] ^ (i & 1) << 31);
    for (size_t i = 0; i < 2 * COUNT(corners64); i++)
        compare_to_integer(64, corners64[i / 2] ^ (uint64_t)(i & 1) << 63);
    for (int i = 0; i < 60000; i++) {
        /* Exponents from below 1/2 to above 2^64. */
        uint64_t sign = random64() & 1, fraction = random_fraction();
        compare_to_integer(32, sign << 31 | (124 + random64() % 70) << 23 | (fraction & 0x7fffff));
        compare_to_integer(64, sign << 63 | (1020 + random64() % 70) << 52 |
                                   (fraction & 0xfffffffffffff));
    }
}

/* The neighbour that rounding to nearest, ties away from zero, chooses, of an exact value. */
static uint64_t nearest_away(unsigned width, f128 exact, uint64_t rne, uint64_t low, uint64_t away)
{
    if (rne == low && low != away && (wide(width, low) + wide(width, away)) / 2 == exact)
        return away;
    return rne;
}

static void compare_from_integer(uint64_t a)
{
    const uint64_t in[3] = {a, 0, 0};
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        volatile long double x = is_signed ? (long double)(int64_t)a : (long double)a;
        uint64_t host[2][4];
        unsigned flags[2][4];
        struct wt_fp fp;
        for (unsigned mode = WT_RNE; mode <= WT_RUP; mode++) {
            volatile float f;
            volatile double d;
            fesetround(host_round[mode]);
            feclearexcept(FE_ALL_EXCEPT);
            f = (float)x;
            flags[0][mode] = host_flags();
            host[0][mode] = bits_of_f32(f);
            feclearexcept(FE_ALL_EXCEPT);
            d = (double)x;
            flags[1][mode] = host_flags();
            host[1][mode] = bits_of_f64(d);
            fesetround(FE_TONEAREST);
        }
        for (unsigned mode = WT_RNE; mode <= WT_RMM; mode++) {
            for (int wider = 0; wider < 2; wider++) {
                unsigned width = wider ? 64 : 32, as = mode == WT_RMM ? WT_RNE : mode;
                const uint64_t *h = host[wider];
                uint64_t want = h[as];
                if (mode == WT_RMM)
                    want = nearest_away(width, (f128)x, h[WT_RNE], h[WT_RTZ],
                                        x < 0 ? h[WT_RDN] : h[WT_RUP]);
                fp = (struct wt_fp){.round = (uint8_t)mode};
                uint64_t got = is_signed ? (wider ? wt_i64_to_f64((int64_t)a, &fp)
                                                  : wt_i64_to_f32((int64_t)a, &fp))
                                         : (wider ? wt_u64_to_f64(a, &fp) : wt_u64_to_f32(a, &fp));
                expect(width, is_signed ? "from_i64" : "from_u64", mode, in, got, fp.flags, want,
                       flags[wider][as]);
            }
        }
    }
}

static void from_integers_as_on_the_host(void **state)
{
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < 64; j++)
            for (int d = -1; d <= 1; d++) {
                compare_from_integer(((uint64_t)1 << i) + ((uint64_t)1 << j) + (uint64_t)d);
                compare_from_integer(((uint64_t)1 << i) - ((uint64_t)1 << j) + (uint64_t)d);
            }
    for (int i = 0; i < 20000; i++)
        compare_from_integer(random_fraction() >> (random64() % 64));
}

/* ---- between binary32 and binary64 ---- */

static void compare_convert(uint64_t a)
{
    const uint64_t in[3] = {a, 0, 0};
    uint64_t host[4];
    unsigned flags[4];
    struct wt_fp fp;
    for (unsigned mode = WT_RNE; mode <= WT_RUP; mode++) {
        volatile double d = f64_of(a);
        volatile float f;
        fesetround(host_round[mode]);
        feclearexcept(FE_ALL_EXCEPT);
        f = (float)d;
        flags[mode] = host_flags();
        fesetround(FE_TONEAREST);
        host[mode] = bits_of_f32(f);
        fp = (struct wt_fp){.round = (uint8_t)mode};
        uint64_t got = wt_f64_to_f32(a, &fp);
        expect(64, "to_f32", mode, in, got, fp.flags, host[mode], flags[mode]);
    }
    uint64_t want = host[WT_RNE];
    if (!is_nan_bits(64, a) && !is_inf_bits(64, a))
        want = nearest_away(32, (f128)f64_of(a), host[WT_RNE], host[WT_RTZ],
                            a >> 63 ? host[WT_RDN] : host[WT_RUP]);
    fp = (struct wt_fp){.round = WT_RMM};
    uint64_t got = wt_f64_to_f32(a, &fp);
    expect(64, "to_f32", WT_RMM, in, got, fp.flags, want, flags[WT_RNE]);

    volatile float f = f32_of((uint32_t)a);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double d = (double)f;
    unsigned widen_flags = host_flags();
    fp = (struct wt_fp){0};
    got = wt_f32_to_f64((uint32_t)a, &fp);
    expect(32, "to_f64", 0, in, got, fp.flags, bits_of_f64(d), widen_flags);
}

static void formats_convert_as_on_the_host(void **state)
{
    for (size_t i = 0; i < 2 * COUNT(corners64); i++)
        compare_convert(corners64[i / 2] ^ (uint64_t)(i & 1) << 63);
    for (size_t i = 0; i < 2 * COUNT(corners32); i++)
        compare_convert(corners32[i / 2] ^ (i & 1) << 31);
    for (int i = 0; i < 100000; i++) {
        /* Exponents from below the smallest binary32 denormal to above the largest number. */
        uint64_t exp = random64() % 2 ? 0x360 + random64() % 48 : 0x47c + random64() % 6;
        compare_convert((random64() & 1) << 63 | exp << 52 | (random_fraction() & 0xfffffffffffff));
    }
}

/* ---- NaN modes ---- */

static void canonical_nan_by_default(void **state)
{
    struct wt_fp fp = {0};
    assert_int_equal(wt_f32_add(0xffc12345, 0x3f800000, &fp), 0x7fc00000);
    assert_int_equal(wt_f32_fma(0x3f800000, 0x3f800000, 0xffc12345, &fp), 0x7fc00000);
    assert_int_equal(wt_f32_sqrt(0xffc12345, &fp), 0x7fc00000);
    assert_true(wt_f32_to_f64(0xffc12345, &fp) == 0x7ff8000000000000);
    assert_int_equal(wt_f64_to_f32(0xfff8123456789abc, &fp), 0x7fc00000);
    assert_int_equal(fp.flags, 0);
    assert_int_equal(wt_f32_add(0x7f800001, 0x3f800000, &fp), 0x7fc00000);
    assert_int_equal(fp.flags, WT_FP_INVALID);
    fp.flags = 0;
    assert_int_equal(wt_f32_fma(0x7f800000, 0, 0x7fc00001, &fp), 0x7fc00000);
    assert_int_equal(fp.flags, WT_FP_INVALID);
}

static void first_nan_operand_when_asked(void **state)
{
    struct wt_fp fp = {.propagate_nan = true};
    assert_int_equal(wt_f32_add(0xffc12345, 0x7fc00001, &fp), 0xffc12345);
    assert_int_equal(wt_f32_sub(0x3f800000, 0xffc12345, &fp), 0xffc12345);
    assert_int_equal(wt_f32_mul(0x7fc00001, 0xffc12345, &fp), 0x7fc00001);
    assert_int_equal(wt_f32_fma(0, 0x3f800000, 0xffc12345, &fp), 0xffc12345);
    assert_int_equal(wt_f32_fma(0, 0x7fc00007, 0xffc12345, &fp), 0x7fc00007);
    assert_int_equal(wt_f32_min(0xffc12345, 0x7fc00001, &fp), 0xffc12345);
    assert_int_equal(wt_f32_sqrt(0xffc12345, &fp), 0xffc12345);
    assert_true(wt_f32_to_f64(0xffc12345, &fp) == 0xfff82468a0000000);
    assert_int_equal(wt_f64_to_f32(0xfff82468a0000000, &fp), 0xffc12345);
    assert_int_equal(wt_f32_to_f16(0xffc12345, &fp), 0xfe09);
    assert_int_equal(fp.flags, 0);
    assert_int_equal(wt_f32_add(0x3f800000, 0xff800001, &fp), 0xffc00001);
    assert_int_equal(fp.flags, WT_FP_INVALID);
    /* An invalid operation without a NaN operand still makes the canonical one. */
    fp.flags = 0;
    assert_int_equal(wt_f32_sub(0x7f800000, 0x7f800000, &fp), 0x7fc00000);
    assert_int_equal(fp.flags, WT_FP_INVALID);
    /* A payload that does not survive narrowing leaves a NaN, not an infinity. */
    fp.flags = 0;
    assert_int_equal(wt_f64_to_f32(0x7ff0000000000001, &fp), 0x7fc00000);
    assert_int_equal(fp.flags, WT_FP_INVALID);
}

/* ---- flushing ---- */

static void denormal_operands_are_zeros_when_asked(void **state)
{
    struct wt_fp fp = {.flush_input = true};
    assert_int_equal(wt_f32_add(0x807fffff, 0x80000001, &fp), 0x80000000);
    assert_int_equal(wt_f32_mul(0x007fffff, 0x7f000000, &fp), 0);
    assert_int_equal(wt_f32_fma(0x007fffff, 0x7f000000, 0x3f800000, &fp), 0x3f800000);
    assert_int_equal(wt_f32_sqrt(0x00000001, &fp), 0);
    assert_int_equal(wt_f32_min(0x80000001, 0x3f800000, &fp), 0x80000000);
    assert_true(wt_f32_eq(0x807fffff, 0x00000001, &fp));
    assert_false(wt_f32_lt(0x807fffff, 0x00000001, &fp));
    assert_true(wt_f32_to_f64(0x80000001, &fp) == 0x8000000000000000);
    fp.round = WT_RUP;
    assert_int_equal(wt_f32_to_i32(0x00000001, &fp), 0);
    assert_int_equal(fp.flags, 0);
    assert_int_equal(wt_f32_div(0x3f800000, 0x80000001, &fp), 0xff800000);
    assert_int_equal(fp.flags, WT_FP_DIVZERO);
    fp.flags = 0;
    assert_int_equal(wt_f32_mul(0x00000001, 0x7f800000, &fp), 0x7fc00000);
    assert_int_equal(fp.flags, WT_FP_INVALID);
    /* The format alone does not change: without the mode the denormal counts. */
    fp = (struct wt_fp){0};
    assert_int_equal(wt_f32_add(0x807fffff, 0x80000001, &fp), 0x80800000);
    /* Only operands: a denormal result stays. */
    fp = (struct wt_fp){.flush_input = true};
    assert_int_equal(wt_f32_mul(0x00800000, 0x3f000000, &fp), 0x00400000);
}

static void denormal_results_are_zeros_when_asked(void **state)
{
    struct wt_fp fp = {.flush_output = true};
    assert_int_equal(wt_f32_mul(0x80800000, 0x3f000000, &fp), 0x80000000);
    assert_int_equal(fp.flags, WT_FP_UNDERFLOW | WT_FP_INEXACT);
    fp.flags = 0;
    assert_int_equal(wt_f64_to_f16(0x3f00000000000000, &fp), 0);
    assert_int_equal(fp.flags, WT_FP_UNDERFLOW | WT_FP_INEXACT);
    fp.flags = 0;
    /* The smallest normal number is not a denormal. */
    assert_int_equal(wt_f32_mul(0x01000000, 0x3f000000, &fp), 0x00800000);
    /* Nor are denormal operands results. */
    assert_int_equal(wt_f32_add(0x00400000, 0x00400000, &fp), 0x00800000);
    assert_int_equal(fp.flags, 0);
}

#if defined(__SSE2__)
/* MXCSR.DAZ and MXCSR.FTZ are the same two modes. */
static void flushing_as_on_the_host(void **state)
{
    const unsigned daz = 0x0040, ftz = 0x8000;
    for (int i = 0; i < 200000; i++) {
        uint64_t in[3];
        random_operands(8, 23, in);
        unsigned modes = (i & 1 ? daz : 0) | (i & 2 ? ftz : 0);
        for (enum operation op = ADD; op < FMA; op++) {
            unsigned saved = _mm_getcsr();
            volatile float a = f32_of((uint32_t)in[0]), b = f32_of((uint32_t)in[1]);
            _mm_setcsr((saved & ~0x3fu) | modes);
            float r = host32(op, a, b, 0);
            unsigned raised = _mm_getcsr();
            _mm_setcsr(saved);
            unsigned flags =
                (raised & 0x20 ? WT_FP_INEXACT : 0u) | (raised & 0x10 ? WT_FP_UNDERFLOW : 0u) |
                (raised & 0x08 ? WT_FP_OVERFLOW : 0u) | (raised & 0x04 ? WT_FP_DIVZERO : 0u) |
                (raised & 0x01 ? WT_FP_INVALID : 0u);
            struct wt_fp fp = {.flush_input = modes & daz, .flush_output = (modes & ftz) != 0};
            uint64_t got = ours(32, op, in[0], in[1], 0, &fp);
            expect(32, operation_name[op], 0, in, got, fp.flags, bits_of_f32(r), flags);
        }
    }
}
#endif

static void flags_accumulate(void **state)
{
    struct wt_fp fp = {0};
    wt_f32_div(0x3f800000, 0, &fp);
    wt_f32_div(0x3f800000, 0x40400000, &fp);
    wt_f32_add(0x3f800000, 0x3f800000, &fp);
    assert_int_equal(fp.flags, WT_FP_DIVZERO | WT_FP_INEXACT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corner_values_as_on_the_host_32),
        cmocka_unit_test(corner_values_as_on_the_host_64),
        cmocka_unit_test(random_values_as_on_the_host),
        cmocka_unit_test(order_is_the_hosts),
        cmocka_unit_test(class_is_the_hosts),
        cmocka_unit_test(to_integers_as_on_the_host),
        cmocka_unit_test(from_integers_as_on_the_host),
        cmocka_unit_test(formats_convert_as_on_the_host),
        cmocka_unit_test(canonical_nan_by_default),
        cmocka_unit_test(first_nan_operand_when_asked),
        cmocka_unit_test(denormal_operands_are_zeros_when_asked),
        cmocka_unit_test(denormal_results_are_zeros_when_asked),
#if defined(__SSE2__)
        cmocka_unit_test(flushing_as_on_the_host),
#endif
        cmocka_unit_test(flags_accumulate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
