/* See memory_image.h. */
#include "target/memory_image.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool wt_memory_image_add(struct wt_memory_image *image, uint64_t addr, uint8_t *bytes,
                         uint64_t size)
{
    assert(size);
    const struct wt_memory_piece *last =
        image->piece_count ? &image->piece[image->piece_count - 1] : NULL;
    struct wt_memory_piece *grown =
        addr + (size - 1) < addr || (last && addr < last->addr + last->size)
            ? NULL
            : wt_array_grow(image->piece, &image->piece_capacity, image->piece_count + 1,
                            sizeof *grown);
    if (!grown) {
        free(bytes);
        return false;
    }
    image->piece = grown;
    grown[image->piece_count++] = (struct wt_memory_piece){addr, size, bytes};
    return true;
}

/* The last piece that begins at or before an address; NULL: there is none. */
static const struct wt_memory_piece *piece_at(const struct wt_memory_image *image, uint64_t addr)
{
    WT_BISECT(low, image->piece_count, image->piece[middle].addr <= addr);
    return low ? &image->piece[low - 1] : NULL;
}

bool wt_memory_image_read(const struct wt_memory_image *image, uint64_t addr, void *out,
                          size_t size)
{
    for (size_t done = 0, part; done < size; done += part) {
        const struct wt_memory_piece *p = piece_at(image, addr + done);
        const uint64_t offset = p ? addr + done - p->addr : 0;
        if (!p || offset >= p->size)
            return false;
        part = p->size - offset < size - done ? (size_t)(p->size - offset) : size - done;
        if (p->bytes)
            memcpy((uint8_t *)out + done, p->bytes + offset, part);
        else
            memset((uint8_t *)out + done, 0, part);
    }
    return true;
}

void wt_memory_image_free(struct wt_memory_image *image)
{
    for (size_t i = 0; i < image->piece_count; i++)
        free(image->piece[i].bytes);
    free(image->piece);
    *image = (struct wt_memory_image){0};
}
