/* Compiles what concerns lanes: their selection, reductions over them, registers of all of them. */
#include <string.h>

#include "debug/source/compile.h"

/* A cell that is not 0 in exactly these lanes. */
static enum wt_status is_among(struct compiler *c, wt_lanes lanes, wt_expr_vector *among,
                               struct wt_error *err)
{
    const int index = wt_compile_register_index(c->build.topology, "_lane");
    if (index < 0 || lanes >> 64)
        return wt_fail(err, WT_UNSUPPORTED, "a condition can ask for lanes 0 to 63");
    if (lanes >> c->build.topology->lanes)
        return wt_fail(err, WT_INVALID, "there is no lane %u: a %s has lanes 0 to %u",
                       wt_lanes_highest(lanes), c->build.topology->wave_word,
                       c->build.topology->lanes - 1);
    enum wt_status status = wt_build_op(
        &c->build, WT_EXPR_SHR_UNSIGNED, 0, wt_build_constant(&c->build, (uint64_t)lanes),
        wt_expr_register(c->build.expr, (unsigned)index), among, err);
    return status ? status
                  : wt_build_op(&c->build, WT_EXPR_AND, 0, *among, wt_build_constant(&c->build, 1),
                                among, err);
}

static bool selects_one(const struct wt_node *n)
{
    return n->kind == WT_NODE_LANES && !n->all_lanes && !(n->lanes & (n->lanes - 1));
}

/* Finds the value of a node that was computed before the lanes diverged. */
static bool find_reduced(const struct compiler *c, const struct wt_node *n, struct wt_operand *o)
{
    for (unsigned i = 0; i < c->reduced_count; i++)
        if (c->reduced[i].node == n) {
            *o = wt_operand_cell(c->reduced[i].type, c->reduced[i].vector);
            return true;
        }
    return false;
}

/* x@3 and x@0..7 in a condition: for one lane, all lanes get its value; for several, all lanes get
 * their reduction. */
static enum wt_status lanes_beside(struct compiler *c, const struct wt_node *n,
                                   struct wt_operand *o, struct wt_error *err)
{
    const bool one = selects_one(n);
    wt_expr_vector cell, there;
    struct wt_operand value;
    if (find_reduced(c, n, o))
        return WT_OK;
    if (!one && !c->in_reduction)
        return wt_fail(err, WT_INVALID,
                       "a condition is one for each lane: take the lanes together, as in any(…), "
                       "all(…) or sum(…)");
    if (!one) {
        c->over |= n->all_lanes ? 0 : n->lanes;
        return wt_compile_node(c, n->a, o, err);
    }
    enum wt_status status = wt_compile_node(c, n->a, &value, err);
    if (status)
        return status;
    if (!wt_type_is_scalar(wt_type_plain(value.type)))
        return wt_fail(err, WT_UNSUPPORTED, "a condition can ask other lanes for numbers only");
    if ((status = wt_operand_cell_of(&c->build, &value, &cell, err)) != WT_OK ||
        (status = is_among(c, n->lanes, &there, err)) != WT_OK ||
        (status = wt_build_op(&c->build, WT_EXPR_OVER_MAX_UNSIGNED, 0, cell, there, &cell, err)) !=
            WT_OK)
        return status;
    *o = wt_operand_cell(value.type, cell);
    return WT_OK;
}

/* Lane number `k` among `lanes` has no value. */
static enum wt_status no_value(const struct wt_values *values, unsigned k, wt_lanes lanes,
                               struct wt_error *err)
{
    char text[WT_VALUE_REASON];
    const char *why = wt_values_reason(values, k, text);
    for (unsigned i = 0; i < k; i++)
        lanes &= lanes - 1;
    if (!why)
        why = values->state[k] == WT_VALUE_LOST ? "value has been optimized out"
                                                : "it waits where the expression means nothing";
    return wt_fail(err, WT_INVALID, "the value of lane %u cannot be read: %s",
                   wt_lanes_lowest(lanes), why);
}

