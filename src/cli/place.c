/* Registers and fields by name. See place.h. */
#include "cli/place.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "base/text.h"

enum wt_status cli_place_parse(const struct wt_hw_table *table, const char *list, const char *text,
                               size_t length, struct cli_place *place, struct wt_error *err)
{
    enum wt_status status;
    const char *dot = memchr(text, '.', length);
    size_t name = dot ? (size_t)(dot - text) : length;
    *place = (struct cli_place){0};
    if (isdigit((unsigned char)text[0])) {
        char digits[24];
        uint64_t addr;
        snprintf(digits, sizeof digits, "%.*s", (int)name, text);
        if ((status = wt_parse_number(digits, &addr, err)) != WT_OK)
            return status;
        if (addr > UINT16_MAX)
            return wt_fail(err, WT_INVALID, "register addresses end at 0xffff");
        place->addr = (uint16_t)addr;
        place->reg = wt_hw_at(table, place->addr);
    } else {
        place->reg = wt_hw_find(table, text, name);
        if (!place->reg)
            return wt_fail(err, WT_INVALID, "there is no register '%.*s'; '%s' lists them",
                           (int)name, text, list);
        if (place->reg->memory)
            return wt_fail(err, WT_INVALID,
                           "%s is a layout, not a register: it cannot be read or written",
                           place->reg->name);
        place->addr = place->reg->addr;
    }
    if (!dot)
        return WT_OK;
    if (place->reg)
        place->field = wt_hw_find_field(place->reg, dot + 1, length - name - 1);
    if (!place->field)
        return wt_fail(err, WT_INVALID, "register %.*s has no field '%.*s'; '%s' lists them",
                       (int)name, text, (int)(length - name - 1), dot + 1, list);
    return WT_OK;
}

uint32_t cli_place_value(const struct cli_place *place, uint32_t word)
{
    return place->field ? wt_field(word, place->field->msb, place->field->lsb) : word;
}

enum wt_status cli_place_parse_value(const char *text, const struct cli_place *place,
                                     uint32_t *value, struct wt_error *err)
{
    uint64_t number = 0;
    if (place->field && place->field->values && !isdigit((unsigned char)text[0])) {
        while (place->field->values[number] && strcasecmp(place->field->values[number], text) != 0)
            number++;
        if (!place->field->values[number])
            return wt_fail(err, WT_INVALID, "'%s' is not a value of %s", text, place->field->name);
    } else {
        const enum wt_status status = wt_parse_number(text, &number, err);
        if (status != WT_OK)
            return status;
    }
    unsigned bits = place->field ? place->field->msb - place->field->lsb + 1u : 32;
    if (number >> bits)
        return wt_fail(err, WT_INVALID, "%s does not fit %u bit%s", text, bits, wt_plural(bits));
    *value = (uint32_t)number;
    return WT_OK;
}

void cli_place_print(const struct cli_place *place, uint32_t word)
{
    if (place->field) {
        printf("%s.", place->reg->name);
        wt_hw_print_field(stdout, place->field, word);
        putchar('\n');
    } else if (place->reg) {
        wt_hw_print(stdout, place->reg, word);
    } else {
        printf("0x%x = 0x%08" PRIx32 "\n", place->addr, word);
    }
}
