/* See buffer.h. */
#include "base/buffer.h"

#include <string.h>

#include "base/array.h"
#include "base/bits.h"

uint8_t *wt_buffer_extend(struct wt_buffer *b, size_t length)
{
    uint8_t *grown =
        b->failed ? NULL : wt_array_grow(b->bytes, &b->capacity, b->length + length, 1);
    if (!grown) {
        b->failed = true;
        return NULL;
    }
    b->bytes = grown;
    b->length += length;
    return grown + b->length - length;
}

void wt_buffer_append(struct wt_buffer *b, const void *bytes, size_t length)
{
    uint8_t *to = length ? wt_buffer_extend(b, length) : NULL;
    if (to)
        memcpy(to, bytes, length);
}

void wt_buffer_append_number(struct wt_buffer *b, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    wt_store_le(bytes, value, size);
    wt_buffer_append(b, bytes, size);
}
