/*
 * Fuzz target: images and samplers as arguments of kernels. The first byte chooses: the text behind
 * "image:" for an image of one to three sizes, the text behind "sampler:", or a picture (PGM, PPM).
 * What is taken keeps the promises of image_value.h, and has a surface that a launch can use.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/common/image_value.h"
#include "runtime/gen/images.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_image(const struct wt_image_shape *image, const uint8_t *bytes, size_t length)
{
    static const enum gen_image_kind kinds[] = {GEN_IMAGE_BUFFER,   GEN_IMAGE_1D,
                                                GEN_IMAGE_1D_ARRAY, GEN_IMAGE_2D,
                                                GEN_IMAGE_2D_ARRAY, GEN_IMAGE_3D};
    uint64_t texels = 1, slice, stride;
    struct wt_error err = {0};
    for (unsigned i = 0; i < 3; i++)
        texels *= image->size[i];
    if (!texels || texels * image->texel != length || !bytes || image->dimensions > 3)
        abort();
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint8_t state[GEN_SURFACE_STATE_BYTES];
        uint32_t count;
        if (gen_image_dimensions(kinds[i]) != image->dimensions ||
            gen_image_check(kinds[i], image, &err))
            continue;
        gen_image_slices(kinds[i], image, &slice, &stride, &count);
        gen_image_surface(state, kinds[i], image, UINT64_C(0x200000000));
        if (slice * count != length || stride < slice)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wt_image_shape image;
    struct wt_sampler sampler;
    struct wt_error err = {0};
    uint8_t *bytes = NULL;
    size_t length = 0;
    enum wt_status status;
    if (!size)
        return 0;
    const unsigned what = data[0] % 5;
    if (what == 4) {
        status =
            wt_image_value_netpbm("picture", data + 1, size - 1, &image, &bytes, &length, &err);
    } else {
        char text[512];
        const size_t used = size - 1 < sizeof text - 1 ? size - 1 : sizeof text - 1;
        memcpy(text, data + 1, used);
        text[used] = 0;
        if (strstr(text, "file:")) /* a file has no place here */
            return 0;
        status = what == 3 ? wt_sampler_parse(text, &sampler, &err)
                           : wt_image_value_parse(text, what + 1, &image, &bytes, &length, &err);
    }
    if (status && (!err.text[0] || bytes))
        abort();
    if (!status && what != 3)
        check_image(&image, bytes, length);
    free(bytes);
    return 0;
}
