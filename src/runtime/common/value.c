/* Values of kernel arguments in the notation of users. See value.h. */
#include "runtime/common/value.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/text.h"
#include "emulator/machine/softfloat.h"

#define READ_ONLY "read-only:"

/* A number of bytes behind "zeros:", "local:" and so on. */
static enum wt_status size_of(const char *text, size_t *size, struct wt_error *err)
{
    enum wt_status status;
    uint64_t number;
    if ((status = wt_parse_number(text, &number, err)) != WT_OK)
        return status;
    if (number > WT_FILE_MAX_BYTES)
        return wt_fail(err, WT_INVALID, "%s bytes are more than 1 GiB", text);
    *size = (size_t)number;
    return WT_OK;
}

static enum wt_status allocate(struct wt_value *v, size_t size, struct wt_error *err)
{
    v->bytes = calloc(size ? size : 1, 1);
    v->length = size;
    return v->bytes ? WT_OK : wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
}

/* "SIZE=HEX": the bytes, over and over. */
static enum wt_status pattern(const char *text, struct wt_value *v, struct wt_error *err)
{
    enum wt_status status;
    char number[32];
    const char *equals = strchr(text, '=');
    uint8_t *unit = NULL;
    size_t size = 0, length = 0;
    if (!equals || (size_t)(equals - text) >= sizeof number)
        return wt_fail(err, WT_INVALID, "'%s' is not SIZE=HEXADECIMAL", text);
    memcpy(number, text, (size_t)(equals - text));
    number[equals - text] = 0;
    if ((status = size_of(number, &size, err)) != WT_OK ||
        (status = wt_parse_bytes(equals + 1, &unit, &length, err)) != WT_OK)
        return status;
    status = allocate(v, size, err);
    for (size_t i = 0; !status && i < size; i++)
        v->bytes[i] = unit[i % length];
    free(unit);
    return status;
}

static enum wt_status buffer(const char *text, struct wt_value *v, struct wt_error *err)
{
    enum wt_status status;
    size_t size = 0;
    if (strcmp(text, "null") == 0) {
        v->is_null = true;
        return allocate(v, 0, err);
    }
    if (strncmp(text, READ_ONLY, strlen(READ_ONLY)) == 0) {
        v->read_only = true;
        text += strlen(READ_ONLY);
    }
    if (strncmp(text, "zeros:", 6) == 0)
        return (status = size_of(text + 6, &size, err)) != WT_OK ? status : allocate(v, size, err);
    if (strncmp(text, "file:", 5) == 0)
        return wt_file_read(text + 5, &v->bytes, &v->length, err);
    if (strncmp(text, "pattern:", 8) == 0)
        return pattern(text + 8, v, err);
    if (strncmp(text, "iota:", 5) == 0) {
        if ((status = size_of(text + 5, &size, err)) != WT_OK ||
            (status = allocate(v, size, err)) != WT_OK)
            return status;
        for (size_t i = 0; i + 4 <= size; i += 4)
            wt_store_le(v->bytes + i, i / 4, 4);
        return WT_OK;
    }
    return wt_fail(
        err, WT_INVALID,
        "'%s' is not one of zeros:SIZE, iota:SIZE, pattern:SIZE=HEX, file:PATH and null, "
        "which a buffer takes",
        text);
}

/* Whether text is a number that fits so many bytes; signed or not, an integer or a fraction. */
static enum wt_status integer(const char *text, size_t size, char sign, struct wt_value *v,
                              struct wt_error *err)
{
    enum wt_status status;
    char *end;
    errno = 0;
    const bool negative = *text == '-';
    const unsigned long long number = strtoull(text, &end, 0);
    const bool digits = isdigit((unsigned char)text[negative]);
    const unsigned bits = (unsigned)size * 8;
    const uint64_t magnitude = negative ? 0 - (uint64_t)number : number;
    const uint64_t most = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    const uint64_t limit = negative ? (uint64_t)1 << (bits - 1) : sign == 'i' ? most / 2 : most;
    if (!digits || *end || errno || magnitude > limit || (negative && sign == 'u'))
        return wt_fail(err, WT_INVALID,
                       "'%s' is not a number of %zu bytes, which this argument takes", text, size);
    if ((status = allocate(v, size, err)) != WT_OK)
        return status;
    wt_store_le(v->bytes, number, size);
    return WT_OK;
}

