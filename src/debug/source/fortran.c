/*
 * Fortran: sections of arrays, and intrinsic functions (ISO/IEC 1539-1:2018, 9.5.3 and 16.9). An
 * intrinsic function becomes a tree of operators, which is compiled in its place.
 */
#include <inttypes.h>
#include <string.h>

#include "debug/source/source_internal.h"

#define MOST_DIMENSIONS 16
#define MOST_ARGUMENTS 8

/* ---- sections ---- */

/* One dimension of an array and what is taken of it. */
struct fortran_dimension {
    const struct wt_type *type;
    const struct wt_node *index;
    bool is_range;
    int64_t first, stride; /* a range's, in elements */
    uint64_t count;
};

static int64_t step_of(const struct wt_type *array)
{
    return array->stride ? array->stride : (int64_t)wt_type_size(wt_type_target(array));
}

static enum wt_status bound_of(struct compiler *c, const struct wt_node *n, int64_t otherwise,
                               int64_t *value, struct wt_error *err)
{
    *value = otherwise;
    return n ? wt_compile_bound(c, n, value, err) : WT_OK;
}

static enum wt_status read_range(struct compiler *c, struct fortran_dimension *d,
                                 struct wt_error *err)
{
    const struct wt_type *t = d->type;
    int64_t last, stride;
    enum wt_status status = bound_of(c, d->index->a, 1, &stride, err);
    if (status)
        return status;
    if (!t->has_count && !(d->index->b && d->index->c))
        return wt_fail(err, WT_INVALID, "the bounds of the array are not known: give both");
    if (stride == 0)
        return wt_fail(err, WT_INVALID, "a stride is not 0");
    const int64_t end = (int64_t)((uint64_t)t->lower + t->count - 1);
    if ((status = bound_of(c, d->index->b, stride > 0 ? t->lower : end, &d->first, err)) ||
        (status = bound_of(c, d->index->c, stride > 0 ? end : t->lower, &last, err)))
        return status;
    const bool empty = stride > 0 ? last < d->first : last > d->first;
    if (!empty && t->has_count &&
        (d->first < t->lower || d->first > end || last < t->lower || last > end))
        return wt_fail(err, WT_INVALID,
                       "the section %" PRId64 ":%" PRId64
                       " is outside of the array, which has %" PRId64 ":%" PRId64,
                       d->first, last, t->lower, end);
    const uint64_t apart =
        stride > 0 ? (uint64_t)last - (uint64_t)d->first : (uint64_t)d->first - (uint64_t)last;
    d->count = empty ? 0 : apart / (stride > 0 ? (uint64_t)stride : -(uint64_t)stride) + 1;
    d->stride = stride;
    return WT_OK;
}

static enum wt_status check_index(struct compiler *c, const struct fortran_dimension *d,
                                  wt_expr_vector cell, struct wt_error *err)
{
    uint64_t value;
    if (!d->type->has_count || !wt_expr_is_constant(c->build.expr, cell, &value) ||
        value - (uint64_t)d->type->lower < d->type->count)
        return WT_OK;
    return wt_fail(err, WT_INVALID, "no such vector element");
}

/* Adds the offset of a dimension's element, or of the lowest one of a range. */
static enum wt_status add_offset(struct compiler *c, const struct fortran_dimension *d,
                                 wt_expr_vector *address, struct wt_error *err)
{
    struct wt_build *b = &c->build;
    const uint64_t step = (uint64_t)step_of(d->type);
    /* A descending array begins with its last element. */
    uint64_t fixed =
        (d->type->stride ? wt_type_element_at(d->type, 0) : 0) - (uint64_t)d->type->lower * step;
    wt_expr_vector cell = 0;
    enum wt_status status = WT_OK;
    if (d->is_range) {
        const uint64_t apart = step * (uint64_t)d->stride;
        fixed += (uint64_t)d->first * step;
        if ((int64_t)apart < 0 && d->count)
            fixed += (d->count - 1) * apart;
    } else {
        struct wt_operand o;
        if ((status = wt_compile_node(c, d->index, &o, err)) != WT_OK)
            return status;
        if (!wt_type_is_integral(wt_type_plain(o.type)))
            return wt_fail(err, WT_INVALID, "an index must be an integer");
        if ((status = wt_compile_number(c, &o, wt_types_integer(b->types, 8, true), &cell, err)) ||
            (status = check_index(c, d, cell, err)) ||
            (status =
                 wt_build_op(b, WT_EXPR_MUL, 0, cell, wt_build_constant(b, step), &cell, err)) ||
            (status = wt_build_op(b, WT_EXPR_ADD, 0, *address, cell, address, err)))
            return status;
    }
    return wt_build_op(b, WT_EXPR_ADD, 0, *address, wt_build_constant(b, fixed), address, err);
}

