/* Lowers moves and conversions of PTX. */
#include "emulator/sm/ptx/lower/body.h"

#include <string.h>

static bool pack(struct body *b, const struct ptx_operand *vector, enum ptx_type t)
{
    const unsigned count = body_elements_of(b, vector),
                   size = count ? ptx_type_bytes(t) / count : 0;
    const enum ptx_type element = size == 4 ? PTX_B32 : PTX_B16;
    struct ptx_source s[4] = {{0}};
    uint32_t d;
    if ((count != 2 && count != 4) || (size != 4 && size != 2 && size != 1))
        return body_unsupported(b);
    if (!body_destination(b, body_operand(b, 0), t, &d))
        return false;
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand one = body_element_of(b, vector, i);
        if (!body_source(b, &one, element, &s[i]))
            return false;
    }
    struct ptx_op *o = body_emit_guarded(b, ptx_op_pack);
    if (!o)
        return false;
    o->d = d;
    o->element = (uint8_t)ptx_type_class(t);
    o->size = (uint8_t)size;
    o->count = (uint8_t)count;
    for (unsigned i = 0; i < count; i++) {
        o->vector[i] = s[i].slot;
        o->vector_constant[i] = s[i].constant;
    }
    return true;
}

static bool unpack(struct body *b, const struct ptx_operand *vector, enum ptx_type t)
{
    const unsigned count = body_elements_of(b, vector),
                   size = count ? ptx_type_bytes(t) / count : 0;
    struct ptx_source s = {0};
    uint32_t d[4];
    if ((count != 2 && count != 4) || (size != 4 && size != 2 && size != 1))
        return body_unsupported(b);
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand one = body_element_of(b, vector, i);
        if (!body_optional_destination(b, &one, size == 4 ? PTX_B32 : PTX_B16, &d[i]))
            return false;
    }
    if (!body_source(b, body_operand(b, 1), t, &s))
        return false;
    struct ptx_op *o = body_emit_guarded(b, ptx_op_unpack);
    if (!o)
        return false;
    o->s[0] = s;
    o->element = (uint8_t)ptx_type_class(t);
    o->size = (uint8_t)size;
    o->count = (uint8_t)count;
    memcpy(o->vector, d, count * sizeof *d);
    return true;
}

static bool move_one(struct body *b, uint32_t d, const struct ptx_source *s, enum ptx_type t)
{
    struct ptx_op *o = body_emit_guarded(b, ptx_integer(PTX_OP_mov, t));
    if (!o)
        return false;
    o->d = d;
    o->s[0] = *s;
    return true;
}

/* mov.v2.u32 %v, {a, b} and {a, b}, %v: registers declared as vectors (GCC), and lists. All
 * elements are read before one is written. */
static bool move_vector(struct body *b, enum ptx_type t)
{
    const struct ptx_operand *to = body_operand(b, 0), *what = body_operand(b, 1);
    const unsigned count = b->form.vector;
    struct ptx_source s[4] = {{0}};
    uint32_t d[4];
    for (unsigned n = 0; n < 2; n++) {
        const struct ptx_operand *o = body_operand(b, n);
        if (body_elements_of(b, o) != count)
            return o->kind == PTX_OPERAND_VECTOR
                       ? body_fail(b, "a vector of %u elements", o->count)
                       : body_fail(b, "'%.*s' is not a vector of %u", (int)o->name.length,
                                   o->name.at, count);
        if (o->offset)
            return body_fail(b, "a vector with an offset");
    }
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand from = body_element_of(b, what, i),
                                 into = body_element_of(b, to, i);
        if (!body_source(b, &from, t, &s[i]) || !body_optional_destination(b, &into, t, &d[i]))
            return false;
    }
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = i + 1; k < count; k++)
            if (!s[k].constant && s[k].slot == d[i]) {
                const uint32_t kept = body_temporary(b, ptx_type_class(t));
                if (!move_one(b, kept, &s[k], t))
                    return false;
                s[k].slot = kept;
            }
    for (unsigned i = 0; i < count; i++)
        if (d[i] != NONE && !move_one(b, d[i], &s[i], t))
            return false;
    return true;
}

bool ptx_lower_move(struct body *b, enum ptx_math op)
{
    const enum ptx_type t = b->form.type[0];
    uint32_t d;
    struct ptx_source s = {0};
    if (b->form.type_count != 1)
        return body_unsupported(b);
    if (t == PTX_PRED)
        return body_predicate_logic(b, TABLE_FIRST);
    if (!ptx_integer(PTX_OP_mov, t))
        return body_unsupported(b);
    if (b->form.vector > 1)
        return move_vector(b, t);
    if (body_elements_of(b, body_operand(b, 1)))
        return pack(b, body_operand(b, 1), t);
    if (body_elements_of(b, body_operand(b, 0)))
        return unpack(b, body_operand(b, 0), t);
    if (!body_destination(b, body_operand(b, 0), t, &d) ||
        !body_source(b, body_operand(b, 1), t, &s))
        return false;
    return move_one(b, d, &s, t);
}

