/* Compiles expression trees to the core's form: operators that need branches, and the tree. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/compile.h"

/* ---- the tree ---- */

static bool member_pointer(struct compiler *c, const struct wt_node *n, struct wt_operand *o);

#define MOST_DEPTH 450

/* Nodes of one text: the types of `?:` and Fortran's functions compile parts of it more than once.
 */
#define MOST_WORK 200000

/* ---- operators that need branches ---- */

/* a && b, a
 *
 * b: b is not evaluated for lanes in which a already decides the result. */
static enum wt_status logic(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                            struct wt_error *err)
{
    struct wt_operand a, b;
    wt_expr_vector result = 0, cell = 0;
    enum wt_status status = wt_compile_result_temporary(c, &result, err);
    const unsigned mark = c->build.next;
    struct wt_expr *expr = c->build.expr;
    if (status || (status = wt_compile_node(c, n->a, &a, err)) != WT_OK ||
        (status = wt_compile_truth(c, &a, &cell, err)) != WT_OK)
        return status;
    const bool is_and = n->op == WT_OP_AND;
    wt_expr_add(expr, WT_EXPR_COPY, 0, result, wt_expr_constant(expr, !is_and),
                wt_expr_constant(expr, 0));
    if (is_and) {
        if ((status = wt_compile_invert(c, &cell, err)) != WT_OK)
            return status;
    }
    const size_t branch = wt_expr_add(expr, WT_EXPR_BRANCH, 0, result, cell, cell);
    c->build.next = mark;
    if ((status = wt_compile_node(c, n->b, &b, err)) != WT_OK ||
        (status = wt_compile_truth(c, &b, &cell, err)) != WT_OK ||
        (status = wt_compile_invert(c, &cell, err)) != WT_OK ||
        (status = wt_compile_invert(c, &cell, err)) != WT_OK)
        return status;
    wt_expr_add(expr, WT_EXPR_COPY, 0, result, cell, cell);
    wt_expr_set_target(expr, branch, wt_expr_here(expr));
    c->build.next = mark;
    *o = wt_operand_cell(wt_compile_truth_type(c), result);
    return WT_OK;
}

/* The type of a node; generates no code for it. */
enum wt_status wt_compile_type_of(struct compiler *c, const struct wt_node *n,
                                  const struct wt_type **type, struct wt_error *err)
{
    struct compiler aside = *c;
    struct wt_operand o;
    aside.types_only = true;
    aside.build.expr = wt_expr_new();
    aside.build.next = 0;
    if (!aside.build.expr)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for an expression");
    enum wt_status status = wt_compile_node(&aside, n, &o, err);
    wt_expr_free(aside.build.expr);
    *type = o.type;
    return status;
}

/* Copies a number to a temporary, or one of 128 bits to a pair. */
static void copy_result(struct compiler *c, const struct wt_type *type, const struct wt_operand *o,
                        wt_expr_vector result)
{
    const struct wt_operand pair = wt_operand_of_pair(&c->build, type, result);
    const unsigned count = wt_type_is_wide(type) ? 2 : 1;
    for (unsigned i = 0; i < count; i++)
        wt_expr_add(c->build.expr, WT_EXPR_COPY, 0, pair.piece[i].vector, o->piece[i].vector,
                    o->piece[i].vector);
}

static enum wt_status conditional(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                                  struct wt_error *err)
{
    struct wt_operand a;
    const struct wt_type *left = NULL, *right = NULL;
    wt_expr_vector result = 0, cell = 0;
    struct wt_expr *expr = c->build.expr;
    enum wt_status status;
    if ((status = wt_compile_type_of(c, n->b, &left, err)) != WT_OK ||
        (status = wt_compile_type_of(c, n->c, &right, err)) != WT_OK ||
        (status = wt_build_pair(&c->build, &result, err)) != WT_OK)
        return status;
    const unsigned mark = c->build.next;
    const struct wt_type *plain = wt_type_plain(left);
    const struct wt_type *type = wt_type_is_scalar(plain) && plain->kind != WT_TYPE_POINTER &&
                                         wt_type_is_scalar(wt_type_plain(right))
                                     ? wt_compile_common(c, left, right)
                                     : left;
    if (!wt_type_is_scalar(wt_type_plain(type)))
        return wt_fail(err, WT_UNSUPPORTED, "'?' chooses between numbers or pointers only");
    if ((status = wt_compile_node(c, n->a, &a, err)) != WT_OK ||
        (status = wt_compile_truth(c, &a, &cell, err)) != WT_OK)
        return status;
    const size_t branch = wt_expr_add(expr, WT_EXPR_BRANCH, 0, result, cell, cell);
    c->build.next = mark;
    if ((status = wt_compile_node(c, n->c, &a, err)) != WT_OK ||
        (status = wt_operand_convert(&c->build, &a, type, &a, err)) != WT_OK)
        return status;
    copy_result(c, type, &a, result);
    const size_t end = wt_expr_add(expr, WT_EXPR_GOTO, 0, result, result, result);
    wt_expr_set_target(expr, branch, wt_expr_here(expr));
    c->build.next = mark;
    if ((status = wt_compile_node(c, n->b, &a, err)) != WT_OK ||
        (status = wt_operand_convert(&c->build, &a, type, &a, err)) != WT_OK)
        return status;
    copy_result(c, type, &a, result);
    wt_expr_set_target(expr, end, wt_expr_here(expr));
    c->build.next = mark;
    *o = wt_type_is_wide(type) ? wt_operand_of_pair(&c->build, type, result)
                               : wt_operand_cell(type, result);
    return WT_OK;
}

