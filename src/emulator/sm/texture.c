/* From coordinates to values of textures. See texture.h. */
#include "emulator/sm/texture.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/softfloat.h"
#include "emulator/machine/texel.h"

#define MAGIC 0x78455457u /* "WTEx" */
#define FURTHEST 0x1p30   /* places beyond it are as outside as this one */
enum { MOST_LEVELS = 17 };
#define STEPS 256 /* in a weight: 8 bits of fraction (Linear Filtering) */

void sm_texture_store(const struct sm_texture *t, uint8_t *bytes)
{
    memset(bytes, 0, SM_TEXTURE_BYTES);
    wt_store_le(bytes, MAGIC, 4);
    bytes[4] = t->texel;
    bytes[5] = t->bytes;
    bytes[6] = t->channels;
    bytes[7] = t->dimensions;
    wt_store_le(bytes + 8, t->flags, 4);
    wt_store_le(bytes + 12, t->width, 4);
    wt_store_le(bytes + 16, t->height, 4);
    wt_store_le(bytes + 20, t->depth, 4);
    wt_store_le(bytes + 24, t->address, 8);
    wt_store_le(bytes + 32, t->pitch, 8);
    wt_store_le(bytes + 40, t->slice, 8);
    memcpy(bytes + 48, t->mode, 3);
    for (unsigned i = 0; i < 4; i++)
        wt_store_le(bytes + 52 + 4 * i, t->border[i], 4);
    bytes[51] = t->levels;
    wt_store_le(bytes + 68, wt_float_bits(t->bias), 4);
    wt_store_le(bytes + 72, wt_float_bits(t->least), 4);
    wt_store_le(bytes + 76, wt_float_bits(t->most), 4);
}

bool sm_texture_load(const uint8_t *bytes, struct sm_texture *t)
{
    *t = (struct sm_texture){.texel = bytes[4],
                             .bytes = bytes[5],
                             .channels = bytes[6],
                             .dimensions = bytes[7],
                             .flags = (uint32_t)wt_load_le(bytes + 8, 4),
                             .width = (uint32_t)wt_load_le(bytes + 12, 4),
                             .height = (uint32_t)wt_load_le(bytes + 16, 4),
                             .depth = (uint32_t)wt_load_le(bytes + 20, 4),
                             .address = wt_load_le(bytes + 24, 8),
                             .pitch = wt_load_le(bytes + 32, 8),
                             .slice = wt_load_le(bytes + 40, 8),
                             .levels = bytes[51],
                             .bias = wt_float_of_bits((uint32_t)wt_load_le(bytes + 68, 4)),
                             .least = wt_float_of_bits((uint32_t)wt_load_le(bytes + 72, 4)),
                             .most = wt_float_of_bits((uint32_t)wt_load_le(bytes + 76, 4))};
    memcpy(t->mode, bytes + 48, 3);
    for (unsigned i = 0; i < 4; i++)
        t->border[i] = (uint32_t)wt_load_le(bytes + 52 + 4 * i, 4);
    const bool sizes = (t->bytes == 1 || t->bytes == 2 || t->bytes == 4) &&
                       (t->channels == 1 || t->channels == 2 || t->channels == 4);
    return wt_load_le(bytes, 4) == MAGIC && sizes && t->texel <= SM_TEXEL_FLOAT &&
           (t->texel != SM_TEXEL_FLOAT || t->bytes > 1) && t->dimensions >= 1 &&
           t->dimensions <= 3 && t->width && t->height && t->depth && t->levels <= MOST_LEVELS &&
           t->mode[0] <= SM_TEXTURE_BORDER && t->mode[1] <= SM_TEXTURE_BORDER &&
           t->mode[2] <= SM_TEXTURE_BORDER;
}

/* ---- texels ---- */

/* Whether components come out as integers. Those of 32 bits do always. */
static bool gives_integers(const struct sm_texture *t)
{
    return t->texel != SM_TEXEL_FLOAT && (t->flags & SM_TEXTURE_INTEGER || t->bytes == 4);
}

static uint32_t size_along(const struct sm_texture *t, unsigned axis)
{
    return axis == 0 ? t->width : axis == 1 ? t->height : t->depth;
}

/* Where texel i of an axis really is; false: it is outside of a border, or of linear memory.
 * Wrapping and mirroring need coordinates from 0 to 1; without them they are clamping. */
