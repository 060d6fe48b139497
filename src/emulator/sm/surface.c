/*
 * Surfaces: where a lane's texel is, for PTX (manual 9.7.11) and machine code; SULD and SUST, bits
 * (.D) or components in the surface's format (.P).
 */

#include <stdio.h>

#include "base/bits.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/texture_access.h"

/* ---- where a texel is ---- */

/* Moves a coordinate below n, or says that there is no such place. */
static bool inside(enum sm_surface_outside outside, uint32_t *value, uint32_t n)
{
    const int32_t i = (int32_t)*value;
    if (i >= 0 && (uint32_t)i < n)
        return true;
    if (outside != SM_SURFACE_CLAMP)
        return false;
    *value = i < 0 ? 0 : n - 1;
    return true;
}

/* Notes for a judge that a lane accesses a texel that there is not. */
static void note_beside(struct sm_texture_lane *r, const struct sm_texture *t, const uint32_t at[3],
                        unsigned size)
{
    const int32_t x = (int32_t)at[0] / (int32_t)(t->bytes * t->channels), y = (int32_t)at[1];
    const int64_t row = t->dimensions > 1 ? y * (int64_t)t->pitch : 0;
    if (!r->beside)
        snprintf(r->texel, sizeof r->texel, "texel (%d, %d) of %u x %u", x,
                 t->dimensions > 1 ? y : 0, t->width, t->height);
    r->at[r->lane] = t->address + (uint64_t)(row + (int32_t)at[0]);
    r->beside |= 1u << r->lane;
    r->size = size;
}

enum sm_surface_place sm_surface_find(struct sm_texture_lane *r, const struct sm_texture *t,
                                      const uint32_t coordinate[3], uint32_t layer, unsigned size,
                                      enum sm_surface_outside outside, uint64_t *address)
{
    const unsigned dimensions = t->dimensions;
    const uint32_t row = t->width * t->bytes * t->channels, x = coordinate[0];
    uint32_t at[3] = {x, coordinate[1], coordinate[2]};
    bool good = size <= row && x <= row - size;
    if (!good && size <= row && outside == SM_SURFACE_CLAMP) {
        at[0] = (int32_t)x < 0 ? 0 : row - size;
        good = true;
    }
    if (dimensions > 1)
        good &= inside(outside, &at[1], t->height);
    if (dimensions > 2)
        good &= inside(outside, &at[2], t->depth);
    if (t->flags & SM_TEXTURE_LAYERED) {
        good &= inside(outside, &layer, t->depth);
        at[2] = layer;
    }
    if (good) {
        *address = t->address + at[2] * t->slice + (dimensions > 1 ? at[1] * t->pitch : 0) + at[0];
        return SM_SURFACE_INSIDE;
    }
    if (outside == SM_SURFACE_ZERO)
        return SM_SURFACE_NOWHERE;
    if (sm_has_judge(r->w)) {
        note_beside(r, t, at, size);
        return SM_SURFACE_NOWHERE;
    }
    r->next = sm_error(r->w, r->u, SM_OOR_ADDR, 1u << r->lane, x,
                       "byte %d of row %d: the surface has rows of %u bytes, %u of them",
                       (int32_t)x, dimensions > 1 ? (int32_t)at[1] : 0, row, t->height);
    return SM_SURFACE_ERROR;
}

/* ---- machine code ---- */

/* The address of a lane's access and its bytes. */
static enum sm_surface_place place_of(const struct sm_surface_form *f, struct sm_texture_lane *r,
                                      struct sm_texture_found *found, uint64_t *address,
                                      unsigned *size)
{
    const struct sm_warp *w = r->w;
    uint32_t at[3] = {0};
    uint64_t handle;
    if (!sm_texture_handle(r, !f->immediate, (uint8_t)sm_bits(r->u->word, 39, 8), &handle) ||
        !sm_texture_find(r, handle, found) ||
        !sm_texture_has_shape(r, &found->texture, f->dimensions, f->layered))
        return SM_SURFACE_ERROR;
    for (unsigned i = 0; i < f->dimensions; i++)
        at[i] = w->r[sm_register_behind(r->u->a, i)][r->lane];
    const uint32_t layer = w->r[sm_register_behind(r->u->a, f->dimensions)][r->lane];
    *size = f->components ? found->texture.bytes * found->texture.channels : f->size;
    if (!f->bytes)
        at[0] *= *size;
    return sm_surface_find(r, &found->texture, at, layer, *size, f->outside, address);
}

