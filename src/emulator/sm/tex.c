/*
 * Textures in machine code. What they compute is in texture.c. Which registers have which operand:
 * nouveau's compiler for GM107 (Mesa, MIT): in A layer and coordinates; in B the handle of .B,
 * sample, level, offsets, depth. TXD has the handle first in A and offsets above its layer. TEXS,
 * TLDS and TLD4S put the same list into A and B one or two at a time.
 */
#include <string.h>

#include "emulator/sm/texture_access.h"

#define MOST_OPERANDS 10 /* of the list in place_operands */

/* The fields of an instruction, and the registers of its operands; 255: it has no such operand. */
struct form {
    unsigned dimensions;
    bool layered, cube, whole, gathers, scalar;
    bool level, sample, depth, bindless, aoffi, four_offsets;
    uint8_t layer, coordinate[3], handle, offset[2];
    unsigned component;      /* TLD4: which one */
    uint8_t to[4], to_count; /* destination registers of the components ... */
    uint8_t of[4];           /* ... in `of` */
};

static const char *name_of(uint64_t word, enum sm_field_id field, size_t *length)
{
    const char *name = sm_field_name(&sm_fields[field], sm_field_value(word, field), length);
    assert(name); /* a decoded word has legal fields */
    return name;
}

static bool says(uint64_t word, enum sm_field_id field, const char *modifier)
{
    size_t length;
    const char *name = name_of(word, field, &length);
    const char *at = memmem(name, length, modifier, strlen(modifier));
    return at != NULL;
}

static void shape_of(struct form *f, uint64_t word, enum sm_field_id field)
{
    size_t length;
    const char *name = name_of(word, field, &length);
    f->layered = strncmp(name, "ARRAY_", 6) == 0;
    name += f->layered ? 6 : 0;
    f->cube = *name == 'C';
    f->dimensions = *name == '1' ? 1 : *name == '2' ? 2 : 3;
}

static enum sm_field_id lod_field(enum sm_insn insn)
{
    switch (insn) {
    case SM_TEX:
        return SM_F_texl55;
    case SM_TEX_B:
        return SM_F_texl37;
    case SM_TEXS:
        return SM_F_texs53;
    case SM_TLDS:
        return SM_F_tlds53;
    case SM_TLD:
    case SM_TLD_B:
        return SM_F_tldl55;
    default:
        return SM_FIELDS; /* no level */
    }
}

/* The modifiers. */
static void read_modifiers(struct form *f, uint64_t word, enum sm_insn insn)
{
    const enum sm_field_id lod = lod_field(insn);
    f->bindless = insn == SM_TEX_B || insn == SM_TLD_B || insn == SM_TLD4_B || insn == SM_TXD_B;
    f->scalar = insn == SM_TEXS || insn == SM_TLDS || insn == SM_TLD4S;
    f->whole = insn == SM_TLD || insn == SM_TLD_B || insn == SM_TLDS;
    f->gathers = insn == SM_TLD4 || insn == SM_TLD4_B || insn == SM_TLD4S;
    /* .LB and .LBA are a bias of the level */
    f->level = lod != SM_FIELDS && (says(word, lod, "LL") || says(word, lod, "LB"));
    if (insn == SM_TEXS || insn == SM_TLDS) {
        f->depth = says(word, lod, "DC");
        f->aoffi = says(word, lod, "AOFFI");
        f->sample = says(word, lod, "MZ");
        shape_of(f, word, insn == SM_TEXS ? SM_F_texsd53 : SM_F_tldsd53);
        return;
    }
    if (insn == SM_TLD4S) {
        f->component = SM_FIELD(word, comp52);
        f->aoffi = SM_FIELD(word, aoffi51);
        f->depth = SM_FIELD(word, dc50);
        f->dimensions = 2;
        return;
    }
    shape_of(f, word, SM_F_tdim28);
    if (f->gathers) {
        const unsigned offsets =
            insn == SM_TLD4 ? SM_FIELD(word, tld4o54) : SM_FIELD(word, tld4o36);
        f->component = insn == SM_TLD4 ? SM_FIELD(word, comp56) : SM_FIELD(word, comp38);
        f->aoffi = offsets == 1;
        f->four_offsets = offsets == 2;
    } else {
        f->aoffi = insn == SM_TEX     ? SM_FIELD(word, aoffi54)
                   : insn == SM_TEX_B ? SM_FIELD(word, aoffi36)
                                      : SM_FIELD(word, aoffi35);
    }
    f->sample = f->whole && SM_FIELD(word, ms50);
    f->depth = !f->whole && insn != SM_TXD && insn != SM_TXD_B && SM_FIELD(word, dc50);
}

