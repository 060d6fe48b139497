/* Images and samplers in the notation of users. See image_value.h. */
#include "runtime/common/image_value.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/text.h"

/* ---- names ---- */

struct image_name {
    const char *text;
    unsigned value, size; /* components of an order, bytes of a type */
};

static const struct image_name orders[] = {
    {"r", WT_ORDER_R, 1},
    {"a", WT_ORDER_A, 1},
    {"rg", WT_ORDER_RG, 2},
    {"rgba", WT_ORDER_RGBA, 4},
    {"bgra", WT_ORDER_BGRA, 4},
    {"intensity", WT_ORDER_INTENSITY, 1},
    {"luminance", WT_ORDER_LUMINANCE, 1},
    {"depth", WT_ORDER_DEPTH, 1},
    {"srgba", WT_ORDER_SRGBA, 4},
    {"sbgra", WT_ORDER_SBGRA, 4},
    {0},
};

static const struct image_name types[] = {
    {"snorm8", WT_CHANNEL_SNORM8, 1},
    {"snorm16", WT_CHANNEL_SNORM16, 2},
    {"unorm8", WT_CHANNEL_UNORM8, 1},
    {"unorm16", WT_CHANNEL_UNORM16, 2},
    {"sint8", WT_CHANNEL_SINT8, 1},
    {"sint16", WT_CHANNEL_SINT16, 2},
    {"sint32", WT_CHANNEL_SINT32, 4},
    {"uint8", WT_CHANNEL_UINT8, 1},
    {"uint16", WT_CHANNEL_UINT16, 2},
    {"uint32", WT_CHANNEL_UINT32, 4},
    {"half", WT_CHANNEL_HALF, 2},
    {"float", WT_CHANNEL_FLOAT, 4},
    {0},
};

static const struct image_name addresses[] = {
    {"none", WT_ADDRESS_NONE, 0},
    {"clamp", WT_ADDRESS_CLAMP, 0},
    {"clamp-to-edge", WT_ADDRESS_CLAMP_TO_EDGE, 0},
    {"repeat", WT_ADDRESS_REPEAT, 0},
    {"mirrored-repeat", WT_ADDRESS_MIRRORED_REPEAT, 0},
    {0},
};

static const struct image_name filters[] = {{"nearest", 0, 0}, {"linear", 1, 0}, {0}};

/* The name that the @p length characters at @p text are; NULL: none. */
static const struct image_name *find(const struct image_name *names, const char *text,
                                     size_t length)
{
    while (names->text && (strlen(names->text) != length || memcmp(names->text, text, length) != 0))
        names++;
    return names->text ? names : NULL;
}

/* @p what with its article: "an address mode". */
static enum wt_status unknown(const char *what, const struct image_name *names, const char *text,
                              size_t length, struct wt_error *err)
{
    char list[200] = "";
    for (size_t used = 0; names->text && used < sizeof list; names++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                 names->text);
    return wt_fail(err, WT_INVALID, "'%.*s' is not %s: %s", length < 64 ? (int)length : 64, text,
                   what, list);
}

/* ---- images ---- */

/* "W", "WxH" or "WxHxD". */
static enum wt_status sizes(const char *text, size_t length, struct wt_image_shape *image,
                            struct wt_error *err)
{
    size_t at = 0;
    for (image->dimensions = 0; image->dimensions < 3;) {
        uint64_t number = 0;
        const size_t first = at;
        while (at < length && isdigit((unsigned char)text[at]) && number <= UINT32_MAX)
            number = number * 10 + (uint64_t)(text[at++] - '0');
        if (at == first || !number || number > UINT32_MAX)
            break;
        image->size[image->dimensions++] = (uint32_t)number;
        if (at == length)
            return WT_OK;
        if (text[at++] != 'x')
            break;
    }
    return wt_fail(err, WT_INVALID, "'%.*s' is not WIDTH, WIDTHxHEIGHT or WIDTHxHEIGHTxDEPTH",
                   length < 64 ? (int)length : 64, text);
}