static bool texel_index(const struct sm_texture *t, unsigned axis, int64_t i, uint32_t *index)
{
    const int64_t n = size_along(t, axis);
    if (t->flags & SM_TEXTURE_BOUNDED || t->mode[axis] == SM_TEXTURE_BORDER) {
        *index = (uint32_t)i;
        return i >= 0 && i < n;
    }
    if (t->flags & SM_TEXTURE_NORMALIZED && t->mode[axis] == SM_TEXTURE_WRAP) {
        i = (i % n + n) % n;
    } else if (t->flags & SM_TEXTURE_NORMALIZED && t->mode[axis] == SM_TEXTURE_MIRROR) {
        i = (i % (2 * n) + 2 * n) % (2 * n);
        i = i < n ? i : 2 * n - 1 - i;
    }
    *index = (uint32_t)(i < 0 ? 0 : i >= n ? n - 1 : i);
    return true;
}

void sm_texture_unpack(const struct sm_texture *t, const uint8_t *bytes, uint32_t component[4])
{
    for (unsigned c = 0; c < t->channels; c++) {
        uint64_t raw = wt_load_le(bytes + c * t->bytes, t->bytes);
        if (t->texel == SM_TEXEL_SIGNED)
            raw = (uint64_t)wt_sign_extend(raw, 8u * t->bytes);
        if (t->texel == SM_TEXEL_FLOAT && t->bytes == 2)
            raw = wt_f16_to_f32((uint16_t)raw, &(struct wt_fp){.propagate_nan = true});
        component[c] = (uint32_t)raw;
    }
    for (unsigned c = t->channels; c < 4; c++)
        component[c] = c < 3 ? 0 : t->texel == SM_TEXEL_FLOAT ? 0x3f800000 : 1;
}

void sm_texture_pack(const struct sm_texture *t, const uint32_t component[4], uint8_t *bytes)
{
    for (unsigned c = 0; c < t->channels; c++) {
        const int64_t range = INT64_C(1) << (8 * t->bytes - (t->texel == SM_TEXEL_SIGNED));
        const int64_t least = t->texel == SM_TEXEL_SIGNED ? -range : 0;
        int64_t value = t->texel == SM_TEXEL_SIGNED ? (int32_t)component[c] : (int64_t)component[c];
        if (t->texel != SM_TEXEL_FLOAT)
            value = value < least ? least : value >= range ? range - 1 : value;
        else if (t->bytes == 2)
            value = wt_f32_to_f16(component[c], &(struct wt_fp){.propagate_nan = true});
        wt_store_le(bytes + c * t->bytes, (uint64_t)value, t->bytes);
    }
}

struct texel {
    uint32_t raw[4]; /* extended to 32 bits; of floats the bits of a single one */
};

/* A border's components are floats; linear memory has zeros beyond its end. */
static void outside(const struct sm_texture *t, struct texel *texel)
{
    for (unsigned c = 0; c < t->channels; c++) {
        const double value = t->flags & SM_TEXTURE_BOUNDED ? 0 : wt_float_of_bits(t->border[c]);
        const double most = t->texel == SM_TEXEL_SIGNED ? ldexp(1, 8 * t->bytes - 1) - 1
                                                        : ldexp(1, 8 * t->bytes) - 1;
        if (t->texel == SM_TEXEL_FLOAT)
            texel->raw[c] = wt_float_bits((float)value);
        else if (!(value == value))
            texel->raw[c] = 0;
        else
            texel->raw[c] =
                (uint32_t)(int64_t)fmax(fmin(gives_integers(t) ? value : rint(value * most), most),
                                        t->texel == SM_TEXEL_SIGNED ? -most - 1 : 0);
    }
}

static bool read_texel(const struct sm_texture *t, const int64_t place[3], uint32_t layer,
                       const struct sm_texel_reader *reader, struct texel *texel)
{
    uint32_t at[3] = {0};
    uint8_t bytes[16];
    const unsigned size = t->bytes * t->channels;
    bool inside = true;
    for (unsigned axis = 0; axis < t->dimensions; axis++)
        inside &= texel_index(t, axis, place[axis], &at[axis]);
    if (t->flags & SM_TEXTURE_LAYERED)
        at[2] = layer < t->depth ? layer : t->depth - 1;
    if (!inside) {
        outside(t, texel);
        return true;
    }
    if (!reader->read(reader->context,
                      t->address + at[2] * t->slice + at[1] * t->pitch + (uint64_t)at[0] * size,
                      size, bytes))
        return false;
    sm_texture_unpack(t, bytes, texel->raw);
    return true;
}

