/* Images and samplers in memory. See images.h. */
#include "runtime/gen/images.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"

enum {
    SURFTYPE_1D = 0,
    SURFTYPE_2D = 1,
    SURFTYPE_3D = 2,
    SURFTYPE_BUFFER = 4,
    MOST_TEXELS = 16384, /* texels of a row, rows */
    MOST_SLICES = 2048,  /* and of a 3D image's rows and columns */
    MOST_BUFFER = 1 << 27,
    PITCH_UNIT = 4, /* rows from slice to slice, or texels between 1D elements */
    SHOW_RGBA = 4 << 25 | 5 << 22 | 6 << 19 | 7 << 16, /* shader channel selects */
    ALIGN_4 = 1 << 16 | 1 << 14,                       /* vertical, horizontal */
    COORDS_NORMALIZED = 8,                             /* CLK_NORMALIZED_COORDS_TRUE */
};

/* Surface formats (Skylake PRM volume 2d, SURFACE_FORMAT) of OpenCL's. */
static const struct {
    uint16_t order, channels, code;
} formats[] = {
    {WT_ORDER_RGBA, WT_CHANNEL_FLOAT, 0x000},
    {WT_ORDER_RGBA, WT_CHANNEL_SINT32, 0x001},
    {WT_ORDER_RGBA, WT_CHANNEL_UINT32, 0x002},
    {WT_ORDER_RGBA, WT_CHANNEL_UNORM16, 0x080},
    {WT_ORDER_RGBA, WT_CHANNEL_SNORM16, 0x081},
    {WT_ORDER_RGBA, WT_CHANNEL_SINT16, 0x082},
    {WT_ORDER_RGBA, WT_CHANNEL_UINT16, 0x083},
    {WT_ORDER_RGBA, WT_CHANNEL_HALF, 0x084},
    {WT_ORDER_RGBA, WT_CHANNEL_UNORM8, 0x0c7},
    {WT_ORDER_RGBA, WT_CHANNEL_SNORM8, 0x0c9},
    {WT_ORDER_RGBA, WT_CHANNEL_SINT8, 0x0ca},
    {WT_ORDER_RGBA, WT_CHANNEL_UINT8, 0x0cb},
    {WT_ORDER_BGRA, WT_CHANNEL_UNORM8, 0x0c0},
    {WT_ORDER_SBGRA, WT_CHANNEL_UNORM8, 0x0c1},
    {WT_ORDER_SRGBA, WT_CHANNEL_UNORM8, 0x0c8},
    {WT_ORDER_RG, WT_CHANNEL_FLOAT, 0x085},
    {WT_ORDER_RG, WT_CHANNEL_SINT32, 0x086},
    {WT_ORDER_RG, WT_CHANNEL_UINT32, 0x087},
    {WT_ORDER_RG, WT_CHANNEL_UNORM16, 0x0cc},
    {WT_ORDER_RG, WT_CHANNEL_SNORM16, 0x0cd},
    {WT_ORDER_RG, WT_CHANNEL_SINT16, 0x0ce},
    {WT_ORDER_RG, WT_CHANNEL_UINT16, 0x0cf},
    {WT_ORDER_RG, WT_CHANNEL_HALF, 0x0d0},
    {WT_ORDER_RG, WT_CHANNEL_UNORM8, 0x106},
    {WT_ORDER_RG, WT_CHANNEL_SNORM8, 0x107},
    {WT_ORDER_RG, WT_CHANNEL_SINT8, 0x108},
    {WT_ORDER_RG, WT_CHANNEL_UINT8, 0x109},
    {WT_ORDER_R, WT_CHANNEL_SINT32, 0x0d6},
    {WT_ORDER_R, WT_CHANNEL_UINT32, 0x0d7},
    {WT_ORDER_R, WT_CHANNEL_FLOAT, 0x0d8},
    {WT_ORDER_R, WT_CHANNEL_UNORM16, 0x10a},
    {WT_ORDER_R, WT_CHANNEL_SNORM16, 0x10b},
    {WT_ORDER_R, WT_CHANNEL_SINT16, 0x10c},
    {WT_ORDER_R, WT_CHANNEL_UINT16, 0x10d},
    {WT_ORDER_R, WT_CHANNEL_HALF, 0x10e},
    {WT_ORDER_R, WT_CHANNEL_UNORM8, 0x140},
    {WT_ORDER_R, WT_CHANNEL_SNORM8, 0x141},
    {WT_ORDER_R, WT_CHANNEL_SINT8, 0x142},
    {WT_ORDER_R, WT_CHANNEL_UINT8, 0x143},
    {WT_ORDER_DEPTH, WT_CHANNEL_FLOAT, 0x0d8},
    {WT_ORDER_DEPTH, WT_CHANNEL_UNORM16, 0x10a},
    {WT_ORDER_INTENSITY, WT_CHANNEL_FLOAT, 0x0e3},
    {WT_ORDER_LUMINANCE, WT_CHANNEL_FLOAT, 0x0e4},
    {WT_ORDER_A, WT_CHANNEL_FLOAT, 0x0e5},
    {WT_ORDER_INTENSITY, WT_CHANNEL_UNORM16, 0x111},
    {WT_ORDER_LUMINANCE, WT_CHANNEL_UNORM16, 0x112},
    {WT_ORDER_A, WT_CHANNEL_UNORM16, 0x113},
    {WT_ORDER_INTENSITY, WT_CHANNEL_HALF, 0x115},
    {WT_ORDER_LUMINANCE, WT_CHANNEL_HALF, 0x116},
    {WT_ORDER_A, WT_CHANNEL_HALF, 0x117},
    {WT_ORDER_A, WT_CHANNEL_UNORM8, 0x144},
    {WT_ORDER_INTENSITY, WT_CHANNEL_UNORM8, 0x145},
    {WT_ORDER_LUMINANCE, WT_CHANNEL_UNORM8, 0x146},
};

