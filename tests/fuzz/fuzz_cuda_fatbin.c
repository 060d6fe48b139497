/* Fuzz target: CUDA's fat binaries, and images in other files. What is read of a fat binary,
 * written again, reads back the same. */
#include <stdlib.h>
#include <string.h>

#include "object/cubin.h"
#include "object/cuda_contained.h"
#include "object/cuda_fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool runs(const struct cuda_fatbin_entry *e)
{
    size_t size;
    return !cubin_extent(e->payload, e->payload_size, &size) || size <= e->payload_size;
}

static void again(const struct cuda_fatbin_image *image, size_t count)
{
    struct wt_buffer file = {0};
    struct cuda_fatbin_entry entry;
    struct wt_error err;
    size_t at = 0;
    cuda_fatbin_write(image, count, &file);
    for (size_t i = 0; i < count && !file.failed; i++) {
        if (cuda_fatbin_next(file.bytes, file.length, &at, &entry, &err) != WT_OK ||
            entry.kind != image[i].kind || entry.capability != image[i].capability ||
            entry.payload_size != (image[i].length + 7) / 8 * 8 ||
            (image[i].length && memcmp(entry.payload, image[i].bytes, image[i].length) != 0))
            abort();
    }
    if (!file.failed &&
        (cuda_fatbin_size(file.bytes) != file.length ||
         cuda_fatbin_next(file.bytes, file.length, &at, &entry, &err) != WT_OK || entry.kind))
        abort();
    free(file.bytes);
}

/* Images lie one behind the other, within the file. */
static void find_images(const uint8_t *data, size_t size)
{
    struct cuda_contained found;
    size_t at = 0, before = 0;
    while (cuda_contained_next(data, size, &at, &found)) {
        if (!found.size || found.bytes < data + before || found.bytes > data + size ||
            found.size > size - (size_t)(found.bytes - data) ||
            at != (size_t)(found.bytes - data) + found.size)
            abort();
        before = at;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 16 };
    struct cuda_fatbin_image image[MOST];
    struct wt_buffer unpacked[MOST] = {{0}};
    struct cuda_fatbin_entry entry;
    struct wt_error err;
    size_t count = 0;
    for (size_t at = 0;
         count < MOST && cuda_fatbin_next(data, size, &at, &entry, &err) == WT_OK && entry.kind;) {
        struct wt_buffer *one = &unpacked[count];
        if (cuda_fatbin_unpack(&entry, one, &err) != WT_OK)
            free(one->bytes), *one = (struct wt_buffer){0};
        else
            image[count] = (struct cuda_fatbin_image){(enum cuda_fatbin_kind)entry.kind,
                                                      entry.capability, one->bytes, one->length},
            count++;
    }
    again(image, count);
    find_images(data, size);
    for (size_t i = 0; i < count; i++)
        free(unpacked[i].bytes);
    for (unsigned capability = 50; capability <= 90; capability += 13)
        if (cuda_fatbin_choose(data, size, capability, runs, &entry, &err) == WT_OK &&
            (entry.payload < data || entry.payload + entry.payload_size > data + size))
            abort();
    return 0;
}
