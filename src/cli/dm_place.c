/* Registers and fields by name: listing, parsing and printing them. See dm_place.h. */
#include "base/text.h"
#include "cli/dm_place.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "cli/options.h"

void cli_place_list(void)
{
    static const char *const access[] = {"R", "W", "RW"};
    for (size_t i = 0; i < wt_vxdebug_register_count; i++) {
        const struct wt_dm_register *r = &wt_vxdebug_registers[i];
        printf("0x%x %s: %s\n", r->addr, r->name, r->about);
        for (size_t j = 0; j < r->field_count; j++) {
            const struct wt_dm_field *f = &r->fields[j];
            char bits[16];
            if (f->msb == f->lsb)
                snprintf(bits, sizeof bits, "[%u]", f->msb);
            else
                snprintf(bits, sizeof bits, "[%u:%u]", f->msb, f->lsb);
            printf("  %-8s %-15s %-3s %-2s  %s", bits, f->name, f->alias ? f->alias : "",
                   access[f->access], f->about);
            for (unsigned v = 0; f->values && f->values[v]; v++)
                printf("%s%u %s", v ? ", " : " (", v, f->values[v]);
            puts(f->values ? ")" : "");
        }
    }
}

enum wt_status cli_place_parse(const char *text, size_t length, struct cli_place *place,
                               struct wt_error *err)
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
        for (size_t i = 0; i < wt_vxdebug_register_count; i++)
            if (wt_vxdebug_registers[i].addr == addr)
                place->reg = &wt_vxdebug_registers[i];
    } else {
        place->reg = wt_vxdebug_register(text, name);
        if (!place->reg)
            return wt_fail(err, WT_INVALID,
                           "there is no register '%.*s'; 'wavetrap dm --registers' lists them",
                           (int)name, text);
        place->addr = place->reg->addr;
    }
    if (!dot)
        return WT_OK;
    if (place->reg)
        place->field = wt_vxdebug_field(place->reg, dot + 1, length - name - 1);
    if (!place->field)
        return wt_fail(err, WT_INVALID,
                       "register %.*s has no field '%.*s'; 'wavetrap dm --registers' lists them",
                       (int)name, text, (int)(length - name - 1), dot + 1);
    return WT_OK;
}

uint32_t cli_place_value(const struct cli_place *place, uint32_t word)
{
    return place->field ? wt_field(word, place->field->msb, place->field->lsb) : word;
}

static void print_field(const struct wt_dm_field *f, uint32_t value)
{
    uint32_t v = wt_field(value, f->msb, f->lsb);
    const char *name = wt_vxdebug_value_name(f, v);
    printf(f->msb - f->lsb > 15 ? "%s=0x%" PRIx32 : "%s=%" PRIu32, f->name, v);
    if (name)
        printf("(%s)", name);
}

static void print_register(const struct cli_place *place, uint32_t value)
{
    if (!place->reg) {
        printf("0x%x = 0x%08" PRIx32 "\n", place->addr, value);
        return;
    }
    printf("%s = 0x%08" PRIx32, place->reg->name, value);
    for (size_t i = 0; i < place->reg->field_count; i++) {
        putchar(' ');
        print_field(&place->reg->fields[i], value);
    }
    putchar('\n');
}

enum wt_status cli_place_parse_value(const char *text, const struct cli_place *place,
                                     uint32_t *value, struct wt_error *err)
{
    uint64_t number = 0;
    if (place->field && place->field->values && !isdigit((unsigned char)text[0])) {
        while (place->field->values[number] && strcasecmp(place->field->values[number], text) != 0)
            number++;
        if (!place->field->values[number])
            return wt_fail(err, WT_INVALID, "'%s' is no value of %s", text, place->field->name);
    } else {
        const enum wt_status status = wt_parse_number(text, &number, err);
        if (status != WT_OK)
            return status;
    }
    unsigned bits = place->field ? place->field->msb - place->field->lsb + 1u : 32;
    if (number >> bits)
        return wt_fail(err, WT_INVALID, "%s does not fit %u bit%s", text, bits,
                       bits == 1 ? "" : "s");
    *value = (uint32_t)number;
    return WT_OK;
}

void cli_place_print(const struct cli_place *place, uint32_t word)
{
    if (place->field) {
        printf("%s.", place->reg->name);
        print_field(place->field, word);
        putchar('\n');
    } else {
        print_register(place, word);
    }
}