static double value_of(const struct sm_texture *t, uint32_t raw)
{
    return t->texel == SM_TEXEL_FLOAT    ? wt_float_of_bits(raw)
           : t->texel == SM_TEXEL_SIGNED ? (double)(int32_t)raw
                                         : (double)raw;
}

/* The register's value for a component of this value. */
static uint32_t result_of(const struct sm_texture *t, double value)
{
    if (t->texel == SM_TEXEL_FLOAT)
        return wt_float_bits((float)value);
    if (gives_integers(t))
        return (uint32_t)(int64_t)floor(value + 0.5);
    const double most =
        t->texel == SM_TEXEL_SIGNED ? ldexp(1, 8 * t->bytes - 1) - 1 : ldexp(1, 8 * t->bytes) - 1;
    return wt_float_bits((float)fmax(value / most, -1));
}

/* ---- places ---- */

/* A coordinate in texels. */
static double position(const struct sm_texture *t, const struct sm_texture_coordinates *at,
                       unsigned axis)
{
    if (at->whole)
        return (double)(int32_t)at->bits[axis] + 0.5;
    double x = wt_float_of_bits(at->bits[axis]);
    if (!(x == x))
        x = 0;
    if (t->flags & SM_TEXTURE_NORMALIZED) {
        if (t->mode[axis] == SM_TEXTURE_WRAP)
            x -= floor(x);
        else if (t->mode[axis] == SM_TEXTURE_MIRROR)
            x -= 2 * floor(x / 2);
        x *= size_along(t, axis);
    }
    return fmin(fmax(x, -FURTHEST), FURTHEST);
}

static double nearest(const struct sm_texture *t, unsigned axis, double x)
{
    const bool mirrors = t->flags & SM_TEXTURE_NORMALIZED && t->mode[axis] == SM_TEXTURE_MIRROR;
    return mirrors ? wt_mirrored_texel(x, size_along(t, axis)) : floor(x);
}

/* The lower one of the two texels that are mixed along an axis, and the weight of the upper one. */
static int64_t lower_neighbour(double x, uint32_t *weight)
{
    const double from = floor(x - 0.5);
    *weight = (uint32_t)floor((x - 0.5 - from) * STEPS + 0.5);
    return (int64_t)from;
}

static void finish(const struct sm_texture *t, uint32_t result[4])
{
    for (unsigned c = t->channels; c < 4; c++)
        result[c] = c < 3 ? 0 : gives_integers(t) ? 1 : wt_float_bits(1);
}

static bool sample_linear(const struct sm_texture *t, const struct sm_texture_coordinates *at,
                          const struct sm_texel_reader *reader, uint32_t result[4])
{
    int64_t from[3] = {0};
    uint32_t weight[3] = {0};
    double sum[4] = {0};
    for (unsigned axis = 0; axis < t->dimensions; axis++)
        from[axis] = lower_neighbour(position(t, at, axis), &weight[axis]) + at->offset[axis];
    for (unsigned corner = 0; corner < 1u << t->dimensions; corner++) {
        int64_t place[3];
        double share = 1;
        struct texel texel;
        for (unsigned axis = 0; axis < 3; axis++) {
            const unsigned upper = corner >> axis & 1;
            place[axis] = from[axis] + upper;
            if (axis < t->dimensions)
                share *= (upper ? weight[axis] : STEPS - weight[axis]) / (double)STEPS;
        }
        if (share == 0)
            continue;
        if (!read_texel(t, place, at->layer, reader, &texel))
            return false;
        for (unsigned c = 0; c < t->channels; c++)
            sum[c] += share * value_of(t, texel.raw[c]);
    }
    for (unsigned c = 0; c < t->channels; c++)
        result[c] = result_of(t, sum[c]);
    finish(t, result);
    return true;
}

static bool sample_level(const struct sm_texture *t, const struct sm_texture_coordinates *at,
                         const struct sm_texel_reader *reader, uint32_t result[4])
{
    int64_t place[3] = {0};
    struct texel texel;
    if (t->flags & SM_TEXTURE_LINEAR && !at->whole)
        return sample_linear(t, at, reader, result);
    for (unsigned axis = 0; axis < t->dimensions; axis++)
        place[axis] = (int64_t)nearest(t, axis, position(t, at, axis)) + at->offset[axis];
    if (!read_texel(t, place, at->layer, reader, &texel))
        return false;
    for (unsigned c = 0; c < t->channels; c++)
        result[c] = t->texel == SM_TEXEL_FLOAT || gives_integers(t)
                        ? texel.raw[c]
                        : result_of(t, value_of(t, texel.raw[c]));
    finish(t, result);
    return true;
}

