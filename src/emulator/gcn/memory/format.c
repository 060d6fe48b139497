/*
 * Conversions of buffer elements (manual, section 8.1.8): normalized, scaled, integer and
 * floating-point components of 2 to 32 bits. What is rounded is rounded once, to nearest even.
 */
#include "emulator/gcn/memory/format.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/softfloat.h"

/* The name of a packed format lists its components from the highest bits down. */
static const struct gcn_format formats[16] = {
    [1] = {{8}, 1, 1},
    [2] = {{16}, 1, 2},
    [3] = {{8, 8}, 2, 2},
    [4] = {{32}, 1, 4},
    [5] = {{16, 16}, 2, 4},
    [6] = {{11, 11, 10}, 3, 4},    /* 10_11_11 */
    [7] = {{10, 11, 11}, 3, 4},    /* 11_11_10 */
    [8] = {{2, 10, 10, 10}, 4, 4}, /* 10_10_10_2 */
    [9] = {{10, 10, 10, 2}, 4, 4}, /* 2_10_10_10 */
    [10] = {{8, 8, 8, 8}, 4, 4},
    [11] = {{32, 32}, 2, 8},
    [12] = {{16, 16, 16, 16}, 4, 8},
    [13] = {{32, 32, 32}, 3, 12},
    [14] = {{32, 32, 32, 32}, 4, 16},
};

/*
 * FORMAT of gfx10 counts, from 1 on, the numeric formats of each data format: the first of six, of
 * which those of 32 bits have integers alone, then FLOAT where it is (linux navi10_enum.h,
 * BUF_FMT).
 */
static const struct {
    uint8_t dfmt;
    bool integers; /* alone */
    bool has_float;
} of_gfx10[] = {
    {1, false, false}, {2, false, true},  {3, false, false}, {4, true, true},   {5, false, true},
    {6, false, true},  {7, false, true},  {8, false, false}, {9, false, false}, {10, false, false},
    {11, true, true},  {12, false, true}, {13, true, true},  {14, true, true},
};

bool gcn_format_of_gfx10(unsigned format, unsigned *dfmt, unsigned *nfmt)
{
    static const uint8_t all[] = {GCN_UNORM, GCN_SNORM, GCN_USCALED, GCN_SSCALED,
                                  GCN_UINT,  GCN_SINT,  GCN_FLOAT};
    unsigned left = format - 1;
    for (size_t i = 0; format && i < sizeof of_gfx10 / sizeof *of_gfx10; i++) {
        const unsigned first = of_gfx10[i].integers ? 4 : 0,
                       count = 6 + of_gfx10[i].has_float - first;
        if (left < count) {
            *dfmt = of_gfx10[i].dfmt;
            *nfmt = all[first + left];
            return true;
        }
        left -= count;
    }
    return false;
}

const struct gcn_format *gcn_format_of(unsigned dfmt)
{
    return &formats[dfmt & 15];
}

bool gcn_format_valid(unsigned dfmt, unsigned nfmt)
{
    const struct gcn_format *f = gcn_format_of(dfmt);
    if (!f->components || nfmt == GCN_NFMT_RESERVED || nfmt > GCN_FLOAT)
        return false;
    if (nfmt == GCN_FLOAT)
        return f->bits[0] >= 16 || f->components == 3;
    return f->bits[0] < 32 || nfmt == GCN_UINT || nfmt == GCN_SINT;
}

uint32_t gcn_format_extract(const uint8_t *element, const struct gcn_format *f, unsigned component)
{
    unsigned bit = 0;
    for (unsigned i = 0; i < component; i++)
        bit += f->bits[i];
    const unsigned word = bit / 32 * 4, left = f->bytes - word;
    return (uint32_t)(wt_load_le(element + word, left < 4 ? left : 4) >> bit % 32);
}

void gcn_format_insert(uint8_t *element, const struct gcn_format *f, unsigned component,
                       uint32_t value)
{
    unsigned bit = 0;
    for (unsigned i = 0; i < component; i++)
        bit += f->bits[i];
    const unsigned word = bit / 32 * 4, left = f->bytes - word, size = left < 4 ? left : 4;
    wt_store_le(element + word, wt_load_le(element + word, size) | (uint64_t)value << bit % 32,
                size);
}

static uint32_t ones(unsigned bits)
{
    return bits < 32 ? ((uint32_t)1 << bits) - 1 : UINT32_MAX;
}

/* Two integers of no more than 32 bits divided, as a float or a half: the quotient of 53 bits is
 * never so near to the middle of two of them that rounding twice would differ. */
static uint32_t quotient(int64_t x, int64_t y, bool d16)
{
    struct wt_fp fp = {0};
    const uint64_t value = wt_f64_div(wt_i64_to_f64(x, &fp), wt_i64_to_f64(y, &fp), &fp);
    return d16 ? wt_f64_to_f16(value, &fp) : wt_f64_to_f32(value, &fp);
}

static int64_t at_least(int64_t x, int64_t low)
{
    return x < low ? low : x;
}

