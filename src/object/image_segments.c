/* The segments of a program image. */
#include "object/image_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum wt_status wt_image_add(struct wt_image *image, uint64_t addr, const uint8_t *bytes,
                            size_t length, uint64_t size, bool executable, struct wt_error *err)
{
    if (size == 0)
        return WT_OK;
    if (size - 1 > UINT64_MAX - addr)
        return wt_fail(err, WT_INVALID,
                       "0x%" PRIx64 " bytes at 0x%" PRIx64 " go past the end of the address space",
                       size, addr);
    if (size > WT_IMAGE_MAX_MEMORY - image->covered || length > WT_IMAGE_MAX_BYTES - image->held)
        return wt_fail(err, WT_INVALID,
                       "it wants 0x%" PRIx64 " bytes of memory at 0x%" PRIx64
                       "; the limit is 1 GiB of bytes and 4 GiB of memory in all",
                       size, addr);
    struct wt_segment *grown =
        wt_array_grow(image->segment, &image->segment_capacity, image->segments + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for %zu segments", image->segments + 1);
    image->segment = grown;
    struct wt_segment *s = &image->segment[image->segments];
    *s = (struct wt_segment){
        .addr = addr, .size = size, .length = length, .executable = executable, .writable = true};
    if (length) {
        s->bytes = malloc(length);
        if (!s->bytes)
            return wt_fail(err, WT_NO_MEMORY, "no host memory for a segment of %zu bytes", length);
        memcpy(s->bytes, bytes, length);
    }
    image->segments++;
    image->held += length;
    image->covered += size;
    return WT_OK;
}

void wt_image_free(struct wt_image *image)
{
    for (size_t i = 0; i < image->segments; i++)
        free(image->segment[i].bytes);
    free(image->segment);
    for (size_t i = 0; i < image->kernels; i++)
        free(image->kernel[i].name);
    free(image->kernel);
    *image = (struct wt_image){0};
}
