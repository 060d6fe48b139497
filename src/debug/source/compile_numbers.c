/* Compiles arithmetic: conversions, integers of any width, floats, pointers and elements. */
#include <string.h>

#include "debug/source/compile.h"

/* ---- pointers ---- */

/* A pointer's target type, address and space; an array counts as a pointer to its first element. */
enum wt_status wt_compile_pointer_of(struct compiler *c, const struct wt_operand *o,
                                     const struct wt_type **target, wt_expr_vector *address,
                                     uint32_t *space, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    *space = 0;
    if (plain->kind == WT_TYPE_ARRAY || plain->kind == WT_TYPE_FUNCTION) {
        if (!wt_operand_in_memory(o))
            return wt_fail(err, WT_INVALID,
                           "Attempt to take address of value not located in "
                           "memory.");
        *target = plain->kind == WT_TYPE_FUNCTION ? o->type : wt_type_target(plain);
        *address = o->piece[0].vector;
        *space = o->piece[0].space;
        return WT_OK;
    }
    *target = wt_type_target(plain);
    if (o->piece_count == 1 && o->piece[0].kind == WT_PIECE_CELL)
        *space = o->piece[0].space;
    if (!*space)
        *space = wt_source_space_of(c->build.topology, plain);
    return wt_operand_cell_of(&c->build, o, address, err);
}

bool wt_compile_is_pointer(const struct wt_operand *o)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    return plain->kind == WT_TYPE_POINTER || (plain->kind == WT_TYPE_ARRAY && !plain->is_vector) ||
           plain->kind == WT_TYPE_FUNCTION;
}

/* The part of a variable at @p offset bytes behind the place that such a pointer points to.
 */
static enum wt_status implied(struct compiler *c, const struct wt_operand *pointer, uint64_t offset,
                              struct wt_operand *o, struct wt_error *err)
{
    const struct wt_type *target = wt_type_target(wt_type_plain(pointer->type));
    const uint64_t at = (uint64_t)pointer->pointee_offset + offset;
    struct wt_operand whole;
    Dwarf_Die die = pointer->pointee;
    const struct wt_frame *frame = c->scope->frame;
    if (!frame || !frame->info)
        return wt_fail(err, WT_INVALID, "No frame selected.");
    const enum wt_status status =
        wt_compile_variable(c, &die, frame->info, frame->bias, true, &whole, err);
    if (status)
        return status;
    if (wt_compile_is_lost(&whole)) {
        *o = wt_compile_lost(target);
        return WT_OK;
    }
    return wt_operand_part(&c->build, &whole, at, target, o, err);
}

enum wt_status wt_compile_dereference(struct compiler *c, const struct wt_operand *pointer,
                                      struct wt_operand *o, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(pointer->type), *target;
    wt_expr_vector address;
    uint32_t space;
    if (wt_type_is_integral(plain))
        target = wt_compile_integer(c, 8, true), plain = NULL; /* as GDB has it: a long there */
    enum wt_status status;
    if (!plain) {
        if ((status = wt_operand_cell_of(&c->build, pointer, &address, err)) != WT_OK)
            return status;
        *o = wt_operand_memory(target, 0, address);
        return WT_OK;
    }
    if (!wt_compile_is_pointer(pointer))
        return wt_fail(err, WT_INVALID, "Attempt to take contents of a non-pointer value.");
    if (pointer->pointee.addr)
        return implied(c, pointer, 0, o, err);
    if ((status = wt_compile_pointer_of(c, pointer, &target, &address, &space, err)) != WT_OK)
        return status;
    if (wt_type_plain(target)->kind == WT_TYPE_VOID)
        return wt_fail(err, WT_INVALID,
                       "Attempt to take contents of a pointer to void; cast it "
                       "first.");
    *o = wt_operand_memory(target, space, address);
    return wt_compile_follow_reference(c, o, err);
}

