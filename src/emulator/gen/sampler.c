/*
 * The sampler: texels by integer coordinates (ld), and filtered ones (sample), of the first mip
 * level (Skylake PRM volume 7, "Shared Functions - 3D Sampler"; volume 2d, SAMPLER_STATE).
 *
 * Filtering is computed in double precision and rounded once. Hardware has eight bits of fraction
 * for the weights; OpenCL asks for no more.
 */
#include <math.h>
#include <stdio.h>

#include "emulator/gen/texel.h"
#include "emulator/gen/message.h"
#include "emulator/machine/texel.h"

/* desc[16:12]. */
enum {
    SAMPLE = 0,
    SAMPLE_LEVEL = 2, /* level, u, v, r, array index */
    LD = 7,           /* u, v, level, r */
    RESINFO = 10,     /* level */
    SAMPLE_LZ = 24,   /* level zero */
    LD_LZ = 26
};

/* Address control modes. */
enum { WRAP = 0, MIRROR = 1, CLAMP = 2, BORDER = 4, MIRROR_ONCE = 5, MIRROR_101 = 7 };

enum { PARAMETERS_MAX = 5, TEXEL_BYTES_MAX = 16 };

struct gen_sampler {
    struct gen_surface surface;
    const struct gen_texel_format *format;
    unsigned type;             /* type of the message */
    unsigned lanes;            /* 8 or 16 */
    unsigned parameters;       /* parameters of a lane */
    unsigned spatial;          /* coordinates that are no array index */
    bool linear, unnormalised; /* SAMPLER_STATE, from here on */
    uint8_t mode[3];
    uint32_t border[4];
    uint32_t outside; /* lanes of ld whose texel does not exist */
    char what[100];   /* the first one's */
};

static uint32_t parameter(const struct gen_message *m, const struct gen_sampler *x, unsigned which,
                          unsigned lane)
{
    const unsigned each = x->lanes * 4 / GEN_GRF_BYTES;
    if (which >= x->parameters)
        return 0;
    const unsigned first = (m->header ? 1 : 0) + which * each;
    return (uint32_t)wt_load_le(gen_registers(m) +
                                    gen_payload_register(m, first + lane * 4 / GEN_GRF_BYTES) +
                                    lane * 4 % GEN_GRF_BYTES,
                                4);
}

/* ---- state ---- */

static uint32_t header_dword(const struct gen_message *m, unsigned index)
{
    return (uint32_t)wt_load_le(gen_registers(m) + m->payload[0] + 4 * index, 4);
}

/* SAMPLER_STATE of the message, which is at *addr. */
static bool fetch_state(const struct gen_message *m, uint64_t *addr, uint32_t dw[4])
{
    const struct gen_walk *w = &gen_walk_of(m->t)->walk;
    const uint32_t table = (m->header ? header_dword(m, 3) : w->samplers) & ~UINT32_C(0x1f);
    uint8_t state[16];
    *addr = w->dynamic + table + 16 * (m->desc >> 8 & 15);
    if (!gen_device_read(m->t->device, *addr, state, sizeof state))
        return false;
    for (unsigned i = 0; i < 4; i++)
        dw[i] = (uint32_t)wt_load_le(state + 4 * i, 4);
    return true;
}

/* Of level 0, which is magnified. */
static unsigned filter_of(const uint32_t dw[4])
{
    return wt_field(dw[0], 19, 17);
}

