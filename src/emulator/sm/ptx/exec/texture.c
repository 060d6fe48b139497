/* PTX: textures and surfaces (manual 9.7.10, 9.7.11). What they compute is in texture.c. */
#include "emulator/machine/softfloat.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx/image.h"
#include "emulator/sm/texture_access.h"

/* The handles of lanes, and the texture of the last one that was asked for. */
struct handles {
    const uint64_t *row;
    uint64_t last;
    bool known;
    struct sm_texture_found found;
};

static bool find_texture(struct sm_texture_lane *r, struct handles *h)
{
    uint64_t at = h->row[r->lane];
    uint8_t bytes[8];
    if (h->known && h->last == at)
        return true;
    h->last = at;
    if (r->u->ptx->space == PTX_SPACE_GLOBAL) { /* a .texref or .surfref contains the handle */
        if (!sm_texture_read(r, at, sizeof bytes, bytes))
            return false;
        at = wt_load_le(bytes, sizeof bytes);
    }
    h->known = sm_texture_find(r, at, &h->found);
    return h->known;
}

static unsigned dimensions_of(unsigned shape)
{
    return shape == PTX_3D ? 3 : shape == PTX_2D || shape == PTX_A2D ? 2 : 1;
}

static bool is_layered(unsigned shape)
{
    return shape == PTX_A1D || shape == PTX_A2D;
}

/* Whether a texture has the shape that the instruction wants. */
static bool right_shape(struct sm_texture_lane *r, const struct sm_texture *t)
{
    const unsigned shape = r->u->ptx->how;
    return sm_texture_has_shape(r, t, dimensions_of(shape), is_layered(shape));
}

/* The coordinates of a lane: the layer of layered shapes comes first. */
static void coordinates_of(const struct ptx_op *o, const uint8_t *frame, unsigned lane,
                           uint32_t bits[3], uint32_t *layer)
{
    const bool layered = is_layered(o->how);
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t value = ((const uint32_t *)ptx_in(frame, &o->s[1 + i]))[lane];
        if (layered && i == 0)
            *layer = value;
        else
            bits[i - layered] = value;
    }
}

/* The level that the instruction says, or that its gradients ask for. */
static void say_level(const struct ptx_op *o, const uint8_t *frame, unsigned lane,
                      const struct sm_texture *t, struct sm_texture_coordinates *at)
{
    const unsigned each = o->size / 2u;
    float by[2][3] = {{0}};
    at->has_level = o->size != 0;
    for (unsigned i = 0; i < o->size; i++) {
        const uint32_t bits = ((const uint32_t *)(frame + o->d2 + i * PTX_ROW_BYTES))[lane];
        const float number = o->is_signed ? (float)(int32_t)bits : wt_float_of_bits(bits);
        if (o->size == 1)
            at->level = number;
        else
            by[i / each][i % each] = number;
    }
    if (o->size > 1)
        at->level = sm_texture_level_of(t, by);
}

PTX_EXECUTOR(ptx_op_texture)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    uint32_t result[SM_LANES][4];
    const uint32_t lanes = ptx_lanes(w, o);
    struct handles h = {.row = ptx_in(frame, &o->s[0])};
    struct sm_texture_lane r = {.w = w, .u = u};
    const struct sm_texel_reader reader = {sm_texture_read, &r};
    PTX_LEFT(i, lanes)
    {
        struct sm_texture_coordinates at = {.whole = o->flag};
        r.lane = i;
        if (!find_texture(&r, &h) || !right_shape(&r, &h.found.texture))
            return r.next;
        coordinates_of(o, frame, i, at.bits, &at.layer);
        say_level(o, frame, i, &h.found.texture, &at);
        if (!(o->combine
                  ? sm_texture_gather(&h.found.texture, &at, o->combine - 1u, &reader, result[i])
                  : sm_texture_sample(&h.found.texture, &at, &reader, result[i])))
            return r.next;
    }
    for (unsigned k = 0; k < 4; k++)
        if (o->vector[k] != PTX_NO_SLOT)
            PTX_LEFT(i, lanes)
    ptx_put(frame + o->vector[k], 4, i, result[i][k]);
    return sm_next(u);
}

PTX_EXECUTOR(ptx_op_texture_query)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    struct handles h = {.row = ptx_in(frame, &o->s[0])};
    struct sm_texture_lane r = {.w = w, .u = u};
    PTX_LEFT(i, ptx_lanes(w, o))
    {
        r.lane = i;
        if (!find_texture(&r, &h))
            return r.next;
        const bool layered = h.found.texture.flags & SM_TEXTURE_LAYERED;
        const uint32_t answers[4] = {h.found.texture.width, h.found.texture.height,
                                     layered ? 1 : h.found.texture.depth,
                                     layered ? h.found.texture.depth : 1};
        ptx_put(frame + o->d, 4, i, answers[o->how]);
    }
    return sm_next(u);
}

/* ---- surfaces ---- */

