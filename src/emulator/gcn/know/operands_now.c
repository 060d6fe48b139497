/* The operands that registers of a wave choose: s_movrel, indexed vector registers, VSKIP. */
#include <string.h>

#include "emulator/gcn/memory/image.h"
#include "emulator/gcn/internal.h"
#include "emulator/gcn/know/operands.h"

static void put_scalars(struct wt_insn_operands *o, int number, unsigned count, bool writes)
{
    if (number >= 0)
        wt_operands_add(o, (struct wt_insn_operand){.kind = WT_OPERAND_SCALAR,
                                                    .reads = !writes,
                                                    .writes = writes,
                                                    .file = GCN_FILE_S,
                                                    .bits = (uint16_t)(32 * count),
                                                    .number = (uint32_t)number});
}

static void put_aside(struct wt_insn_operands *o, enum gcn_file file, unsigned number)
{
    wt_operands_add(o, (struct wt_insn_operand){.kind = WT_OPERAND_SCALAR,
                                                .reads = true,
                                                .aside = true,
                                                .file = (uint8_t)file,
                                                .bits = file == GCN_FILE_S ? 32 : 0,
                                                .number = number});
}

/* s_movrels, s_movreld: instead of some scalar register the one that M0 names. */
static void resolve_relative(const struct gcn_uop *u, const struct gcn_wave *w,
                             struct wt_insn_operands *o)
{
    const bool writes = !strncmp(u->row->name, "s_movreld", 9);
    const unsigned count = u->row->operands[0] == 'U' ? 2 : 1;
    unsigned kept = 0;
    int named, other;
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].file != GCN_FILE_STATE || o->list[i].number != GCN_STATE_RELATIVE)
            o->list[kept++] = o->list[i];
    o->count = kept;
    gcn_relative(w, writes ? u->dst : u->src[0], count, &named, &other);
    put_scalars(o, named, count, writes);
    put_scalars(o, other, count, writes);
}

static bool is_vector(const struct gcn_uop *u)
{
    return u->row->encoding >= GCN_VOP2;
}

/* VGPR indexing (section 6.4), of arithmetic; matrices have none. */
static bool is_indexed(const struct gcn_uop *u, const struct gcn_wave *w)
{
    return w->mode & GCN_MODE_GPR_IDX_EN && is_vector(u) && u->row->encoding <= GCN_VOP3P &&
           u->row != &gcn_rows[GCN_I_v_writelane_b32] && u->row != &gcn_rows[GCN_I_v_swap_b32] &&
           u->path != GCN_PATH_MATRIX;
}

/* Whether each register of data has a copy of one component of a texel, which begins with byte
 * offset[i] of it (NOWHERE: it is a constant). *element: bytes of a component, or of the texel
 * where each register may depend on all of it. */
enum { COMPONENTS = 4, NOWHERE = 0xff };
static bool copies_texels(const struct gcn_uop *u, const struct gcn_wave *w, uint8_t *element,
                          bool *converts, uint8_t offset[static COMPONENTS])
{
    const uint32_t *r = &w->s[u->base];
    const char access = u->row->operands[0], kind = u->row->operands[1];
    const struct gcn_format *f = gcn_format_of(r[1] >> 20 & 63);
    const unsigned mask = u->dmask ? u->dmask : 1, nfmt = r[1] >> 26 & 15;
    const bool packed =
        f->components && (f->bits[0] != f->bits[f->components - 1] || f->bits[0] % 8);
    unsigned i = 0, given = 0;
    if (access == 'a' || kind == 'q' || kind == 'g' || u->d16 || u->tfe || !f->components ||
        (kind == 's' && (w->s[u->sampler + 2] >> 20 & 3) == 1) || (packed && access != 'r'))
        return false;
    *element = packed ? f->bytes : f->bits[0] / 8;
    *converts = packed || (nfmt != GCN_UINT && nfmt != GCN_SINT && f->bits[0] != 32);
    for (unsigned c = 0; c < COMPONENTS; c++) {
        const unsigned component = (r[3] >> (3 * c) & 7) - 4u;
        if (!(mask >> c & 1))
            continue;
        const bool has = component < f->components && !(access == 'w' && given >> component & 1);
        offset[i++] = !has ? NOWHERE : packed ? 0 : (uint8_t)(component * *element);
        given |= has ? 1u << component : 0;
    }
    return true;
}

/* Each register of data is told apart. */
static void part_data(const struct gcn_uop *u, const struct gcn_wave *w, struct wt_insn_operands *o)
{
    const unsigned nfmt = w->s[u->base + 1] >> 26 & 15;
    const bool loads = u->row->operands[0] == 'r';
    const struct wt_insn_operands whole = *o;
    uint8_t offset[COMPONENTS];
    bool converts = false;
    if (!copies_texels(u, w, &o->element, &converts, offset))
        return;
    o->then = converts ? WT_DOES_UNTOLD : WT_DOES_OTHER;
    o->count = 0;
    for (unsigned i = 0; i < whole.count; i++) {
        struct wt_insn_operand one = whole.list[i];
        if (one.kind != WT_OPERAND_ROW || one.aside) {
            wt_operands_add(o, one);
            continue;
        }
        one.bits = 32;
        for (unsigned k = 0; k < u->size; k++, one.number++) {
            one.value = offset[k];
            wt_operands_add(o, one);
        }
    }
    o->operation = !loads ? WT_DOES_STORE : nfmt == GCN_SINT ? WT_DOES_LOAD_SIGNED : WT_DOES_LOAD;
}

/* As many coordinates as the image has. */
static void resolve_image(const struct gcn_uop *u, const struct gcn_wave *w,
                          struct wt_insn_operands *o)
{
    const uint32_t *resource = &w->s[u->base];
    o->count = 0;
    gcn_put_image(o, u, gcn_image_dimensions(resource),
                  gcn_image_dimensions(resource) + gcn_image_has_layer(u, resource));
    part_data(u, w, o);
    o->indirect = true;
}

bool gcn_operands_now(const struct gcn_uop *u, const struct gcn_wave *w, struct wt_insn_operands *o)
{
    struct gcn_uop chosen = *u;
    const uint32_t m0 = w->s[GCN_M0];
    if (!u->row)
        return gcn_operands(u, o);
    const bool indexed = is_indexed(u, w);
    for (unsigned i = 0; indexed && i < 3; i++)
        if (u->src[i] >= GCN_VGPR && m0 >> (12 + i) & 1)
            chosen.src[i] = (uint16_t)(u->src[i] + (m0 & 0xff));
    if (indexed && m0 >> 15 & 1 && u->row->operands[0] != 'S')
        chosen.dst = (uint16_t)(u->dst + (m0 & 0xff));
    if (!gcn_operands(&chosen, o))
        return false;
    bool has_vectors = false;
    for (unsigned i = 0; i < o->count; i++)
        has_vectors |= o->list[i].kind == WT_OPERAND_ROW;
    if (indexed && has_vectors) {
        o->indirect = true;
        put_aside(o, GCN_FILE_S, GCN_M0);
        put_aside(o, GCN_FILE_STATE, GCN_STATE_MODE);
    }
    if (!strncmp(u->row->name, "s_movrel", 8)) {
        resolve_relative(u, w, o);
        o->indirect = true;
    }
    if (u->row->encoding == GCN_MIMG)
        resolve_image(u, w, o);
    if (w->mode & GCN_MODE_VSKIP && is_vector(u) && o->count) { /* it is skipped */
        o->count = 0;
        o->indirect = true;
        put_aside(o, GCN_FILE_STATE, GCN_STATE_MODE);
    }
    return true;
}