static bool read_state(const struct gen_message *m, struct gen_sampler *x,
                       const struct gen_uop **next)
{
    const struct gen_walk *w = &gen_walk_of(m->t)->walk;
    const unsigned index = m->desc >> 8 & 15;
    uint8_t border[16];
    uint32_t dw[4];
    uint64_t addr;
    if (!fetch_state(m, &addr, dw)) {
        *next = gen_message_fault(m, WT_FAULT_ACCESS, m->on, addr,
                                  "no memory is mapped where sampler %u is described", index);
        return false;
    }
    const unsigned filter = filter_of(dw);
    x->linear = filter == 1;
    x->unnormalised = wt_field(dw[3], 10, 10);
    for (unsigned i = 0; i < 3; i++)
        x->mode[i] = (uint8_t)(dw[3] >> (6 - 3 * i) & 7);
    const uint64_t colour = w->dynamic + (dw[2] & UINT32_C(0xffffc0));
    if (gen_device_read(m->t->device, colour, border, sizeof border))
        for (unsigned i = 0; i < 4; i++)
            x->border[i] = (uint32_t)wt_load_le(border + 4 * i, 4);
    for (unsigned i = 0; i < x->spatial; i++)
        if (x->mode[i] == 3 || x->mode[i] == 6) {
            *next = gen_message_fault(m, WT_FAULT_ILLEGAL, m->on, addr,
                                      "sampler %u has address mode %u for coordinate %u, which is "
                                      "not executed",
                                      index, x->mode[i], i);
            return false;
        }
    if (filter > 1)
        *next = gen_message_fault(
            m, WT_FAULT_ILLEGAL, m->on, addr,
            "sampler %u has filter %u; nearest (0) and linear (1) are executed", index, filter);
    return filter <= 1;
}

static unsigned spatial_of(const struct gen_surface *s)
{
    return s->kind == GEN_SURFACE_3D ? 3 : s->kind == GEN_SURFACE_2D ? 2 : 1;
}

static bool find_image(const struct gen_message *m, struct gen_sampler *x,
                       const struct gen_uop **next)
{
    const bool found = gen_find_image(m, &x->surface, GEN_SURFACE_3D, "sampled", &x->format, next);
    x->spatial = spatial_of(&x->surface);
    return found;
}

/* ---- texels ---- */

/* A size of the surface: 0 width, 1 height, 2 slices. */
static int64_t size_of(const struct gen_sampler *x, unsigned which)
{
    const struct gen_surface *s = &x->surface;
    if (s->kind == GEN_SURFACE_BUFFER)
        return which ? 1 : (int64_t)s->size;
    return which == 0 ? s->width : which == 1 ? s->height : s->depth;
}

/* A texel, which exists. */
static bool read_texel(const struct gen_message *m, const struct gen_sampler *x, unsigned lane,
                       const int64_t at[3], uint32_t rgba[4], const struct gen_uop **next)
{
    uint8_t bytes[TEXEL_BYTES_MAX];
    const uint64_t addr = gen_texel_address(&x->surface, (uint32_t)at[0], (uint32_t)at[1],
                                            (uint32_t)at[2], x->format->bytes);
    if (!gen_check_memory(m, lane, addr, x->format->bytes, WT_ACCESS_LOAD, next))
        return false;
    gen_message_read(m, &x->surface, lane, addr, bytes, x->format->bytes);
    gen_texel_unpack(x->format, bytes, rgba);
    return true;
}

/* The components that the surface shows. */
static void select_components(const struct gen_sampler *x, const uint32_t from[4], uint32_t to[4])
{
    const uint32_t one = gen_texel_is_integer(x->format) ? 1 : wt_float_bits(1.0f);
    for (unsigned i = 0; i < 4; i++) {
        const unsigned select = x->surface.select[i];
        to[i] = select >= 4 ? from[select - 4] : select == 1 ? one : 0;
    }
}

/* Outside the surface: 0 in the components that the format has, (0, 0, 0, 1) in the others. */
static void absent_texel(const struct gen_sampler *x, uint32_t rgba[4])
{
    const bool has_alpha = x->format->component[3].bits;
    rgba[0] = rgba[1] = rgba[2] = 0;
    rgba[3] = has_alpha ? 0 : gen_texel_is_integer(x->format) ? 1 : wt_float_bits(1.0f);
}

