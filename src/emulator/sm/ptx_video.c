/*
 * PTX: instructions on the halves or bytes of words (manual 9.7.20, "SIMD Video Instructions").
 * Whole words only: masks and selectors of operands are refused.
 */
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx_body.h"

enum operation { ADD, SUBTRACT, AVERAGE, DIFFERENCE, MINIMUM, MAXIMUM, COMPARE };

static bool is_word(enum ptx_type type)
{
    return type == PTX_U32 || type == PTX_S32;
}

static PTX_EXECUTOR(ptx_op_parts);

bool ptx_lower_parts(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const unsigned number = (unsigned)(op - PTX_OP_vadd2), types = number / 2 == COMPARE ? 2 : 3;
    struct ptx_op record = body_blank();
    if (f->type_count != types || (f->fields & ATOM && f->atom != SM_ATOMIC_ADD) ||
        (types == 2 && !(f->fields & CMP)))
        return body_unsupported(b);
    for (unsigned i = 0; i < types; i++)
        if (!is_word(f->type[i]))
            return body_unsupported(b);
    const bool a_signed = f->type[types - 2] == PTX_S32, b_signed = f->type[types - 1] == PTX_S32;
    record.how = (uint8_t)(number / 2);
    record.size = number % 2 ? 8 : 16; /* bits of a part */
    record.is_signed = types == 3 && f->type[0] == PTX_S32;
    record.type = (uint8_t)(a_signed | b_signed << 1);
    record.sat = f->fields & SAT;
    record.flag = f->fields & ATOM;
    record.combine = f->outcomes;
    return body_destination(b, body_operand(b, 0), PTX_U32, &record.d) &&
           body_source(b, body_operand(b, 1), PTX_U32, &record.s[0]) &&
           body_source(b, body_operand(b, 2), PTX_U32, &record.s[1]) &&
           body_source(b, body_operand(b, 3), PTX_U32, &record.s[2]) &&
           body_put_record(b, ptx_op_parts, &record);
}

static int part_of(uint32_t word, unsigned bits, unsigned n, bool is_signed)
{
    const uint32_t up = word << (32 - bits * (n + 1));
    return is_signed ? (int)up >> (32 - bits) : (int)(up >> (32 - bits));
}

static int clamp_part(int value, unsigned bits, bool is_signed)
{
    const int most = (1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return value < least ? least : value > most ? most : value;
}

static int result_of(const struct ptx_op *o, int a, int b)
{
    switch ((enum operation)o->how) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case AVERAGE:
        return (a + b + (a + b >= 0)) >> 1;
    case DIFFERENCE:
        return a < b ? b - a : a - b;
    case MINIMUM:
        return a < b ? a : b;
    case MAXIMUM:
        return a < b ? b : a;
    default:
        return (o->combine & (a < b ? PTX_LESS : a > b ? PTX_GREATER : PTX_EQUAL)) != 0;
    }
}

/* All parts of a lane: put together or, with .add, added to the third word. */
static uint32_t parts(const struct ptx_op *o, uint32_t a, uint32_t b, uint32_t c)
{
    const unsigned bits = o->size;
    uint32_t word = 0;
    for (unsigned n = 0; n < 32 / bits; n++) {
        int value =
            result_of(o, part_of(a, bits, n, o->type & 1), part_of(b, bits, n, o->type & 2));
        if (o->sat)
            value = clamp_part(value, bits, o->is_signed);
        const uint32_t part = (uint32_t)value & ((1u << bits) - 1);
        if (o->flag)
            c += (uint32_t)part_of(part, bits, 0, o->is_signed);
        word |= part << bits * n;
    }
    return o->flag ? c : word;
}

static PTX_EXECUTOR(ptx_op_parts)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const uint32_t *a = ptx_in(frame, &o->s[0]), *b = ptx_in(frame, &o->s[1]),
                   *c = ptx_in(frame, &o->s[2]);
    uint32_t *d = (uint32_t *)(frame + o->d);
    PTX_LEFT(i, ptx_lanes(w, o))
    d[i] = parts(o, a[i], b[i], c[i]);
    return sm_next(u);
}