enum wt_status wt_compile_select_lanes(struct compiler *c, const struct wt_node *n,
                                       struct wt_operand *o, struct wt_error *err)
{
    if (c->beside)
        return lanes_beside(c, n, o, err);
    if (!c->all)
        return wt_fail(err, WT_STATE, "no wave is selected whose lanes could be meant");
    const wt_lanes lanes = n->all_lanes ? c->all : n->lanes;
    if (lanes & ~c->all)
        return wt_fail(err, WT_INVALID, "there is no lane %u: the %s has lanes 0 to %u",
                       wt_lanes_highest(lanes), c->scope->source->topology->wave_word,
                       wt_lanes_highest(c->all));
    /* Within an expression, one lane's value is the same for all lanes. */
    if (c->depth > 1 && !n->all_lanes && !(lanes & (lanes - 1)) && !c->types_only) {
        struct wt_values values;
        enum wt_status status = c->evaluate(c->scope, n->a, lanes, &values, err);
        if (status)
            return status;
        if (values.state[0] != WT_VALUE_GOOD)
            status = no_value(&values, 0, lanes, err);
        else if (values.size > 8 * WT_PIECES)
            status = wt_fail(err, WT_UNSUPPORTED, "the value is too large to be used here");
        else
            *o = wt_compile_constant_bytes(c, values.type, values.bytes, values.size);
        o->bit_offset = values.bit_offset;
        o->bit_size = values.bit_size;
        wt_values_free(&values);
        return status;
    }
    c->any_lanes = true;
    c->lanes |= lanes;
    return wt_compile_node(c, n->a, o, err);
}

enum reduction wt_compile_reduction_of(const char *name)
{
    static const char *const names[] = {"min", "max", "sum", "any", "all", "count"};
    for (int i = 0; i < R_NONE; i++)
        if (strcmp(names[i], name) == 0)
            return (enum reduction)i;
    return R_NONE;
}

static bool less(const struct wt_number *a, const struct wt_number *b)
{
    if (a->is_float)
        return a->real < b->real;
    return a->is_signed ? (int64_t)a->integer < (int64_t)b->integer : a->integer < b->integer;
}

static bool is_true(const struct wt_number *n)
{
    return n->is_float ? n->real != 0 : n->integer != 0;
}

/* The type of a sum of numbers of @p type, which their own would cut: double, or 64 bits. */
static const struct wt_type *type_of_sum(struct compiler *c, const struct wt_type *type)
{
    const struct wt_type *plain = wt_type_plain(type);
    return wt_compile_basic(c, plain->kind == WT_TYPE_FLOAT || wt_type_half(plain) ? "double"
                               : wt_type_is_signed(plain)                          ? "long long"
                                                          : "unsigned long long");
}

static enum wt_status all_of(const struct wt_values *values, enum reduction kind,
                             struct wt_number *result, struct wt_error *err)
{
    unsigned count = 0;
    bool any = false;
    for (unsigned k = 0; k < values->lane_count; k++) {
        struct wt_number n;
        if (values->state[k] != WT_VALUE_GOOD)
            return no_value(values, k, values->lanes, err);
        if (!wt_number_of(values->type, values->bit_offset, values->bit_size,
                          values->bytes + k * values->size, &n))
            return wt_fail(err, WT_INVALID, "only numbers can be taken together over lanes");
        count += is_true(&n);
        if (!any) {
            *result = n;
        } else if (kind == R_SUM) {
            result->integer += n.integer;
            result->real += n.real;
        } else if (kind == R_MIN ? less(&n, result) : kind == R_MAX && less(result, &n)) {
            *result = n;
        }
        any = true;
    }
    if (kind == R_ANY || kind == R_ALL || kind == R_COUNT)
        *result = (struct wt_number){.integer = kind == R_ANY   ? count > 0
                                                : kind == R_ALL ? count == values->lane_count
                                                                : count};
    return WT_OK;
}

