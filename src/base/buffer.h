/* Bytes that are appended one after the other, for writers of files. */
#ifndef WT_BASE_BUFFER_H
#define WT_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** All zero: empty. The owner frees `bytes`. */
struct wt_buffer {
    uint8_t *bytes;
    size_t length, capacity;
    bool failed; /**< the host had no memory: nothing is appended any more */
};

/** Appends @p length bytes; without host memory it sets `failed`. */
void wt_buffer_append(struct wt_buffer *buffer, const void *bytes, size_t length);
/** Appends @p length bytes for the caller to fill; NULL, and `failed`, without host memory. Valid
 * until the next call. */
uint8_t *wt_buffer_extend(struct wt_buffer *buffer, size_t length);
/** Appends @p value in @p size bytes (1 to 8), the lowest first. */
void wt_buffer_append_number(struct wt_buffer *buffer, uint64_t value, size_t size);

#endif