bool ptx_lower_convert(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const enum ptx_type to = f->type[0], from = f->type[1];
    uint32_t d;
    struct ptx_source s[2] = {{0}};
    unsigned to_bytes = ptx_type_class(to), from_bytes = ptx_type_class(from);
    if (f->fields & FREE) /* a word that other conversions do not have */
        return ptx_lower_pack(b);
    const bool pair = to == PTX_F16X2 || to == PTX_BF16X2;
    const ptx_words known = ptx_word_bit(PTX_WORD_relu) | ptx_word_bit(PTX_WORD_satfinite);
    const bool relu = ptx_has(f, PTX_WORD_relu), finite = ptx_has(f, PTX_WORD_satfinite);
    const bool has_relu = from == PTX_F32 && (pair || to == PTX_F16 || to == PTX_BF16);
    if (f->words && (f->words & ~known || !has_relu))
        return body_unsupported(b);
    if (f->type_count != 2 || to == PTX_PRED || from == PTX_PRED || from == PTX_F16X2 ||
        from == PTX_BF16X2 || (pair && (from != PTX_F32 || body_operand_count(b) != 3)))
        return body_unsupported(b);
    const struct ptx_operand *source_operand = body_operand(b, 1);
    uint32_t number;
    const struct ptx_entry *e = source_operand->kind == PTX_OPERAND_NAME
                                    ? body_find(b, source_operand->name, &number)
                                    : NULL;
    if (body_operand(b, 0)->kind == PTX_OPERAND_SINK)
        d = body_dump(b);
    else if (!body_loose_register(b, body_operand(b, 0), to, &d, &to_bytes))
        return false;
    if (e && e->kind == ENTRY_REGISTER) {
        if (!body_loose_source(b, source_operand, from, &s[0], &from_bytes))
            return false;
    } else if (!body_source(b, source_operand, from, &s[0])) {
        return false;
    }
    if (pair && !body_source(b, body_operand(b, 2), PTX_F32, &s[1]))
        return false;
    struct ptx_op choice = {.type = (uint8_t)to,
                            .from_type = (uint8_t)from,
                            .round = f->round,
                            .ftz = f->fields & FTZ,
                            .sat = f->fields & SAT,
                            .flag = f->fields & IROUND && ptx_type_is_float(to),
                            .how = (uint8_t)(relu | finite << 1),
                            .size = (uint8_t)from_bytes,
                            .element = (uint8_t)to_bytes};
    struct ptx_op *o = body_emit_guarded(b, ptx_convert(&choice));
    if (!o)
        return false;
    o->d = d;
    o->s[0] = s[0];
    o->s[1] = s[1];
    o->type = choice.type;
    o->from_type = choice.from_type;
    o->round = choice.round;
    o->ftz = choice.ftz;
    o->sat = choice.sat;
    o->flag = choice.flag;
    o->how = choice.how;
    o->size = choice.size;
    o->element = choice.element;
    return true;
}

/* cvta: generic addresses of shared and local memory are those of their windows; others are the
 * same in both ways. */
bool ptx_lower_generic(struct body *b, enum ptx_math op)
{
    const enum ptx_type t = b->form.type[0];
    const enum ptx_space space = b->form.space;
    uint32_t d;
    struct ptx_source s[2] = {{0}};
    if (t != PTX_U64 || b->form.type_count != 1)
        return body_unsupported(b);
    const uint64_t window = space == PTX_SPACE_SHARED  ? SM_SHARED_WINDOW
                            : space == PTX_SPACE_LOCAL ? SM_LOCAL_WINDOW
                                                       : 0;
    if (!body_destination(b, body_operand(b, 0), t, &d) ||
        !body_source(b, body_operand(b, 1), t, &s[0]) || !body_constant(b, t, window, &s[1]))
        return false;
    struct ptx_op *o = body_emit_guarded(
        b, ptx_integer(ptx_has(&b->form, PTX_WORD_to) ? PTX_OP_sub : PTX_OP_add, PTX_U64));
    if (!o)
        return false;
    o->d = d;
    o->s[0] = s[0];
    o->s[1] = s[1];
    return true;
}

/* A cluster is one CTA, whose rank is 0: an address there is the address. */
bool ptx_lower_cluster(struct body *b, enum ptx_math op)
{
    const bool rank = op == PTX_OP_add;
    const enum ptx_type type = b->form.type[0];
    struct ptx_source unused = {0};
    struct ptx_op record = body_blank();
    if (b->form.type_count != 1 || (type != PTX_U32 && type != PTX_U64) ||
        ((b->form.fields & SPACE) && b->form.space != PTX_SPACE_SHARED))
        return body_unsupported(b);
    if (rank && !body_constant(b, PTX_U32, 0, &record.s[0]))
        return false;
    return body_source(b, body_operand(b, 1), type, rank ? &unused : &record.s[0]) &&
           (rank || body_source(b, body_operand(b, 2), PTX_U32, &unused)) &&
           body_destination(b, body_operand(b, 0), rank ? PTX_U32 : type, &record.d) &&
           body_put_record(b, ptx_integer(PTX_OP_mov, rank ? PTX_U32 : type), &record);
}

bool ptx_lower_isspacep(struct body *b, enum ptx_math op)
{
    uint32_t d;
    struct ptx_source s = {0};
    if (!(b->form.fields & SPACE))
        return body_unsupported(b);
    if (!body_destination(b, body_operand(b, 0), PTX_PRED, &d) ||
        !body_source(b, body_operand(b, 1), PTX_U64, &s))
        return false;
    struct ptx_op *o = body_emit_guarded(b, ptx_op_space);
    if (!o)
        return false;
    o->d = d;
    o->s[0] = s;
    o->size = 8;
    o->space = (uint8_t)b->form.space;
    return true;
}