enum wt_status wt_compile_reduce(struct compiler *c, const struct wt_node *n, enum reduction kind,
                                 struct wt_operand *o, struct wt_error *err)
{
    const bool counts = kind == R_ANY || kind == R_ALL || kind == R_COUNT;
    const struct wt_type *type = wt_compile_basic(c, "int");
    struct wt_values values;
    struct wt_number result = {0};
    enum wt_status status;
    if (!n->b || n->b->next)
        return wt_fail(err, WT_INVALID, "%s() takes one value over lanes, as in %s(x@*)",
                       n->a->text, n->a->text);
    if (find_reduced(c, n, o))
        return WT_OK;
    if (c->beside && !c->types_only)
        return wt_fail(err, WT_UNSUPPORTED, "values over lanes cannot be taken together twice");
    if (c->types_only) {
        if ((status = wt_compile_type_of(c, n->b, &type, err)) != WT_OK)
            return status;
        *o = wt_operand_cell(counts          ? wt_compile_basic(c, "int")
                             : kind == R_SUM ? type_of_sum(c, type)
                                             : type,
                             wt_build_constant(&c->build, 0));
        return WT_OK;
    }
    if (!c->all)
        return wt_fail(err, WT_STATE, "no wave is selected whose lanes could be meant");
    /* All lanes means the enabled ones: values in other lanes are left over from earlier. */
    struct wt_thread_position place = {.active = c->all};
    wt_debugger_thread_position(c->scope->source->debugger, c->scope->thread, &place, WT_IGNORED);
    const wt_lanes active = place.active ? place.active : c->all;
    if ((status = c->evaluate(c->scope, n->b, active, &values, err)) != WT_OK)
        return status;
    if (values.lanes == c->all && values.lanes != active) {
        wt_values_free(&values);
        struct wt_node inner = *n->b;
        while (inner.kind == WT_NODE_LANES && inner.all_lanes && inner.a)
            inner = *inner.a;
        if ((status = c->evaluate(c->scope, &inner, active, &values, err)) != WT_OK)
            return status;
    }
    status = all_of(&values, kind, &result, err);
    if (!counts)
        type = kind == R_SUM && !status    ? type_of_sum(c, values.type)
               : wt_type_half(values.type) ? wt_compile_basic(c, "float")
                                           : values.type;
    wt_values_free(&values);
    if (status)
        return status;
    if (!result.is_float) {
        *o = wt_operand_cell(type, wt_build_constant(&c->build, result.integer));
        return WT_OK;
    }
    uint64_t bits;
    memcpy(&bits, &result.real, sizeof bits);
    struct wt_operand wide =
        wt_operand_cell(wt_compile_basic(c, "double"), wt_build_constant(&c->build, bits));
    return wt_operand_convert(&c->build, &wide, type, o, err);
}

/* The result of a reduction, as a vector with the same value in all lanes: a holds the values, b
 * tells which lanes count. */
static enum wt_status combine(struct compiler *c, enum reduction kind, const struct wt_type **type,
                              wt_expr_vector a, wt_expr_vector b, wt_expr_vector *result,
                              struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(*type);
    const bool is_float = plain->kind == WT_TYPE_FLOAT, is_signed = wt_type_is_signed(plain);
    const unsigned bits = (unsigned)wt_type_size(plain) * 8;
    enum wt_status status = WT_OK;
    enum wt_expr_op op = WT_EXPR_OVER_SUM;
    if (kind == R_MIN)
        op = is_float    ? WT_EXPR_OVER_F_MIN
             : is_signed ? WT_EXPR_OVER_MIN_SIGNED
                         : WT_EXPR_OVER_MIN_UNSIGNED;
    else if (kind == R_MAX)
        op = is_float    ? WT_EXPR_OVER_F_MAX
             : is_signed ? WT_EXPR_OVER_MAX_SIGNED
                         : WT_EXPR_OVER_MAX_UNSIGNED;
    else if (kind == R_SUM && is_float)
        op = WT_EXPR_OVER_F_SUM;
    const bool counts = kind == R_ANY || kind == R_ALL || kind == R_COUNT;
    if (counts) {
        *type = wt_compile_basic(c, "int");
        if ((status = wt_compile_invert(c, &a, err)) != WT_OK ||
            (kind != R_ALL && (status = wt_compile_invert(c, &a, err)) != WT_OK))
            return status;
    }
    /* The result is in a temporary of its own: it outlives the intermediate values. */
    wt_expr_add(c->build.expr, op, is_float && !counts ? bits : 0, *result, a, b);
    if (kind == R_ANY || kind == R_ALL) {
        wt_expr_add(c->build.expr, WT_EXPR_LOGIC_NOT, 0, *result, *result, *result);
        if (kind == R_ANY)
            wt_expr_add(c->build.expr, WT_EXPR_LOGIC_NOT, 0, *result, *result, *result);
    }
    return WT_OK;
}

