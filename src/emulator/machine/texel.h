/* Where samplers find a texel. A gfx900's numbers texels first and mirrors the number: ROCm's
 * device libraries give it the lower end of the texel that they mean, which would else be another
 * one. */
#ifndef WT_EMULATOR_MACHINE_TEXEL_H
#define WT_EMULATOR_MACHINE_TEXEL_H

#include <math.h>

/**
 * The number of the nearest texel at a coordinate in texels, in an image of @p size texels that is
 * mirrored at its ends again and again; the caller mirrors the number. On the border of two texels
 * in a mirrored image it is the lower one, which is the upper one of the image itself (OpenCL C,
 * "Addressing and Filter Modes"; CUDA C++ Programming Guide, "Texture Memory": 1 - frac(x)).
 */
static inline double wt_mirrored_texel(double x, double size)
{
    return x - 2 * size * floor(x / (2 * size)) > size ? ceil(x) - 1 : floor(x);
}

#endif
