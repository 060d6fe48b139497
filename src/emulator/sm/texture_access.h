/* Textures as instructions of a warp reach them: for sm/ptx/exec/texture.c and tex.c. */
#ifndef WT_EMULATOR_SM_TEXTURE_ACCESS_H
#define WT_EMULATOR_SM_TEXTURE_ACCESS_H

#include "emulator/sm/sass/image_form.h"
#include "emulator/sm/internal.h"
#include "emulator/sm/texture.h"

/* Reads of one lane. */
struct sm_texture_lane {
    struct sm_warp *w;
    const struct sm_uop *u;
    unsigned lane;
    const struct sm_uop *next; /* what the executor returns when a read has failed */
    /* for a judge: lanes that access texels which the surface does not have, where these would be;
     * bytes of an access; the first of them */
    uint32_t beside;
    uint64_t at[SM_LANES];
    unsigned size;
    char texel[80];
};

/* The texture that was asked for last. */
struct sm_texture_found {
    uint64_t handle;
    bool known;
    struct sm_texture texture;
};

/** Reads bytes of global memory (struct sm_texel_reader); false: that raised an error. */
bool sm_texture_read(void *lane, uint64_t address, unsigned size, uint8_t *bytes);
/** Whether no judge refuses the lane's store. */
bool sm_texture_may_store(struct sm_texture_lane *lane, uint64_t address, unsigned size);
/**
 * Finds the texture or surface of a handle, the address of its header; found->texture is valid
 * then. False: there is none, which raised ILLEGAL_INSTR_PARAM.
 */
bool sm_texture_find(struct sm_texture_lane *lane, uint64_t handle, struct sm_texture_found *found);
/** Checks the shape that an instruction wants; false: it is another one, which raised an error. */
bool sm_texture_has_shape(struct sm_texture_lane *lane, const struct sm_texture *t,
                          unsigned dimensions, bool layered);

/** The handle of a lane: in a register, or at a place of constant bank 0 that bits 36 to 48 of the
 * instruction say in dwords; false: there is none, which raised INVALID_CONST_ADDR. */
bool sm_texture_handle(struct sm_texture_lane *lane, bool in_register, uint8_t reg,
                       uint64_t *handle);

enum sm_surface_place { SM_SURFACE_INSIDE, SM_SURFACE_NOWHERE, SM_SURFACE_ERROR };
/** Tells the judge of lane->beside, which may be none. */
void sm_judge_beside(struct sm_texture_lane *lane, const struct sm_texture *t,
                     enum wt_watch_kind kind);
/**
 * The address of @p size bytes of a surface; coordinate[0] counts bytes. SM_SURFACE_NOWHERE: reads
 * give 0 and writes do nothing; SM_SURFACE_ERROR: the lane raised OOR_ADDR.
 */
enum sm_surface_place sm_surface_find(struct sm_texture_lane *lane, const struct sm_texture *t,
                                      const uint32_t coordinate[3], uint32_t layer, unsigned size,
                                      enum sm_surface_outside outside, uint64_t *address);

#endif