/* The dimensions of an array, the innermost first, with what is taken of each. */
static enum wt_status read_dimensions(struct compiler *c, const struct wt_node *call,
                                      const struct wt_type *array,
                                      struct fortran_dimension *dimension, unsigned *count,
                                      struct wt_error *err)
{
    unsigned rank = 0, given = 0;
    for (const struct wt_type *t = wt_type_plain(array);
         t->kind == WT_TYPE_ARRAY && rank < MOST_DIMENSIONS; t = wt_type_plain(wt_type_target(t)))
        rank++;
    const struct wt_type *t = wt_type_plain(array);
    for (unsigned i = rank; i-- > 0; t = wt_type_plain(wt_type_target(t)))
        dimension[i] = (struct fortran_dimension){.type = t};
    for (const struct wt_node *n = call->b; n; n = n->next, given++)
        if (given < rank) {
            dimension[given].index = n;
            dimension[given].is_range = n->kind == WT_NODE_SECTION;
        }
    if (given != rank)
        return wt_fail(err, WT_INVALID, "the array has %u dimensions, not %u", rank, given);
    enum wt_status status = WT_OK;
    for (unsigned i = 0; i < rank && !status; i++)
        if (dimension[i].is_range)
            status = read_range(c, &dimension[i], err);
    *count = rank;
    return status;
}

enum wt_status wt_compile_section(struct compiler *c, const struct wt_node *call,
                                  const struct wt_operand *array, struct wt_operand *o,
                                  struct wt_error *err)
{
    struct fortran_dimension dimension[MOST_DIMENSIONS];
    unsigned count = 0;
    enum wt_status status = read_dimensions(c, call, array->type, dimension, &count, err);
    if (status)
        return status;
    if (!wt_operand_in_memory(array))
        return wt_fail(err, WT_UNSUPPORTED, "the array is not in memory");
    wt_expr_vector address = array->piece[0].vector;
    const struct wt_type *type = wt_type_target(dimension[0].type);
    for (unsigned i = 0; i < count && !status; i++) {
        const struct fortran_dimension *d = &dimension[i];
        status = add_offset(c, d, &address, err);
        if (d->is_range)
            type = wt_types_array_strided(
                c->build.types, type, 1, d->count,
                (int64_t)((uint64_t)step_of(d->type) * (uint64_t)d->stride), &d->type->die);
    }
    if (!status)
        *o = wt_operand_memory(type, array->piece[0].space, address);
    return status;
}

/* ---- intrinsic functions: trees ---- */

/* A call's arguments, and the nodes that are made of them. */
struct fortran_call {
    struct compiler *c;
    struct wt_node argument[MOST_ARGUMENTS];
    unsigned count;
    struct wt_node made[128];
    unsigned made_count;
};

static struct wt_node *make(struct fortran_call *x, struct wt_node node)
{
    /* Every formula below needs fewer. */
    if (x->made_count == sizeof x->made / sizeof x->made[0])
        return &x->made[0];
    x->made[x->made_count] = node;
    return &x->made[x->made_count++];
}

static struct wt_node *unary(struct fortran_call *x, int op, struct wt_node *a)
{
    return make(x, (struct wt_node){.kind = WT_NODE_UNARY, .op = op, .a = a});
}

static struct wt_node *binary(struct fortran_call *x, struct wt_node *a, int op, struct wt_node *b)
{
    return make(x, (struct wt_node){.kind = WT_NODE_BINARY, .op = op, .a = a, .b = b});
}

static struct wt_node *choose(struct fortran_call *x, struct wt_node *a, struct wt_node *b,
                              struct wt_node *c)
{
    return make(x, (struct wt_node){.kind = WT_NODE_CONDITION, .a = a, .b = b, .c = c});
}

static struct wt_node *cast(struct fortran_call *x, const char *type, struct wt_node *a)
{
    return make(x, (struct wt_node){.kind = WT_NODE_CAST,
                                    .type = wt_types_basic(x->c->build.types, type),
                                    .a = a});
}

