/* Surface formats: how a texel's bytes become four components, and back. */
#ifndef WT_EMULATOR_GEN_TEXEL_H
#define WT_EMULATOR_GEN_TEXEL_H

#include <stdbool.h>
#include <stdint.h>

/** How a component is stored. */
enum gen_component {
    GEN_COMPONENT_UNORM, /**< 0 to 1 */
    GEN_COMPONENT_SNORM, /**< -1 to 1 */
    GEN_COMPONENT_UINT,
    GEN_COMPONENT_SINT,
    GEN_COMPONENT_FLOAT, /**< 16 or 32 bits */
    GEN_COMPONENT_SRGB,  /**< 0 to 1; red, green and blue are stored by sRGB's curve */
};

/** A surface format (Skylake PRM volume 2d, SURFACE_FORMAT). */
struct gen_texel_format {
    const char *name;
    uint16_t code;
    uint8_t kind;  /**< enum gen_component */
    uint8_t bytes; /**< bytes of a texel */
    struct {
        uint8_t shift, bits; /**< bits is 0 where the format does not have the component */
    } component[4];          /**< red, green, blue, alpha */
};

/** The format with a code, or NULL: one that this emulator does not know, or that has no texels. */
const struct gen_texel_format *gen_texel_format_of(uint16_t code);
/** Whether its components are integers; floats of 32 bits else. */
bool gen_texel_is_integer(const struct gen_texel_format *f);
/** Four components (red, green, blue, alpha) of a texel: integers, or the bits of floats. What the
 * format does not have is 0; alpha is 1. */
void gen_texel_unpack(const struct gen_texel_format *f, const uint8_t *bytes, uint32_t rgba[4]);
/** A texel's bytes of four components. Integers and normalised values saturate; a NaN is 0 there.
 */
void gen_texel_pack(const struct gen_texel_format *f, const uint32_t rgba[4], uint8_t *bytes);

#endif