/* The registers of operands, which follow each other in the order of the list. */
static void place_operands(struct form *f, uint8_t a, uint8_t b)
{
    uint8_t *list[MOST_OPERANDS], unused;
    unsigned count = 0, in_a;
    const unsigned offsets = f->four_offsets ? 2 : f->aoffi;
    if (f->layered)
        list[count++] = &f->layer;
    for (unsigned i = 0; i < 3 && i < f->dimensions; i++)
        list[count++] = &f->coordinate[i];
    in_a = count;
    if (f->bindless)
        list[count++] = &f->handle;
    if (f->sample && !f->scalar)
        list[count++] = &unused;
    if (f->level)
        list[count++] = &unused;
    for (unsigned i = 0; i < offsets; i++)
        list[count++] = &f->offset[i];
    if (f->scalar) {
        count += f->depth;
        in_a = count > 2 ? 2 : 1;
        if (f->whole && f->layered) /* TLDS.2D of layers: the layer is alone */
            in_a = 1;
    }
    for (unsigned i = 0; i < count && i < MOST_OPERANDS; i++) {
        const uint8_t first = i < in_a ? a : b;
        const unsigned n = i < in_a ? i : i - in_a;
        if (!f->scalar || !f->depth || i + 1 < count)
            *list[i] = (uint8_t)(first == SM_RZ || first + n >= SM_RZ ? SM_RZ : first + n);
    }
}

/* TXD: [handle] coordinates, layer with offsets above it. */
static void place_gradient_operands(struct form *f, uint8_t a)
{
    unsigned n = a;
    if (f->bindless)
        f->handle = (uint8_t)n++;
    for (unsigned i = 0; i < 3 && i < f->dimensions; i++)
        f->coordinate[i] = (uint8_t)(n < SM_RZ ? n++ : SM_RZ);
    f->layer = f->offset[0] = (uint8_t)(n < SM_RZ ? n : SM_RZ);
}

static void add_component(struct form *f, unsigned c)
{
    if (f->to_count < 4)
        f->of[f->to_count++] = (uint8_t)c;
}

/* Where the components go. */
static void place_results(struct form *f, uint64_t word, enum sm_insn insn, uint8_t d)
{
    const uint8_t second = (uint8_t)sm_bits(word, 28, 8);
    size_t length;
    if (!f->scalar) {
        for (unsigned c = 0; c < 4; c++)
            if (word >> (31 + c) & 1)
                add_component(f, c);
    } else if (insn == SM_TLD4S) {
        for (unsigned c = 0; c < (second == SM_RZ ? 2 : 4); c++)
            add_component(f, c);
    } else {
        const char *name = name_of(word, sm_components(word), &length);
        for (size_t i = 0; i < length; i++)
            add_component(f, name[i] == 'R' ? 0 : name[i] == 'G' ? 1 : name[i] == 'B' ? 2 : 3);
    }
    for (unsigned i = 0; i < 4 && i < f->to_count; i++) {
        const unsigned first = f->scalar && i >= 2 ? second : d, n = f->scalar ? i % 2 : i;
        f->to[i] = (uint8_t)(first + n < SM_RZ ? first + n : SM_RZ);
    }
}

static struct form form_of(const struct sm_uop *u)
{
    const enum sm_insn insn = (enum sm_insn)u->insn;
    struct form f = {.layer = SM_RZ,
                     .coordinate = {SM_RZ, SM_RZ, SM_RZ},
                     .handle = SM_RZ,
                     .offset = {SM_RZ, SM_RZ}};
    read_modifiers(&f, u->word, insn);
    if (insn == SM_TXD || insn == SM_TXD_B)
        place_gradient_operands(&f, u->a);
    else
        place_operands(&f, u->a, u->b);
    place_results(&f, u->word, insn, u->d);
    return f;
}

static const struct sm_uop *not_there(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes,
                                      const char *what)
{
    return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, lanes, 0, "textures have no %s here", what);
}

bool sm_texture_handle(struct sm_texture_lane *r, bool bindless, uint8_t reg, uint64_t *handle)
{
    uint32_t value;
    if (bindless) {
        *handle = r->w->r[reg][r->lane];
        return true;
    }
    const uint32_t at = (uint32_t)sm_bits(r->u->word, 36, 13) * 4;
    if (sm_constant(r->w, 0, at, &value)) {
        *handle = value;
        return true;
    }
    r->next = sm_error(r->w, r->u, SM_INVALID_CONST_ADDR, 1u << r->lane, at,
                       "there is no constant at c[0x0][0x%x]", at);
    return false;
}

static int8_t part_of(uint32_t bits, unsigned pos, unsigned width)
{
    return (int8_t)wt_sign_extend(bits >> pos, width);
}

/* The offsets of TEX and TLD have 4 bits each, those of TLD4 8. */
static void set_offsets(const struct form *f, uint32_t bits, struct sm_texture_coordinates *at)
{
    for (unsigned i = 0; i < 3; i++)
        at->offset[i] = !f->gathers ? part_of(bits, 4 * i, 4) : i < 2 ? part_of(bits, 8 * i, 8) : 0;
}

/* Four texels, one for each result; .PTP has an offset for each. */
static bool gather(const struct form *f, const struct sm_texture *t, struct sm_texture_lane *r,
                   struct sm_texture_coordinates *at, uint32_t result[4])
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
        result[n] = all[3]; /* of the texel at (0,0): the offset says which one */
    }
    return true;
}

static bool sample(const struct form *f, struct sm_texture_lane *r, struct sm_texture_found *found,
                   uint32_t result[4])
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
    const struct form f = form_of(u);
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
        memcpy(answer[r.lane], (uint32_t[]){t->width, t->height, t->depth, 1}, sizeof answer[0]);
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