static struct wt_node *number(struct fortran_call *x, int64_t value)
{
    return make(x, (struct wt_node){.kind = WT_NODE_NUMBER,
                                    .value = (uint64_t)value,
                                    .type = wt_types_integer(x->c->build.types, 4, true)});
}

static struct wt_node *real(struct fortran_call *x, double value)
{
    struct wt_node n = {.kind = WT_NODE_NUMBER,
                        .type = wt_types_basic(x->c->build.types, "double")};
    memcpy(&n.value, &value, sizeof value);
    return make(x, n);
}

/* @p op: of the row, where several functions are made in one way. */
typedef struct wt_node *formula_fn(struct fortran_call *x, int op);

static struct wt_node *the_abs(struct fortran_call *x, int op)
{
    struct wt_node *a = &x->argument[0];
    return choose(x, binary(x, a, '<', number(x, 0)), unary(x, '-', a), a);
}

static struct wt_node *of_two(struct fortran_call *x, int op)
{
    return binary(x, &x->argument[0], op, &x->argument[1]);
}

/* The remainder has the sign of the divisor. */
static struct wt_node *the_modulo(struct fortran_call *x, int op)
{
    struct wt_node *rest = of_two(x, WT_OP_F_REM), *p = &x->argument[1], *zero = number(x, 0);
    struct wt_node *apart =
        binary(x, binary(x, rest, '<', zero), WT_OP_NE, binary(x, p, '<', zero));
    return choose(x, binary(x, binary(x, rest, WT_OP_NE, zero), WT_OP_AND, apart),
                  binary(x, rest, '+', p), rest);
}

static struct wt_node *best_of(struct fortran_call *x, int op)
{
    struct wt_node *best = &x->argument[0];
    for (unsigned i = 1; i < x->count; i++) {
        struct wt_node *next = &x->argument[i];
        best = choose(x, binary(x, best, op, next), best, next);
    }
    return best;
}

static struct wt_node *the_sign(struct fortran_call *x, int op)
{
    struct wt_node *size = the_abs(x, 0);
    return choose(x, binary(x, &x->argument[1], '<', number(x, 0)), unary(x, '-', size), size);
}

/* The kind that a function's last argument gives, a constant; 0: another node. */
static uint64_t kind_of(const struct fortran_call *x, unsigned at, uint64_t otherwise)
{
    if (at >= x->count)
        return otherwise;
    return x->argument[at].kind == WT_NODE_NUMBER ? x->argument[at].value : 0;
}

static struct wt_node *integer(struct fortran_call *x, struct wt_node *a)
{
    const uint64_t kind = kind_of(x, 1, 4);
    const char *type = kind == 1   ? "signed char"
                       : kind == 2 ? "short"
                       : kind == 4 ? "int"
                       : kind == 8 ? "long long"
                                   : NULL;
    return type ? cast(x, type, a) : NULL;
}

static struct wt_node *the_int(struct fortran_call *x, int op)
{
    return integer(x, &x->argument[0]);
}

static struct wt_node *the_real(struct fortran_call *x, int op)
{
    const uint64_t kind = kind_of(x, 1, 4);
    return kind == 4 || kind == 8 ? cast(x, kind == 4 ? "float" : "double", &x->argument[0]) : NULL;
}

static struct wt_node *the_dble(struct fortran_call *x, int op)
{
    return cast(x, "double", &x->argument[0]);
}

static struct wt_node *the_nint(struct fortran_call *x, int op)
{
    struct wt_node *a = &x->argument[0], *half = real(x, 0.5);
    struct wt_node *near = choose(x, binary(x, a, '<', number(x, 0)), binary(x, a, '-', half),
                                  binary(x, a, '+', half));
    return integer(x, near);
}

/* The integer below or above, from the one towards zero. */
static struct wt_node *next_to(struct fortran_call *x, int op)
{
    struct wt_node *a = &x->argument[0], *cut = cast(x, "long long", a);
    struct wt_node *beside = binary(x, cut, op == '<' ? '-' : '+', number(x, 1));
    return integer(x, choose(x, binary(x, a, op, cast(x, "double", cut)), beside, cut));
}