enum wt_status wt_compile_address_of(struct compiler *c, const struct wt_operand *o,
                                     struct wt_operand *pointer, struct wt_error *err)
{
    if (o->bit_size)
        return wt_fail(err, WT_INVALID, "Attempt to take address of a bit field.");
    if (!wt_operand_in_memory(o))
        return wt_fail(err, WT_INVALID,
                       o->piece_count == 1 && o->piece[0].reg >= 0
                           ? "Attempt to take address of value in a register."
                           : "Attempt to take address of value not located in "
                             "memory.");
    *pointer = wt_operand_cell(wt_types_pointer(c->build.types, o->type), o->piece[0].vector);
    pointer->piece[0].space = o->piece[0].space;
    pointer->piece[0].size = wt_types_address_size(c->build.types);
    return wt_compile_make_generic(c, pointer, err);
}

/* An index, counted from lower on, times a size. */
static enum wt_status scaled(struct compiler *c, const struct wt_operand *index, uint64_t size,
                             int64_t lower, wt_expr_vector *offset, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(index->type);
    if (!wt_type_is_integral(plain))
        return wt_fail(err, WT_INVALID, "an index must be an integer");
    enum wt_status status = wt_operand_cell_of(&c->build, index, offset, err);
    if (!status && lower)
        status = wt_build_op(&c->build, WT_EXPR_SUB, 0, *offset,
                             wt_build_constant(&c->build, (uint64_t)lower), offset, err);
    if (!status && size != 1)
        status = wt_build_op(&c->build, WT_EXPR_MUL, 0, *offset, wt_build_constant(&c->build, size),
                             offset, err);
    return status;
}

/* The error of data whose type is not known. */
static enum wt_status untyped(struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "the variable has unknown type; cast it to its declared type");
}

enum wt_status wt_compile_element(struct compiler *c, const struct wt_operand *array,
                                  const struct wt_operand *index, struct wt_operand *o,
                                  struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(array->type), *target;
    wt_expr_vector address, offset;
    uint32_t space;
    uint64_t at;
    enum wt_status status;
    if (array->type == &wt_compile_no_type)
        return untyped(err);
    if (plain->kind != WT_TYPE_POINTER && plain->kind != WT_TYPE_ARRAY)
        return wt_fail(err, WT_INVALID, "cannot subscript something of that type");
    const uint64_t size = wt_type_size(wt_type_target(plain));
    const int64_t lower = plain->kind == WT_TYPE_ARRAY ? plain->lower : 0;
    const bool strided = plain->kind == WT_TYPE_ARRAY && plain->stride;
    const uint64_t step = strided ? (uint64_t)plain->stride : size ? size : 1;
    if ((status = scaled(c, index, step, lower, &offset, err)) != WT_OK)
        return status;
    if (strided && (status = wt_build_op(&c->build, WT_EXPR_ADD, 0, offset,
                                         wt_build_constant(&c->build, wt_type_element_at(plain, 0)),
                                         &offset, err)) != WT_OK)
        return status;
    if (array->pointee.addr && wt_expr_is_constant(c->build.expr, offset, &at))
        return implied(c, array, at, o, err);
    if (plain->kind == WT_TYPE_ARRAY && !wt_operand_in_memory(array)) {
        if (wt_compile_is_lost(array)) {
            *o = wt_compile_lost(wt_type_target(plain));
            return WT_OK;
        }
        if (!wt_expr_is_constant(c->build.expr, offset, &at))
            return wt_fail(err, WT_UNSUPPORTED,
                           "the array is in registers: its index must be a "
                           "constant");
        if (at / (size ? size : 1) >= plain->count)
            return wt_fail(err, WT_INVALID, "no such vector element");
        return wt_operand_part(&c->build, array, at, wt_type_target(plain), o, err);
    }
    if ((status = wt_compile_pointer_of(c, array, &target, &address, &space, err)) != WT_OK)
        return status;
    if (plain->kind == WT_TYPE_ARRAY)
        target = wt_type_target(plain);
    if ((status = wt_build_op(&c->build, WT_EXPR_ADD, 0, address, offset, &address, err)) != WT_OK)
        return status;
    *o = wt_operand_memory(target, space, address);
    o->piece[0].in_frame = plain->kind == WT_TYPE_ARRAY && array->piece[0].in_frame;
    o->piece[0].unstored = plain->kind == WT_TYPE_ARRAY && array->piece[0].unstored;
    return wt_compile_follow_reference(c, o, err);
}

