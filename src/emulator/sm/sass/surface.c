/* SULD and SUST: bits (.D) or components in the surface's format (.P). */

#include "base/bits.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/texture_access.h"

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