/* Bytes of the whole image, which has texels. */
static enum wt_status image_bytes(const struct wt_image_shape *image, size_t *length,
                                  struct wt_error *err)
{
    uint64_t bytes = image->texel;
    for (unsigned i = 0; i < 3; i++) {
        if (image->size[i] > WT_FILE_MAX_BYTES / bytes)
            return wt_fail(err, WT_INVALID, "an image of %ux%ux%u texels has more than 1 GiB",
                           image->size[0], image->size[1], image->size[2]);
        bytes *= image->size[i];
    }
    *length = (size_t)bytes;
    return WT_OK;
}

static enum wt_status from_file(const char *path, size_t length, uint8_t **bytes,
                                struct wt_error *err)
{
    enum wt_status status;
    size_t found;
    if ((status = wt_file_read(path, bytes, &found, err)) != WT_OK)
        return status;
    if (found == length)
        return WT_OK;
    free(*bytes);
    *bytes = NULL;
    return wt_fail(err, WT_INVALID, "%s has %zu bytes; the image has %zu", path, found, length);
}

static enum wt_status contents(const char *text, size_t length, uint8_t **bytes,
                               struct wt_error *err)
{
    const bool repeat = strncmp(text, "pattern:", 8) == 0;
    enum wt_status status;
    uint8_t *unit = NULL;
    size_t unit_length = 0;
    if (strncmp(text, "file:", 5) == 0)
        return from_file(text + 5, length, bytes, err);
    if (!repeat && strcmp(text, "zeros") != 0)
        return wt_fail(err, WT_INVALID,
                       "'%.64s' is not one of zeros, pattern:HEX, file:PATH, which an image has",
                       text);
    if (repeat && (status = wt_parse_bytes(text + 8, &unit, &unit_length, err)) != WT_OK)
        return status;
    *bytes = calloc(length, 1);
    for (size_t i = 0; i < length && repeat && *bytes; i++)
        (*bytes)[i] = unit[i % unit_length];
    free(unit);
    return *bytes ? WT_OK : wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
}

enum wt_status wt_image_value_parse(const char *text, unsigned dimensions,
                                    struct wt_image_shape *image, uint8_t **bytes, size_t *length,
                                    struct wt_error *err)
{
    enum wt_status status;
    *image = (struct wt_image_shape){.size = {1, 1, 1}};
    *bytes = NULL;
    const char *format = strchr(text, ','), *dash = format ? strchr(format, '-') : NULL;
    const char *what = dash ? strchr(dash, ',') : NULL;
    if (!what)
        return wt_fail(err, WT_INVALID,
                       "'%.64s' is not SIZE,ORDER-TYPE,CONTENTS, for example "
                       "64x48,rgba-unorm8,zeros",
                       text);
    if ((status = sizes(text, (size_t)(format - text), image, err)) != WT_OK)
        return status;
    if (image->dimensions != dimensions)
        return wt_fail(err, WT_INVALID, "it has %u sizes, not %u", dimensions, image->dimensions);
    const size_t order_length = (size_t)(dash - format - 1),
                 type_length = (size_t)(what - dash - 1);
    const struct image_name *order = find(orders, format + 1, order_length),
                            *type = find(types, dash + 1, type_length);
    if (!order)
        return unknown("an order of channels", orders, format + 1, order_length, err);
    if (!type)
        return unknown("a type of a channel", types, dash + 1, type_length, err);
    image->order = order->value;
    image->channels = type->value;
    image->texel = order->size * type->size;
    if ((status = image_bytes(image, length, err)) != WT_OK)
        return status;
    return contents(what + 1, *length, bytes, err);
}

/* ---- Netpbm (its manual, "ppm" and "pgm") ---- */

/* A number in the header: blanks and comments stand before it. */
static bool header_number(const uint8_t *data, size_t size, size_t *at, uint32_t *value)
{
    uint64_t number = 0;
    while (*at < size && (isspace(data[*at]) || data[*at] == '#')) {
        if (data[*at] == '#')
            while (*at < size && data[*at] != '\n')
                ++*at;
        else
            ++*at;
    }
    const size_t first = *at;
    while (*at < size && isdigit(data[*at]) && number <= UINT32_MAX)
        number = number * 10 + data[(*at)++] - '0';
    *value = (uint32_t)number;
    return *at > first && number && number <= UINT32_MAX;
}