static void border_texel(const struct gen_sampler *x, uint32_t rgba[4])
{
    const uint32_t one = gen_texel_is_integer(x->format) ? 1 : wt_float_bits(1.0f);
    for (unsigned i = 0; i < 4; i++)
        rgba[i] = x->format->component[i].bits ? x->border[i] : i == 3 ? one : 0;
}

/* The parameter that has a coordinate; an array index comes behind the others. ld has the level
 * behind v, and a sample with a level has it first. */
static unsigned coordinate(const struct gen_sampler *x, unsigned i)
{
    enum { V = 1 };
    return i + (x->type == SAMPLE_LEVEL || (x->type == LD && i > V) ? 1 : 0);
}

/* ---- ld ---- */

/* Whether the kernel may have a sampler that gives its border's colour outside of an image:
 * compilers make ld of a sample at integers by it. */
static bool may_have_border(const struct gen_message *m)
{
    const struct gen_walk *w = &gen_walk_of(m->t)->walk;
    const uint64_t table = w->dynamic + (w->samplers & ~UINT32_C(0x1f));
    uint8_t state[4];
    for (unsigned i = 0; i < 4 * (w->samplers >> 2 & 7); i++)
        if (gen_device_read(m->t->device, table + 16 * i + 12, state, sizeof state) &&
            (wt_load_le(state, 4) >> 6 & 7) == BORDER)
            return true;
    return false;
}

/* Notes it for the machine's judge. */
static void note_outside(struct gen_sampler *x, unsigned lane, const int64_t at[3])
{
    if (!x->outside)
        snprintf(x->what, sizeof x->what, "texel (%d,%d,%d) of an image of %d by %d by %d",
                 (int)at[0], (int)at[1], (int)at[2], (int)size_of(x, 0), (int)size_of(x, 1),
                 (int)size_of(x, 2));
    x->outside |= UINT32_C(1) << lane;
}

static bool load(const struct gen_message *m, struct gen_sampler *x, unsigned lane,
                 uint32_t rgba[4], const struct gen_uop **next)
{
    const bool has_level = x->type == LD;
    const bool layered = x->surface.is_array || x->spatial == 3;
    int64_t at[3] = {0, 0, 0};
    uint32_t found[4];
    for (unsigned i = 0; i < x->spatial; i++)
        at[i] = (int32_t)parameter(m, x, coordinate(x, i), lane);
    if (layered && x->spatial < 3)
        at[2] = (int32_t)parameter(m, x, coordinate(x, x->spatial), lane);
    bool inside = !has_level || parameter(m, x, 2, lane) == 0;
    for (unsigned i = 0; i < 3; i++)
        inside = inside && at[i] >= 0 &&
                 at[i] < (i < x->spatial || (i == 2 && layered) ? size_of(x, i) : 1);
    if (!inside && m->t->device->machine.judge && !may_have_border(m))
        note_outside(x, lane, at);
    if (!inside)
        absent_texel(x, found);
    else if (!read_texel(m, x, lane, at, found, next))
        return false;
    select_components(x, found, rgba);
    return true;
}

/* ---- sample ---- */

static int64_t modulo(int64_t value, int64_t size)
{
    const int64_t rest = value % size;
    return rest < 0 ? rest + size : rest;
}

/* Where the address control mode takes a texel's index; -1: to the border. */
static int64_t addressed(unsigned mode, int64_t index, int64_t size)
{
    switch (mode) {
    case WRAP:
        return modulo(index, size);
    case MIRROR: {
        const int64_t within = modulo(index, 2 * size);
        return within < size ? within : 2 * size - 1 - within;
    }
    case MIRROR_101: {
        const int64_t within = size > 1 ? modulo(index, 2 * size - 2) : 0;
        return within < size ? within : 2 * size - 2 - within;
    }
    case MIRROR_ONCE:
        index = index < 0 ? -1 - index : index;
        return index < size ? index : size - 1;
    case BORDER:
        return index < 0 || index >= size ? -1 : index;
    default: /* CLAMP */
        return index < 0 ? 0 : index < size ? index : size - 1;
    }
}

