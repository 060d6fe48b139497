/* Values of expressions, and their conversion to numbers. */
#include <stdlib.h>

#include "base/bits.h"
#include "debug/core/print.h"
#include "debug/source/source_internal.h"

void wt_values_free(struct wt_values *v)
{
    free(v->bytes);
    free(v->state);
    free(v->address);
    *v = (struct wt_values){.reg = -1};
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
