/* Lowers the instructions of textures and surfaces of PTX (manual 9.7.10, 9.7.11). */
#include "emulator/sm/ptx/lower/body.h"
#include "emulator/sm/texture_access.h"

/* The shape that the words say; PTX_SHAPES: none that there is. */
static enum ptx_shape shape_of(const struct ptx_form *f)
{
    static const uint8_t words[] = {PTX_WORD_1d, PTX_WORD_2d, PTX_WORD_3d, PTX_WORD_a1d,
                                    PTX_WORD_a2d};
    unsigned shape = 0;
    while (shape < PTX_SHAPES && !ptx_has(f, (enum ptx_word)words[shape]))
        shape++;
    return (enum ptx_shape)shape;
}

/* A handle of 64 bits, or the name of a .texref or .surfref, which contains one. */
static bool handle(struct body *b, const struct ptx_operand *o, struct ptx_op *record)
{
    uint32_t number;
    if (o->kind == PTX_OPERAND_NAME && !body_find(b, o->name, &number)) {
        const struct ptx_symbol *s = ptx_find_symbol(b->l, b->module, o->name);
        if (s && s->variable && s->variable->type != PTX_TEXREF && s->variable->type != PTX_SURFREF)
            return body_fail_at(b, o, "'%.*s' is not a texture or surface", (int)o->name.length,
                                o->name.at);
        record->space = s ? PTX_SPACE_GLOBAL : PTX_SPACE_NONE;
    }
    return body_source(b, o, PTX_U64, &record->s[0]);
}

/* [handle, {coordinates}]; of three dimensions and of layered ones a vector may have one more. */
static bool place(struct body *b, const struct ptx_operand *memory, enum ptx_shape shape,
                  enum ptx_type type, struct ptx_op *record)
{
    static const uint8_t wanted[] = {
        [PTX_1D] = 1, [PTX_2D] = 2, [PTX_3D] = 3, [PTX_A1D] = 2, [PTX_A2D] = 3};
    if (memory->kind != PTX_OPERAND_MEMORY)
        return body_unsupported(b);
    if (memory->count == 3)
        return body_fail_at(b, memory, "a sampler of its own: .texmode_independent is not there");
    if (memory->count != 2)
        return body_fail_at(b, memory, "a handle and coordinates are wanted");
    if (!handle(b, body_item(b, memory, 0), record))
        return false;
    const struct ptx_operand *at = body_item(b, memory, 1);
    const unsigned count = at->kind == PTX_OPERAND_VECTOR ? at->count : 1;
    const bool padded = wanted[shape] == 3 && count == 4;
    if (count != wanted[shape] && !padded)
        return body_fail_at(b, at, "%u coordinates; the shape has %u", count, wanted[shape]);
    record->how = (uint8_t)shape;
    for (unsigned i = 0; i < 3; i++) {
        const struct ptx_operand *one = at->kind == PTX_OPERAND_VECTOR ? body_item(b, at, i) : at;
        const bool layer = i == 0 && (shape == PTX_A1D || shape == PTX_A2D);
        if (i >= wanted[shape] ? !body_constant(b, PTX_U32, 0, &record->s[1 + i])
                               : !body_source(b, one, layer ? PTX_U32 : type, &record->s[1 + i]))
            return false;
    }
    return true;
}

/* The destinations of a load of textures: four. */
static bool four_registers(struct body *b, const struct ptx_operand *to, struct ptx_op *record)
{
    if (to->kind != PTX_OPERAND_VECTOR || to->count != 4)
        return body_fail_at(b, to, "four registers are wanted");
    for (unsigned i = 0; i < 4; i++)
        if (!body_optional_destination(b, body_item(b, to, i), PTX_B32, &record->vector[i]))
            return false;
    return true;
}

/* The level, or the gradients, behind the coordinates: numbers in rows that follow each other from
 * record->d2 on, of which there are record->size. */
static bool level(struct body *b, enum ptx_shape shape, enum ptx_type type, struct ptx_op *record)
{
    const bool gradients = ptx_has(&b->form, PTX_WORD_grad);
    const unsigned dimensions = shape == PTX_3D ? 3 : shape == PTX_2D || shape == PTX_A2D ? 2 : 1;
    const unsigned each = gradients ? dimensions : 1;
    if (!gradients && !ptx_has(&b->form, PTX_WORD_level))
        return true;
    if (gradients && type != PTX_F32)
        return body_unsupported(b);
    record->size = (uint8_t)(gradients ? 2 * each : 1);
    record->is_signed = type == PTX_S32;
    record->d2 = body_take_rows(b, record->size);
    for (unsigned i = 0; i < record->size; i++) {
        const struct ptx_operand *o = body_operand(b, 2 + i / each);
        const unsigned count = o->kind == PTX_OPERAND_VECTOR ? o->count : 1;
        struct ptx_op move = body_blank();
        move.d = record->d2 + i * PTX_ROW_BYTES;
        if (count != each && !(each == 3 && count == 4))
            return body_fail_at(b, o, "%u numbers are wanted", each);
        if (!body_source(b, o->kind == PTX_OPERAND_VECTOR ? body_item(b, o, i % each) : o, type,
                         &move.s[0]) ||
            !body_put_record(b, ptx_integer(PTX_OP_mov, PTX_B32), &move))
            return false;
    }
    return !body_too_large(b);
}

