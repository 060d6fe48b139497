/*
 * Arithmetic of DWARF's stack machine (DWARF 5, 2.5.1.4). A cell has a base type, or the generic
 * type: an integer of an address's size, whose sign the operation decides.
 */
#include <dwarf.h>

#include "debug/source/dwarf_machine.h"

unsigned wt_machine_address_size(const struct machine *m)
{
    return m->b->types ? wt_types_address_size(m->b->types) : 8;
}

static bool is_float(const struct cell *c)
{
    return c->type && c->type->kind == WT_TYPE_FLOAT;
}

static unsigned bits_of(const struct machine *m, const struct cell *c)
{
    return 8 * (c->type ? (unsigned)wt_type_size(c->type) : wt_machine_address_size(m));
}

/* The low bits of a vector, extended to 64. */
static enum wt_status extend(struct machine *m, wt_expr_vector *v, unsigned bits, bool is_signed,
                             struct wt_error *err)
{
    uint64_t value;
    if (bits >= 64)
        return WT_OK;
    if (!wt_expr_is_constant(m->b->expr, *v, &value))
        return wt_build_op(m->b, is_signed ? WT_EXPR_EXT : WT_EXPR_ZERO_EXT, bits, *v, *v, v, err);
    const unsigned by = 64 - bits;
    value <<= by;
    *v = wt_build_constant(m->b, is_signed ? (uint64_t)((int64_t)value >> by) : value >> by);
    return WT_OK;
}

enum wt_status wt_machine_pop_address(struct machine *m, wt_expr_vector *v, struct wt_error *err)
{
    const struct cell *top = m->count ? &m->stack[m->count - 1] : NULL;
    const bool exact = !top || (!top->overflows && !top->type);
    enum wt_status status = pop(m, v, err);
    return status || exact ? status : extend(m, v, 8 * wt_machine_address_size(m), false, err);
}

/* How an operation takes its operands. */
enum sign { LOW_BITS, SIGNED, UNSIGNED, BY_TYPE };

static const struct dwarf_operation {
    uint8_t atom, integers, for_unsigned, floats; /* floats 0: there is none for them */
    enum sign sign;                               /* sign of the generic type and of integers */
    bool swap, invert, compares;
} table[] = {
    {DW_OP_plus, WT_EXPR_ADD, WT_EXPR_ADD, WT_EXPR_F_ADD, LOW_BITS, false, false, false},
    {DW_OP_minus, WT_EXPR_SUB, WT_EXPR_SUB, WT_EXPR_F_SUB, LOW_BITS, false, false, false},
    {DW_OP_mul, WT_EXPR_MUL, WT_EXPR_MUL, WT_EXPR_F_MUL, LOW_BITS, false, false, false},
    {DW_OP_div, WT_EXPR_DIV_SIGNED, WT_EXPR_DIV_UNSIGNED, WT_EXPR_F_DIV, BY_TYPE, false, false,
     false},
    {DW_OP_mod, WT_EXPR_REM_SIGNED, WT_EXPR_REM_UNSIGNED, 0, BY_TYPE, false, false, false},
    {DW_OP_and, WT_EXPR_AND, WT_EXPR_AND, 0, LOW_BITS, false, false, false},
    {DW_OP_or, WT_EXPR_OR, WT_EXPR_OR, 0, LOW_BITS, false, false, false},
    {DW_OP_xor, WT_EXPR_XOR, WT_EXPR_XOR, 0, LOW_BITS, false, false, false},
    {DW_OP_shl, WT_EXPR_SHL, WT_EXPR_SHL, 0, LOW_BITS, false, false, false},
    {DW_OP_shr, WT_EXPR_SHR_UNSIGNED, WT_EXPR_SHR_UNSIGNED, 0, UNSIGNED, false, false, false},
    {DW_OP_shra, WT_EXPR_SHR_SIGNED, WT_EXPR_SHR_SIGNED, 0, SIGNED, false, false, false},
    {DW_OP_eq, WT_EXPR_EQUAL, WT_EXPR_EQUAL, WT_EXPR_F_EQUAL, BY_TYPE, false, false, true},
    {DW_OP_ne, WT_EXPR_EQUAL, WT_EXPR_EQUAL, WT_EXPR_F_EQUAL, BY_TYPE, false, true, true},
    {DW_OP_lt, WT_EXPR_LESS_SIGNED, WT_EXPR_LESS_UNSIGNED, WT_EXPR_F_LESS, BY_TYPE, false, false,
     true},
    {DW_OP_gt, WT_EXPR_LESS_SIGNED, WT_EXPR_LESS_UNSIGNED, WT_EXPR_F_LESS, BY_TYPE, true, false,
     true},
    {DW_OP_le, WT_EXPR_LESS_SIGNED, WT_EXPR_LESS_UNSIGNED, WT_EXPR_F_LESS_EQUAL, BY_TYPE, true,
     true, true},
    {DW_OP_ge, WT_EXPR_LESS_SIGNED, WT_EXPR_LESS_UNSIGNED, WT_EXPR_F_LESS_EQUAL, BY_TYPE, false,
     true, true},
};

