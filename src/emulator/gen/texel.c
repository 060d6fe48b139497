/* Surface formats (Skylake PRM volume 2d, SURFACE_FORMAT; volume 7, "Surface Formats"). */
#include "emulator/gen/texel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/softfloat.h"

#define UNORM GEN_COMPONENT_UNORM
#define SNORM GEN_COMPONENT_SNORM
#define UINT GEN_COMPONENT_UINT
#define SINT GEN_COMPONENT_SINT
#define FLOAT GEN_COMPONENT_FLOAT
#define SRGB GEN_COMPONENT_SRGB

#define ONE(a) .component = {{0, a}}
#define TWO(a) .component = {{0, a}, {a, a}}
#define THREE(a) .component = {{0, a}, {a, a}, {2 * (a), a}}
#define FOUR(a) .component = {{0, a}, {a, a}, {2 * (a), a}, {3 * (a), a}}
#define BGRA8 .component = {{16, 8}, {8, 8}, {0, 8}, {24, 8}}
#define BGRX8 .component = {{16, 8}, {8, 8}, {0, 8}}
#define ALPHA(a) .component = {[3] = {0, a}}
#define LUMINANCE(a) .component = {{0, a}, {0, a}, {0, a}}
#define LUMINANCE_ALPHA(a) .component = {{0, a}, {0, a}, {0, a}, {a, a}}
#define INTENSITY(a) .component = {{0, a}, {0, a}, {0, a}, {0, a}}