/* The surface format; -1: there is none. */
static int format_of(const struct wt_image_shape *image)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].order == image->order && formats[i].channels == image->channels)
            return formats[i].code;
    return -1;
}

unsigned gen_image_dimensions(enum gen_image_kind kind)
{
    static const uint8_t dimensions[] = {
        [GEN_IMAGE_OTHER] = 0,    [GEN_IMAGE_BUFFER] = 1, [GEN_IMAGE_1D] = 1,
        [GEN_IMAGE_1D_ARRAY] = 2, [GEN_IMAGE_2D] = 2,     [GEN_IMAGE_2D_ARRAY] = 3,
        [GEN_IMAGE_3D] = 3};
    return dimensions[kind];
}

enum wt_status gen_image_check(enum gen_image_kind kind, const struct wt_image_shape *image,
                               struct wt_error *err)
{
    const uint32_t most = kind == GEN_IMAGE_BUFFER ? MOST_BUFFER
                          : kind == GEN_IMAGE_3D   ? MOST_SLICES
                                                   : MOST_TEXELS;
    const uint32_t most_rows = kind == GEN_IMAGE_1D_ARRAY ? MOST_SLICES : most;
    assert(image->dimensions == gen_image_dimensions(kind));
    if (format_of(image) < 0)
        return wt_fail(err, WT_INVALID, "Gen9 has no surface format of this order and type");
    if (image->size[0] > most || image->size[1] > most_rows || image->size[2] > MOST_SLICES)
        return wt_fail(err, WT_INVALID,
                       "%ux%ux%u texels are too many for its kind: %ux%ux%u are the most",
                       image->size[0], image->size[1], image->size[2], most,
                       image->dimensions > 1 ? most_rows : 1,
                       image->dimensions > 2 ? (unsigned)MOST_SLICES : 1);
    return WT_OK;
}

static uint32_t units(uint32_t count)
{
    return (count + PITCH_UNIT - 1) / PITCH_UNIT * PITCH_UNIT;
}

void gen_image_slices(enum gen_image_kind kind, const struct wt_image_shape *image, uint64_t *bytes,
                      uint64_t *stride, uint32_t *count)
{
    const uint64_t row = (uint64_t)image->size[0] * image->texel;
    if (kind == GEN_IMAGE_1D_ARRAY) {
        *bytes = row;
        *stride = (uint64_t)units(image->size[0]) * image->texel;
        *count = image->size[1];
    } else if (gen_image_dimensions(kind) == 3) {
        *bytes = row * image->size[1];
        *stride = row * units(image->size[1]);
        *count = image->size[2];
    } else {
        *bytes = *stride = row * image->size[1];
        *count = 1;
    }
}

