/*
 * Softfloat's binary16 against exact arithmetic in 128-bit integers, rounded by searching for the
 * neighbours of the exact value among all binary16 numbers.
 */
#include "softfloat_common.h"

/* Finite binary16 values and the end of the range, in units of 2^-24: index is the encoding. */
static int64_t half_units(uint16_t magnitude)
{
    unsigned exp = magnitude >> 10;
    int64_t fraction = magnitude & 0x3ff;
    return exp ? (fraction + 0x400) << (exp - 1) : fraction;
}

/*
 * How an exact magnitude compares with a number of units of 2^-25 (so that midpoints have one):
 * each operation below says so in its own way, without rounding anything.
 */
typedef int (*compare_fn)(const void *exact, i128 halves);

/* The binary16 nearest to an exact magnitude not zero, by searching among all of them. */
static uint16_t search16(compare_fn compare, const void *exact, bool sign, unsigned mode,
                         unsigned *flags)
{
    unsigned low = 0, high = 0x7c00; /* encoding 0x7c00 stands for 2^16 here */
    bool beyond = compare(exact, 2 * (i128)half_units(0x7c00)) >= 0;
    *flags = 0;
    if (beyond) {
        low = 0x7bff;
    } else {
        while (high - low > 1) {
            unsigned middle = (low + high) / 2;
            if (compare(exact, 2 * (i128)half_units((uint16_t)middle)) >= 0)
                low = middle;
            else
                high = middle;
        }
        if (compare(exact, 2 * (i128)half_units((uint16_t)low)) == 0)
            return (uint16_t)(low | sign << 15);
    }
    int tie = beyond ? 1 : compare(exact, half_units((uint16_t)low) + half_units((uint16_t)high));
    bool up = mode == WT_RNE   ? tie > 0 || (tie == 0 && (low & 1))
              : mode == WT_RTZ ? false
              : mode == WT_RDN ? sign
              : mode == WT_RUP ? !sign
                               : tie >= 0;
    unsigned r = up ? low + 1 : low;
    *flags = WT_FP_INEXACT;
    /* 11 bits with an unbounded exponent: below 2^-14 those are multiples of 2^-25, and the last
     * of them, (2^11 - 1) * 2^-25, is followed by 2^-14 itself. */
    if (low < 0x400) {
        i128 last = 2 * (i128)0x400 - 1;
        bool reaches = false;
        if (low == 0x3ff && compare(exact, last) > 0) {
            /* Between the last and 2^-14; their midpoint is not a whole number of units. */
            if (mode == WT_RNE || mode == WT_RMM)
                reaches = compare(exact, -(4 * (i128)0x400 - 1)) >= 0;
            else
                reaches = mode == WT_RDN ? sign : mode == WT_RUP ? !sign : false;
        }
        if (!reaches)
            *flags |= WT_FP_UNDERFLOW;
    }
    if (beyond || r == 0x7c00)
        *flags |= WT_FP_OVERFLOW;
    return (uint16_t)(r | sign << 15);
}

/* Negative numbers of units stand for units of 2^-26, for the one midpoint that needs them. */
static int compare_scaled(i128 scaled, i128 halves, unsigned shift)
{
    /* scaled is in units of 2^-(24 + shift); halves of 2^-25 or, negative, of 2^-26 */
    i128 other = halves >= 0 ? (halves << shift) << 1 : -halves << shift;
    i128 mine = scaled << 2;
    return (mine > other) - (mine < other);
}

static int compare_units24(const void *exact, i128 halves)
{
    return compare_scaled(*(const i128 *)exact, halves, 0);
}

static int compare_units48(const void *exact, i128 halves)
{
    return compare_scaled(*(const i128 *)exact, halves, 24);
}

struct ratio {
    i128 a, b;
};

/* a / b against h: a against h * b. */
static int compare_ratio(const void *exact, i128 halves)
{
    const struct ratio *q = exact;
    /* a / b is a number; h / 2^25 (or -h / 2^26) is the other */
    i128 mine = q->a << 26, other = (halves >= 0 ? halves * 2 : -halves) * q->b;
    return (mine > other) - (mine < other);
}

/* sqrt(a * 2^-24) against h * 2^-25: a * 2^-24 against h * h * 2^-50. */
static int compare_root(const void *exact, i128 halves)
{
    i128 h = halves >= 0 ? halves * 2 : -halves;
    i128 mine = *(const i128 *)exact << 28, other = h * h;
    return (mine > other) - (mine < other);
}

