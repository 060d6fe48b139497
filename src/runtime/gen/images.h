/* Images and samplers that a launch without a host runtime puts into memory: linear surfaces. */
#ifndef WT_RUNTIME_GEN_IMAGES_H
#define WT_RUNTIME_GEN_IMAGES_H

#include "object/zebin.h"
#include "runtime/common/image_value.h"

enum { GEN_SURFACE_STATE_BYTES = 64, GEN_SAMPLER_STATE_BYTES = 16 };

/** The number of sizes of an image of this kind, 1 to 3; 0: the kind is not offered. */
unsigned gen_image_dimensions(enum gen_image_kind kind);

/**
 * Checks that the hardware has a surface format for the image, and that it is not too large; else
 * WT_INVALID.
 */
enum wt_status gen_image_check(enum gen_image_kind kind, const struct wt_image_shape *image,
                               struct wt_error *err);

/**
 * Describes how the slices (of arrays: elements) of an image lie: *bytes each, *stride from one to
 * the next, *count of them. The hardware counts the distance in units of four rows.
 */
void gen_image_slices(enum gen_image_kind kind, const struct wt_image_shape *image, uint64_t *bytes,
                      uint64_t *stride, uint32_t *count);

/** Writes the RENDER_SURFACE_STATE of a checked image at @p addr. */
void gen_image_surface(uint8_t state[GEN_SURFACE_STATE_BYTES], enum gen_image_kind kind,
                       const struct wt_image_shape *image, uint64_t addr);

/** Fills in a slot of the sampler table from the sampler that is its argument. */
void gen_sampler_fill(struct gen_sampler_slot *slot, const struct wt_sampler *sampler);

/**
 * Writes the SAMPLER_STATE of a slot; @p border is the offset of its border colour in the dynamic
 * state, a multiple of 64.
 */
void gen_sampler_state(uint8_t state[GEN_SAMPLER_STATE_BYTES], const struct gen_sampler_slot *slot,
                       uint32_t border);

/** The payload's dword of this kind (GEN_ARG_IMAGE_…) for an image. */
uint32_t gen_image_dword(enum gen_argument_kind piece, enum gen_image_kind kind,
                         const struct wt_image_shape *image);
/** The payload's dword of this kind (GEN_ARG_SAMPLER_…) for a sampler. */
uint32_t gen_sampler_dword(enum gen_argument_kind piece, const struct wt_sampler *sampler);

#endif
