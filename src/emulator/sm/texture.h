/*
 * Textures and surfaces: what stands in memory about one, and how a coordinate leads to a value.
 * NVIDIA's layout of texture headers is not used: a handle is the address of a header of ours.
 * Source: "CUDA C++ Programming Guide", Texture Fetching; PTX manual 9.7.10, 9.7.11.
 */
#ifndef WT_EMULATOR_SM_TEXTURE_H
#define WT_EMULATOR_SM_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#define SM_TEXTURE_BYTES 128 /* a header's size and alignment */

enum sm_texel { SM_TEXEL_UNSIGNED, SM_TEXEL_SIGNED, SM_TEXEL_FLOAT };

enum sm_texture_mode { SM_TEXTURE_WRAP, SM_TEXTURE_CLAMP, SM_TEXTURE_MIRROR, SM_TEXTURE_BORDER };

enum {
    SM_TEXTURE_NORMALIZED = 1, /**< coordinates from 0 to 1 */
    SM_TEXTURE_INTEGER = 2,    /**< texels that are integers are read as such, not as 0 to 1 */
    SM_TEXTURE_LINEAR = 4,     /**< the neighbours are mixed */
    SM_TEXTURE_LAYERED = 8,    /**< depth counts layers */
    SM_TEXTURE_BOUNDED = 16,   /**< linear memory: 0 outside */
    SM_TEXTURE_MIXED = 32,     /**< the two nearest levels are mixed */
};

struct sm_texture {
    uint64_t address, pitch, slice; /**< bytes from row to row, from slice or layer to the next */
    uint32_t width, height, depth;  /**< texels; 1 where there is no such dimension */
    uint32_t flags;
    uint32_t border[4]; /**< bits of floats */
    uint8_t texel;      /**< enum sm_texel */
    uint8_t bytes;      /**< bytes of a component: 1, 2, 4 */
    uint8_t channels;   /**< 1, 2, 4 */
    uint8_t dimensions; /**< 1 to 3 */
    uint8_t mode[3];    /**< enum sm_texture_mode of x, y, z */
    uint8_t levels;     /**< each half as large as the one before; 0 and 1: there is one */
    float bias;         /**< what is added to a level that a program says */
    float least, most;  /**< levels that are used */
};

/** Rows of levels after the first begin at multiples of this. */
enum { SM_TEXTURE_ROW = 512 };
/** Level n, which lies behind the ones before, as a texture of one level. */
struct sm_texture sm_texture_level(const struct sm_texture *t, unsigned n);
/** The level that gradients of the coordinates ask for: log2 of the texels that the longer one
 * crosses. @p by: of x, then of y, an element for each dimension. */
float sm_texture_level_of(const struct sm_texture *t, const float by[2][3]);

/** To and from the SM_TEXTURE_BYTES of a header; false: these are none. */
void sm_texture_store(const struct sm_texture *t, uint8_t *bytes);
/* From a header; false: the bytes describe no texture. */
bool sm_texture_load(const uint8_t *bytes, struct sm_texture *t);

/** The components of a texel as 32 bits each: integers extended, floats as single ones; those that
 * there are not are 0, the fourth 1. */
void sm_texture_unpack(const struct sm_texture *t, const uint8_t *bytes, uint32_t component[4]);
/** A texel's bytes from components of that form; integers are clamped to the texel's range. */
void sm_texture_pack(const struct sm_texture *t, const uint32_t component[4], uint8_t *bytes);

/** Reads a texel of @p size bytes; false: that raised an error. */
struct sm_texel_reader {
    bool (*read)(void *context, uint64_t address, unsigned size, uint8_t *bytes);
    void *context;
};

struct sm_texture_coordinates {
    uint32_t bits[3]; /**< bits of floats, or (whole) integers */
    uint32_t layer;
    int8_t offset[3]; /**< texels */
    float level;      /**< 0: the first one */
    bool has_level;   /**< the program says it */
    bool whole;
};

/** The four components at a place. False: a read has failed. */
bool sm_texture_sample(const struct sm_texture *t, const struct sm_texture_coordinates *at,
                       const struct sm_texel_reader *reader, uint32_t result[4]);
/** Whether results of sm_texture_sample() are components of one texel, not mixed ones. *converts:
 * they have another form than in memory, as halves and fractions of 1. @p whole: coordinates are
 * integers. */
bool sm_texture_copies(const struct sm_texture *t, bool whole, bool *converts);
/** One component of the four neighbours that are mixed in two dimensions (tld4). */
bool sm_texture_gather(const struct sm_texture *t, const struct sm_texture_coordinates *at,
                       unsigned component, const struct sm_texel_reader *reader,
                       uint32_t result[4]);

#endif