static bool finite16(uint16_t a)
{
    return (a & 0x7c00) != 0x7c00;
}

static i128 units(uint16_t a)
{
    i128 u = half_units(a & 0x7fff);
    return a >> 15 ? -u : u;
}

/* What binary16 arithmetic gives for finite operands, but for an exact zero. */
static bool reference16(enum operation op, const uint64_t in[3], unsigned mode, uint16_t *result,
                        unsigned *flags)
{
    i128 a = units((uint16_t)in[0]), b = units((uint16_t)in[1]), c = units((uint16_t)in[2]);
    i128 exact;
    compare_fn compare = compare_units24;
    struct ratio q;
    const void *value = &exact;
    bool sign;
    switch (op) {
    case ADD:
    case SUB:
        exact = op == ADD ? a + b : a - b;
        break;
    case MUL:
    case FMA:
        exact = a * b + (op == FMA ? c * ((i128)1 << 24) : 0);
        compare = compare_units48;
        break;
    case DIV:
        if (b == 0)
            return false;
        exact = (a < 0) != (b < 0) ? -1 : 1;
        if (a == 0)
            exact = 0;
        q.a = a < 0 ? -a : a;
        q.b = b < 0 ? -b : b;
        compare = compare_ratio;
        value = &q;
        break;
    default:
        if (a < 0)
            return false;
        exact = a;
        compare = compare_root;
    }
    if (exact == 0)
        return false;
    sign = exact < 0;
    if (sign)
        exact = -exact;
    *result = search16(compare, value, sign, mode, flags);
    return true;
}

static void compare_half(const uint64_t in[3])
{
    for (enum operation op = ADD; op < OPERATIONS; op++)
        for (unsigned mode = WT_RNE; mode <= WT_RMM; mode++) {
            uint16_t want;
            unsigned flags;
            if (!reference16(op, in, mode, &want, &flags))
                continue;
            struct wt_fp fp = {.round = (uint8_t)mode};
            uint64_t got = ours(16, op, in[0], in[1], in[2], &fp);
            expect(16, operation_name[op], mode, in, got, fp.flags, want, flags);
        }
}

static const uint16_t corners16[] = {
    0x0000, 0x0001, 0x0002, 0x0003, 0x0200, 0x03fe, 0x03ff, 0x0400, 0x0401, 0x07ff,
    0x0800, 0x1400, 0x1800, 0x13ff, 0x37ff, 0x3800, 0x3801, 0x3bff, 0x3c00, 0x3c01,
    0x3e00, 0x3fff, 0x4000, 0x4100, 0x5bff, 0x5c00, 0x77ff, 0x7800, 0x7bfe, 0x7bff,
};

static void half_is_exact(void **state)
{
    uint64_t in[3];
    for (size_t i = 0; i < 2 * COUNT(corners16); i++)
        for (size_t j = 0; j < 2 * COUNT(corners16); j++)
            for (size_t k = 0; k < 2 * COUNT(corners16); k += 5) {
                in[0] = corners16[i / 2] ^ (i & 1) << 15;
                in[1] = corners16[j / 2] ^ (j & 1) << 15;
                in[2] = corners16[k / 2] ^ (k & 1) << 15;
                compare_half(in);
            }
    for (int i = 0; i < 40000; i++) {
        random_operands(5, 10, in);
        if (finite16((uint16_t)in[0]) && finite16((uint16_t)in[1]) && finite16((uint16_t)in[2]))
            compare_half(in);
    }
    for (unsigned a = 0; a < 0x7c00; a++) { /* every root */
        const uint64_t one[3] = {a, 0, 0};
        for (unsigned mode = WT_RNE; mode <= WT_RMM; mode++) {
            uint16_t want;
            unsigned flags;
            struct wt_fp fp = {.round = (uint8_t)mode};
            if (reference16(SQRT, one, mode, &want, &flags)) {
                uint16_t got = wt_f16_sqrt((uint16_t)a, &fp);
                expect(16, "sqrt", mode, one, got, fp.flags, want, flags);
            }
        }
    }
}