/* A coordinate in texels, in bounds that an index can have; NaN is 0. */
static double texel_coordinate(const struct gen_sampler *x, float value, int64_t size)
{
    const double most = 1 << 30;
    const double texels = x->unnormalised ? (double)value : (double)value * (double)size;
    return isnan(texels) ? 0 : texels > most ? most : texels < -most ? -most : texels;
}

static bool sample(const struct gen_message *m, struct gen_sampler *x, unsigned lane,
                   uint32_t rgba[4], const struct gen_uop **next)
{
    const bool linear = x->linear && !gen_texel_is_integer(x->format);
    int64_t low[3] = {0, 0, 0}, at[3] = {0, 0, 0};
    double part[3] = {0, 0, 0}, sum[4] = {0};
    uint32_t one[4] = {0};
    for (unsigned i = 0; i < x->spatial; i++) {
        const double where =
            texel_coordinate(x, wt_float_of_bits(parameter(m, x, coordinate(x, i), lane)),
                             size_of(x, i)) -
            (linear ? 0.5 : 0);
        low[i] = (int64_t)(linear || x->mode[i] != MIRROR
                               ? floor(where)
                               : wt_mirrored_texel(where, (double)size_of(x, i)));
        part[i] = linear ? where - floor(where) : 0;
    }
    if (x->surface.is_array && x->spatial < 3) {
        const double layer =
            (double)wt_float_of_bits(parameter(m, x, coordinate(x, x->spatial), lane));
        const double rounded = isnan(layer) ? 0 : floor(layer + 0.5), last = x->surface.depth - 1;
        at[2] = rounded < 0 ? 0 : (int64_t)(rounded > last ? last : rounded);
    }
    for (unsigned corner = 0; corner < (linear ? 1u << x->spatial : 1); corner++) {
        double weight = 1;
        bool border = false;
        for (unsigned i = 0; i < x->spatial; i++) {
            const unsigned up = corner >> i & 1;
            weight *= up ? part[i] : 1 - part[i];
            at[i] = addressed(x->mode[i], low[i] + up, size_of(x, i));
            border = border || at[i] < 0;
        }
        if (linear && weight == 0)
            continue;
        if (border)
            border_texel(x, one);
        else if (!read_texel(m, x, lane, at, one, next))
            return false;
        for (unsigned c = 0; c < 4 && linear; c++)
            sum[c] += weight * (double)wt_float_of_bits(one[c]);
    }
    for (unsigned c = 0; c < 4 && linear; c++)
        one[c] = wt_float_bits((float)sum[c]);
    select_components(x, one, rgba);
    return true;
}

/* ---- the message ---- */

static void describe(const struct gen_sampler *x, uint32_t rgba[4])
{
    const struct gen_surface *s = &x->surface;
    const bool layered = s->is_array || x->spatial == 3;
    rgba[0] = (uint32_t)size_of(x, 0);
    rgba[1] = x->spatial >= 2 ? s->height : layered ? s->depth : 0;
    rgba[2] = x->spatial >= 2 && layered ? s->depth : 0;
    rgba[3] = s->levels;
}

/* Components that the header leaves out are not returned. */
static unsigned left_out_of(const struct gen_message *m)
{
    return m->header ? header_dword(m, 2) >> 12 & 15 : 0;
}

/* A short response ends early. */
static const struct gen_uop *give(const struct gen_message *m, const struct gen_sampler *x,
                                  uint32_t rgba[GEN_CHANNELS][4], bool half)
{
    const unsigned left_out = left_out_of(m), slot = half ? 2 : 4,
                   block = x->lanes * slot / GEN_GRF_BYTES;
    unsigned given = 0;
    struct wt_fp fp = {0};
    for (unsigned c = 0; c < 4 && given + block <= m->response; c++) {
        if (left_out >> c & 1)
            continue;
        uint8_t *to = gen_registers(m) + m->dst + given * GEN_GRF_BYTES;
        for (unsigned i = 0; i < x->lanes; i++)
            if (m->on >> i & 1)
                wt_store_le(to + slot * i,
                            !half                             ? rgba[i][c]
                            : gen_texel_is_integer(x->format) ? rgba[i][c] & 0xffff
                                                              : wt_f32_to_f16(rgba[i][c], &fp),
                            slot);
        given += block;
    }
    return given ? gen_next(m->u) : gen_message_length(m, "a sampler");
}

