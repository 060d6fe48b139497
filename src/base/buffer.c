/* See buffer.h. */
#include "base/buffer.h"

#include <string.h>

#include "base/array.h"
#include "base/bits.h"

void wt_buffer_append(struct wt_buffer *b, const void *bytes, size_t length)
{
    if (!length || b->failed)
        return;
    uint8_t *grown = wt_array_grow(b->bytes, &b->capacity, b->length + length, 1);
    if (!grown) {
        b->failed = true;
        return;
    }
    b->bytes = grown;
    memcpy(b->bytes + b->length, bytes, length);
    b->length += length;
}

void wt_buffer_append_number(struct wt_buffer *b, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    wt_store_le(bytes, value, size);
    wt_buffer_append(b, bytes, size);
}