static enum wt_status compile_unary(struct compiler *c, const struct wt_node *n,
                                    struct wt_operand *o, struct wt_error *err)
{
    struct wt_operand a;
    wt_expr_vector cell;
    const char *guess = c->guess;
    if (n->op == '&' && wt_source_is_cplusplus(c->scope) && member_pointer(c, n, o))
        return WT_OK;
    enum wt_status status = wt_compile_node(c, n->a, &a, err);
    if (status)
        return status;
    switch (n->op) {
    case '*':
        if (wt_type_plain(a.type)->kind == WT_TYPE_MEMBER)
            return wt_fail(err, WT_INVALID,
                           "Attempt to dereference pointer to member without an object");
        return wt_compile_dereference(c, &a, o, err);
    case '&':
        c->guess = guess; /* an address is none */
        return wt_compile_address_of(c, &a, o, err);
    case '!':
        if ((status = wt_compile_truth(c, &a, &cell, err)) != WT_OK ||
            (status = wt_compile_invert(c, &cell, err)) != WT_OK)
            return status;
        *o = wt_operand_cell(wt_compile_truth_type(c), cell);
        return WT_OK;
    default:
        break;
    }
    if ((status = wt_compile_take_half(c, &a, err)) != WT_OK ||
        (status = wt_compile_need_number(&a, err)) != WT_OK)
        return status;
    const struct wt_type *type = wt_compile_promoted(c, a.type);
    if (wt_type_is_wide(type)) {
        const struct wt_operand other =
            wt_operand_cell(wt_compile_integer(c, 8, true),
                            wt_build_constant(&c->build, n->op == '-' ? 0 : UINT64_MAX));
        /* -x is 0 - x, and ~x is -1 ^ x. */
        if (n->op == '-' || n->op == '~')
            return wt_compile_arithmetic_wide(c, n->op == '-' ? '-' : '^', &other, &a, type, o,
                                              err);
        *o = a;
        return WT_OK;
    }
    if ((status = wt_compile_number(c, &a, type, &cell, err)) != WT_OK)
        return status;
    const unsigned bits = (unsigned)wt_type_size(type) * 8;
    const bool is_float = type->kind == WT_TYPE_FLOAT;
    if (n->op == '-')
        status = is_float ? wt_build_op(&c->build, WT_EXPR_F_NEGATE, bits, cell, cell, &cell, err)
                          : wt_build_op(&c->build, WT_EXPR_SUB, 0, wt_build_constant(&c->build, 0),
                                        cell, &cell, err);
    else if (n->op == '~')
        status = is_float ? wt_fail(err, WT_INVALID,
                                    "Argument to complement operation not an "
                                    "integer, boolean.")
                          : wt_build_op(&c->build, WT_EXPR_NOT, 0, cell, cell, &cell, err);
    return status ? status : wt_compile_finish_number(c, type, cell, o, err);
}

static enum wt_status compile_integer(struct compiler *c, const void *what, struct wt_operand *o,
                                      struct wt_error *err)
{
    const struct wt_type *type = wt_compile_integer(c, 8, true);
    wt_expr_vector cell = 0;
    enum wt_status status = wt_compile_node(c, what, o, err);
    if (!status && !wt_type_is_integral(wt_type_plain(o->type)))
        return wt_fail(err, WT_INVALID, "a bound must be an integer");
    if (!status)
        status = wt_compile_number(c, o, type, &cell, err);
    *o = wt_operand_cell(type, cell);
    return status;
}

