/* Values of expressions, and their conversion to numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "expr/print.h"
#include "debug/source/source_internal.h"

void wt_values_free(struct wt_values *v)
{
    free(v->bytes);
    free(v->state);
    free(v->address);
    free(v->piece);
    *v = (struct wt_values){.reg = -1};
}

const char *wt_values_reason(const struct wt_values *v, unsigned k, char *text)
{
    switch ((enum wt_value_state)v->state[k]) {
    case WT_VALUE_UNREADABLE:
    case WT_VALUE_UNREACHED:
        snprintf(text, WT_VALUE_REASON, "Cannot access memory at address 0x%" PRIx64,
                 v->address[k]);
        return text;
    case WT_VALUE_DIVIDED:
        return "Division by zero";
    case WT_VALUE_UNFIT:
        return "The number is too large for its type";
    case WT_VALUE_UNKNOWN:
        return "The debug information does not give the value here";
    case WT_VALUE_NOT_YET:
        return v->in_memory
                   ? "The value is not available yet: the code that follows computes where "
                     "the variable lies, mostly that of its own line ('next')"
                   : "The value is not available yet: the code that follows computes it, "
                     "mostly that of its own line ('next')";
    case WT_VALUE_NOT_HERE:
        return v->in_memory ? "The value is not available here: the code has re-used the registers "
                              "that held where the variable lies"
                            : "The value is not available here: the code has re-used the registers "
                              "that held it";
    case WT_VALUE_LARGE:
        snprintf(text, WT_VALUE_REASON, "The value has %" PRIu64 " bytes", v->size);
        return text;
    case WT_VALUE_DAMAGED:
        return "The debug information is damaged";
    case WT_VALUE_GOOD:
    case WT_VALUE_LOST:
    case WT_VALUE_ELSEWHERE:
        break;
    }
    return NULL;
}

const char *wt_values_guess(const struct wt_values *v, char *text)
{
    if (!v->guess)
        return NULL;
    const struct wt_type *plain = wt_type_plain(v->guess_type);
    const bool is_array = plain->kind == WT_TYPE_ARRAY;
    const struct wt_type *element = is_array ? wt_type_plain(wt_type_target(plain)) : plain;
    const uint64_t size = wt_type_size(plain), of = wt_type_size(element);
    char declared[16], other[40];
    snprintf(declared, sizeof declared, "%s", of == 1 ? "bytes" : element->name);
    const uint64_t part = of > 1 ? of : size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1;
    const char *name = part == 8 ? "long" : part == 4 ? "int" : part == 2 ? "short" : "char";
    if (is_array && !plain->has_count) {
        if (plain->die.addr)
            snprintf(text, WT_VALUE_REASON, "PTX declares %s: try ((int *)%s)[0]", declared,
                     v->guess);
        else
            snprintf(text, WT_VALUE_REASON,
                     "the debug information has no type of it: try ((int *)%s)[0]", v->guess);
        return text;
    }
    if (is_array)
        snprintf(other, sizeof other, "(%s[%" PRIu64 "])", name, size / part);
    else
        snprintf(other, sizeof other, "(%s)", name);
    snprintf(text, WT_VALUE_REASON, "PTX declares %s: try %s%s", declared, other, v->guess);
    return text;
}

bool wt_values_place(const struct wt_values *v, unsigned k, unsigned i,
                     struct wt_value_place *place)
{
    if (i >= (v->piece_count ? v->piece_count : 1))
        return false;
    if (!v->piece_count) {
        *place = (struct wt_value_place){.size = v->size,
                                         .in_memory = v->in_memory,
                                         .memory = {v->space, v->in_memory ? v->address[k] : 0},
                                         .reg = v->reg,
                                         .from = v->from};
        return true;
    }
    const struct wt_value_piece *p = &v->piece[i];
    const uint64_t at = i ? v->piece[i - 1].end : 0;
    *place = (struct wt_value_place){.at = at,
                                     .size = p->end - at,
                                     .in_memory = p->in_memory,
                                     .memory = {p->space, p->in_memory ? p->address[k] : 0},
                                     .reg = p->reg,
                                     .from = p->from};
    return true;
}

bool wt_values_in_memory(const struct wt_values *v)
{
    struct wt_value_place place;
    bool all = true;
    for (unsigned i = 0; all && wt_values_place(v, 0, i, &place); i++)
        all = place.in_memory;
    return all;
}

uint8_t wt_values_mask(const struct wt_values *v, uint64_t at)
{
    const uint64_t first = v->bit_offset, end = first + v->bit_size;
    unsigned mask = 0;
    if (!v->bit_size)
        return 0xff;
    for (unsigned bit = 0; bit < 8; bit++)
        mask |= (unsigned)(8 * at + bit >= first && 8 * at + bit < end) << bit;
    return (uint8_t)mask;
}

bool wt_values_equal(const struct wt_values *v, const uint8_t *a, const uint8_t *b)
{
    for (uint64_t i = 0; i < v->size; i++)
        if ((a[i] ^ b[i]) & wt_values_mask(v, i))
            return false;
    return true;
}

enum wt_status wt_values_check_first(const struct wt_values *values, struct wt_error *err)
{
    char text[WT_VALUE_REASON];
    const char *why = wt_values_reason(values, 0, text);
    return why ? wt_fail(err, WT_INVALID, "%s", why) : WT_OK;
}

enum wt_status wt_values_check(const struct wt_values *v, struct wt_error *err)
{
    if (v->selected || v->lane_count != 1 ||
        (wt_type_plain(v->type)->kind == WT_TYPE_FUNCTION && v->in_memory))
        return WT_OK;
    return wt_values_check_first(v, err);
}

enum wt_status wt_values_address(const struct wt_values *v, struct wt_address *address,
                                 struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(v->type);
    if (v->in_memory && (plain->kind == WT_TYPE_FUNCTION || plain->kind == WT_TYPE_ARRAY)) {
        *address = (struct wt_address){v->space, v->address[0]};
        return WT_OK;
    }
    if (!wt_type_is_scalar(plain) && plain->kind != WT_TYPE_FUNCTION)
        return wt_fail(err, WT_INVALID, "Value can't be converted to integer.");
    const enum wt_status status = wt_values_check_first(v, err);
    if (status)
        return status;
    if (v->size > 8)
        return wt_fail(err, WT_INVALID, "A value of more than 8 bytes is not an address.");
    *address = (struct wt_address){v->in_memory ? 0 : v->space, wt_load_le(v->bytes, v->size)};
    return WT_OK;
}

enum wt_type_half wt_type_half(const struct wt_type *type)
{
    static const struct {
        const char *name;
        enum wt_type_half kind;
    } names[] = {{"__half", WT_HALF},          {"half", WT_HALF},
                 {"__nv_bfloat16", WT_BFLOAT}, {"__hip_bfloat16", WT_BFLOAT},
                 {"hip_bfloat16", WT_BFLOAT},  {"__bf16", WT_BFLOAT}};
    const struct wt_type *plain = wt_type_plain(type);
    const bool is_class = plain->kind == WT_TYPE_STRUCT || plain->kind == WT_TYPE_CLASS;
    for (size_t i = 0; i < sizeof names / sizeof *names && plain->name; i++)
        if (strcmp(plain->name, names[i].name) == 0 && wt_type_size(plain) == 2 &&
            (is_class || (plain->kind == WT_TYPE_FLOAT && names[i].kind == WT_BFLOAT)))
            return names[i].kind;
    return WT_NO_HALF;
}

bool wt_number_of(const struct wt_type *type, uint32_t bit_offset, uint32_t bit_size,
                  const uint8_t *bytes, struct wt_number *n)
{
    const struct wt_type *plain = wt_type_plain(type);
    const enum wt_type_half half = wt_type_half(plain);
    if (half) {
        *n = (struct wt_number){.is_float = true, .integer = wt_load_le(bytes, 2)};
        n->real = half == WT_HALF ? wt_print_double(n->integer, 16)
                                  : wt_print_double(n->integer << 16, 32);
        return true;
    }
    const uint64_t size = bit_size ? (bit_offset + bit_size + 7) / 8 : wt_type_size(plain);
    if (!wt_type_is_scalar(plain) || size == 0 || size > 8)
        return false;
    *n = (struct wt_number){.integer = wt_load_le(bytes, size)};
    if (plain->kind == WT_TYPE_FLOAT) {
        n->is_float = true;
        n->real = wt_print_double(n->integer, (unsigned)size * 8);
        return true;
    }
    n->is_signed = wt_type_is_signed(plain);
    const unsigned bits = bit_size ? bit_size : (unsigned)size * 8, by = 64 - bits;
    n->integer = n->integer >> bit_offset << by;
    n->integer = n->is_signed ? (uint64_t)((int64_t)n->integer >> by) : n->integer >> by;
    return true;
}