/* SULD.P: the components that the instruction names, one register behind the other. */
static const struct sm_uop *load_components(struct sm_warp *w, const struct sm_uop *u,
                                            const struct sm_surface_form *f)
{
    const uint32_t lanes = sm_lanes_of(w, u);
    uint32_t component[SM_LANES][4] = {{0}};
    struct sm_texture_found found = {.known = false};
    struct sm_texture_lane r = {.w = w, .u = u};
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t address;
        uint8_t bytes[16] = {0};
        unsigned size;
        r.lane = (unsigned)__builtin_ctz(left);
        const enum sm_surface_place place = place_of(f, &r, &found, &address, &size);
        if (place == SM_SURFACE_ERROR ||
            (place == SM_SURFACE_INSIDE && !sm_texture_read(&r, address, size, bytes)))
            return r.next;
        if (place == SM_SURFACE_INSIDE)
            sm_texture_unpack(&found.texture, bytes, component[r.lane]);
    }
    sm_judge_beside(&r, &found.texture, WT_WATCH_READ);
    for (unsigned c = 0, n = 0; c < 4; c++) {
        const unsigned to = sm_register_behind(u->d, n);
        if (!(f->components >> c & 1))
            continue;
        n++;
        for (uint32_t left = to == SM_RZ ? 0 : lanes; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(left);
            w->r[to][lane] = component[lane][c];
        }
    }
    return sm_next(u);
}

/* The bytes that a lane stores: its registers, or the texel that its components make. What SUST.P
 * does not name becomes 0. */
static void bytes_to_store(const struct sm_warp *w, const struct sm_uop *u,
                           const struct sm_surface_form *f, unsigned lane,
                           const struct sm_texture *t, uint8_t bytes[16])
{
    uint32_t component[4] = {0};
    for (unsigned k = 0; !f->components && k < 4; k++)
        wt_store_le(bytes + 4 * k, w->r[sm_register_behind(u->d, k)][lane], 4);
    for (unsigned c = 0, n = 0; c < 4; c++)
        if (f->components >> c & 1)
            component[c] = w->r[sm_register_behind(u->d, n++)][lane];
    if (f->components)
        sm_texture_pack(t, component, bytes);
}

const struct sm_uop *sm_op_suld(struct sm_warp *w, const struct sm_uop *u)
{
    const uint32_t lanes = sm_lanes_of(w, u);
    const struct sm_surface_form f = sm_surface_form_of(u);
    uint8_t bytes[SM_LANES][16] = {{0}};
    struct sm_texture_found found = {.known = false};
    struct sm_texture_lane r = {.w = w, .u = u};
    if (f.components)
        return load_components(w, u, &f);
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t address;
        unsigned size;
        r.lane = (unsigned)__builtin_ctz(left);
        const enum sm_surface_place place = place_of(&f, &r, &found, &address, &size);
        if (place == SM_SURFACE_ERROR ||
            (place == SM_SURFACE_INSIDE && !sm_texture_read(&r, address, f.size, bytes[r.lane])))
            return r.next;
    }
    sm_judge_beside(&r, &found.texture, WT_WATCH_READ);
    const unsigned each = f.size < 4 ? f.size : 4;
    for (unsigned k = 0; k * 4 < f.size; k++) {
        const unsigned to = sm_register_behind(u->d, k);
        for (uint32_t left = to == SM_RZ ? 0 : lanes; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(left);
            const uint64_t value = wt_load_le(bytes[lane] + 4 * k, each);
            w->r[to][lane] =
                f.is_signed ? (uint32_t)wt_sign_extend(value, 8 * each) : (uint32_t)value;
        }
    }
    return sm_next(u);
}

const struct sm_uop *sm_op_sust(struct sm_warp *w, const struct sm_uop *u)
{
    const struct sm_surface_form f = sm_surface_form_of(u);
    struct sm_access a = {.store = true};
    unsigned sizes[SM_LANES];
    uint8_t bytes[SM_LANES][16];
    struct sm_texture_found found = {.known = false};
    struct sm_texture_lane r = {.w = w, .u = u};
    for (uint32_t left = sm_lanes_of(w, u); left; left &= left - 1) {
        uint64_t address;
        r.lane = (unsigned)__builtin_ctz(left);
        const enum sm_surface_place place = place_of(&f, &r, &found, &address, &sizes[r.lane]);
        if (place == SM_SURFACE_ERROR)
            return r.next;
        if (place == SM_SURFACE_INSIDE && sm_texture_may_store(&r, address, sizes[r.lane])) {
            a.size = sizes[r.lane];
            sm_reach_global(w, r.lane, address, false, &a);
            a.lanes |= 1u << r.lane;
        }
        bytes_to_store(w, u, &f, r.lane, &found.texture, bytes[r.lane]);
    }
    sm_judge_beside(&r, &found.texture, WT_WATCH_WRITE);
    if (a.stray)
        return sm_stray(w, u, &a);
    for (uint32_t left = a.lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        a.size = sizes[lane];
        if (!sm_store_bytes(w, u, &a, lane, WT_WATCH_WRITE, bytes[lane]))
            return sm_no_memory(w, u, a.addr[lane]);
    }
    return sm_next(u);
}
