/*
 * Images: resources, where texels lie, loads, stores and atomics (manual, section 8.2).
 *
 * The manual does not say how a tile's texels lie. AMD's address library does (addrlib, gfx9, as
 * published with ROCr): the tiles D of two and Z of three dimensions, which it prefers for
 * textures, of 256 bytes to 64 KiB. Tiles whose addresses are exchanged between pipes and banks
 * (_X) are the same here, as the emulated GPU has one of each: GB_ADDR_CONFIG is 0.
 */
#include "emulator/gcn/memory/image.h"

#include <stdio.h>

#include "emulator/gcn/know/operands.h"
#include "emulator/gcn/watch.h"

#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)

/* DST_SEL: 0 and 1 are constants, 4 to 7 the components. */
enum { SELECT_0, SELECT_1, SELECT_X = 4 };

/* ---- resources ---- */

static unsigned type_of(const uint32_t *resource)
{
    return resource[3] >> 28;
}

unsigned gcn_image_dimensions(const uint32_t *resource)
{
    static const uint8_t dimensions[16] = {
        [GCN_IMAGE_1D] = 1,       [GCN_IMAGE_2D] = 2,       [GCN_IMAGE_3D] = 3,
        [GCN_IMAGE_1D_ARRAY] = 1, [GCN_IMAGE_2D_ARRAY] = 2,
    };
    return dimensions[type_of(resource)];
}

bool gcn_image_has_layer(const struct gcn_uop *u, const uint32_t *resource)
{
    return u->array &&
           (type_of(resource) == GCN_IMAGE_1D_ARRAY || type_of(resource) == GCN_IMAGE_2D_ARRAY);
}

/*
 * Which bit of which coordinate each bit of an address within a tile is. The smallest tiles are
 * listed, from the lowest bit on; above, those of the coordinates take turns, the last one first.
 */
static void list_bits(struct gcn_image *m, unsigned log_bytes)
{
    static const char *const thin[] = {"x0x1x2y1y0y2x3y3", "x0x1x2y0y1y2x3", "x0x1y0x2y1y2",
                                       "x0y0x1x2y1", "x0y0x1y1"};
    static const char *const thick[] = {"x0y0x1y1z0z1x2z2y2x3", "x0y0x1y1z0z1z2y2x2",
                                        "x0y0x1z0y1z1y2x2", "x0y0z0x1z1y1x2", "x0y0z0z1y1x1"};
    const unsigned last = m->dimensions - 1;
    unsigned at = log_bytes, c = last;
    for (const char *b = (last == 2 ? thick : thin)[log_bytes]; *b; b += 2) {
        m->bit[at++] = (uint8_t)((b[0] - 'x') << 4 | (b[1] - '0'));
        m->extent[b[0] - 'x']++;
    }
    for (; at < m->tile; c = c ? c - 1 : last)
        m->bit[at++] = (uint8_t)(c << 4 | m->extent[c]++);
}

/* Chooses the tiles by SW_MODE. False: it has others than those that are known here. */
static bool choose_tile(struct gcn_image *m, unsigned mode)
{
    static const uint8_t logs[8] = {8, 12, 16, 0, 16, 12, 16, 0};
    enum { Z, S, D, R };
    const unsigned bytes = m->format->bytes;
    if (!mode)
        return true;
    m->tile = logs[mode >> 2];
    if (!m->tile || (bytes & (bytes - 1)) || m->dimensions < 2 ||
        (mode & 3) != (m->dimensions == 3 ? Z : D) || (m->dimensions == 3 && m->tile < 12))
        return false;
    list_bits(m, (unsigned)__builtin_ctz(bytes));
    return true;
}

static bool has_format(unsigned dfmt, unsigned nfmt)
{
    const struct gcn_format *f = gcn_format_of(dfmt);
    return dfmt <= 15 &&
           (nfmt == GCN_SRGB ? f->components && f->bits[0] == 8 : gcn_format_valid(dfmt, nfmt));
}

/* Writes into `why` which feature of the image is not executed here; leaves it empty if there is
 * none. */