/* Whether the operands are taken as signed. The generic type divides and compares with a sign;
 * its remainder has none (DWARF 5, 2.5.1.4). */
static bool is_signed(const struct dwarf_operation *o, const struct wt_type *type)
{
    if (o->sign != BY_TYPE)
        return o->sign == SIGNED;
    return type ? wt_type_is_signed(type) : o->atom != DW_OP_mod;
}

static enum wt_status binary_of_floats(struct machine *m, const struct dwarf_operation *o,
                                       struct cell a, struct cell b, wt_expr_vector *to,
                                       struct wt_error *err)
{
    const unsigned bits = bits_of(m, &a);
    /* a > b is b < a; a >= b is b <= a: the table's inversions hold for integers, not for NaN. */
    const bool swap = o->atom == DW_OP_gt || o->atom == DW_OP_ge;
    if (!o->floats)
        return malformed(err);
    enum wt_status status =
        wt_build_op(m->b, (enum wt_expr_op)o->floats, bits, swap ? b.vector : a.vector,
                    swap ? a.vector : b.vector, to, err);
    return status || o->atom != DW_OP_ne
               ? status
               : wt_build_op(m->b, WT_EXPR_LOGIC_NOT, 0, *to, *to, to, err);
}

static enum wt_status binary_of_integers(struct machine *m, const struct dwarf_operation *o,
                                         struct cell a, struct cell b, wt_expr_vector *to,
                                         struct wt_error *err)
{
    const bool with_sign = is_signed(o, a.type),
               shift = o->atom >= DW_OP_shl && o->atom <= DW_OP_shra;
    const unsigned bits = bits_of(m, &a);
    enum wt_status status = WT_OK;
    if (o->sign != LOW_BITS && (status = extend(m, &a.vector, bits, with_sign, err)) != WT_OK)
        return status;
    if ((o->sign != LOW_BITS || shift) &&
        (status = extend(m, &b.vector, bits_of(m, &b), with_sign && !shift, err)) != WT_OK)
        return status;
    status = wt_build_op(m->b, (enum wt_expr_op)(with_sign ? o->integers : o->for_unsigned), 64,
                         o->swap ? b.vector : a.vector, o->swap ? a.vector : b.vector, to, err);
    if (!status && o->invert)
        status = wt_build_op(m->b, WT_EXPR_LOGIC_NOT, 0, *to, *to, to, err);
    return status;
}

static enum wt_status binary(struct machine *m, const struct dwarf_operation *o,
                             struct wt_error *err)
{
    struct cell a = {0}, b = {0}, to = {0};
    enum wt_status status;
    if ((status = pop_cell(m, &b, err)) != WT_OK || (status = pop_cell(m, &a, err)) != WT_OK)
        return status;
    /* Operands are of the same type, but for the distance of a shift; LLVM has constants of the
     * generic type beside integers of others. */
    const bool shift = o->atom >= DW_OP_shl && o->atom <= DW_OP_shra;
    if (!shift && !a.type && !is_float(&b))
        a.type = b.type;
    else if (!shift && !b.type && !is_float(&a))
        b.type = a.type;
    if (is_float(&a) != is_float(&b) || (!shift && bits_of(m, &a) != bits_of(m, &b)))
        return malformed(err);
    status = is_float(&a) ? binary_of_floats(m, o, a, b, &to.vector, err)
                          : binary_of_integers(m, o, a, b, &to.vector, err);
    if (status || o->compares)
        return status ? status : push_cell(m, to, err);
    to.type = a.type;
    to.in_frame = a.in_frame || b.in_frame;
    to.space = a.in_frame ? a.space : b.in_frame ? b.space : 0;
    if (!a.type)
        to.overflows = wt_machine_address_size(m) < 8;
    else if (!is_float(&a))
        status = extend(m, &to.vector, bits_of(m, &a), wt_type_is_signed(a.type), err);
    return status ? status : push_cell(m, to, err);
}