/* ---- arithmetic ---- */

/* ---- arithmetic ---- */

const struct wt_type *wt_compile_promoted(struct compiler *c, const struct wt_type *type)
{
    const struct wt_type *plain = wt_type_plain(type);
    const uint64_t size = wt_type_size(plain);
    if (plain->kind == WT_TYPE_FLOAT)
        return size == 2 ? wt_compile_basic(c, "float") : plain;
    if (plain->kind == WT_TYPE_POINTER || plain->kind == WT_TYPE_REFERENCE)
        return wt_compile_integer(c, (unsigned)size, false);
    if (size < 4)
        return wt_compile_integer(c, 4, true);
    if (plain->kind == WT_TYPE_ENUM)
        return wt_compile_integer(c, size > 4 ? 8 : 4, plain->is_signed);
    return plain;
}

/* The type in which two numbers are computed, as in C. */
const struct wt_type *wt_compile_common(struct compiler *c, const struct wt_type *a,
                                        const struct wt_type *b)
{
    a = wt_compile_promoted(c, a);
    b = wt_compile_promoted(c, b);
    if (a->kind == WT_TYPE_FLOAT || b->kind == WT_TYPE_FLOAT) {
        if (a->kind != WT_TYPE_FLOAT)
            return b;
        if (b->kind != WT_TYPE_FLOAT)
            return a;
        return wt_type_size(a) >= wt_type_size(b) ? a : b;
    }
    if (wt_type_size(a) != wt_type_size(b))
        return wt_type_size(a) > wt_type_size(b) ? a : b;
    return wt_type_is_signed(a) ? b : a;
}

enum wt_status wt_compile_need_number(const struct wt_operand *o, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    if (wt_type_is_scalar(plain))
        return WT_OK;
    if (o->type == &wt_compile_no_type)
        return untyped(err);
    return wt_fail(err, WT_INVALID, "Argument to arithmetic operation not a number or boolean.");
}

enum wt_status wt_compile_take_half(struct compiler *c, struct wt_operand *o, struct wt_error *err)
{
    const enum wt_type_half half = wt_type_half(o->type);
    wt_expr_vector cell;
    if (half == WT_NO_HALF)
        return WT_OK;
    o->type = wt_compile_basic(c, "_Float16");
    o->reference = NULL;
    if (half == WT_HALF)
        return WT_OK;
    o->type = wt_compile_integer(c, 2, false);
    enum wt_status status = wt_operand_cell_of(&c->build, o, &cell, err);
    if (!status)
        status = wt_build_op(&c->build, WT_EXPR_SHL, 0, cell, wt_build_constant(&c->build, 16),
                             &cell, err);
    *o = wt_operand_cell(wt_compile_basic(c, "float"), cell);
    return status;
}

enum wt_status wt_compile_truth(struct compiler *c, const struct wt_operand *value,
                                wt_expr_vector *cell, struct wt_error *err)
{
    struct wt_operand truth, number = *value, *o = &number;
    enum wt_status status = wt_compile_take_half(c, o, err);
    if (status)
        return status;
    if (wt_compile_is_pointer(o) && wt_type_plain(o->type)->kind != WT_TYPE_POINTER) {
        *cell = wt_build_constant(&c->build, 1); /* the address of something */
        return WT_OK;
    }
    if ((status = wt_compile_need_number(o, err)) != WT_OK)
        return status;
    if (wt_type_plain(o->type)->kind != WT_TYPE_FLOAT && !wt_type_is_wide(o->type))
        return wt_operand_cell_of(&c->build, o, cell, err);
    status = wt_operand_convert(&c->build, o, wt_compile_basic(c, "bool"), &truth, err);
    if (!status)
        *cell = truth.piece[0].vector;
    return status;
}