enum wt_status wt_compile_bound(struct compiler *c, const struct wt_node *n, int64_t *bound,
                                struct wt_error *err)
{
    struct wt_operand o;
    uint64_t constant;
    enum wt_status status = compile_integer(c, n, &o, err);
    if (status)
        return status;
    if (wt_expr_is_constant(c->build.expr, o.piece[0].vector, &constant)) {
        *bound = (int64_t)constant;
        return WT_OK;
    }
    if (c->beside)
        return wt_fail(err, WT_UNSUPPORTED, "in a condition the bounds of a slice are constants");
    return c->number(c->scope, compile_integer, n, c->lanes, bound, err);
}

static enum wt_status compile_slice(struct compiler *c, const struct wt_node *n,
                                    struct wt_operand array, struct wt_operand *o,
                                    struct wt_error *err)
{
    int64_t a, b;
    enum wt_status status;
    if ((status = wt_compile_bound(c, n->b, &a, err)) != WT_OK ||
        (status = wt_compile_bound(c, n->c, &b, err)) != WT_OK)
        return status;
    const struct wt_operand first =
        wt_operand_cell(wt_compile_integer(c, 8, true), wt_build_constant(&c->build, (uint64_t)a));
    if (b < a || (uint64_t)b - (uint64_t)a >= 1u << 20)
        return wt_fail(err, WT_INVALID, "a slice has from 1 to 1048576 elements");
    if (wt_type_plain(array.type)->stride)
        return wt_fail(err, WT_UNSUPPORTED,
                       "the array's elements do not lie one after the other: write a(%" PRId64
                       ":%" PRId64 ")",
                       a, b);
    if ((status = wt_compile_element(c, &array, &first, o, err)) != WT_OK)
        return status;
    const struct wt_type *type =
        wt_types_array(c->build.types, o->type, (uint64_t)b - (uint64_t)a + 1);
    if (!wt_operand_in_memory(o)) {
        const uint64_t size = wt_type_size(o->type);
        const struct wt_type *plain = wt_type_plain(array.type);
        if ((uint64_t)b - (uint64_t)plain->lower >= plain->count)
            return wt_fail(err, WT_INVALID, "no such vector element");
        return wt_operand_part(&c->build, &array, ((uint64_t)a - (uint64_t)plain->lower) * size,
                               type, o, err);
    }
    *o = wt_operand_memory(type, o->piece[0].space, o->piece[0].vector);
    return WT_OK;
}

/* The way from a class to one of its base classes; false: it is none. */
static bool find_base(const struct wt_type *derived, const struct wt_type *base, struct way *way)
{
    size_t count;
    const struct wt_member *m = wt_type_members(derived, &count);
    for (size_t i = 0; i < count && way->count < MOST_STEPS; i++) {
        const struct wt_type *plain = wt_type_plain(m[i].type);
        if (!m[i].is_base || !wt_type_is_record(plain))
            continue;
        way->step[way->count++] = &m[i];
        if (plain == base || find_base(plain, base, way))
            return true;
        way->count--;
    }
    return false;
}

/* A pointer that is converted to one to a base class, or to a derived class, moves. */
static enum wt_status move_pointer(struct compiler *c, const struct wt_type *from,
                                   const struct wt_type *to, uint32_t space,
                                   wt_expr_vector *address, struct wt_error *err)
{
    const struct wt_type *a = wt_type_plain(wt_type_target(from));
    const struct wt_type *b = wt_type_plain(wt_type_target(to));
    struct way way = {.count = 0};
    if (!wt_type_is_record(a) || !wt_type_is_record(b) || a == b)
        return WT_OK;
    if (find_base(a, b, &way)) {
        struct wt_operand object = wt_operand_memory(a, space, *address);
        enum wt_status status = wt_compile_take_way(c, &way, &object, err);
        *address = object.piece[0].vector;
        return status;
    }
    if (!find_base(b, a, &way))
        return WT_OK;
    uint64_t offset = 0;
    for (unsigned i = 0; i < way.count; i++) {
        if (way.step[i]->is_virtual)
            return wt_fail(err, WT_UNSUPPORTED,
                           "a pointer to a virtual base does not say where the object begins");
        offset += way.step[i]->offset;
    }
    return wt_build_op(&c->build, WT_EXPR_SUB, 0, *address, wt_build_constant(&c->build, offset),
                       address, err);
}