/* ---- levels ---- */

static uint32_t halved(uint32_t size)
{
    return size > 1 ? size / 2 : 1;
}

struct sm_texture sm_texture_level(const struct sm_texture *t, unsigned n)
{
    struct sm_texture level = *t;
    level.levels = 1;
    while (n--) {
        level.address += level.slice * level.depth;
        level.width = halved(level.width);
        level.height = level.dimensions > 1 ? halved(level.height) : level.height;
        level.depth = level.dimensions > 2 ? halved(level.depth) : level.depth;
        const uint64_t row = (uint64_t)level.width * level.bytes * level.channels;
        level.pitch = (row + SM_TEXTURE_ROW - 1) / SM_TEXTURE_ROW * SM_TEXTURE_ROW;
        level.slice = level.pitch * level.height;
    }
    return level;
}

float sm_texture_level_of(const struct sm_texture *t, const float by[2][3])
{
    double longest = 0;
    for (unsigned i = 0; i < 2; i++) {
        double square = 0;
        for (unsigned axis = 0; axis < t->dimensions; axis++) {
            const double texels =
                by[i][axis] * (t->flags & SM_TEXTURE_NORMALIZED ? (double)size_along(t, axis) : 1);
            square += texels * texels;
        }
        longest = fmax(longest, square);
    }
    return longest > 0 ? (float)(log2(longest) / 2) : -INFINITY;
}

bool sm_texture_sample(const struct sm_texture *t, const struct sm_texture_coordinates *at,
                       const struct sm_texel_reader *reader, uint32_t result[4])
{
    if (t->levels < 2 || !at->has_level)
        return sample_level(t, at, reader, result);
    const double last = fmin(t->most, t->levels - 1.0);
    const double level = fmax(fmin(fmax((double)at->level + t->bias, t->least), last), 0);
    const bool mixed = t->flags & SM_TEXTURE_MIXED;
    const unsigned first = (unsigned)floor(mixed ? level : level + 0.5);
    const double weight = mixed ? floor((level - first) * STEPS + 0.5) / STEPS : 0;
    struct sm_texture one = sm_texture_level(t, first);
    if (!sample_level(&one, at, reader, result))
        return false;
    if (weight == 0 || gives_integers(t))
        return true;
    uint32_t upper[4];
    one = sm_texture_level(t, first + 1);
    if (!sample_level(&one, at, reader, upper))
        return false;
    for (unsigned c = 0; c < t->channels; c++)
        result[c] = wt_float_bits((float)(wt_float_of_bits(result[c]) * (1 - weight) +
                                          wt_float_of_bits(upper[c]) * weight));
    return true;
}

bool sm_texture_copies(const struct sm_texture *t, bool whole, bool *converts)
{
    const bool mixes = (t->flags & SM_TEXTURE_LINEAR && !whole) ||
                       (t->levels > 1 && t->flags & SM_TEXTURE_MIXED && !gives_integers(t));
    *converts = !mixes && !gives_integers(t) && (t->texel != SM_TEXEL_FLOAT || t->bytes != 4);
    return !mixes;
}

bool sm_texture_gather(const struct sm_texture *t, const struct sm_texture_coordinates *at,
                       unsigned component, const struct sm_texel_reader *reader, uint32_t result[4])
{
    /* Result n is the texel at (0,1), (1,1), (1,0), (0,0). */
    static const uint8_t right[4] = {0, 1, 1, 0}, down[4] = {1, 1, 0, 0};
    uint32_t weight;
    const int64_t x = lower_neighbour(position(t, at, 0), &weight) + at->offset[0];
    const int64_t y = lower_neighbour(position(t, at, 1), &weight) + at->offset[1];
    for (unsigned n = 0; n < 4; n++) {
        const int64_t place[3] = {x + right[n], y + down[n], 0};
        struct texel texel;
        uint32_t all[4];
        if (!read_texel(t, place, at->layer, reader, &texel))
            return false;
        for (unsigned c = 0; c < t->channels; c++)
            all[c] = t->texel == SM_TEXEL_FLOAT || gives_integers(t)
                         ? texel.raw[c]
                         : result_of(t, value_of(t, texel.raw[c]));
        finish(t, all);
        result[n] = all[component];
    }
    return true;
}