static const struct gen_texel_format formats[] = {
    {"R32G32B32A32_FLOAT", 0x000, FLOAT, 16, FOUR(32)},
    {"R32G32B32A32_SINT", 0x001, SINT, 16, FOUR(32)},
    {"R32G32B32A32_UINT", 0x002, UINT, 16, FOUR(32)},
    {"R32G32B32_FLOAT", 0x040, FLOAT, 12, THREE(32)},
    {"R32G32B32_SINT", 0x041, SINT, 12, THREE(32)},
    {"R32G32B32_UINT", 0x042, UINT, 12, THREE(32)},
    {"R16G16B16A16_UNORM", 0x080, UNORM, 8, FOUR(16)},
    {"R16G16B16A16_SNORM", 0x081, SNORM, 8, FOUR(16)},
    {"R16G16B16A16_SINT", 0x082, SINT, 8, FOUR(16)},
    {"R16G16B16A16_UINT", 0x083, UINT, 8, FOUR(16)},
    {"R16G16B16A16_FLOAT", 0x084, FLOAT, 8, FOUR(16)},
    {"R32G32_FLOAT", 0x085, FLOAT, 8, TWO(32)},
    {"R32G32_SINT", 0x086, SINT, 8, TWO(32)},
    {"R32G32_UINT", 0x087, UINT, 8, TWO(32)},
    {"L32A32_FLOAT", 0x08a, FLOAT, 8, LUMINANCE_ALPHA(32)},
    {"R16G16B16X16_UNORM", 0x08e, UNORM, 8, THREE(16)},
    {"R16G16B16X16_FLOAT", 0x08f, FLOAT, 8, THREE(16)},
    {"B8G8R8A8_UNORM", 0x0c0, UNORM, 4, BGRA8},
    {"B8G8R8A8_UNORM_SRGB", 0x0c1, SRGB, 4, BGRA8},
    {"R10G10B10A2_UNORM", 0x0c2, UNORM, 4, .component = {{0, 10}, {10, 10}, {20, 10}, {30, 2}}},
    {"R10G10B10A2_UINT", 0x0c4, UINT, 4, .component = {{0, 10}, {10, 10}, {20, 10}, {30, 2}}},
    {"R8G8B8A8_UNORM", 0x0c7, UNORM, 4, FOUR(8)},
    {"R8G8B8A8_UNORM_SRGB", 0x0c8, SRGB, 4, FOUR(8)},
    {"R8G8B8A8_SNORM", 0x0c9, SNORM, 4, FOUR(8)},
    {"R8G8B8A8_SINT", 0x0ca, SINT, 4, FOUR(8)},
    {"R8G8B8A8_UINT", 0x0cb, UINT, 4, FOUR(8)},
    {"R16G16_UNORM", 0x0cc, UNORM, 4, TWO(16)},
    {"R16G16_SNORM", 0x0cd, SNORM, 4, TWO(16)},
    {"R16G16_SINT", 0x0ce, SINT, 4, TWO(16)},
    {"R16G16_UINT", 0x0cf, UINT, 4, TWO(16)},
    {"R16G16_FLOAT", 0x0d0, FLOAT, 4, TWO(16)},
    {"B10G10R10A2_UNORM", 0x0d1, UNORM, 4, .component = {{20, 10}, {10, 10}, {0, 10}, {30, 2}}},
    {"R32_SINT", 0x0d6, SINT, 4, ONE(32)},
    {"R32_UINT", 0x0d7, UINT, 4, ONE(32)},
    {"R32_FLOAT", 0x0d8, FLOAT, 4, ONE(32)},
    {"L16A16_UNORM", 0x0df, UNORM, 4, LUMINANCE_ALPHA(16)},
    {"I32_FLOAT", 0x0e3, FLOAT, 4, INTENSITY(32)},
    {"L32_FLOAT", 0x0e4, FLOAT, 4, LUMINANCE(32)},
    {"A32_FLOAT", 0x0e5, FLOAT, 4, ALPHA(32)},
    {"B8G8R8X8_UNORM", 0x0e9, UNORM, 4, BGRX8},
    {"B8G8R8X8_UNORM_SRGB", 0x0ea, SRGB, 4, BGRX8},
    {"R8G8B8X8_UNORM", 0x0eb, UNORM, 4, THREE(8)},
    {"R8G8B8X8_UNORM_SRGB", 0x0ec, SRGB, 4, THREE(8)},
    {"B10G10R10X2_UNORM", 0x0ee, UNORM, 4, .component = {{20, 10}, {10, 10}, {0, 10}}},
    {"L16A16_FLOAT", 0x0f0, FLOAT, 4, LUMINANCE_ALPHA(16)},
    {"B5G6R5_UNORM", 0x100, UNORM, 2, .component = {{11, 5}, {5, 6}, {0, 5}}},
    {"B5G5R5A1_UNORM", 0x102, UNORM, 2, .component = {{10, 5}, {5, 5}, {0, 5}, {15, 1}}},
    {"B4G4R4A4_UNORM", 0x104, UNORM, 2, .component = {{8, 4}, {4, 4}, {0, 4}, {12, 4}}},
    {"R8G8_UNORM", 0x106, UNORM, 2, TWO(8)},
    {"R8G8_SNORM", 0x107, SNORM, 2, TWO(8)},
    {"R8G8_SINT", 0x108, SINT, 2, TWO(8)},
    {"R8G8_UINT", 0x109, UINT, 2, TWO(8)},
    {"R16_UNORM", 0x10a, UNORM, 2, ONE(16)},
    {"R16_SNORM", 0x10b, SNORM, 2, ONE(16)},
    {"R16_SINT", 0x10c, SINT, 2, ONE(16)},
    {"R16_UINT", 0x10d, UINT, 2, ONE(16)},
    {"R16_FLOAT", 0x10e, FLOAT, 2, ONE(16)},
    {"I16_UNORM", 0x111, UNORM, 2, INTENSITY(16)},
    {"L16_UNORM", 0x112, UNORM, 2, LUMINANCE(16)},
    {"A16_UNORM", 0x113, UNORM, 2, ALPHA(16)},
    {"L8A8_UNORM", 0x114, UNORM, 2, LUMINANCE_ALPHA(8)},
    {"I16_FLOAT", 0x115, FLOAT, 2, INTENSITY(16)},
    {"L16_FLOAT", 0x116, FLOAT, 2, LUMINANCE(16)},
    {"A16_FLOAT", 0x117, FLOAT, 2, ALPHA(16)},
    {"R8_UNORM", 0x140, UNORM, 1, ONE(8)},
    {"R8_SNORM", 0x141, SNORM, 1, ONE(8)},
    {"R8_SINT", 0x142, SINT, 1, ONE(8)},
    {"R8_UINT", 0x143, UINT, 1, ONE(8)},
    {"A8_UNORM", 0x144, UNORM, 1, ALPHA(8)},
    {"I8_UNORM", 0x145, UNORM, 1, INTENSITY(8)},
    {"L8_UNORM", 0x146, UNORM, 1, LUMINANCE(8)},
};

