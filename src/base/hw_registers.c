/* Registers and fields by name. See hw_registers.h. */
#include "base/hw_registers.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"

static bool same(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && strncasecmp(name, text, length) == 0;
}

const struct wt_hw_register *wt_hw_find(const struct wt_hw_table *table, const char *name,
                                        size_t length)
{
    for (size_t i = 0; i < table->count; i++)
        if (same(table->registers[i].name, name, length))
            return &table->registers[i];
    return NULL;
}

const struct wt_hw_register *wt_hw_at(const struct wt_hw_table *table, uint16_t addr)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct wt_hw_register *r = &table->registers[i];
        if (r->addr == addr && !r->indirect && !r->memory)
            return r;
    }
    return NULL;
}

const struct wt_hw_field *wt_hw_find_field(const struct wt_hw_register *reg, const char *name,
                                           size_t length)
{
    for (size_t i = 0; i < reg->field_count; i++) {
        const struct wt_hw_field *f = &reg->fields[i];
        if (same(f->name, name, length) || same(f->alias, name, length) ||
            same(f->longer, name, length))
            return f;
    }
    return NULL;
}

const char *wt_hw_value_name(const struct wt_hw_field *field, uint32_t value)
{
    for (uint32_t i = 0; field->values && field->values[i]; i++)
        if (i == value)
            return field->values[i];
    return NULL;
}

void wt_hw_print_field(FILE *out, const struct wt_hw_field *f, uint32_t word)
{
    const uint32_t value = wt_field(word, f->msb, f->lsb);
    const char *name = wt_hw_value_name(f, value);
    fprintf(out, f->msb - f->lsb > 15 ? "%s=0x%" PRIx32 : "%s=%" PRIu32, f->name, value);
    if (name)
        fprintf(out, "(%s)", name);
}

void wt_hw_print(FILE *out, const struct wt_hw_register *reg, uint32_t word)
{
    fprintf(out, "%s = 0x%08" PRIx32, reg->name, word);
    for (size_t i = 0; i < reg->field_count; i++) {
        fputc(' ', out);
        wt_hw_print_field(out, &reg->fields[i], word);
    }
    fputc('\n', out);
}

void wt_hw_explain(FILE *out, const struct wt_hw_register *reg, uint32_t word)
{
    uint32_t rest = word;
    fprintf(out, "%s = 0x%08" PRIx32 "%s\n", reg->name, word, word ? "" : ": no field is set");
    for (size_t i = 0; i < reg->field_count; i++) {
        const struct wt_hw_field *f = &reg->fields[i];
        if (!wt_field(word, f->msb, f->lsb))
            continue;
        rest = wt_with_field(rest, f->msb, f->lsb, 0);
        fputs("  ", out);
        wt_hw_print_field(out, f, word);
        fprintf(out, ": %s\n", f->about);
    }
    if (rest)
        fprintf(out, "  0x%" PRIx32 " besides: bits that have no meaning here\n", rest);
}

static void list_field(FILE *out, const struct wt_hw_field *f)
{
    static const char *const access[] = {"R", "W", "RW"};
    char bits[16];
    if (f->msb == f->lsb)
        snprintf(bits, sizeof bits, "[%u]", f->msb);
    else
        snprintf(bits, sizeof bits, "[%u:%u]", f->msb, f->lsb);
    fprintf(out, "  %-8s %-15s %-3s %-2s  %s", bits, f->name, f->alias ? f->alias : "",
            access[f->access], f->about);
    for (unsigned v = 0; f->values && f->values[v]; v++)
        fprintf(out, "%s%u %s", v ? ", " : " (", v, f->values[v]);
    fputs(f->values ? ")\n" : "\n", out);
}

void wt_hw_list(FILE *out, const struct wt_hw_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct wt_hw_register *r = &table->registers[i];
        if (r->memory)
            fprintf(out, "- %s: %s\n", r->name, r->about);
        else
            fprintf(out, "%s0x%x %s: %s\n", r->indirect ? "indirect " : "", r->addr, r->name,
                    r->about);
        for (size_t j = 0; j < r->field_count; j++)
            list_field(out, &r->fields[j]);
    }
}
