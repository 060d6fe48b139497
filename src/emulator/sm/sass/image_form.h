/* The fields and registers of instructions on textures and surfaces. */
#ifndef WT_EMULATOR_SM_SASS_IMAGE_FORM_H
#define WT_EMULATOR_SM_SASS_IMAGE_FORM_H

#include "emulator/sm/internal.h"

/** The fields of a texture instruction, and the registers of its operands; 255: it has no such
 * operand. */
struct sm_texture_form {
    unsigned dimensions;
    bool layered, cube, whole, gathers, scalar;
    bool level, sample, depth, bindless, aoffi, four_offsets;
    uint8_t layer, coordinate[3], handle, offset[2];
    unsigned component;      /**< TLD4: which one */
    uint8_t to[4], to_count; /**< destination registers of the components ... */
    uint8_t of[4];           /**< ... in `of` */
};

/** Of TEX and its like, but for TXQ. */
struct sm_texture_form sm_texture_form_of(const struct sm_uop *u);

/** The effect of an access to a place that a surface does not have. */
enum sm_surface_outside { SM_SURFACE_TRAP, SM_SURFACE_CLAMP, SM_SURFACE_ZERO };

/** The fields of SULD and SUST. */
struct sm_surface_form {
    unsigned dimensions, size;
    bool layered, bytes, is_signed, immediate;
    unsigned components; /**< components of .P, a bit for each; 0: .D */
    enum sm_surface_outside outside;
};

/** Of SULD and SUST. */
struct sm_surface_form sm_surface_form_of(const struct sm_uop *u);
/** The register @p n places behind the first one of an operand; SM_RZ where R254 is passed, and
 * where the operand is RZ. */
uint8_t sm_register_behind(unsigned first, unsigned n);

/** The registers of an instruction that accesses a texture or a surface; SM_RZ: none. */
struct sm_image_operands {
    uint8_t value[4], place[12]; /**< data; coordinates, layer, offsets, handle */
    unsigned values, places;
    unsigned bits; /**< width of each value that is stored */
    bool bound;    /**< the handle is in constant bank 0 */
};

/** Those of TEX and its like, and TXQ. */
struct sm_image_operands sm_texture_operands(const struct sm_uop *u);
/** Those of SULD and SUST. */
struct sm_image_operands sm_surface_operands(const struct sm_uop *u);

#endif