static void refuse(struct gcn_image *m, const struct gcn_uop *u, const uint32_t *r, char *why,
                   size_t size)
{
    static const char *const types[16] = {[GCN_IMAGE_CUBE] = "cube maps",
                                          [14] = "images of several samples",
                                          [15] = "images of several samples"};
    const unsigned dfmt = r[1] >> 20 & 63, nfmt = r[1] >> 26 & 15, mode = r[3] >> 20 & 31,
                   base_level = r[3] >> 12 & 15, last_level = r[3] >> 16 & 15;
    *why = 0;
    if (!m->dimensions)
        snprintf(why, size, "%s (TYPE %u)",
                 types[type_of(r)] ? types[type_of(r)] : "resources that are not images",
                 type_of(r));
    else if (base_level || last_level)
        snprintf(why, size, "images of several levels (BASE_LEVEL %u, LAST_LEVEL %u)", base_level,
                 last_level);
    else if (r[6] >> 21 & 1)
        snprintf(why, size, "compressed images (COMPRESSION_EN)");
    else if (!has_format(dfmt, nfmt))
        snprintf(why, size, "images of DATA_FORMAT %u and NUM_FORMAT %u", dfmt, nfmt);
    else if (!choose_tile(m, mode))
        snprintf(why, size, "images of %u dimensions in tiles of SW_MODE %u, %u bytes a texel",
                 m->dimensions, mode, m->format->bytes);
    else if (nfmt == GCN_SRGB && u->row->operands[0] != 'r')
        snprintf(why, size, "stores and atomics of sRGB images");
    else if (u->tfe && u->row->operands[0] != 'r')
        snprintf(why, size, "stores and atomics with the TFE bit");
}

/* The last row of the coordinates, if the wave does not have it, or of the data. */
static unsigned last_register(const struct gcn_wave *w, const struct gcn_uop *u,
                              const struct gcn_image *m)
{
    const bool level = strchr(u->row->operands, 'm') != NULL, info = u->row->operands[1] == 'q';
    const unsigned given = gcn_image_arguments(u, m->dimensions) + m->dimensions + m->has_layer;
    const unsigned from = u->src[0] + (info ? 1 : given + level) - 1;
    const unsigned data = (u->row->operands[0] == 'a' ? 1u
                           : u->d16                   ? (u->size + 1u) / 2
                                                      : u->size) +
                          u->tfe + u->dst - 1u;
    return gcn_has_row(w, from) ? data : from;
}

bool gcn_image_of(struct gcn_wave *w, const struct gcn_uop *u, struct gcn_image *m,
                  const struct gcn_uop **next)
{
    if (gcn_is_gfx10(gcn_model_of(w->device))) {
        *next = gcn_formats_unknown(w, u);
        return false;
    }
    const uint32_t *r = &w->s[u->base];
    const bool layers = type_of(r) == GCN_IMAGE_1D_ARRAY || type_of(r) == GCN_IMAGE_2D_ARRAY;
    char why[128];
    *m = (struct gcn_image){
        .base = (r[0] | (uint64_t)(r[1] & 0xff) << 32) << 8,
        .size = {(r[2] & 0x3fff) + 1, (r[2] >> 14 & 0x3fff) + 1, (r[4] & 0x1fff) + 1},
        .layers = 1,
        .pitch = (r[4] >> 13 & 0xffff) + 1,
        .dimensions = gcn_image_dimensions(r),
        .has_layer = gcn_image_has_layer(u, r),
        .format = gcn_format_of(r[1] >> 20 & 15),
        .nfmt = r[1] >> 26 & 15,
    };
    if (w->mode & GCN_MODE_VSKIP) {
        *next = gcn_next(u);
        return false;
    }
    for (unsigned i = 0; i < 4; i++)
        m->select[i] = r[3] >> (3 * i) & 7;
    if (layers) {
        m->first = r[5] & 0x1fff;
        m->layers = m->size[2] > m->first ? m->size[2] - m->first : 1;
    }
    for (unsigned i = m->dimensions; i < 3; i++)
        m->size[i] = 1;
    refuse(m, u, r, why, sizeof why);
    if (*why) {
        *next = gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                          "%s: %s are not executed by this emulator", u->row->name, why);
        return false;
    }
    const unsigned last = last_register(w, u, m);
    const bool there = gcn_has_row(w, last);
    if (!there)
        *next = gcn_no_row(w, u, last);
    return there;
}