enum wt_status wt_compile_number(struct compiler *c, const struct wt_operand *o,
                                 const struct wt_type *type, wt_expr_vector *cell,
                                 struct wt_error *err)
{
    struct wt_operand converted;
    enum wt_status status = wt_compile_need_number(o, err);
    if (!status)
        status = wt_operand_convert(&c->build, o, type, &converted, err);
    if (!status)
        *cell = converted.piece[0].vector;
    return status;
}

/* The result of arithmetic, truncated to its type. */
enum wt_status wt_compile_finish_number(struct compiler *c, const struct wt_type *type,
                                        wt_expr_vector cell, struct wt_operand *o,
                                        struct wt_error *err)
{
    const unsigned bits = (unsigned)wt_type_size(type) * 8;
    enum wt_status status = WT_OK;
    uint64_t value;
    if (type->kind != WT_TYPE_FLOAT && bits < 64) {
        if (wt_expr_is_constant(c->build.expr, cell, &value)) {
            const unsigned by = 64 - bits;
            cell = wt_build_constant(&c->build, wt_type_is_signed(type)
                                                    ? (uint64_t)((int64_t)(value << by) >> by)
                                                    : value << by >> by);
        } else {
            status =
                wt_build_op(&c->build, wt_type_is_signed(type) ? WT_EXPR_EXT : WT_EXPR_ZERO_EXT,
                            bits, cell, cell, &cell, err);
        }
    }
    *o = wt_operand_cell(type, cell);
    return status;
}

enum wt_status wt_compile_invert(struct compiler *c, wt_expr_vector *cell, struct wt_error *err)
{
    return wt_build_op(&c->build, WT_EXPR_LOGIC_NOT, 0, *cell, *cell, cell, err);
}

/* The numbers that are compared, and how many bits they have. */
struct compared_numbers {
    enum { COMPARED_UNSIGNED, COMPARED_SIGNED, COMPARED_FLOAT } as;
    unsigned bits;
};

static enum wt_status compare(struct compiler *c, int op, struct compared_numbers of,
                              wt_expr_vector a, wt_expr_vector b, struct wt_operand *o,
                              struct wt_error *err)
{
    const bool is_float = of.as == COMPARED_FLOAT;
    wt_expr_vector cell;
    enum wt_status status;
    const bool swap = op == '>' || op == WT_OP_GE;
    if (op == WT_OP_EQ || op == WT_OP_NE) {
        status = wt_build_op(&c->build, is_float ? WT_EXPR_F_EQUAL : WT_EXPR_EQUAL, of.bits, a, b,
                             &cell, err);
        if (!status && op == WT_OP_NE)
            status = wt_compile_invert(c, &cell, err);
    } else if (is_float) {
        status =
            wt_build_op(&c->build, op == '<' || op == '>' ? WT_EXPR_F_LESS : WT_EXPR_F_LESS_EQUAL,
                        of.bits, swap ? b : a, swap ? a : b, &cell, err);
    } else {
        /* a <= b is !(b < a) */
        const bool reversed = swap != (op == WT_OP_LE || op == WT_OP_GE);
        status = wt_build_op(&c->build,
                             of.as == COMPARED_SIGNED ? WT_EXPR_LESS_SIGNED : WT_EXPR_LESS_UNSIGNED,
                             64, reversed ? b : a, reversed ? a : b, &cell, err);
        if (!status && (op == WT_OP_LE || op == WT_OP_GE))
            status = wt_compile_invert(c, &cell, err);
    }
    if (!status)
        *o = wt_operand_cell(wt_compile_truth_type(c), cell);
    return status;
}

static bool is_comparison(int op)
{
    return op == '<' || op == '>' || op == WT_OP_LE || op == WT_OP_GE || op == WT_OP_EQ ||
           op == WT_OP_NE;
}