const struct gen_uop *gen_sampler(struct gen_message *m)
{
    struct gen_sampler x = {.type = m->desc >> 12 & 31};
    uint32_t rgba[GEN_CHANNELS][4];
    const unsigned mode = m->desc >> 17 & 3, sent = m->lengths[0] + m->lengths[1];
    const bool half = m->desc >> 30 & 1, is_load = x.type == LD || x.type == LD_LZ;
    const struct gen_uop *next;
    /* The emulated sampler has no caches to flush. The message returns no data. */
    if (x.type == GEN_SAMPLER_FLUSH && mode == 3)
        return sent == 1 && m->header && m->response <= 1 ? gen_next(m->u)
                                                          : gen_message_length(m, "a flushing");
    x.lanes = mode == 2 ? 16 : 8;
    if ((mode != 1 && mode != 2) || (half && x.lanes == 8) ||
        !(is_load || x.type == SAMPLE || x.type == SAMPLE_LEVEL || x.type == SAMPLE_LZ ||
          x.type == RESINFO))
        return gen_message_unknown(m);
    const unsigned header = m->header ? 1 : 0, each = x.lanes * 4 / GEN_GRF_BYTES;
    if (sent < header + each || (m->header && !m->lengths[0]))
        return gen_message_length(m, "a sampler");
    x.parameters = (sent - header) / each;
    if (x.parameters > PARAMETERS_MAX)
        return gen_message_length(m, "a sampler");
    if (!find_image(m, &x, &next) || (!is_load && x.type != RESINFO && !read_state(m, &x, &next)))
        return next;
    for (unsigned i = 0; i < x.lanes; i++) {
        if (!(m->on >> i & 1))
            continue;
        if (x.type == RESINFO)
            describe(&x, rgba[i]);
        else if (!(is_load ? load : sample)(m, &x, i, rgba[i], &next))
            return next;
    }
    if (x.outside && m->t->device->machine.judge)
        gen_judge_texels(m, &x.surface, WT_WATCH_READ, x.outside, x.format->bytes, x.what);
    return give(m, &x, rgba, half);
}

/* ---- what it does with texels (texels.c) ---- */

bool gen_sampler_texels(const struct gen_message *m, struct gen_texels *to)
{
    struct gen_sampler x = {.type = m->desc >> 12 & 31};
    const bool is_load = x.type == LD || x.type == LD_LZ;
    const unsigned left_out = left_out_of(m);
    uint64_t addr;
    uint32_t dw[4] = {0};
    *to = (struct gen_texels){.used = 0};
    if (!(is_load || x.type == SAMPLE || x.type == SAMPLE_LEVEL || x.type == SAMPLE_LZ) ||
        !gen_peek_image(m, &x.surface, &x.format) || (!is_load && !fetch_state(m, &addr, dw)))
        return false;
    x.spatial = spatial_of(&x.surface);
    for (unsigned i = 0; i < x.spatial + (x.surface.is_array && x.spatial < 3); i++)
        to->used |= 1u << coordinate(&x, i);
    if (x.type == LD)
        to->used |= 1u << 2; /* the level */
    for (unsigned c = 0; c < 4; c++)
        if (!(left_out >> c & 1))
            to->component[to->components++] =
                x.surface.select[c] >= 4 ? x.surface.select[c] - 4 : GEN_NO_COMPONENT;
    to->format = x.format;
    to->mixes = !is_load && filter_of(dw) == 1 && !gen_texel_is_integer(x.format);
    return true;
}