static struct wt_node *the_sqrt(struct fortran_call *x, int op)
{
    return binary(x, &x->argument[0], WT_OP_POWER,
                  make(x, (struct wt_node){.kind = WT_NODE_CAST,
                                           .type = wt_types_basic(x->c->build.types, "float"),
                                           .a = real(x, 0.5)}));
}

static struct wt_node *the_not(struct fortran_call *x, int op)
{
    return unary(x, '~', &x->argument[0]);
}

static struct wt_node *the_btest(struct fortran_call *x, int op)
{
    struct wt_node *bit =
        binary(x, binary(x, &x->argument[0], WT_OP_SHR, &x->argument[1]), '&', number(x, 1));
    return binary(x, bit, WT_OP_NE, number(x, 0));
}

static struct wt_node *the_merge(struct fortran_call *x, int op)
{
    return choose(x, &x->argument[2], &x->argument[0], &x->argument[1]);
}

static const struct {
    const char *name;
    formula_fn *formula;
    unsigned least, most;
    int op;
} functions[] = {
    {"abs", the_abs, 1, 1, 0},       {"mod", of_two, 2, 2, WT_OP_F_REM},
    {"modulo", the_modulo, 2, 2, 0}, {"min", best_of, 2, 5, '<'},
    {"max", best_of, 2, 5, '>'},     {"sign", the_sign, 2, 2, 0},
    {"int", the_int, 1, 2, 0},       {"real", the_real, 1, 2, 0},
    {"dble", the_dble, 1, 1, 0},     {"nint", the_nint, 1, 2, 0},
    {"floor", next_to, 1, 2, '<'},   {"ceiling", next_to, 1, 2, '>'},
    {"sqrt", the_sqrt, 1, 1, 0},     {"iand", of_two, 2, 2, '&'},
    {"ior", of_two, 2, 2, '|'},      {"ieor", of_two, 2, 2, '^'},
    {"not", the_not, 1, 1, 0},       {"btest", the_btest, 2, 2, 0},
    {"merge", the_merge, 3, 3, 0},
};

/* ---- intrinsic functions of arrays ---- */

enum inquiry { SIZE, LBOUND, UBOUND, SHAPE, RANK, KIND, ALLOCATED, LENGTH, NO_INQUIRY };

static enum inquiry inquiry_of(const char *name)
{
    static const char *const names[] = {"size", "lbound", "ubound",    "shape",
                                        "rank", "kind",   "allocated", "len"};
    for (int i = 0; i < NO_INQUIRY; i++)
        if (strcmp(names[i], name) == 0)
            return (enum inquiry)i;
    return strcmp(name, "associated") == 0 ? ALLOCATED : NO_INQUIRY;
}

static struct wt_operand constant(struct compiler *c, int64_t value)
{
    return wt_operand_cell(wt_types_integer(c->build.types, 4, true),
                           wt_build_constant(&c->build, (uint64_t)value));
}

/* A number of each dimension, the innermost first. */
static struct wt_operand list_of(struct compiler *c, const int64_t *number, unsigned count,
                                 const Dwarf_Die *die)
{
    const struct wt_type *element = wt_types_integer(c->build.types, 4, true);
    struct wt_operand o = {.type = wt_types_array_from(c->build.types, element, 1, count, die),
                           .piece_count = count};
    for (unsigned i = 0; i < count; i++)
        o.piece[i] = (struct wt_piece){.kind = WT_PIECE_CELL,
                                       .vector = wt_build_constant(&c->build, (uint64_t)number[i]),
                                       .reg = -1,
                                       .size = 4};
    return o;
}

/* The dimensions of an array, the innermost first; its rank. */
static unsigned dimensions_of(const struct wt_type *type, const struct wt_type **dimension)
{
    unsigned rank = 0;
    for (const struct wt_type *t = wt_type_plain(type);
         t->kind == WT_TYPE_ARRAY && rank < MOST_DIMENSIONS; t = wt_type_plain(wt_type_target(t)))
        dimension[rank++] = t;
    for (unsigned i = 0; i < rank / 2; i++) {
        const struct wt_type *swap = dimension[i];
        dimension[i] = dimension[rank - 1 - i];
        dimension[rank - 1 - i] = swap;
    }
    return rank;
}

static int64_t of_dimension(enum inquiry what, const struct wt_type *t)
{
    return what == LBOUND   ? t->lower
           : what == UBOUND ? (int64_t)((uint64_t)t->lower + t->count - 1)
                            : (int64_t)t->count;
}