static enum wt_status floating(const char *text, size_t size, struct wt_value *v,
                               struct wt_error *err)
{
    enum wt_status status;
    char *end;
    const double number = strtod(text, &end);
    if (end == text || *end)
        return wt_fail(err, WT_INVALID, "'%s' is not a number", text);
    uint64_t bits;
    struct wt_fp fp = {.propagate_nan = true};
    memcpy(&bits, &number, sizeof bits);
    if (size == 4)
        bits = wt_f64_to_f32(bits, &fp);
    else if (size == 2)
        bits = wt_f64_to_f16(bits, &fp);
    if ((status = allocate(v, size, err)) != WT_OK)
        return status;
    wt_store_le(v->bytes, bits, size);
    return WT_OK;
}

/* "TYPE:NUMBER", a number of the argument's size, or "hex:…". */
static enum wt_status scalar(size_t size, const char *text, struct wt_value *v,
                             struct wt_error *err)
{
    static const struct {
        const char *name;
        char kind;
        size_t size;
    } types[] = {{"i8:", 'i', 1},  {"i16:", 'i', 2}, {"i32:", 'i', 4}, {"i64:", 'i', 8},
                 {"u8:", 'u', 1},  {"u16:", 'u', 2}, {"u32:", 'u', 4}, {"u64:", 'u', 8},
                 {"f16:", 'f', 2}, {"f32:", 'f', 4}, {"f64:", 'f', 8}};
    if (strncmp(text, "hex:", 4) == 0)
        return wt_parse_bytes(text + 4, &v->bytes, &v->length, err);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t length = strlen(types[i].name);
        if (strncmp(text, types[i].name, length) != 0)
            continue;
        return types[i].kind == 'f' ? floating(text + length, types[i].size, v, err)
                                    : integer(text + length, types[i].size, types[i].kind, v, err);
    }
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return wt_fail(err, WT_INVALID, "it has %zu bytes: say them as hex:…", size);
    if (strncmp(text, "0x", 2) != 0 && strpbrk(text, ".eEnN") && size != 1)
        return floating(text, size, v, err);
    return integer(text, size, 0, v, err);
}

bool wt_value_names_buffer(const char *text)
{
    static const char *const words[] = {"zeros:", "iota:", "pattern:", "file:", READ_ONLY};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return true;
    return strcmp(text, "null") == 0;
}

enum wt_status wt_value_parse(enum wt_value_kind kind, size_t size, const char *text,
                              struct wt_value *v, struct wt_error *err)
{
    *v = (struct wt_value){.kind = kind};
    switch (kind) {
    case WT_VALUE_PLAIN:
        return scalar(size, text, v, err);
    case WT_VALUE_BUFFER:
        return buffer(text, v, err);
    case WT_VALUE_LOCAL:
        if (strncmp(text, "local:", 6) != 0)
            return wt_fail(err, WT_INVALID,
                           "'%s' is not local:SIZE, which a pointer to local "
                           "memory takes",
                           text);
        return size_of(text + 6, &v->length, err);
    case WT_VALUE_IMAGE:
        if (strncmp(text, "image:", 6) == 0)
            return wt_image_value_parse(text + 6, (unsigned)size, &v->image, &v->bytes, &v->length,
                                        err);
        if (strncmp(text, "netpbm:", 7) == 0 && size == 2)
            return wt_image_value_read_netpbm(text + 7, &v->image, &v->bytes, &v->length, err);
        return wt_fail(err, WT_INVALID,
                       "'%.64s' is not image:SIZE,ORDER-TYPE,CONTENTS%s, which an image takes",
                       text, size == 2 ? " or netpbm:PATH" : "");
    case WT_VALUE_SAMPLER:
        if (strncmp(text, "sampler:", 8) == 0)
            return wt_sampler_parse(text + 8, &v->sampler, err);
        return wt_fail(err, WT_INVALID,
                       "'%.64s' is not sampler:ADDRESS,FILTER[,normalized], which a sampler takes",
                       text);
    default:
        return wt_fail(err, WT_UNSUPPORTED,
                       "images, samplers and queues are not offered for this kernel");
    }
}