static enum wt_status absolute(struct machine *m, struct cell *c, struct wt_error *err)
{
    wt_expr_vector sign = 0;
    enum wt_status status;
    if (is_float(c))
        return wt_build_op(m->b, WT_EXPR_AND, 0, c->vector,
                           wt_build_constant(m->b, UINT64_MAX >> (65 - bits_of(m, c))), &c->vector,
                           err);
    if (c->type && !wt_type_is_signed(c->type))
        return WT_OK;
    if ((status = extend(m, &c->vector, bits_of(m, c), true, err)) != WT_OK ||
        (status = wt_build_op(m->b, WT_EXPR_SHR_SIGNED, 0, c->vector, wt_build_constant(m->b, 63),
                              &sign, err)) != WT_OK ||
        (status = wt_build_op(m->b, WT_EXPR_XOR, 0, c->vector, sign, &c->vector, err)) != WT_OK)
        return status;
    return wt_build_op(m->b, WT_EXPR_SUB, 0, c->vector, sign, &c->vector, err);
}

static enum wt_status unary(struct machine *m, unsigned atom, struct wt_error *err)
{
    struct cell c = {0};
    enum wt_status status = pop_cell(m, &c, err);
    if (status)
        return status;
    const wt_expr_vector zero = wt_build_constant(m->b, 0);
    const bool of_float = is_float(&c);
    if (atom == DW_OP_abs)
        status = absolute(m, &c, err);
    else if (of_float && atom == DW_OP_neg)
        status =
            wt_build_op(m->b, WT_EXPR_F_NEGATE, bits_of(m, &c), c.vector, c.vector, &c.vector, err);
    else if (of_float)
        return malformed(err);
    else if (atom == DW_OP_not)
        status = wt_build_op(m->b, WT_EXPR_NOT, 0, c.vector, c.vector, &c.vector, err);
    else
        status = wt_build_op(m->b, WT_EXPR_SUB, 0, zero, c.vector, &c.vector, err);
    if (!status && c.type && !of_float)
        status = extend(m, &c.vector, bits_of(m, &c), wt_type_is_signed(c.type), err);
    c = (struct cell){
        .vector = c.vector, .type = c.type, .overflows = !c.type && wt_machine_address_size(m) < 8};
    return status ? status : push_cell(m, c, err);
}

enum wt_status wt_machine_arithmetic(struct machine *m, unsigned atom, struct wt_error *err)
{
    if (atom == DW_OP_not || atom == DW_OP_neg || atom == DW_OP_abs)
        return unary(m, atom, err);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].atom == atom)
            return binary(m, &table[i], err);
    return wt_fail(err, WT_UNSUPPORTED,
                   "operation 0x%02x of the debug information is not supported", atom);
}

/* ---- base types ---- */

/* The base type that an operation names; NULL: the generic type. */
static enum wt_status read_type(struct machine *m, const Dwarf_Op *op, const struct wt_type **type,
                                struct wt_error *err)
{
    Dwarf_Die die;
    *type = NULL;
    if ((op->atom == DW_OP_convert || op->atom == DW_OP_reinterpret ||
         op->atom == DW_OP_GNU_convert || op->atom == DW_OP_GNU_reinterpret) &&
        op->number == 0)
        return WT_OK;
    if (!m->attribute || dwarf_getlocation_die(m->attribute, op, &die) != 0)
        return malformed(err);
    const struct wt_type *found = wt_type_plain(wt_types_read(m->b->types, &die));
    const uint64_t size = wt_type_size(found);
    if (!wt_type_is_scalar(found) || size == 0)
        return malformed(err);
    if (size > 8)
        return wt_fail(err, WT_UNSUPPORTED,
                       "the debug information computes with a type of %u bytes, which is not "
                       "supported",
                       (unsigned)size);
    *type = found;
    return WT_OK;
}