/* Whether it is a pointer to a member that is no method: a number of bytes. */
static bool is_offset(const struct wt_operand *o)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    return plain->kind == WT_TYPE_MEMBER &&
           wt_type_plain(wt_type_target(plain))->kind != WT_TYPE_FUNCTION;
}

/* a.*b, a->*b: the class of the member may be a base of the object's. */
static enum wt_status pointed_member(struct compiler *c, bool arrow, const struct wt_operand *a,
                                     const struct wt_operand *b, struct wt_operand *o,
                                     struct wt_error *err)
{
    struct wt_operand object = *a, offset = *b;
    wt_expr_vector place;
    struct way way = {.count = 0};
    enum wt_status status = arrow ? wt_compile_dereference(c, a, &object, err) : WT_OK;
    if (status)
        return status;
    if (wt_type_plain(b->type)->kind != WT_TYPE_MEMBER)
        return wt_fail(err, WT_INVALID, "Not a pointer-to-member value.");
    if (!is_offset(b))
        return wt_fail(err, WT_UNSUPPORTED, "a method is called: that cannot be done here");
    const struct wt_type *class = wt_type_plain(object.type);
    const struct wt_type *owner = wt_type_plain(wt_type_plain(b->type)->owner);
    if (class != owner && (!wt_type_is_record(class) || !find_base(class, owner, &way)))
        return wt_fail(err, WT_INVALID, "the pointer is to a member of another class");
    if ((status = wt_compile_take_way(c, &way, &object, err)) != WT_OK)
        return status;
    if (!wt_operand_in_memory(&object))
        return wt_fail(err, WT_UNSUPPORTED, "the object is not in memory");
    offset.type = wt_compile_integer(c, wt_types_address_size(c->build.types), true);
    if ((status = wt_operand_cell_of(&c->build, &offset, &place, err)) != WT_OK ||
        (status = wt_build_op(&c->build, WT_EXPR_ADD, 0, object.piece[0].vector, place, &place,
                              err)) != WT_OK)
        return status;
    *o = wt_operand_memory(wt_type_target(wt_type_plain(b->type)), object.piece[0].space, place);
    return WT_OK;
}

/* &Class::member; false: the name is none of a class's members. */
static bool member_pointer(struct compiler *c, const struct wt_node *n, struct wt_operand *o)
{
    const char *name = n->a->kind == WT_NODE_NAME ? strrchr(n->a->text, ':') : NULL;
    struct wt_found found;
    struct way way = {.count = 0};
    const struct wt_member *member = NULL;
    uint64_t offset = 0;
    if (!name || name - n->a->text < 2 || wt_source_find(c->scope, n->a->text, &found))
        return false;
    char *class = strndup(n->a->text, (size_t)(name - n->a->text) - 1);
    const struct wt_type *type =
        class ? wt_source_find_type((void *)(uintptr_t)c->scope, class) : NULL;
    free(class);
    if (!type || !wt_type_is_record(wt_type_plain(type)) ||
        !wt_compile_find_member(wt_type_plain(type), name + 1, &way, &member) || member->bit_size)
        return false;
    for (unsigned i = 0; i < way.count; i++) {
        if (way.step[i]->is_virtual)
            return false;
        offset += way.step[i]->offset;
    }
    *o = wt_operand_cell(wt_types_member_pointer(c->build.types, type, member->type),
                         wt_build_constant(&c->build, offset + member->offset));
    return true;
}

