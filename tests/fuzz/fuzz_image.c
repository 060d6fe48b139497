/*
 * Fuzz target: program images. The first byte chooses the name of the file, and so the format
 * where the contents do not tell; the rest is the file. Whatever loads must keep the promises of
 * image.h; whatever does not must leave nothing behind.
 */
#include <stdlib.h>
#include <string.h>

#include "object/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"k.elf", "k.hex", "k.bin", "k.vxbin"};
    if (!size)
        return 0;
    struct wt_image image;
    struct wt_error err = {0};
    if (wt_image_parse(names[data[0] % 4], data + 1, size - 1, 0x80000000, &image, &err)) {
        if (image.segment || image.segments || !err.text[0])
            abort();
        return 0;
    }
    uint64_t held = 0, covered = 0;
    unsigned sum = 0;
    if (!image.segments)
        abort();
    for (size_t i = 0; i < image.segments; i++) {
        const struct wt_segment *s = &image.segment[i];
        if (s->length > s->size || s->size == 0 || s->size - 1 > UINT64_MAX - s->addr)
            abort();
        if (i && s->addr - image.segment[i - 1].addr < image.segment[i - 1].size)
            abort(); /* sorted, and no two overlap */
        for (size_t j = 0; j < s->length; j++)
            sum += s->bytes[j];
        held += s->length;
        covered += s->size;
    }
    if (held != image.held || covered != image.covered || held > (uint64_t)1 << 30 ||
        covered > (uint64_t)1 << 32)
        abort();
    if (image.kernels && (!image.has_kernels || image.format != WT_IMAGE_VXBIN))
        abort();
    for (size_t i = 0; i < image.kernels; i++)
        sum += (unsigned)strlen(image.kernel[i].name) + (unsigned)image.kernel[i].addr;
    wt_image_free(&image);
    return (int)(sum & 0); /* libFuzzer wants 0; the sum has read every byte */
}