/* Every binary16 through the wider formats and back, and to integers, as its value says. */
static void half_converts(void **state)
{
    for (unsigned i = 0; i < 0x10000; i++) {
        uint16_t a = (uint16_t)i;
        struct wt_fp fp = {0};
        uint32_t single = wt_f16_to_f32(a, &fp);
        uint64_t dbl = wt_f16_to_f64(a, &fp);
        if (!finite16(a) && (a & 0x3ff)) {
            assert_int_equal(single, 0x7fc00000);
            assert_true(dbl == 0x7ff8000000000000);
            assert_int_equal(fp.flags, a & 0x200 ? 0 : WT_FP_INVALID);
            continue;
        }
        double value = finite16(a) ? (double)half_units(a & 0x7fff) * 0x1p-24 : INFINITY;
        value = a >> 15 ? -value : value;
        assert_true(dbl == bits_of_f64(value));
        assert_int_equal(single, bits_of_f32((float)value));
        assert_int_equal(wt_f32_to_f16(single, &fp), a);
        assert_int_equal(wt_f64_to_f16(dbl, &fp), a);
        assert_int_equal(fp.flags, 0);
        for (unsigned mode = WT_RNE; mode <= WT_RMM; mode++) {
            unsigned flags;
            const uint64_t in[3] = {a, 0, 0};
            fp = (struct wt_fp){.round = (uint8_t)mode};
            uint64_t want = expected_integer(value, mode, INT32_MIN, INT32_MAX, &flags);
            uint64_t got = (uint64_t)(int64_t)wt_f16_to_i32(a, &fp);
            expect(16, "to_i32", mode, in, got, fp.flags, want, flags);
            fp.flags = 0;
            want = expected_integer(value, mode, 0, UINT32_MAX, &flags);
            got = wt_f16_to_u32(a, &fp);
            expect(16, "to_u32", mode, in, got, fp.flags, want, flags);
            fp.flags = 0;
            want = expected_integer(value, mode, INT64_MIN, INT64_MAX, &flags);
            got = (uint64_t)wt_f16_to_i64(a, &fp);
            expect(16, "to_i64", mode, in, got, fp.flags, want, flags);
            fp.flags = 0;
            want = expected_integer(value, mode, 0, UINT64_MAX, &flags);
            got = wt_f16_to_u64(a, &fp);
            expect(16, "to_u64", mode, in, got, fp.flags, want, flags);
        }
    }
}

static void half_order(void **state)
{
    for (int i = 0; i < 100000; i++) {
        uint16_t a = (uint16_t)random64(), b = (uint16_t)random64();
        if (i % 16 == 0)
            b = a ^ (uint16_t)(random64() & 0x8001);
        struct wt_fp half = {0}, wide_fp = {0};
        /* Widening is exact; the NaNs keep quietness in propagating mode only, so skip them. */
        if ((!finite16(a) && (a & 0x3ff)) || (!finite16(b) && (b & 0x3ff)))
            continue;
        uint32_t x = wt_f16_to_f32(a, &wide_fp), y = wt_f16_to_f32(b, &wide_fp);
        assert_int_equal(wt_f16_eq(a, b, &half), f32_of(x) == f32_of(y));
        assert_int_equal(wt_f16_lt(a, b, &half), f32_of(x) < f32_of(y));
        assert_int_equal(wt_f16_le(a, b, &half), f32_of(x) <= f32_of(y));
        assert_int_equal(wt_f16_to_f32(wt_f16_min(a, b, &half), &half), wt_f32_min(x, y, &wide_fp));
        assert_int_equal(wt_f16_to_f32(wt_f16_max(a, b, &half), &half), wt_f32_max(x, y, &wide_fp));
        assert_int_equal(half.flags, 0);
    }
}

/* An exact double magnitude as units of 2^-75, for values below 2^17 that have no lower bits. */
static int compare_double(const void *exact, i128 halves)
{
    f128 mine = (f128) * (const double *)exact;
    f128 other = halves >= 0 ? (f128)halves * (f128)0x1p-25 : (f128)-halves * (f128)0x1p-26;
    return (mine > other) - (mine < other);
}

