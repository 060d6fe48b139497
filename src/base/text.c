/* Numbers and sets of lanes in the notation of users. See text.h. */
#include "base/text.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum wt_status wt_parse_number(const char *text, uint64_t *value, struct wt_error *err)
{
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)text[0]) || *end || errno)
        return wt_fail(err, WT_INVALID, "'%s' is not a number (decimal, or 0x…) of 64 bits", text);
    *value = number;
    return WT_OK;
}

void wt_lanes_list(wt_lanes lanes, const char *separator, char *text, size_t size)
{
    size_t length = 0;
    assert(size);
    text[0] = 0;
    for (unsigned lane = 0; lane < WT_MAX_LANES && length < size; lane++) {
        if (!wt_has_lane(lanes, lane))
            continue;
        unsigned last = lane;
        while (last + 1 < WT_MAX_LANES && wt_has_lane(lanes, last + 1))
            last++;
        const char *comma = length ? separator : "";
        int n = last == lane ? snprintf(text + length, size - length, "%s%u", comma, lane)
                             : snprintf(text + length, size - length, "%s%u-%u", comma, lane, last);
        length += (size_t)n;
        lane = last;
    }
}

void wt_lanes_text(wt_lanes lanes, char *text, size_t size)
{
    wt_lanes_list(lanes, ",", text, size);
}

void wt_mask_text(wt_lanes lanes, char *text, size_t size)
{
    if (lanes >> 64)
        snprintf(text, size, "0x%" PRIx64 "%016" PRIx64, (uint64_t)(lanes >> 64), (uint64_t)lanes);
    else
        snprintf(text, size, "0x%" PRIx64, (uint64_t)lanes);
}

enum wt_status wt_parse_size(const char *value, const char *hint, uint64_t *out,
                             struct wt_error *err)
{
    static const char units[] = "KMG";
    char number[32];
    size_t length = strlen(value);
    const char *unit = length ? strchr(units, toupper((unsigned char)value[length - 1])) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    uint64_t bytes = 0;
    snprintf(number, sizeof number, "%.*s", (int)(length - (unit != NULL)), value);
    if (wt_parse_number(number, &bytes, WT_IGNORED) || bytes == 0 ||
        bytes > (uint64_t)1 << (62 - shift))
        return wt_fail(err, WT_INVALID,
                       "'%s' is not an amount of memory: a number of bytes, or with K, M or G%s",
                       value, hint);
    *out = bytes << shift;
    return WT_OK;
}

enum wt_status wt_parse_bytes(const char *text, uint8_t **bytes, size_t *length,
                              struct wt_error *err)
{
    const size_t digits = strlen(text);
    if (!digits || digits % 2 || strspn(text, "0123456789abcdefABCDEF") != digits)
        return wt_fail(err, WT_INVALID, "'%.64s' is not a sequence of hexadecimal bytes", text);
    if (!(*bytes = malloc(digits / 2)))
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    *length = digits / 2;
    for (size_t i = 0; i < *length; i++) {
        const char pair[3] = {text[2 * i], text[2 * i + 1], 0};
        (*bytes)[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return WT_OK;
}

void wt_text_add(struct wt_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(text->at, text->left, format, arguments);
    va_end(arguments);
    if (n > 0 && (size_t)n < text->left) {
        text->at += n;
        text->left -= (size_t)n;
    } else if (text->left) {
        *text->at = 0;
    }
}

const char *wt_skip_blanks(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

size_t wt_word_length(const char *text)
{
    size_t length = 0;
    while (text[length] && !isspace((unsigned char)text[length]))
        length++;
    return length;
}

unsigned wt_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    const unsigned size = *s < 0x80   ? 1
                          : *s < 0xc2 ? 0
                          : *s < 0xe0 ? 2
                          : *s < 0xf0 ? 3
                          : *s < 0xf5 ? 4
                                      : 0;
    for (unsigned i = 1; i < size; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    const bool is_odd = (*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
                        (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f);
    return is_odd ? 0 : size;
}

char *wt_text_utf8(const char *text)
{
    static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */
    char *clean = malloc(strlen(text) * 3 + 1), *to = clean;
    while (clean && *text) {
        const unsigned size = wt_utf8_length(text);
        memcpy(to, size ? text : unknown, size ? size : 3);
        to += size ? size : 3;
        text += size ? size : 1;
    }
    if (clean)
        *to = 0;
    return clean;
}

void wt_offset_text(uint64_t at, uint64_t bytes, uint64_t object, char *text, size_t size)
{
    if (at < object)
        snprintf(text, size, "byte %" PRIu64 " of", at);
    else if (at > object)
        snprintf(text, size, "%" PRIu64 " byte%s past the end of", at - object,
                 wt_plural(at - object));
    else if (bytes)
        snprintf(text, size, "the %" PRIu64 " byte%s just past the end of", bytes,
                 wt_plural(bytes));
    else
        snprintf(text, size, "just past the end of");
}

bool wt_script_add(struct wt_script *s, char *line)
{
    char **grown = line ? wt_array_grow(s->line, &s->capacity, s->count + 1, sizeof(char *)) : NULL;
    if (!grown) {
        free(line);
        return false;
    }
    s->line = grown;
    grown[s->count++] = line;
    return true;
}

void wt_script_free(struct wt_script *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->line[i]);
    free(s->line);
    *s = (struct wt_script){0};
}
