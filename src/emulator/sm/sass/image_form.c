/*
 * The registers of instructions on textures and surfaces. Which have which operand: nouveau's
 * compiler for GM107 (Mesa, MIT): in A layer and coordinates; in B the handle of .B, sample, level,
 * offsets, depth. TXD has the handle first in A and offsets above its layer. TEXS, TLDS and TLD4S
 * put the same list into A and B one or two at a time. Of surfaces the registers of A have the
 * coordinates, then the layer; C has the handle, or it is in constant bank 0 as for textures.
 */
#include "emulator/sm/sass/image_form.h"

#include <assert.h>
#include <string.h>

uint8_t sm_register_behind(unsigned first, unsigned n)
{
    return (uint8_t)(first + n < SM_RZ ? first + n : SM_RZ);
}

/* ---- textures ---- */

#define MOST_OPERANDS 10 /* in the list of place_operands */

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

static void shape_of(struct sm_texture_form *f, uint64_t word, enum sm_field_id field)
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
static void read_modifiers(struct sm_texture_form *f, uint64_t word, enum sm_insn insn)
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
static void place_operands(struct sm_texture_form *f, uint8_t a, uint8_t b)
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
            *list[i] = sm_register_behind(first, n);
    }
}

/* TXD: [handle] coordinates, layer with offsets above it. */
static void place_gradient_operands(struct sm_texture_form *f, uint8_t a)
{
    unsigned n = 0;
    if (f->bindless)
        f->handle = sm_register_behind(a, n++);
    for (unsigned i = 0; i < 3 && i < f->dimensions; i++)
        f->coordinate[i] = sm_register_behind(a, n++);
    f->layer = f->offset[0] = sm_register_behind(a, n);
}

static void add_component(struct sm_texture_form *f, unsigned c)
{
    if (f->to_count < 4)
        f->of[f->to_count++] = (uint8_t)c;
}

/* Where the components go. */
static void place_results(struct sm_texture_form *f, uint64_t word, enum sm_insn insn, uint8_t d)
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
        f->to[i] = sm_register_behind(first, n);
    }
}

struct sm_texture_form sm_texture_form_of(const struct sm_uop *u)
{
    const enum sm_insn insn = (enum sm_insn)u->insn;
    struct sm_texture_form f = {.layer = SM_RZ,
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

struct sm_image_operands sm_texture_operands(const struct sm_uop *u)
{
    struct sm_image_operands o = {.values = 0};
    if (u->insn == SM_TXQ || u->insn == SM_TXQ_B) {
        for (unsigned c = 0; c < 4; c++)
            if (u->word >> (31 + c) & 1 && u->d + o.values < SM_RZ) {
                o.value[o.values] = (uint8_t)(u->d + o.values);
                o.values++;
            }
        o.bound = u->insn == SM_TXQ;
        o.place[o.places++] = o.bound ? SM_RZ : u->a;
        return o;
    }
    const struct sm_texture_form f = sm_texture_form_of(u);
    const uint8_t place[] = {f.layered ? f.layer : SM_RZ,
                             f.bindless ? f.handle : SM_RZ,
                             f.aoffi || f.four_offsets ? f.offset[0] : SM_RZ,
                             f.four_offsets ? f.offset[1] : SM_RZ,
                             f.coordinate[0],
                             f.coordinate[1],
                             f.coordinate[2]};
    o.bound = !f.bindless;
    for (unsigned i = 0; i < f.to_count; i++)
        o.value[o.values++] = f.to[i];
    for (unsigned i = 0; i < sizeof place; i++)
        o.place[o.places++] = place[i];
    return o;
}

/* ---- surfaces ---- */

enum { SHAPE_BUFFER = 1, SHAPE_1D_ARRAY, SHAPE_2D, SHAPE_2D_ARRAY, SHAPE_3D };

struct sm_surface_form sm_surface_form_of(const struct sm_uop *u)
{
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 8, 16};
    static const enum sm_surface_outside outsides[] = {SM_SURFACE_ZERO, SM_SURFACE_CLAMP,
                                                       SM_SURFACE_TRAP};
    const unsigned shape = SM_FIELD(u->word, sudim33);
    const bool bits =
        u->insn == SM_SULD || u->insn == SM_SULD_I || u->insn == SM_SUST || u->insn == SM_SUST_I;
    const unsigned size = bits ? SM_FIELD(u->word, susz20) : 0;
    return (struct sm_surface_form){.dimensions = shape == SHAPE_3D ? 3
                                                  : shape == SHAPE_2D || shape == SHAPE_2D_ARRAY
                                                      ? 2
                                                      : 1,
                                    .layered = shape == SHAPE_1D_ARRAY || shape == SHAPE_2D_ARRAY,
                                    .size = sizes[size],
                                    .is_signed = size == 1 || size == 3,
                                    .bytes = bits && SM_FIELD(u->word, suba23),
                                    .components = bits ? 0 : SM_FIELD(u->word, sumask20),
                                    .immediate = sm_bit(u->word, 51),
                                    .outside = outsides[SM_FIELD(u->word, suclamp49)]};
}

struct sm_image_operands sm_surface_operands(const struct sm_uop *u)
{
    const struct sm_surface_form f = sm_surface_form_of(u);
    struct sm_image_operands o = {.bound = f.immediate, .bits = 32};
    o.values = f.components ? (unsigned)__builtin_popcount(f.components) : (f.size + 3) / 4;
    assert(o.values <= sizeof o.value);
    if (!f.components && f.size < 4)
        o.bits = 8 * f.size;
    for (unsigned i = 0; i < o.values; i++)
        o.value[i] = sm_register_behind(u->d, i);
    for (unsigned i = 0; i < f.dimensions + f.layered; i++)
        o.place[o.places++] = sm_register_behind(u->a, i);
    if (!f.immediate)
        o.place[o.places++] = (uint8_t)sm_bits(u->word, 39, 8);
    return o;
}
