/* See fill.h. */
#include "emulator/machine/fill.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"

enum wt_status wt_fill_parse(const char *text, struct wt_fill *fill, struct wt_error *err)
{
    struct wt_fill made = {WT_FILL_ZERO, 0};
    const bool random = strncmp(text, "random:", 7) == 0;
    if (strcmp(text, "zero") != 0) {
        made.kind = random ? WT_FILL_RANDOM : WT_FILL_PATTERN;
        if (wt_parse_number(random ? text + 7 : text, &made.value, WT_IGNORED) ||
            (!random && made.value > UINT32_MAX))
            return wt_fail(err, WT_INVALID,
                           "'%.64s' is not zero, a pattern of 32 bits such as 0xffc00000, or "
                           "random:SEED",
                           text);
    }
    *fill = made;
    return WT_OK;
}

/* SplitMix64 (Steele, Lea, Flood 2014): the n-th number of a sequence. */
static uint64_t random_number(uint64_t seed, uint64_t n)
{
    uint64_t x = seed + (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

void wt_fill_bytes(const struct wt_fill *fill, uint64_t place, void *bytes, size_t size)
{
    uint8_t *to = bytes;
    assert(bytes || !size);
    if (fill->kind == WT_FILL_ZERO) {
        memset(bytes, 0, size);
        return;
    }
    const uint64_t start = random_number(fill->value, place);
    for (size_t at = 0; at < size; at += 8) {
        const uint64_t value = fill->kind == WT_FILL_RANDOM ? random_number(start, at / 8)
                                                            : fill->value | fill->value << 32;
        wt_store_le(to + at, value, size - at < 8 ? (unsigned)(size - at) : 8);
    }
}

enum wt_status wt_config_take_fill(void *config, const char *text, struct wt_error *err)
{
    return wt_fill_parse(text, &((struct wt_device_config *)config)->fill, err);
}

void wt_config_print_fill(const void *config, char *text, size_t size)
{
    const struct wt_fill *fill = &((const struct wt_device_config *)config)->fill;
    *text = 0;
    if (fill->kind == WT_FILL_PATTERN)
        snprintf(text, size, "0x%08" PRIx64, fill->value);
    else if (fill->kind == WT_FILL_RANDOM)
        snprintf(text, size, "random:%" PRIu64, fill->value);
}