/* A cell of a base type from its bytes. */
static enum wt_status push_typed(struct machine *m, wt_expr_vector v, const struct wt_type *type,
                                 struct wt_error *err)
{
    enum wt_status status =
        extend(m, &v, 8 * (unsigned)wt_type_size(type), wt_type_is_signed(type), err);
    return status ? status : push_cell(m, (struct cell){.vector = v, .type = type}, err);
}

static enum wt_status convert(struct machine *m, const struct wt_type *type, struct wt_error *err)
{
    /* The generic type has a sign here, as in GDB. */
    const struct wt_type *generic = wt_types_integer(m->b->types, wt_machine_address_size(m), true);
    struct cell c = {0};
    struct wt_operand to;
    enum wt_status status = pop_cell(m, &c, err);
    if (status)
        return status;
    const struct wt_operand from = wt_operand_cell(c.type ? c.type : generic, c.vector);
    if ((status = wt_operand_convert(m->b, &from, type ? type : generic, &to, err)) != WT_OK)
        return status;
    return push_cell(m,
                     (struct cell){.vector = to.piece[0].vector,
                                   .type = type,
                                   .overflows = !type && wt_machine_address_size(m) < 8},
                     err);
}

static enum wt_status reinterpret(struct machine *m, const struct wt_type *type,
                                  struct wt_error *err)
{
    struct cell c = {0};
    enum wt_status status = pop_cell(m, &c, err);
    if (status)
        return status;
    const struct cell to = {
        .vector = c.vector, .type = type, .overflows = !type && wt_machine_address_size(m) < 8};
    if (bits_of(m, &c) != bits_of(m, &to))
        return malformed(err);
    return type ? push_typed(m, c.vector, type, err) : push_cell(m, to, err);
}

static enum wt_status constant(struct machine *m, const Dwarf_Op *op, const struct wt_type *type,
                               struct wt_error *err)
{
    Dwarf_Attribute attribute;
    Dwarf_Block block;
    uint64_t value = 0;
    if (dwarf_getlocation_attr(m->attribute, op, &attribute) != 0 ||
        dwarf_formblock(&attribute, &block) != 0 || block.length != wt_type_size(type))
        return malformed(err);
    for (size_t i = 0; i < block.length; i++)
        value |= (uint64_t)block.data[i] << (8 * i);
    return push_typed(m, wt_build_constant(m->b, value), type, err);
}

/* A value that is longer than its register goes on in the next one (GCC's pairs of RV32; GDB takes
 * it so). */
static enum wt_status register_value(struct machine *m, uint64_t number, const struct wt_type *type,
                                     struct wt_error *err)
{
    struct wt_operand whole = {.type = type}, next;
    uint64_t size = wt_type_size(type);
    wt_expr_vector v = 0;
    enum wt_status status = WT_OK;
    if (!m->frame)
        return wt_fail(err, WT_STATE, "No frame selected.");
    for (; size && !status; number++) {
        status = m->b->frame_ops->dwarf_register(m->b, m->frame, number, &next, err);
        for (unsigned i = 0; i < next.piece_count && size && !status; i++) {
            struct wt_piece p = next.piece[i];
            p.size = p.size < size ? p.size : size;
            size -= p.size;
            whole.piece[whole.piece_count++] = p;
        }
    }
    if (!status)
        status = wt_operand_cell_of(m->b, &whole, &v, err);
    return status ? status : push_cell(m, (struct cell){.vector = v, .type = type}, err);
}

enum wt_status wt_machine_typed(struct machine *m, const Dwarf_Op *op, struct wt_error *err)
{
    const struct wt_type *type;
    wt_expr_vector v = 0;
    enum wt_status status = read_type(m, op, &type, err);
    if (status)
        return status;
    switch (op->atom) {
    case DW_OP_convert:
    case DW_OP_GNU_convert:
        return convert(m, type, err);
    case DW_OP_reinterpret:
    case DW_OP_GNU_reinterpret:
        return reinterpret(m, type, err);
    case DW_OP_const_type:
    case DW_OP_GNU_const_type:
        return constant(m, op, type, err);
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type:
        return register_value(m, op->number, type, err);
    default: /* DW_OP_deref_type */
        if (op->number != wt_type_size(type))
            return malformed(err);
        if ((status = wt_machine_pop_address(m, &v, err)) != WT_OK ||
            (status = wt_build_load(m->b, 0, (unsigned)op->number, v, &v, err)) != WT_OK)
            return status;
        return push_typed(m, v, type, err);
    }
}