bool ptx_lower_texture(struct body *b, enum ptx_math op)
{
    static const uint8_t components[] = {PTX_WORD_r, PTX_WORD_g, PTX_WORD_b, PTX_WORD_a};
    const struct ptx_form *f = &b->form;
    const bool gathers = op == PTX_OP_add; /* tld4 */
    const enum ptx_shape shape = shape_of(f);
    const enum ptx_type to = f->type[0], from = f->type[1];
    const unsigned more = ptx_has(f, PTX_WORD_level) ? 1 : ptx_has(f, PTX_WORD_grad) ? 2 : 0;
    struct ptx_op record = body_blank();
    if (shape == PTX_SHAPES || f->vector != 4 || f->type_count != 2 ||
        (to != PTX_U32 && to != PTX_S32 && to != PTX_F32) ||
        (from != PTX_F32 && (from != PTX_S32 || gathers)) || (gathers && shape != PTX_2D))
        return body_unsupported(b);
    if (body_operand_count(b) != 2 + more)
        return body_fail(b, "an operand too %s", body_operand_count(b) < 2 + more ? "few" : "many");
    for (unsigned i = 0; gathers && i < 4; i++)
        if (ptx_has(f, (enum ptx_word)components[i]))
            record.combine = (uint8_t)(i + 1);
    if (gathers && !record.combine)
        return body_unsupported(b);
    record.flag = from == PTX_S32;
    record.count = 4;
    return level(b, shape, from, &record) && four_registers(b, body_operand(b, 0), &record) &&
           place(b, body_operand(b, 1), shape, from, &record) &&
           body_put_record(b, ptx_op_texture, &record);
}

bool ptx_lower_texture_query(struct body *b, enum ptx_math op)
{
    static const uint8_t words[] = {PTX_WORD_width, PTX_WORD_height, PTX_WORD_depth,
                                    PTX_WORD_array_size};
    const struct ptx_operand *what = body_operand(b, 1);
    struct ptx_op record = body_blank();
    unsigned which = 0;
    while (which < sizeof words && !ptx_has(&b->form, (enum ptx_word)words[which]))
        which++;
    if (which == sizeof words || b->form.type[0] != PTX_B32 || body_operand_count(b) != 2 ||
        what->kind != PTX_OPERAND_MEMORY || what->count != 1)
        return body_unsupported(b);
    record.how = (uint8_t)which;
    return body_destination(b, body_operand(b, 0), PTX_B32, &record.d) &&
           handle(b, body_item(b, what, 0), &record) &&
           body_put_record(b, ptx_op_texture_query, &record);
}

/* suld.b, sust.b: bits of elements, as they are in memory. sust.p: components, which become what
 * the surface's format has; LLVM gives them 8 and 16 bits, too. */
bool ptx_lower_surface(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const bool stores = op == PTX_OP_add;
    const enum ptx_shape shape = shape_of(f);
    const enum ptx_type t = f->type[0];
    struct ptx_op record = body_blank();
    const bool formatted = stores && ptx_has(f, PTX_WORD_p);
    const bool bits = t == PTX_B8 || t == PTX_B16 || t == PTX_B32;
    if (shape == PTX_SHAPES || formatted == ptx_has(f, PTX_WORD_b) || f->type_count != 1 ||
        !(bits || (formatted ? t == PTX_U32 || t == PTX_S32 || t == PTX_F32 : t == PTX_B64)) ||
        f->vector * ptx_type_bytes(t) > 16 || body_operand_count(b) != 2)
        return body_unsupported(b);
    const struct ptx_operand *values = body_operand(b, stores ? 1 : 0);
    record.combine = ptx_has(f, PTX_WORD_clamp)  ? SM_SURFACE_CLAMP
                     : ptx_has(f, PTX_WORD_zero) ? SM_SURFACE_ZERO
                                                 : SM_SURFACE_TRAP;
    record.flag = formatted;
    record.type = (uint8_t)t;
    record.size = (uint8_t)ptx_type_bytes(t);
    record.count = f->vector;
    record.element = (uint8_t)(record.size * f->vector);
    const unsigned count = values->kind == PTX_OPERAND_VECTOR ? values->count : 1;
    if (count != f->vector)
        return body_fail_at(b, values, "a vector of %u elements is wanted", f->vector);
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand *one =
            values->kind == PTX_OPERAND_VECTOR ? body_item(b, values, i) : values;
        struct ptx_source s = {0};
        if (stores ? !body_source(b, one, t, &s)
                   : !body_optional_destination(b, one, t, &record.vector[i]))
            return false;
        if (stores) {
            record.vector[i] = s.slot;
            record.vector_constant[i] = s.constant;
        }
    }
    return place(b, body_operand(b, stores ? 0 : 1), shape, PTX_U32, &record) &&
           body_put_record(b, stores ? ptx_op_surface_store : ptx_op_surface_load, &record);
}