static enum wt_status pointer_arithmetic(struct compiler *c, int op, const struct wt_operand *a,
                                         const struct wt_operand *b, struct wt_operand *o,
                                         struct wt_error *err)
{
    const struct wt_type *target, *other;
    wt_expr_vector address, offset;
    uint32_t space, space_b;
    enum wt_status status;
    const bool pointers = wt_compile_is_pointer(a) && wt_compile_is_pointer(b);
    if (is_comparison(op)) {
        if (wt_compile_is_pointer(a))
            status = wt_compile_pointer_of(c, a, &target, &address, &space, err);
        else
            status = wt_compile_number(c, a, wt_compile_integer(c, 8, false), &address, err);
        if (!status && wt_compile_is_pointer(b))
            status = wt_compile_pointer_of(c, b, &other, &offset, &space_b, err);
        else if (!status)
            status = wt_compile_number(c, b, wt_compile_integer(c, 8, false), &offset, err);
        return status ? status
                      : compare(c, op, (struct compared_numbers){COMPARED_UNSIGNED, 64}, address,
                                offset, o, err);
    }
    if (op == '+' && wt_compile_is_pointer(b) && !wt_compile_is_pointer(a)) {
        const struct wt_operand *swap = a;
        a = b;
        b = swap;
    }
    if ((op != '+' && op != '-') || (pointers && op == '+') || !wt_compile_is_pointer(a))
        return wt_fail(err, WT_INVALID,
                       "Argument to arithmetic operation not a number or "
                       "boolean.");
    if ((status = wt_compile_pointer_of(c, a, &target, &address, &space, err)) != WT_OK)
        return status;
    uint64_t size = wt_type_size(target);
    if (size == 0)
        size = 1;
    if (pointers) {
        if ((status = wt_compile_pointer_of(c, b, &other, &offset, &space_b, err)) != WT_OK)
            return status;
        status = wt_build_op(&c->build, WT_EXPR_SUB, 0, address, offset, &offset, err);
        const unsigned bits = wt_types_address_size(c->build.types) * 8;
        if (!status && bits < 64)
            status = wt_build_op(&c->build, WT_EXPR_EXT, bits, offset, offset, &offset, err);
        if (!status && size > 1)
            status = wt_build_op(&c->build, WT_EXPR_DIV_SIGNED, 0, offset,
                                 wt_build_constant(&c->build, size), &offset, err);
        if (!status)
            *o = wt_operand_cell(wt_compile_basic(c, "long"), offset);
        return status;
    }
    if ((status = scaled(c, b, size, 0, &offset, err)) != WT_OK ||
        (status = wt_build_op(&c->build, op == '+' ? WT_EXPR_ADD : WT_EXPR_SUB, 0, address, offset,
                              &address, err)) != WT_OK)
        return status;
    const struct wt_type *type = wt_type_plain(a->type)->kind == WT_TYPE_POINTER
                                     ? a->type
                                     : wt_types_pointer(c->build.types, target);
    status = wt_compile_finish_number(
        c, wt_compile_integer(c, wt_types_address_size(c->build.types), false), address, o, err);
    o->type = type;
    o->piece[0].space = space;
    return status;
}

enum wt_status wt_compile_result_temporary(struct compiler *c, wt_expr_vector *to,
                                           struct wt_error *err)
{
    if (c->build.next >= WT_EXPR_MOST_TEMPORARIES)
        return wt_fail(err, WT_UNSUPPORTED, "the expression is too long; split it");
    *to = wt_expr_temporary(c->build.expr, c->build.next++);
    return WT_OK;
}

/* The operation on both halves of 128 bits. */
static enum wt_status on_halves(struct compiler *c, enum wt_expr_op op, wt_expr_vector x,
                                wt_expr_vector y, wt_expr_vector *to, struct wt_error *err)
{
    const struct wt_type *type = wt_compile_basic(c, "unsigned __int128");
    const struct wt_operand a = wt_operand_of_pair(&c->build, type, x);
    const struct wt_operand b = wt_operand_of_pair(&c->build, type, y);
    enum wt_status status = wt_build_pair(&c->build, to, err);
    if (status)
        return status;
    const struct wt_operand result = wt_operand_of_pair(&c->build, type, *to);
    for (unsigned i = 0; i < 2; i++)
        wt_expr_add(c->build.expr, op, 64, result.piece[i].vector, a.piece[i].vector,
                    b.piece[i].vector);
    return WT_OK;
}