static enum wt_status compile_cast(struct compiler *c, const struct wt_node *n,
                                   struct wt_operand *o, struct wt_error *err)
{
    struct wt_operand a;
    const struct wt_type *plain = wt_type_plain(n->type);
    const char *guess = c->guess;
    enum wt_status status = wt_compile_node(c, n->a, &a, err);
    if (!status && wt_type_is_scalar(plain))
        status = wt_compile_take_half(c, &a, err);
    if (status)
        return status;
    const struct wt_type *from = wt_type_plain(a.type);
    if (!plain->is_guess &&
        (plain->kind == WT_TYPE_POINTER || wt_type_size(plain) == wt_type_size(from)))
        c->guess = guess; /* the type is given now */
    if (a.type == &wt_compile_no_type || (plain == from && plain->kind != WT_TYPE_VOID) ||
        (!wt_type_is_scalar(plain) && wt_operand_in_memory(&a) &&
         wt_type_size(plain) == wt_type_size(from))) {
        *o = a;
        o->type = n->type;
        o->reference = NULL;
        if (wt_operand_in_memory(o))
            o->piece[0].size = wt_type_size(n->type);
        return WT_OK;
    }
    struct way way = {.count = 0};
    if (wt_type_is_record(plain) && wt_type_is_record(from) && find_base(from, plain, &way)) {
        *o = a;
        if ((status = wt_compile_take_way(c, &way, o, err)) == WT_OK)
            o->type = n->type;
        return status;
    }
    if (wt_compile_is_pointer(&a) && wt_type_is_scalar(plain)) {
        const struct wt_type *target;
        wt_expr_vector address;
        uint32_t space;
        if ((status = wt_compile_pointer_of(c, &a, &target, &address, &space, err)) != WT_OK)
            return status;
        if (plain->kind == WT_TYPE_POINTER && from->kind == WT_TYPE_POINTER &&
            (status = move_pointer(c, from, plain, space, &address, err)) != WT_OK)
            return status;
        a = wt_operand_cell(wt_compile_integer(c, wt_types_address_size(c->build.types), false),
                            address);
        status = wt_operand_convert(&c->build, &a, n->type, o, err);
        o->piece[0].space = plain->kind == WT_TYPE_POINTER ? space : 0;
        return status;
    }
    if (!wt_type_is_scalar(plain) || !wt_type_is_scalar(from))
        return wt_fail(err, WT_INVALID, "Invalid cast.");
    return wt_operand_convert(&c->build, &a, n->type, o, err);
}

static enum wt_status compile_call(struct compiler *c, const struct wt_node *n,
                                   struct wt_operand *o, struct wt_error *err)
{
    const enum reduction kind =
        n->a->kind == WT_NODE_NAME ? wt_compile_reduction_of(n->a->text) : R_NONE;
    struct wt_operand function;
    bool is_work;
    /* With several values, min and max are Fortran's. */
    if (kind != R_NONE && !(n->b && n->b->next && wt_source_is_fortran(c->scope)))
        return wt_compile_reduce(c, n, kind, o, err);
    enum wt_status status = wt_compile_work_call(c, n, o, &is_work, err);
    if (!status && !is_work)
        status = c->intrinsic(c, n, o, &is_work, err);
    if (status || is_work)
        return status;
    status = wt_compile_node(c, n->a, &function, err);
    if (status)
        return status;
    const struct wt_type *plain = wt_type_plain(function.type);
    if (plain->kind == WT_TYPE_ARRAY && !plain->is_vector)
        return c->section(c, n, &function, o, err);
    return wt_fail(err, WT_UNSUPPORTED,
                   "functions of the program cannot be called from an expression: a wave has one "
                   "pc for all of its lanes. Set a breakpoint in the function instead");
}

static enum wt_status compile_string(struct compiler *c, const struct wt_node *n,
                                     struct wt_operand *o, struct wt_error *err)
{
    const uint64_t size = n->value + 1;
    if (size > 8 * WT_PIECES)
        return wt_fail(err, WT_UNSUPPORTED, "a string of more than %d characters is not supported",
                       8 * WT_PIECES - 1);
    *o = wt_compile_constant_bytes(
        c, wt_types_array(c->build.types, wt_compile_basic(c, "char"), size),
        (const uint8_t *)n->text, size);
    return WT_OK;
}

enum wt_status wt_compile_text(struct compiler *c, const char *text, struct wt_operand *o,
                               struct wt_error *err)
{
    struct wt_node *root;
    enum wt_status status = wt_source_parse(c->scope, text, &root, err);
    if (status)
        return status;
    status = wt_compile_node(c, root, o, err);
    wt_node_free(root);
    return status;
}

