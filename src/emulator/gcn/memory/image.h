/*
 * Images: the resource in eight SGPRs (manual, section 8.2), where texels lie, and their transfer.
 * What an image may be here: 1D, 2D, 3D, and arrays of the first two, of one level and one sample,
 * linear or in the tiles that AMD's address library prefers, of the formats of buffers and sRGB
 * (which is only read). Everything else is refused by name.
 */
#ifndef WT_EMULATOR_GCN_MEMORY_IMAGE_H
#define WT_EMULATOR_GCN_MEMORY_IMAGE_H

#include "emulator/gcn/memory/format.h"
#include "emulator/gcn/memory/vmem.h"

/* TYPE of a resource. */
enum gcn_image_type {
    GCN_IMAGE_1D = 8,
    GCN_IMAGE_2D,
    GCN_IMAGE_3D,
    GCN_IMAGE_CUBE,
    GCN_IMAGE_1D_ARRAY,
    GCN_IMAGE_2D_ARRAY,
};

struct gcn_image {
    uint64_t base;
    uint32_t size[3]; /* texels; those of dimensions that it does not have are 1 */
    uint32_t layers;  /* layers of an array, from the first one on; else 1 */
    uint32_t first;   /* layer */
    uint32_t pitch;   /* texels from a row to the next one */
    unsigned dimensions;
    bool has_layer; /* a coordinate is a layer */
    const struct gcn_format *format;
    unsigned nfmt;
    uint8_t select[4]; /* DST_SEL */
    unsigned tile;     /* log2 of a tile's bytes; 0: it is linear */
    uint8_t bit[16];   /* bit of an address in a tile: coordinate << 4 | bit of that */
    uint8_t extent[3]; /* log2 of a tile's texels */
};

/* How many coordinates the image of these eight SGPRs has: 0 to 3, without a layer. */
unsigned gcn_image_dimensions(const uint32_t *resource);
/* Whether the instruction has a layer behind them. */
bool gcn_image_has_layer(const struct gcn_uop *u, const uint32_t *resource);
/*
 * Decodes the resource of an instruction and checks that it can be executed, and that its registers
 * exist. False: refused, or left out for VSKIP; *next is what the handler returns.
 */
bool gcn_image_of(struct gcn_wave *w, const struct gcn_uop *u, struct gcn_image *m,
                  const struct gcn_uop **next);
/* The address of a texel within the image; `at` has three numbers, the layer is the last one. */
uint64_t gcn_image_address(const struct gcn_image *m, const uint32_t *at);
/*
 * Reads a texel of each of the lanes t->lanes less t->zero, at t->addr. False: a fault, *next is
 * what the handler returns.
 */
bool gcn_image_read(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_image *m,
                    struct gcn_targets *t, uint8_t (*texel)[16], const struct gcn_uop **next);
/* The component of the image, 0 to 3 or a constant, that a register for component `i` gets, of a
 * texel (of one outside: NULL): as DST_SEL says. */
uint32_t gcn_image_component(const struct gcn_image *m, const uint8_t *texel, unsigned i, bool d16);
/* Writes the i-th of the data registers of a lane. */
void gcn_image_put(struct gcn_wave *w, const struct gcn_uop *u, unsigned lane, unsigned i,
                   uint32_t value);
/* Ends an access: the status register of TFE, and VM_CNT. Returns the next instruction. */
const struct gcn_uop *gcn_image_end(struct gcn_wave *w, const struct gcn_uop *u);

#endif