static enum wt_status compare_wide(struct compiler *c, int op, bool is_signed, wt_expr_vector x,
                                   wt_expr_vector y, struct wt_operand *o, struct wt_error *err)
{
    wt_expr_vector cell = 0, pair = 0;
    enum wt_status status;
    const bool swap = op == '>' || op == WT_OP_LE;
    bool inverted = op == WT_OP_NE || op == WT_OP_LE || op == WT_OP_GE;
    if (op == WT_OP_EQ || op == WT_OP_NE) {
        if ((status = on_halves(c, WT_EXPR_XOR, x, y, &pair, err)) != WT_OK)
            return status;
        const struct wt_operand differ =
            wt_operand_of_pair(&c->build, wt_compile_basic(c, "unsigned __int128"), pair);
        status = wt_build_op(&c->build, WT_EXPR_OR, 0, differ.piece[0].vector,
                             differ.piece[1].vector, &cell, err);
        inverted = !inverted;
        if (!status && !inverted)
            status = wt_compile_invert(c, &cell, err);
        inverted = true;
    } else if ((status = wt_compile_result_temporary(c, &cell, err)) == WT_OK) {
        wt_expr_add(c->build.expr,
                    is_signed ? WT_EXPR_WIDE_LESS_SIGNED : WT_EXPR_WIDE_LESS_UNSIGNED, 0, cell,
                    swap ? y : x, swap ? x : y);
    }
    if (!status && inverted)
        status = wt_compile_invert(c, &cell, err);
    if (!status)
        *o = wt_operand_cell(wt_compile_truth_type(c), cell);
    return status;
}

/* Numbers of which one has 128 bits. */
enum wt_status wt_compile_arithmetic_wide(struct compiler *c, int op, const struct wt_operand *a,
                                          const struct wt_operand *b, const struct wt_type *type,
                                          struct wt_operand *o, struct wt_error *err)
{
    static const struct {
        int op;
        enum wt_expr_op of_signed, of_unsigned;
    } table[] = {{'+', WT_EXPR_WIDE_ADD, WT_EXPR_WIDE_ADD},
                 {'-', WT_EXPR_WIDE_SUB, WT_EXPR_WIDE_SUB},
                 {'*', WT_EXPR_WIDE_MUL, WT_EXPR_WIDE_MUL},
                 {'/', WT_EXPR_WIDE_DIV_SIGNED, WT_EXPR_WIDE_DIV_UNSIGNED},
                 {'%', WT_EXPR_WIDE_REM_SIGNED, WT_EXPR_WIDE_REM_UNSIGNED},
                 {WT_OP_SHL, WT_EXPR_WIDE_SHL, WT_EXPR_WIDE_SHL},
                 {WT_OP_SHR, WT_EXPR_WIDE_SHR_SIGNED, WT_EXPR_WIDE_SHR_UNSIGNED},
                 {'&', WT_EXPR_AND, WT_EXPR_AND},
                 {'|', WT_EXPR_OR, WT_EXPR_OR},
                 {'^', WT_EXPR_XOR, WT_EXPR_XOR}};
    const bool is_signed = wt_type_is_signed(type), shift = op == WT_OP_SHL || op == WT_OP_SHR;
    wt_expr_vector x = 0, y = 0;
    enum wt_status status = wt_operand_pair_of(&c->build, a, &x, err);
    if (!status)
        status = wt_operand_pair_of(&c->build, b, &y, err); /* a count of bits: its low half */
    if (status)
        return status;
    if (is_comparison(op))
        return compare_wide(c, op, is_signed, x, y, o, err);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].op != op)
            continue;
        const enum wt_expr_op code = is_signed ? table[i].of_signed : table[i].of_unsigned;
        status = !shift && strchr("&|^", op) ? on_halves(c, code, x, y, &x, err)
                                             : wt_build_wide(&c->build, code, x, y, &x, err);
        if (!status)
            *o = wt_operand_of_pair(&c->build, type, x);
        return status;
    }
    return wt_fail(err, WT_UNSUPPORTED, "that operation is not for integers of 128 bits");
}