/* A sample of the file, in parts of its most, as a channel. */
static uint32_t channel(const uint8_t *from, unsigned bytes, uint32_t most)
{
    const uint32_t whole = bytes == 2 ? 0xffff : 0xff;
    const uint32_t sample = bytes == 2 ? (uint32_t)(from[0] << 8 | from[1]) : from[0];
    return sample >= most ? whole : (sample * whole + most / 2) / most;
}

enum wt_status wt_image_value_netpbm(const char *name, const uint8_t *data, size_t size,
                                     struct wt_image_shape *image, uint8_t **bytes, size_t *length,
                                     struct wt_error *err)
{
    uint32_t most;
    size_t at = 2;
    enum wt_status status;
    *image = (struct wt_image_shape){.size = {1, 1, 1}, .dimensions = 2};
    *bytes = NULL;
    const bool colour = size > 2 && memcmp(data, "P6", 2) == 0;
    if (!colour && (size <= 2 || memcmp(data, "P5", 2) != 0))
        return wt_fail(err, WT_INVALID, "%s is not a binary PGM (P5) or PPM (P6)", name);
    if (!header_number(data, size, &at, &image->size[0]) ||
        !header_number(data, size, &at, &image->size[1]) ||
        !header_number(data, size, &at, &most) || most > 65535 || at == size || !isspace(data[at]))
        return wt_fail(err, WT_INVALID,
                       "%s: its header has no width, height and largest value up "
                       "to 65535",
                       name);
    at++;
    const unsigned sample = most > 255 ? 2 : 1, from = colour ? 3 : 1, to = colour ? 4 : 1;
    image->order = colour ? WT_ORDER_RGBA : WT_ORDER_R;
    image->channels = sample == 2 ? WT_CHANNEL_UNORM16 : WT_CHANNEL_UNORM8;
    image->texel = to * sample;
    if ((status = image_bytes(image, length, err)) != WT_OK)
        return wt_fail_in(err, "%s", name);
    const size_t texels = *length / image->texel;
    if (size - at < texels * from * sample)
        return wt_fail(err, WT_INVALID, "%s: %zu bytes follow its header; %ux%u texels have %zu",
                       name, size - at, image->size[0], image->size[1], texels * from * sample);
    if (!(*bytes = malloc(*length)))
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    for (size_t i = 0; i < texels; i++)
        for (unsigned c = 0; c < to; c++)
            wt_store_le(*bytes + (i * to + c) * sample,
                        c < from ? channel(data + at + (i * from + c) * sample, sample, most)
                                 : UINT32_MAX,
                        sample);
    return WT_OK;
}

enum wt_status wt_image_value_read_netpbm(const char *path, struct wt_image_shape *image,
                                          uint8_t **bytes, size_t *length, struct wt_error *err)
{
    enum wt_status status;
    uint8_t *data;
    size_t size;
    *bytes = NULL;
    if ((status = wt_file_read(path, &data, &size, err)) != WT_OK)
        return status;
    status = wt_image_value_netpbm(path, data, size, image, bytes, length, err);
    free(data);
    return status;
}

/* ---- samplers ---- */

enum wt_status wt_sampler_parse(const char *text, struct wt_sampler *sampler, struct wt_error *err)
{
    const size_t first = strcspn(text, ",");
    const char *second = text + first + (text[first] == ',');
    const size_t second_length = strcspn(second, ",");
    const char *rest = second + second_length;
    const struct image_name *address = find(addresses, text, first),
                            *filter = find(filters, second, second_length);
    if (!address)
        return unknown("an address mode", addresses, text, first, err);
    if (!filter)
        return unknown("a filter", filters, second, second_length, err);
    if (*rest && strcmp(rest, ",normalized") != 0)
        return wt_fail(err, WT_INVALID,
                       "'%.64s' is not ADDRESS,FILTER or ADDRESS,FILTER,normalized", text);
    *sampler = (struct wt_sampler){
        .address = (uint8_t)address->value, .linear = filter->value, .normalized = *rest};
    if (address->value >= WT_ADDRESS_REPEAT && !sampler->normalized)
        return wt_fail(err, WT_INVALID, "'%s' is for normalized coordinates: say %s,%s,normalized",
                       address->text, address->text, filter->text);
    return WT_OK;
}
