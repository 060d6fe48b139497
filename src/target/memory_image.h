/* Pieces of a device's memory that are kept when the device is not there: what can be looked at
 * before a program is started and after its end. */
#ifndef WT_TARGET_MEMORY_IMAGE_H
#define WT_TARGET_MEMORY_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_memory_piece {
    uint64_t addr, size;
    uint8_t *bytes; /**< NULL: all are zero */
};

/** All zero: nothing is kept. */
struct wt_memory_image {
    struct wt_memory_piece *piece; /**< sorted by address, apart from each other */
    size_t piece_count, piece_capacity;
};

/** Adds @p size bytes (1 or more) behind all that are there. Takes over @p bytes, also when it
 * fails: without host memory, or when they are not behind. */
bool wt_memory_image_add(struct wt_memory_image *image, uint64_t addr, uint8_t *bytes,
                         uint64_t size);
/** Reads what is kept; false if not all of it is. */
bool wt_memory_image_read(const struct wt_memory_image *image, uint64_t addr, void *out,
                          size_t size);
/** Frees what it has; it is empty then. */
void wt_memory_image_free(struct wt_memory_image *image);

#endif