static enum wt_status reduce_beside(struct compiler *c, const struct wt_node *n,
                                    enum reduction kind, struct wt_error *err)
{
    struct wt_operand value;
    wt_expr_vector result = 0, cell, who = wt_build_constant(&c->build, 1);
    if (!n->b || n->b->next)
        return wt_fail(err, WT_INVALID, "%s() takes one value over lanes, as in %s(x@*)",
                       n->a->text, n->a->text);
    if (c->reduced_count == WT_MOST_REDUCTIONS)
        return wt_fail(err, WT_UNSUPPORTED, "a condition takes lanes together %d times at most",
                       WT_MOST_REDUCTIONS);
    enum wt_status status = wt_compile_result_temporary(c, &result, err);
    const unsigned mark = c->build.next;
    const bool one = n->b->kind == WT_NODE_LANES && !n->b->all_lanes;
    if (status)
        return status;
    c->in_reduction = true;
    c->over = one ? n->b->lanes : 0;
    status = wt_compile_node(c, one ? n->b->a : n->b, &value, err);
    c->in_reduction = false;
    if (!status && !wt_type_is_scalar(wt_type_plain(value.type)))
        status = wt_fail(err, WT_INVALID, "only numbers can be taken together over lanes");
    const struct wt_type *type = value.type;
    if (!status && kind != R_MIN && kind != R_MAX && kind != R_SUM)
        status = wt_compile_truth(c, &value, &cell, err);
    else if (!status && kind == R_SUM)
        status = wt_compile_number(c, &value, type = type_of_sum(c, type), &cell, err);
    else if (!status && wt_type_plain(type)->kind == WT_TYPE_FLOAT && wt_type_size(type) == 2)
        status = wt_compile_number(c, &value, type = wt_compile_basic(c, "float"), &cell, err);
    else if (!status)
        status = wt_operand_cell_of(&c->build, &value, &cell, err);
    if (!status && c->over)
        status = is_among(c, c->over, &who, err);
    if (!status)
        status = combine(c, kind, &type, cell, who, &result, err);
    c->build.next = mark;
    if (!status)
        c->reduced[c->reduced_count++] = (struct reduced){n, type, result};
    return status;
}

/* The value of one lane, for all. */
static enum wt_status lane_beside(struct compiler *c, const struct wt_node *n, struct wt_error *err)
{
    struct wt_operand value;
    wt_expr_vector result = 0;
    enum wt_status status = wt_compile_result_temporary(c, &result, err);
    const unsigned mark = c->build.next;
    if (!status)
        status = wt_compile_reductions(c, n->a, err);
    if (!status)
        status = lanes_beside(c, n, &value, err);
    if (status)
        return status;
    if (c->reduced_count == WT_MOST_REDUCTIONS)
        return wt_fail(err, WT_UNSUPPORTED, "a condition asks other lanes %d times at most",
                       WT_MOST_REDUCTIONS);
    const wt_expr_vector cell = value.piece[0].vector;
    wt_expr_add(c->build.expr, WT_EXPR_COPY, 0, result, cell, cell);
    c->build.next = mark;
    c->reduced[c->reduced_count++] = (struct reduced){n, value.type, result};
    return WT_OK;
}

enum wt_status wt_compile_reductions(struct compiler *c, const struct wt_node *n,
                                     struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (; n && !status; n = n->next) {
        const enum reduction kind = n->kind == WT_NODE_CALL && n->a->kind == WT_NODE_NAME
                                        ? wt_compile_reduction_of(n->a->text)
                                        : R_NONE;
        const bool of_fortran = n->b && n->b->next && wt_source_is_fortran(c->scope);
        if (kind != R_NONE && !of_fortran) {
            status = reduce_beside(c, n, kind, err);
            continue;
        }
        if (selects_one(n)) {
            status = lane_beside(c, n, err);
            continue;
        }
        if ((status = wt_compile_reductions(c, n->a, err)) == WT_OK &&
            (status = wt_compile_reductions(c, n->b, err)) == WT_OK)
            status = wt_compile_reductions(c, n->c, err);
    }
    return status;
}
