/* Finding textures by their handles, reading texels, places of texels of surfaces (PTX, 9.7.11).
 * See texture_access.h. */
#include "emulator/sm/texture_access.h"

#include <stdio.h>
#include <string.h>

#include "emulator/sm/memory_access.h"

bool sm_texture_read(void *context, uint64_t address, unsigned size, uint8_t *bytes)
{
    struct sm_texture_lane *r = context;
    struct sm_access a;
    sm_access_begin(&a, 1u << r->lane, size, WT_WATCH_READ);
    if (sm_has_judge(r->w)) {
        uint64_t at[SM_LANES] = {0};
        at[r->lane] = address;
        sm_access_judge(r->w, r->u, SM_JUDGED_GLOBAL, &a, at);
        if (a.refused) {
            memset(bytes, 0, size);
            return true;
        }
    }
    sm_reach_global(r->w, r->lane, address, false, &a);
    if (!sm_access_good(r->w, r->u, &a, &r->next))
        return false;
    sm_load_bytes(r->w, r->u, &a, r->lane, bytes);
    return true;
}

bool sm_texture_may_store(struct sm_texture_lane *r, uint64_t address, unsigned size)
{
    uint64_t at[SM_LANES] = {0};
    at[r->lane] = address;
    return !sm_has_judge(r->w) ||
           !sm_judge(r->w, r->u, WT_WATCH_WRITE, SM_JUDGED_GLOBAL, 1u << r->lane, at, size);
}

bool sm_texture_find(struct sm_texture_lane *r, uint64_t handle, struct sm_texture_found *found)
{
    struct sm_device *d = r->w->device;
    uint8_t bytes[SM_TEXTURE_BYTES];
    if (found->known && found->handle == handle)
        return true;
    found->handle = handle;
    found->known = handle % SM_TEXTURE_BYTES == 0 && sm_mapped(d, handle, sizeof bytes, false);
    if (found->known) {
        wt_memory_read(d->machine.memory, handle, bytes, sizeof bytes);
        found->known = sm_texture_load(bytes, &found->texture);
    }
    if (!found->known)
        r->next =
            sm_error(r->w, r->u, SM_ILLEGAL_INSTR_PARAM, 1u << r->lane, handle,
                     "0x%llx is the handle of no texture or surface", (unsigned long long)handle);
    return found->known;
}

bool sm_texture_has_shape(struct sm_texture_lane *r, const struct sm_texture *t,
                          unsigned dimensions, bool layered)
{
    if (t->dimensions == dimensions && !(t->flags & SM_TEXTURE_LAYERED) == !layered)
        return true;
    r->next = sm_error(r->w, r->u, SM_ILLEGAL_INSTR_PARAM, 1u << r->lane, 0,
                       "the texture or surface has %u dimensions%s", t->dimensions,
                       t->flags & SM_TEXTURE_LAYERED ? " and layers" : "");
    return false;
}

/* ---- surfaces: where a lane's texel is ---- */

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