static void narrowing_to_half(void **state)
{
    for (int i = 0; i < 200000; i++) {
        /* From below half the smallest denormal to above the largest number. */
        uint64_t exp = 1023 - 27 + random64() % 46, fraction = random_fraction();
        uint64_t a = (random64() & 1) << 63 | exp << 52 | (fraction & 0xfffffffffffff);
        if (i % 2) /* representable in binary32 */
            a &= ~(uint64_t)0x1fffffff;
        double magnitude = fabs(f64_of(a));
        const uint64_t in[3] = {a, 0, 0};
        for (unsigned mode = WT_RNE; mode <= WT_RMM; mode++) {
            unsigned flags;
            uint16_t want = search16(compare_double, &magnitude, a >> 63, mode, &flags);
            struct wt_fp fp = {.round = (uint8_t)mode};
            uint16_t got = wt_f64_to_f16(a, &fp);
            expect(64, "to_f16", mode, in, got, fp.flags, want, flags);
            if (i % 2) {
                fp.flags = 0;
                got = wt_f32_to_f16(bits_of_f32((float)f64_of(a)), &fp);
                expect(32, "to_f16", mode, in, got, fp.flags, want, flags);
            }
        }
    }
    for (int i = 0; i < 100000; i++) {
        uint64_t a = random_fraction() >> (random64() % 64);
        int64_t s = (int64_t)a;
        const uint64_t in[3] = {a, 0, 0};
        for (unsigned mode = WT_RNE; mode <= WT_RMM; mode++) {
            unsigned flags = 0;
            i128 exact = (i128)a << 24;
            uint16_t want = a ? search16(compare_units24, &exact, false, mode, &flags) : 0;
            struct wt_fp fp = {.round = (uint8_t)mode};
            uint16_t got = wt_u64_to_f16(a, &fp);
            expect(16, "from_u64", mode, in, got, fp.flags, want, flags);
            exact = (s < 0 ? -(i128)s : (i128)s) << 24;
            flags = 0;
            want = s ? search16(compare_units24, &exact, s < 0, mode, &flags) : 0;
            fp.flags = 0;
            got = wt_i64_to_f16(s, &fp);
            expect(16, "from_i64", mode, in, got, fp.flags, want, flags);
        }
    }
}

static void half_special_cases(void **state)
{
    struct wt_fp fp = {0};
    assert_int_equal(wt_f16_div(0x3c00, 0x8000, &fp), 0xfc00);
    assert_int_equal(fp.flags, WT_FP_DIVZERO);
    fp.flags = 0;
    assert_int_equal(wt_f16_div(0x0000, 0x8000, &fp), 0x7e00);
    assert_int_equal(fp.flags, WT_FP_INVALID);
    fp.flags = 0;
    assert_int_equal(wt_f16_sqrt(0xbc00, &fp), 0x7e00);
    assert_int_equal(fp.flags, WT_FP_INVALID);
    fp.flags = 0;
    assert_int_equal(wt_f16_sqrt(0x8000, &fp), 0x8000);
    assert_int_equal(wt_f16_add(0x7c00, 0xc000, &fp), 0x7c00);
    assert_int_equal(wt_f16_add(0x3c00, 0xbc00, &fp), 0x0000);
    assert_int_equal(wt_f16_fma(0x3c00, 0x3c00, 0xbc00, &fp), 0x0000);
    assert_int_equal(fp.flags, 0);
    fp.round = WT_RDN;
    assert_int_equal(wt_f16_add(0x3c00, 0xbc00, &fp), 0x8000);
    assert_int_equal(wt_f16_fma(0x3c00, 0x3c00, 0xbc00, &fp), 0x8000);
    assert_int_equal(wt_f16_fma(0x0000, 0x3c00, 0x8000, &fp), 0x8000);
    assert_int_equal(fp.flags, 0);
    fp.round = WT_RNE;
    assert_int_equal(wt_f16_add(0x7c00, 0xfc00, &fp), 0x7e00);
    assert_int_equal(fp.flags, WT_FP_INVALID);
    fp.flags = 0;
    assert_int_equal(wt_f16_eq(0x7e00, 0x7e00, &fp), 0);
    assert_int_equal(fp.flags, 0);
    assert_int_equal(wt_f16_lt(0x7e00, 0x7e00, &fp), 0);
    assert_int_equal(fp.flags, WT_FP_INVALID);
    fp.flags = 0;
    assert_int_equal(wt_f16_min(0x8000, 0x0000, &fp), 0x8000);
    assert_int_equal(wt_f16_max(0x8000, 0x0000, &fp), 0x0000);
    assert_int_equal(wt_f16_max(0x7e00, 0x3c00, &fp), 0x3c00);
    assert_int_equal(fp.flags, 0);
    assert_int_equal(wt_f16_max(0x7d00, 0x3c00, &fp), 0x3c00);
    assert_int_equal(fp.flags, WT_FP_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_is_exact),      cmocka_unit_test(half_converts),
        cmocka_unit_test(half_order),         cmocka_unit_test(narrowing_to_half),
        cmocka_unit_test(half_special_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