uint64_t gcn_image_address(const struct gcn_image *m, const uint32_t *at)
{
    const uint64_t layer = m->dimensions == 3 ? at[2] : (uint64_t)at[2] + m->first;
    if (!m->tile)
        return m->base + ((layer * m->size[1] + at[1]) * m->pitch + at[0]) * m->format->bytes;
    const uint64_t rows = (m->size[1] + (1u << m->extent[1]) - 1) >> m->extent[1];
    const uint64_t tile =
        ((layer >> m->extent[2]) * rows + (at[1] >> m->extent[1])) * (m->pitch >> m->extent[0]) +
        (at[0] >> m->extent[0]);
    uint64_t in = 0;
    for (unsigned i = (unsigned)__builtin_ctz(m->format->bytes); i < m->tile; i++)
        in |= (uint64_t)(at[m->bit[i] >> 4] >> (m->bit[i] & 15) & 1) << i;
    return m->base + (tile << m->tile) + in;
}

/* ---- texels ---- */

/* Whether each lane's texel may be accessed; else there is a fault, *next. */
static bool checked(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_targets *t,
                    unsigned size, bool store, const struct gcn_uop **next)
{
    const enum wt_access access = store ? WT_ACCESS_STORE : WT_ACCESS_LOAD;
    for (uint64_t left = t->lanes & ~t->zero; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if (gcn_mapped(w->device, t->addr[lane], size, store))
            continue;
        *next = gcn_fault(w, u, WT_FAULT_ACCESS, (uint64_t)1 << lane, t->addr[lane],
                          "%s: " WT_UNMAPPED, u->row->name, wt_access_word(access), size,
                          (unsigned long long)t->addr[lane], wt_access_for(access));
        return false;
    }
    return true;
}

bool gcn_image_read(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_image *m,
                    struct gcn_targets *t, uint8_t (*texel)[16], const struct gcn_uop **next)
{
    const unsigned size = m->format->bytes;
    gcn_judge(w, u, t, WT_WATCH_READ, size);
    if (!checked(w, u, t, size, false, next))
        return false;
    for (uint64_t left = t->lanes & ~t->zero; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        gcn_read(w->device, t->addr[lane], texel[lane], size);
        if (gcn_watching(w->device))
            gcn_watch_access(w, u, WT_WATCH_READ, lane, t->addr[lane], size, texel[lane],
                             texel[lane]);
    }
    return true;
}

uint32_t gcn_image_component(const struct gcn_image *m, const uint8_t *texel, unsigned i, bool d16)
{
    const unsigned select = m->select[i], component = select - (unsigned)SELECT_X;
    if (select == SELECT_1)
        return gcn_format_one(m->nfmt, d16);
    if (select < SELECT_X || !texel)
        return 0;
    /* Components that the format lacks are 0, but the fourth is 1. */
    if (component >= m->format->components)
        return component == 3 ? gcn_format_one(m->nfmt, d16) : 0;
    const unsigned nfmt = m->nfmt == GCN_SRGB && component == 3 ? GCN_UNORM : m->nfmt;
    return gcn_format_load(gcn_format_extract(texel, m->format, component),
                           m->format->bits[component], nfmt, d16);
}

void gcn_image_put(struct gcn_wave *w, const struct gcn_uop *u, unsigned lane, unsigned i,
                   uint32_t value)
{
    uint32_t *r = &w->v[u->dst + (u->d16 ? i / 2 : i)][lane];
    if (!u->d16)
        *r = value;
    else /* halves of registers that get no component keep their value */
        *r = i % 2 ? (*r & 0xffff) | value << 16 : (*r & 0xffff0000) | (value & 0xffff);
}

const struct gcn_uop *gcn_image_end(struct gcn_wave *w, const struct gcn_uop *u)
{
    const unsigned registers = u->d16 ? (u->size + 1u) / 2 : u->size;
    for (uint64_t left = u->tfe ? gcn_exec(w) : 0; left; left &= left - 1)
        w->v[u->dst + registers][__builtin_ctzll(left)] = 0; /* what is not there */
    gcn_count_vmem(w, u->row->operands[0] == 'w');
    return gcn_next(u);
}

/* ---- loads, stores and atomics ---- */

/* Computes the address of each lane's texel from integer coordinates. Lanes whose texel is outside
 * the image are in t->zero. */
static void find_texels(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_image *m,
                        struct gcn_targets *t)
{
    const unsigned count = m->dimensions + m->has_layer;
    *t = (struct gcn_targets){.at = u, .lanes = gcn_exec(w)};
    for (uint64_t left = t->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t at[3] = {0};
        bool outside = strchr(u->row->operands, 'm') && w->v[u->src[0] + count][lane];
        for (unsigned i = 0; i < m->dimensions; i++) {
            at[i] = w->v[u->src[0] + i][lane];
            outside |= at[i] >= m->size[i];
        }
        if (m->has_layer) {
            at[2] = w->v[u->src[0] + m->dimensions][lane];
            outside |= at[2] >= m->layers;
        }
        if (outside)
            t->zero |= (uint64_t)1 << lane;
        else
            t->addr[lane] = gcn_image_address(m, at);
    }
}

