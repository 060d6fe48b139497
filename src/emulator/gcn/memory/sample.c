/*
 * Samples of images (manual, section 8.2): address modes, points and linear filters by a sampler in
 * four SGPRs. An image has one level, so that levels of detail, bias and derivatives make no
 * difference.
 *
 * Coordinates get eight bits of fraction, rounded to the nearest, before the texel is chosen,
 * unless TRUNC_COORD is set. (ROCm's device library counts on that: it rounds coordinates of points
 * down to whole texels itself, and then multiplies them by a reciprocal, which may be a little too
 * small.) Weights of a linear filter have eight bits of fraction; the weighted sum is computed in
 * double precision, in the order of the texels, and rounded once. How a GPU rounds is not
 * published.
 */
#include "emulator/gcn/memory/image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "emulator/gcn/know/operands.h"
#include "emulator/machine/softfloat.h"

#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)

/* CLAMP_X, CLAMP_Y, CLAMP_Z of a sampler. */
enum clamp {
    WRAP,
    MIRROR,
    CLAMP,
    MIRROR_ONCE,
    HALF_BORDER,
    MIRROR_ONCE_HALF_BORDER,
    BORDER,
    MIRROR_ONCE_BORDER,
};

struct sampler {
    enum clamp clamp[3];
    bool normalized, linear, truncates;
};

/* The texels that a lane's sample is made of: the first one, and how far it is to the next. */
struct sample_place {
    int64_t texel[3];
    unsigned weight[3]; /* weight of the next one, of 256 */
    uint32_t layer;
};

/* Decodes the sampler; false: refused, *next is what the handler returns. */
static bool sampler_of(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_image *m,
                       struct sampler *s, const struct gcn_uop **next)
{
    const uint32_t *r = &w->s[u->sampler];
    const unsigned magnify = r[2] >> 20 & 3, minify = r[2] >> 22 & 3, z = r[2] >> 24 & 3;
    char why[96] = "";
    *s = (struct sampler){.normalized = !(r[0] >> 15 & 1) && !u->unorm,
                          .linear = magnify == 1,
                          .truncates = r[0] >> 27 & 1};
    bool half = false;
    for (unsigned i = 0; i < m->dimensions; i++) {
        s->clamp[i] = (enum clamp)(r[0] >> (3 * i) & 7);
        half |= s->clamp[i] == HALF_BORDER || s->clamp[i] == MIRROR_ONCE_HALF_BORDER;
    }
    const bool samples = u->row->operands[1] == 's';
    if (half)
        snprintf(why, sizeof why, "samplers that clamp to half a border");
    else if (r[3] >> 30)
        snprintf(why, sizeof why, "borders of another colour than transparent black (type %u)",
                 r[3] >> 30);
    else if (r[0] >> 20 & 1)
        snprintf(why, sizeof why, "samplers with FORCE_DEGAMMA");
    else if (samples &&
             (magnify != minify || magnify > 1 || (m->dimensions == 3 && z && z != magnify + 1u)))
        snprintf(why, sizeof why, "filters other than one of point and linear (%u, %u, %u)",
                 magnify, minify, z);
    else if (samples && (r[0] >> 29 & 3))
        snprintf(why, sizeof why, "samplers that give a minimum or maximum");
    else if (samples && s->linear && (m->nfmt == GCN_UINT || m->nfmt == GCN_SINT))
        snprintf(why, sizeof why, "linear filters of integers");
    if (*why)
        *next = gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                          "%s: %s are not executed by this emulator", u->row->name, why);
    return !*why;
}

/* Converts a coordinate to texels, at most 2^40 away: a larger one repeats with the image, or is
 * beyond its end anyway. */
static double in_texels(const struct sampler *s, enum clamp clamp, uint32_t bits, uint32_t size)
{
    const double far = 0x1p40;
    float value;
    memcpy(&value, &bits, sizeof value);
    double x = s->normalized ? (double)value * size : (double)value;
    if (fabs(x) < far)
        return x;
    if (clamp == WRAP || clamp == MIRROR)
        x = fmod(x, 2.0 * size);
    return isnan(x) ? 0 : x < -far ? -far : x > far ? far : x;
}

/* Where a lane's sample lies; `linear`: between texels. */
static void find_place(const struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_image *m,
                       const struct sampler *s, unsigned lane, bool linear, struct sample_place *p)
{
    const uint32_t offsets = strchr(u->row->operands, 'o') ? w->v[u->src[0]][lane] : 0;
    const unsigned first = u->src[0] + gcn_image_arguments(u, m->dimensions);
    *p = (struct sample_place){0};
    for (unsigned i = 0; i < m->dimensions; i++) {
        const double x = in_texels(s, s->clamp[i], w->v[first + i][lane], m->size[i]);
        const int64_t offset = wt_sign_extend(offsets >> (8 * i) & 63, 6);
        const int64_t fixed =
            (int64_t)floor((x - (linear ? 0.5 : 0)) * 256 + (s->truncates ? 0 : 0.5));
        p->texel[i] = (fixed >> 8) + offset;
        p->weight[i] = linear ? (unsigned)(fixed & 255) : 0;
    }
    if (m->has_layer) {
        float layer;
        memcpy(&layer, &w->v[first + m->dimensions][lane], sizeof layer);
        const double nearest = rint(layer >= 0 ? (double)layer : 0);
        p->layer = nearest < m->layers ? (uint32_t)nearest : m->layers - 1;
    }
}

