/*
 * Images and samplers as people write them for a kernel's arguments. Orders, types and address
 * modes have OpenCL's numbers (the OpenCL specification, cl.h).
 */
#ifndef WT_RUNTIME_COMMON_IMAGE_VALUE_H
#define WT_RUNTIME_COMMON_IMAGE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** Channel orders: CL_R and so on. */
enum {
    WT_ORDER_R = 0x10b0,
    WT_ORDER_A = 0x10b1,
    WT_ORDER_RG = 0x10b2,
    WT_ORDER_RGBA = 0x10b5,
    WT_ORDER_BGRA = 0x10b6,
    WT_ORDER_INTENSITY = 0x10b8,
    WT_ORDER_LUMINANCE = 0x10b9,
    WT_ORDER_DEPTH = 0x10bd,
    WT_ORDER_SRGBA = 0x10c1,
    WT_ORDER_SBGRA = 0x10c2,
};

/** Channel types: CL_SNORM_INT8 and so on. */
enum {
    WT_CHANNEL_SNORM8 = 0x10d0,
    WT_CHANNEL_SNORM16 = 0x10d1,
    WT_CHANNEL_UNORM8 = 0x10d2,
    WT_CHANNEL_UNORM16 = 0x10d3,
    WT_CHANNEL_SINT8 = 0x10d7,
    WT_CHANNEL_SINT16 = 0x10d8,
    WT_CHANNEL_SINT32 = 0x10d9,
    WT_CHANNEL_UINT8 = 0x10da,
    WT_CHANNEL_UINT16 = 0x10db,
    WT_CHANNEL_UINT32 = 0x10dc,
    WT_CHANNEL_HALF = 0x10dd,
    WT_CHANNEL_FLOAT = 0x10de,
};

/** An image: its texels lie in rows, row behind row, slice behind slice, with nothing between. */
struct wt_image_shape {
    uint32_t size[3];         /**< texels of a row, rows, slices; 1 where it has fewer dimensions */
    unsigned dimensions;      /**< sizes that were given: 1 to 3 */
    unsigned texel;           /**< bytes of a texel */
    unsigned order, channels; /**< WT_ORDER_…, WT_CHANNEL_… */
};

/** Address modes: CLK_ADDRESS_… of OpenCL C. */
enum wt_address_mode {
    WT_ADDRESS_NONE,
    WT_ADDRESS_CLAMP, /**< to the border */
    WT_ADDRESS_CLAMP_TO_EDGE,
    WT_ADDRESS_REPEAT,
    WT_ADDRESS_MIRRORED_REPEAT,
};

/** A sampler. */
struct wt_sampler {
    uint8_t address; /**< enum wt_address_mode */
    bool linear, normalized;
};

/**
 * Parses "SIZE,ORDER-TYPE,CONTENTS" (what follows "image:") for an image of @p dimensions sizes:
 * SIZE is W, WxH or WxHxD, CONTENTS zeros, pattern:HEX or file:PATH, whose length is the image's.
 * The caller frees *bytes, NULL on failure, of *length bytes.
 */
enum wt_status wt_image_value_parse(const char *text, unsigned dimensions,
                                    struct wt_image_shape *image, uint8_t **bytes, size_t *length,
                                    struct wt_error *err);

/**
 * Reads a picture (what follows "netpbm:"): a binary PGM (P5: order R) or PPM (P6: RGBA with an
 * alpha of 1), of 8 or 16 bits a channel (unorm8, unorm16). Otherwise as wt_image_value_parse.
 */
enum wt_status wt_image_value_read_netpbm(const char *path, struct wt_image_shape *image,
                                          uint8_t **bytes, size_t *length, struct wt_error *err);

/** As wt_image_value_read_netpbm, for the @p size bytes at @p data of a file @p name. */
enum wt_status wt_image_value_netpbm(const char *name, const uint8_t *data, size_t size,
                                     struct wt_image_shape *image, uint8_t **bytes, size_t *length,
                                     struct wt_error *err);

/**
 * Parses "ADDRESS,FILTER[,normalized]" (what follows "sampler:"): ADDRESS none, clamp,
 * clamp-to-edge, repeat or mirrored-repeat, FILTER nearest or linear.
 */
enum wt_status wt_sampler_parse(const char *text, struct wt_sampler *sampler, struct wt_error *err);

#endif