const struct gen_texel_format *gen_texel_format_of(uint16_t code)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].code == code)
            return &formats[i];
    return NULL;
}

bool gen_texel_is_integer(const struct gen_texel_format *f)
{
    return f->kind == UINT || f->kind == SINT;
}

static uint32_t mask_of(unsigned bits)
{
    return bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

/* A component lies within one dword of the texel, or is one. */
static uint32_t stored(const struct gen_texel_format *f, const uint8_t *bytes, unsigned which)
{
    const unsigned shift = f->component[which].shift, bits = f->component[which].bits;
    const unsigned first = shift / 8, last = (shift + bits - 1) / 8;
    return (uint32_t)(wt_load_le(bytes + first, last - first + 1) >> shift % 8) & mask_of(bits);
}

/* IEC 61966-2-1. */
static double from_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double to_srgb(double value)
{
    return value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055;
}

void gen_texel_unpack(const struct gen_texel_format *f, const uint8_t *bytes, uint32_t rgba[4])
{
    struct wt_fp fp = {0};
    for (unsigned i = 0; i < 4; i++) {
        const unsigned bits = f->component[i].bits;
        if (!bits) {
            rgba[i] = i < 3 ? 0 : gen_texel_is_integer(f) ? 1 : wt_float_bits(1.0f);
            continue;
        }
        const uint32_t value = stored(f, bytes, i);
        switch (f->kind) {
        case UINT:
            rgba[i] = value;
            break;
        case SINT:
            rgba[i] = (uint32_t)wt_sign_extend(value, bits);
            break;
        case FLOAT:
            rgba[i] = bits == 16 ? wt_f16_to_f32((uint16_t)value, &fp) : value;
            break;
        case SNORM: {
            const double part = (double)wt_sign_extend(value, bits) / (mask_of(bits - 1));
            rgba[i] = wt_float_bits((float)(part < -1 ? -1 : part));
            break;
        }
        default: {
            const double part = (double)value / mask_of(bits);
            rgba[i] = wt_float_bits((float)(f->kind == SRGB && i < 3 ? from_srgb(part) : part));
            break;
        }
        }
    }
}

/* Between two bounds; a NaN is 0. */
static double clamped(double value, double low, double high)
{
    return isnan(value) ? 0 : value < low ? low : value > high ? high : value;
}

/* The nearest integer, the even one of two, whatever the host's rounding mode. */
static double nearest_even(double value)
{
    const double below = floor(value), rest = value - below;
    if (rest > 0.5 || (rest == 0.5 && fmod(below, 2) != 0))
        return below + 1;
    return below;
}

static uint32_t packed(const struct gen_texel_format *f, unsigned which, uint32_t value)
{
    struct wt_fp fp = {0};
    const unsigned bits = f->component[which].bits;
    const double real = (double)wt_float_of_bits(value);
    switch (f->kind) {
    case UINT:
        return value > mask_of(bits) ? mask_of(bits) : value;
    case SINT: {
        const int64_t most = mask_of(bits - 1), integer = (int32_t)value;
        return (uint32_t)(integer > most ? most : integer < -most - 1 ? -most - 1 : integer);
    }
    case FLOAT:
        return bits == 16 ? wt_f32_to_f16(value, &fp) : value;
    case SNORM:
        return (uint32_t)(int32_t)nearest_even(clamped(real, -1, 1) * mask_of(bits - 1));
    default: {
        const double part = clamped(real, 0, 1);
        return (uint32_t)nearest_even((f->kind == SRGB && which < 3 ? to_srgb(part) : part) *
                                      mask_of(bits));
    }
    }
}

void gen_texel_pack(const struct gen_texel_format *f, const uint32_t rgba[4], uint8_t *bytes)
{
    memset(bytes, 0, f->bytes);
    for (unsigned i = 0; i < 4; i++) {
        const unsigned shift = f->component[i].shift, bits = f->component[i].bits;
        if (!bits || (i == 3 && shift == f->component[0].shift && f->component[0].bits))
            continue; /* intensity is red */
        const unsigned first = shift / 8, last = (shift + bits - 1) / 8;
        const uint64_t before = wt_load_le(bytes + first, last - first + 1);
        const uint64_t part = (uint64_t)(packed(f, i, rgba[i]) & mask_of(bits)) << shift % 8;
        wt_store_le(bytes + first, before | part, last - first + 1);
    }
}
