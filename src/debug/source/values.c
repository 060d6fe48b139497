/* Values of expressions, and their conversion to numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "debug/core/print.h"
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
        return "The debug information does not tell the value here";
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
        return wt_fail(err, WT_INVALID, "A value of more than 8 bytes is no address.");
    *address = (struct wt_address){v->in_memory ? 0 : v->space, wt_load_le(v->bytes, v->size)};
    return WT_OK;
}

bool wt_number_of(const struct wt_type *type, uint32_t bit_offset, uint32_t bit_size,
                  const uint8_t *bytes, struct wt_number *n)
{
    const struct wt_type *plain = wt_type_plain(type);
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