enum wt_status wt_compile_node(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                               struct wt_error *err)
{
    struct wt_operand a, b;
    bool is_work;
    enum wt_status status = WT_OK;
    if (++c->depth > MOST_DEPTH)
        return wt_fail(err, WT_INVALID, "the expression is nested too deeply");
    if (++c->scope->source->work > MOST_WORK)
        return wt_fail(err, WT_UNSUPPORTED, "the expression is too long; split it");
    switch (n->kind) {
    case WT_NODE_NUMBER:
        *o = wt_operand_cell(n->type, wt_build_constant(&c->build, n->value));
        break;
    case WT_NODE_STRING:
        status = compile_string(c, n, o, err);
        break;
    case WT_NODE_NAME:
        status = wt_compile_work_name(c, n->text, o, &is_work, err);
        if (!status && !is_work)
            status = wt_compile_name(c, n->text, o, err);
        break;
    case WT_NODE_DOLLAR:
        status = wt_compile_dollar(c, n, o, err);
        break;
    case WT_NODE_REGION:
        status = wt_compile_region(c, n, o, err);
        break;
    case WT_NODE_MEMBER:
        status = wt_compile_coordinate(c, n, o, &is_work, err);
        if (status || is_work)
            break;
        /* fall through */
    case WT_NODE_ARROW:
        status = wt_compile_node(c, n->a, &a, err);
        /* Both operators apply to both kinds, as in GDB. */
        if (!status && wt_type_plain(a.type)->kind == WT_TYPE_POINTER)
            status = wt_compile_dereference(c, &a, &a, err);
        if (!status)
            status = wt_compile_member(c, &a, n->text, o, err);
        break;
    case WT_NODE_INDEX:
        status = wt_compile_node(c, n->a, &a, err);
        if (!status)
            status = wt_compile_node(c, n->b, &b, err);
        if (!status && n->a->kind == WT_NODE_DOLLAR && wt_type_is_integral(wt_type_plain(a.type)))
            status = wt_fail(err, WT_INVALID,
                             "$%s is one number in each lane, and has no elements: $%s@0 is that "
                             "of lane 0",
                             n->a->text, n->a->text);
        if (!status)
            status = wt_compile_element(c, &a, &b, o, err);
        break;
    case WT_NODE_SLICE:
        status = wt_compile_node(c, n->a, &a, err);
        if (!status)
            status = compile_slice(c, n, a, o, err);
        break;
    case WT_NODE_SECTION:
        status = wt_fail(err, WT_INVALID, "a range (a[0..7]) needs an array");
        break;
    case WT_NODE_CALL:
        status = compile_call(c, n, o, err);
        break;
    case WT_NODE_CAST:
        status = compile_cast(c, n, o, err);
        break;
    case WT_NODE_SIZEOF: {
        const struct wt_type *type = n->a->type;
        if (n->a->kind != WT_NODE_TYPE)
            status = wt_compile_type_of(c, n->a, &type, err);
        if (!status)
            *o = wt_operand_cell(wt_compile_basic(c, "unsigned long"),
                                 wt_build_constant(&c->build, wt_type_size(type)));
        break;
    }
    case WT_NODE_UNARY:
        status = compile_unary(c, n, o, err);
        break;
    case WT_NODE_BINARY:
        if (n->op == WT_OP_AND || n->op == WT_OP_OR) {
            status = logic(c, n, o, err);
            break;
        }
        status = wt_compile_place_equal(c, n, o, &is_work, err);
        if (status || is_work)
            break;
        status = wt_compile_node(c, n->a, &a, err);
        if (!status)
            status = wt_compile_node(c, n->b, &b, err);
        if (!status && (n->op == WT_OP_MEMBER || n->op == WT_OP_ARROW_MEMBER)) {
            status = pointed_member(c, n->op == WT_OP_ARROW_MEMBER, &a, &b, o, err);
            break;
        }
        if (!status && is_offset(&a) && is_offset(&b) && (n->op == WT_OP_EQ || n->op == WT_OP_NE))
            a.type = b.type = wt_compile_integer(c, wt_types_address_size(c->build.types), true);
        if (!status)
            status = wt_compile_take_half(c, &a, err);
        if (!status)
            status = wt_compile_take_half(c, &b, err);
        if (!status)
            status = wt_compile_arithmetic(c, n->op, &a, &b, o, err);
        break;
    case WT_NODE_CONDITION:
        status = conditional(c, n, o, err);
        break;
    case WT_NODE_ASSIGN:
        status = wt_fail(err, WT_UNSUPPORTED,
                         "an assignment must be alone, not within an "
                         "expression");
        break;
    case WT_NODE_COMMA:
        status = wt_compile_node(c, n->a, &a, err);
        if (!status)
            status = wt_compile_node(c, n->b, o, err);
        break;
    case WT_NODE_LANES:
        status = wt_compile_select_lanes(c, n, o, err);
        break;
    case WT_NODE_SPACE:
        status = wt_compile_space(c, n, o, err);
        break;
    case WT_NODE_TYPE:
        if (!c->types_only)
            status = wt_fail(err, WT_INVALID, "Attempt to use a type name as an expression.");
        *o = wt_compile_lost(n->type);
        break;
    }
    c->depth--;
    return status;
}

bool wt_compile_is_untyped(const struct wt_operand *o)
{
    return o->type == &wt_compile_no_type;
}