enum wt_status wt_compile_arithmetic(struct compiler *c, int op, const struct wt_operand *a,
                                     const struct wt_operand *b, struct wt_operand *o,
                                     struct wt_error *err)
{
    enum wt_status status;
    wt_expr_vector x, y;
    if (wt_compile_is_pointer(a) || wt_compile_is_pointer(b))
        return pointer_arithmetic(c, op, a, b, o, err);
    if ((status = wt_compile_need_number(a, err)) != WT_OK ||
        (status = wt_compile_need_number(b, err)) != WT_OK)
        return status;
    const bool shift = op == WT_OP_SHL || op == WT_OP_SHR;
    const struct wt_type *type =
        shift ? wt_compile_promoted(c, a->type) : wt_compile_common(c, a->type, b->type);
    const bool is_float = type->kind == WT_TYPE_FLOAT;
    const bool is_signed = wt_type_is_signed(type);
    const unsigned bits = (unsigned)wt_type_size(type) * 8;
    if (wt_type_is_wide(type))
        return wt_compile_arithmetic_wide(c, op, a, b, type, o, err);
    if ((status = wt_compile_number(c, a, type, &x, err)) != WT_OK ||
        (status = wt_compile_number(c, b, shift ? wt_compile_promoted(c, b->type) : type, &y,
                                    err)) != WT_OK)
        return status;
    if (is_comparison(op))
        return compare(c, op,
                       (struct compared_numbers){is_float    ? COMPARED_FLOAT
                                                 : is_signed ? COMPARED_SIGNED
                                                             : COMPARED_UNSIGNED,
                                                 bits},
                       x, y, o, err);
    enum wt_expr_op code;
    switch (op) {
    case '+':
        code = is_float ? WT_EXPR_F_ADD : WT_EXPR_ADD;
        break;
    case '-':
        code = is_float ? WT_EXPR_F_SUB : WT_EXPR_SUB;
        break;
    case '*':
        code = is_float ? WT_EXPR_F_MUL : WT_EXPR_MUL;
        break;
    case '/':
        code = is_float ? WT_EXPR_F_DIV : is_signed ? WT_EXPR_DIV_SIGNED : WT_EXPR_DIV_UNSIGNED;
        break;
    case WT_OP_POWER:
        code = is_float ? WT_EXPR_F_POWER : WT_EXPR_POWER;
        break;
    case WT_OP_F_REM:
        code = is_float ? WT_EXPR_F_REM : is_signed ? WT_EXPR_REM_SIGNED : WT_EXPR_REM_UNSIGNED;
        break;
    case '%':
        code = is_signed ? WT_EXPR_REM_SIGNED : WT_EXPR_REM_UNSIGNED;
        break;
    case '&':
        code = WT_EXPR_AND;
        break;
    case '|':
        code = WT_EXPR_OR;
        break;
    case '^':
        code = WT_EXPR_XOR;
        break;
    case WT_OP_SHL:
        code = WT_EXPR_SHL;
        break;
    default:
        code = is_signed ? WT_EXPR_SHR_SIGNED : WT_EXPR_SHR_UNSIGNED;
        break;
    }
    if (is_float &&
        (code == WT_EXPR_AND || code == WT_EXPR_OR || code == WT_EXPR_XOR || op == '%' || shift))
        return wt_fail(err, WT_INVALID,
                       "Integer expected: that operation is not for "
                       "floating-point numbers.");
    uint64_t divisor;
    if ((op == '/' || op == '%') && !is_float && wt_expr_is_constant(c->build.expr, y, &divisor) &&
        divisor == 0)
        return wt_fail(err, WT_INVALID, "Division by zero");
    if ((status = wt_build_op(&c->build, code, bits, x, y, &x, err)) != WT_OK)
        return status;
    return wt_compile_finish_number(c, type, x, o, err);
}