void gen_image_surface(uint8_t state[GEN_SURFACE_STATE_BYTES], enum gen_image_kind kind,
                       const struct wt_image_shape *image, uint64_t addr)
{
    const uint32_t row = image->size[0] * image->texel;
    const int format = format_of(image);
    uint32_t type = SURFTYPE_2D, width = image->size[0] - 1, height = image->size[1] - 1;
    uint32_t depth = image->size[2] - 1, distance = units(image->size[1]), is_array = 0;
    uint32_t pitch = row - 1;
    assert(format >= 0);
    switch (kind) {
    case GEN_IMAGE_BUFFER: { /* its elements less one, in three fields */
        const uint32_t last = image->size[0] - 1;
        type = SURFTYPE_BUFFER;
        width = last & 0x7f;
        height = last >> 7 & 0x3fff;
        depth = last >> 21;
        pitch = image->texel - 1;
        distance = 0;
        break;
    }
    case GEN_IMAGE_1D:
        type = SURFTYPE_1D;
        break;
    case GEN_IMAGE_1D_ARRAY:
        type = SURFTYPE_1D;
        is_array = 1;
        depth = height;
        height = 0;
        distance = units(image->size[0]);
        break;
    case GEN_IMAGE_2D_ARRAY:
        is_array = 1;
        break;
    case GEN_IMAGE_3D:
        type = SURFTYPE_3D;
        break;
    default:
        break;
    }
    memset(state, 0, GEN_SURFACE_STATE_BYTES);
    wt_store_le(state, type << 29 | is_array << 28 | (uint32_t)format << 18 | ALIGN_4, 4);
    wt_store_le(state + 4, distance / PITCH_UNIT, 4);
    wt_store_le(state + 8, width | height << 16, 4);
    wt_store_le(state + 12, depth << 21 | pitch, 4);
    wt_store_le(state + 28, SHOW_RGBA, 4);
    wt_store_le(state + 32, addr, 8);
}

uint32_t gen_image_dword(enum gen_argument_kind piece, enum gen_image_kind kind,
                         const struct wt_image_shape *image)
{
    switch (piece) {
    case GEN_ARG_IMAGE_WIDTH:
        return image->size[0];
    case GEN_ARG_IMAGE_HEIGHT:
        return image->size[1];
    case GEN_ARG_IMAGE_DEPTH:
        return image->size[2];
    case GEN_ARG_IMAGE_LAYERS:
        return kind == GEN_IMAGE_1D_ARRAY ? image->size[1] : image->size[2];
    case GEN_ARG_IMAGE_ORDER:
        return image->order;
    case GEN_ARG_IMAGE_TYPE:
        return image->channels;
    default: /* samples and mip levels: OpenCL counts 0 where there is one */
        return 0;
    }
}

/* ---- samplers ---- */

void gen_sampler_fill(struct gen_sampler_slot *slot, const struct wt_sampler *sampler)
{
    static const uint8_t modes[] = {
        [WT_ADDRESS_NONE] = GEN_ADDRESSING_CLAMP,
        [WT_ADDRESS_CLAMP] = GEN_ADDRESSING_BORDER,
        [WT_ADDRESS_CLAMP_TO_EDGE] = GEN_ADDRESSING_CLAMP,
        [WT_ADDRESS_REPEAT] = GEN_ADDRESSING_WRAP,
        [WT_ADDRESS_MIRRORED_REPEAT] = GEN_ADDRESSING_MIRROR,
    };
    slot->address = modes[sampler->address];
    slot->linear = sampler->linear;
    slot->unnormalized = !sampler->normalized;
}

void gen_sampler_state(uint8_t state[GEN_SAMPLER_STATE_BYTES], const struct gen_sampler_slot *slot,
                       uint32_t border)
{
    const uint32_t filter = slot->linear;
    wt_store_le(state, filter << 17 | filter << 14, 4); /* magnified, minified */
    wt_store_le(state + 4, 0, 4);
    wt_store_le(state + 8, border, 4);
    wt_store_le(state + 12,
                (uint32_t)slot->unnormalized << 10 | (uint32_t)slot->address << 6 |
                    (uint32_t)slot->address << 3 | slot->address,
                4);
}

uint32_t gen_sampler_dword(enum gen_argument_kind piece, const struct wt_sampler *sampler)
{
    switch (piece) {
    case GEN_ARG_SAMPLER_ADDRESS:
        return sampler->address;
    case GEN_ARG_SAMPLER_NORMALIZED:
        return sampler->normalized ? COORDS_NORMALIZED : 0;
    default:
        return sampler->address == WT_ADDRESS_CLAMP && !sampler->linear ? UINT32_MAX : 0;
    }
}
