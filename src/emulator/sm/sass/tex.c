/*
 * Textures in machine code. What they compute is in texture.c; which registers have which operand,
 * in image_form.c.
 */
#include <string.h>

#include "emulator/sm/texture_access.h"

static const struct sm_uop *not_there(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes,
                                      const char *what)
{
    return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, lanes, 0, "textures have no %s here", what);
}

bool sm_texture_handle(struct sm_texture_lane *r, bool bindless, uint8_t reg, uint64_t *handle)
{
    if (bindless) {
        *handle = r->w->r[reg][r->lane];
        return true;
    }
    const uint32_t at = (uint32_t)sm_bits(r->u->word, 36, 13) * 4;
    /* The warp reads it once. */
    const bool first = r->lane == (unsigned)__builtin_ctz(sm_lanes_of(r->w, r->u));
    if (sm_constant(r->w, first ? r->u : NULL, 0, at, false, handle))
        return true;
    r->next = sm_error(r->w, r->u, SM_INVALID_CONST_ADDR, 1u << r->lane, at,
                       "there is no constant at c[0x0][0x%x]", at);
    return false;
}

static int8_t part_of(uint32_t bits, unsigned pos, unsigned width)
{
    return (int8_t)wt_sign_extend(bits >> pos, width);
}

/* The offsets of TEX and TLD have 4 bits each, those of TLD4 8. */
static void set_offsets(const struct sm_texture_form *f, uint32_t bits,
                        struct sm_texture_coordinates *at)
{
    for (unsigned i = 0; i < 3; i++)
        at->offset[i] = !f->gathers ? part_of(bits, 4 * i, 4) : i < 2 ? part_of(bits, 8 * i, 8) : 0;
}

/* Four texels, one for each result; .PTP has an offset for each. */
static bool gather(const struct sm_texture_form *f, const struct sm_texture *t,
                   struct sm_texture_lane *r, struct sm_texture_coordinates *at, uint32_t result[4])
{
    const struct sm_texel_reader reader = {sm_texture_read, r};
    if (!f->four_offsets)
        return sm_texture_gather(t, at, f->component, &reader, result);
    for (unsigned n = 0; n < 4; n++) {
        uint32_t all[4];
        const uint32_t bits = r->w->r[f->offset[n / 2]][r->lane];
        set_offsets(f, n % 2 ? bits >> 16 : bits, at);
        if (!sm_texture_gather(t, at, f->component, &reader, all))
            return false;
        result[n] = all[3]; /* the texel at (0,0): the offset says which one */
    }
    return true;
}

static bool sample(const struct sm_texture_form *f, struct sm_texture_lane *r,
                   struct sm_texture_found *found, uint32_t result[4])
{
    struct sm_warp *w = r->w;
    struct sm_texture_coordinates at = {.whole = f->whole};
    const struct sm_texel_reader reader = {sm_texture_read, r};
    const bool gradient = r->u->insn == SM_TXD || r->u->insn == SM_TXD_B;
    uint64_t handle;
    if (!sm_texture_handle(r, f->bindless, f->handle, &handle) ||
        !sm_texture_find(r, handle, found) ||
        !sm_texture_has_shape(r, &found->texture, f->dimensions, f->layered))
        return false;
    if (found->texture.levels > 1 && (f->level || gradient)) {
        r->next = not_there(w, r->u, 1u << r->lane, "levels in machine code");
        return false;
    }
    for (unsigned i = 0; i < f->dimensions; i++)
        at.bits[i] = w->r[f->coordinate[i]][r->lane];
    at.layer = w->r[f->layer][r->lane] & 0xffff;
    if (f->aoffi)
        set_offsets(f, w->r[f->offset[0]][r->lane] >> (gradient ? 16 : 0), &at);
    return f->gathers ? gather(f, &found->texture, r, &at, result)
                      : sm_texture_sample(&found->texture, &at, &reader, result);
}

const struct sm_uop *sm_op_tex(struct sm_warp *w, const struct sm_uop *u)
{
    const uint32_t lanes = sm_lanes_of(w, u);
    const struct sm_texture_form f = sm_texture_form_of(u);
    uint32_t result[SM_LANES][4];
    struct sm_texture_found found = {.known = false};
    struct sm_texture_lane r = {.w = w, .u = u};
    if (lanes && (f.cube || f.depth || f.sample))
        return not_there(w, u, lanes, f.cube ? "cubes" : f.depth ? "depth" : "samples");
    for (uint32_t left = lanes; left; left &= left - 1) {
        r.lane = (unsigned)__builtin_ctz(left);
        if (!sample(&f, &r, &found, result[r.lane]))
            return r.next;
    }
    for (unsigned k = 0; k < f.to_count; k++)
        for (uint32_t left = f.to[k] == SM_RZ ? 0 : lanes; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(left);
            w->r[f.to[k]][lane] = result[lane][f.of[k]];
        }
    return sm_next(u);
}

/* TXQ: width, height, depth or layers, levels, those that the mask asks for. */
const struct sm_uop *sm_op_txq(struct sm_warp *w, const struct sm_uop *u)
{
    const uint32_t lanes = sm_lanes_of(w, u);
    uint32_t answer[SM_LANES][4];
    struct sm_texture_found found = {.known = false};
    struct sm_texture_lane r = {.w = w, .u = u};
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t handle;
        r.lane = (unsigned)__builtin_ctz(left);
        if (!sm_texture_handle(&r, u->insn == SM_TXQ_B, u->a, &handle) ||
            !sm_texture_find(&r, handle, &found))
            return r.next;
        const struct sm_texture *t = &found.texture;
        memcpy(answer[r.lane],
               (uint32_t[]){t->width, t->height, t->depth, t->levels ? t->levels : 1},
               sizeof answer[0]);
    }
    unsigned to = u->d;
    for (unsigned c = 0; c < 4 && to < SM_RZ; c++) {
        if (!(u->word >> (31 + c) & 1))
            continue;
        for (uint32_t left = lanes; left; left &= left - 1)
            w->r[to][__builtin_ctz(left)] = answer[__builtin_ctz(left)][c];
        to++;
    }
    return sm_next(u);
}