static enum wt_status of_array(struct compiler *c, enum inquiry what,
                               const struct wt_operand *array, const struct wt_node *which,
                               struct wt_operand *o, struct wt_error *err)
{
    const struct wt_type *dimension[MOST_DIMENSIONS];
    const unsigned rank = dimensions_of(array->type, dimension);
    int64_t number[MOST_DIMENSIONS], product = 1, at = 0;
    if (what == RANK) {
        *o = constant(c, rank);
        return WT_OK;
    }
    if (rank == 0)
        return wt_fail(err, WT_INVALID, "that is a question about an array");
    for (unsigned i = 0; i < rank; i++) {
        if (!dimension[i]->has_count && what != LBOUND)
            return wt_fail(err, WT_INVALID, "the bounds of the array are not known");
        number[i] = of_dimension(what, dimension[i]);
        product = (int64_t)((uint64_t)product * dimension[i]->count);
    }
    enum wt_status status = bound_of(c, which, 0, &at, err);
    if (!status && which && (at < 1 || at > (int64_t)rank))
        return wt_fail(err, WT_INVALID, "the array has dimensions 1 to %u", rank);
    if (!status && which)
        *o = constant(c, number[at - 1]);
    else if (!status && what == SIZE)
        *o = constant(c, product);
    else if (!status)
        *o = list_of(c, number, rank, &dimension[0]->die);
    return status;
}

static enum wt_status compile_inquiry(struct compiler *c, enum inquiry what,
                                      const struct wt_node *call, struct wt_operand *o,
                                      struct wt_error *err)
{
    const struct wt_node *which = call->b ? call->b->next : NULL;
    const bool has_dimension = what == SIZE || what == LBOUND || what == UBOUND;
    struct wt_operand array;
    struct wt_error why;
    if (!call->b || (which && (!has_dimension || which->next)))
        return wt_fail(err, WT_INVALID, "%s() takes %s", call->a->text,
                       has_dimension ? "an array, and a dimension" : "one value");
    struct wt_node subject = *call->b;
    subject.next = NULL;
    enum wt_status status = wt_compile_node(c, &subject, &array, &why);
    if (what == ALLOCATED && (!status || strstr(why.text, "not allocated"))) {
        *o = wt_operand_cell(wt_types_basic(c->build.types, "bool"),
                             wt_build_constant(&c->build, !status));
        return WT_OK;
    }
    if (status) {
        *err = why;
        return status;
    }
    const struct wt_type *plain = wt_type_plain(array.type);
    if (what == KIND || what == LENGTH) {
        while (what == KIND && plain->kind == WT_TYPE_ARRAY)
            plain = wt_type_plain(wt_type_target(plain));
        *o = constant(c, (int64_t)wt_type_size(plain));
        return WT_OK;
    }
    return of_array(c, what, &array, which, o, err);
}

enum wt_status wt_compile_intrinsic(struct compiler *c, const struct wt_node *call,
                                    struct wt_operand *o, bool *is_one, struct wt_error *err)
{
    struct wt_found found;
    *is_one = false;
    /* A variable of the name is meant rather than the function. */
    if (call->a->kind != WT_NODE_NAME || !wt_source_is_fortran(c->scope) ||
        wt_source_find(c->scope, call->a->text, &found))
        return WT_OK;
    const char *name = call->a->text;
    const enum inquiry what = inquiry_of(name);
    if (what != NO_INQUIRY) {
        *is_one = true;
        return compile_inquiry(c, what, call, o, err);
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, name) != 0)
            continue;
        struct fortran_call x = {.c = c};
        *is_one = true;
        for (const struct wt_node *n = call->b; n; n = n->next) {
            if (x.count == functions[i].most)
                return wt_fail(err, WT_INVALID, "%s() takes at most %u values", name,
                               functions[i].most);
            x.argument[x.count] = *n;
            x.argument[x.count++].next = NULL;
        }
        if (x.count < functions[i].least)
            return wt_fail(err, WT_INVALID, "%s() takes %u value%s", name, functions[i].least,
                           functions[i].least > 1 ? "s" : "");
        const struct wt_node *formula = functions[i].formula(&x, functions[i].op);
        return formula ? wt_compile_node(c, formula, o, err)
                       : wt_fail(err, WT_INVALID, "there is no such kind of number");
    }
    return WT_OK;
}