OP(image_load)
{
    struct gcn_image m;
    struct gcn_targets t;
    uint8_t texel[GCN_LANES][16];
    const struct gcn_uop *next;
    if (!gcn_image_of(w, u, &m, &next))
        return next;
    find_texels(w, u, &m, &t);
    if (!gcn_image_read(w, u, &m, &t, texel, &next))
        return next;
    const unsigned mask = u->dmask ? u->dmask : 1;
    for (uint64_t left = t.lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint8_t *from = t.zero >> lane & 1 ? NULL : texel[lane];
        for (unsigned c = 0, i = 0; c < 4; c++)
            if (mask >> c & 1)
                gcn_image_put(w, u, lane, i++, gcn_image_component(&m, from, c, u->d16));
    }
    return gcn_image_end(w, u);
}

/* The stored values: components that no register is for are 0. */
static void make_texel(const struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_image *m,
                       unsigned lane, uint8_t *texel)
{
    const unsigned mask = u->dmask ? u->dmask : 1;
    unsigned given = 0;
    memset(texel, 0, 16);
    for (unsigned c = 0, i = 0; c < 4; c++) {
        const unsigned component = m->select[c] - (unsigned)SELECT_X;
        if (!(mask >> c & 1))
            continue;
        const uint32_t r = w->v[u->src[1] + (u->d16 ? i / 2 : i)][lane];
        const uint32_t value = u->d16 ? r >> (i % 2 ? 16 : 0) & 0xffff : r;
        i++;
        if (component >= m->format->components || (given >> component & 1))
            continue;
        given |= 1u << component;
        gcn_format_insert(texel, m->format, component,
                          gcn_format_store(value, m->format->bits[component], m->nfmt, u->d16));
    }
}

OP(image_store)
{
    struct gcn_image m;
    struct gcn_targets t;
    const struct gcn_uop *next;
    if (!gcn_image_of(w, u, &m, &next))
        return next;
    const unsigned size = m.format->bytes;
    find_texels(w, u, &m, &t);
    gcn_judge(w, u, &t, WT_WATCH_WRITE, size);
    if (!checked(w, u, &t, size, true, &next))
        return next;
    for (uint64_t left = t.lanes & ~t.zero; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint8_t texel[16], before[16];
        make_texel(w, u, &m, lane, texel);
        if (gcn_watching(w->device)) {
            gcn_read(w->device, t.addr[lane], before, size);
            gcn_watch_access(w, u, WT_WATCH_WRITE, lane, t.addr[lane], size, before, texel);
        }
        if (!gcn_write(w->device, t.addr[lane], texel, size))
            return gcn_no_memory(w, u, (uint64_t)1 << lane, t.addr[lane]);
    }
    return gcn_image_end(w, u);
}

/* Of integers of 32 or 64 bits, a component of 32 bits for each 32. */
OP(image_atomic)
{
    struct gcn_image m;
    struct gcn_targets t;
    const struct gcn_uop *next;
    if (!gcn_image_of(w, u, &m, &next))
        return next;
    if (u->size != m.format->bytes || m.format->bits[0] != 32 || m.nfmt == GCN_FLOAT)
        return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                         "%s: DMASK 0x%x is not that of an integer in a texel of %u bytes",
                         u->row->name, u->dmask, m.format->bytes);
    find_texels(w, u, &m, &t);
    return gcn_vmem_atomic(w, u, &t);
}

/* Width, height, depth or layers, levels; of a level that is not there 0, but for the levels. */
OP(image_get_resinfo)
{
    struct gcn_image m;
    const struct gcn_uop *next;
    if (!gcn_image_of(w, u, &m, &next))
        return next;
    const uint32_t is[4] = {m.size[0], m.size[1], m.dimensions == 3 ? m.size[2] : m.layers, 1};
    const unsigned mask = u->dmask ? u->dmask : 1;
    for (uint64_t left = gcn_exec(w); left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const bool there = !w->v[u->src[0]][lane];
        for (unsigned c = 0, i = 0; c < 4; c++)
            if (mask >> c & 1)
                gcn_image_put(w, u, lane, i++, there || c == 3 ? is[c] : 0);
    }
    return gcn_image_end(w, u);
}