static int64_t clamped(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* Floating point without a sign, five bits of exponent: a half less its last fraction bits. */
static uint32_t small_float(uint32_t raw, unsigned bits)
{
    if (bits == 16)
        return raw;
    raw <<= 15 - bits;
    return raw > 0x7c00 ? raw | 0x200 : raw;
}

/* The intensity that an sRGB component stands for (IEC 61966-2-1), rounded once. */
static uint32_t linear(uint32_t raw, bool d16)
{
    struct wt_fp fp = {0};
    const double x = raw / 255.0, value = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return d16 ? wt_f64_to_f16(bits, &fp) : wt_f64_to_f32(bits, &fp);
}

uint32_t gcn_format_load(uint32_t raw, unsigned bits, unsigned nfmt, bool d16)
{
    struct wt_fp fp = {.propagate_nan = true};
    const int64_t as_signed = wt_sign_extend(raw & ones(bits), bits);
    raw &= ones(bits);
    switch (nfmt) {
    case GCN_UNORM:
        return quotient(raw, ones(bits), d16);
    case GCN_SNORM:
        return quotient(at_least(as_signed, -(int64_t)ones(bits - 1)), ones(bits - 1), d16);
    case GCN_SRGB:
        return linear(raw, d16);
    case GCN_USCALED:
        return quotient(raw, 1, d16);
    case GCN_SSCALED:
        return quotient(as_signed, 1, d16);
    case GCN_UINT:
        return d16 ? (uint32_t)clamped(raw, 0, 0xffff) : raw;
    case GCN_SINT:
        return d16 ? (uint32_t)clamped(as_signed, -0x8000, 0x7fff) & 0xffff : (uint32_t)as_signed;
    default: /* GCN_FLOAT */
        if (bits == 32)
            return d16 ? wt_f32_to_f16(raw, &fp) : raw;
        raw = small_float(raw, bits);
        return d16 ? raw : wt_f16_to_f32((uint16_t)raw, &fp);
    }
}

/* A float times `scale`, to nearest even, within [low, high]; NaN gives 0. */
static uint32_t scaled(uint32_t value, int64_t scale, int64_t low, int64_t high, bool truncate)
{
    struct wt_fp fp = {.round = truncate ? WT_RTZ : WT_RNE};
    const uint64_t x = wt_f32_to_f64(value, &fp);
    if ((x & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff0000000000000))
        return 0;
    /* 24 bits by 16: the product is exact. */
    return (uint32_t)clamped(wt_f64_to_i64(wt_f64_mul(x, wt_i64_to_f64(scale, &fp), &fp), &fp), low,
                             high);
}

/* To a float of five bits of exponent, without sign: negative numbers become 0. */
static uint32_t to_small_float(uint32_t value, unsigned bits)
{
    const unsigned fraction = bits - 5;
    const uint32_t infinity = 31u << fraction, magnitude = value & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return infinity | 1u << (fraction - 1);
    if (value >> 31)
        return 0;
    if (magnitude == 0x7f800000)
        return infinity;
    const int exponent = (int)(magnitude >> 23) - 127;
    const unsigned shift = 23 - fraction + (exponent < -14 ? (unsigned)(-14 - exponent) : 0);
    if (exponent < -40)
        return 0;
    const uint64_t whole = (magnitude & 0x7fffff) | 0x800000;
    const uint64_t half = UINT64_C(1) << (shift - 1), rest = whole & (2 * half - 1);
    uint64_t kept = whole >> shift;
    kept += rest > half || (rest == half && (kept & 1));
    const uint64_t result = exponent < -14 ? kept : ((uint64_t)(exponent + 14) << fraction) + kept;
    return result < infinity ? (uint32_t)result : infinity;
}

uint32_t gcn_format_store(uint32_t value, unsigned bits, unsigned nfmt, bool d16)
{
    struct wt_fp fp = {.propagate_nan = true};
    const uint32_t all = ones(bits), positive = ones(bits - 1);
    if (nfmt == GCN_UINT || nfmt == GCN_SINT) {
        if (bits == 32 && !d16)
            return value;
        const int64_t x = nfmt == GCN_UINT
                              ? (int64_t)(d16 ? value & 0xffff : value)
                              : wt_sign_extend(value & ones(d16 ? 16 : 32), d16 ? 16 : 32);
        return (nfmt == GCN_UINT ? (uint32_t)clamped(x, 0, all)
                                 : (uint32_t)clamped(x, -(int64_t)positive - 1, positive)) &
               all;
    }
    if (nfmt == GCN_FLOAT && d16 && bits == 16)
        return value & 0xffff;
    if (d16)
        value = wt_f16_to_f32((uint16_t)value, &fp);
    switch (nfmt) {
    case GCN_UNORM:
        return scaled(value, all, 0, all, false);
    case GCN_SNORM:
        return scaled(value, positive, -(int64_t)positive, positive, false) & all;
    case GCN_USCALED:
        return scaled(value, 1, 0, all, true);
    case GCN_SSCALED:
        return scaled(value, 1, -(int64_t)positive - 1, positive, true) & all;
    default: /* GCN_FLOAT */
        return bits == 32   ? value
               : bits == 16 ? wt_f32_to_f16(value, &fp)
                            : to_small_float(value, bits);
    }
}

uint32_t gcn_format_one(unsigned nfmt, bool d16)
{
    if (nfmt == GCN_UINT || nfmt == GCN_SINT)
        return 1;
    return d16 ? 0x3c00 : 0x3f800000;
}