/* The texel that a number stands for; false: it is the border's. */
static bool address(enum clamp clamp, int64_t texel, uint32_t size, uint32_t *at)
{
    const int64_t n = size;
    if (clamp == WRAP || clamp == MIRROR) {
        const int64_t period = clamp == WRAP ? n : 2 * n;
        texel = (texel % period + period) % period;
        if (texel >= n)
            texel = 2 * n - 1 - texel;
    } else if (texel < 0 && (clamp == MIRROR_ONCE || clamp == MIRROR_ONCE_BORDER)) {
        texel = -1 - texel;
    }
    const bool inside = texel >= 0 && texel < n;
    *at = (uint32_t)(texel < 0 ? 0 : inside ? texel : n - 1);
    return inside || (clamp != BORDER && clamp != MIRROR_ONCE_BORDER);
}

/*
 * Reads a texel for each of the lanes: the one that is `corner` (a bit for each dimension) behind
 * the lane's first one. Lanes whose texel is outside the image are in t->zero. False: a fault;
 * *next is what the handler returns.
 */
static bool read_corner(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_image *m,
                        const struct sampler *s, const struct sample_place *p, uint64_t lanes,
                        unsigned corner, struct gcn_targets *t, uint8_t (*texel)[16],
                        const struct gcn_uop **next)
{
    *t = (struct gcn_targets){.at = u, .lanes = lanes};
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t at[3] = {0, 0, p[lane].layer};
        bool inside = true;
        for (unsigned i = 0; i < m->dimensions; i++)
            inside &=
                address(s->clamp[i], p[lane].texel[i] + (corner >> i & 1), m->size[i], &at[i]);
        if (inside)
            t->addr[lane] = gcn_image_address(m, at);
        else
            t->zero |= (uint64_t)1 << lane;
    }
    return gcn_image_read(w, u, m, t, texel, next);
}

/* The weight of a corner's texel, 0 to 1. */
static double weight_of(const struct sample_place *p, unsigned dimensions, unsigned corner)
{
    double weight = 1;
    for (unsigned i = 0; i < dimensions; i++)
        weight *= (corner >> i & 1 ? p->weight[i] : 256 - p->weight[i]) / 256.0;
    return weight;
}

static double as_double(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static uint32_t rounded(double sum, bool d16)
{
    struct wt_fp fp = {0};
    const float value = (float)sum;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value)
        bits = 0x7fc00000;
    return d16 ? wt_f32_to_f16(bits, &fp) : bits;
}

OP(image_sample)
{
    struct gcn_image m;
    struct sampler s;
    struct sample_place place[GCN_LANES] = {0};
    struct gcn_targets t;
    uint8_t texel[GCN_LANES][16];
    double sum[4][GCN_LANES] = {0};
    const struct gcn_uop *next;
    if (!gcn_image_of(w, u, &m, &next) || !sampler_of(w, u, &m, &s, &next))
        return next;
    const uint64_t exec = gcn_exec(w);
    const unsigned mask = u->dmask ? u->dmask : 1;
    for (uint64_t left = exec; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        find_place(w, u, &m, &s, lane, s.linear, &place[lane]);
    }
    for (unsigned corner = 0; corner < (s.linear ? 1u << m.dimensions : 1); corner++) {
        double weight[GCN_LANES];
        uint64_t lanes = 0;
        for (uint64_t left = exec; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(left);
            weight[lane] = weight_of(&place[lane], m.dimensions, corner);
            lanes |= (uint64_t)(weight[lane] != 0) << lane;
        }
        if (!read_corner(w, u, &m, &s, place, lanes, corner, &t, texel, &next))
            return next;
        for (uint64_t left = s.linear ? lanes : 0; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(left);
            const uint8_t *from = t.zero >> lane & 1 ? NULL : texel[lane];
            for (unsigned c = 0; c < 4; c++)
                sum[c][lane] += weight[lane] * as_double(gcn_image_component(&m, from, c, false));
        }
    }
    for (uint64_t left = exec; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint8_t *from = t.zero >> lane & 1 ? NULL : texel[lane];
        for (unsigned c = 0, i = 0; c < 4; c++)
            if (mask >> c & 1)
                gcn_image_put(w, u, lane, i++,
                              s.linear ? rounded(sum[c][lane], u->d16)
                                       : gcn_image_component(&m, from, c, u->d16));
    }
    return gcn_image_end(w, u);
}

/* One component, the first of DMASK, of the four texels that a linear filter would take. */
OP(image_gather)
{
    /* In this order: below left, below right, above right, above left. */
    static const uint8_t corners[4] = {2, 3, 1, 0};
    struct gcn_image m;
    struct sampler s;
    struct sample_place place[GCN_LANES];
    struct gcn_targets t;
    uint8_t texel[GCN_LANES][16];
    uint32_t value[4][GCN_LANES];
    const struct gcn_uop *next;
    if (!gcn_image_of(w, u, &m, &next) || !sampler_of(w, u, &m, &s, &next))
        return next;
    if (m.dimensions != 2)
        return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                         "%s: of images of %u dimensions it is not executed by this emulator",
                         u->row->name, m.dimensions);
    const uint64_t exec = gcn_exec(w);
    const unsigned component = u->dmask ? (unsigned)__builtin_ctz(u->dmask) : 0;
    for (uint64_t left = exec; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        find_place(w, u, &m, &s, lane, true, &place[lane]);
    }
    for (unsigned i = 0; i < 4; i++) {
        if (!read_corner(w, u, &m, &s, place, exec, corners[i], &t, texel, &next))
            return next;
        for (uint64_t left = exec; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(left);
            value[i][lane] =
                gcn_image_component(&m, t.zero >> lane & 1 ? NULL : texel[lane], component, u->d16);
        }
    }
    for (uint64_t left = exec; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        for (unsigned i = 0; i < 4; i++)
            gcn_image_put(w, u, lane, i, value[i][lane]);
    }
    return gcn_image_end(w, u);
}