/* The address that a lane accesses, and its bytes; x counts bytes, or texels (sust.p). */
static enum sm_surface_place surface_place(struct sm_texture_lane *r, struct handles *h,
                                           const uint8_t *frame, uint64_t *address, unsigned *size)
{
    const struct ptx_op *o = r->u->ptx;
    const struct sm_texture *t = &h->found.texture;
    uint32_t at[3] = {0}, layer = 0;
    if (!find_texture(r, h) || !right_shape(r, t))
        return SM_SURFACE_ERROR;
    coordinates_of(o, frame, r->lane, at, &layer);
    *size = o->flag ? t->bytes * t->channels : o->element;
    if (o->flag)
        at[0] *= *size;
    return sm_surface_find(r, t, at, layer, *size, (enum sm_surface_outside)o->combine, address);
}

/* A component of sust.p in the form that sm_texture_pack() wants: bits are of the surface's type,
 * extended to 32; numbers of another type are converted. */
static uint32_t component_for(const struct sm_texture *t, const struct ptx_op *o, uint64_t value)
{
    const bool is_float = t->texel == SM_TEXEL_FLOAT, is_signed = t->texel == SM_TEXEL_SIGNED;
    struct wt_fp fp = {.propagate_nan = true};
    switch (o->type) {
    case PTX_F32:
        return is_float    ? (uint32_t)value
               : is_signed ? (uint32_t)wt_f32_to_i32((uint32_t)value, &fp)
                           : wt_f32_to_u32((uint32_t)value, &fp);
    case PTX_S32:
        return is_float                                     ? wt_i64_to_f32((int32_t)value, &fp)
               : !is_signed && (int32_t)(uint32_t)value < 0 ? 0
                                                            : (uint32_t)value;
    case PTX_U32:
        return is_float                         ? wt_u64_to_f32((uint32_t)value, &fp)
               : is_signed && value > INT32_MAX ? INT32_MAX
                                                : (uint32_t)value;
    default:
        if (is_float && o->size == 2)
            return wt_f16_to_f32((uint16_t)value, &fp);
        return is_signed ? (uint32_t)wt_sign_extend(value, 8u * o->size) : (uint32_t)value;
    }
}

PTX_EXECUTOR(ptx_op_surface_load)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w), bytes[SM_LANES][16] = {{0}};
    const uint32_t lanes = ptx_lanes(w, o);
    struct handles h = {.row = ptx_in(frame, &o->s[0])};
    struct sm_texture_lane r = {.w = w, .u = u};
    PTX_LEFT(i, lanes)
    {
        uint64_t address;
        r.lane = i;
        unsigned size;
        const enum sm_surface_place place = surface_place(&r, &h, frame, &address, &size);
        if (place == SM_SURFACE_ERROR ||
            (place == SM_SURFACE_INSIDE && !sm_texture_read(&r, address, o->element, bytes[i])))
            return r.next;
    }
    sm_judge_beside(&r, &h.found.texture, WT_WATCH_READ);
    for (unsigned k = 0; k < o->count; k++)
        if (o->vector[k] != PTX_NO_SLOT)
            PTX_LEFT(i, lanes)
    ptx_put(frame + o->vector[k], o->size == 8 ? 8 : 4, i,
            wt_load_le(bytes[i] + k * o->size, o->size));
    return sm_next(u);
}

/* The bytes that a lane stores. */
static void bytes_to_store(const struct ptx_op *o, const uint8_t *frame, unsigned lane,
                           const struct sm_texture *t, uint8_t bytes[16])
{
    uint32_t component[4] = {0};
    for (unsigned k = 0; k < o->count; k++) {
        const void *from = o->vector_constant[k] ? o->vector_constant[k] : frame + o->vector[k];
        const uint64_t value = ptx_get(from, o->size == 8 ? 8 : 4, lane);
        if (o->flag)
            component[k] = component_for(
                t, o, o->size == 4 ? value : value & ((UINT64_C(1) << 8 * o->size) - 1));
        else
            wt_store_le(bytes + k * o->size, value, o->size);
    }
    if (o->flag)
        sm_texture_pack(t, component, bytes);
}

PTX_EXECUTOR(ptx_op_surface_store)
{
    const struct ptx_op *o = u->ptx;
    const uint8_t *frame = ptx_frame(w);
    struct sm_access a = {.store = true};
    unsigned sizes[SM_LANES];
    uint8_t bytes[SM_LANES][16];
    struct handles h = {.row = ptx_in(frame, &o->s[0])};
    struct sm_texture_lane r = {.w = w, .u = u};
    PTX_LEFT(i, ptx_lanes(w, o))
    {
        uint64_t address;
        r.lane = i;
        const enum sm_surface_place place = surface_place(&r, &h, frame, &address, &sizes[i]);
        if (place == SM_SURFACE_ERROR)
            return r.next;
        if (place == SM_SURFACE_INSIDE && sm_texture_may_store(&r, address, sizes[i])) {
            a.size = sizes[i];
            sm_reach_global(w, i, address, false, &a);
            a.lanes |= 1u << i;
        }
        bytes_to_store(o, frame, i, &h.found.texture, bytes[i]);
    }
    sm_judge_beside(&r, &h.found.texture, WT_WATCH_WRITE);
    if (a.stray)
        return sm_stray(w, u, &a);
    PTX_LEFT(i, a.lanes)
    {
        a.size = sizes[i];
        if (!sm_store_bytes(w, u, &a, i, WT_WATCH_WRITE, bytes[i]))
            return sm_no_memory(w, u, a.addr[i]);
    }
    return sm_next(u);
}
